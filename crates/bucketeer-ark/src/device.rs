//! The device that MSMs run on.
//!
//! It is named once per process, when it is installed or first needed. Where nobody names one, each
//! MSM runs where it is predicted to end first. [`with_device`] overrides it while a closure runs.
//! Provers call MSMs from rayon's threads too, where a thread-local
//! override is not seen, so scopes are also listed for the whole process.

use std::cell::RefCell;
use std::sync::{Mutex, OnceLock, PoisonError};

use bucketeer::{Curve, CurveSpec, Device, Error, Scalars};

/// Names the device in the environment: `auto`, `cpu`, `cuda`, `cuda:1`, `webgpu:0`, …
pub const DEVICE_VARIABLE: &str = "BUCKETEER_DEVICE";

/// How the MSMs of this process run. Installed once, before the first of them.
///
/// ```standalone_crate
/// use bucketeer::Device;
/// bucketeer_ark::Settings::new().device(Device::cpu()).allow_cpu_fallback().install()?;
/// # Ok::<(), bucketeer::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Settings {
    device: Option<Device>,
    cpu_fallback: bool,
    any_point: bool,
}

impl Settings {
    /// The device of [`DEVICE_VARIABLE`], or for each MSM the one predicted to end first; no
    /// fallback.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs MSMs on this device.
    pub fn device(mut self, device: Device) -> Self {
        self.device = Some(device);
        self
    }

    /// Computes an MSM that fails on its device on the CPU, with a warning through `tracing`.
    /// Without this it panics.
    pub fn allow_cpu_fallback(mut self) -> Self {
        self.cpu_fallback = true;
        self
    }

    /// Makes MSMs right for points outside the prime-order subgroup too, at some cost. Arkworks'
    /// traits say that there are none.
    pub fn any_point(mut self) -> Self {
        self.any_point = true;
        self
    }

    /// Installs the settings for the life of the process.
    ///
    /// Fails if settings are installed already, if an MSM has run, or if [`DEVICE_VARIABLE`] names
    /// a device that cannot be used.
    pub fn install(self) -> Result<(), Error> {
        let chosen = self.resolve();
        let value = match chosen.named.clone().transpose()? {
            Some(device) => device.to_string(),
            None => "auto".into(),
        };
        CHOSEN.set(chosen).map_err(|_| Error::InvalidSetting {
            setting: "device",
            value,
            reason: "this process has chosen its device already".into(),
        })
    }

    fn resolve(self) -> Chosen {
        let named = self.device.map(Ok).or_else(of_environment);
        Chosen { named, cpu_fallback: self.cpu_fallback, any_point: self.any_point }
    }
}

/// The settings of the process, with their device.
pub(crate) struct Chosen {
    /// `None` where nobody named one: an MSM then runs where it is predicted to end first.
    named: Option<Result<Device, Error>>,
    pub(crate) cpu_fallback: bool,
    pub(crate) any_point: bool,
}

static CHOSEN: OnceLock<Chosen> = OnceLock::new();

/// The settings of the process; the first call chooses them unless they are installed.
pub(crate) fn chosen() -> &'static Chosen {
    CHOSEN.get_or_init(|| Settings::default().resolve())
}

/// The device that the environment names.
fn of_environment() -> Option<Result<Device, Error>> {
    let name = std::env::var_os(DEVICE_VARIABLE)?;
    if name.is_empty() || name == "auto" {
        return None;
    }
    let name = name.to_string_lossy();
    Some(Device::named(&name).map_err(|error| Error::InvalidSetting {
        setting: DEVICE_VARIABLE,
        value: name.chars().take(60).flat_map(char::escape_debug).collect(),
        reason: error.to_string(),
    }))
}

thread_local! {
    /// The devices of the scopes that this thread is in, innermost last.
    static OWN: RefCell<Vec<Device>> = const { RefCell::new(Vec::new()) };
}

/// The devices of all scopes of the process with their numbers, newest last.
static SCOPES: Mutex<Scopes> = Mutex::new(Scopes { next: 0, active: Vec::new() });

struct Scopes {
    next: u64,
    active: Vec<(u64, Device)>,
}

fn scopes() -> std::sync::MutexGuard<'static, Scopes> {
    SCOPES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` with its MSMs on `device`, instead of the device of the process.
///
/// Scopes nest. On threads that are in no scope, such as rayon's, MSMs run on the device of the
/// newest scope of the process while there is one. So work that must stay apart on two devices at
/// the same time should use [`Resident`](crate::Resident), whose MSMs follow their bases. Results
/// never depend on the device.
///
/// ```
/// use ark_bls12_381::{Fr, G1Affine};
/// use ark_ec::{AffineRepr, VariableBaseMSM};
/// use bucketeer::Device;
/// use bucketeer_ark::{Affine, Projective, with_device};
///
/// let bases = [Affine(G1Affine::generator()); 3];
/// let sum = with_device(&Device::cpu(), || Projective::msm_u8(&bases, &[1, 2, 3]));
/// assert_eq!(sum.0, G1Affine::generator() * Fr::from(6));
/// ```
pub fn with_device<R>(device: &Device, work: impl FnOnce() -> R) -> R {
    let _scope = Scope::enter(device);
    work()
}

/// The device that an MSM called here runs on, unless its bases are resident on another. If none
/// was named, that is the one for large MSMs: small ones run on the CPU.
///
/// Fails if [`DEVICE_VARIABLE`] names a device that cannot be used. Call it early: an MSM can only
/// panic.
pub fn device() -> Result<Device, Error> {
    let named = || chosen().named.clone();
    scoped().map(Ok).or_else(named).unwrap_or_else(|| Ok(Device::best()))
}

/// The device of a scope.
fn scoped() -> Option<Device> {
    let own = OWN.with_borrow(|own| own.last().cloned());
    own.or_else(|| scopes().active.last().map(|(_, device)| device.clone()))
}

/// The device for an MSM with these scalars.
pub(crate) fn device_for<A: Curve>(scalars: &Scalars<'_, A::ScalarField>) -> Result<Device, Error> {
    let named = || chosen().named.clone();
    scoped().map(Ok).or_else(named).unwrap_or_else(|| {
        let curve = CurveSpec::of::<A>();
        Ok(Device::best_for(&curve, scalars.len(), scalars.bound()).0)
    })
}

/// A scope, left when it is dropped.
struct Scope(u64);

impl Scope {
    fn enter(device: &Device) -> Self {
        OWN.with_borrow_mut(|own| own.push(device.clone()));
        let mut scopes = scopes();
        let number = scopes.next;
        scopes.next += 1;
        scopes.active.push((number, device.clone()));
        Self(number)
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        OWN.with_borrow_mut(Vec::pop);
        scopes().active.retain(|(number, _)| *number != self.0);
    }
}

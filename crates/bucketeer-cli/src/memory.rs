//! Whether an input fits in memory, checked before anything is allocated for it.

use std::fmt;

use bucketeer::any::AnyCurve;
use bucketeer::plan::{Plan, Request, Settings};
use bucketeer::{Device, DeviceFacts, DeviceKind, Error};

use crate::failure::Failure;
use crate::units;

/// The memory that a job needs, if it exceeds what is available. It has 128 bits, since the bytes
/// of 2^60 bases overflow 64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    curve: &'static str,
    n: usize,
    bases: u128,
    scalars: u128,
    results: u128,
    plan: u128,
    available: u128,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { curve, n, bases, scalars, results, plan, available } = self;
        let total = bases + scalars + results + plan;
        let [total, bases, scalars, results, plan, available] =
            [total, *bases, *scalars, *results, *plan, *available].map(units::bytes);
        write!(f, "out of memory: {} points of {curve} need {total} ", units::size(*n))?;
        write!(f, "({bases} of bases, {scalars} of scalars, {results} of results, ")?;
        write!(f, "{plan} to compute), ")?;
        write!(f, "{available} available")
    }
}

impl Need {
    /// The need as an error of the library.
    pub fn error(&self) -> Error {
        let bytes = |bytes: u128| u64::try_from(bytes).unwrap_or(u64::MAX);
        let needed = bytes(self.bases + self.scalars + self.results + self.plan);
        Error::OutOfMemory { needed, available: bytes(self.available) }
    }
}

/// Bytes of an MSM's vector of scalars, and of its sum as text in a list of results.
const RESULT: u128 = 1000;

/// What must be in memory at the same time.
pub struct Job<'a> {
    /// Bases, and scalars per MSM.
    pub n: usize,
    /// MSMs.
    pub batch: usize,
    /// The settings of the plan; `None` if nothing is computed.
    pub settings: Option<&'a Settings>,
}

impl Job<'_> {
    /// Fails if the inputs and the plan do not fit in the device's memory. Yields the plan,
    /// where the device is a CPU and something is to be computed.
    pub fn check(&self, curve: &dyn AnyCurve, device: &Device) -> Result<Option<Plan>, Failure> {
        // The inputs of a GPU run are in host memory; the plan accounts for the device's memory.
        let on_gpu = device.kind() != DeviceKind::Cpu;
        let facts = if on_gpu { Device::cpu().facts() } else { device.facts() };
        let (layout, n) = (curve.layout(), self.n as u128);
        let bases = n * layout.point_in_memory as u128;
        let each = n * layout.scalar_in_memory as u128;
        let scalars = each.saturating_mul(self.batch as u128).min(u128::MAX / 4);
        // Every MSM has a vector, a sum and, printed, a few hundred characters.
        let results = self.batch as u128 * (RESULT + 2 * layout.sum_in_memory as u128);
        let inputs = bases + scalars + results;
        // The plan gets the memory that the inputs leave. If they leave none, the message shows
        // what it would take.
        let left = u64::try_from(inputs).ok().and_then(|b| facts.memory.checked_sub(b));
        let left = facts.with_memory(left.unwrap_or(facts.memory));
        let limited = self.settings.is_some_and(|settings| settings.memory_limit.is_some());
        let planned = if on_gpu { Ok(None) } else { self.plan(curve, left) };
        let (plan, bytes) = match planned {
            Ok(plan) => {
                let bytes = plan.as_ref().map_or(0, |plan| plan.bytes().into());
                (plan, bytes)
            }
            // If the user set no limit, the message includes the inputs.
            Err(Error::OutOfMemory { needed, .. }) if !limited => (None, needed.into()),
            Err(error) => return Err(error.into()),
        };
        let available = u128::from(facts.memory);
        if inputs + bytes <= available {
            return Ok(plan);
        }
        let (curve, n, plan) = (curve.named().name, self.n, bytes);
        Err(Failure::Memory(Need { curve, n, bases, scalars, results, plan, available }))
    }

    /// The plan for a device; `None` where nothing is to be computed.
    pub fn plan(&self, curve: &dyn AnyCurve, device: DeviceFacts) -> Result<Option<Plan>, Error> {
        let curve = curve.spec();
        let request = Request::new(&curve, self.n, device).batch(self.batch);
        self.settings.map(|settings| Plan::new(&request.settings(settings))).transpose()
    }

    /// A warning if precomputation takes far longer than the MSMs over its table.
    pub fn warning(&self, plan: &Plan) -> Option<String> {
        const WORTH: f64 = 4.0;
        const NOTICED: f64 = 1.0;
        let (table, cost) = (plan.table_additions(), &plan.cost);
        let additions = cost.bucket_additions + cost.reduce_additions;
        // At the rate of the MSM's additions.
        let seconds = cost.nanoseconds / 1e9;
        let table_seconds = seconds * table / additions.max(1.0);
        if table <= WORTH * additions * self.batch as f64 || table_seconds < NOTICED {
            return None;
        }
        let (count, seconds) = (self.batch, units::seconds(seconds));
        let table_seconds = units::seconds(table_seconds);
        let msms = if count == 1 { "the MSM" } else { "each of the MSMs" };
        Some(format!(
            "the precomputed table ({} copies, {} odd multiples) takes about {table_seconds} to \
             make, {msms} {seconds}; it pays off only for bases that are reused often",
            plan.shape.precompute, plan.shape.odd_multiples
        ))
    }
}

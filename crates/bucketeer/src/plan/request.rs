//! What a plan is a function of.

use super::{ScalarBound, Settings, Table};
use crate::{CurveSpec, DeviceFacts};

/// Everything a plan is a function of.
///
/// ```
/// use bucketeer::plan::{Plan, Request, ScalarBound, Settings};
/// use bucketeer::{CurveSpec, DeviceFacts};
/// let curve = CurveSpec::of::<ark_bls12_377::G1Affine>();
/// let mut settings = Settings::default();
/// settings.window_bits = Some(12);
/// let request = Request::new(&curve, 1000, DeviceFacts::cpu(8, true, 4 << 30))
///     .scalars(ScalarBound::Bits(128))
///     .settings(&settings);
/// assert_eq!(Plan::new(&request)?.shape.windows, 11);
/// # Ok::<(), bucketeer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Request<'a> {
    pub(crate) curve: &'a CurveSpec,
    pub(crate) n: usize,
    pub(crate) batch: usize,
    pub(crate) scalars: ScalarBound,
    pub(crate) resident: bool,
    pub(crate) table: Option<Table>,
    pub(crate) device: DeviceFacts,
    pub(crate) settings: Settings,
}

impl<'a> Request<'a> {
    /// One MSM over `n` bases that are not kept, with residues as scalars and every choice left to
    /// the plan.
    pub fn new(curve: &'a CurveSpec, n: usize, device: DeviceFacts) -> Self {
        let settings = Settings::default();
        let scalars = ScalarBound::Order;
        Self { curve, n, batch: 1, scalars, resident: false, table: None, device, settings }
    }

    /// The device that the plan is for.
    pub fn facts(&self) -> &DeviceFacts {
        &self.device
    }

    /// The number of MSMs computed from the same bases.
    #[must_use]
    pub fn batch(self, batch: usize) -> Self {
        Self { batch, ..self }
    }

    /// What is known of the scalars.
    #[must_use]
    pub fn scalars(self, scalars: ScalarBound) -> Self {
        Self { scalars, ..self }
    }

    /// Whether the bases are loaded before the run and kept. The plan then lists their table.
    #[must_use]
    pub fn resident(self, resident: bool) -> Self {
        Self { resident, ..self }
    }

    /// Runs on a table that is loaded already; see [`Plan::table`](super::Plan::table).
    #[must_use]
    pub fn table(self, table: Table) -> Self {
        Self { resident: true, table: Some(table), ..self }
    }

    /// The user's settings.
    #[must_use]
    pub fn settings(self, settings: &Settings) -> Self {
        Self { settings: settings.clone(), ..self }
    }
}

//! Whether an input can exist at all, answered before anything is allocated for it.

use std::fmt;

use bucketeer::curves::NamedCurve;
use bucketeer::plan::{Plan, Request, ScalarBound, Settings};
use bucketeer::{Curve, CurveSpec, Device, DeviceFacts, DeviceKind, Error};

use crate::failure::Failure;
use crate::units;

/// The memory a job needs where that is more than there is. Sums of 128 bits, since 2^60 bases have
/// more bytes than 64 bits can count.
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

/// Bytes of an MSM's vector of scalars, and of its sum as text in a list of results.
const RESULT: u128 = 1000;

/// What is to be held at once.
pub struct Job<'a> {
    /// Bases, and scalars per MSM.
    pub n: usize,
    /// MSMs.
    pub batch: usize,
    /// The settings to plan with; `None` where nothing is to be computed.
    pub settings: Option<&'a Settings>,
}

impl Job<'_> {
    /// Fails where the inputs and the plan do not fit in the device's memory.
    pub fn check<C: Curve>(
        &self,
        curve: &'static NamedCurve,
        device: &Device,
    ) -> Result<(), Failure> {
        // The inputs of a GPU's run are in host memory; its own memory is the plan's business.
        let on_gpu = device.kind() != DeviceKind::Cpu;
        let facts = if on_gpu { Device::cpu().facts() } else { device.facts() };
        let n = self.n as u128;
        let bases = n * size_of::<C>() as u128;
        let each = n * size_of::<C::ScalarField>() as u128;
        let scalars = each.saturating_mul(self.batch as u128).min(u128::MAX / 4);
        // Every MSM has a vector, a sum and, printed, a few hundred characters.
        let results = self.batch as u128 * (RESULT + 2 * size_of::<C::Group>() as u128);
        let inputs = bases + scalars + results;
        // What the inputs leave is the plan's; where they leave nothing, its wish is shown.
        let left = u64::try_from(inputs).ok().and_then(|b| facts.memory.checked_sub(b));
        let left = facts.with_memory(left.unwrap_or(facts.memory));
        let plan = if on_gpu { 0 } else { self.plan_bytes::<C>(left)? };
        let available = u128::from(facts.memory);
        if inputs + plan <= available {
            return Ok(());
        }
        let (curve, n) = (curve.name, self.n);
        Err(Failure::Memory(Need { curve, n, bases, scalars, results, plan, available }))
    }

    fn plan_bytes<C: Curve>(&self, device: DeviceFacts) -> Result<u128, Error> {
        let limited = self.settings.is_some_and(|settings| settings.memory_limit.is_some());
        match self.plan::<C>(device) {
            Ok(plan) => Ok(plan.map_or(0, |plan| plan.bytes().into())),
            // Without a limit of the user's own, the inputs belong in the message.
            Err(Error::OutOfMemory { needed, .. }) if !limited => Ok(needed.into()),
            Err(error) => Err(error),
        }
    }

    fn plan<C: Curve>(&self, device: DeviceFacts) -> Result<Option<Plan>, Error> {
        let plan = |settings| {
            Plan::new(&Request {
                curve: &CurveSpec::of::<C>(),
                n: self.n,
                batch: self.batch,
                scalars: ScalarBound::Order,
                resident: false,
                table: None,
                device,
                settings,
            })
        };
        self.settings.map(plan).transpose()
    }

    /// What is to be said of a table that takes far longer to make than the MSMs over it.
    pub fn warning<C: Curve>(&self, device: &Device) -> Option<String> {
        const WORTH: f64 = 4.0;
        const NOTICED: f64 = 1.0;
        let plan = self.plan::<C>(device.facts()).ok().flatten()?;
        let (table, cost) = (plan.table_additions(), &plan.cost);
        let additions = cost.bucket_additions + cost.reduce_additions;
        // As fast as the additions of the MSM.
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
             make, {msms} {seconds}; it pays off for bases that are used again and again",
            plan.shape.precompute, plan.shape.odd_multiples
        ))
    }
}

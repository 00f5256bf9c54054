//! The bases that a key holds.

use bucketeer::plan::{Plan, Request, Settings, Shape};
use bucketeer::{Bases, Curve, CurveSpec, Device, Error};

use super::Entry;
use crate::Affine;
use crate::convert::Wrapper;
use crate::device::chosen;
use crate::run::builder;

/// A key whose bases can be resident: it lists them.
///
/// Implemented for slices and vectors of points and for the keys of ark-groth16 and
/// ark-poly-commit. For a key of your own:
///
/// ```
/// use bucketeer_ark::{Affine, Queries, QueryList};
/// use ark_bn254::{G1Affine, G2Affine};
///
/// struct Key {
///     tau_g1: Vec<Affine<G1Affine>>,
///     tau_g2: Vec<Affine<G2Affine>>,
/// }
///
/// impl Queries for Key {
///     fn queries<'a>(&'a self, list: &mut QueryList<'a>) {
///         list.add(&self.tau_g1);
///         list.add(&self.tau_g2);
///     }
/// }
/// ```
pub trait Queries {
    /// Adds every slice of bases that MSMs are computed over.
    fn queries<'a>(&'a self, list: &mut QueryList<'a>);
}

/// The slices of bases of a key.
#[derive(Default)]
pub struct QueryList<'a> {
    pub(super) queries: Vec<Box<dyn Query + 'a>>,
}

impl<'a> QueryList<'a> {
    /// Adds a slice. Empty ones are ignored.
    pub fn add<A: Curve>(&mut self, bases: &'a [Affine<A>]) {
        if !bases.is_empty() {
            self.queries.push(Box::new(Affine::unwrap_slice(bases)));
        }
    }
}

/// A slice of bases, whatever its curve.
pub(super) trait Query {
    /// Bytes that the bases take on a device without precomputation.
    fn plain_bytes(&self, device: &Device) -> Result<u64, Error>;

    /// Loads the bases onto a device, with a table of at most `limit` bytes or without one. Returns
    /// the bytes of the table too.
    fn load(&self, device: &Device, limit: Option<u64>) -> Result<(Entry, u64), Error>;
}

impl<A: Curve> Query for &[A] {
    fn plain_bytes(&self, device: &Device) -> Result<u64, Error> {
        let mut settings = Settings::default();
        settings.precompute = Some(1);
        Ok(plan::<A>(device, self.len(), settings)?.table_bytes())
    }

    fn load(&self, device: &Device, limit: Option<u64>) -> Result<(Entry, u64), Error> {
        let mut builder = builder::<A>();
        let shape = limit.map(|limit| table_shape::<A>(device, self.len(), limit)).transpose()?;
        match shape {
            Some(shape) if shape.precompute > 1 || shape.odd_multiples > 1 => {
                builder = builder.precompute(shape.precompute).window_bits(shape.window_bits);
                if shape.odd_multiples > 1 {
                    builder = builder.odd_multiples(shape.odd_multiples);
                }
            }
            _ => builder = builder.precompute(1),
        }
        let bases: Bases<A> = builder.load(device, self)?;
        let range = self.as_ptr_range();
        let (start, end) = (range.start.addr(), range.end.addr());
        let bytes = bases.plan().table_bytes();
        let curve = std::any::TypeId::of::<A>();
        Ok((Entry { curve, start, end, bases: Box::new(bases) }, bytes))
    }
}

/// The shape with the fastest runs whose table takes at most `limit` bytes. The memory of a run is
/// not part of it: a run takes what it needs.
fn table_shape<A: Curve>(device: &Device, n: usize, limit: u64) -> Result<Shape, Error> {
    let mut settings = Settings::default();
    settings.precompute = Some(1);
    let plain = plan::<A>(device, n, settings.clone())?;
    let of_a_run = plain.bytes().saturating_sub(plain.table_bytes());
    settings.precompute = None;
    settings.auto_precompute = true;
    settings.memory_limit = Some(limit.saturating_add(of_a_run));
    let fits = |plan: &Plan| plan.table_bytes() <= limit;
    Ok(plan::<A>(device, n, settings).ok().filter(fits).unwrap_or(plain).shape)
}

/// The plan of resident bases.
fn plan<A: Curve>(device: &Device, n: usize, mut settings: Settings) -> Result<Plan, Error> {
    settings.any_point = chosen().any_point;
    let curve = CurveSpec::of::<A>();
    Plan::new(&Request::new(&curve, n, device.facts()).settings(&settings).resident(true))
}

impl<A: Curve> Queries for [Affine<A>] {
    fn queries<'a>(&'a self, list: &mut QueryList<'a>) {
        list.add(self);
    }
}

impl<A: Curve> Queries for Vec<Affine<A>> {
    fn queries<'a>(&'a self, list: &mut QueryList<'a>) {
        list.add(self);
    }
}

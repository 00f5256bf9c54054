//! The bases that a key holds.

use bucketeer::{Bases, Curve, Device, Error};

use super::Entry;
use crate::Affine;
use crate::convert::Wrapper;
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
    pub(super) queries: Vec<Query<'a>>,
}

/// A slice of bases, whatever its curve.
pub(super) struct Query<'a> {
    pub(super) bytes: u64,
    pub(super) load: Box<Load<'a>>,
}

/// Loads the bases onto a device, within a memory limit, with tables or without. Returns the bytes
/// of the table too.
type Load<'a> = dyn Fn(&Device, Option<u64>, bool) -> Result<(Entry, u64), Error> + 'a;

impl<'a> QueryList<'a> {
    /// Adds a slice. Empty ones are ignored.
    pub fn add<A: Curve>(&mut self, bases: &'a [Affine<A>]) {
        if bases.is_empty() {
            return;
        }
        let bases = Affine::unwrap_slice(bases);
        let load = move |device: &Device, limit, tables| Entry::load(device, bases, limit, tables);
        self.queries.push(Query { bytes: size_of_val(bases) as u64, load: Box::new(load) });
    }
}

impl Entry {
    fn load<A: Curve>(
        device: &Device,
        points: &[A],
        limit: Option<u64>,
        tables: bool,
    ) -> Result<(Self, u64), Error> {
        let mut builder = builder::<A>();
        if tables {
            builder = builder.auto_precompute();
        }
        if let Some(limit) = limit {
            builder = builder.memory_limit(limit);
        }
        let bases: Bases<A> = builder.load(device, points)?;
        let range = points.as_ptr_range();
        let (start, end) = (range.start.addr(), range.end.addr());
        let bytes = bases.plan().table_bytes();
        let curve = std::any::TypeId::of::<A>();
        Ok((Self { curve, start, end, bases: Box::new(bases) }, bytes))
    }
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

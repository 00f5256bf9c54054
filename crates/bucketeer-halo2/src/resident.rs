//! Bases that MSMs of an unchanged prover find on a device.
//!
//! halo2's provers hand slices of their parameters to `best_multiexp`. While a [`Resident`] is in
//! scope, a slice that lies in memory which it borrows is looked up by address. The borrow lasts at
//! least as long as the scope, so that memory is neither freed nor changed: a slice in it has the
//! points that were loaded. It is the method of `bucketeer_ark::Resident`, on halo2's types.

use std::any::{Any, TypeId};
use std::marker::PhantomData;
use std::sync::{Arc, PoisonError, RwLock};

use bucketeer::{Builder, Device, Error};

use crate::{Bases, Point};

/// Bases on a device, found by [`msm_best`](crate::msm_best) in a scope. Borrows the points.
///
/// ```
/// use bucketeer_halo2::{Device, Error, Resident, msm_best};
/// use halo2curves::bn256::{Fr, G1, G1Affine};
///
/// let points = vec![G1Affine::generator(); 100];
/// let resident = Resident::of(&Device::best(), &[&points])?;
/// let sum = resident.scope(|| msm_best(&[Fr::from(7); 50], &points[..50]));
/// assert_eq!(sum, G1::generator() * Fr::from(350));
/// # Ok::<(), Error>(())
/// ```
///
/// The points cannot change while they are resident:
///
/// ```compile_fail,E0506
/// # use bucketeer_halo2::{Device, Resident, msm_best};
/// # use halo2curves::bn256::{Fr, G1Affine};
/// let mut points = vec![G1Affine::generator(); 100];
/// let resident = Resident::of(&Device::cpu(), &[&points])?;
/// points = Vec::new();
/// resident.scope(|| msm_best(&[Fr::from(7); 50], &[G1Affine::generator(); 50]));
/// # Ok::<(), bucketeer::Error>(())
/// ```
pub struct Resident<'a> {
    entries: Vec<Arc<Entry>>,
    points: PhantomData<&'a ()>,
}

/// Bases on a device and the memory that they were loaded from.
struct Entry {
    point: TypeId,
    /// Addresses of the first base and past the last.
    start: usize,
    end: usize,
    /// [`Bases`] of that type.
    bases: Box<dyn Any + Send + Sync>,
}

/// The entries of all scopes.
static ACTIVE: RwLock<Vec<Arc<Entry>>> = RwLock::new(Vec::new());

impl<'a> Resident<'a> {
    /// Loads slices of points with default settings.
    pub fn of<C: Point>(device: &Device, slices: &[&'a [C]]) -> Result<Self, Error> {
        Self::load_with(&bucketeer::Bases::builder(), device, slices)
    }

    /// Loads slices of points with the settings of Bucketeer's builder, such as tables, which pay
    /// from dozens of MSMs on: `bucketeer::Bases::builder().auto_precompute()`.
    pub fn load_with<C: Point>(
        builder: &Builder<C::Ark>,
        device: &Device,
        slices: &[&'a [C]],
    ) -> Result<Self, Error> {
        let entry = |points: &&'a [C]| {
            let bases = Box::new(Bases::load_with(builder, device, points)?);
            let start = points.as_ptr().addr();
            let end = start + size_of_val(*points);
            Ok(Arc::new(Entry { point: TypeId::of::<C>(), start, end, bases }))
        };
        let entries = slices.iter().map(entry).collect::<Result<_, Error>>()?;
        Ok(Self { entries, points: PhantomData })
    }

    /// Runs `work`. MSMs over these points, or over any range of one of the slices, use the
    /// resident ones, on whichever thread of the process they are called. Scopes nest.
    pub fn scope<R>(&self, work: impl FnOnce() -> R) -> R {
        let _registration = Registration::new(&self.entries);
        work()
    }
}

/// The entries of a scope in the list, removed when dropped.
struct Registration<'r>(&'r [Arc<Entry>]);

impl<'r> Registration<'r> {
    fn new(entries: &'r [Arc<Entry>]) -> Self {
        let mut active = ACTIVE.write().unwrap_or_else(PoisonError::into_inner);
        active.extend_from_slice(entries);
        Self(entries)
    }
}

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        let mut active = ACTIVE.write().unwrap_or_else(PoisonError::into_inner);
        for entry in self.0 {
            // One of them: another scope may use the same bases.
            if let Some(index) = active.iter().rposition(|other| Arc::ptr_eq(other, entry)) {
                active.remove(index);
            }
        }
    }
}

/// The resident bases that a slice lies in, and where it begins in them.
pub(crate) fn find<C: Point>(slice: &[C]) -> Option<(bucketeer::Bases<C::Ark>, usize)> {
    let start = slice.as_ptr().addr();
    let end = start + size_of_val(slice);
    let inside = |entry: &&Arc<Entry>| {
        entry.point == TypeId::of::<C>() && entry.start <= start && end <= entry.end
    };
    let active = ACTIVE.read().unwrap_or_else(PoisonError::into_inner);
    let entry = active.iter().rev().filter(|_| !slice.is_empty()).find(inside)?;
    let bases = entry.bases.downcast_ref::<Bases<C>>()?.inner().clone();
    let offset = start - entry.start;
    offset.is_multiple_of(size_of::<C>()).then_some((bases, offset / size_of::<C>()))
}

//! Bases of a key that stay on a device, with tables.
//!
//! An MSM gets its bases as a slice. While a [`Resident`] is in use, a slice that lies in memory
//! which it borrows is looked up by address:
//!
//! 1. [`Resident::of`] loads every slice of a key and keeps the key borrowed.
//! 2. [`Resident::scope`] registers the slices while a closure runs, in a list that all threads
//!    see. The borrow is alive as long as the closure runs, so that memory is neither freed nor
//!    changed, and a slice in it has the points that were loaded. A guard on the stack ends the
//!    registration; callers never hold it, so they cannot leak it.
//! 3. [`find`] compares the address of a slice with the list.

mod queries;

use std::any::{Any, TypeId};
use std::sync::{Arc, PoisonError, RwLock};

use bucketeer::{Bases, Curve, Device, Error};

pub use queries::{Queries, QueryList};

/// The bases of a key on a device, with precomputed tables. Borrows the key.
///
/// ```
/// use ark_bn254::{Bn254, G1Projective};
/// use ark_ec::VariableBaseMSM;
/// use ark_std::UniformRand;
/// use bucketeer_ark::{Affine, Projective, Resident};
///
/// let rng = &mut ark_std::test_rng();
/// let bases: Vec<_> = (0..100).map(|_| Affine(ark_bn254::G1Affine::rand(rng))).collect();
/// let resident = Resident::of(&bases)?;
/// let sum = resident.scope(|| Projective::msm_u64(&bases[1..], &[7; 99]));
/// assert_eq!(sum, Projective::msm_u64(&bases[1..], &[7; 99]));
/// # Ok::<(), bucketeer::Error>(())
/// ```
///
/// The key cannot change while its bases are resident:
///
/// ```compile_fail,E0502
/// # use bucketeer_ark::{Affine, Projective, Resident};
/// # use ark_ec::{AffineRepr, VariableBaseMSM};
/// let mut bases = vec![Affine(ark_bn254::G1Affine::generator()); 100];
/// let resident = Resident::of(&bases)?;
/// bases[0] = Affine(ark_bn254::G1Affine::identity());
/// resident.scope(|| Projective::msm_u64(&bases, &[7; 100]));
/// # Ok::<(), bucketeer::Error>(())
/// ```
pub struct Resident<'a> {
    entries: Vec<Arc<Entry>>,
    table_bytes: u64,
    _key: std::marker::PhantomData<&'a ()>,
}

/// Bases on a device and the memory that they were loaded from.
struct Entry {
    /// arkworks' affine type.
    curve: TypeId,
    /// Addresses of the first base and past the last.
    start: usize,
    end: usize,
    /// `Bases` of that type.
    bases: Box<dyn Any + Send + Sync>,
}

/// The slices in use.
static ACTIVE: RwLock<Vec<Arc<Entry>>> = RwLock::new(Vec::new());

impl<'a> Resident<'a> {
    /// Loads the bases of a key onto the device of the process, with tables of up to
    /// [`TABLE_FACTOR`] times their size there.
    pub fn of<K: Queries + ?Sized>(key: &'a K) -> Result<Self, Error> {
        Self::builder().load(key)
    }

    /// Settings for loading.
    pub fn builder() -> ResidentBuilder {
        ResidentBuilder::default()
    }

    /// Runs `work`. MSMs over the key's bases, or over any range of one of its vectors, use the
    /// resident ones, on whichever thread of the process they are called.
    ///
    /// Scopes of several keys nest, and several threads may be in scopes at once.
    pub fn scope<R>(&self, work: impl FnOnce() -> R) -> R {
        let _registration = Registration::new(&self.entries);
        work()
    }

    /// The memory that the tables take on the device.
    pub fn table_bytes(&self) -> u64 {
        self.table_bytes
    }
}

/// How many times the size of its bases the tables of a key take at most, by default.
pub const TABLE_FACTOR: u64 = 8;

/// Settings of a [`Resident`], made by [`Resident::builder`].
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct ResidentBuilder {
    device: Option<Device>,
    memory_limit: Option<u64>,
    plain: bool,
}

impl ResidentBuilder {
    /// Loads onto this device. MSMs over these bases then run on it.
    pub fn device(mut self, device: &Device) -> Self {
        self.device = Some(device.clone());
        self
    }

    /// Limits the memory of all tables together; every vector gets a share by its size. Default:
    /// [`TABLE_FACTOR`] times the size of the bases. Loading fails with [`Error::OutOfMemory`] if
    /// not even the bases fit.
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = Some(bytes);
        self
    }

    /// Converts the bases once but precomputes nothing: loading takes no longer than an MSM.
    pub fn without_tables(mut self) -> Self {
        self.plain = true;
        self
    }

    /// Loads the bases of a key and borrows it.
    pub fn load<'a, K: Queries + ?Sized>(&self, key: &'a K) -> Result<Resident<'a>, Error> {
        let device = self.device.clone().map_or_else(crate::device, Ok)?;
        let mut list = QueryList::default();
        key.queries(&mut list);
        let plain = list.queries.iter().map(|query| query.plain_bytes(&device));
        let plain = plain.collect::<Result<Vec<u64>, _>>()?;
        let total: u64 = plain.iter().sum();
        let limit = self.memory_limit.unwrap_or(total.saturating_mul(TABLE_FACTOR));
        if total > limit {
            return Err(Error::OutOfMemory { needed: total, available: limit });
        }
        let mut entries = Vec::with_capacity(list.queries.len());
        let mut table_bytes = 0;
        for (query, plain) in list.queries.iter().zip(plain) {
            let share = u128::from(limit) * u128::from(plain) / u128::from(total.max(1));
            let limit = (!self.plain).then_some(share as u64);
            let (entry, bytes) = query.load(&device, limit)?;
            entries.push(Arc::new(entry));
            table_bytes += bytes;
        }
        Ok(Resident { entries, table_bytes, _key: std::marker::PhantomData })
    }
}

/// The slices of a scope in the list, removed when dropped.
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
pub(crate) fn find<A: Curve>(slice: &[A]) -> Option<(Bases<A>, usize)> {
    let start = slice.as_ptr().addr();
    let end = start + size_of_val(slice);
    let inside = |entry: &&Arc<Entry>| {
        entry.curve == TypeId::of::<A>() && entry.start <= start && end <= entry.end
    };
    let active = ACTIVE.read().unwrap_or_else(PoisonError::into_inner);
    let entry = active.iter().rev().filter(|_| !slice.is_empty()).find(inside)?;
    let bases = entry.bases.downcast_ref::<Bases<A>>()?.clone();
    let offset = start - entry.start;
    offset.is_multiple_of(size_of::<A>()).then_some((bases, offset / size_of::<A>()))
}

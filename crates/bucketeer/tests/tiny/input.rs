//! The input of MSMs over curves whose groups are tiny, and the devices that compute them.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use arbitrary::{Arbitrary, Result as Drawn, Unstructured};
use ark_ec::CurveGroup;
use ark_ff::{BigInteger, PrimeField};
use bucketeer::conformance::on_weierstrass;
use bucketeer::{AsScalars, Curve, Device, Error, PointFault, Scalars};

use crate::{Combination, Combinations};

/// What scalars are given as.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    Residues,
    /// Residues as integers.
    Canonical,
    Words,
    Bytes,
    Booleans,
    Signed,
}

impl<'a> Arbitrary<'a> for Form {
    fn arbitrary(u: &mut Unstructured<'a>) -> Drawn<Self> {
        use Form::{Booleans, Bytes, Canonical, Residues, Signed, Words};
        u.choose(&[Residues, Canonical, Words, Bytes, Booleans, Signed]).copied()
    }
}

/// The seed of a point, and a scalar.
pub type Term = (u8, u128);

/// How a sum is requested.
#[derive(Debug, Clone, Copy)]
pub enum Run {
    Borrowed,
    Loaded,
    SharedBatch,
    OwnBatch,
    WideBatch,
    Slice,
    Job,
}

impl Run {
    pub const ALL: [Self; 7] = [
        Self::Borrowed,
        Self::Loaded,
        Self::SharedBatch,
        Self::OwnBatch,
        Self::WideBatch,
        Self::Slice,
        Self::Job,
    ];
}

/// A few threads and many, and two devices as one, each with the arithmetic of the processor at its
/// best and portably; and the device that `BUCKETEER_FUZZ_DEVICE` names.
pub static DEVICES: LazyLock<Vec<Device>> = LazyLock::new(|| {
    if let Ok(name) = std::env::var("BUCKETEER_FUZZ_DEVICE") {
        return vec![Device::named(&name).expect("a device")];
    }
    let threads = |count| Device::cpu_with_threads(count).expect("a pool");
    let mut devices = vec![threads(1), threads(2), threads(7)];
    devices.push(Device::several(&[threads(1), threads(2)]).expect("two devices"));
    let portable = devices.iter().map(|device| device.clone().portable().expect("a CPU"));
    devices.clone().into_iter().chain(portable).collect()
});

/// Sums compared so far; every million is reported.
static SUMS: AtomicU64 = AtomicU64::new(0);

fn count() {
    let sums = SUMS.fetch_add(1, Relaxed) + 1;
    if sums.is_multiple_of(1_000_000) {
        eprintln!("{sums} sums compared");
    }
}

/// How many sums were compared with double-and-add.
pub fn count_of_sums() -> u64 {
    SUMS.load(Relaxed)
}

/// Scalars in memory of their own.
pub enum Owned<F> {
    Residues(Vec<F>),
    Canonical(Vec<u64>),
    Words(Vec<u64>),
    Bytes(Vec<u8>),
    Booleans(Vec<bool>),
    Signed(Vec<i128>),
}

impl<F: PrimeField> AsScalars<F> for Owned<F> {
    fn as_scalars(&self) -> Scalars<'_, F> {
        match self {
            Self::Residues(residues) => Scalars::residues(residues),
            Self::Canonical(words) => Scalars::canonical(words),
            Self::Words(words) => Scalars::words(words, 2),
            Self::Bytes(bytes) => bytes.as_scalars(),
            Self::Booleans(booleans) => booleans.as_scalars(),
            Self::Signed(signed) => signed.as_scalars(),
        }
    }
}

/// Points and scalars with known sums.
pub struct Input<'a, C: Curve> {
    combinations: &'a Combinations<C>,
    terms: Vec<&'a Combination<C>>,
    pub points: Vec<C>,
    amounts: Vec<u128>,
    words: Vec<u64>,
    residues: Vec<C::ScalarField>,
    canonical: Vec<u64>,
    bytes: Vec<u8>,
    booleans: Vec<bool>,
    signed: Vec<i128>,
    form: Form,
    /// Whether runs must refuse points outside of the subgroup.
    pub in_subgroup: bool,
}

impl<'a, C: Curve> Input<'a, C> {
    /// Words of a canonical residue.
    const LIMBS: usize = <C::ScalarField as PrimeField>::BigInt::NUM_LIMBS;

    /// Of these terms. The points are of the subgroup unless others are allowed.
    pub fn new(
        combinations: &'a Combinations<C>,
        terms: &[Term],
        form: Form,
        any_point: bool,
    ) -> Self {
        let combination = |(seed, _): &Term| combinations.get(*seed, any_point);
        let chosen: Vec<&Combination<C>> = terms.iter().map(combination).collect();
        let mut points: Vec<C> = chosen.iter().map(|term| term.point).collect();
        let words = terms.iter().flat_map(|(_, k)| [*k as u64, (*k >> 64) as u64]).collect();
        let residues: Vec<C::ScalarField> = terms.iter().map(|(_, k)| (*k).into()).collect();
        let limbs = |k: &C::ScalarField| k.into_bigint().as_ref().to_vec();
        let canonical = residues.iter().flat_map(limbs).collect();
        let bytes: Vec<u8> = terms.iter().map(|(_, k)| *k as u8).collect();
        let booleans: Vec<bool> = terms.iter().map(|(_, k)| *k & 1 == 1).collect();
        let signed: Vec<i128> = terms.iter().map(|(_, k)| *k as i128).collect();
        let amounts = match form {
            Form::Residues | Form::Canonical => {
                let amount = |k: &C::ScalarField| k.into_bigint().as_ref()[0].into();
                residues.iter().map(amount).collect()
            }
            Form::Words => terms.iter().map(|(_, k)| *k).collect(),
            Form::Bytes => bytes.iter().map(|k| (*k).into()).collect(),
            Form::Booleans => booleans.iter().map(|k| (*k).into()).collect(),
            // k·P with k < 0 is |k|·(−P), so the sum over points with the signs of k is that of
            // |k|.
            Form::Signed => {
                for (point, _) in points.iter_mut().zip(&signed).filter(|(_, k)| **k < 0) {
                    *point = (-point.into_group()).into_affine();
                }
                signed.iter().map(|k| k.unsigned_abs()).collect()
            }
        };
        Self {
            combinations,
            terms: chosen,
            points,
            amounts,
            words,
            residues,
            canonical,
            bytes,
            booleans,
            signed,
            form,
            in_subgroup: false,
        }
    }

    /// The same points with the scalars of others, `by` places on. Signed scalars, whose points are
    /// chosen by their signs, stay where they are.
    pub fn rotated(&self, by: usize) -> Self {
        let mut rotated = Self {
            combinations: self.combinations,
            terms: self.terms.clone(),
            points: Vec::new(),
            amounts: self.amounts.clone(),
            words: self.words.clone(),
            residues: self.residues.clone(),
            canonical: self.canonical.clone(),
            bytes: self.bytes.clone(),
            booleans: self.booleans.clone(),
            signed: self.signed.clone(),
            form: self.form,
            in_subgroup: self.in_subgroup,
        };
        if self.is_empty() || matches!(self.form, Form::Signed) {
            return rotated;
        }
        let by = by % self.len();
        rotated.amounts.rotate_left(by);
        rotated.words.rotate_left(2 * by);
        rotated.residues.rotate_left(by);
        rotated.canonical.rotate_left(Self::LIMBS * by);
        rotated.bytes.rotate_left(by);
        rotated.booleans.rotate_left(by);
        rotated
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The scalars of a range.
    pub fn scalars(&self, start: usize, end: usize) -> Scalars<'_, C::ScalarField> {
        match self.form {
            Form::Residues => Scalars::residues(&self.residues[start..end]),
            Form::Canonical => {
                Scalars::canonical(&self.canonical[Self::LIMBS * start..Self::LIMBS * end])
            }
            Form::Words => Scalars::words(&self.words[2 * start..2 * end], 2),
            Form::Bytes => Scalars::from(&self.bytes[start..end]),
            Form::Booleans => Scalars::from(&self.booleans[start..end]),
            Form::Signed => Scalars::from(&self.signed[start..end]),
        }
    }

    /// The same scalars for a job, which owns them.
    pub fn owned(&self, start: usize, end: usize) -> Owned<C::ScalarField> {
        match self.form {
            Form::Residues => Owned::Residues(self.residues[start..end].to_vec()),
            Form::Canonical => {
                let range = Self::LIMBS * start..Self::LIMBS * end;
                Owned::Canonical(self.canonical[range].to_vec())
            }
            Form::Words => Owned::Words(self.words[2 * start..2 * end].to_vec()),
            Form::Bytes => Owned::Bytes(self.bytes[start..end].to_vec()),
            Form::Booleans => Owned::Booleans(self.booleans[start..end].to_vec()),
            Form::Signed => Owned::Signed(self.signed[start..end].to_vec()),
        }
    }

    /// Compares the sum of a range with double-and-add, unless the run was refused.
    pub fn check(&self, start: usize, end: usize, sum: Result<C::Group, Error>, device: &Device) {
        let terms = self.terms[start..end].iter().copied();
        let expected =
            self.combinations.expected(terms.zip(self.amounts[start..end].iter().copied()));
        let mut sum = sum;
        if let Err(Error::Batch { source, .. }) = sum {
            sum = Err(*source);
        }
        match sum {
            Ok(sum) => {
                assert_eq!(on_weierstrass::<C>(&sum), Some(expected), "{device}");
                // Inputs that are rotated have no points of their own.
                let points = self.points.get(start..end).unwrap_or_default();
                let outside = points.iter().any(|point| !point.in_subgroup());
                assert!(!self.in_subgroup || !outside, "{device}: a point outside was accepted");
                count();
            }
            Err(
                Error::InvalidSetting { .. }
                | Error::OutOfMemory { .. }
                | Error::BufferTooLarge { .. },
            ) => {}
            Err(Error::InvalidBase { reason: PointFault::NotInSubgroup, .. })
                if self.in_subgroup =>
            {
                assert!(self.points.iter().any(|point| !point.in_subgroup()), "{device}");
            }
            Err(Error::NotRepresentable) => {
                assert!(C::from_weierstrass(expected).is_none());
                count();
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Compares all sums of a batch.
    pub fn check_batch(
        &self,
        ranges: &[(usize, usize)],
        sums: Result<Vec<C::Group>, Error>,
        device: &Device,
    ) {
        match sums {
            Ok(sums) => {
                assert_eq!(sums.len(), ranges.len());
                for ((start, end), sum) in ranges.iter().zip(sums) {
                    self.check(*start, *end, Ok(sum), device);
                }
            }
            Err(Error::Batch { index, source }) => {
                let (start, end) = ranges[index];
                self.check(start, end, Err(*source), device);
            }
            Err(error) => self.check(0, self.len(), Err(error), device),
        }
    }
}

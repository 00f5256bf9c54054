//! Scalars in the types that callers have.

use std::ops::Range;

use ark_ff::{BigInt, BigInteger, Fp, FpConfig, PrimeField};

use crate::Error;

/// Longest integer scalars.
pub const MAX_SCALAR_BITS: u32 = 1024;

/// The bound on the scalars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalarBound {
    /// Residues below the group order, where k·P = (k − r)·P may be used.
    Order,
    /// Integers below 2^bits, taken as they are.
    Bits(u32),
    /// Integers from −2^(bits − 1) to 2^(bits − 1) − 1, taken as they are.
    Signed(u32),
}

impl ScalarBound {
    /// Whether integers are in two's complement.
    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Self::Signed(_))
    }

    /// The tighter of this bound and one of `bits` bits; residues keep theirs.
    pub(crate) fn with_bits(self, bits: u32) -> Self {
        match self {
            Self::Order => Self::Order,
            Self::Bits(own) => Self::Bits(bits.min(own)),
            // The sign alone is one bit.
            Self::Signed(own) => Self::Signed(bits.clamp(1, own)),
        }
    }

    /// Bits of an integer without its sign; 0 for residues.
    pub(crate) fn value_bits(self) -> u32 {
        match self {
            Self::Order => 0,
            Self::Bits(bits) => bits,
            Self::Signed(bits) => bits.saturating_sub(1),
        }
    }

    /// The error for the scalar with this index.
    pub(crate) fn exceeded(self, index: usize) -> Error {
        let bound = match self {
            Self::Bits(bits) => format!("2^{bits}"),
            Self::Signed(bits) => {
                let bits = bits.saturating_sub(1);
                format!("2^{bits} and not below −2^{bits}")
            }
            Self::Order => "the group order".into(),
        };
        Error::ScalarTooLarge { index, bound }
    }
}

/// How a scalar lies in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ScalarLayout {
    pub bytes: usize,
    /// Whether it is a field element in Montgomery form, not an integer.
    pub montgomery: bool,
}

/// Borrowed scalars; their type says what they are: residues (`Fr`), integers with a bound, or
/// booleans.
///
/// Anything that implements [`AsScalars`] converts into it: slices, vectors and arrays of `Fr`,
/// `bool`, `u8` … `u128`, `i8` … `i128`, `[u64; N]` and arkworks' `BigInt<N>`.
///
/// Residues are taken modulo the group order. Integers are taken as they are, also at and above the
/// order, and negative ones as multiples of −P. A bound tighter than the type's own makes the run
/// faster and is checked:
///
/// ```
/// use bucketeer::{Scalars, msm};
/// use ark_ec::AffineRepr;
/// type Point = ark_bls12_377::G1Affine;
/// let bases = [Point::generator(); 3];
/// let scalars = [1u64, 2, 1000];
/// let sum = msm(&bases, Scalars::from(&scalars).with_bits(10))?;
/// assert_eq!(sum, Point::generator() * ark_bls12_377::Fr::from(1003));
/// assert!(msm(&bases, Scalars::from(&scalars).with_bits(9)).is_err());
/// let sum = msm(&bases, &[5i8, -7, -128])?;
/// assert_eq!(sum, Point::generator() * -ark_bls12_377::Fr::from(130));
/// # Ok::<(), bucketeer::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Scalars<'a, F> {
    pub(crate) data: Data<'a, F>,
    pub(crate) bound: ScalarBound,
}

/// The bound says whether integers are in two's complement.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Data<'a, F> {
    Residues(&'a [F]),
    Bools(&'a [bool]),
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    /// Integers of `words` little-endian words each.
    Words {
        data: &'a [u64],
        words: usize,
    },
}

impl<'a, F> Scalars<'a, F> {
    /// Residues modulo the group order; for code that is generic over the field.
    pub fn residues(scalars: &'a [F]) -> Self {
        Self { data: Data::Residues(scalars), bound: ScalarBound::Order }
    }

    /// Integers of `words` little-endian 64-bit words each, at most 16; surplus words are ignored.
    pub fn words(data: &'a [u64], words: usize) -> Self {
        let words = words.clamp(1, MAX_SCALAR_BITS as usize / 64);
        Self { data: Data::Words { data, words }, bound: ScalarBound::Bits(64 * words as u32) }
    }

    /// Residues as integers below the group order, of as many little-endian 64-bit words as
    /// `F::BigInt` has: what `PrimeField::into_bigint` returns, and what arkworks' `msm_bigint`
    /// takes. Surplus words are ignored. An integer at or above the order is an error.
    ///
    /// ```
    /// use bucketeer::{Scalars, msm};
    /// use ark_bn254::{Fr, G1Affine};
    /// use ark_ec::AffineRepr;
    /// use ark_ff::PrimeField;
    /// let k = -Fr::from(3);
    /// let sum = msm(&[G1Affine::generator()], Scalars::canonical(&k.into_bigint().0))?;
    /// assert_eq!(sum, G1Affine::generator() * k);
    /// # Ok::<(), bucketeer::Error>(())
    /// ```
    pub fn canonical(words: &'a [u64]) -> Self
    where
        F: PrimeField,
    {
        let each = F::BigInt::NUM_LIMBS.clamp(1, MAX_SCALAR_BITS as usize / 64);
        Self { data: Data::Words { data: words, words: each }, bound: ScalarBound::Order }
    }

    /// States that every integer is below `2^bits`; signed ones that they fit `bits` bits in two's
    /// complement, of which the sign is one: from `−2^(bits − 1)` to `2^(bits − 1) − 1`. Residues
    /// are not affected.
    #[must_use]
    pub fn with_bits(mut self, bits: u32) -> Self {
        self.bound = self.bound.with_bits(bits);
        self
    }

    /// The number of scalars.
    pub fn len(&self) -> usize {
        match self.data {
            Data::Residues(s) => s.len(),
            Data::Bools(s) => s.len(),
            Data::U8(s) => s.len(),
            Data::U16(s) => s.len(),
            Data::U32(s) => s.len(),
            Data::Words { data, words } => data.len() / words,
        }
    }

    /// How a scalar lies in memory.
    pub(crate) fn layout(&self) -> ScalarLayout {
        let bytes = match self.data {
            Data::Residues(_) => return ScalarLayout { bytes: size_of::<F>(), montgomery: true },
            Data::Bools(_) | Data::U8(_) => 1,
            Data::U16(_) => 2,
            Data::U32(_) => 4,
            Data::Words { words, .. } => 8 * words,
        };
        ScalarLayout { bytes, montgomery: false }
    }

    /// The scalars in a range, clipped to those there are.
    pub(crate) fn slice(&self, range: &Range<usize>) -> Self
    where
        F: Copy,
    {
        let (start, end) = (range.start.min(self.len()), range.end.min(self.len()));
        let data = match self.data {
            Data::Residues(s) => Data::Residues(&s[start..end]),
            Data::Bools(s) => Data::Bools(&s[start..end]),
            Data::U8(s) => Data::U8(&s[start..end]),
            Data::U16(s) => Data::U16(&s[start..end]),
            Data::U32(s) => Data::U32(&s[start..end]),
            Data::Words { data, words } => {
                Data::Words { data: &data[start * words..end * words], words }
            }
        };
        Self { data, bound: self.bound }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bound on the scalars.
    pub fn bound(&self) -> ScalarBound {
        self.bound
    }
}

/// Words of the longest scalar, plus one.
pub(crate) const MAX_WORDS: usize = MAX_SCALAR_BITS as usize / 64 + 1;

/// Scalars as integers, independent of their type.
pub(crate) trait ScalarSource: Sync {
    /// The absolute value of scalar `index` into zeroed words, checked against its bound; returns
    /// whether it is negative.
    fn read(&self, index: usize, out: &mut [u64; MAX_WORDS]) -> Result<bool, Error>;
}

impl<F: PrimeField> ScalarSource for Scalars<'_, F> {
    fn read(&self, index: usize, out: &mut [u64; MAX_WORDS]) -> Result<bool, Error> {
        match self.data {
            Data::Residues(s) => {
                let integer = s[index].into_bigint();
                // From words that are not reduced arkworks may return the order, which means zero.
                if integer != F::MODULUS {
                    let limbs = integer.as_ref();
                    out[..limbs.len()].copy_from_slice(limbs);
                }
                return Ok(false);
            }
            Data::Bools(s) => out[0] = u64::from(s[index]),
            Data::U8(s) => out[0] = u64::from(s[index]),
            Data::U16(s) => out[0] = u64::from(s[index]),
            Data::U32(s) => out[0] = u64::from(s[index]),
            Data::Words { data, words } => {
                out[..words].copy_from_slice(&data[index * words..(index + 1) * words]);
            }
        }
        if self.bound == ScalarBound::Order {
            let order = F::MODULUS;
            let (words, order) = (out.iter().rev(), order.as_ref().iter().rev());
            return match words.skip(MAX_WORDS - order.len()).lt(order) {
                true => Ok(false),
                false => Err(self.bound.exceeded(index)),
            };
        }
        let negative = self.bound.is_signed() && complement_if_negative(out, self.layout().bytes);
        let bits = self.bound.value_bits();
        let (word, shift) = ((bits / 64) as usize, bits % 64);
        if out[word] >> shift != 0 || out[word + 1..].iter().any(|&w| w != 0) {
            return Err(self.bound.exceeded(index));
        }
        if negative {
            increment(out);
        }
        Ok(negative)
    }
}

/// Complements a negative integer of `bytes` bytes in two's complement, which makes it
/// −1 − k = |k| − 1; whether it was one.
fn complement_if_negative(out: &mut [u64; MAX_WORDS], bytes: usize) -> bool {
    let last = (bytes - 1) / 8;
    let unused = 64 * (last + 1) - 8 * bytes;
    let negative = out[last] << unused >> 63 == 1;
    if negative {
        out[..=last].iter_mut().for_each(|word| *word = !*word);
        out[last] = out[last] << unused >> unused;
    }
    negative
}

fn increment(out: &mut [u64; MAX_WORDS]) {
    for word in out {
        *word = word.wrapping_add(1);
        if *word != 0 {
            return;
        }
    }
}

/// An element type of scalars for the field `F`: its residues, booleans and integers.
pub trait ScalarElement<F>: sealed::Elements<F> {}

impl<F, E: sealed::Elements<F>> ScalarElement<F> for E {}

mod sealed {
    /// Slices of an element type as scalars.
    pub trait Elements<F>: Sized {
        fn scalars(slice: &[Self]) -> super::Scalars<'_, F>;
    }
}

impl<P: FpConfig<N>, const N: usize> sealed::Elements<Fp<P, N>> for Fp<P, N> {
    fn scalars(slice: &[Self]) -> Scalars<'_, Self> {
        Scalars::residues(slice)
    }
}

macro_rules! small_integers {
    ($($integer:ty, $variant:ident, $bits:literal;)*) => {$(
        impl<F: PrimeField> sealed::Elements<F> for $integer {
            fn scalars(slice: &[Self]) -> Scalars<'_, F> {
                Scalars { data: Data::$variant(slice), bound: ScalarBound::Bits($bits) }
            }
        }
    )*};
}

small_integers! { bool, Bools, 1; u8, U8, 8; u16, U16, 16; u32, U32, 32; }

/// Integers that are read as elements of another type: the unsigned one of their size, or words.
macro_rules! reinterpreted_integers {
    ($($integer:ty as $slice:ident: $element:ty, $data:expr, $bound:expr;)*) => {$(
        impl<F: PrimeField> sealed::Elements<F> for $integer {
            fn scalars($slice: &[Self]) -> Scalars<'_, F> {
                // SAFETY: both are integers, of which every byte is initialised and may be
                // anything; `reinterpret` checks size and alignment.
                let $slice: &[$element] = unsafe { reinterpret($slice) };
                Scalars { data: $data, bound: $bound }
            }
        }
    )*};
}

reinterpreted_integers! {
    i8 as data: u8, Data::U8(data), ScalarBound::Signed(8);
    i16 as data: u16, Data::U16(data), ScalarBound::Signed(16);
    i32 as data: u32, Data::U32(data), ScalarBound::Signed(32);
    i64 as data: u64, Data::Words { data, words: 1 }, ScalarBound::Signed(64);
    i128 as data: u64, Data::Words { data, words: 2 }, ScalarBound::Signed(128);
    u64 as data: u64, Data::Words { data, words: 1 }, ScalarBound::Bits(64);
    u128 as data: u64, Data::Words { data, words: 2 }, ScalarBound::Bits(128);
}

/// A slice as elements of another type.
///
/// # Safety
///
/// The elements have no padding, and any of their bytes make valid elements of the other type.
unsafe fn reinterpret<A, B>(slice: &[A]) -> &[B] {
    const {
        assert!(
            size_of::<A>().is_multiple_of(size_of::<B>()) && align_of::<A>() >= align_of::<B>()
        );
        // Words of an integer follow each other from the lowest on.
        assert!(cfg!(target_endian = "little"));
    }
    let count = slice.len() * (size_of::<A>() / size_of::<B>());
    // SAFETY: as many bytes as the slice has, aligned for `B`, and valid as the caller promises.
    unsafe { std::slice::from_raw_parts(slice.as_ptr().cast(), count) }
}

impl<F: PrimeField, const N: usize> sealed::Elements<F> for [u64; N] {
    fn scalars(slice: &[Self]) -> Scalars<'_, F> {
        const { assert!(N >= 1 && N <= 16, "scalars have 1 to 16 words") };
        Scalars::words(slice.as_flattened(), N)
    }
}

impl<F: PrimeField, const N: usize> sealed::Elements<F> for BigInt<N> {
    fn scalars(slice: &[Self]) -> Scalars<'_, F> {
        const { assert!(N >= 1 && N <= 16, "scalars have 1 to 16 words") };
        // The words are all there is, whatever layout the compiler chose.
        const { assert!(size_of::<Self>() == 8 * N && std::mem::offset_of!(Self, 0) == 0) };
        // SAFETY: a BigInt<N> begins with its [u64; N] and is no longer, as checked above.
        Scalars::words(unsafe { reinterpret(slice) }, N)
    }
}

/// Containers of scalars, which [`Scalars`] borrows from and a [`Job`](crate::Job) owns.
pub trait AsScalars<F> {
    /// Borrows the scalars.
    fn as_scalars(&self) -> Scalars<'_, F>;
}

impl<F: Copy> AsScalars<F> for Scalars<'_, F> {
    fn as_scalars(&self) -> Scalars<'_, F> {
        *self
    }
}

impl<F, E: ScalarElement<F>> AsScalars<F> for [E] {
    fn as_scalars(&self) -> Scalars<'_, F> {
        E::scalars(self)
    }
}

impl<F, E: ScalarElement<F>, const N: usize> AsScalars<F> for [E; N] {
    fn as_scalars(&self) -> Scalars<'_, F> {
        E::scalars(self)
    }
}

impl<F, E: ScalarElement<F>> AsScalars<F> for Vec<E> {
    fn as_scalars(&self) -> Scalars<'_, F> {
        E::scalars(self)
    }
}

impl<F, E: ScalarElement<F>> AsScalars<F> for std::sync::Arc<[E]> {
    fn as_scalars(&self) -> Scalars<'_, F> {
        E::scalars(self)
    }
}

impl<'a, F, S: AsScalars<F> + ?Sized> From<&'a S> for Scalars<'a, F> {
    fn from(scalars: &'a S) -> Self {
        scalars.as_scalars()
    }
}

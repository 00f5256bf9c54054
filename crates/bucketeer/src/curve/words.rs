//! Field elements as 64-bit words.
//!
//! arkworks stores an element of a prime field as `N` little-endian words of its Montgomery form
//! `x·2^(64N)`. Backends with arithmetic of their own read and write those words, the components of
//! an extension one after the other. [`WordField`] lists the fields that have words; it is sealed,
//! so that a field whose representation is unknown here does not compile. arkworks' types are not
//! `repr(C)`: when a curve is first used, [`is_montgomery`] tests on values that the words are
//! those of the Montgomery form, and that they lie in memory in their order. Other fields take the
//! portable path, and a GPU refuses them.

use ark_ff::{
    AdditiveGroup, CubicExtConfig, CubicExtField, Field, Fp, FpConfig, PrimeField, QuadExtConfig,
    QuadExtField, SmallFp, SmallFpConfig,
};
use num_bigint::BigUint;

/// A field whose elements are read and written as words: arkworks' prime fields `Fp` and `SmallFp`,
/// and their quadratic and cubic extensions.
///
/// It cannot be implemented elsewhere: backends and copies to a GPU depend on the layout of these
/// types.
pub trait WordField: FieldWords {}

impl<F: FieldWords> WordField for F {}

/// The words of a field's elements. Cannot be named elsewhere, which seals [`WordField`].
pub trait FieldWords: Field {
    /// Words of an element.
    const WORDS: usize;

    /// Words of an element of the prime field below.
    const PRIME_WORDS: usize;

    /// The highest of the words of its modulus.
    const TOP_WORD: u64;

    /// Writes the element as [`WORDS`](Self::WORDS) words.
    fn write_words(&self, out: &mut [u64]);

    /// The element with these words, which must be those of a reduced element.
    fn read_words(words: &[u64]) -> Self;

    /// Whether the words are below the modulus: those of elements made with `new_unchecked` may not
    /// be.
    fn is_reduced(&self) -> bool;

    /// The same residue with words below the modulus.
    fn reduced(self) -> Self;
}

impl<P: FpConfig<N>, const N: usize> FieldWords for Fp<P, N> {
    const WORDS: usize = N;
    const PRIME_WORDS: usize = N;
    const TOP_WORD: u64 = P::MODULUS.0[N - 1];

    #[inline(always)]
    fn write_words(&self, out: &mut [u64]) {
        out.copy_from_slice(&self.0.0);
    }

    #[inline(always)]
    fn read_words(words: &[u64]) -> Self {
        let mut element = <Self as AdditiveGroup>::ZERO;
        element.0.0.copy_from_slice(words);
        element
    }

    #[inline(always)]
    fn is_reduced(&self) -> bool {
        // The highest words decide almost always.
        self.0.0[N - 1] < P::MODULUS.0[N - 1] || self.0 < P::MODULUS
    }

    fn reduced(mut self) -> Self {
        let modulus = from_le_words(P::MODULUS.as_ref());
        let digits = (from_le_words(&self.0.0) % modulus).to_u64_digits();
        self.0.0.fill(0);
        self.0.0[..digits.len()].copy_from_slice(&digits);
        self
    }
}

/// As canonical integers: elements are smaller than a word, and their form is not used.
impl<P: SmallFpConfig> FieldWords for SmallFp<P> {
    const WORDS: usize = 1;
    const PRIME_WORDS: usize = 1;
    const TOP_WORD: u64 = 0;

    fn write_words(&self, out: &mut [u64]) {
        out.copy_from_slice(&self.into_bigint().0);
    }

    fn read_words(words: &[u64]) -> Self {
        Self::from(words[0])
    }

    fn is_reduced(&self) -> bool {
        true
    }

    fn reduced(self) -> Self {
        self
    }
}

impl<P: QuadExtConfig> FieldWords for QuadExtField<P>
where
    P::BaseField: FieldWords,
{
    const WORDS: usize = 2 * P::BaseField::WORDS;
    const PRIME_WORDS: usize = P::BaseField::PRIME_WORDS;
    const TOP_WORD: u64 = P::BaseField::TOP_WORD;

    #[inline(always)]
    fn write_words(&self, out: &mut [u64]) {
        let (c0, c1) = out.split_at_mut(P::BaseField::WORDS);
        self.c0.write_words(c0);
        self.c1.write_words(c1);
    }

    #[inline(always)]
    fn read_words(words: &[u64]) -> Self {
        let (c0, c1) = words.split_at(P::BaseField::WORDS);
        Self::new(P::BaseField::read_words(c0), P::BaseField::read_words(c1))
    }

    #[inline(always)]
    fn is_reduced(&self) -> bool {
        self.c0.is_reduced() && self.c1.is_reduced()
    }

    fn reduced(self) -> Self {
        Self::new(self.c0.reduced(), self.c1.reduced())
    }
}

impl<P: CubicExtConfig> FieldWords for CubicExtField<P>
where
    P::BaseField: FieldWords,
{
    const WORDS: usize = 3 * P::BaseField::WORDS;
    const PRIME_WORDS: usize = P::BaseField::PRIME_WORDS;
    const TOP_WORD: u64 = P::BaseField::TOP_WORD;

    fn write_words(&self, out: &mut [u64]) {
        let parts = out.chunks_exact_mut(P::BaseField::WORDS);
        for (part, out) in [self.c0, self.c1, self.c2].iter().zip(parts) {
            part.write_words(out);
        }
    }

    fn read_words(words: &[u64]) -> Self {
        let mut parts = words.chunks_exact(P::BaseField::WORDS).map(P::BaseField::read_words);
        let mut part = || parts.next().unwrap_or_default();
        Self::new(part(), part(), part())
    }

    fn is_reduced(&self) -> bool {
        self.c0.is_reduced() && self.c1.is_reduced() && self.c2.is_reduced()
    }

    fn reduced(self) -> Self {
        Self::new(self.c0.reduced(), self.c1.reduced(), self.c2.reduced())
    }
}

/// Whether elements of `F` are exactly their Montgomery words, also in memory.
pub(crate) fn is_montgomery<F: WordField>() -> bool {
    let limbs = F::characteristic().len();
    let components = F::extension_degree() as usize;
    if size_of::<F>() != 8 * F::WORDS || F::WORDS != components * limbs || align_of::<F>() != 8 {
        return false;
    }
    let modulus: BigUint = F::BasePrimeField::MODULUS.into();
    // One probe per component: an element with 3 + i in component i, zero elsewhere.
    (0..components).all(|i| {
        let value = residue::<F::BasePrimeField>(3 + i as u64);
        let parts =
            (0..components).map(|j| if i == j { value } else { F::BasePrimeField::from(0u64) });
        let Some(element) = F::from_base_prime_field_elems(parts) else { return false };
        let expected = (BigUint::from(3 + i as u64) << (64 * limbs)) % &modulus;
        let words = to_words(&element);
        // SAFETY: the element is as long and aligned as its words. It holds that many words, so no
        // byte of it is padding.
        let in_memory =
            unsafe { std::slice::from_raw_parts((&raw const element).cast::<u64>(), F::WORDS) };
        in_memory == words
            && words.chunks(limbs).enumerate().all(|(j, words)| {
                let found = from_le_words(words);
                found == if i == j { expected.clone() } else { BigUint::ZERO }
            })
    })
}

/// The element in the first words of half a point.
#[inline(always)]
pub(crate) fn read_element<F: WordField>(words: &[u64]) -> F {
    F::read_words(&words[..F::WORDS])
}

/// Writes an element into half a point.
#[inline(always)]
pub(crate) fn write_element<F: WordField>(element: &F, words: &mut [u64]) {
    let (used, rest) = words.split_at_mut(F::WORDS);
    element.write_words(used);
    rest.fill(0);
}

/// The residue of an integer. arkworks panics where the integer is not below the modulus of a field
/// with more words than its modulus needs.
pub(crate) fn residue<F: PrimeField>(integer: u64) -> F {
    let modulus = F::MODULUS;
    match modulus.as_ref() {
        [low, rest @ ..] if rest.iter().all(|word| *word == 0) => F::from(integer % low),
        _ => F::from(integer),
    }
}

/// The integer with these little-endian words.
pub(super) fn from_le_words(words: &[u64]) -> BigUint {
    words.iter().rev().fold(BigUint::ZERO, |sum, &word| (sum << 64) + word)
}

/// The words of an element.
pub(crate) fn to_words<F: WordField>(element: &F) -> Vec<u64> {
    let mut words = vec![0; F::WORDS];
    element.write_words(&mut words);
    words
}

/// 1/m mod 2^64 for odd m.
pub(crate) fn inverse_of_odd(m: u64) -> u64 {
    // Newton's iteration: each step doubles the number of correct bits, from one.
    (0..6).fold(1u64, |x, _| x.wrapping_mul(2u64.wrapping_sub(m.wrapping_mul(x))))
}

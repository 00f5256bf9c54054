//! Integer scalars: every type, every bound, at and above the group order.

use ark_ff::{BigInt, PrimeField};
use ark_std::rand::{RngCore, SeedableRng};
use num_bigint::BigUint;
use rand_chacha::ChaCha20Rng;

use super::checker::Checker;
use super::input::{Arrangement, Known};
use crate::plan::{Digits, Settings};
use crate::{Curve, Error, Scalars};

/// Every integer type with the bound of its type, tighter bounds, bounds that do not hold, and integers
/// at and above the order.
pub(super) fn integers<C: Curve>(checker: &mut Checker<'_, C>) {
    let mut rng = ChaCha20Rng::seed_from_u64(0x1179);
    let n = checker.full_or(67, 33);
    let mut words = vec![0u64; n];
    words.iter_mut().for_each(|word| *word = rng.next_u64());
    // The extremes of every type come first.
    words[..4].copy_from_slice(&[0, 1, u64::MAX, 1 << 63]);
    let bools: Vec<bool> = words.iter().map(|w| w & 1 == 1).collect();
    let bytes: Vec<u8> = words.iter().map(|&w| w as u8).collect();
    let shorts: Vec<u16> = words.iter().map(|&w| w as u16).collect();
    let ints: Vec<u32> = words.iter().map(|&w| w as u32).collect();
    typed(checker, "bool", (&bools).into(), |i| BigUint::from(bools[i]));
    typed(checker, "u8", (&bytes).into(), |i| bytes[i].into());
    typed(checker, "u16", (&shorts).into(), |i| shorts[i].into());
    typed(checker, "u32", (&ints).into(), |i| ints[i].into());
    typed(checker, "u64", (&words).into(), |i| words[i].into());
    wide::<C, 1>(checker, &mut rng);
    wide::<C, 4>(checker, &mut rng);
    wide::<C, 7>(checker, &mut rng);
    wide::<C, 16>(checker, &mut rng);
    bounds(checker, &words);
}

/// Integers of `N` words, as arrays and as arkworks' integers: random ones after the order, its
/// neighbours, its double and the largest of the type.
fn wide<C: Curve, const N: usize>(checker: &mut Checker<'_, C>, rng: &mut ChaCha20Rng) {
    let order: BigUint = C::ScalarField::MODULUS.into();
    let largest = (BigUint::from(1u32) << (64 * N)) - 1u32;
    let special = [order.clone() - 1u32, order.clone(), &order + 1u32, &order * 2u32, largest];
    let mut integers: Vec<[u64; N]> = special.iter().filter_map(to_array).collect();
    integers.extend((0..30).map(|_| [(); N].map(|()| rng.next_u64())));
    let value = |i: usize| from_array(&integers[i]);
    typed(checker, &format!("[u64; {N}]"), (&integers).into(), value);
    let big: Vec<BigInt<N>> = integers.iter().copied().map(BigInt::new).collect();
    typed(checker, &format!("BigInt<{N}>"), (&big).into(), value);
}

fn to_array<const N: usize>(integer: &BigUint) -> Option<[u64; N]> {
    let mut digits = integer.to_u64_digits();
    (digits.len() <= N).then(|| digits.resize(N, 0))?;
    digits.try_into().ok()
}

fn from_array(words: &[u64]) -> BigUint {
    words.iter().rev().fold(BigUint::ZERO, |sum, &word| (sum << 64) + word)
}

/// One kind of integers with several settings, over borrowed bases and over bases loaded for them.
fn typed<C: Curve>(
    checker: &mut Checker<'_, C>,
    name: &str,
    scalars: Scalars<'_, C::ScalarField>,
    value: impl Fn(usize) -> BigUint,
) {
    let values: Vec<BigUint> = (0..scalars.len()).map(value).collect();
    let bits = values.iter().map(BigUint::bits).max().unwrap_or(1).max(1) as u32;
    let (points, logarithms) = checker.known.bases(values.len(), Arrangement::Mixed);
    let residues: Vec<C::ScalarField> = values.iter().cloned().map(Into::into).collect();
    let expected = Known::<C>::sum(&logarithms, &residues);
    let narrow =
        |digits| Settings { window_bits: Some(5), digits: Some(digits), ..Settings::default() };
    let copies = Settings { precompute: Some(3), ..Settings::default() };
    let mut all =
        vec![Settings::default(), narrow(Digits::Signed), narrow(Digits::Unsigned), copies];
    all.truncate(checker.full_or(4, 1));
    let device = checker.device;
    for settings in &all {
        let builder = checker.builder(settings);
        checker.sum(name, settings, &expected, || builder.msm(device, &points, scalars));
        let tight = scalars.with_bits(bits);
        checker.sum(format!("{name} below 2^{bits}"), settings, &expected, || {
            builder.msm(device, &points, tight)
        });
        checker.sum(format!("{name}, loaded for {bits} bits"), settings, &expected, || {
            builder.clone().scalar_bits(bits).load(device, &points)?.msm(tight)
        });
    }
}

/// `with_bits` at every bound: values just below pass, the first one at it is named.
fn bounds<C: Curve>(checker: &mut Checker<'_, C>, words: &[u64]) {
    let (device, settings) = (checker.device, Settings::default());
    let (points, logarithms) = checker.known.bases(words.len(), Arrangement::Distinct);
    let builder = checker.builder(&settings);
    for bits in checker.full_or((1..64).collect(), vec![1, 31, 63]) {
        let mut below: Vec<u64> = words.iter().map(|w| w >> (64 - bits)).collect();
        let residues: Vec<_> = below.iter().map(|&k| C::ScalarField::from(k)).collect();
        let expected = Known::<C>::sum(&logarithms, &residues);
        checker.sum(format!("u64 below 2^{bits}"), &settings, &expected, || {
            builder.msm(device, &points, Scalars::from(&below).with_bits(bits))
        });
        let last = below.len() - 1;
        below[last] = 1 << bits;
        checker.check(
            format!("u64 at 2^{bits}"),
            &settings,
            || builder.msm(device, &points, Scalars::from(&below).with_bits(bits)),
            |result| match result {
                Err(Error::ScalarTooLarge { index, .. }) if *index == last => None,
                Err(error) => Some(format!("error: {error}")),
                Ok(_) => Some("a sum instead of an error".into()),
            },
        );
    }
}

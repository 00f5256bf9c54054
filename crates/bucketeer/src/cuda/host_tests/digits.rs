//! Scalars to digits.

use std::sync::Arc;

use ark_ff::{AdditiveGroup, Field, PrimeField};
use ark_std::UniformRand;
use ark_std::rand::{RngCore, SeedableRng};
use num_bigint::{BigInt, BigUint};
use rand_chacha::ChaCha20Rng;

use super::build;
use crate::cuda::group::DigitReader;
use crate::cuda::launch::Pointer;
use crate::cuda::prelude;
use crate::curve::{Model, to_words};
use crate::facts::DeviceFacts;
use crate::gpu::interface::{BIAS_WORDS, Bias, Digits};
use crate::gpu::{Job, Points, Raw, chunks};
use crate::plan::{Digits as DigitRange, Plan, Request, ScalarBound, Schedule, Settings};
use crate::{Curve, CurveSpec};

/// What the digit tests call: the integer at index 0 of one.
const DIGIT_DRIVER: &str = r#"
#include "digits.cuh"
extern "C" void residue(const u32 *raw, u32 *out, u32 words, u32 montgomery, u32 negate,
                        const Bias *bias, u32 *too_large) {
    blockDim.x = 1;
    decompose_residues(raw, 1, out, 1, words, montgomery, negate, *bias, 0, too_large);
}
extern "C" void integer(const unsigned char *raw, u32 bytes, u32 bits, u32 is_signed, u32 *out,
                        u32 words, const Bias *bias, u32 *too_large) {
    blockDim.x = 1;
    decompose_integers(raw, bytes, bits, is_signed, 1, out, 1, words, *bias, 0, too_large);
}
extern "C" u32 digits(const DigitReader *d, u32 *keys, u32 *entries) {
    u32 count = 0;
    for_each_digit(*d, 0, [&](u32 key, u32 entry) { keys[count] = key, entries[count++] = entry; });
    return count;
}
"#;

/// Every width, both kinds of digits, with and without negation and precomputation, for residues
/// and for integers: the digits add up to the scalar.
fn check_digits<C: Curve>() {
    type Residue = unsafe extern "C" fn(*const u32, *mut u32, u32, u32, u32, *const Bias, *mut u32);
    type Integer =
        unsafe extern "C" fn(*const u8, u32, u32, u32, *mut u32, u32, *const Bias, *mut u32);
    type ReadDigits = unsafe extern "C" fn(*const DigitReader, *mut u32, *mut u32) -> u32;
    let spec = CurveSpec::of::<C>();
    let source = include_str!("../kernels/decompose.cu");
    let texts = [&prelude::scalars(&spec), source, DIGIT_DRIVER];
    let (_folder, library) = build(std::any::type_name::<C>(), &texts);
    // SAFETY: the types are those of the functions in the driver.
    let (residue, integer, digits) = unsafe {
        let residue: libloading::Symbol<'_, Residue> = library.get(b"residue\0").expect("residue");
        let integer: libloading::Symbol<'_, Integer> = library.get(b"integer\0").expect("integer");
        let digits: libloading::Symbol<'_, ReadDigits> = library.get(b"digits\0").expect("digits");
        (residue, integer, digits)
    };
    for (integer, fits) in [(&spec.order - 1u32, true), (spec.order.clone(), false)] {
        let mut raw = integer.to_u64_digits();
        raw.resize(spec.order.to_u64_digits().len(), 0);
        let mut words = vec![0u32; 2 * raw.len() + 1];
        let bias = Bias { words: [0; BIAS_WORDS] };
        let mut index = u32::MAX;
        // SAFETY: as many words as the function takes and writes.
        unsafe {
            let (raw, count) = (raw.as_ptr().cast(), words.len() as u32);
            residue(raw, words.as_mut_ptr(), count, 0, 0, &bias, &mut index);
        }
        assert_eq!(index == u32::MAX, fits);
    }
    let mut rng = ChaCha20Rng::seed_from_u64(7);
    let half = C::ScalarField::from(&spec.order >> 1u32);
    let mut scalars = vec![C::ScalarField::ZERO, C::ScalarField::ONE, -C::ScalarField::ONE];
    scalars.extend([half, half + C::ScalarField::ONE]);
    scalars.extend((0..8).map(|_| C::ScalarField::rand(&mut rng)));
    for window_bits in 1..=26 {
        for (kind, negate, precompute) in [
            (DigitRange::Signed, true, 1),
            (DigitRange::Signed, false, 3),
            (DigitRange::Unsigned, false, 1024),
            (DigitRange::Unsigned, true, 2),
        ] {
            if window_bits == 1 && kind == DigitRange::Signed {
                continue;
            }
            for (bound, montgomery) in [
                (ScalarBound::Order, true),
                (ScalarBound::Order, false),
                (ScalarBound::Bits(100), false),
                (ScalarBound::Bits(320), false),
                (ScalarBound::Signed(8), false),
                (ScalarBound::Signed(16), false),
                (ScalarBound::Signed(100), false),
                (ScalarBound::Signed(128), false),
            ] {
                let settings = Settings {
                    window_bits: Some(window_bits),
                    digits: Some(kind),
                    negate: Some(negate),
                    precompute: Some(precompute),
                    ..Settings::default()
                };
                let plan = plan(&spec, bound, &settings);
                let schedule = plan.gpu().expect("a GPU's plan");
                let layout = &schedule.layout;
                let raw = Raw { parts: vec![&[]], bytes: 1, montgomery, length: 1, bound };
                let points = Points::Resident { table: &(), first: 0 };
                let job = Job { plan: &plan, schedule, points, raw: &raw };
                let chunk = chunks(&plan, schedule, 0, 1).next().expect("a chunk");
                let bias = Bias::of(&plan.shape);
                for (kind_of_bytes, scalar) in scalars.iter().enumerate() {
                    let mut words = vec![0u32; layout.scalar_words as usize];
                    let (out, count) = (words.as_mut_ptr(), layout.scalar_words);
                    let value: BigInt = match bound {
                        ScalarBound::Order => {
                            let raw = match montgomery {
                                true => to_words(scalar),
                                false => scalar.into_bigint().as_ref().to_vec(),
                            };
                            let negate = plan.shape.negate.into();
                            let mut index = u32::MAX;
                            // SAFETY: all pointers lead to as many words as the functions take.
                            unsafe {
                                let raw = raw.as_ptr().cast();
                                let form = montgomery.into();
                                residue(raw, out, count, form, negate, &bias, &mut index);
                            }
                            assert_eq!(index, u32::MAX);
                            Into::<BigUint>::into(*scalar).into()
                        }
                        ScalarBound::Bits(bits) | ScalarBound::Signed(bits) => {
                            let is_signed = bound.is_signed();
                            let length = if is_signed { bits.next_power_of_two() / 8 } else { 40 };
                            // Random, short, and the highest and lowest of both signs.
                            let mut bytes = vec![[0, 0xff][kind_of_bytes % 2]; length as usize];
                            match kind_of_bytes / 2 {
                                0 => rng.fill_bytes(&mut bytes),
                                1 => bytes[0] = rng.next_u32() as u8,
                                2 => bytes[length as usize - 1] ^= 0x80,
                                _ => {}
                            }
                            let value = match is_signed {
                                true => BigInt::from_signed_bytes_le(&bytes),
                                false => BigUint::from_bytes_le(&bytes).into(),
                            };
                            let limit = BigInt::from(1) << bound.value_bits();
                            let fits = value < limit && (!is_signed || value >= -limit);
                            let mut index = u32::MAX;
                            // SAFETY: as above.
                            unsafe {
                                let raw = bytes.as_ptr();
                                let (bits, form) = (bound.value_bits(), is_signed.into());
                                integer(raw, length, bits, form, out, count, &bias, &mut index);
                            }
                            assert_eq!(index == u32::MAX, fits);
                            if !fits {
                                continue;
                            }
                            value
                        }
                    };
                    let mut sum = BigInt::ZERO;
                    for pass in chunk.passes(&plan, schedule) {
                        let set = pass.first_set;
                        let digits_of_set = Digits::new(&job, &chunk, pass, 1);
                        let words = Pointer::new(words.as_ptr() as u64).into();
                        let one = DigitReader { words, digits: digits_of_set };
                        let (mut keys, mut entries) = ([0u32; 1024], [0u32; 1024]);
                        // SAFETY: a scalar has at most 1024 digits; `one` describes `words`.
                        let found =
                            unsafe { digits(&one, keys.as_mut_ptr(), entries.as_mut_ptr()) };
                        for i in 0..found as usize {
                            let copy = entries[i] & 0x7fff_ffff;
                            let shift = window_bits * (copy * plan.shape.bucket_sets + set);
                            let digit = BigInt::from(keys[i] + 1) << shift;
                            sum += if entries[i] >> 31 == 1 { -digit } else { digit };
                        }
                    }
                    let order = BigInt::from(spec.order.clone());
                    let equal = match bound {
                        ScalarBound::Order => (&sum - &value) % &order == BigInt::ZERO,
                        ScalarBound::Bits(_) | ScalarBound::Signed(_) => sum == value,
                    };
                    assert!(equal, "{window_bits} bits, {kind}, negate {negate}, {value}: {sum}");
                }
            }
        }
    }
}

/// A plan for one set per pass on a described GPU.
fn plan(spec: &Arc<CurveSpec>, scalars: ScalarBound, settings: &Settings) -> Plan {
    let request = Request::new(spec, 1, DeviceFacts::cuda(132, 140 << 30));
    let request = request.scalars(scalars).resident(true).settings(settings);
    let mut plan = Plan::new(&request).expect("a plan");
    let Schedule::Gpu(schedule) = &mut plan.schedule else { panic!("a GPU's plan") };
    schedule.sets_per_pass = 1;
    plan
}

#[test]
fn digits_add_up_to_their_scalars() {
    check_digits::<ark_bls12_377::G1Affine>();
    check_digits::<ark_bn254::G1Affine>();
    check_digits::<ark_bw6_761::G1Affine>();
    check_digits::<ark_secp256k1::Affine>();
    assert!(matches!(ark_bn254::G1Affine::model(), Model::ShortWeierstrass { .. }));
}

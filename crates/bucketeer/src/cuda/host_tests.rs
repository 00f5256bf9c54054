//! The kernels' field, curve and digit arithmetic, compiled for the host by the system's C++ compiler and held
//! against arkworks. What differs on the device are the few functions of `words.cuh`.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, Field, PrimeField};
use ark_std::rand::{RngCore, SeedableRng};
use ark_std::{UniformRand, test_rng};
use libloading::Library;
use num_bigint::{BigInt, BigUint};
use rand_chacha::ChaCha20Rng;

use super::decompose::Bias;
use super::prelude;
use crate::cpu::formulas::{Coordinates, Xyzz};
use crate::curve::{Model, to_words};
use crate::device::DeviceFacts;
use crate::gpu::combine::{Edwards, Extended, Host};
use crate::plan::{Digits, Form, Plan, Request, ScalarBound, Settings};
use crate::{Curve, CurveSpec, WordField};

const SHIMS: &str = include_str!("kernels/host.cpp");

/// What the curve tests call.
const CURVE_DRIVER: &str = r#"
static Fq element(const u32 *w) { return fq_load(w); }
static Base base(const u32 *w) { return base_load(w, 0); }
static Sum sum(const u32 *w) { return sum_load(w, 0); }
extern "C" void operate(u32 op, u32 *out, const u32 *a, const u32 *b) {
    Sum s;
    switch (op) {
    case 0: fq_store(out, fq_mul(element(a), element(b))); break;
    case 1: fq_store(out, fq_add(element(a), element(b))); break;
    case 2: fq_store(out, fq_sub(element(a), element(b))); break;
    case 3: fq_store(out, fq_neg(element(a))); break;
    case 4: fq_store(out, fq_inverse(element(a))); break;
    case 5: fq_store(out, fq_sqr(element(a))); break;
    case 10: case 11: s = sum(a); sum_add_base(s, base(b), op == 11); sum_store(out, 0, s); break;
    case 12: s = sum(a); sum_add(s, sum(b)); sum_store(out, 0, s); break;
    case 13: sum_store(out, 0, sum_double(sum(a))); break;
    case 14: sum_store(out, 0, sum_of_base(base(a))); break;
    case 15: s = sum(a); base_store(out, 0, base_of_sum(s, fq_inverse(sum_denominator(s)))); break;
#if EDWARDS
    case 16: base_store(out, 0, base_of_affine(element(a), element(a + FQ_WORDS))); break;
#endif
    }
}
extern "C" void sum_list(const u32 *table, const u32 *entries, u32 length, u32 add, u32 *bucket) {
    Task task = {0, 0, length, NO_SLOT};
    u32 count = 1;
    blockDim.x = 1;
    accumulate(table, entries, &task, &count, add, bucket, nullptr);
}
"#;

/// What the test of imported bases calls: all threads of a grid, one after the other.
const IMPORT_DRIVER: &str = r#"
extern "C" void import(u32 *scratch, u32 count, u32 *table, u32 blocks, u32 threads) {
    gridDim.x = blocks, blockDim.x = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)
        for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++) import_bases(scratch, count, table, 0);
}
"#;

/// What the digit tests call: the integer at index 0 of one.
const DIGIT_DRIVER: &str = r#"
#include "digits.cuh"
extern "C" void residue(const u32 *raw, u32 *out, u32 words, u32 negate, const Bias *bias) {
    blockDim.x = 1;
    decompose_residues(raw, 1, out, 1, words, negate, *bias);
}
extern "C" void integer(const unsigned char *raw, u32 bytes, u32 bits, u32 *out, u32 words, const Bias *bias,
                        u32 *too_large) {
    blockDim.x = 1;
    decompose_integers(raw, bytes, bits, 1, out, 1, words, *bias, 0, too_large);
}
extern "C" u32 digits(const Digits *d, u32 *keys, u32 *entries) {
    u32 count = 0;
    for_each_digit(*d, 0, [&](u32 key, u32 entry) { keys[count] = key, entries[count++] = entry; });
    return count;
}
"#;

/// Compiles C++ into a library and loads it.
fn build(name: &str, text: &str) -> (tempfile::TempDir, Library) {
    let folder = tempfile::tempdir().expect("a folder");
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cuda/kernels");
    // Taken instead of the device's curve.cuh, which ends with shuffles.
    let curve =
        "#if EDWARDS\n#include \"edwards.cuh\"\n#else\n#include \"weierstrass.cuh\"\n#endif\n";
    std::fs::write(folder.path().join("curve.cuh"), curve).expect("a header");
    let (source, library) = (folder.path().join("host.cpp"), folder.path().join("host.so"));
    std::fs::write(&source, text).expect("a source");
    let output = Command::new("c++")
        .args(["-std=c++17", "-O1", "-w", "-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .arg("-I")
        .arg(kernels)
        .arg("-I")
        .arg(folder.path())
        .output()
        .expect("a C++ compiler");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    // SAFETY: the library was built from the source above and has no initialisers.
    let library = unsafe { Library::new(&library) }.expect("the library");
    (folder, library)
}

/// The curve arithmetic of a form.
struct OnHost<'a> {
    operate: libloading::Symbol<'a, unsafe extern "C" fn(u32, *mut u32, *const u32, *const u32)>,
    sum_list:
        libloading::Symbol<'a, unsafe extern "C" fn(*const u32, *const u32, u32, u32, *mut u32)>,
}

impl OnHost<'_> {
    fn call(&self, op: u32, out_words: usize, a: &[u64], b: &[u64]) -> Vec<u64> {
        let mut out = vec![0u64; out_words];
        // SAFETY: the operations read and write whole elements, bases and sums, which is what is passed.
        unsafe {
            (self.operate)(op, out.as_mut_ptr().cast(), a.as_ptr().cast(), b.as_ptr().cast())
        };
        out
    }
}

/// 0, 1, −1, small ones, ones with long runs of bits, and random ones.
fn elements<F: Field>() -> Vec<F> {
    let mut rng = test_rng();
    let two = F::from(2u64);
    let mut all = vec![F::ZERO, F::ONE, -F::ONE, two, -two, two.inverse().unwrap_or(F::ONE)];
    let bits = F::BasePrimeField::MODULUS_BIT_SIZE;
    all.extend((0..bits).step_by(31).map(|bit| two.pow([u64::from(bit)])));
    all.extend((0..bits).step_by(32).map(|bit| two.pow([u64::from(bit)]) - F::ONE));
    all.extend((0..20).map(|_| F::rand(&mut rng)));
    all
}

fn check_field<F: WordField>(host: &OnHost<'_>) {
    let words = size_of::<F>() / 8;
    let element = |out: Vec<u64>| -> F { F::read_words(&out) };
    let all = elements::<F>();
    for a in &all {
        let aw = &to_words(a);
        assert_eq!(element(host.call(3, words, aw, aw)), -*a);
        assert_eq!(element(host.call(5, words, aw, aw)), a.square());
        assert_eq!(element(host.call(4, words, aw, aw)), a.inverse().unwrap_or(F::ZERO));
        for b in &all {
            let bw = &to_words(b);
            assert_eq!(element(host.call(0, words, aw, bw)), *a * b);
            assert_eq!(element(host.call(1, words, aw, bw)), *a + b);
            assert_eq!(element(host.call(2, words, aw, bw)), *a - b);
        }
    }
}

/// Sums of all pairs of some points, among them equal, opposite and infinite ones, as sums and as bases.
fn check_curve<C: Curve, H: Host>(
    host: &OnHost<'_>,
    adder: &H,
    base: impl Fn(&C) -> Vec<u64>,
    base_words: usize,
    affine: impl Fn(&H::Sum) -> C,
) {
    let sum_words = 4 * size_of::<C::BaseField>() / 8;
    let mut rng = test_rng();
    let p = C::Group::rand(&mut rng).into_affine();
    let q = C::Group::rand(&mut rng).into_affine();
    let points = [p, q, (-p.into_group()).into_affine(), C::zero(), C::generator()];
    let value = |words: &[u64]| affine(&adder.load(words)).into_group();
    for a in &points {
        let start = host.call(14, sum_words, &base(a), &[]);
        assert_eq!(value(&start), a.into_group());
        let doubled = host.call(13, sum_words, &start, &[]);
        assert_eq!(value(&doubled), a.into_group().double());
        for b in &points {
            for sum in [&start, &doubled, &vec![0; sum_words]] {
                let before = value(sum);
                let added = host.call(10, sum_words, sum, &base(b));
                assert_eq!(value(&added), before + b);
                let subtracted = host.call(11, sum_words, sum, &base(b));
                assert_eq!(value(&subtracted), before - b);
                let both = host.call(12, sum_words, sum, &added);
                assert_eq!(value(&both), before + before + b);
                let stored = host.call(15, base_words, &both, &[]);
                let again = host.call(14, sum_words, &stored, &[]);
                assert_eq!(value(&again), before + before + b);
            }
        }
    }
}

/// The accumulate kernel on lists with every case of an addition, onto an empty bucket and a full one.
fn check_lists<C: Curve, H: Host>(
    host: &OnHost<'_>,
    adder: &H,
    base: impl Fn(&C) -> Vec<u64>,
    affine: impl Fn(&H::Sum) -> C,
) {
    const NEGATIVE: u32 = 1 << 31;
    let mut rng = test_rng();
    let mut points: Vec<C> = (0..4).map(|_| C::Group::rand(&mut rng).into_affine()).collect();
    points.extend([points[0], (-points[0].into_group()).into_affine(), C::zero()]);
    let table: Vec<u64> = points.iter().flat_map(&base).collect();
    let lists: [&[u32]; 7] = [
        &[0],
        &[6, 6],
        &[0, 4, 1],
        &[0, 5, 2, 3 | NEGATIVE],
        &[1 | NEGATIVE, 1, 1, 1],
        &[6, 0, 0, 4 | NEGATIVE, NEGATIVE, 2],
        &[3, 2, 1, 0, 6 | NEGATIVE, 5, 5, 1],
    ];
    let mut bucket = vec![0u64; 4 * size_of::<C::BaseField>() / 8];
    let mut expected = C::Group::ZERO;
    for (turn, list) in lists.into_iter().enumerate() {
        let add = turn % 3 > 0;
        let sum = |total, entry: &u32| {
            let point = points[(entry & !NEGATIVE) as usize];
            if entry & NEGATIVE == 0 { total + point } else { total - point }
        };
        expected = list.iter().fold(if add { expected } else { C::Group::ZERO }, sum);
        let (table, entries) = (table.as_ptr().cast(), list.as_ptr());
        let bucket_words = bucket.as_mut_ptr().cast();
        // SAFETY: entries are indices into the table, and the bucket holds a sum.
        unsafe { (host.sum_list)(table, entries, list.len() as u32, add.into(), bucket_words) };
        assert_eq!(affine(&adder.load(&bucket)).into_group(), expected, "list {turn}");
    }
}

/// A curve in a form that it has.
fn check<C: Curve>(form: Form) {
    let spec = CurveSpec::of::<C>();
    let kernel = include_str!("kernels/accumulate.cu");
    let text = [SHIMS, &prelude::curve(&spec, form), kernel, CURVE_DRIVER].concat();
    let (_folder, library) = build(std::any::type_name::<C>(), &text);
    // SAFETY: the type is that of the function in the driver.
    let host = unsafe {
        OnHost {
            operate: library.get(b"operate\0").expect("operate"),
            sum_list: library.get(b"sum_list\0").expect("sum_list"),
        }
    };
    check_field::<C::BaseField>(&host);
    let element = size_of::<C::BaseField>() / 8;
    let words = |x: &C::BaseField, y: &C::BaseField| [to_words(x), to_words(y)].concat();
    match form {
        Form::Weierstrass => {
            let [a, _] = C::weierstrass_coefficients();
            let adder = Xyzz { a };
            let base = |point: &C| {
                let mut out = Vec::new();
                C::to_weierstrass(std::slice::from_ref(point), &mut out);
                out[0].map_or(vec![u64::MAX; 2 * element], |(x, y)| words(&x, &y))
            };
            let affine =
                |sum: &Coordinates<_>| C::from_weierstrass(sum.affine()).expect("an affine point");
            check_curve(&host, &adder, base, 2 * element, affine);
            check_lists(&host, &adder, base, affine);
        }
        Form::Edwards => {
            let map = C::edwards().expect("an Edwards form");
            let adder = Edwards { d: map.d() };
            let base = |point: &C| {
                let (x, y) = map.apply(point.xy());
                host.call(16, 3 * element, &words(&x, &y), &[])
            };
            let affine = |sum: &Extended<_>| {
                C::from_edwards(&map, sum.affine().expect("Z ≠ 0")).expect("an affine point")
            };
            check_curve(&host, &adder, base, 3 * element, affine);
            check_lists(&host, &adder, base, affine);
        }
    }
}

#[test]
fn fields_and_curves_of_four_limbs() {
    check::<ark_bn254::G1Affine>(Form::Weierstrass);
    check::<ark_bn254::G2Affine>(Form::Weierstrass);
    check::<ark_pallas::Affine>(Form::Weierstrass);
    check::<ark_vesta::Affine>(Form::Weierstrass);
    check::<ark_grumpkin::Affine>(Form::Weierstrass);
    check::<ark_secp256k1::Affine>(Form::Weierstrass);
    check::<ark_secp256r1::Affine>(Form::Weierstrass);
    check::<ark_ed_on_bls12_381_bandersnatch::EdwardsAffine>(Form::Weierstrass);
    check::<ark_ed_on_bls12_377::EdwardsAffine>(Form::Weierstrass);
    check::<ark_ed_on_bls12_377::EdwardsAffine>(Form::Edwards);
}

#[test]
fn fields_and_curves_of_six_and_twelve_limbs() {
    check::<ark_bls12_377::G1Affine>(Form::Edwards);
    check::<ark_bls12_377::G1Affine>(Form::Weierstrass);
    check::<ark_bls12_377::G2Affine>(Form::Weierstrass);
    check::<ark_bls12_381::G1Affine>(Form::Weierstrass);
    check::<ark_bls12_381::G2Affine>(Form::Weierstrass);
    check::<ark_bw6_761::G1Affine>(Form::Weierstrass);
    check::<ark_bw6_761::G2Affine>(Form::Weierstrass);
}

/// Bases in the curve's own coordinates come into the Edwards form, as many as there are and whatever is among
/// them; nothing is written behind the scratch memory and the table.
fn check_import<C: Curve>(special: &[C]) {
    type Import = unsafe extern "C" fn(*mut u32, u32, *mut u32, u32, u32);
    let spec = CurveSpec::of::<C>();
    let kernel = include_str!("kernels/table.cu");
    let text = [SHIMS, &prelude::curve(&spec, Form::Edwards), kernel, IMPORT_DRIVER].concat();
    let (_folder, library) = build(std::any::type_name::<C>(), &text);
    // SAFETY: the type is that of the function in the driver.
    let import: libloading::Symbol<'_, Import> =
        unsafe { library.get(b"import\0") }.expect("import");
    let map = C::edwards().expect("an Edwards form");
    let mut rng = test_rng();
    let mut points = special.to_vec();
    points.push(C::zero());
    points.extend((0..40).map(|_| C::Group::rand(&mut rng).into_affine()));
    points.extend_from_slice(special);
    points.extend([C::zero(), C::zero(), C::generator()]);
    let element = size_of::<C::BaseField>() / 8;
    const BEHIND: u64 = 0x0123_4567_89ab_cdef;
    for (first, count) in [(0, points.len()), (0, 1), (1, 2), (3, 31), (4, 33), (0, 17)] {
        let own = &points[first..first + count];
        for (blocks, threads) in [(1, 1), (1, 4), (3, 2), (2, 32), (1, 128)] {
            let words = |p: &C| match p.xy() {
                Some((x, y)) => [to_words(&x), to_words(&y)].concat(),
                None => vec![u64::MAX; 2 * element],
            };
            let mut scratch: Vec<u64> = own.iter().flat_map(words).collect();
            scratch.resize(3 * count * element, 0);
            let mut table = vec![0; 3 * count * element];
            scratch.push(BEHIND);
            table.push(BEHIND);
            let (raw, out) = (scratch.as_mut_ptr().cast(), table.as_mut_ptr().cast());
            // SAFETY: there is room for three elements for each base in both.
            unsafe { import(raw, count as u32, out, blocks, threads) };
            assert_eq!((scratch.pop(), table.pop()), (Some(BEHIND), Some(BEHIND)));
            for (point, base) in own.iter().zip(table.chunks_exact(3 * element)) {
                let (x, y) = map.apply(point.xy());
                let expected = [y - x, y + x, map.d().double() * x * y];
                let expected: Vec<u64> = expected.iter().flat_map(to_words).collect();
                assert_eq!(base, expected, "{point} of {count} in {blocks} × {threads}");
            }
        }
    }
}

#[test]
fn bases_were_brought_into_the_edwards_form_on_the_host() {
    type Point = ark_bls12_377::G1Affine;
    type Field = ark_bls12_377::Fq;
    // The point of order 2 that the form starts from, and those with u = −1: the form has neither. On this curve
    // y² = x³ + 1, u = s·(x + 1) with s = 1/√3.
    let s = Field::from(3u64).sqrt().and_then(|root| root.inverse()).expect("a square");
    let mut special = vec![Point::new_unchecked(-Field::ONE, Field::ZERO)];
    for s in [s, -s] {
        let x = -s.inverse().expect("not zero") - Field::ONE;
        special.extend((x.pow([3]) + Field::ONE).sqrt().map(|y| Point::new_unchecked(x, y)));
    }
    // (0, ±1), of order 3.
    special.extend([Field::ONE, -Field::ONE].map(|y| Point::new_unchecked(Field::ZERO, y)));
    check_import::<Point>(&special);
    type Edwards = ark_ed_on_bls12_377::EdwardsAffine;
    type Own = ark_ed_on_bls12_377::Fq;
    let i = (-Own::ONE).sqrt().expect("a square");
    let special = [(Own::ZERO, -Own::ONE), (i, Own::ZERO), (-i, Own::ZERO)];
    check_import::<Edwards>(&special.map(|(x, y)| Edwards::new_unchecked(x, y)));
}

/// Every width, both kinds of digits, with and without negation and precomputation, for residues and for
/// integers: the digits add up to the scalar.
fn check_digits<C: Curve>() {
    type Residue = unsafe extern "C" fn(*const u32, *mut u32, u32, u32, *const Bias);
    type Integer = unsafe extern "C" fn(*const u8, u32, u32, *mut u32, u32, *const Bias, *mut u32);
    type ReadDigits = unsafe extern "C" fn(*const super::group::Digits, *mut u32, *mut u32) -> u32;
    let spec = CurveSpec::of::<C>();
    let source = include_str!("kernels/decompose.cu");
    let text = [SHIMS, &prelude::scalars(&spec), source, DIGIT_DRIVER].concat();
    let (_folder, library) = build(std::any::type_name::<C>(), &text);
    // SAFETY: the types are those of the functions in the driver.
    let (residue, integer, digits) = unsafe {
        let residue: libloading::Symbol<'_, Residue> = library.get(b"residue\0").expect("residue");
        let integer: libloading::Symbol<'_, Integer> = library.get(b"integer\0").expect("integer");
        let digits: libloading::Symbol<'_, ReadDigits> = library.get(b"digits\0").expect("digits");
        (residue, integer, digits)
    };
    let mut rng = ChaCha20Rng::seed_from_u64(7);
    let half = C::ScalarField::from(&spec.order >> 1u32);
    let mut scalars = vec![C::ScalarField::ZERO, C::ScalarField::ONE, -C::ScalarField::ONE];
    scalars.extend([half, half + C::ScalarField::ONE]);
    scalars.extend((0..8).map(|_| C::ScalarField::rand(&mut rng)));
    for window_bits in 1..=26 {
        for (kind, negate, precompute) in [
            (Digits::Signed, true, 1),
            (Digits::Signed, false, 3),
            (Digits::Unsigned, false, 1024),
            (Digits::Unsigned, true, 2),
        ] {
            if window_bits == 1 && kind == Digits::Signed {
                continue;
            }
            for bound in [ScalarBound::Order, ScalarBound::Bits(100), ScalarBound::Bits(320)] {
                let settings = Settings {
                    window_bits: Some(window_bits),
                    digits: Some(kind),
                    negate: Some(negate),
                    precompute: Some(precompute),
                    ..Settings::default()
                };
                let plan = plan(&spec, bound, &settings);
                let layout = plan.gpu_layout(&spec);
                let bias = Bias::of(&plan.shape);
                for scalar in &scalars {
                    let mut words = vec![0u32; layout.scalar_words as usize];
                    let (out, count) = (words.as_mut_ptr(), layout.scalar_words);
                    let value: BigUint = match bound {
                        // SAFETY: all pointers lead to as many words as the functions are told.
                        ScalarBound::Order => unsafe {
                            let raw = to_words(scalar);
                            residue(
                                raw.as_ptr().cast(),
                                out,
                                count,
                                plan.shape.negate.into(),
                                &bias,
                            );
                            (*scalar).into()
                        },
                        ScalarBound::Bits(bits) => {
                            let mut raw = [0u64; 5];
                            raw.iter_mut().for_each(|word| *word = rng.next_u64());
                            let bytes = raw.map(u64::to_le_bytes).concat();
                            let value = BigUint::from_bytes_le(&bytes);
                            let fits = value.bits() <= bits.into();
                            let mut index = u32::MAX;
                            // SAFETY: as above.
                            unsafe {
                                let raw = bytes.as_ptr();
                                integer(raw, 40, bits, out, count, &bias, &mut index);
                            }
                            assert_eq!(index == u32::MAX, fits);
                            if !fits {
                                continue;
                            }
                            value
                        }
                    };
                    let integers = super::group::Integers {
                        words: words.as_ptr() as u64,
                        count: 1,
                        length: 1,
                        copy_stride: 1,
                        segment_stride: 0,
                    };
                    let mut sum = BigInt::ZERO;
                    for set in 0..plan.shape.bucket_sets {
                        let one = super::group::Digits::new(&plan, &layout, &integers, set);
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
                    let value = BigInt::from(value);
                    let order = BigInt::from(spec.order.clone());
                    let equal = match bound {
                        ScalarBound::Order => (&sum - &value) % &order == BigInt::ZERO,
                        ScalarBound::Bits(_) => sum == value,
                    };
                    assert!(equal, "{window_bits} bits, {kind}, negate {negate}, {value}: {sum}");
                }
            }
        }
    }
}

/// A plan for one set per pass on a described GPU.
fn plan(spec: &Arc<CurveSpec>, scalars: ScalarBound, settings: &Settings) -> Plan {
    let mut plan = Plan::new(&Request {
        curve: spec,
        n: 1,
        batch: 1,
        scalars,
        resident: true,
        table: None,
        device: DeviceFacts::cuda(132, 140 << 30),
        settings,
    })
    .expect("a plan");
    plan.sets_per_pass = 1;
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

//! Fields, additions and the accumulate kernel.

use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, PrimeField};
use ark_std::{UniformRand, test_rng};
use num_bigint::BigUint;

use super::build;
use crate::cuda::prelude;
use crate::curve::to_words;
use crate::curve::xyzz::{Coordinates, Xyzz};
use crate::gpu::combine::{Edwards, Extended, Host};
use crate::plan::Form;
use crate::{Curve, CurveSpec, WordField};

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
    case 6:
        fq_store(out, fq_mul_sub(element(a), element(b), element(a + FQ_WORDS),
                                 element(b + FQ_WORDS)));
        break;
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

/// The curve arithmetic of a form.
struct OnHost<'a> {
    operate: libloading::Symbol<'a, unsafe extern "C" fn(u32, *mut u32, *const u32, *const u32)>,
    sum_list:
        libloading::Symbol<'a, unsafe extern "C" fn(*const u32, *const u32, u32, u32, *mut u32)>,
}

impl OnHost<'_> {
    fn call(&self, op: u32, out_words: usize, a: &[u64], b: &[u64]) -> Vec<u64> {
        let mut out = vec![0u64; out_words];
        // SAFETY: the operations read and write whole elements, bases and sums, which is what is
        // passed.
        unsafe {
            (self.operate)(op, out.as_mut_ptr().cast(), a.as_ptr().cast(), b.as_ptr().cast())
        };
        out
    }
}

/// 0, 1, −1, small ones, ones with long runs of bits, and random ones; and the same as words in
/// Montgomery form: what the arithmetic works on.
fn elements<F: WordField>() -> Vec<F> {
    let mut rng = test_rng();
    let two = F::from(2u64);
    let mut all = vec![F::ZERO, F::ONE, -F::ONE, two, -two, two.inverse().unwrap_or(F::ONE)];
    let bits = F::BasePrimeField::MODULUS_BIT_SIZE;
    all.extend((0..bits).step_by(31).map(|bit| two.pow([u64::from(bit)])));
    all.extend((0..bits).step_by(32).map(|bit| two.pow([u64::from(bit)]) - F::ONE));
    let parts = words::<F>();
    // Neighbours in the list are the parts of an element of an extension.
    let neighbours = (0..parts.len()).map(|first| {
        let degree = F::extension_degree() as usize;
        let own: Vec<_> = parts.iter().cycle().skip(first).take(degree).cloned().collect();
        F::read_words(&own.concat())
    });
    all.extend(neighbours);
    all.extend((0..20).map(|_| F::rand(&mut rng)));
    all
}

/// Words below p: small ones and their distances to p, numbers around R mod p, and long runs of
/// ones, of bits from the lowest on and of every other 32-bit word.
fn words<F: WordField>() -> Vec<Vec<u64>> {
    let p: BigUint = F::BasePrimeField::MODULUS.into();
    let limbs = p.to_u64_digits().len();
    let radix = (BigUint::from(1u32) << (64 * limbs)) % &p;
    let low = |bits: u64| (BigUint::from(1u32) << bits) - 1u32;
    let mut all: Vec<_> = (0u32..3).map(BigUint::from).collect();
    all.extend([&radix - 1u32, radix.clone(), &radix + 1u32]);
    all.extend([1, 31, 32, 33, 63, 64, 96, p.bits() / 2, p.bits() - 1].map(low));
    let every_other = low(64 * limbs as u64) / ((BigUint::from(1u32) << 32) + 1u32);
    all.extend([&every_other, &(&every_other << 32)].map(|ones| ones & low(p.bits() - 1)));
    let negated: Vec<_> = all.iter().map(|value| (&p - value) % &p).collect();
    all.extend(negated);
    let digits = |value: &BigUint| {
        let mut digits = value.to_u64_digits();
        digits.resize(limbs, 0);
        digits
    };
    all.iter().map(digits).collect()
}

fn check_field<F: WordField>(host: &OnHost<'_>) {
    let words = size_of::<F>() / 8;
    let element = |out: Vec<u64>| -> F { F::read_words(&out) };
    let all = elements::<F>();
    for (i, a) in all.iter().enumerate() {
        let aw = &to_words(a);
        assert_eq!(element(host.call(3, words, aw, aw)), -*a);
        assert_eq!(element(host.call(5, words, aw, aw)), a.square());
        assert_eq!(element(host.call(4, words, aw, aw)), a.inverse().unwrap_or(F::ZERO));
        for (j, b) in all.iter().enumerate() {
            let bw = &to_words(b);
            assert_eq!(element(host.call(0, words, aw, bw)), *a * b);
            assert_eq!(element(host.call(1, words, aw, bw)), *a + b);
            assert_eq!(element(host.call(2, words, aw, bw)), *a - b);
            // With each pair one like it, with its opposite and with one of another kind.
            for (c, d) in [(*a, *b), (-*a, *b), (all[(i + j) % all.len()], all[j])] {
                let (ac, bd) = ([to_words(a), to_words(&c)], [to_words(b), to_words(&d)]);
                let found = element(host.call(6, words, &ac.concat(), &bd.concat()));
                assert_eq!(found, *a * b - c * d, "{a} · {b} − {c} · {d}");
            }
        }
    }
}

/// Sums of all pairs of some points, among them equal, opposite and infinite ones, as sums and as
/// bases.
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

/// The accumulate kernel on lists with every case of an addition, onto an empty bucket and a full
/// one.
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
    let kernel = include_str!("../kernels/accumulate.cu");
    let texts = [&prelude::curve(&spec, form), kernel, CURVE_DRIVER];
    let (_folder, library) = build(std::any::type_name::<C>(), &texts);
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

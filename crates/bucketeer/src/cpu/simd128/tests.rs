//! The arithmetic against arkworks', and the kernel against the portable one, on this machine: see
//! `lanes`.

use ark_ff::PrimeField;
use ark_std::test_rng;
use num_bigint::BigUint;

use super::digits::{BITS, Loose, Normal, load, load_residues, store};
use super::field::{Field, Work};
use super::kernel;
use super::lanes::{V, add16, from_array, splat, sub16, to_array};
use crate::cpu::formulas::point;
use crate::cpu::kernel::{AnyKernel, ArkPoint, Kernel, Scratch, infinity};
use crate::cpu::pairs::{NEGATIVE, Pairs};
use crate::cpu::portable;
use crate::cpu::portable::tests::small_order;
use crate::curve::to_words;
use crate::facts::{Arithmetic, DeviceFacts};
use crate::{Curve, CurveSpec, WordField};

/// Residues next to 0, p/2 and p, with extreme digits, and random ones.
fn values<F: PrimeField>() -> Vec<F> {
    let p: BigUint = F::MODULUS.into();
    let power = |bits: u32| BigUint::from(1u32) << bits;
    let mut residues: Vec<BigUint> = (0..3u32).map(BigUint::from).collect();
    residues.extend((1..4u32).map(|k| &p - k));
    residues.extend([&p >> 1u32, (&p >> 1u32) + 1u32]);
    let bits = p.bits() as u32 - 1;
    residues.extend((1..bits / BITS).map(|digits| power(BITS * digits)));
    residues.extend((1..bits / BITS).map(|digits| power(BITS * digits) - 1u32));
    // Digits of 2^12 − 1 and of −2^12.
    let alternating = |digit: u32| {
        (0..bits / BITS).fold(BigUint::ZERO, |sum, i| sum + (BigUint::from(digit) << (BITS * i)))
    };
    residues.extend([4095, 4096, 8191].map(|digit| alternating(digit) % &p));
    let mut out: Vec<F> = residues.into_iter().map(F::from).collect();
    let mut rng = test_rng();
    out.resize_with(64, || F::rand(&mut rng));
    out
}

fn check_field<F: PrimeField + WordField, const N: usize, const H: usize>() {
    let p: BigUint = F::MODULUS.into();
    let f = Field::<N, H>::new(&p);
    let power = |bits| Field::<N, H>::shifted(&BigUint::from(1u32), bits, &p);
    let bits = 2 * H * BITS as usize;
    let (from_ark, to_ark) = (power(2 * bits - 64 * N), power(64 * N));
    let through_memory = |a: &Normal<H>| {
        let mut stored = [[0; N]; 4];
        store::<N, H>(a, stored.each_mut().map(|words| &mut words[..]));
        let mut out = from_ark;
        load::<N, H>(stored.each_ref().map(|words| &words[..]), |j, digits| out.0[j] = digits);
        out
    };
    let own = |values: [F; 4]| -> Normal<H> {
        let words = values.map(|value| to_words(&value));
        let residues = load_residues::<N, H>(words.each_ref().map(|words| &words[..]));
        through_memory(&f.single(&residues.0, &from_ark))
    };
    let same = |a: &Normal<H>, expected: [F; 4]| {
        let a = f.single(&a.0, &to_ark);
        for (lane, expected) in expected.iter().enumerate() {
            assert_eq!(f.residue(&a, lane)[..], to_words(expected)[..]);
        }
    };
    let less = |a: &Normal<H>, b: &Normal<H>| -> Loose<H> {
        Loose(std::array::from_fn(|i| sub16(a.0[i], b.0[i])))
    };
    let product_minus = |a: &[V; H], b: &Normal<H>, number: &[V; H]| {
        let (mut work, mut out) = (Work::default(), from_ark);
        f.product(a, b, &mut work);
        f.minus(&mut work, number, &mut out);
        out
    };
    let values = values::<F>();
    let four = |i: usize| std::array::from_fn(|lane| values[(i + 17 * lane) % values.len()]);
    for i in 0..values.len() {
        let a: [F; 4] = four(i);
        let x = own(a);
        same(&x, a);
        let signs = from_array([-1, 0, 0, -1]);
        same(&x.negated_where(signs), [-a[0], a[1], a[2], -a[3]]);
        assert_eq!(to_array(f.is_zero(&less(&x, &x))), [-1; 4]);
        let zero = to_array(f.is_zero(&Loose(x.0)));
        assert_eq!(zero.map(|lane| lane != 0), a.map(|a| a == F::ZERO));
        for j in 0..values.len() {
            let b: [F; 4] = four(j);
            let y = own(b);
            let each = |work: fn(F, F) -> F| std::array::from_fn(|lane| work(a[lane], b[lane]));
            same(&f.single(&x.0, &y), each(|a, b| a * b));
            let d = less(&x, &y);
            same(&f.single(&d.0, &y), each(|a, b| (a - b) * b));
            // As in an addition: λ² − 2x₁ − d, and λ(x₁ − x₃) − y₁ with a negated y₁.
            let sum = std::array::from_fn(|i| add16(add16(y.0[i], y.0[i]), d.0[i]));
            let x3 = product_minus(&x.0, &x, &sum);
            same(&x3, each(|a, b| a * a - a - b));
            let y3 = product_minus(&less(&x3, &y).0, &x, &y.negated_where(splat(-1)).0);
            same(&y3, each(|a, b| (a * a - a - b - b) * a + b));
            same(&through_memory(&y3), each(|a, b| (a * a - a - b - b) * a + b));
        }
    }
}

#[test]
fn digits_compute_as_fields_do() {
    check_field::<ark_bn254::Fq, 4, 10>();
    check_field::<ark_bls12_381::Fr, 4, 10>();
    check_field::<ark_pallas::Fq, 4, 10>();
    check_field::<ark_bls12_381::Fq, 6, 15>();
    check_field::<ark_bls12_377::Fq, 6, 15>();
    check_field::<small_order::six_glv::Fq, 6, 15>();
}

/// Sums of all pairs of some points, of every kind, each with both signs.
fn check_sums<F: WordField, const W: usize>(own: &dyn Kernel<W>, portable: &dyn Kernel<W>) {
    let mut rng = test_rng();
    let random = |_| point::<F, W>(&F::rand(&mut rng), &F::rand(&mut rng));
    let mut points: Vec<ArkPoint<W>> = (0..6).map(random).collect();
    points.extend([points[0], points[1], ArkPoint::INFINITY, ArkPoint::INFINITY]);
    points.push(point(&F::rand(&mut rng), &F::ZERO));
    points.push(point(&F::ZERO, &F::rand(&mut rng)));
    let signed = |i: usize| [i as u32, i as u32 | NEGATIVE];
    let entries: Vec<u32> = (0..points.len()).flat_map(signed).collect();
    let all: Vec<(u32, u32)> =
        entries.iter().flat_map(|&a| entries.iter().map(move |&b| (a, b))).collect();
    let plain: Vec<(u32, u32)> = all.iter().copied().filter(|(a, b)| a & 7 != b & 7).collect();
    for list in [&all[..], &all[1..], &plain[..1], &plain[..7], &all[..1]] {
        let sums = [own, portable].map(|kernel| {
            let mut words = points.clone();
            let src = kernel.import(&mut words, false);
            let (mut pairs, mut sums) = (Pairs::default(), vec![[0; W]; list.len()]);
            pairs.clear(list.len());
            pairs.extend(list.iter().copied(), 0);
            kernel.add_pairs(src, &mut pairs, &mut sums, &mut Scratch::default());
            sums.iter().map(|sum| kernel.export(sum).0).collect::<Vec<_>>()
        });
        assert!(sums[0] == sums[1], "{} pairs", list.len());
    }
    // In place: a bucket each.
    let sums = [own, portable].map(|kernel| {
        let mut words = points.clone();
        let src = kernel.import(&mut words, false);
        let mut dst: Vec<_> = src.iter().cycle().take(entries.len()).copied().collect();
        let mut pairs = Pairs::default();
        pairs.in_place = true;
        pairs.clear(entries.len());
        for (bucket, &entry) in entries.iter().enumerate() {
            pairs.push(bucket as u32, entry);
        }
        kernel.add_pairs(src, &mut pairs, &mut dst, &mut Scratch::default());
        dst.iter().map(|sum| kernel.export(sum).0).collect::<Vec<_>>()
    });
    assert!(sums[0] == sums[1], "in place");
    let others = [own, portable].map(|kernel| {
        let mut words = points.clone();
        let own = kernel.import(&mut words, true);
        assert_eq!(kernel.negate(&infinity()), infinity());
        let mut out: Vec<_> = own.iter().map(|own| kernel.export(&kernel.negate(own)).0).collect();
        kernel.double(own, 3, &mut Scratch::default());
        out.extend(own.iter().map(|own| kernel.export(own).0));
        out
    });
    assert!(others[0] == others[1], "images, opposites and multiples");
}

fn check_kernel<C: Curve>() {
    let spec = CurveSpec::of::<C>();
    let facts = DeviceFacts { simd128: true, ..DeviceFacts::cpu(1, false, 1 << 30) };
    assert_eq!(Arithmetic::choose(&spec, &facts), Arithmetic::Simd128);
    let [a, _] = C::weierstrass_coefficients();
    let portable = portable::kernel(&spec, a).expect("a field of whole words");
    match (kernel::<C::BaseField>(&spec, portable.clone()), portable) {
        (AnyKernel::W8(own), AnyKernel::W8(other)) => check_sums::<C::BaseField, 8>(&*own, &*other),
        (AnyKernel::W12(own), AnyKernel::W12(other)) => {
            check_sums::<C::BaseField, 12>(&*own, &*other);
        }
        _ => panic!("another width"),
    }
}

#[test]
fn sums_are_those_of_the_portable_kernel() {
    check_kernel::<ark_bn254::G1Affine>();
    check_kernel::<ark_bls12_381::G1Affine>();
    check_kernel::<ark_bls12_377::G1Affine>();
    check_kernel::<ark_ed_on_bls12_377::EdwardsAffine>();
    check_kernel::<small_order::four_glv::Affine>();
    check_kernel::<small_order::six_glv::Affine>();
}

#[test]
fn wide_fields_have_no_digits_left() {
    let facts = DeviceFacts { simd128: true, ..DeviceFacts::cpu(1, false, 1 << 30) };
    for curve in [
        CurveSpec::of::<ark_secp256k1::Affine>(),
        CurveSpec::of::<ark_bn254::G2Affine>(),
        CurveSpec::of::<ark_bw6_761::G1Affine>(),
    ] {
        assert_eq!(Arithmetic::choose(&curve, &facts), Arithmetic::Portable);
    }
}

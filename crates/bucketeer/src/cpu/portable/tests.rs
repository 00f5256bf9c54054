//! Arithmetic on words against arkworks', with and without the assembly, and kernels against the
//! one on arkworks' fields.

use ark_ff::{Field, PrimeField, UniformRand};
use ark_std::test_rng;
use num_bigint::BigUint;

use super::arithmetic::{Arithmetic, CHAIN, INVERSE, P, SLOPE, TWICE};
use super::prime::Prime;
use super::quadratic::Quadratic;
use super::residues::{Reduced, words};
use super::shapes::{has_adx, kernel, small_square, spare};
use crate::cpu::formulas::point;
use crate::cpu::kernel::{AnyKernel, ArkPoint, Kernel, Point, Scratch, XyzzPoint, infinity};
use crate::cpu::pairs::{NEGATIVE, Pairs};
use crate::curve::to_words;
use crate::facts::{Arithmetic as Chosen, DeviceFacts};
use crate::{Curve, CurveSpec, WordField};

#[path = "../../../tests/it/small_order.rs"]
pub(in crate::cpu) mod small_order;

/// Elements of the prime field with extreme words.
fn borders<F: PrimeField + WordField, const N: usize>() -> Vec<F> {
    let p: BigUint = F::MODULUS.into();
    let power = |bits: usize| BigUint::from(1u32) << bits;
    let mut residues: Vec<BigUint> = (0..3u32).map(BigUint::from).collect();
    residues.extend((1..4u32).map(|k| &p - k));
    residues.extend([&p >> 1, (&p >> 1) + 1u32]);
    residues.extend((1..=N).map(|words| (power(64 * words) - 1u32) % &p));
    residues.extend((1..N).map(|words| power(64 * words) % &p));
    let mut out: Vec<F> = residues.iter().map(|r| F::read_words(&words::<N>(r))).collect();
    out.extend(residues.iter().map(|r| F::from(r.clone())));
    out
}

impl<const N: usize> TryFrom<&[u64]> for Reduced<N> {
    type Error = std::array::TryFromSliceError;

    fn try_from(words: &[u64]) -> Result<Self, Self::Error> {
        words.try_into().map(Self)
    }
}

fn check<F: WordField, A: Arithmetic>(field: &A, values: &[F], factors: &[F::BasePrimeField])
where
    F::BasePrimeField: WordField,
    A::Base: for<'a> TryFrom<&'a [u64]>,
{
    let own = |a: &F| *field.read(&to_words(a));
    let same = |a: A::Element, b: F| {
        let mut words = vec![0; size_of::<F>() / 8];
        field.write(&a, &mut words);
        assert_eq!(words, to_words(&b));
    };
    same(field.zero(), F::ZERO);
    same(field.one(), F::ONE);
    for a in values {
        let x = own(a);
        let loose_x = A::loose(&x);
        same(field.square::<P>(loose_x), a.square());
        same(field.add(&field.zero(), &field.negate_if(true, &x)), -*a);
        same(field.add(&field.zero(), &field.negate_if(false, &x)), *a);
        if let Some(inverse) = a.inverse() {
            same(field.invert(A::widen::<P, CHAIN>(loose_x)), inverse);
        }
        for factor in factors {
            let Ok(k) = A::Base::try_from(&to_words(factor)[..]) else { panic!("another length") };
            same(field.scale(&x, &k), a.mul_by_base_prime_field(factor));
        }
        for b in values {
            let y = own(b);
            let loose_y = A::loose(&y);
            same(field.add(&x, loose_y), *a + b);
            same(field.sub(&x, loose_y), *a - b);
            same(field.mul::<P, P>(loose_x, loose_y), *a * b);
            // A negated zero is p.
            same(field.mul::<P, P>(loose_x, &field.negate_if(true, &y)), -*a * b);
            same(field.sub(&x, &field.negate_if(true, &y)), *a + b);
            check_loose(field, [&x, &y], [*a, *b], same);
        }
    }
}

/// Products of loose factors, in the order in which kernels compute them.
fn check_loose<F: Field, A: Arithmetic>(
    field: &A,
    [x, y]: [&A::Element; 2],
    [a, b]: [F; 2],
    same: impl Fn(A::Element, F),
) {
    let (loose_x, loose_y, one) = (A::loose(x), A::loose(y), field.one());
    let product = (0..3).fold(*A::widen::<P, CHAIN>(loose_x), |product, _| {
        field.loose_mul::<CHAIN, P, CHAIN>(&product, loose_y)
    });
    let expected = a * b * b * b;
    same(field.mul::<CHAIN, P>(&product, A::loose(&one)), expected);
    if let Some(inverse) = expected.inverse() {
        same(field.invert(&product), inverse);
    }
    let own = field.loose_mul::<CHAIN, CHAIN, INVERSE>(&product, &product);
    let rise = field.loose_sub(&field.negate_if(true, x), loose_y);
    let slope = field.loose_mul::<TWICE, INVERSE, SLOPE>(&rise, &own);
    let expected = (-a - b) * expected * expected;
    same(field.mul::<SLOPE, P>(&slope, A::loose(&one)), expected);
    same(field.square::<SLOPE>(&slope), expected * expected);
    let run = field.loose_sub(loose_x, &field.negate_if(true, y));
    same(field.mul::<TWICE, SLOPE>(&run, &slope), (a + b) * expected);
}

fn check_prime<F: PrimeField + WordField, const N: usize, const SPARE: u32>() {
    let p: BigUint = F::MODULUS.into();
    assert_eq!(spare(F::TOP_WORD), SPARE);
    let mut values = borders::<F, N>();
    let mut rng = test_rng();
    values.extend((0..40).map(|_| F::rand(&mut rng)));
    let factors: Vec<_> =
        values.iter().map(|a| a.to_base_prime_field_elements().next().expect("one")).collect();
    check(&Prime::<N, SPARE, false>::new(&p), &values, &factors[..8]);
    if has_adx() {
        check(&Prime::<N, SPARE, true>::new(&p), &values, &factors[..8]);
    }
}

fn check_quadratic<C: Curve, const N: usize>()
where
    <C::BaseField as Field>::BasePrimeField: WordField,
{
    let spec = CurveSpec::of::<C>();
    let factors = borders::<<C::BaseField as Field>::BasePrimeField, N>();
    let element = |parts| C::BaseField::from_base_prime_field_elems(parts).expect("degree 2");
    let mut values: Vec<C::BaseField> = Vec::new();
    for (i, &a) in factors.iter().enumerate() {
        values.extend([0, 1, i, 2 * i + 3].map(|k| element([a, factors[k % factors.len()]])));
    }
    let mut rng = test_rng();
    values.extend((0..20).map(|_| C::BaseField::rand(&mut rng)));
    let k = small_square(&spec).expect("a small −u²");
    check(&Quadratic::<N, false>::new(&spec.modulus, k), &values, &factors[..8]);
    if has_adx() {
        check(&Quadratic::<N, true>::new(&spec.modulus, k), &values, &factors[..8]);
    }
}

#[test]
fn prime_fields_agree_with_arkworks() {
    check_prime::<ark_bn254::Fq, 4, 2>();
    check_prime::<ark_pallas::Fq, 4, 2>();
    check_prime::<ark_bls12_381::Fr, 4, 1>();
    check_prime::<ark_secp256k1::Fq, 4, 0>();
    check_prime::<ark_bls12_377::Fq, 6, 2>();
    check_prime::<ark_bls12_381::Fq, 6, 2>();
    check_prime::<ark_bw6_761::Fq, 12, 2>();
    // As close to each bound as p can be.
    check_prime::<small_order::four_glv::Fq, 4, 2>();
    check_prime::<small_order::four_one_spare::Fq, 4, 1>();
    check_prime::<small_order::four_full::Fq, 4, 0>();
    check_prime::<small_order::six_glv::Fq, 6, 2>();
    check_prime::<small_order::twelve_glv::Fq, 12, 2>();
}

#[test]
fn quadratic_extensions_agree_with_arkworks() {
    check_quadratic::<ark_bn254::G2Affine, 4>();
    check_quadratic::<ark_bls12_377::G2Affine, 6>();
    check_quadratic::<ark_bls12_381::G2Affine, 6>();
    check_quadratic::<small_order::four_quadratic::Affine, 4>();
    check_quadratic::<small_order::six_quadratic::Affine, 6>();
}

/// Sums of all pairs among points of every kind, an odd number of them, by both kernels.
fn check_sums<F: WordField, const W: usize>(own: &dyn Kernel<W>, ark: &dyn Kernel<W>) {
    let mut rng = test_rng();
    let mut points: Vec<Point<W>> =
        (0..5).map(|_| point(&F::rand(&mut rng), &F::rand(&mut rng)).0).collect();
    let opposite = ark.negate(&points[0]);
    points.extend([opposite, infinity(), infinity(), points[1]]);
    points.push(point(&F::rand(&mut rng), &F::ZERO).0);
    points.push(point(&F::ZERO, &F::rand(&mut rng)).0);
    let signed = |i: usize| [i as u32, i as u32 | NEGATIVE];
    let entries: Vec<u32> = (0..points.len()).flat_map(signed).collect();
    let mut list: Vec<(u32, u32)> =
        entries.iter().flat_map(|&a| entries.iter().map(move |&b| (a, b))).collect();
    list.pop();
    let sums = [own, ark].map(|kernel| {
        let (mut pairs, mut sums) = (Pairs::default(), vec![[0; W]; list.len()]);
        pairs.clear(list.len());
        pairs.extend(list.iter().copied(), 0);
        kernel.add_pairs(&points, &mut pairs, &mut sums, &mut Scratch::default());
        sums
    });
    assert!(sums[0] == sums[1]);
    let images = [own, ark].map(|kernel| {
        let mut images: Vec<_> = points.iter().copied().map(ArkPoint).collect();
        kernel.import(&mut images, true).to_vec()
    });
    assert!(images[0] == images[1]);
}

/// Doublings of points of every kind, an odd number of them, against single ones in XYZZ
/// coordinates. Formulas for doublings do not contain b, so any x and y will do.
fn check_doublings<F: WordField, const W: usize>(kernel: &dyn Kernel<W>) {
    let mut rng = test_rng();
    let random = |_| point::<F, W>(&F::rand(&mut rng), &F::rand(&mut rng));
    let mut points: Vec<ArkPoint<W>> = (0..21).map(random).collect();
    points[3] = ArkPoint::INFINITY;
    points[4] = point(&F::ONE, &F::ZERO);
    points[9] = point(&F::ZERO, &F::ONE);
    points[20] = ArkPoint::INFINITY;
    let formulas = kernel.formulas();
    for (count, times) in [(21, 1), (20, 2), (8, 19), (1, 3), (0, 5)] {
        let mut own = points[..count].to_vec();
        let own = kernel.import(&mut own, false);
        kernel.double(own, times, &mut Scratch::default());
        for (i, point) in own.iter().enumerate() {
            let mut expected = formulas.add_point(&XyzzPoint::INFINITY, &points[i]);
            for _ in 0..times {
                expected = formulas.double(&expected);
            }
            assert!(kernel.export(point).0 == formulas.to_point(&expected).0, "{i}, {times} times");
        }
    }
    // Images of points in the kernel's form are those of imported bases.
    let [mut own, mut imported] = [(); 2].map(|()| points.clone());
    let own = kernel.import(&mut own, false);
    kernel.images(own);
    assert!(own == kernel.import(&mut imported, true));
}

fn check_doublings_of<F: WordField>(kernel: &AnyKernel) {
    match kernel {
        AnyKernel::W8(kernel) => check_doublings::<F, 8>(&**kernel),
        AnyKernel::W12(kernel) => check_doublings::<F, 12>(&**kernel),
        AnyKernel::W16(kernel) => check_doublings::<F, 16>(&**kernel),
        AnyKernel::W24(kernel) => check_doublings::<F, 24>(&**kernel),
        AnyKernel::W48(kernel) => check_doublings::<F, 48>(&**kernel),
    }
}

fn check_kernel<C: Curve>() {
    let spec = CurveSpec::of::<C>();
    let opaque = CurveSpec { montgomery: false, ..(*spec).clone() };
    let [a, _] = C::weierstrass_coefficients();
    let make = |spec: &CurveSpec| kernel(spec, a).expect("a field of whole words");
    let chosen = Chosen::choose(&spec, &crate::Device::cpu().facts());
    let best = crate::cpu::kernel::<C>(&spec, chosen).expect("a field of whole words");
    for kernel in [make(&spec), make(&opaque), best] {
        check_doublings_of::<C::BaseField>(&kernel);
    }
    match (make(&spec), make(&opaque)) {
        (AnyKernel::W8(own), AnyKernel::W8(ark)) => check_sums::<C::BaseField, 8>(&*own, &*ark),
        (AnyKernel::W12(own), AnyKernel::W12(ark)) => check_sums::<C::BaseField, 12>(&*own, &*ark),
        (AnyKernel::W16(own), AnyKernel::W16(ark)) => check_sums::<C::BaseField, 16>(&*own, &*ark),
        (AnyKernel::W24(own), AnyKernel::W24(ark)) => check_sums::<C::BaseField, 24>(&*own, &*ark),
        _ => panic!("another width"),
    }
}

#[test]
fn kernels_on_words_agree_with_those_on_fields() {
    check_kernel::<ark_bn254::G1Affine>();
    check_kernel::<ark_secp256k1::Affine>();
    check_kernel::<ark_ed_on_bls12_381_bandersnatch::EdwardsAffine>();
    check_kernel::<ark_bls12_381::G1Affine>();
    check_kernel::<ark_bw6_761::G1Affine>();
    check_kernel::<ark_bn254::G2Affine>();
    check_kernel::<ark_bls12_377::G2Affine>();
    check_kernel::<ark_bls12_381::G2Affine>();
    check_kernel::<small_order::four_full::Affine>();
    check_kernel::<small_order::four_one_spare::Affine>();
    check_kernel::<small_order::four_glv::Affine>();
    check_kernel::<small_order::four_edwards::Affine>();
    check_kernel::<small_order::four_quadratic::Affine>();
    check_kernel::<small_order::six_glv::Affine>();
    check_kernel::<small_order::six_quadratic::Affine>();
    check_kernel::<small_order::twelve_glv::Affine>();
}

/// Tests and fuzzing rely on the curves of small order to reach all kernels: with vectors if the
/// processor has them, and without.
#[test]
fn curves_of_small_order_reach_the_vector_kernels() {
    use small_order::*;
    let device = DeviceFacts::cpu(1, true, 1 << 30);
    let chosen = |curve: &CurveSpec| Chosen::choose(curve, &device);
    for curve in [
        CurveSpec::of::<four_full::Affine>(),
        CurveSpec::of::<four_one_spare::Affine>(),
        CurveSpec::of::<four_glv::Affine>(),
        CurveSpec::of::<four_edwards::Affine>(),
        CurveSpec::of::<four_quadratic::Affine>(),
        CurveSpec::of::<six_full::Affine>(),
        CurveSpec::of::<six_glv::Affine>(),
        CurveSpec::of::<six_quadratic::Affine>(),
        CurveSpec::of::<twelve_glv::Affine>(),
    ] {
        assert_eq!(chosen(&curve), Chosen::Ifma, "{curve:?}");
    }
    for curve in [
        CurveSpec::of::<two::Affine>(),
        CurveSpec::of::<three::Affine>(),
        CurveSpec::of::<five::Affine>(),
    ] {
        assert_eq!(chosen(&curve), Chosen::Portable, "{curve:?}");
    }
}

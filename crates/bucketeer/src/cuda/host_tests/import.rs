//! Bases brought into the Edwards form.

use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, Field};
use ark_std::{UniformRand, test_rng};

use super::build;
use crate::cuda::prelude;
use crate::curve::to_words;
use crate::plan::Form;
use crate::{Curve, CurveSpec};

/// What the test of imported bases calls: all threads of a grid, one after the other.
const IMPORT_DRIVER: &str = r#"
extern "C" void import(u32 *scratch, u32 count, u32 *table, u32 blocks, u32 threads) {
    gridDim.x = blocks, blockDim.x = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)
        for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++)
            import_bases(scratch, count, table, 0);
}
"#;

/// Any number of bases in the curve's own coordinates, special points among them, is brought into
/// the Edwards form; nothing is written past the end of the scratch memory or the table.
fn check_import<C: Curve>(special: &[C]) {
    type Import = unsafe extern "C" fn(*mut u32, u32, *mut u32, u32, u32);
    let spec = CurveSpec::of::<C>();
    let kernel = include_str!("../kernels/table.cu");
    let texts = [&prelude::curve(&spec, Form::Edwards), kernel, IMPORT_DRIVER];
    let (_folder, library) = build(std::any::type_name::<C>(), &texts);
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
    const GUARD: u64 = 0x0123_4567_89ab_cdef;
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
            scratch.push(GUARD);
            table.push(GUARD);
            let (raw, out) = (scratch.as_mut_ptr().cast(), table.as_mut_ptr().cast());
            // SAFETY: there is room for three elements for each base in both.
            unsafe { import(raw, count as u32, out, blocks, threads) };
            assert_eq!((scratch.pop(), table.pop()), (Some(GUARD), Some(GUARD)));
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
    // The point of order 2 that the form starts from, and those with u = −1: the form has neither.
    // On this curve y² = x³ + 1, u = s·(x + 1) with s = 1/√3.
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

//! Packed points and scalars of any bytes and strides: no panic, points that are accepted are
//! written back as they were, and scalars mean the same wherever they lie.
#![no_main]

use arbitrary::Arbitrary;
use bucketeer::packed::{PackedPoints, PackedScalars, Representation, point_bytes, write_point};
use bucketeer::{Bases, Curve, Device};
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Arbitrary)]
struct Input {
    bytes: Vec<u8>,
    /// Multiples of a point that surely lies on the curve.
    multiples: Vec<u8>,
    representation: u8,
    stride: Option<u16>,
    trusted: bool,
    size: u8,
    bits: Option<u8>,
    kind: u8,
    offset: u8,
}

fn points<C: Curve>(input: &Input, representation: Representation) {
    let mut packed = PackedPoints::new(&input.bytes, representation);
    if let Some(stride) = input.stride {
        packed = packed.stride(stride.into());
    }
    if input.trusted {
        let _ = packed.trusted().to_affine::<C>();
    }
    let size = point_bytes::<C>();
    let stride = input.stride.map_or(size, usize::from);
    if let Ok(points) = packed.to_affine::<C>() {
        for (point, bytes) in points.iter().zip(input.bytes.chunks(stride)) {
            let mut out = vec![0; size];
            write_point(point, representation, &mut out).unwrap();
            assert_eq!(out, bytes[..size]);
        }
    }
    let multiples: Vec<C> = input
        .multiples
        .iter()
        .map(|k| C::from(C::generator() * C::ScalarField::from(*k)))
        .collect();
    let mut bytes = vec![0; size * multiples.len()];
    for (point, out) in multiples.iter().zip(bytes.chunks_exact_mut(size)) {
        write_point(point, representation, out).unwrap();
    }
    assert_eq!(PackedPoints::new(&bytes, representation).to_affine(), Ok(multiples));
}

fn scalars<C: Curve>(input: &Input, representation: Representation) {
    let kind = |bytes| {
        let mut packed = match input.kind % 3 {
            0 => PackedScalars::residues(bytes, representation),
            1 => PackedScalars::unsigned(bytes, input.size.into()),
            _ => PackedScalars::signed(bytes, input.size.into()),
        };
        if let Some(bits) = input.bits {
            packed = packed.with_bits(bits.into());
        }
        packed
    };
    // At an address of its own, and moved to another one.
    let moved: Vec<u8> = (0..input.offset % 8).chain(input.bytes.iter().copied()).collect();
    let moved = &moved[usize::from(input.offset % 8)..];
    let both = [&input.bytes[..], moved].map(|bytes| {
        let scalars = kind(bytes).unpack::<C::ScalarField>()?;
        let bases = Bases::load(&Device::cpu(), &vec![C::generator(); scalars.len()])?;
        bases.msm(&scalars)
    });
    assert_eq!(both[0], both[1]);
}

fuzz_target!(|input: Input| {
    let representation = match input.representation % 3 {
        0 => Representation::Montgomery,
        1 => Representation::LittleEndian,
        _ => Representation::BigEndian,
    };
    points::<ark_bn254::G1Affine>(&input, representation);
    points::<ark_bls12_381::G2Affine>(&input, representation);
    points::<ark_ed_on_bls12_377::EdwardsAffine>(&input, representation);
    scalars::<ark_bn254::G1Affine>(&input, representation);
});

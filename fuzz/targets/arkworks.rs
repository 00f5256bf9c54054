//! Arkworks files: no panic, and only the one encoding of each valid value is accepted.
#![no_main]

use ark_bn254::{G1Affine, G2Affine};
use ark_ec::AffineRepr;
use ark_ed_on_bls12_377::EdwardsAffine;
use ark_serialize::CanonicalSerialize;
use bucketeer::Curve;
use bucketeer::curves::NamedCurve;
use bucketeer::io::{
    Encoding, ReadOptions, ScalarVec, parse_arkworks_bases, parse_arkworks_scalars,
};
use bucketeer_fuzz::assert_valid;
use libfuzzer_sys::fuzz_target;

fn check<C: Curve>(bytes: &[u8], name: &str) {
    let curve = NamedCurve::named(name).expect("a named curve");
    let options = ReadOptions::default();
    for encoding in [Encoding::Compressed, Encoding::Uncompressed] {
        let Ok(points) = parse_arkworks_bases::<C>(bytes, curve, encoding, &options) else {
            continue;
        };
        assert_valid(&points);
        let mut again = Vec::new();
        match encoding {
            Encoding::Compressed => points.serialize_compressed(&mut again),
            _ => points.serialize_uncompressed(&mut again),
        }
        .expect("memory is written without errors");
        assert_eq!(again, bytes);
    }
    if let Ok(ScalarVec::Residues(scalars)) = parse_arkworks_scalars::<C>(bytes, curve, &options) {
        let mut again = Vec::new();
        scalars.serialize_compressed(&mut again).expect("memory is written without errors");
        assert_eq!(again, bytes);
    }
}

/// The bytes of one valid point with some of them changed, after a length of one.
fn changed<C: AffineRepr>(changes: &[u8], compressed: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let point = vec![C::generator()];
    match compressed {
        true => point.serialize_compressed(&mut bytes),
        false => point.serialize_uncompressed(&mut bytes),
    }
    .expect("memory is written without errors");
    for pair in changes.chunks_exact(2) {
        let place = pair[0] as usize % bytes.len();
        bytes[place] ^= pair[1];
    }
    bytes
}

fuzz_target!(|input: (bool, &[u8])| {
    let (compressed, bytes) = input;
    check::<G1Affine>(bytes, "bn254-g1");
    check::<G1Affine>(&changed::<G1Affine>(bytes, compressed), "bn254-g1");
    check::<G2Affine>(&changed::<G2Affine>(bytes, compressed), "bn254-g2");
    check::<EdwardsAffine>(&changed::<EdwardsAffine>(bytes, compressed), "ed-on-bls12-377");
});

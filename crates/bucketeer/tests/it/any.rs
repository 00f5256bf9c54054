//! Named curves without their types give the results of the typed API.

use ark_bn254::Fr;
use ark_ff::PrimeField;
use bucketeer::any::{Coordinates, RunOptions};
use bucketeer::curves::{CURVES, NamedCurve};
use bucketeer::packed::Representation::{BigEndian, LittleEndian, Montgomery};
use bucketeer::random::Distribution;
use bucketeer::{Device, Error, PointFault};

fn named(name: &str) -> Box<dyn bucketeer::any::AnyCurve> {
    NamedCurve::named(name).unwrap().any()
}

#[test]
fn runs_of_every_curve_agree_with_logarithms_and_double_and_add() {
    let (device, options) = (Device::cpu(), RunOptions::default());
    for curve in CURVES {
        let curve = curve.any();
        let points = curve.random_bases(70, 3);
        let scalars = [Distribution::Uniform, Distribution::Skewed, Distribution::Zero]
            .map(|kind| curve.random_scalars(kind, 70, 3));
        let loaded = points.load(&device, 70, &options).unwrap();
        let batch = loaded.msm_batch(&scalars).unwrap();
        for (scalars, sum) in scalars.iter().zip(batch) {
            let expected = points.expected(scalars).unwrap().unwrap();
            assert_eq!(points.reference(scalars).unwrap(), expected);
            assert_eq!(sum.coordinates(), expected, "{}", curve.named());
            let report = points.msm_with_report(&device, &options, scalars).unwrap();
            assert_eq!(report.sum.coordinates(), expected, "{}", curve.named());
            let report = loaded.msm_with_report(scalars).unwrap();
            assert!(report.sum.coordinates().agree_with(&expected), "{}", curve.named());
        }
    }
}

#[test]
fn sums_are_read_back_from_their_bytes() {
    for name in ["bn254", "bls12-381-g2", "ed-on-bls12-377"] {
        let curve = named(name);
        let points = curve.random_bases(9, 4);
        let scalars = curve.random_scalars(Distribution::Uniform, 9, 4);
        let sum = points.expected(&scalars).unwrap().unwrap();
        let bytes = curve.layout().to_bytes(&sum).unwrap().concat();
        let read = curve.points_from_bytes(&bytes).unwrap();
        let one = [&[1][..], &[0; 31]].concat();
        let one = curve.scalars_from_bytes(&one, LittleEndian, 1, true).unwrap();
        assert_eq!(read.reference(&one).unwrap(), sum, "{name}");
    }
    let identity = Coordinates::Identity;
    assert_eq!(named("bn254").layout().to_bytes(&identity), None);
    let edwards = named("ed-on-bls12-377").layout().to_bytes(&identity).unwrap();
    assert_eq!((edwards[0][0], edwards[1][0]), (0, 1));
}

#[test]
fn bytes_that_are_no_points_are_refused() {
    let curve = named("bn254");
    let points = |bytes: &[u8]| curve.points_from_bytes(bytes).err().unwrap();
    assert!(matches!(points(&[0; 63]), Error::InvalidBytes { .. }));
    assert!(matches!(points(&[255; 64]), Error::InvalidBytes { .. }));
    let off = Error::InvalidBase { index: 0, reason: PointFault::NotOnCurve };
    assert_eq!(points(&[1; 64]), off);
    for form in [LittleEndian, BigEndian, Montgomery] {
        let scalars = |bytes: &[u8]| curve.scalars_from_bytes(bytes, form, 1, true).err().unwrap();
        assert!(matches!(scalars(&[0; 33]), Error::InvalidBytes { .. }));
        assert_eq!(scalars(&[0; 64]), Error::LengthMismatch { bases: 1, scalars: 2 });
    }
    // No residue has these words.
    assert!(curve.scalars_from_bytes(&[255; 32], Montgomery, 1, true).is_err());
}

#[test]
fn scalars_are_the_same_in_every_representation() {
    let (curve, n) = (named("bn254"), 5);
    let points = curve.random_bases(n, 4);
    let residues: Vec<Fr> = (1..=n as u64).map(|k| -Fr::from(k * k)).collect();
    let words = |of: fn(&Fr) -> [u64; 4]| -> Vec<u8> {
        residues.iter().flat_map(|k| of(k).map(u64::to_le_bytes).concat()).collect()
    };
    let little = words(|k| k.into_bigint().0);
    let big: Vec<u8> = little.chunks(32).flat_map(|k| k.iter().rev().copied()).collect();
    let montgomery = words(|k| k.0.0);
    let sum = |bytes: &[u8], form, residues| {
        let scalars = curve.scalars_from_bytes(bytes, form, n, residues).unwrap();
        points.reference(&scalars).unwrap()
    };
    let expected = sum(&little, LittleEndian, true);
    assert_ne!(sum(&big, LittleEndian, false), expected);
    for (bytes, form) in [(&little, LittleEndian), (&big, BigEndian), (&montgomery, Montgomery)] {
        for residues in [true, false] {
            assert_eq!(sum(bytes, form, residues), expected, "{form:?}");
        }
    }
}

#[test]
fn points_and_scalars_of_different_curves_do_not_mix() {
    let (device, options) = (Device::cpu(), RunOptions::default());
    let points = named("pallas").random_bases(3, 1);
    // The scalar field of one curve is the base field of the other.
    let scalars = named("vesta").random_scalars(Distribution::Uniform, 3, 1);
    let error = points.msm_with_report(&device, &options, &scalars).unwrap_err();
    assert!(matches!(error, Error::InvalidSetting { setting: "scalars", .. }), "{error}");
    let longer = named("pallas").random_scalars(Distribution::One, 4, 1);
    let error = points.reference(&longer).unwrap_err();
    assert_eq!(error, Error::LengthMismatch { bases: 3, scalars: 4 });
    assert!(points.load(&device, 4, &options).is_err());
}

/// Shares of an MSM add up to what one run gives; bytes of anything else are refused.
#[test]
fn sums_of_shares_have_the_total_of_the_whole() {
    for name in ["bn254-g1", "bls12-381-g2", "bandersnatch"] {
        let curve = named(name);
        let (points, device) = (curve.random_bases(40, 3), Device::cpu());
        let scalars = curve.random_scalars(Distribution::Uniform, 40, 3);
        let options = RunOptions::default();
        let mut shares = Vec::new();
        for range in [0..17, 17..40, 40..40] {
            let part = points.part(range.clone());
            let bases = part.load(&device, range.len(), &options).unwrap();
            let own = scalars.part(range);
            let share = bases.share(&own).unwrap();
            let batch = bases.share_batch(std::slice::from_ref(&own)).unwrap();
            assert_eq!(batch, std::slice::from_ref(&share.sum));
            shares.push(share.sum);
        }
        let parts: Vec<&[u8]> = shares.iter().map(Vec::as_slice).collect();
        let total = curve.total(&parts).unwrap().coordinates();
        assert_eq!(Some(total), points.expected(&scalars).unwrap(), "{name}");
        let none = curve.total(&[]).unwrap().coordinates();
        assert_eq!(curve.total(&parts[2..]).unwrap().coordinates(), none);
        for wrong in [&[][..], &[1], &[0, 0], &parts[0][1..]] {
            let error = curve.total(&[parts[1], wrong]).unwrap_err().to_string();
            assert!(error.contains("the sum of share 1 is not one of this library"), "{error}");
        }
    }
}

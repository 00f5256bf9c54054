//! What files are said to hold.

use ark_bls12_381 as bls;
use ark_bn254 as bn;
use bucketeer::io::{self, Contents, Encoding, Holds, Inspection, ScalarVec};
use tempfile::TempDir;

use super::builders::*;

fn inspect(bytes: impl AsRef<[u8]>) -> Inspection {
    let (_directory, path) = file(&bytes);
    let found = io::inspect(&path).unwrap();
    assert_eq!(io::inspect_bytes(bytes.as_ref()).as_ref(), Ok(&found));
    assert_eq!(found.bytes, bytes.as_ref().len() as u64);
    found
}

fn fact<'a>(found: &'a Inspection, name: &str) -> Option<&'a str> {
    found.facts.iter().find(|(own, _)| *own == name).map(|(_, value)| value.as_str())
}

fn section<'a>(found: &'a Inspection, name: &str) -> &'a Contents {
    found.contents.iter().find(|part| part.name == Some(name)).unwrap()
}

#[test]
fn powers_of_tau() {
    let found = inspect(prepared_ptau::<bn::G1Affine, bn::G2Affine>(2));
    assert_eq!((found.format, fact(&found, "power")), ("ptau", Some("2")));
    assert_eq!(fact(&found, "prepared for phase 2"), Some("yes"));
    assert_eq!(fact(&found, "contributions"), Some("0"));
    assert_eq!(found.contents.len(), 11);
    for (name, curve, count, powers) in [
        ("tau-g1", "bn254-g1", 7, None),
        ("tau-g2", "bn254-g2", 4, None),
        ("beta-g2", "bn254-g2", 1, None),
        ("lagrange-g1", "bn254-g1", 15, Some(3)),
        ("lagrange-g2", "bn254-g2", 7, Some(2)),
    ] {
        let part = section(&found, name);
        assert_eq!((part.holds, part.curve, part.count), (Holds::Bases, Some(curve), Some(count)));
        assert_eq!(part.powers, powers, "{name}");
    }
    assert_eq!(section(&found, "header").holds, Holds::Other);
    let found = inspect(ptau(&points::<bls::G1Affine>(3), &points::<bls::G2Affine>(2)));
    assert_eq!(fact(&found, "prepared for phase 2"), Some("no"));
    assert_eq!(section(&found, "tau-g2").curve, Some("bls12-381-g2"));
}

#[test]
fn proving_keys() {
    let sections = zkey_sections(&points::<bn::G1Affine>(8), &points::<bn::G2Affine>(4));
    let found = inspect(container("zkey", &sections));
    for (name, value) in
        [("protocol", "groth16"), ("variables", "4"), ("public", "1"), ("domain size", "8")]
    {
        assert_eq!(fact(&found, name), Some(value));
    }
    for (name, kind, count) in [("ic", 3, 2), ("a", 5, 4), ("b2", 7, 4), ("c", 8, 2), ("h", 9, 8)] {
        let part = section(&found, name);
        assert_eq!((part.kind, part.count), (Some(kind), Some(count)), "{name}");
    }
    let fault = |sections: &[(u32, Vec<u8>)]| {
        io::inspect_bytes(&container("zkey", sections)).unwrap_err().reason
    };
    let mut short = sections.clone();
    short[4].1.pop();
    assert_says(&fault(&short), &["truncated: 4·64 bytes expected in section \"a\""]);
    let mut missing = sections;
    missing.remove(4);
    assert_says(&fault(&missing), &["no section 5 (a)"]);
}

#[test]
fn witnesses_and_circuits() {
    let order = num_bigint::BigUint::from(bn::Fr::from(-1)) + 1u8;
    let header = [sized(&order, 32), 3u32.to_le_bytes().to_vec()].concat();
    let found = inspect(container("wtns", &[(1, header.clone()), (2, vec![1; 96])]));
    let values = section(&found, "values");
    assert_eq!((found.format, values.holds, values.count), ("wtns", Holds::Scalars, Some(3)));
    assert_eq!(fact(&found, "prime"), Some("the order of bn254-g1, bn254-g2"));
    let short = container("wtns", &[(1, header), (2, vec![1; 95])]);
    assert!(io::inspect_bytes(&short).is_err());

    let numbers: Vec<u8> = [7u32, 1, 2, 3, 9, 0, 5].iter().flat_map(|n| n.to_le_bytes()).collect();
    let header = [sized(&order, 32), numbers].concat();
    let found = inspect(container("r1cs", &[(2, vec![]), (1, header), (3, vec![])]));
    assert_eq!(found.format, "r1cs");
    for (name, value) in [
        ("variables", "7"),
        ("outputs", "1"),
        ("public inputs", "2"),
        ("private inputs", "3"),
        ("constraints", "5"),
    ] {
        assert_eq!(fact(&found, name), Some(value), "{name}");
    }
}

/// Lengths fit several curves; the first points tell them apart.
#[test]
fn vectors_of_arkworks() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("vector");
    io::write_bases(&path, &points::<bn::G1Affine>(5), Encoding::Compressed).unwrap();
    let found = io::inspect(&path).unwrap();
    let bases = found.contents.iter().filter(|part| part.holds == Holds::Bases).count();
    assert_eq!((found.format, bases), ("arkworks", 1), "{found:?}");
    // Bytes of points can be scalars of another curve: these come last.
    let part = &found.contents[0];
    assert_eq!((part.curve, part.encoding), (Some("bn254-g1"), Some("compressed")));
    assert_eq!((part.holds, part.count), (Holds::Bases, Some(5)));
    let largest = ScalarVec::Residues(vec![-ark_pallas::Fr::from(1)]);
    io::write_scalars(&path, &largest).unwrap();
    let found = io::inspect(&path).unwrap();
    let curves: Vec<_> = found.contents.iter().filter_map(|part| part.curve).collect();
    // Those whose order is not below that of Pallas' scalars.
    assert!(curves.contains(&"pallas") && curves.contains(&"secp256k1"), "{found:?}");
    assert!(!curves.contains(&"bn254-g1") && !curves.contains(&"bls12-377-g1"), "{found:?}");
}

#[test]
fn other_files() {
    let found = inspect(r#"{"curve":"bn128","bases":[null],"scalars":["1"],"more":[1]}"#);
    let counts: Vec<_> = found.contents.iter().map(|part| (part.holds, part.count)).collect();
    assert_eq!(counts, [(Holds::Bases, Some(1)), (Holds::Scalars, Some(1))]);
    assert_eq!(found.contents[0].curve, Some("bn254-g1"));
    for bad in [&b""[..], b"{", b"ptau", b"zkey\x01\0\0\0\0\0\0\0", b"hello", &[0xff; 100]] {
        assert!(io::inspect_bytes(bad).is_err(), "{bad:?}");
    }
}

//! Every result against c-kzg and rust_eth_kzg.

use ark_bls12_381::Fr;
use ark_ff::Field;
use bucketeer::Device;
use c_kzg::{Blob, Bytes32, Bytes48, ethereum_kzg_settings};
use rust_eth_kzg::{DASContext, TrustedSetup, UsePrecomp};

use crate::blobs::{blob, random};
use crate::fk20::Fk20;
use crate::kzg::{BLOB_BYTES, Prover, elements, to_bytes};
use crate::setup::{ELEMENTS, domain, lagrange, powers};

#[test]
fn commitments_and_proofs_agree_with_c_kzg_and_rust_eth_kzg() {
    let setup = TrustedSetup::default();
    let powers = powers(&setup).unwrap();
    let lagrange = lagrange(&powers).unwrap();
    let device = Device::cpu();
    let provers = [0, 32 << 20].map(|table| Prover::new(&device, &lagrange, table).unwrap());
    let c_kzg = ethereum_kzg_settings(0);
    let rust_eth_kzg = DASContext::new(&setup, UsePrecomp::No);
    let roots = domain().unwrap();
    // Outside of the domain, its first and last elements, and zero.
    let points = [Fr::from(0), Fr::from(5), -Fr::ONE / Fr::from(3), roots[0], roots[4095]];
    let random = (0..3).map(|seed| ("random", random(seed)));
    for (name, blob) in borders().into_iter().chain(random) {
        let array: &[u8; BLOB_BYTES] = blob.as_slice().try_into().unwrap();
        let theirs = Blob::from_bytes(&blob).unwrap();
        let commitment = c_kzg.blob_to_kzg_commitment(&theirs).unwrap().to_bytes().into_inner();
        assert_eq!(rust_eth_kzg.blob_to_kzg_commitment(array).unwrap(), commitment, "{name}");
        let bytes = Bytes48::from(commitment);
        let proof = c_kzg.compute_blob_kzg_proof(&theirs, &bytes).unwrap().to_bytes().into_inner();
        let second = rust_eth_kzg.compute_blob_kzg_proof(array, &commitment).unwrap();
        assert_eq!(second, proof, "{name}");
        for prover in &provers {
            assert_eq!(prover.commit(&blob).unwrap(), commitment, "{name}");
            assert_eq!(prover.prove_blob(&blob, &commitment).unwrap(), proof, "{name}");
        }
        for z in &points {
            let z = to_bytes(z);
            let (proof, y) = c_kzg.compute_kzg_proof(&theirs, &Bytes32::from(z)).unwrap();
            let expected = (proof.to_bytes().into_inner(), *y);
            assert_eq!(provers[0].prove(&blob, &z).unwrap(), expected, "{name}, {z:?}");
        }
    }
}

#[test]
fn cell_proofs_agree_with_c_kzg_and_rust_eth_kzg() {
    let setup = TrustedSetup::default();
    let powers = powers(&setup).unwrap();
    let cells = Fk20::new(&Device::cpu(), &powers, 256 << 10).unwrap();
    let rust_eth_kzg = DASContext::new(&setup, UsePrecomp::No);
    let mut blobs = borders();
    blobs.truncate(3);
    blobs.push(("random", random(9)));
    for (name, blob) in blobs {
        let theirs = Blob::from_bytes(&blob).unwrap();
        let (_, proofs) = ethereum_kzg_settings(0).compute_cells_and_kzg_proofs(&theirs).unwrap();
        let proofs: Vec<_> = proofs.iter().map(|proof| proof.to_bytes().into_inner()).collect();
        let array: &[u8; BLOB_BYTES] = blob.as_slice().try_into().unwrap();
        let (_, second) = rust_eth_kzg.compute_cells_and_kzg_proofs(array).unwrap();
        assert!(second[..] == proofs[..], "{name}");
        assert!(cells.prove(&blob).unwrap() == proofs, "{name}");
    }
}

#[test]
fn what_is_no_blob_is_refused() {
    assert!(elements(&[0; 32]).is_err());
    let mut blob = random(1);
    // The group order itself, as element 3.
    let mut order = to_bytes(&-Fr::ONE);
    order[31] += 1;
    blob[96..128].copy_from_slice(&order);
    let error = elements(&blob).unwrap_err().to_string();
    assert!(error.contains("element 3"), "{error}");
}

/// Borders: zero, constants, r − 1 everywhere, and a single element at either end.
fn borders() -> Vec<(&'static str, Vec<u8>)> {
    let single = |place: usize, value: Fr| {
        blob((0..ELEMENTS).map(move |i| if i == place { value } else { Fr::from(0) }))
    };
    let same = |value: Fr| blob(std::iter::repeat_n(value, ELEMENTS));
    vec![
        ("zero", same(Fr::from(0))),
        ("one everywhere", same(Fr::ONE)),
        ("r - 1 everywhere", same(-Fr::ONE)),
        ("constant", same(Fr::from(0x1234_5678_9abc_def0u64))),
        ("only the first", single(0, Fr::from(7))),
        ("only the last, r - 1", single(ELEMENTS - 1, -Fr::ONE)),
        ("small", blob((0..ELEMENTS as u64).map(Fr::from))),
    ]
}

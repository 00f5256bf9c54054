//! Commitments and proofs of EIP-4844, each one MSM over the Lagrange form of the setup.

use ark_bls12_381::{Fr, G1Affine, G1Projective};
use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, BigInteger, Field, PrimeField, batch_inversion};
use ark_serialize::CanonicalSerialize;
use bucketeer::{Bases, Device};
use sha2::{Digest, Sha256};

use crate::Outcome;
use crate::setup::{ELEMENTS, domain};

/// Bytes of a blob.
pub const BLOB_BYTES: usize = 32 * ELEMENTS;

/// A commitment or proof: a compressed point.
pub type Compressed = [u8; 48];

/// The setup, loaded.
pub struct Prover {
    /// Lagrange points in bit-reversed order.
    bases: Bases<G1Affine>,
    /// Where the blob's polynomial has the blob's values.
    domain: Vec<Fr>,
}

impl Prover {
    /// Loads the setup; with a table of at most `table` bytes if that is not zero.
    pub fn new(device: &Device, lagrange: &[G1Affine], table: u64) -> Outcome<Self> {
        let builder = match table {
            0 => Bases::builder(),
            bytes => Bases::builder().auto_precompute().memory_limit(bytes),
        };
        Ok(Self { bases: builder.load(device, lagrange)?, domain: domain()? })
    }

    /// `blob_to_kzg_commitment`
    pub fn commit(&self, blob: &[u8]) -> Outcome<Compressed> {
        compress(self.bases.msm(&elements(blob)?)?)
    }

    /// `compute_kzg_proof`: the proof that the polynomial has the value y at z, and y.
    pub fn prove(&self, blob: &[u8], z: &[u8; 32]) -> Outcome<(Compressed, [u8; 32])> {
        let z = element(z).ok_or("z is not a field element")?;
        let (quotient, y) = self.quotient(&elements(blob)?, z);
        Ok((compress(self.bases.msm(&quotient)?)?, to_bytes(&y)))
    }

    /// `compute_blob_kzg_proof`: the same at a point that depends on blob and commitment.
    pub fn prove_blob(&self, blob: &[u8], commitment: &Compressed) -> Outcome<Compressed> {
        let mut hash = Sha256::new();
        hash.update(b"FSBLOBVERIFY_V1_");
        hash.update((ELEMENTS as u128).to_be_bytes());
        hash.update(blob);
        hash.update(commitment);
        let z = Fr::from_be_bytes_mod_order(&hash.finalize());
        let (quotient, _) = self.quotient(&elements(blob)?, z);
        compress(self.bases.msm(&quotient)?)
    }

    /// Values of (f − f(z))/(X − z) on the domain, and f(z).
    fn quotient(&self, f: &[Fr], z: Fr) -> (Vec<Fr>, Fr) {
        let domain = &self.domain;
        let mut inverses: Vec<Fr> = domain.iter().map(|root| *root - z).collect();
        let inside = inverses.iter().position(|difference| *difference == Fr::ZERO);
        // A zero stays what it is.
        batch_inversion(&mut inverses);
        let Some(place) = inside else {
            // f(z) = (z^n − 1)/n · Σ fᵢ·ωᵢ/(z − ωᵢ)
            let sum: Fr = (0..ELEMENTS).map(|i| f[i] * domain[i] * inverses[i]).sum();
            let n = Fr::from(ELEMENTS as u64);
            let y = (Fr::ONE - z.pow([ELEMENTS as u64])) / n * sum;
            return ((0..ELEMENTS).map(|i| (f[i] - y) * inverses[i]).collect(), y);
        };
        // z = ωₘ: the values sum to zero when weighted with ωᵢ, since the quotient has a lower
        // degree than n − 1.
        let y = f[place];
        let mut quotient: Vec<Fr> = (0..ELEMENTS).map(|i| (f[i] - y) * inverses[i]).collect();
        let rest: Fr = (0..ELEMENTS).map(|i| quotient[i] * domain[i]).sum();
        quotient[place] = -rest / z;
        (quotient, y)
    }
}

/// The elements of a blob: big-endian integers below the group order.
pub fn elements(blob: &[u8]) -> Outcome<Vec<Fr>> {
    if blob.len() != BLOB_BYTES {
        return Err(format!("a blob has {BLOB_BYTES} bytes, not {}", blob.len()).into());
    }
    let (parts, _) = blob.as_chunks();
    let one = |(i, bytes)| element(bytes).ok_or_else(|| format!("element {i} is too large").into());
    parts.iter().enumerate().map(one).collect()
}

/// A field element from its bytes, if they are those of one.
fn element(bytes: &[u8; 32]) -> Option<Fr> {
    let value = Fr::from_be_bytes_mod_order(bytes);
    (to_bytes(&value) == *bytes).then_some(value)
}

/// The bytes of a field element.
pub fn to_bytes(value: &Fr) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(&value.into_bigint().to_bytes_be());
    bytes
}

/// The encoding of a point.
pub fn compress(point: G1Projective) -> Outcome<Compressed> {
    let mut bytes = [0; 48];
    point.into_affine().serialize_compressed(&mut bytes[..])?;
    Ok(bytes)
}

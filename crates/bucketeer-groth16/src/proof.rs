//! Proofs, and snarkjs' JSON of them.

use ark_ec::AffineRepr;
use ark_ff::{AdditiveGroup, Field, PrimeField};
use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};

use crate::SnarkjsPairing;

/// A Groth16 proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proof<E: SnarkjsPairing> {
    /// A.
    pub a: E::G1Affine,
    /// B.
    pub b: E::G2Affine,
    /// C.
    pub c: E::G1Affine,
}

/// The fields in snarkjs' order.
#[derive(Serialize)]
struct Document {
    pi_a: [String; 3],
    pi_b: [Vec<String>; 3],
    pi_c: [String; 3],
    protocol: &'static str,
    curve: &'static str,
}

impl<E: SnarkjsPairing> Proof<E> {
    /// The contents of snarkjs' `proof.json`.
    pub fn to_json(&self) -> String {
        let g1 = |point: &E::G1Affine| coordinates(point).map(|coordinate| coordinate.concat());
        json(&Document {
            pi_a: g1(&self.a),
            pi_b: coordinates(&self.b),
            pi_c: g1(&self.c),
            protocol: "groth16",
            curve: E::NAME,
        })
    }
}

/// The contents of snarkjs' `public.json`: the public signals.
///
/// ```
/// let signals = [33u64, 7].map(ark_bn254::Fr::from);
/// assert_eq!(bucketeer_groth16::public_to_json(&signals), "[\n \"33\",\n \"7\"\n]");
/// ```
pub fn public_to_json<F: PrimeField>(signals: &[F]) -> String {
    let decimal: Vec<String> = signals.iter().map(decimal).collect();
    json(&decimal)
}

/// Homogeneous coordinates, each as its components.
fn coordinates<C: AffineRepr>(point: &C) -> [Vec<String>; 3] {
    let (zero, one) = (C::BaseField::ZERO, C::BaseField::ONE);
    let (x, y, z) = point.xy().map_or((zero, one, zero), |(x, y)| (x, y, one));
    [x, y, z].map(|element| {
        let components = element.to_base_prime_field_elements();
        components.map(|component| decimal(&component)).collect()
    })
}

fn decimal<F: PrimeField>(element: &F) -> String {
    element.into_bigint().to_string()
}

/// Indented by one blank, as snarkjs does.
fn json(value: &impl Serialize) -> String {
    let mut out = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut out, PrettyFormatter::with_indent(b" "));
    // Strings and arrays can be serialised, and writing to memory cannot fail.
    let _ = value.serialize(&mut serializer);
    String::from_utf8(out).unwrap_or_default()
}

//! The sums that the browser's tests expect, computed here by arkworks alone: they are in a file
//! that those tests read, and this test holds the file to arkworks.

use std::path::Path;

use ark_ec::CurveGroup;
use bucketeer::Curve;
use bucketeer::curves::{CURVES, NamedCurve, Visitor};
use bucketeer::io::point_to_json;
use bucketeer::random::{Distribution, KnownBases};
use serde_json::{Value, json};

const N: usize = 256;
const SEED: u64 = 1;

/// Every base times its scalar, one by one.
struct OneByOne(Distribution);

impl Visitor for OneByOne {
    type Output = Value;

    fn visit<C: Curve>(self, _: &'static NamedCurve) -> Value {
        let bases = KnownBases::<C>::new(N, SEED);
        let scalars = self.0.scalars::<C::ScalarField>(N, SEED);
        let sum: C::Group = bases.points.iter().zip(scalars).map(|(base, k)| *base * k).sum();
        point_to_json(&sum.into_affine())
    }
}

/// `BUCKETEER_BLESS=1` writes the file.
#[test]
fn sums_for_the_browser_are_those_of_arkworks() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bucketeer-web/tests/expected.json");
    let sums = |kind: Distribution| -> Value {
        CURVES.iter().map(|curve| (curve.name.to_string(), curve.visit(OneByOne(kind)))).collect()
    };
    let expected = json!({
        "n": N,
        "seed": SEED,
        "uniform": sums(Distribution::Uniform),
        "skewed": sums(Distribution::Skewed),
    });
    if std::env::var_os("BUCKETEER_BLESS").is_some() {
        std::fs::write(&path, format!("{expected:#}\n")).expect("the file can be written");
    }
    let text = std::fs::read_to_string(&path).expect("the file is there");
    let written: Value = serde_json::from_str(&text).expect("the file is JSON");
    assert_eq!(written, expected);
}

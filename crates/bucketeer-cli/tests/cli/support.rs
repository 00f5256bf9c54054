//! Running the tool, and points to give it.

use std::path::Path;

use ark_bls12_381::{Fq, Fr, G1Affine, G1Projective};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, Field, PrimeField};
use assert_cmd::Command;
use num_bigint::BigUint;
use serde_json::{Value, json};

/// The outcome of one call.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Runs `bucketeer` with arguments separated by blanks; `{}` stands for the next of `paths`.
pub fn bucketeer(line: &str, paths: &[&Path]) -> Ran {
    bucketeer_with(line, paths, &[])
}

/// The same with variables of the environment.
pub fn bucketeer_with(line: &str, paths: &[&Path], variables: &[(&str, &Path)]) -> Ran {
    let mut paths = paths.iter();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bucketeer"));
    // The same on machines with and without a GPU.
    command.env("CUDA_VISIBLE_DEVICES", "");
    command.envs(variables.iter().copied());
    for argument in line.split_whitespace() {
        match argument {
            "{}" => command.arg(paths.next().expect("a path for every {}")),
            other => command.arg(other),
        };
    }
    assert!(paths.next().is_none(), "a {{}} for every path");
    finished(command.output().expect("the tool starts"))
}

/// The outcome of a process that ended by itself.
pub fn finished(output: std::process::Output) -> Ran {
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    Ran {
        code: output.status.code().expect("the tool is not killed by a signal"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

impl Ran {
    /// Expects success and nothing on stderr; yields stdout.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "stdout: {}", self.stdout);
        self.stdout
    }

    /// Expects success and one line of JSON; yields the object.
    #[track_caller]
    pub fn json(self) -> Value {
        let stdout = self.ok();
        assert_eq!(stdout.matches('\n').count(), 1, "{stdout}");
        let value: Value = serde_json::from_str(&stdout).expect("stdout is JSON");
        assert!(value.is_object(), "{stdout}");
        value
    }

    /// Expects this exit code, nothing on stdout, and an error that contains every one of `words`.
    #[track_caller]
    pub fn fails(self, code: i32, words: &[&str]) {
        assert_eq!((self.code, self.stdout.as_str()), (code, ""), "stderr: {}", self.stderr);
        assert!(self.stderr.starts_with("error: "), "{}", self.stderr);
        for word in words {
            assert!(self.stderr.contains(word), "no \"{word}\" in: {}", self.stderr);
        }
    }
}

/// A BLS12-381 point in the JSON form.
pub fn point(point: impl Into<G1Affine>) -> Value {
    let hex = |element: Fq| format!("{:#x}", BigUint::from(element.into_bigint()));
    point.into().xy().map_or(Value::Null, |(x, y)| json!([hex(x), hex(y)]))
}

/// `k` times the generator, in the JSON form.
pub fn multiple(k: u64) -> Value {
    point(G1Affine::generator() * Fr::from(k))
}

/// The order of BLS12-381's groups.
pub fn order() -> BigUint {
    Fr::MODULUS.into()
}

/// A point of the curve outside the prime-order subgroup.
pub fn outside_subgroup() -> G1Affine {
    let candidates = (1u64..).map(Fq::from);
    let points = candidates.filter_map(|x| G1Affine::get_point_from_x_unchecked(x, true));
    let mut outside = points.filter(|point| !point.is_in_correct_subgroup_assuming_on_curve());
    outside.next().expect("the cofactor is not 1")
}

/// `k·P` for any point, by doubling and adding.
pub fn times(k: &BigUint, point: G1Affine) -> G1Affine {
    let mut sum = G1Projective::ZERO;
    for bit in (0..k.bits()).rev() {
        sum.double_in_place();
        if k.bit(bit) {
            sum += point;
        }
    }
    sum.into_affine()
}

/// A point whose coordinates satisfy no equation.
pub fn off_curve() -> Value {
    let generator = G1Affine::generator();
    point(G1Affine::new_unchecked(generator.x, generator.y + Fq::ONE))
}

/// A JSON input for BLS12-381.
pub fn input(bases: &[Value], scalars: &[&str]) -> String {
    json!({ "curve": "bls12-381", "bases": bases, "scalars": scalars }).to_string()
}

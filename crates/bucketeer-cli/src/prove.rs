//! `bucketeer prove`: a Groth16 proof from snarkjs' files, in snarkjs' JSON.
//!
//! 1. Read and check the key, load it onto the device, read the witness.
//! 2. Prove, and verify the proof.
//! 3. Write both files, or neither.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bucketeer::Error;
use bucketeer::io::{ReadOptions, ZkeyFile, write_together};
use bucketeer_groth16::any::read_key;
use bucketeer_groth16::{Builder, Error as ProofError};
use serde::Serialize;
use serde_json::Value;

use crate::args::DeviceArgs;
use crate::failure::Failure;
use crate::output::{self, Outcome, Table, resolved};
use crate::progress::Activity;
use crate::units;

#[derive(clap::Args)]
pub struct Args {
    /// Proving key: snarkjs' .zkey, for Groth16 on bn254 or bls12-381
    key: PathBuf,
    /// Witness: snarkjs' or circom's .wtns
    witness: PathBuf,
    /// File to write the proof to
    proof: PathBuf,
    /// File to write the public signals to
    public: PathBuf,
    #[command(flatten)]
    device: DeviceArgs,
    /// Limit on the memory of the sums beyond key and witness, e.g. 512MiB or 4GiB
    #[arg(long, value_name = "BYTES", value_parser = units::parse_bytes)]
    memory_limit: Option<u64>,
    /// Vouch that the points of the key lie in the prime-order subgroup
    #[arg(long)]
    no_subgroup_check: bool,
    /// Do not verify the proof: one of a witness that does not satisfy the circuit is written, too
    #[arg(long)]
    no_verify: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What is printed.
#[derive(Serialize)]
struct Answer {
    curve: &'static str,
    signals: usize,
    public: usize,
    domain: usize,
    device: String,
    seconds: f64,
    /// Seconds per stage.
    stages: serde_json::Map<String, Value>,
    /// The same, in order.
    #[serde(skip)]
    times: Vec<(&'static str, f64)>,
    verified: bool,
    proof: String,
    public_signals: String,
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    if resolved(&args.proof) == resolved(&args.public) {
        let path = args.proof.display();
        return Err(Failure::Usage(format!(
            "proof and public signals go to the same file, {path}"
        )));
    }
    let answer = prove(args)?;
    if args.json { output::json(&answer) } else { Ok(text(&answer)) }
}

fn prove(args: &Args) -> Result<Answer, Failure> {
    let device = args.device.open()?;
    let activity = Activity::spinner("reading the key");
    let mut clock = Clock::new();
    let file = ZkeyFile::open(&args.key)?;
    let options = ReadOptions { subgroup_check: !args.no_subgroup_check, ..Default::default() };
    let in_key = |error| failure(error, &args.key);
    let key = read_key(&file, &options).map_err(in_key)?;
    drop(file);
    clock.stage("read key");
    let mut builder = Builder::default();
    if let Some(bytes) = args.memory_limit {
        builder = builder.memory_limit(bytes);
    }
    activity.say("loading the key");
    let curve = key.curve();
    let prover = key.load(&device, &builder).map_err(in_key)?;
    clock.stage("load key");

    let in_witness = |error| failure(error, &args.witness);
    activity.say("reading the witness");
    let witness = prover.read(&args.witness).map_err(in_witness)?;
    clock.stage("read witness");
    activity.say("proving");
    let proof = witness.prove().map_err(in_witness)?;
    let stages = proof.stages();
    clock.stages(stages.map(|(stage, time)| (stage.name(), time)));
    if !args.no_verify {
        activity.say("verifying");
        proof.verify().map_err(in_witness)?;
        clock.stage("verify");
    }
    let [proof_text, public_text] = proof.to_json();
    let files: [(&Path, &[u8]); 2] =
        [(&args.proof, proof_text.as_bytes()), (&args.public, public_text.as_bytes())];
    write_together(&files)?;
    clock.stage("write");
    Ok(Answer {
        curve,
        signals: prover.signals(),
        public: prover.public(),
        domain: prover.domain(),
        device: device.to_string(),
        seconds: clock.total().as_secs_f64(),
        stages: clock.seconds().map(|(name, time)| (name.into(), time.into())).collect(),
        times: clock.seconds().collect(),
        verified: !args.no_verify,
        proof: args.proof.display().to_string(),
        public_signals: args.public.display().to_string(),
    })
}

/// The failure for an error that is about this file.
fn failure(error: ProofError, path: &Path) -> Failure {
    match error {
        ProofError::Library(error) => error.into(),
        other => Error::File { path: path.into(), reason: other.to_string() }.into(),
    }
}

fn text(answer: &Answer) -> String {
    let mut out = String::new();
    let Answer { curve, signals, public, domain, device, .. } = answer;
    let (signals, domain) = (units::size(*signals), units::size(*domain));
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{curve}: {signals} signals, {public} public, domain {domain}");
    let _ = writeln!(out, "{device}\n");
    let mut table = Table::new(&["stage", "time", "share"], 1);
    let mut row = |name: &str, seconds: f64| {
        let share = format!("{:.1} %", 100.0 * seconds / answer.seconds.max(1e-9));
        table.row(vec![name.into(), units::seconds(seconds), share]);
    };
    for (name, seconds) in &answer.times {
        row(name, *seconds);
    }
    row("total", answer.seconds);
    let verified = if answer.verified { "ok" } else { "no" };
    let _ = writeln!(out, "{}verified: {verified}", table.text());
    let _ = writeln!(out, "{}: the proof", answer.proof);
    let _ = writeln!(out, "{}: the public signals", answer.public_signals);
    out
}

/// Times of stages, one after the other.
struct Clock {
    last: Instant,
    stages: Vec<(&'static str, Duration)>,
}

impl Clock {
    fn new() -> Self {
        Self { last: Instant::now(), stages: Vec::new() }
    }

    /// Ends a stage, which began where the last one ended.
    fn stage(&mut self, name: &'static str) {
        let now = Instant::now();
        self.stages([(name, now - self.last)]);
    }

    /// Adds stages that were timed elsewhere.
    fn stages<const N: usize>(&mut self, stages: [(&'static str, Duration); N]) {
        self.stages.extend(stages);
        self.last = Instant::now();
    }

    fn total(&self) -> Duration {
        self.stages.iter().map(|(_, time)| *time).sum()
    }

    fn seconds(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.stages.iter().map(|(name, time)| (*name, time.as_secs_f64()))
    }
}

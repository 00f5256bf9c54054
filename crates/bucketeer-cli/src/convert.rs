//! `bucketeer convert`: validates a file of bases and writes it in another format.

use std::path::{Path, PathBuf};

use bucketeer::curves::NamedCurve;
use bucketeer::io::{Encoding, ReadOptions};
use serde_json::json;

use crate::args;
use crate::failure::Failure;
use crate::output::{self, Outcome};
use crate::progress::Activity;
use crate::units;

#[derive(clap::Args)]
pub struct Args {
    /// File of bases: .ptau, .zkey, arkworks, JSON, gnark, bellman or Ignition; see
    /// `bucketeer inspect`
    #[arg(long_help = args::BASES)]
    input: PathBuf,
    /// File to write
    output: PathBuf,
    /// Curve, e.g. bls12-377 or bn254-g2
    #[arg(long, value_name = "CURVE", value_parser = args::curve, long_help = args::curve_help())]
    curve: &'static NamedCurve,
    /// Section of a .ptau or .zkey file, such as tau-g1, lagrange-g1:10 or a
    #[arg(long, value_name = "NAME", long_help = args::SECTIONS)]
    section: Option<String>,
    /// Bases to convert, the first ones: 1000 or 2^20 [default: all]
    #[arg(short, value_name = "SIZE", value_parser = units::parse_size)]
    n: Option<usize>,
    /// Format to write [default: json for a .json file, otherwise compressed]
    #[arg(long, value_name = "FORMAT")]
    to: Option<Target>,
    /// Vouch that the points lie in the prime-order subgroup
    #[arg(long)]
    no_subgroup_check: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Target {
    /// Arkworks, one coordinate and a sign
    Compressed,
    /// Arkworks, both coordinates
    Uncompressed,
    /// JSON
    Json,
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    let n = convert(args)?;
    if args.json {
        let (input, output) = (args.input.display(), args.output.display());
        return output::json(&json!({
            "curve": args.curve.name,
            "n": n,
            "input": input.to_string(),
            "output": output.to_string(),
        }));
    }
    Ok(format!("{}: {} bases of {}\n", args.output.display(), units::size(n), args.curve))
}

/// Reads and writes; yields how many points there are.
fn convert(args: &Args) -> Result<usize, Failure> {
    let Args { input, output, section, to, no_subgroup_check, .. } = args;
    let _activity = Activity::spinner("converting");
    let subgroup_check = !no_subgroup_check;
    let options = ReadOptions { subgroup_check, first: args.n, ..ReadOptions::default() };
    let points = args.curve.any().read_bases(input, section.as_deref(), &options)?;
    match to.unwrap_or_else(|| target_of(output)) {
        Target::Compressed => points.write(output, Encoding::Compressed)?,
        Target::Uncompressed => points.write(output, Encoding::Uncompressed)?,
        Target::Json => points.write_json(output, None)?,
    }
    Ok(points.len())
}

fn target_of(path: &Path) -> Target {
    let json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    if json { Target::Json } else { Target::Compressed }
}

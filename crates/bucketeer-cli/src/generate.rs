//! `bucketeer generate`: random bases and scalars in files, the same that `msm` makes from the
//! seed.

use std::path::{Path, PathBuf};
use std::time::Instant;

use bucketeer::Device;
use bucketeer::curves::NamedCurve;
use bucketeer::io::Encoding;
use serde::Serialize;

use crate::args::{self, RandomArgs};
use crate::failure::Failure;
use crate::output::{self, Outcome, resolved};
use crate::progress::Activity;
use crate::{memory, units};

#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("targets").required(true).multiple(true)
    .args(["output", "bases", "scalars"]))]
pub struct Args {
    /// Curve, e.g. bls12-377 or bn254-g2
    #[arg(long, value_name = "CURVE", value_parser = args::curve, long_help = args::curve_help())]
    curve: &'static NamedCurve,
    /// Bases and scalars: 1000 or 2^20
    #[arg(short, value_name = "SIZE", value_parser = units::parse_size)]
    n: usize,
    #[command(flatten)]
    random: RandomArgs,
    /// JSON file to write, with bases and scalars
    #[arg(long, value_name = "FILE", conflicts_with_all = ["bases", "scalars", "uncompressed"])]
    output: Option<PathBuf>,
    /// File of bases to write, in arkworks' serialisation
    #[arg(long, value_name = "FILE")]
    bases: Option<PathBuf>,
    /// File of scalars to write, in arkworks' serialisation
    #[arg(long, value_name = "FILE")]
    scalars: Option<PathBuf>,
    /// Write both coordinates of every base: twice the size, much faster to read
    #[arg(long)]
    uncompressed: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listing {
    curve: &'static str,
    n: usize,
    seed: u64,
    distribution: &'static str,
    seconds: f64,
    files: Vec<Written>,
}

#[derive(Serialize)]
struct Written {
    path: String,
    holds: &'static str,
    bytes: u64,
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    if let (Some(bases), Some(scalars)) = (&args.bases, &args.scalars)
        && resolved(bases) == resolved(scalars)
    {
        return Err(Failure::Usage(format!(
            "--bases and --scalars are the same file, {}",
            bases.display()
        )));
    }
    let started = Instant::now();
    let files = generate(args)?;
    let listing = Listing {
        curve: args.curve.name,
        n: args.n,
        seed: args.random.seed,
        distribution: args.random.distribution_name(),
        seconds: started.elapsed().as_secs_f64(),
        files,
    };
    if args.json {
        return output::json(&listing);
    }
    let (n, time) = (units::size(args.n), units::seconds(listing.seconds));
    let line = |file: &Written| {
        format!("{}: {n} {}, {}\n", file.path, file.holds, units::bytes(file.bytes.into()))
    };
    let lines: String = listing.files.iter().map(line).collect();
    Ok(format!("{lines}{} from seed {}, in {time}\n", args.curve, args.random.seed))
}

fn generate(args: &Args) -> Result<Vec<Written>, Failure> {
    let (curve, n, seed) = (args.curve.any(), args.n, args.random.seed);
    memory::Job { n, batch: 1, settings: None }.check(&*curve, &Device::cpu())?;
    let _activity = Activity::spinner("generating");
    let points = || curve.random_bases(n, seed);
    let scalars = || curve.random_scalars(args.random.distribution, n, seed);
    let mut written = Vec::new();
    if let Some(path) = &args.output {
        points().write_json(path, Some(&scalars()))?;
        written.push(entry(path, "bases and scalars"));
    }
    if let Some(path) = &args.bases {
        let encoding =
            if args.uncompressed { Encoding::Uncompressed } else { Encoding::Compressed };
        points().write(path, encoding)?;
        written.push(entry(path, "bases"));
    }
    if let Some(path) = &args.scalars {
        scalars().write(path)?;
        written.push(entry(path, "scalars"));
    }
    Ok(written)
}

fn entry(path: &Path, holds: &'static str) -> Written {
    let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    Written { path: path.display().to_string(), holds, bytes }
}

//! `bucketeer precompute`: the table of bases, in a file.

use std::path::PathBuf;
use std::time::Instant;

use bucketeer::any::RunOptions;
use bucketeer::curves::NamedCurve;
use bucketeer::io::ReadOptions;
use bucketeer::plan::Accumulate;
use serde::Serialize;

use crate::args::{self, DeviceArgs, PlanArgs};
use crate::output::{self, Outcome};
use crate::progress::Activity;
use crate::units;

/// Up to this many bases would be held as multiples, without a table.
const FEW: usize = 64;

#[derive(clap::Args)]
pub struct Args {
    /// Curve, e.g. bls12-377 or bn254-g2
    #[arg(long, value_name = "CURVE", value_parser = args::curve, long_help = args::curve_help())]
    curve: &'static NamedCurve,
    /// File of bases: .ptau, .zkey, arkworks, JSON, gnark, bellman or Ignition; see
    /// `bucketeer inspect`
    #[arg(long, value_name = "FILE", long_help = args::BASES)]
    bases: PathBuf,
    /// Table to write
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Section of a .ptau or .zkey file, such as tau-g1, lagrange-g1:10 or a
    #[arg(long, value_name = "NAME", long_help = args::SECTIONS)]
    section: Option<String>,
    /// Bases of the table, the first ones: 1000 or 2^20 [default: all]
    #[arg(short, value_name = "SIZE", value_parser = units::parse_size)]
    n: Option<usize>,
    /// Vouch that the points lie in the prime-order subgroup; for other points use --any-point
    #[arg(long)]
    no_subgroup_check: bool,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    plan: PlanArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listing {
    curve: &'static str,
    n: usize,
    output: String,
    bytes: u64,
    copies: u32,
    odd_multiples: u32,
    window_bits: u32,
    read_seconds: f64,
    seconds: f64,
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    let device = args.device.open_for_table()?;
    let activity = Activity::spinner("reading the bases");
    let started = Instant::now();
    let subgroup_check = !args.no_subgroup_check && !args.plan.any_point;
    let options = ReadOptions { subgroup_check, first: args.n, ..ReadOptions::default() };
    let points = args.curve.any().read_bases(&args.bases, args.section.as_deref(), &options)?;
    let read_seconds = started.elapsed().as_secs_f64();
    activity.say("making the table");
    let started = Instant::now();
    let mut settings = args.plan.settings(None, points.len());
    // A table of one copy is not worth a file, unless it was requested.
    settings.auto_precompute |= settings.precompute.is_none() && settings.odd_multiples.is_none();
    if points.len() <= FEW {
        settings.accumulate = settings.accumulate.or(Some(Accumulate::Slices));
    }
    let bases = points.load(&device, points.len(), &RunOptions { settings, hook: None })?;
    bases.save(&args.output)?;
    let shape = bases.plan().shape;
    let listing = Listing {
        curve: args.curve.name,
        n: bases.len(),
        output: args.output.display().to_string(),
        bytes: std::fs::metadata(&args.output).map_or(0, |metadata| metadata.len()),
        copies: shape.precompute,
        odd_multiples: shape.odd_multiples,
        window_bits: shape.window_bits,
        read_seconds,
        seconds: started.elapsed().as_secs_f64(),
    };
    drop(activity);
    if args.json {
        return output::json(&listing);
    }
    Ok(format!(
        "{}: {} bases of {}, {} copies, {} odd multiple(s), {}\nread in {}, made and written in {}\n",
        listing.output,
        units::size(listing.n),
        args.curve,
        listing.copies,
        listing.odd_multiples,
        units::bytes(listing.bytes.into()),
        units::seconds(read_seconds),
        units::seconds(listing.seconds)
    ))
}

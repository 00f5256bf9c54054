//! Options that several commands share.

use std::cell::OnceCell;
use std::path::PathBuf;

use bucketeer::curves::{CURVES, NamedCurve};
use bucketeer::plan::{Accumulate, Digits, Group, Preset, Reduce, Request, Settings};
use bucketeer::random::Distribution;
use bucketeer::{Device, DeviceFacts, Error, Rates};
use clap::builder::RangedU64ValueParser;

use crate::failure::Failure;
use crate::{ranks, units};

/// The largest number of threads that the library starts.
const MAX_THREADS: u64 = 4096;

/// The help of an option for a file of bases.
pub const BASES: &str = "File of bases, in a format that its contents tell:

  .ptau     powers of tau of snarkjs; --section selects the points
  .zkey     proving key of snarkjs; --section selects the points
  arkworks  canonical serialisation of a vector, compressed or not
  json      {\"curve\": …, \"bases\": [[\"0x…\", \"0x…\"], null]}
  gnark     raw encoding of a slice of points
  bellman   Groth16 parameters: a, b1, b2, h, l, ic; single points as in a .zkey
  ignition  transcript of Aztec's Ignition ceremony

`bucketeer inspect FILE` says what a file holds.";

/// The help of an option for a file of scalars.
pub const SCALARS: &str = "File of scalars, one per base and MSM of the --batch. Its format:

  .wtns     witness of snarkjs
  arkworks  canonical serialisation of a vector of field elements
  json      {\"curve\": …, \"scalars\": [\"0x…\", \"123\"]}

Without it, scalars are random: see --seed and --distribution.";

/// The help of an option for a section of points.
pub const SECTIONS: &str = "Section of a .ptau or .zkey file:

  .ptau            tau-g1, tau-g2, alpha-tau-g1, beta-tau-g1, beta-g2
  prepared .ptau   lagrange-g1, lagrange-g2, lagrange-alpha-g1, lagrange-beta-g1;
                   lagrange-g1:10 is the basis of 2^10 points
  .zkey (Groth16)  a, b1, b2, c, h, ic; alpha-g1, beta-g1, beta-g2, gamma-g2,
                   delta-g1, delta-g2
  .zkey (others)   tau-g1

[default: tau-g1 and a on a curve of G1, tau-g2 and b2 of G2]";

/// The help of an option for a curve.
pub fn curve_help() -> String {
    let names: Vec<_> = CURVES.iter().map(|curve| curve.name).collect();
    format!(
        "Curve: {}. A pairing curve without -g1 or -g2 is its G1. Other spellings, such as bn128 \
         and BLS12_381, are accepted",
        names.join(", ")
    )
}

/// What plans are made with.
#[derive(clap::Args)]
pub struct RatesArgs {
    /// Plan with the rates in this file, as `bench --calibrate` writes it [default: the file that
    /// BUCKETEER_RATES names, or those built in]
    #[arg(long, value_name = "FILE")]
    pub rates: Option<PathBuf>,
}

impl RatesArgs {
    /// The rates to plan with.
    pub fn read(&self) -> Result<Rates, Error> {
        let found = match &self.rates {
            Some(path) => Some(Rates::read(path)?),
            None => Rates::from_environment()?,
        };
        Ok(found.unwrap_or(*Rates::built_in()))
    }
}

/// Where to run.
#[derive(clap::Args)]
pub struct DeviceArgs {
    /// Device: auto, cpu, cuda[:i] or webgpu[:i]; cuda:0,1 splits every MSM across GPUs. With auto,
    /// msm takes the one predicted to end first, tables are for the CPU, and all else takes an
    /// NVIDIA GPU if there is one
    #[arg(long, value_name = "DEVICE", default_value = AUTO)]
    pub device: String,
    /// CPU threads; with --mpi of each rank [default: all, with --mpi a rank's part of them]
    #[arg(long, value_name = "COUNT", value_parser = threads())]
    pub threads: Option<usize>,
    /// Use portable arithmetic only: no vector instructions on a CPU, no 64-bit integers with
    /// WebGPU
    #[arg(long)]
    pub portable: bool,
    #[command(flatten)]
    pub rates: RatesArgs,
}

/// A number of threads.
pub fn threads() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=MAX_THREADS)
}

impl DeviceArgs {
    /// Opens the device; `auto` is an NVIDIA GPU if there is one, else the CPU.
    ///
    /// With `--mpi` every rank opens its own, and the device is that of all ranks.
    pub fn open(&self) -> Result<Device, Failure> {
        self.start()?.open(|| Device::named(&self.device))
    }

    /// Opens the device for tables that are kept in files, which are of CPUs: `auto` is the CPU.
    pub fn open_for_table(&self) -> Result<Device, Failure> {
        self.start()?.for_table().cloned()
    }

    /// A device for work of which the size is not yet known. One that is named is opened now.
    pub fn later(&self) -> Result<Later<'_>, Failure> {
        let later = self.start()?;
        // Ranks agree on their devices before they read anything.
        if self.device != AUTO || ranks::current().is_some() {
            later.set(later.open(|| Device::named(&self.device)))?;
        }
        Ok(later)
    }

    /// Reads the rates, and sizes the global pool by `--threads`, so that it also limits generation
    /// and checks of the input.
    fn start(&self) -> Result<Later<'_>, Failure> {
        let started = || {
            let rates = self.rates.read()?;
            if let Some(threads) = self.threads.or(ranks::threads()) {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                pool.build_global().map_err(|error| Error::InvalidSetting {
                    setting: "threads",
                    value: threads.to_string(),
                    reason: error.to_string(),
                })?;
            }
            Ok(rates)
        };
        let rates = ranks::agree(started().map_err(Failure::Library))?;
        Ok(Later { args: self, rates, device: OnceCell::new() })
    }
}

/// The device that depends on what is to be computed.
const AUTO: &str = "auto";

/// A device that is opened when the size of the work is known.
pub struct Later<'a> {
    args: &'a DeviceArgs,
    rates: Rates,
    device: OnceCell<Device>,
}

impl Later<'_> {
    /// The device: if it is `auto` and this is the first call, the one predicted to end this work
    /// first.
    pub fn for_request<'r>(
        &self,
        request: impl Fn(DeviceFacts) -> Request<'r>,
    ) -> Result<&Device, Failure> {
        self.or_open(|| Ok(Device::best_for_request(request).0))
    }

    /// The device for a table in a file.
    pub fn for_table(&self) -> Result<&Device, Failure> {
        self.or_open(|| {
            Device::named(if self.args.device == AUTO { "cpu" } else { &self.args.device })
        })
    }

    fn or_open(&self, open: impl FnOnce() -> Result<Device, Error>) -> Result<&Device, Failure> {
        match self.device.get() {
            Some(device) => Ok(device),
            None => self.set(self.open(open)),
        }
    }

    fn set(&self, opened: Result<Device, Failure>) -> Result<&Device, Failure> {
        let opened = opened?;
        Ok(self.device.get_or_init(|| opened))
    }

    fn open(&self, open: impl FnOnce() -> Result<Device, Error>) -> Result<Device, Failure> {
        let own = || -> Result<Device, Error> {
            let device = match ranks::current() {
                Some(ranks) => Device::named_for_rank(&self.args.device, &*ranks)?,
                None => open()?,
            };
            let device = device.with_rates(&self.rates);
            if self.args.portable { device.portable() } else { Ok(device) }
        };
        Ok(ranks::over(ranks::agree(own().map_err(Failure::Library))?))
    }
}

/// How many copies of each base a table holds.
#[derive(Clone, Copy)]
pub enum Precompute {
    /// The plan chooses.
    Auto,
    /// This many.
    Factor(u32),
}

fn precompute(text: &str) -> Result<Precompute, String> {
    match text {
        "auto" => Ok(Precompute::Auto),
        _ => text.parse().map(Precompute::Factor).map_err(|_| "expected a number or auto".into()),
    }
}

/// Settings of the plan.
#[derive(clap::Args)]
pub struct PlanArgs {
    /// Bits of a window, 1 to 26 [default: the plan chooses]
    #[arg(long, value_name = "BITS")]
    pub window_bits: Option<u32>,
    /// Shifted copies of each base to store, or auto: the fastest table that fits in memory
    #[arg(long, value_name = "FACTOR", value_parser = precompute)]
    pub precompute: Option<Precompute>,
    /// Odd multiples of each copy to store, a power of two up to 1024; CPU only
    #[arg(long, value_name = "COUNT")]
    pub odd_multiples: Option<u32>,
    /// Digits: signed or unsigned
    #[arg(long, value_name = "KIND", value_parser = digits)]
    pub digits: Option<Digits>,
    /// Group stage: sort or csr
    #[arg(long, value_name = "WAY", value_parser = group)]
    pub group_by: Option<Group>,
    /// Accumulate stage: slices, affine, per-bucket, fused-sweep, in-place or straus
    #[arg(long, value_name = "WAY", value_parser = accumulate)]
    pub accumulate_by: Option<Accumulate>,
    /// Reduce stage: window-splitting, running-sum or sliced:COUNT
    #[arg(long, value_name = "WAY", value_parser = reduce)]
    pub reduce_by: Option<Reduce>,
    /// Maximum number of bases per chunk
    #[arg(long, value_name = "SIZE", value_parser = units::parse_size)]
    pub chunk: Option<usize>,
    /// Limit on memory beyond the inputs, e.g. 512MiB or 4GiB. Files whose bases and scalars exceed
    /// it are read chunk by chunk, within the limit
    #[arg(long, value_name = "BYTES", value_parser = units::parse_bytes)]
    pub memory_limit: Option<u64>,
    /// Compute correctly for points outside the prime-order subgroup, too
    #[arg(long)]
    pub any_point: bool,
}

impl PlanArgs {
    /// These settings over those of a preset for `n` bases.
    pub fn settings(&self, preset: Option<&'static Preset>, n: usize) -> Settings {
        let mut settings = Settings::default();
        settings.window_bits = self.window_bits;
        match self.precompute {
            Some(Precompute::Factor(factor)) => settings.precompute = Some(factor),
            Some(Precompute::Auto) => settings.auto_precompute = true,
            None => {}
        }
        settings.odd_multiples = self.odd_multiples;
        settings.digits = self.digits;
        settings.group = self.group_by;
        settings.accumulate = self.accumulate_by;
        settings.reduce = self.reduce_by;
        settings.chunk = self.chunk;
        settings.memory_limit = self.memory_limit;
        settings.any_point = self.any_point;
        match preset {
            Some(preset) => settings.over(preset, n),
            None => settings,
        }
    }
}

/// Random input.
#[derive(clap::Args)]
pub struct RandomArgs {
    /// Seed of random bases and scalars
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
    /// Distribution of random scalars
    #[arg(long, value_name = "KIND", default_value = "uniform", value_parser = distribution,
          long_help = distribution_help())]
    pub distribution: Distribution,
}

impl RandomArgs {
    /// The distribution's name.
    pub fn distribution_name(&self) -> &'static str {
        let found = Distribution::ALL.iter().find(|(_, kind)| *kind == self.distribution);
        found.map_or("", |(name, _)| name)
    }
}

fn distribution_help() -> String {
    let names = Distribution::ALL.map(|(name, _)| name).join(", ");
    format!("Distribution of random scalars: {names}")
}

fn unknown(what: &'static str, name: &str, expected: &str) -> Error {
    Error::UnknownName { what, name: name.into(), expected: expected.into() }
}

fn digits(name: &str) -> Result<Digits, Error> {
    match name {
        "signed" => Ok(Digits::Signed),
        "unsigned" => Ok(Digits::Unsigned),
        _ => Err(unknown("kind of digits", name, "signed, unsigned")),
    }
}

fn group(name: &str) -> Result<Group, Error> {
    match name {
        "sort" => Ok(Group::Sort),
        "csr" => Ok(Group::Csr),
        _ => Err(unknown("way to group", name, "sort, csr")),
    }
}

fn accumulate(name: &str) -> Result<Accumulate, Error> {
    match name {
        "slices" => Ok(Accumulate::Slices),
        "affine" => Ok(Accumulate::BatchedAffine),
        "per-bucket" => Ok(Accumulate::PerBucket),
        "fused-sweep" => Ok(Accumulate::FusedSweep),
        "in-place" => Ok(Accumulate::InPlace),
        "straus" => Ok(Accumulate::Straus),
        _ => {
            let expected = "slices, affine, per-bucket, fused-sweep, in-place, straus";
            Err(unknown("way to accumulate", name, expected))
        }
    }
}

fn reduce(name: &str) -> Result<Reduce, Error> {
    let slices = name.strip_prefix("sliced:").and_then(|count| count.parse().ok());
    match (name, slices) {
        ("window-splitting", _) => Ok(Reduce::WindowSplitting),
        ("running-sum", _) => Ok(Reduce::RunningSum),
        (_, Some(slices @ 1..)) => Ok(Reduce::SlicedRunningSum { slices }),
        _ => {
            let expected = "window-splitting, running-sum, sliced:COUNT";
            Err(unknown("way to reduce", name, expected))
        }
    }
}

/// Parses the name of a curve.
pub fn curve(name: &str) -> Result<&'static NamedCurve, Error> {
    NamedCurve::named(name)
}

/// Parses the name of a preset.
pub fn preset(name: &str) -> Result<&'static Preset, Error> {
    Preset::named(name)
}

fn distribution(name: &str) -> Result<Distribution, Error> {
    Distribution::named(name)
}

//! The command line.

use std::path::PathBuf;

use bucketeer::Error;
use bucketeer::curves::{CURVES, NamedCurve};
use bucketeer::random::Distribution;
use clap::Parser;

/// A kind of scalars and its name.
pub type Kind = (&'static str, Distribution);

/// How bases that are loaded beforehand are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resident {
    /// As they are.
    Plain,
    /// With shifted copies.
    Precomputed,
}

/// Scalars on which an MSM may take less time than on uniform ones, and must not take more.
pub const SKEWED: [Kind; 4] = [
    ("skewed", Distribution::Skewed),
    ("equal", Distribution::Equal),
    ("mostly-zero", Distribution::MostlyZero),
    ("minus-one", Distribution::MinusOne),
];

/// Bucketeer beside arkworks, blst and halo2curves on the same points and scalars.
#[derive(Debug, Parser)]
#[command(bin_name = "./bench")]
pub struct Options {
    /// Only this curve; may be repeated. Default: every named curve.
    #[arg(long = "curve", value_name = "NAME", value_parser = NamedCurve::named)]
    curves: Vec<&'static NamedCurve>,

    /// Base-two logarithms of the sizes. Default: 10,14,18,20, with --skew 18.
    #[arg(long, value_name = "LIST", value_delimiter = ',',
          value_parser = clap::value_parser!(u32).range(0..=26))]
    sizes: Vec<u32>,

    /// Only scalars of this kind; may be repeated. Default: uniform and the four skewed kinds.
    #[arg(long = "distribution", value_name = "NAME", value_parser = kind, conflicts_with = "skew")]
    distributions: Vec<Kind>,

    /// Threads of the pool that all but blst share. Default: one per processor.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    threads: Option<u16>,

    /// Counts exactly this many rounds. Default: at least 3, and half a second per contestant.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: Option<u32>,

    /// Writes every sample to this file.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Also shows Bucketeer with its bases loaded beforehand.
    #[arg(long, conflicts_with = "skew")]
    resident: bool,

    /// Like --resident, with as many precomputed copies of the bases as pay within 2 GiB.
    #[arg(long, conflicts_with = "skew")]
    precompute: bool,

    /// Bucketeer without vector instructions.
    #[arg(long)]
    pub portable: bool,

    /// Compares Bucketeer on skewed scalars with itself on uniform ones, without peers.
    #[arg(long)]
    pub skew: bool,
}

impl Options {
    /// The curves, in the registry's order where none is named.
    pub fn curves(&self) -> Vec<&'static NamedCurve> {
        if self.curves.is_empty() { CURVES.iter().collect() } else { self.curves.clone() }
    }

    /// Whether Bucketeer also runs with its bases loaded beforehand, and with copies of them.
    pub fn resident(&self) -> Option<Resident> {
        match (self.resident, self.precompute) {
            (_, true) => Some(Resident::Precomputed),
            (true, false) => Some(Resident::Plain),
            (false, false) => None,
        }
    }

    /// Logarithms of the sizes.
    pub fn sizes(&self) -> &[u32] {
        match (self.sizes.as_slice(), self.skew) {
            ([], true) => &[18],
            ([], false) => &[10, 14, 18, 20],
            (sizes, _) => sizes,
        }
    }

    /// The kinds of scalars, uniform first.
    pub fn distributions(&self) -> Vec<Kind> {
        if !self.distributions.is_empty() {
            return self.distributions.clone();
        }
        std::iter::once(("uniform", Distribution::Uniform)).chain(SKEWED).collect()
    }

    /// Threads of the pool; 0 leaves it to rayon.
    pub fn threads(&self) -> usize {
        self.threads.map_or(0, usize::from)
    }

    /// How many rounds, where that is fixed.
    pub fn rounds(&self) -> Option<u32> {
        self.repeat
    }
}

fn kind(name: &str) -> Result<Kind, Error> {
    Distribution::named(name)?;
    let found = Distribution::ALL.into_iter().find(|(own, _)| *own == name);
    found.ok_or_else(|| Error::Internal(format!("distribution {name} has no entry")))
}

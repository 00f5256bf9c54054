//! What an MSM over many ranks takes, on paper: the model of docs/scale.md.
//!
//! 1. *Compute*: the time that the plan predicts for the share of one rank. All ranks have the same
//!    device.
//! 2. *Disk*: the bytes of a share, at the rate at which one rank reads while all do. The first
//!    chunk is read before anything is computed; later ones are read meanwhile.
//! 3. *Exchange*: every rank sends its sum to all, in as many rounds as the number of ranks has
//!    bits, and adds what it gets.

use crate::plan::{Plan, Request};
use crate::{CurveSpec, Error};

/// Bytes of a rank's message beside the sum: what it is of, the time of each stage.
const ENVELOPE: u64 = 128;

/// Most bases of a chunk that is read at once (`io/stream/plan.rs`).
const CHUNK: usize = 1 << 22;

/// Seconds that a rank takes to add the sum of another one, at most: to parse it, and an addition
/// in XYZZ coordinates of 14 products.
const ADDITION: f64 = 2e-6;

/// What connects ranks, and what they read from.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Cluster {
    /// Bytes a second that one rank reads while all do.
    pub disk: f64,
    /// Bytes a second that one rank receives.
    pub network: f64,
    /// Seconds until a message arrives.
    pub latency: f64,
}

impl Default for Cluster {
    /// One NVMe disk per rank, and a network of 100 Gbit/s.
    fn default() -> Self {
        Self { disk: 3e9, network: 12.5e9, latency: 5e-6 }
    }
}

/// What an MSM over ranks takes, in seconds.
///
/// ```
/// use bucketeer::plan::Request;
/// use bucketeer::scale::{Cluster, ScalePlan};
/// use bucketeer::{CurveSpec, DeviceFacts};
/// use ark_bn254::G1Affine;
///
/// let curve = CurveSpec::of::<G1Affine>();
/// let request = Request::new(&curve, 1 << 30, DeviceFacts::cuda(132, 130 << 30));
/// let scale = ScalePlan::new(&request, 64, &Cluster::default())?;
/// assert_eq!(scale.share, 1 << 24);
/// assert!(scale.from_disk() >= scale.disk && scale.exchange < 1e-3);
/// # Ok::<(), bucketeer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ScalePlan {
    /// Ranks.
    pub ranks: usize,
    /// Bases of one rank.
    pub share: usize,
    /// The plan of one rank.
    pub plan: Plan,
    /// What the sums of chunks take.
    pub compute: f64,
    /// What bases and scalars take to be read.
    pub disk: f64,
    /// What is read before anything is computed.
    pub first_chunk: f64,
    /// What the exchange takes, with its additions.
    pub exchange: f64,
}

/// What most of the time goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundBy {
    /// The devices.
    Compute,
    /// Reading bases and scalars.
    Disk,
    /// The exchange of sums.
    Exchange,
}

impl BoundBy {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Disk => "disk",
            Self::Exchange => "exchange",
        }
    }
}

impl ScalePlan {
    /// The plan of an MSM of `request.n` bases over `ranks` ranks, each with its device.
    pub fn new(request: &Request<'_>, ranks: usize, cluster: &Cluster) -> Result<Self, Error> {
        let ranks = ranks.max(1);
        let share = request.n.div_ceil(ranks);
        let plan = Plan::new(&Request { n: share, ..request.clone() })?;
        let bytes = share as f64 * element_bytes(request.curve) as f64;
        let disk = bytes / cluster.disk;
        let first_chunk = disk * share.min(CHUNK) as f64 / share.max(1) as f64;
        let compute = plan.cost.nanoseconds / 1e9;
        let exchange = exchange(request.curve, ranks, cluster);
        Ok(Self { ranks, share, plan, compute, disk, first_chunk, exchange })
    }

    /// Seconds with bases and scalars in memory.
    pub fn from_memory(&self) -> f64 {
        self.compute + self.exchange
    }

    /// Seconds with bases and scalars in files.
    pub fn from_disk(&self) -> f64 {
        self.first_chunk + self.compute.max(self.disk) + self.exchange
    }

    /// What most of the time from memory goes to.
    pub fn memory_bound_by(&self) -> BoundBy {
        if self.exchange > self.compute { BoundBy::Exchange } else { BoundBy::Compute }
    }

    /// What most of the time from disk goes to.
    pub fn disk_bound_by(&self) -> BoundBy {
        match self.disk > self.compute {
            true if self.disk > self.exchange => BoundBy::Disk,
            _ => self.memory_bound_by(),
        }
    }
}

/// Bytes of a base, uncompressed, and of its scalar in a file.
fn element_bytes(curve: &CurveSpec) -> u64 {
    curve.point_bytes() + u64::from(curve.order.bits().div_ceil(64) as u32) * 8
}

/// Seconds of an exchange over `ranks` ranks: none with one.
fn exchange(curve: &CurveSpec, ranks: usize, cluster: &Cluster) -> f64 {
    let others = (ranks - 1) as f64;
    let rounds = f64::from(ranks.next_power_of_two().trailing_zeros());
    // Once for the lengths of the messages, once for the messages.
    let bytes = (8 + ENVELOPE + 1 + curve.point_bytes()) as f64;
    2.0 * rounds * cluster.latency + others * (bytes / cluster.network + ADDITION)
}

//! `plan --mpi`: what an MSM over many ranks takes, on paper.

use bucketeer::DeviceFacts;
use bucketeer::plan::{Request, Settings};
use bucketeer::scale::{Cluster, ScalePlan};
use serde_json::json;

use super::Args;
use crate::output::{self, Outcome, Table};
use crate::units;

/// The ranks to plan for, and what connects them.
#[derive(clap::Args)]
pub struct ScaleArgs {
    /// Plan for the ranks of a program over MPI, each with the device; nothing runs
    #[arg(long, requires = "ranks", conflicts_with = "batch")]
    pub mpi: bool,
    /// Numbers of ranks, such as 64 or 8,64,1024
    #[arg(long, value_name = "COUNTS", requires = "mpi", value_delimiter = ',',
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1 << 20))]
    ranks: Vec<usize>,
    /// Bytes a second that one rank reads from disk while all do [default: 3 GB]
    #[arg(long, value_name = "BYTES", requires = "mpi", value_parser = units::parse_bytes)]
    disk: Option<u64>,
    /// Bytes a second that one rank receives over the network [default: 12.5 GB]
    #[arg(long, value_name = "BYTES", requires = "mpi", value_parser = units::parse_bytes)]
    network: Option<u64>,
    /// Seconds until a message arrives [default: 5e-6]
    #[arg(long, value_name = "SECONDS", requires = "mpi", value_parser = units::parse_seconds)]
    latency: Option<f64>,
}

impl ScaleArgs {
    fn cluster(&self) -> Cluster {
        let mut cluster = Cluster::default();
        let rate = |given: Option<u64>, default| given.map_or(default, |bytes| bytes.max(1) as f64);
        cluster.disk = rate(self.disk, cluster.disk);
        cluster.network = rate(self.network, cluster.network);
        cluster.latency = self.latency.unwrap_or(cluster.latency);
        cluster
    }
}

/// Prints what each number of ranks takes.
pub fn run(args: &Args, device: DeviceFacts, settings: &Settings) -> Outcome {
    let curve = args.curve.any().spec();
    let request = Request::new(&curve, args.n, device).resident(args.resident).settings(settings);
    let cluster = args.scale.cluster();
    let plans: Vec<ScalePlan> = args
        .scale
        .ranks
        .iter()
        .map(|ranks| ScalePlan::new(&request, *ranks, &cluster))
        .collect::<Result<_, _>>()?;
    let Cluster { disk, network, latency, .. } = cluster;
    if args.json {
        return output::json(&json!({
            "curve": args.curve.name,
            "n": args.n,
            "resident": args.resident,
            "cluster": { "disk": disk, "network": network, "latency": latency },
            "results": plans.iter().map(object).collect::<Vec<_>>(),
        }));
    }
    let place = if args.resident { "bases resident" } else { "bases in host memory or on disk" };
    let rate = |rate: f64| format!("{} bytes/s", units::count(rate));
    let heading = format!(
        "{}, {} bases, {place}; each rank: {device}, disk {}, network {}, {} until a message arrives",
        args.curve,
        units::size(args.n),
        rate(disk),
        rate(network),
        units::seconds(latency),
    );
    let headings = [
        "ranks",
        "share",
        "compute",
        "disk",
        "exchange",
        "in memory",
        "bound by",
        "from disk",
        "bound by",
    ];
    let mut table = Table::new(&headings, 0);
    for plan in &plans {
        let [compute, disk, exchange] =
            [plan.compute, plan.disk, plan.exchange].map(units::seconds);
        table.row(vec![
            plan.ranks.to_string(),
            units::size(plan.share),
            compute,
            disk,
            exchange,
            units::seconds(plan.from_memory()),
            plan.memory_bound_by().name().into(),
            units::seconds(plan.from_disk()),
            plan.disk_bound_by().name().into(),
        ]);
    }
    Ok(format!("{heading}\n\n{}", table.text()))
}

fn object(plan: &ScalePlan) -> serde_json::Value {
    json!({
        "ranks": plan.ranks,
        "share": plan.share,
        "compute_seconds": plan.compute,
        "disk_seconds": plan.disk,
        "exchange_seconds": plan.exchange,
        "memory_seconds": plan.from_memory(),
        "memory_bound_by": plan.memory_bound_by().name(),
        "disk_total_seconds": plan.from_disk(),
        "disk_bound_by": plan.disk_bound_by().name(),
        "rank_bytes": plan.plan.bytes(),
    })
}

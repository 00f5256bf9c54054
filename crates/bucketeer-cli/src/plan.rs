//! `bucketeer plan`: every decision of a run, for this machine or one that is described.

use std::sync::Arc;

use bucketeer::curves::{NamedCurve, Visitor};
use bucketeer::plan::{Accumulate, Plan, Preset, Request, ScalarBound};
use bucketeer::{Curve, CurveSpec, Device, DeviceFacts, DeviceKind, Error};
use serde_json::{Value, json};

use crate::args::{self, PlanArgs};
use crate::output::{self, Outcome};
use crate::units;

#[derive(clap::Args)]
pub struct Args {
    /// Curve, e.g. bls12-377 or bn254-g2
    #[arg(long, value_name = "CURVE", value_parser = args::curve)]
    curve: &'static NamedCurve,
    /// Bases: 1000 or 2^20
    #[arg(short, value_name = "SIZE", value_parser = units::parse_size)]
    n: usize,
    /// MSMs computed from the same bases
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    batch: usize,
    /// Plan for integers below 2^BITS instead of residues modulo the group order
    #[arg(long, value_name = "BITS")]
    scalar_bits: Option<u32>,
    /// Plan for bases that are loaded once and kept
    #[arg(long)]
    resident: bool,
    #[command(flatten)]
    plan: PlanArgs,
    /// Start from a published strategy; see `bucketeer presets`
    #[arg(long, value_name = "NAME", value_parser = args::preset)]
    preset: Option<&'static Preset>,
    /// Device to plan for: auto, cpu, cuda[:i] or webgpu[:i]
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    /// Plan for a CPU of this many threads [default: this machine's]
    #[arg(long, value_name = "COUNT", value_parser = args::threads())]
    threads: Option<usize>,
    /// Plan for a GPU of this many multiprocessors; with --device cuda and --memory it need not be there
    #[arg(long, value_name = "COUNT", value_parser = args::threads())]
    multiprocessors: Option<usize>,
    /// Plan for this much free memory, e.g. 64GiB [default: the device's]
    #[arg(long, value_name = "BYTES", value_parser = units::parse_bytes)]
    memory: Option<u64>,
    /// Plan for a CPU with or without AVX-512 IFMA [default: this machine's]
    #[arg(long, value_name = "YES|NO")]
    ifma: Option<Ifma>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Ifma {
    Yes,
    No,
}

struct Spec;

impl Visitor for Spec {
    type Output = Arc<CurveSpec>;

    fn visit<C: Curve>(self, _: &'static NamedCurve) -> Arc<CurveSpec> {
        CurveSpec::of::<C>()
    }
}

impl Args {
    /// The device to plan for: the one at hand, with what the options say of it instead. A GPU that is
    /// described by its multiprocessors and memory need not be there.
    fn facts(&self) -> Result<DeviceFacts, Error> {
        if let (true, Some(multiprocessors), Some(memory)) =
            (self.device.starts_with("cuda"), self.multiprocessors, self.memory)
        {
            return Ok(DeviceFacts::cuda(multiprocessors, memory));
        }
        let here = Device::named(&self.device)?.facts();
        let memory = self.memory.unwrap_or(here.memory);
        Ok(match here.kind {
            DeviceKind::Cpu => DeviceFacts::cpu(
                self.threads.unwrap_or(here.threads),
                self.ifma.map_or(here.ifma, |ifma| ifma == Ifma::Yes),
                memory,
            ),
            DeviceKind::WebGpu => {
                let multiprocessors = self.multiprocessors.unwrap_or(here.threads);
                DeviceFacts::webgpu(multiprocessors, memory, here.binding)
            }
            _ => DeviceFacts::cuda(self.multiprocessors.unwrap_or(here.threads), memory),
        })
    }
}

/// Carries the command out.
pub fn run(args: &Args) -> Outcome {
    let device = args.facts()?;
    let plan = Plan::new(&Request {
        curve: &args.curve.visit(Spec),
        n: args.n,
        batch: args.batch,
        scalars: args.scalar_bits.map_or(ScalarBound::Order, ScalarBound::Bits),
        resident: args.resident,
        table: None,
        device,
        settings: &args.plan.settings(args.preset, args.n),
    })?;
    if args.json {
        return output::json(&object(args.curve, &plan));
    }
    let kind = match device.kind {
        DeviceKind::Cpu if device.ifma => "cpu with AVX-512 IFMA",
        DeviceKind::Cpu => "cpu, portable arithmetic",
        DeviceKind::WebGpu => "webgpu",
        _ => "cuda",
    };
    let device = format!("{kind}, {device}, {} free", units::bytes(device.memory.into()));
    Ok(format!("{:<14} {}\n{:<14} {device}\n{plan}\n", "curve", args.curve, "device"))
}

/// The plan as JSON; choices in the words of its display.
fn object(curve: &NamedCurve, plan: &Plan) -> Value {
    let shape = &plan.shape;
    let with_buckets = plan.accumulate != Accumulate::Straus;
    let buffers: serde_json::Map<String, Value> =
        plan.buffers.iter().map(|buffer| (buffer.name.into(), buffer.bytes.into())).collect();
    json!({
        "curve": curve.name,
        "n": plan.n,
        "batch": plan.batch,
        "preset": plan.preset,
        "device": {
            "kind": match plan.device.kind {
                DeviceKind::Cpu => "cpu",
                DeviceKind::WebGpu => "webgpu",
                _ => "cuda",
            },
            "threads": plan.device.threads,
            "ifma": plan.device.ifma,
            "memory": plan.device.memory,
        },
        "digits": shape.digits.to_string(),
        "endomorphism": shape.endomorphism,
        "negate": shape.negate,
        "scalar_bits": shape.scalar_bits,
        "window_bits": shape.window_bits,
        "windows": shape.windows,
        "precompute": shape.precompute,
        "odd_multiples": shape.odd_multiples,
        "bucket_sets": shape.bucket_sets,
        "buckets": shape.buckets,
        "group": with_buckets.then(|| plan.group.to_string()),
        "accumulate": plan.accumulate.to_string(),
        "reduce": with_buckets.then(|| plan.reduce.to_string()),
        "chunk": plan.chunk,
        "chunks": plan.chunks,
        "sets_per_pass": plan.sets_per_pass,
        "passes_in_flight": plan.passes_in_flight,
        "helping": plan.helping,
        "segments": plan.segments,
        "ranges": plan.ranges,
        "resident": plan.resident,
        "buffers": buffers,
        "bytes": plan.bytes(),
        "cost": {
            "bucket_additions": plan.cost.bucket_additions,
            "reduce_additions": plan.cost.reduce_additions,
            "doublings": plan.cost.doublings,
            "nanoseconds": plan.cost.nanoseconds,
        },
    })
}

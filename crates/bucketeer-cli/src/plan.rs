//! `bucketeer plan`: every decision of a run, for this machine or a described one.

mod scale;

use std::time::{Duration, Instant};

use bucketeer::curves::NamedCurve;
use bucketeer::plan::{Plan, Preset, Request, ScalarBound, Schedule};
use bucketeer::{Device, DeviceFacts, DeviceKind, Error};
use serde_json::{Value, json};

use crate::args::{self, PlanArgs, RatesArgs};
use crate::output::{self, Outcome};
use crate::units;

/// The largest storage buffer binding that every WebGPU adapter has.
const LEAST_BINDING: u64 = 128 << 20;

#[derive(clap::Args)]
pub struct Args {
    /// Curve, e.g. bls12-377 or bn254-g2
    #[arg(long, value_name = "CURVE", value_parser = args::curve, long_help = args::curve_help())]
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
    /// Plan for a GPU of this many multiprocessors; with --device cuda or webgpu and --memory it
    /// need not be present
    #[arg(long, value_name = "COUNT", value_parser = args::threads())]
    multiprocessors: Option<usize>,
    /// Plan for this much free memory, e.g. 64GiB [default: the device's]
    #[arg(long, value_name = "BYTES", value_parser = units::parse_bytes)]
    memory: Option<u64>,
    /// Plan for WebGPU with storage buffer bindings of this size [default: the device's; 128MiB,
    /// which every adapter has, if it need not be present]
    #[arg(long, value_name = "BYTES", value_parser = units::parse_bytes)]
    binding: Option<u64>,
    /// Plan for a CPU with or without AVX-512 IFMA [default: this machine's]
    #[arg(long, value_name = "YES|NO")]
    ifma: Option<Ifma>,
    #[command(flatten)]
    scale: scale::ScaleArgs,
    #[command(flatten)]
    rates: RatesArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Ifma {
    Yes,
    No,
}

impl Args {
    /// The device to plan for: the present one, with what the options say of it instead. A GPU that
    /// is described by its multiprocessors and memory need not be present.
    fn facts(&self) -> Result<DeviceFacts, Error> {
        let kind = self.device.split(':').next();
        match (kind, self.multiprocessors, self.memory) {
            (Some("cuda"), Some(multiprocessors), Some(memory)) => {
                return Ok(DeviceFacts::cuda(multiprocessors, memory));
            }
            (Some("webgpu"), Some(multiprocessors), Some(memory)) => {
                let binding = self.binding.unwrap_or(LEAST_BINDING);
                return Ok(DeviceFacts::webgpu(multiprocessors, memory, binding));
            }
            _ => {}
        }
        let here = Device::named(&self.device)?.facts();
        let memory = self.memory.unwrap_or(here.memory);
        Ok(match here.kind {
            DeviceKind::Cpu => DeviceFacts::cpu(
                self.threads.unwrap_or(here.threads),
                self.ifma.map_or(here.ifma, |ifma| ifma == Ifma::Yes),
                memory,
            )
            .with_caches(here.caches),
            DeviceKind::WebGpu => {
                let multiprocessors = self.multiprocessors.unwrap_or(here.threads);
                let binding = self.binding.unwrap_or(here.binding);
                DeviceFacts::webgpu(multiprocessors, memory, binding)
            }
            _ => DeviceFacts::cuda(self.multiprocessors.unwrap_or(here.threads), memory),
        })
    }
}

/// The least time of some plans like this one.
fn planning_time(request: &Request<'_>) -> Result<Duration, Error> {
    let mut least = Duration::MAX;
    for _ in 0..20 {
        let start = Instant::now();
        Plan::new(request)?;
        least = least.min(start.elapsed());
    }
    Ok(least)
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    let device = args.facts()?.with_rates(&args.rates.read()?);
    if args.scale.mpi {
        return scale::run(args, device, &args.plan.settings(args.preset, args.n));
    }
    let curve = args.curve.any().spec();
    let request = Request::new(&curve, args.n, device)
        .batch(args.batch)
        .scalars(args.scalar_bits.map_or(ScalarBound::Order, ScalarBound::Bits))
        .resident(args.resident)
        .settings(&args.plan.settings(args.preset, args.n));
    let plan = Plan::new(&request)?;
    if args.json {
        let mut object = object(args.curve, &plan);
        object["planning_seconds"] = planning_time(&request)?.as_secs_f64().into();
        return output::json(&object);
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

/// The plan as JSON. Choices have the names that its text form uses.
fn object(curve: &NamedCurve, plan: &Plan) -> Value {
    let shape = &plan.shape;
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
            "caches": {
                "l1d": plan.device.caches.l1d,
                "l2": plan.device.caches.l2,
                "llc": plan.device.caches.llc,
            },
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
        "group": plan.schedule.group().map(|way| way.to_string()),
        "accumulate": plan.schedule.accumulate().to_string(),
        "reduce": plan.schedule.reduce().map(|way| way.to_string()),
        "chunk": plan.chunk,
        "chunks": plan.chunks,
        "schedule": schedule(&plan.schedule),
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

/// The schedule: its fields differ between CPUs and GPUs.
fn schedule(schedule: &Schedule) -> Value {
    match schedule {
        Schedule::Straus(straus) => json!({ "multiples": straus.multiples }),
        Schedule::Cpu(cpu) => json!({
            "base_segments": cpu.base_segments,
            "bucket_ranges": cpu.bucket_ranges,
            "sets_per_pass": cpu.sets_per_pass,
            "passes_in_flight": cpu.passes_in_flight,
            "work_stealing": cpu.work_stealing,
            "split_last_passes": cpu.split_last_passes,
            "slice_entries": cpu.slice_entries,
            "prefetch_points_above": cpu.prefetch_points_above,
            "prefetch_slots_above": cpu.prefetch_slots_above,
        }),
        Schedule::Gpu(gpu) => json!({
            "growing_chunks": gpu.growing_chunks,
            "chunks_per_pass": gpu.chunks_per_pass,
            "sets_per_pass": gpu.sets_per_pass,
            "task_entries": gpu.task_entries,
            "stored_copies": gpu.stored_copies,
            "double_buffered": gpu.double_buffered,
            "carries_buckets": gpu.carries_buckets,
            "groups_ahead": gpu.groups_ahead,
        }),
        _ => Value::Null,
    }
}

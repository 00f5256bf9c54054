//! The plan as text.

use std::fmt;

use super::{Accumulate, Digits, Form, Group, Plan, Reduce, Schedule, Shape, SumLists};
use crate::error::Bytes;
use crate::facts::{DeviceFacts, DeviceKind};

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = &self.shape;
        let mut row = |name: &str, value: String| writeln!(f, "{name:<14} {value}");
        let growing = match &self.schedule {
            Schedule::Gpu(schedule) if schedule.growing_chunks => "growing to ",
            _ => "of ",
        };
        let chunks = format!("{} chunk(s) {growing}{}", self.chunks, self.chunk);
        row("bases", format!("{} in {chunks}", self.n))?;
        if self.batch > 1 {
            row("batch", self.batch.to_string())?;
        }
        if let Some(preset) = self.preset {
            row("preset", preset.into())?;
        }
        if self.form == Form::Edwards {
            row("form", "twisted Edwards, −x² + y² = 1 + d·x²·y²".into())?;
        }
        row("decompose", self.decompose_text())?;
        let last = match shape.last_window_bits {
            same if same == shape.window_bits => String::new(),
            other => format!(", the last of {other}"),
        };
        let multiples = match shape.odd_multiples {
            1 => String::new(),
            count => format!(" with {count} odd multiples"),
        };
        row(
            "windows",
            format!(
                "{} of {} bits{last}, precompute factor {}{multiples}, {}",
                shape.windows,
                shape.window_bits,
                shape.precompute,
                self.buckets_text()
            ),
        )?;
        let cost = &self.cost;
        if let (Some(passes), Some(reduce)) = (self.passes_text(), self.schedule.reduce()) {
            row("passes", passes)?;
            let group = self.schedule.group().map(|group| group.to_string());
            row("group", group.unwrap_or_else(|| "none: bases in their order".into()))?;
            row("accumulate", self.accumulate_text())?;
            row("reduce", reduce.to_string())?;
            row("combine", "Horner with doublings".into())?;
            row(
                "additions",
                format!(
                    "{:.4e} into buckets, {:.4e} to reduce, {:.0} doublings",
                    cost.bucket_additions, cost.reduce_additions, cost.doublings
                ),
            )?;
        } else {
            row("accumulate", self.accumulate_text())?;
            row(
                "additions",
                format!("{:.0}, and {:.0} doublings", cost.bucket_additions, cost.doublings),
            )?;
        }
        row("predicted", format!("{:.2} ms on {}", self.cost.nanoseconds / 1e6, self.device))?;
        for buffer in &self.buffers {
            row("memory", format!("{:<20} {:>12}", buffer.name, Bytes(buffer.bytes).to_string()))?;
        }
        write!(f, "{:<14} {:<20} {:>12}", "memory", "total", Bytes(self.bytes()).to_string())
    }
}

impl Plan {
    fn buckets_text(&self) -> String {
        let Shape { bucket_sets, buckets, .. } = self.shape;
        match &self.schedule {
            Schedule::Straus(schedule) => {
                format!("{} odd multiples of each point", schedule.multiples)
            }
            Schedule::Cpu(_) | Schedule::Gpu(_) => {
                format!("{bucket_sets} bucket set(s) of {buckets} buckets")
            }
        }
    }

    /// What a pass takes, and how many run concurrently; `None` without buckets.
    fn passes_text(&self) -> Option<String> {
        let several = |count: usize, what: &str| match count {
            0 | 1 => String::new(),
            _ => format!(", {count} {what}"),
        };
        match &self.schedule {
            Schedule::Straus(_) => None,
            Schedule::Cpu(schedule) => Some(
                format!("{} bucket set(s)", schedule.sets_per_pass)
                    + &several(schedule.base_segments, "segments of the bases")
                    + &several(schedule.bucket_ranges, "ranges of the buckets")
                    + &several(schedule.passes_in_flight, "concurrent passes"),
            ),
            Schedule::Gpu(schedule) => {
                let chunks = if self.batch > 1 { "MSMs per pass" } else { "chunks per pass" };
                let sets = format!("{} bucket set(s)", schedule.sets_per_pass);
                Some(sets + &several(schedule.chunks_per_pass, chunks))
            }
        }
    }

    fn accumulate_text(&self) -> String {
        match &self.schedule {
            Schedule::Gpu(schedule) if schedule.accumulate == SumLists::Slices => {
                let most = schedule.task_entries;
                format!("lists split into tasks of at most {most} entries, longest first")
            }
            schedule => schedule.accumulate().to_string(),
        }
    }

    fn decompose_text(&self) -> String {
        let shape = &self.shape;
        let mut text = format!("{}, {} bits", shape.digits, shape.scalar_bits);
        if shape.endomorphism {
            text += " per half, split by the endomorphism";
        }
        if shape.negate {
            text += ", k → r − k where that is shorter";
        }
        text
    }
}

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unsigned => "unsigned digits",
            Self::Signed => "signed digits",
        })
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sort => "sort by bucket",
            Self::Csr => "count, scan, scatter",
        })
    }
}

impl fmt::Display for Accumulate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PerBucket => "one thread per bucket, longest first",
            Self::Slices => "equal slices, batched affine additions",
            Self::BatchedAffine => "steps of batched affine additions, one per task",
            Self::InPlace => "in place, batched affine additions to different buckets",
            Self::FusedSweep => "fused sweep, partial window sums",
            Self::Straus => "without buckets: odd multiples of the bases (Straus)",
        })
    }
}

impl fmt::Display for Reduce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RunningSum => f.write_str("running sum"),
            Self::SlicedRunningSum { slices } => write!(f, "running sums over {slices} slices"),
            Self::WindowSplitting => f.write_str("window splitting"),
        }
    }
}

impl fmt::Display for DeviceFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.threads == 1 { "" } else { "s" };
        match self.kind {
            DeviceKind::Cpu => write!(f, "{} thread{plural}", self.threads),
            DeviceKind::Cuda => write!(f, "{} multiprocessor{plural}", self.threads),
            DeviceKind::WebGpu => write!(f, "WebGPU, bindings of {}", Bytes(self.binding)),
        }
    }
}

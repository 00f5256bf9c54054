//! The plan in words and figures.

use std::fmt;

use super::{Accumulate, Digits, Form, Group, Plan, Reduce, Shape};
use crate::device::{DeviceFacts, DeviceKind};
use crate::error::Bytes;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = &self.shape;
        let mut row = |name: &str, value: String| writeln!(f, "{name:<14} {value}");
        let growing = if self.growing { "growing to " } else { "of " };
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
        if self.segments > 1 {
            row("segments", format!("{} side by side", self.segments))?;
        }
        if self.ranges > 1 {
            row("ranges", format!("{} of the buckets side by side", self.ranges))?;
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
        if self.accumulate == Accumulate::Straus {
            row("accumulate", self.accumulate_text())?;
            row(
                "additions",
                format!("{:.0}, and {:.0} doublings", cost.bucket_additions, cost.doublings),
            )?;
        } else {
            let flights = match self.passes_in_flight {
                0 | 1 => String::new(),
                several => format!(", {several} passes side by side"),
            };
            let sets = self.sets_per_pass;
            let group = match self.accumulate {
                Accumulate::InPlace => "not at all: bases in their order".into(),
                _ => self.group.to_string(),
            };
            row("group", format!("{group}, {sets} set(s) per pass{flights}"))?;
            row("accumulate", self.accumulate_text())?;
            row("reduce", self.reduce.to_string())?;
            row("combine", "Horner with doublings".into())?;
            row(
                "additions",
                format!(
                    "{:.4e} into buckets, {:.4e} to reduce, {:.0} doublings",
                    cost.bucket_additions, cost.reduce_additions, cost.doublings
                ),
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
        match self.accumulate {
            Accumulate::Straus => format!("{buckets} odd multiples of each point"),
            _ => format!("{bucket_sets} bucket set(s) of {buckets} buckets"),
        }
    }

    fn accumulate_text(&self) -> String {
        match (self.device.kind, self.accumulate) {
            (DeviceKind::Cuda | DeviceKind::WebGpu, Accumulate::Slices) => {
                format!("lists cut into slices of at most {}, longest first", self.slice)
            }
            (_, accumulate) => accumulate.to_string(),
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
            Self::PerBucket => "a worker per bucket, longest first",
            Self::Slices => "equal slices, batched affine additions",
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

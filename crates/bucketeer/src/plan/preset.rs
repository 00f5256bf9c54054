//! Presets: published strategies as settings of the shared stages.

use super::{Accumulate, Digits, Group, Reduce, Settings};
use crate::Error;

/// A published strategy, as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Preset {
    /// Its name on the command line.
    pub name: &'static str,
    /// Where it comes from and what marks it.
    pub about: &'static str,
    window: Window,
    last_window: Option<u32>,
    precompute: Option<u32>,
    digits: Option<Digits>,
    negate: bool,
    chunk: Option<usize>,
    stages: Option<(Group, Accumulate, Reduce)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Window {
    Automatic,
    Bits(u32),
    /// `min(most, max(1, ⌊log₂ n⌋ − below))`
    Log {
        below: u32,
        most: u32,
    },
}

const PLAIN: Preset = Preset {
    name: "",
    about: "",
    window: Window::Automatic,
    last_window: None,
    precompute: Some(1),
    digits: Some(Digits::Unsigned),
    negate: false,
    chunk: None,
    stages: None,
};

/// All presets; the first is the automatic plan.
pub const PRESETS: [Preset; 10] = [
    Preset {
        name: "bucketeer",
        about: "the automatic plan: every choice by the cost model",
        precompute: None,
        digits: None,
        ..PLAIN
    },
    Preset {
        name: "aleo-2022-baseline",
        about: "ZPrize 2022 baseline: single bits as windows, chunks of 128 bases",
        window: Window::Bits(1),
        chunk: Some(128),
        stages: Some((Group::Csr, Accumulate::PerBucket, Reduce::RunningSum)),
        ..PLAIN
    },
    Preset {
        name: "speakspeak",
        about: "ZPrize 2022, cuZK: c = 21, sorted list in equal slices, sliced running sums",
        window: Window::Bits(21),
        stages: Some((Group::Sort, Accumulate::Slices, Reduce::SlicedRunningSum { slices: 1024 })),
        ..PLAIN
    },
    Preset {
        name: "6block",
        about: "ZPrize 2022: c = 21, last 22, accumulate and reduce in one sweep of a sorted list",
        window: Window::Bits(21),
        last_window: Some(22),
        stages: Some((Group::Sort, Accumulate::FusedSweep, Reduce::RunningSum)),
        ..PLAIN
    },
    Preset {
        name: "voronov-kolganov",
        about: "ZPrize 2022: c = 23, signed digits, longest buckets first",
        window: Window::Bits(23),
        digits: Some(Digits::Signed),
        stages: Some((Group::Sort, Accumulate::Slices, Reduce::SlicedRunningSum { slices: 1024 })),
        ..PLAIN
    },
    Preset {
        name: "matter-labs",
        about: "ZPrize 2022 winner: f = 4, c = 23, longest buckets first, window splitting",
        window: Window::Bits(23),
        precompute: Some(4),
        stages: Some((Group::Sort, Accumulate::PerBucket, Reduce::WindowSplitting)),
        ..PLAIN
    },
    Preset {
        name: "yrrid",
        about: "ZPrize 2022 winner: f = 6, c = 23, two windows, scalars negated to save a bit",
        window: Window::Bits(23),
        precompute: Some(6),
        digits: Some(Digits::Signed),
        negate: true,
        stages: Some((
            Group::Sort,
            Accumulate::PerBucket,
            Reduce::SlicedRunningSum { slices: 1024 },
        )),
        ..PLAIN
    },
    Preset {
        name: "icicle",
        about: "ICICLE: c = min(20, log n − 4), large buckets split, window splitting",
        window: Window::Log { below: 4, most: 20 },
        stages: Some((Group::Sort, Accumulate::Slices, Reduce::WindowSplitting)),
        ..PLAIN
    },
    Preset {
        name: "icicle-precompute",
        about: "ICICLE with f = 4",
        window: Window::Log { below: 4, most: 20 },
        precompute: Some(4),
        stages: Some((Group::Sort, Accumulate::Slices, Reduce::WindowSplitting)),
        ..PLAIN
    },
    Preset {
        name: "derei-koh",
        about: "ZPrize 2023 WebGPU: c = 16 signed, CSR transposed, a thread per bucket, 256 slices",
        window: Window::Bits(16),
        digits: Some(Digits::Signed),
        stages: Some((Group::Csr, Accumulate::PerBucket, Reduce::SlicedRunningSum { slices: 256 })),
        ..PLAIN
    },
];

impl Settings {
    /// These settings on top of a preset's for `n` bases: what is set here takes precedence.
    ///
    /// ```
    /// use bucketeer::plan::{Preset, Settings};
    /// let mut settings = Settings::default();
    /// settings.window_bits = Some(15);
    /// let settings = settings.over(Preset::named("6block")?, 1 << 20);
    /// // A width of the user's own goes for all windows.
    /// assert_eq!((settings.window_bits, settings.last_window_bits), (Some(15), None));
    /// assert_eq!(settings.preset, Some("6block"));
    /// # Ok::<(), bucketeer::Error>(())
    /// ```
    #[must_use]
    pub fn over(self, preset: &Preset, n: usize) -> Self {
        let base = preset.settings(n);
        Self {
            window_bits: self.window_bits.or(base.window_bits),
            last_window_bits: match self.window_bits {
                Some(_) => self.last_window_bits,
                None => self.last_window_bits.or(base.last_window_bits),
            },
            precompute: match self.auto_precompute {
                true => self.precompute,
                false => self.precompute.or(base.precompute),
            },
            odd_multiples: self.odd_multiples,
            auto_precompute: self.auto_precompute,
            endomorphism: self.endomorphism.or(base.endomorphism),
            negate: self.negate.or(base.negate),
            digits: self.digits.or(base.digits),
            group: self.group.or(base.group),
            accumulate: self.accumulate.or(base.accumulate),
            reduce: self.reduce.or(base.reduce),
            chunk: self.chunk.or(base.chunk),
            memory_limit: self.memory_limit,
            any_point: self.any_point,
            verify: self.verify,
            preset: base.preset,
        }
    }
}

impl Preset {
    /// The preset with this name.
    pub fn named(name: &str) -> Result<&'static Self, Error> {
        PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| Error::UnknownName {
            what: "preset",
            name: name.into(),
            expected: PRESETS.map(|preset| preset.name).join(", "),
        })
    }

    /// The preset's settings for `n` bases.
    pub fn settings(&self, n: usize) -> Settings {
        let automatic = self.stages.is_none();
        Settings {
            window_bits: match self.window {
                Window::Automatic => None,
                Window::Bits(bits) => Some(bits),
                Window::Log { below, most } => {
                    Some(n.max(1).ilog2().saturating_sub(below).clamp(1, most))
                }
            },
            last_window_bits: self.last_window,
            precompute: self.precompute,
            endomorphism: (!automatic).then_some(false),
            negate: (!automatic).then_some(self.negate),
            digits: self.digits,
            group: self.stages.map(|s| s.0),
            accumulate: self.stages.map(|s| s.1),
            reduce: self.stages.map(|s| s.2),
            chunk: self.chunk,
            preset: Some(self.name),
            ..Settings::default()
        }
    }
}

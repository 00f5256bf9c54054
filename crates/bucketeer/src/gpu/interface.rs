//! What kernels and host agree on, declared once: records, constants, and their CUDA and WGSL text.
//!
//! The text goes before the kernels of every backend, which have no copies of their own. What only
//! one backend has (the parameters of a kernel, the buffers it binds) is declared beside the
//! launcher, in the backend's stage files, by its `kernels!` macro.

use std::fmt::Write;

use super::{Chunk, Job, Pass};
pub(crate) use crate::plan::CLASSES;
use crate::plan::{Digits as DigitRange, Mode, Shape, TASK_COUNTERS};

/// The sign of an entry; the other bits are the index of a point.
pub(crate) const NEGATIVE: u32 = 1 << 31;
/// The slot of a task whose sum goes to its bucket.
pub(crate) const NO_SLOT: u32 = u32::MAX;
/// The entry of a task that adds nothing.
pub(crate) const NO_ENTRY: u32 = u32::MAX;
/// Words of a bias: those of the longest scalar and its carry.
pub(crate) const BIAS_WORDS: usize = 33;

/// Counters of the tasks, in words from their start. A cursor for each class follows.
#[derive(Clone, Copy)]
pub(crate) enum TaskCounter {
    /// Tasks.
    Tasks = 0,
    /// Slots of partial sums.
    Slots = 1,
    /// Split buckets.
    Splits = 2,
    /// Split buckets of more than `FOLD` pieces; CUDA only.
    Large = 3,
    /// The first class's cursor.
    ClassCursors = 4,
}

const _: () = assert!(TASK_COUNTERS == TaskCounter::ClassCursors as u64 + CLASSES as u64);

/// The constants that every kernel may use, by the names they have there.
pub(crate) const CONSTANTS: &[(&str, u32)] = &[
    ("NEGATIVE", NEGATIVE),
    ("NO_SLOT", NO_SLOT),
    ("NO_ENTRY", NO_ENTRY),
    ("CLASSES", CLASSES),
    ("TASKS", TaskCounter::Tasks as u32),
    ("SLOTS", TaskCounter::Slots as u32),
    ("SPLITS", TaskCounter::Splits as u32),
    ("LARGE", TaskCounter::Large as u32),
    ("CLASS_CURSORS", TaskCounter::ClassCursors as u32),
    ("RUNS", Mode::Runs as u32),
    ("COLUMNS", Mode::Columns as u32),
    ("BITS", Mode::Bits as u32),
];

/// A structure of 32-bit words.
pub(crate) trait Record {
    /// Its name in kernels.
    const NAME: &'static str;
    /// Its fields in order, one word each.
    const FIELDS: &'static [&'static str];

    /// The values of its fields.
    #[cfg_attr(not(feature = "webgpu"), allow(dead_code, reason = "CUDA takes it as it lies"))]
    fn words(&self) -> Vec<u32>;
}

/// Declares [`Record`]s.
macro_rules! records {
    ($($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $field:ident),* $(,)? })*) => {$(
        $(#[$meta])*
        #[repr(C)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) struct $name {
            $($(#[$doc])* pub $field: u32),*
        }

        impl $crate::gpu::interface::Record for $name {
            const NAME: &'static str = stringify!($name);
            const FIELDS: &'static [&'static str] = &[$(stringify!($field)),*];

            fn words(&self) -> Vec<u32> {
                vec![$(self.$field),*]
            }
        }
    )*};
}
#[cfg(feature = "webgpu")]
pub(crate) use records;

records! {
    /// A part of a bucket's list that one thread sums.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "kernels make and read them"))]
    Task {
        bucket,
        /// The first entry.
        start,
        /// Entries.
        length,
        /// Where the sum goes, or `NO_SLOT` if it goes to the bucket.
        slot,
    }

    /// A bucket whose list is cut into several tasks.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "kernels make and read them"))]
    Split {
        bucket,
        /// The slot of the first partial sum; the others follow.
        slot,
        /// Partial sums.
        pieces,
        unused,
    }

    /// What turns a digit of a biased integer into a key and an entry.
    Digits {
        /// Distance of the words of an integer.
        stride,
        /// Integers: at most segments · length.
        count,
        /// Integers of a segment.
        length,
        /// Words of an integer.
        word_count,
        window_bits,
        /// Bits of the last window.
        last_bits,
        windows,
        /// The bits that stand for digit 0.
        zero,
        /// Bucket sets in all.
        sets,
        /// The first one of this pass.
        first_set,
        /// How many there are in this pass.
        pass_sets,
        /// Sets between two segments.
        set_stride,
        /// Buckets of a set: 2^bits.
        bits,
        /// Points between two copies of a base.
        copy_stride,
        /// Bases between two segments.
        segment_stride,
    }
}

impl Digits {
    /// The digits of a pass. Copies of a base are `copy_stride` points apart.
    pub(crate) fn new<T>(job: &Job<'_, T>, chunk: &Chunk, pass: Pass, copy_stride: u32) -> Self {
        let Job { plan, schedule, .. } = *job;
        let (shape, layout) = (&plan.shape, &schedule.layout);
        Self {
            stride: layout.scalars as u32,
            count: chunk.range.len() as u32,
            length: plan.chunk as u32,
            word_count: layout.scalar_words,
            window_bits: shape.window_bits,
            last_bits: shape.last_window_bits,
            windows: shape.windows,
            zero: match shape.digits {
                DigitRange::Unsigned => 0,
                DigitRange::Signed => 1 << (shape.window_bits - 1),
            },
            sets: shape.bucket_sets,
            first_set: pass.first_set,
            pass_sets: pass.sets,
            set_stride: schedule.sets_per_pass,
            bits: layout.bits,
            copy_stride,
            segment_stride: job.segment_stride(),
        }
    }
}

/// What decompose adds to every scalar, so that each digit is a field of bits.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bias {
    pub words: [u32; BIAS_WORDS],
}

impl Bias {
    pub(crate) fn of(shape: &Shape) -> Self {
        let mut bias = Self { words: [0; BIAS_WORDS] };
        for (word, digit) in bias.words.iter_mut().zip(shape.bias().to_u32_digits()) {
            *word = digit;
        }
        bias
    }
}

/// CUDA text of the constants and records.
#[cfg(feature = "cuda")]
pub(crate) fn cuda() -> String {
    let mut out = cuda_constants(CONSTANTS);
    for (name, fields) in
        [(Task::NAME, Task::FIELDS), (Split::NAME, Split::FIELDS), (Digits::NAME, Digits::FIELDS)]
    {
        let _ = writeln!(out, "struct {name} {{\n    u32 {};\n}};", fields.join(", "));
        out += &cuda_size(name, 4 * fields.len());
    }
    let _ = writeln!(out, "struct Bias {{\n    u32 words[{BIAS_WORDS}];\n}};");
    out + &cuda_size("Bias", size_of::<Bias>())
}

/// Constants in CUDA: enumerators, since a `constexpr` variable would take memory on the device.
#[cfg(feature = "cuda")]
pub(crate) fn cuda_constants(constants: &[(&str, u32)]) -> String {
    let constant = |(name, value): &(&str, u32)| format!("    {name} = {value}u,\n");
    let constants: String = constants.iter().map(constant).collect();
    format!("enum : u32 {{\n{constants}}};\n")
}

/// An assertion that a structure is as long in CUDA as in Rust.
#[cfg(feature = "cuda")]
pub(crate) fn cuda_size(name: &str, bytes: usize) -> String {
    format!("static_assert(sizeof({name}) == {bytes}, \"{name} differs from the host's\");\n")
}

/// WGSL text of the constants and of the records that lie in buffers of words: the length of each
/// and the place of each field.
#[cfg(feature = "webgpu")]
pub(crate) fn wgsl() -> String {
    let mut out = wgsl_constants(CONSTANTS);
    for (name, fields) in [(Task::NAME, Task::FIELDS), (Split::NAME, Split::FIELDS)] {
        let name = name.to_uppercase();
        let _ = writeln!(out, "const {name}_WORDS = {}u;", fields.len());
        for (place, field) in fields.iter().enumerate() {
            let _ = writeln!(out, "const {name}_{} = {place}u;", field.to_uppercase());
        }
    }
    out
}

/// Constants in WGSL.
#[cfg(feature = "webgpu")]
pub(crate) fn wgsl_constants(constants: &[(&str, u32)]) -> String {
    constants.iter().map(|(name, value)| format!("const {name} = {value}u;\n")).collect()
}

//! The error type of the library.

use std::fmt;
use std::path::PathBuf;

/// Everything that can go wrong, with what and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The numbers of bases and scalars differ, or there are more scalars than resident bases.
    #[error("{bases} bases but {scalars} scalars: every scalar needs a base{}",
            if scalars < bases { ", and every base a scalar" } else { "" })]
    LengthMismatch {
        /// Number of bases.
        bases: usize,
        /// Number of scalars.
        scalars: usize,
    },
    /// A range that is not within the bases.
    #[error("bases {start}..{end} were requested of {bases}")]
    InvalidRange {
        /// The first base requested.
        start: usize,
        /// One past the last base requested.
        end: usize,
        /// Number of bases.
        bases: usize,
    },
    /// The MSM with this index in a batch failed.
    #[error("MSM {index} of the batch: {source}")]
    Batch {
        /// Position in the batch, from 0.
        index: usize,
        /// Its error.
        source: Box<Error>,
    },
    /// A rank of a parallel program failed; all of them get this error.
    #[error("rank {rank}: {source}")]
    Rank {
        /// The rank, from 0.
        rank: usize,
        /// Its error.
        source: Box<Error>,
    },
    /// The smallest plan needs more memory than is available.
    #[error("out of memory: {} needed, {} available", Bytes(*needed), Bytes(*available))]
    OutOfMemory {
        /// Bytes the smallest plan needs.
        needed: u64,
        /// Bytes the device or the limit allows.
        available: u64,
    },
    /// A buffer of the smallest plan exceeds the device's largest buffer.
    #[error(
        "a buffer of {} is needed, but the device allows at most {}",
        Bytes(*needed), Bytes(*largest)
    )]
    BufferTooLarge {
        /// Bytes of the buffer.
        needed: u64,
        /// Bytes of the device's largest buffer.
        largest: u64,
    },
    /// The device does not exist or cannot be used.
    #[error("no device {device}: {reason}")]
    NoDevice {
        /// The device as the caller named it.
        device: String,
        /// What is missing and how to get it.
        reason: String,
    },
    /// A device failed during a run, or could not compile its kernels. Nothing was computed.
    #[error("the device failed: {reason}")]
    DeviceFailed {
        /// What failed, and the driver's message.
        reason: String,
    },
    /// A setting that no plan supports.
    #[error("{setting} = {value} is not possible: {reason}")]
    InvalidSetting {
        /// Name of the setting.
        setting: &'static str,
        /// The value given.
        value: String,
        /// Why it cannot be used.
        reason: String,
    },
    /// A scalar at or above the stated bound.
    #[error("scalar {index} is not below {bound}")]
    ScalarTooLarge {
        /// Position of the scalar, from 0.
        index: usize,
        /// The bound, in words ("2^64", "the group order").
        bound: String,
    },
    /// An invalid base.
    #[error("base {index} is {reason}")]
    InvalidBase {
        /// Position of the base, from 0.
        index: usize,
        /// What is wrong with it.
        reason: PointFault,
    },
    /// The curve's affine model cannot represent the sum. Only incomplete twisted Edwards curves
    /// have such points, and none lies in the prime-order subgroup. Without
    /// [`any_point`](crate::Builder::any_point), this is also the error for points outside the
    /// subgroup whose sum the curve's own addition law could not compute.
    #[error("the sum is a point at infinity of an incomplete twisted Edwards model")]
    NotRepresentable,
    /// The progress hook or [`Job::cancel`](crate::Job::cancel) stopped the run.
    #[error("cancelled")]
    Cancelled,
    /// The progress hook panicked, which stopped the run.
    #[error("the progress hook panicked: {message}")]
    HookPanicked {
        /// The panic's message.
        message: String,
    },
    /// The system cannot start another thread.
    #[error("cannot start a thread: {reason}")]
    NoThread {
        /// The system's message.
        reason: String,
    },
    /// An unknown name.
    #[error("unknown {what} \"{}\": expected one of {expected}", shown(name, 60))]
    UnknownName {
        /// What the name is for: "curve", "preset", "device".
        what: &'static str,
        /// The name given.
        name: String,
        /// The known names.
        expected: String,
    },
    /// A file that cannot be read or parsed.
    #[error("{}: {reason}", shown(&path.display().to_string(), 4096))]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where in the file.
        reason: String,
    },
    /// Bytes that are not points or scalars.
    #[error("{reason}")]
    InvalidBytes {
        /// What is wrong with them.
        reason: String,
    },
    /// A sum is not what its verification gives; see [`Builder::verify`](crate::Builder::verify).
    /// The device or the memory has failed, bases are outside the subgroup without
    /// [`any_point`](crate::Builder::any_point), or Bucketeer has a bug.
    #[error("verification failed: {reason}")]
    VerificationFailed {
        /// What does not agree.
        reason: String,
    },
    /// A bug in Bucketeer. Nothing was computed.
    #[error("internal error: {0}")]
    Internal(String),
}

impl Error {
    /// The error of the MSM with this index in a batch.
    pub(crate) fn in_msm(self, index: usize) -> Self {
        Self::Batch { index, source: Box::new(self) }
    }

    /// The same error in a larger batch, of which this part began at `first`.
    pub(crate) fn in_batch_from(self, first: usize) -> Self {
        match self {
            Self::Batch { index, source } => Self::Batch { index: index + first, source },
            other => other,
        }
    }
}

impl Error {
    /// The same error in a larger input, of which this share began at `first`.
    pub(crate) fn in_share_from(self, first: usize) -> Self {
        match self {
            Self::ScalarTooLarge { index, bound } => {
                Self::ScalarTooLarge { index: index + first, bound }
            }
            Self::InvalidBase { index, reason } => {
                Self::InvalidBase { index: index + first, reason }
            }
            Self::Batch { index, source } => {
                Self::Batch { index, source: Box::new(source.in_share_from(first)) }
            }
            other => other,
        }
    }
}

impl Error {
    /// The error itself, without the rank that it is of.
    ///
    /// ```
    /// # use bucketeer::Error;
    /// let error = Error::Rank { rank: 3, source: Box::new(Error::Cancelled) };
    /// assert_eq!(error.without_rank(), Error::Cancelled);
    /// ```
    #[must_use]
    pub fn without_rank(self) -> Self {
        match self {
            Self::Rank { source, .. } => source.without_rank(),
            other => other,
        }
    }

    /// Whether all ranks have it.
    #[cfg(feature = "ranks")]
    pub(crate) fn is_of_rank(&self) -> bool {
        match self {
            Self::Rank { .. } => true,
            Self::Batch { source, .. } => source.is_of_rank(),
            _ => false,
        }
    }
}

/// What is wrong with a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PointFault {
    /// It does not satisfy the curve equation.
    #[error("not on the curve")]
    NotOnCurve,
    /// It is on the curve but outside the prime-order subgroup.
    #[error("not in the prime-order subgroup")]
    NotInSubgroup,
}

/// Untrusted text, from a file for example, made safe for a message. It is truncated to about
/// `most` characters; control characters and those that change the direction of text are escaped.
pub(crate) fn shown(text: &str, most: usize) -> String {
    let unseen = |c: char| match c {
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        _ => c.is_control() || c == '\u{feff}',
    };
    let escape = |out: &mut String, text: &str| {
        text.chars().for_each(|c| match unseen(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        });
    };
    let mut out = String::new();
    // The end is kept: serde_json puts line and column there.
    let last = most / 4;
    let cut = text.char_indices().nth(most).is_some();
    let from_end = text.char_indices().rev().nth(last.saturating_sub(1));
    match (text.char_indices().nth(most - last), from_end) {
        (Some((head, _)), Some((tail, _))) if cut => {
            escape(&mut out, &text[..head]);
            out.push('…');
            escape(&mut out, &text[tail..]);
        }
        _ => escape(&mut out, text),
    }
    out
}

/// A number of bytes, displayed in the largest binary unit that fits.
pub(crate) struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let unit = (self.0.max(1).ilog2() / 10) as usize;
        match unit {
            0 => write!(f, "{} B", self.0),
            _ => write!(f, "{:.1} {}", self.0 as f64 / (1u64 << (10 * unit)) as f64, UNITS[unit]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Terminal escapes in a file used to reach the terminal, and a name of 100 MB was printed in
    /// full.
    #[test]
    fn text_of_files_is_escaped_and_cut() {
        assert_eq!(shown("0x12 – é", 60), "0x12 – é");
        assert_eq!(shown("a\u{1b}[2J\n\u{202e}b\u{9b}", 60), "a\\u{1b}[2J\\n\\u{202e}b\\u{9b}");
        assert_eq!(shown("", 8), "");
        assert_eq!(shown("12345678", 8), "12345678");
        assert_eq!(shown("123456789", 8), "123456…89");
        let name = "x".repeat(1 << 20);
        let error = Error::UnknownName { what: "curve", name, expected: "bn254".into() };
        assert!(error.to_string().len() < 200, "{error}");
    }
}

//! Stage 1, decompose: scalars as the caller has them → biased integers on the device.

use std::ops::Range;

use super::driver::{Address, Event, is_page_locked};
use super::launch::{Setup, blocks, launch};
use super::program::Source;
use super::workspace::Workspace;
use crate::Error;
use crate::gpu::Raw;
use crate::plan::{ScalarBound, Shape};

const THREADS: u32 = 256;
/// Words of the bias, as in the kernel.
const MAX_WORDS: usize = 33;

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Bias {
    words: [u32; MAX_WORDS],
}

impl Bias {
    pub(crate) fn of(shape: &Shape) -> Self {
        let mut bias = Self { words: [0; MAX_WORDS] };
        for (word, digit) in bias.words.iter_mut().zip(shape.bias().to_u32_digits()) {
            *word = digit;
        }
        bias
    }
}

/// The bytes of a range where they are already as they must arrive.
fn direct<'a>(raw: &Raw<'a>, range: &Range<usize>) -> Option<&'a [u8]> {
    let [part] = raw.parts[..] else { return None };
    let bytes = &part[range.start * raw.bytes..range.end * raw.bytes];
    is_page_locked(bytes.as_ptr()).then_some(bytes)
}

/// Where biased integers go.
pub(crate) struct Target {
    /// Raw scalars, two buffers.
    pub raw: [Address; 2],
    /// Bytes of each.
    pub staging: u64,
    pub words: Address,
    pub word_count: u32,
    pub stride: u64,
    /// Smallest index of a scalar that is too large.
    pub too_large: Address,
}

/// Puts the copying and decomposing of a range of scalars into the input stream. `copied` are marks behind
/// the last copies out of the staging buffers.
pub(crate) fn decompose(
    setup: Setup<'_>,
    raw: &Raw<'_>,
    range: Range<usize>,
    target: &Target,
    workspace: &mut Workspace,
    copied: &[Event; 2],
) -> Result<(), Error> {
    let Setup { program, plan, .. } = setup;
    let bias = Bias::of(&plan.shape);
    let piece = (target.staging as usize / raw.bytes).max(1);
    for (turn, start) in range.clone().step_by(piece).enumerate() {
        let piece = start..(start + piece).min(range.end);
        let slot = turn % 2;
        let count = piece.len() as u32;
        if let Some(bytes) = direct(raw, &piece) {
            workspace.input.upload(target.raw[slot], bytes)?;
        } else {
            copied[slot].wait()?;
            let staging = &mut workspace.staging[slot].as_mut_slice()[..piece.len() * raw.bytes];
            raw.fill(&piece, staging);
            workspace.input.upload(target.raw[slot], staging)?;
            copied[slot].record(&workspace.input)?;
        }
        let stream = &workspace.input;
        let out = target.words + 4 * (piece.start - range.start) as u64;
        let grid = blocks(count.into(), THREADS);
        let (from, stride, words) = (target.raw[slot], target.stride, target.word_count);
        match raw.bound {
            ScalarBound::Order => {
                let negate = u32::from(plan.shape.negate);
                launch!(stream, program, Source::Decompose, "decompose_residues", grid, THREADS, 0;
                    from, count, out, stride, words, negate, bias)?;
            }
            ScalarBound::Bits(bits) => {
                let (bytes, first) = (raw.bytes as u32, piece.start as u32);
                launch!(stream, program, Source::Decompose, "decompose_integers", grid, THREADS, 0;
                    from, bytes, bits, count, out, stride, words, bias, first, target.too_large)?;
            }
        }
    }
    Ok(())
}

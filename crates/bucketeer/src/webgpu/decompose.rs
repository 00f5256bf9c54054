//! Stage 1, decompose: scalars as the caller has them → biased integers on the device.

use std::ops::Range;

use super::program::Source;
use super::recorder::Stage;
use super::stages::Run;
use crate::Error;
use crate::plan::ScalarBound;

/// Words of the bias, as in the shader.
const BIAS_WORDS: usize = 36;

impl Run<'_> {
    /// Uploads and decomposes a range of scalars. `too_large` is the place among the counters for the
    /// smallest index of one that is too large.
    pub(super) async fn decompose(
        &mut self,
        range: Range<usize>,
        too_large: u32,
    ) -> Result<(), Error> {
        let (plan, layout, raw) = (self.plan, self.layout, self.raw);
        let mut bias = plan.shape.bias().to_u32_digits();
        bias.resize(BIAS_WORDS, 0);
        let kernel = match raw.bound {
            ScalarBound::Order => "decompose_residues",
            ScalarBound::Bits(_) => "decompose_integers",
        };
        let bits = match raw.bound {
            ScalarBound::Order => 0,
            ScalarBound::Bits(bits) => bits,
        };
        let pipeline = self.program.kernel(Source::Decompose, kernel)?;
        let piece = (layout.staging as usize / raw.bytes).max(4) / 4 * 4;
        for start in range.clone().step_by(piece) {
            let own = start..(start + piece).min(range.end);
            // Copies are of whole words.
            let mut bytes = vec![0; (own.len() * raw.bytes).next_multiple_of(4)];
            raw.fill(&own, &mut bytes[..own.len() * raw.bytes]);
            // What was recorded may still read the last piece.
            self.recorder.send().await?;
            let from = self.workspace.at("raw scalars")?;
            self.gpu.queue.write_buffer(from, 0, &bytes);
            let mut parameters = vec![
                own.len() as u32,
                (own.start - range.start) as u32,
                layout.scalars as u32,
                layout.scalar_words,
                u32::from(plan.shape.negate),
                raw.bytes as u32,
                bits,
                own.start as u32,
                too_large,
                0,
                0,
                0,
            ];
            parameters.extend(&bias);
            let mut buffers = vec![(1, from), (2, self.workspace.at("scalars")?)];
            if bits > 0 {
                buffers.push((3, self.workspace.at("counters")?));
            }
            let groups = (own.len().div_ceil(64) as u64, 1);
            self.recorder
                .dispatch(Stage::Decompose, pipeline.clone(), &parameters, &buffers, groups)
                .await?;
        }
        Ok(())
    }
}

//! Bases on a device.

use bucketeer::any::{AnyBases, AnyCurve, AnyPoints, AnyScalars, AnySum};
use bucketeer::random::Distribution;
use js_sys::Function;
use wasm_bindgen::prelude::*;
use web_time::Instant;

use crate::failure::Failure;
use crate::form;
use crate::outcome::Outcome;
use crate::progress::Listening;

/// Bases on a device, ready for any number of MSMs.
#[wasm_bindgen]
pub struct Resident {
    pub(crate) curve: Box<dyn AnyCurve>,
    pub(crate) bases: Box<dyn AnyBases>,
    /// Whether they may lie outside the prime-order subgroup.
    pub(crate) any_point: bool,
    /// What they are a part of, if they were generated.
    pub(crate) known: Option<Known>,
}

/// Generated bases.
pub(crate) struct Known {
    /// The logarithms of all of them.
    pub(crate) points: Box<dyn AnyPoints>,
    /// How many there are.
    pub(crate) n: usize,
    /// The first one that is loaded.
    pub(crate) first: usize,
}

impl Resident {
    async fn run(&self, scalars: &AnyScalars) -> Result<Outcome, Failure> {
        let start = Instant::now();
        let report = self.bases.msm_with_report_async(scalars).await?;
        Ok(Outcome::of(&*self.curve, &report, start.elapsed()))
    }

    /// Scalars for all bases, from bytes.
    fn scalars(&self, bytes: &[u8], form: &str) -> Result<AnyScalars, Failure> {
        let (form, n) = (form::named(form)?, self.bases.len());
        Ok(self.curve.scalars_from_bytes(bytes, form, n, !self.any_point)?)
    }

    /// Scalars for all bases that were generated, or those that are loaded.
    fn draw(&self, distribution: &str, seed: u64) -> Result<AnyScalars, Failure> {
        let kind = Distribution::named(distribution)?;
        let n = self.known.as_ref().map_or(self.bases.len(), |known| known.n);
        Ok(self.curve.random_scalars(kind, n, seed))
    }
}

#[wasm_bindgen]
impl Resident {
    /// The plan for one MSM, in words.
    #[wasm_bindgen(getter)]
    pub fn plan(&self) -> String {
        self.bases.plan().to_string()
    }

    /// The sum for these scalars, in a form that `form::named` knows.
    pub async fn msm(
        &self,
        scalars: Vec<u8>,
        form: String,
        listener: Option<Function>,
    ) -> Result<Outcome, JsValue> {
        let _listening = Listening::new(listener);
        let scalars = self.scalars(&scalars, &form)?;
        Ok(self.run(&scalars).await?)
    }

    /// The sums for `count` vectors of scalars, one after the other in `scalars`, in one run.
    #[wasm_bindgen(js_name = msmBatch)]
    pub async fn msm_batch(
        &self,
        scalars: Vec<u8>,
        count: usize,
        form: String,
        listener: Option<Function>,
    ) -> Result<Vec<Outcome>, JsValue> {
        let _listening = Listening::new(listener);
        let each = scalars.len() / count.max(1);
        let vector = |index: usize| self.scalars(&scalars[index * each..(index + 1) * each], &form);
        let batch = (0..count).map(vector).collect::<Result<Vec<_>, _>>()?;
        drop(scalars);
        let sums = self.bases.msm_batch_async(&batch).await.map_err(Failure::from)?;
        let outcome = |sum: AnySum| Outcome::of_point(&*self.curve, sum.coordinates());
        Ok(sums.into_iter().map(outcome).collect())
    }

    /// The sum for scalars drawn from a seed.
    #[wasm_bindgen(js_name = msmOf)]
    pub async fn msm_of(
        &self,
        distribution: String,
        seed: u64,
        listener: Option<Function>,
    ) -> Result<Outcome, JsValue> {
        let _listening = Listening::new(listener);
        let drawn = self.draw(&distribution, seed)?;
        let loaded = self.bases.len();
        match &self.known {
            Some(Known { n, first, .. }) if *n > loaded => {
                Ok(self.run(&drawn.part(*first..first + loaded)).await?)
            }
            _ => Ok(self.run(&drawn).await?),
        }
    }

    /// The same sum from the logarithms of generated bases, without any engine.
    pub fn expected(&self, distribution: &str, seed: u64) -> Result<Outcome, JsValue> {
        let unknown = || Failure::Input("the bases were not generated here".into());
        let known = self.known.as_ref().ok_or_else(unknown)?;
        let sum = known.points.expected(&self.draw(distribution, seed)?).map_err(Failure::from)?;
        Ok(Outcome::of_point(&*self.curve, sum.ok_or_else(unknown)?))
    }
}

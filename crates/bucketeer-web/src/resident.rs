//! Bases on a device.

use std::rc::Rc;

use bucketeer::any::{AnyBases, AnyCurve, AnyPoints, AnyScalars, AnySum};
use bucketeer::random::Distribution;
use js_sys::{Array, Function, Promise};
use wasm_bindgen::prelude::*;
use web_time::Instant;

use crate::begin::begin;
use crate::curves;
use crate::failure::Failure;
use crate::form;
use crate::outcome::Outcome;
use crate::progress::Listening;

/// Bases on a device, ready for any number of MSMs.
#[wasm_bindgen]
pub struct Resident(pub(crate) Rc<Loaded>);

/// What runs share with whoever frees the bases.
pub(crate) struct Loaded {
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

impl Loaded {
    /// With `share` the sum is to be added to others.
    async fn run(&self, scalars: &AnyScalars, share: bool) -> Result<Outcome, JsValue> {
        let start = Instant::now();
        if share {
            let share = self.bases.share_async(scalars).await.map_err(Failure::from)?;
            return Ok(Outcome::of_share(share, start.elapsed()));
        }
        let report = self.bases.msm_with_report_async(scalars).await.map_err(Failure::from)?;
        Ok(Outcome::of(&*self.curve, &report, start.elapsed()))
    }

    async fn run_batch(&self, batch: &[AnyScalars], share: bool) -> Result<Array, JsValue> {
        if share {
            let sums = self.bases.share_batch_async(batch).await.map_err(Failure::from)?;
            return Ok(array(sums.into_iter().map(Outcome::of_bytes)));
        }
        let sums = self.bases.msm_batch_async(batch).await.map_err(Failure::from)?;
        let outcome = |sum: AnySum| Outcome::of_point(&*self.curve, sum.coordinates());
        Ok(array(sums.into_iter().map(outcome)))
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

fn array(outcomes: impl Iterator<Item = Outcome>) -> Array {
    outcomes.map(JsValue::from).collect()
}

#[wasm_bindgen]
impl Resident {
    /// The plan for one MSM, in words.
    #[wasm_bindgen(getter)]
    pub fn plan(&self) -> String {
        self.0.bases.plan().to_string()
    }

    /// The sum for these scalars, in a form that `form::named` knows. With `share` it is to be
    /// added to others.
    pub fn msm(
        &self,
        scalars: Vec<u8>,
        form: String,
        share: bool,
        listener: Option<Function>,
    ) -> Promise {
        let loaded = self.0.clone();
        begin(async move {
            let _listening = Listening::new(listener);
            let integers = loaded.scalars(&scalars, &form)?;
            drop(scalars);
            loaded.run(&integers, share).await
        })
    }

    /// The sums for `count` vectors of scalars, one after the other in `scalars`, in one run.
    #[wasm_bindgen(js_name = msmBatch)]
    pub fn msm_batch(
        &self,
        scalars: Vec<u8>,
        count: usize,
        form: String,
        share: bool,
        listener: Option<Function>,
    ) -> Promise {
        let loaded = self.0.clone();
        begin(async move {
            let _listening = Listening::new(listener);
            let each = scalars.len() / count.max(1);
            let vector =
                |index: usize| loaded.scalars(&scalars[index * each..(index + 1) * each], &form);
            let batch = (0..count).map(vector).collect::<Result<Vec<_>, _>>()?;
            drop(scalars);
            loaded.run_batch(&batch, share).await
        })
    }

    /// The sum for scalars drawn from a seed.
    #[wasm_bindgen(js_name = msmOf)]
    pub fn msm_of(
        &self,
        distribution: String,
        seed: u64,
        share: bool,
        listener: Option<Function>,
    ) -> Promise {
        let loaded = self.0.clone();
        begin(async move {
            let _listening = Listening::new(listener);
            let (drawn, own) = (loaded.draw(&distribution, seed)?, loaded.bases.len());
            match &loaded.known {
                Some(Known { n, first, .. }) if *n > own => {
                    loaded.run(&drawn.part(*first..first + own), share).await
                }
                _ => loaded.run(&drawn, share).await,
            }
        })
    }

    /// The same sum from the logarithms of generated bases, without any engine.
    pub fn expected(&self, distribution: &str, seed: u64) -> Result<Outcome, JsValue> {
        let (unknown, loaded) =
            (|| Failure::Input("the bases were not generated here".into()), &self.0);
        let known = loaded.known.as_ref().ok_or_else(unknown)?;
        let sum =
            known.points.expected(&loaded.draw(distribution, seed)?).map_err(Failure::from)?;
        Ok(Outcome::of_point(&*loaded.curve, sum.ok_or_else(unknown)?))
    }
}

/// The sum of an MSM from those of its shares, which follow each other in `shares`; each is as long
/// as `lengths` says.
#[wasm_bindgen(js_name = totalOf)]
pub fn total_of(curve: &str, shares: &[u8], lengths: &[usize]) -> Result<Outcome, JsValue> {
    let curve = curves::named(curve)?;
    let mut rest = shares;
    let short = || Failure::Input("the sums of shares are longer than their bytes".into());
    let mut parts = Vec::with_capacity(lengths.len());
    for length in lengths {
        parts.push(rest.split_off(..*length).ok_or_else(short)?);
    }
    let sum = curve.total(&parts).map_err(Failure::from)?;
    Ok(Outcome::of_point(&*curve, sum.coordinates()))
}

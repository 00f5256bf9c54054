//! Bases on a device, of a curve that is known by its name only.

use std::pin::Pin;

use bucketeer::conformance::{Distribution, KnownBases};
use bucketeer::{Bases, Curve, Error, Scalars};
use js_sys::Function;
use wasm_bindgen::prelude::*;
use web_time::Instant;

use crate::failure::Failure;
use crate::layout::read_scalars;
use crate::outcome::Outcome;
use crate::progress::Listening;

type Later<'a, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + 'a>>;

/// Bases that have forgotten their curve's type.
pub(crate) trait AnyBases {
    fn plan(&self) -> String;
    fn msm<'a>(&'a self, scalars: &'a [u8]) -> Later<'a, Outcome>;
    fn msm_of<'a>(&'a self, distribution: Distribution, seed: u64) -> Later<'a, Outcome>;
    fn expected(&self, distribution: Distribution, seed: u64) -> Result<Outcome, Failure>;
}

/// Bases of a curve.
pub(crate) struct OnCurve<C: Curve> {
    pub(crate) bases: Bases<C>,
    /// Whether they may lie outside the prime-order subgroup.
    pub(crate) any_point: bool,
    /// Their logarithms, if they were generated; the points themselves are in `bases`.
    pub(crate) known: Option<KnownBases<C>>,
}

impl<C: Curve> OnCurve<C> {
    async fn run(&self, scalars: Scalars<'_, C::ScalarField>) -> Result<Outcome, Failure> {
        let start = Instant::now();
        let report = self.bases.msm_with_report_async(scalars).await?;
        Ok(Outcome::of(&report, start.elapsed()))
    }

    fn draw(&self, distribution: Distribution, seed: u64) -> Vec<C::ScalarField> {
        distribution.scalars(self.bases.len(), seed)
    }
}

impl<C: Curve> AnyBases for OnCurve<C> {
    fn plan(&self) -> String {
        self.bases.plan().to_string()
    }

    fn msm<'a>(&'a self, scalars: &'a [u8]) -> Later<'a, Outcome> {
        Box::pin(async move {
            let scalars = read_scalars::<C>(scalars, self.bases.len(), self.any_point)?;
            self.run(scalars.as_scalars()).await
        })
    }

    fn msm_of<'a>(&'a self, distribution: Distribution, seed: u64) -> Later<'a, Outcome> {
        Box::pin(async move {
            let scalars = self.draw(distribution, seed);
            self.run(Scalars::residues(&scalars)).await
        })
    }

    fn expected(&self, distribution: Distribution, seed: u64) -> Result<Outcome, Failure> {
        let unknown = || Failure::Input("the bases were not generated here".into());
        let known = self.known.as_ref().ok_or_else(unknown)?;
        Ok(Outcome::of_point::<C>(known.expected(&self.draw(distribution, seed))))
    }
}

/// Bases on a device, ready for any number of MSMs.
#[wasm_bindgen]
pub struct Resident(pub(crate) Box<dyn AnyBases>);

#[wasm_bindgen]
impl Resident {
    /// The plan for one MSM, in words.
    #[wasm_bindgen(getter)]
    pub fn plan(&self) -> String {
        self.0.plan()
    }

    /// The sum for these scalars.
    pub async fn msm(
        &self,
        scalars: Vec<u8>,
        listener: Option<Function>,
    ) -> Result<Outcome, JsValue> {
        let _listening = Listening::new(listener);
        Ok(self.0.msm(&scalars).await?)
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
        Ok(self.0.msm_of(named(&distribution)?, seed).await?)
    }

    /// The same sum from the logarithms of generated bases, without any engine.
    pub fn expected(&self, distribution: &str, seed: u64) -> Result<Outcome, JsValue> {
        Ok(self.0.expected(named(distribution)?, seed)?)
    }
}

fn named(distribution: &str) -> Result<Distribution, Failure> {
    Distribution::named(distribution).map_err(Error::into)
}

//! Devices, and what is loaded onto them.

use bucketeer::conformance::{self, CaseResult, Filter, KnownBases};
use bucketeer::curves::{NamedCurve, Visitor};
use bucketeer::subgroup::first_outside;
use bucketeer::{Bases, Curve, Device, DeviceKind, Error, PointFault};
use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;

use crate::failure::Failure;
use crate::layout::read_points;
use crate::progress;
use crate::resident::{AnyBases, OnCurve, Resident};

/// A device to run on.
#[wasm_bindgen]
pub struct Processor(Device);

#[wasm_bindgen]
impl Processor {
    /// The processor that runs this module, one thread of it.
    pub fn cpu() -> Self {
        Self(Device::cpu())
    }

    /// The GPU that the browser offers.
    pub async fn webgpu() -> Result<Self, JsValue> {
        Ok(Self(Device::webgpu_async().await.map_err(Failure::from)?))
    }

    /// What sort of device it is: `cpu` or `webgpu`.
    #[wasm_bindgen(getter)]
    pub fn kind(&self) -> String {
        match self.0.kind() {
            DeviceKind::Cpu => "cpu",
            _ => "webgpu",
        }
        .into()
    }

    /// The device in words.
    #[wasm_bindgen(getter)]
    pub fn description(&self) -> String {
        self.0.to_string()
    }

    /// Loads bases. `check` has them proved to lie in the prime-order subgroup, by a test that the seed, 32
    /// random bytes, makes unpredictable; `any_point` makes runs right wherever on the curve they lie.
    pub async fn load(
        &self,
        curve: String,
        bases: Vec<u8>,
        check: bool,
        any_point: bool,
        seed: Vec<u8>,
    ) -> Result<Resident, JsValue> {
        let curve = NamedCurve::named(&curve).map_err(Failure::from)?;
        let seed = seed.try_into().map_err(|_| Failure::Input("the seed has 32 bytes".into()))?;
        let points = Points { device: &self.0, bases, check: check.then_some(seed), any_point };
        Ok(Resident(curve.visit(points).await?))
    }

    /// Makes bases with known logarithms from a seed and loads them.
    pub async fn generate(&self, curve: String, n: usize, seed: u64) -> Result<Resident, JsValue> {
        let curve = NamedCurve::named(&curve).map_err(Failure::from)?;
        Ok(Resident(curve.visit(Generate { device: &self.0, n, seed }).await?))
    }

    /// Runs the conformance table on one curve, or all. `report` gets curve, row group, cases passed and an
    /// array of the failed ones; the sum of both is returned.
    pub async fn conformance(
        &self,
        curve: Option<String>,
        quick: bool,
        report: Function,
    ) -> Result<Vec<usize>, JsValue> {
        let curve =
            curve.map(|name| NamedCurve::named(&name)).transpose().map_err(Failure::from)?;
        let filter = Filter { curve, quick, ..Filter::default() };
        let mut report = |row: &CaseResult| {
            let failed: Array = row.failed.iter().map(JsValue::from).collect();
            let cells: [JsValue; 4] =
                [row.curve.into(), (&row.group).into(), row.passed.into(), failed.into()];
            let cells: Array = cells.iter().collect();
            // A listener that throws does not change what the table finds.
            drop(report.apply(&JsValue::NULL, &cells));
        };
        let summary = conformance::run_async(&self.0, &filter, &mut report).await;
        Ok(vec![summary.passed, summary.failed])
    }
}

type Loading<'a> = std::pin::Pin<Box<dyn Future<Output = Result<Box<dyn AnyBases>, Failure>> + 'a>>;

struct Points<'a> {
    device: &'a Device,
    bases: Vec<u8>,
    check: Option<[u8; 32]>,
    any_point: bool,
}

impl<'a> Visitor for Points<'a> {
    type Output = Loading<'a>;

    fn visit<C: Curve>(self, _: &'static NamedCurve) -> Loading<'a> {
        Box::pin(async move {
            let points = read_points::<C>(&self.bases)?;
            drop(self.bases);
            if let Some(index) = self.check.and_then(|seed| first_outside(&points, seed)) {
                let reason = PointFault::NotInSubgroup;
                return Err(Error::InvalidBase { index, reason }.into());
            }
            let bases = load(self.device, &points, self.any_point).await?;
            Ok(Box::new(OnCurve { bases, any_point: self.any_point, known: None }) as Box<_>)
        })
    }
}

struct Generate<'a> {
    device: &'a Device,
    n: usize,
    seed: u64,
}

impl<'a> Visitor for Generate<'a> {
    type Output = Loading<'a>;

    fn visit<C: Curve>(self, _: &'static NamedCurve) -> Loading<'a> {
        Box::pin(async move {
            let mut known = KnownBases::<C>::new(self.n, self.seed);
            let points = std::mem::take(&mut known.points);
            let bases = load(self.device, &points, false).await?;
            Ok(Box::new(OnCurve { bases, any_point: false, known: Some(known) }) as Box<_>)
        })
    }
}

async fn load<C: Curve>(device: &Device, points: &[C], any_point: bool) -> Result<Bases<C>, Error> {
    let builder = Bases::builder().on_progress(progress::hook());
    let builder = if any_point { builder.any_point() } else { builder };
    builder.load_async(device, points).await
}

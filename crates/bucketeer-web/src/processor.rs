//! Devices, and what is loaded onto them.

use bucketeer::any::{AnyCurve, AnyPoints, RunOptions};
use bucketeer::conformance::{self, CaseResult, Filter};
use bucketeer::curves::NamedCurve;
use bucketeer::{Device, DeviceKind, Error, PointFault};
use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;

use crate::failure::Failure;
use crate::progress;
use crate::resident::{Known, Resident};

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

    /// Loads bases. `check` has them proved to lie in the prime-order subgroup, by a test that the
    /// seed, 32 random bytes, makes unpredictable; `any_point` makes runs right wherever on the
    /// curve they lie.
    pub async fn load(
        &self,
        curve: String,
        bases: Vec<u8>,
        check: bool,
        any_point: bool,
        seed: Vec<u8>,
    ) -> Result<Resident, JsValue> {
        let curve = NamedCurve::named(&curve).map_err(Failure::from)?.any();
        let seed = seed.try_into().map_err(|_| Failure::Input("the seed has 32 bytes".into()))?;
        let points = curve.points_from_bytes(&bases).map_err(Failure::from)?;
        drop(bases);
        if check && let Some(index) = points.first_outside(Some(seed)) {
            let reason = PointFault::NotInSubgroup;
            return Err(Failure::from(Error::InvalidBase { index, reason }).into());
        }
        Ok(self.resident(curve, &*points, any_point).await?)
    }

    /// Makes `n` bases with known logarithms from a seed and loads `count` of them from `first` on.
    pub async fn generate(
        &self,
        curve: String,
        n: usize,
        seed: u64,
        first: usize,
        count: usize,
    ) -> Result<Resident, JsValue> {
        if first.checked_add(count).is_none_or(|end| end > n) {
            return Err(Failure::Input(format!("{n} bases have no {count} from {first} on")).into());
        }
        let curve = NamedCurve::named(&curve).map_err(Failure::from)?.any();
        let mut points = curve.random_bases(n, seed);
        let resident = match count == n {
            true => self.resident(curve, &*points, false).await?,
            false => self.resident(curve, &*points.part(first..first + count), false).await?,
        };
        // The engine has them; their logarithms are what is needed from now on.
        points.keep_logarithms();
        Ok(Resident { known: Some(Known { points, n, first }), ..resident })
    }

    /// Runs the conformance table on one curve, or all. `report` gets curve, row group, cases
    /// passed and an array of the failed ones; the sum of both is returned.
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

impl Processor {
    async fn resident(
        &self,
        curve: Box<dyn AnyCurve>,
        points: &dyn AnyPoints,
        any_point: bool,
    ) -> Result<Resident, Failure> {
        let mut options = RunOptions { hook: Some(progress::hook()), ..RunOptions::default() };
        options.settings.any_point = any_point;
        let bases = points.load_async(&self.0, points.len(), &options).await?;
        Ok(Resident { curve, bases, any_point, known: None })
    }
}

//! Devices, and what is loaded onto them.

use bucketeer::any::{AnyCurve, AnyPoints, RunOptions};
use bucketeer::packed::PackedPoints;
use bucketeer::{Device, DeviceKind, Error, PointFault};
use wasm_bindgen::prelude::*;

use crate::curves;
use crate::failure::Failure;
use crate::form;
use crate::progress;
use crate::resident::{Known, Resident};

/// A device to run on.
#[wasm_bindgen]
pub struct Processor(pub(crate) Device);

#[wasm_bindgen]
impl Processor {
    /// The processor that runs this module, one thread of it.
    pub fn cpu() -> Self {
        Self(Device::cpu())
    }

    /// The GPU that the browser offers.
    #[cfg(feature = "full")]
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

    /// Nanoseconds of a 32-bit product on this GPU, all lanes busy, by the rates of its plans.
    #[cfg(feature = "full")]
    #[wasm_bindgen(getter, js_name = productNanoseconds)]
    pub fn product_nanoseconds(&self) -> f64 {
        let (facts, rates) = (self.0.facts(), self.0.facts().rates.list());
        let product = rates.iter().find(|rate| rate.full_name() == "webgpu.product");
        product.map_or(f64::NAN, |rate| rate.value) / facts.threads as f64
    }

    /// Loads bases, bytes in a form that `form::named` knows. `check` has them proved to lie in the
    /// prime-order subgroup, by a test that the seed, 32 random bytes, makes unpredictable;
    /// `any_point` makes runs right wherever on the curve they lie.
    pub async fn load(
        &self,
        curve: String,
        bases: Vec<u8>,
        form: String,
        check: bool,
        any_point: bool,
        seed: Vec<u8>,
    ) -> Result<Resident, JsValue> {
        let curve = curves::named(&curve)?;
        let seed = seed.try_into().map_err(|_| Failure::Input("the seed has 32 bytes".into()))?;
        let packed = PackedPoints::new(&bases, form::named(&form)?);
        let points = curve.unpack_points(&packed).map_err(Failure::from)?;
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
        let curve = curves::named(&curve)?;
        let mut points = curve.random_bases(n, seed);
        let resident = match count == n {
            true => self.resident(curve, &*points, false).await?,
            false => self.resident(curve, &*points.part(first..first + count), false).await?,
        };
        // The engine has them; their logarithms are what is needed from now on.
        points.keep_logarithms();
        Ok(Resident { known: Some(Known { points, n, first }), ..resident })
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

//! Devices, and what is loaded onto them.

use std::rc::Rc;

use bucketeer::any::{AnyBases, AnyPoints, RunOptions};
use bucketeer::packed::PackedPoints;
use bucketeer::{Device, DeviceKind, Error, PointFault};
use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;

use crate::begin::begin;
use crate::curves;
use crate::failure::Failure;
use crate::form;
use crate::progress;
use crate::resident::{Known, Loaded, Resident};

/// How to load bases.
#[wasm_bindgen]
#[derive(Default)]
pub struct Loading {
    any_point: bool,
    verify: bool,
    seed: Option<[u8; 32]>,
}

#[wasm_bindgen]
impl Loading {
    /// `any_point` makes runs right wherever on the curve the bases lie; `verify` verifies runs.
    /// With a seed, 32 random bytes, the bases are proved to lie in the prime-order subgroup, by a
    /// test that the seed makes unpredictable.
    #[wasm_bindgen(constructor)]
    pub fn new(any_point: bool, verify: bool, seed: Option<Vec<u8>>) -> Result<Self, JsValue> {
        let wrong = |_| Failure::Input("the seed has 32 bytes".into());
        let seed = seed.map(|seed| seed.try_into().map_err(wrong)).transpose()?;
        Ok(Self { any_point, verify, seed })
    }
}

/// Reading, checking and converting the points, each of which counts as a third of loading them.
struct Steps {
    listener: Option<Function>,
    points: usize,
}

impl Steps {
    const ALL: usize = 3;

    fn done(&self, steps: usize) -> Result<(), Failure> {
        let Some(listener) = &self.listener else { return Ok(()) };
        let (done, total) = ((steps * self.points) as f64, (Self::ALL * self.points) as f64);
        match progress::goes_on(listener, done, total) {
            true => Ok(()),
            false => Err(Error::Cancelled.into()),
        }
    }
}

/// A device to run on.
#[wasm_bindgen]
pub struct Processor(pub(crate) Device);

#[wasm_bindgen]
impl Processor {
    /// The processor that runs this module, one thread of it.
    pub fn cpu() -> Self {
        Self(Device::cpu())
    }

    /// The same processor without vectors, for comparisons.
    pub fn portable(self) -> Result<Self, JsValue> {
        Ok(Self(self.0.portable().map_err(Failure::from)?))
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

    /// Loads bases, bytes in a form that `form::named` knows. `listener` is called as that of a
    /// run.
    pub fn load(
        &self,
        curve: String,
        bases: Vec<u8>,
        form: String,
        options: Loading,
        listener: Option<Function>,
    ) -> Promise {
        let device = self.0.clone();
        begin(async move {
            let curve = curves::named(&curve)?;
            let packed = PackedPoints::new(&bases, form::named(&form)?);
            let points = curve.unpack_points(&packed).map_err(Failure::from)?;
            drop(bases);
            let steps = Steps { listener, points: points.len() };
            steps.done(1)?;
            if options.seed.is_some()
                && let Some(index) = points.first_outside(options.seed)
            {
                let reason = PointFault::NotInSubgroup;
                return Err(Failure::from(Error::InvalidBase { index, reason }).into());
            }
            steps.done(2)?;
            let bases = bases_on(&device, &*points, &options).await?;
            steps.done(3)?;
            let any_point = options.any_point;
            Ok(Resident(Rc::new(Loaded { curve, bases, any_point, known: None })))
        })
    }

    /// Makes `n` bases with known logarithms from a seed and loads `count` of them from `first` on.
    pub fn generate(
        &self,
        curve: String,
        n: usize,
        seed: u64,
        first: usize,
        count: usize,
    ) -> Promise {
        let device = self.0.clone();
        begin(async move {
            if first.checked_add(count).is_none_or(|end| end > n) {
                let text = format!("{n} bases have no {count} from {first} on");
                return Err(Failure::Input(text).into());
            }
            let curve = curves::named(&curve)?;
            let mut points = curve.random_bases(n, seed);
            let part = (count < n).then(|| points.part(first..first + count));
            let options = Loading::default();
            let bases = bases_on(&device, part.as_deref().unwrap_or(&*points), &options).await?;
            drop(part);
            // The engine has them; their logarithms are what is needed from now on.
            points.keep_logarithms();
            let known = Some(Known { points, n, first });
            Ok(Resident(Rc::new(Loaded { curve, bases, any_point: false, known })))
        })
    }
}

async fn bases_on(
    device: &Device,
    points: &dyn AnyPoints,
    options: &Loading,
) -> Result<Box<dyn AnyBases>, JsValue> {
    let mut run = RunOptions { hook: Some(progress::hook()), ..RunOptions::default() };
    run.settings.any_point = options.any_point;
    run.settings.verify = options.verify;
    Ok(points.load_async(device, points.len(), &run).await.map_err(Failure::from)?)
}

//! Which device takes an MSM, where the browser has two.

use bucketeer::DeviceFacts;
use bucketeer::plan::{Choice, Contender, Request};
use wasm_bindgen::prelude::*;

use crate::curves;
use crate::failure::Failure;
use crate::processor::Processor;

/// Work for a device, and what is known of it beside its rates.
#[wasm_bindgen]
pub struct Work {
    device: DeviceFacts,
    bases: usize,
    batch: usize,
    factor: f64,
    extra: f64,
}

#[wasm_bindgen]
impl Work {
    /// `batch` MSMs over `bases` bases on this device. Measured times are `factor` times those of
    /// plans; `extra` are the nanoseconds of what has to be done first.
    #[wasm_bindgen(constructor)]
    pub fn new(device: &Processor, bases: usize, batch: usize, factor: f64, extra: f64) -> Self {
        Self { device: device.0.facts(), bases, batch, factor, extra }
    }

    /// Predicted nanoseconds, as the plan has them; nothing where none fits.
    pub fn nanoseconds(&self, curve: &str) -> Result<Option<f64>, JsValue> {
        let alone = Self { factor: 1.0, extra: 0.0, ..*self };
        Ok(choose(curve, &[alone])?.nanoseconds())
    }
}

/// Chooses the device: 0 if it is the first, 1 if it is the second. The predicted nanoseconds of
/// both follow, infinity where no plan fits.
#[wasm_bindgen(js_name = chooseDevice)]
pub fn choose_device(curve: &str, first: Work, second: Work) -> Result<Vec<f64>, JsValue> {
    let choice = choose(curve, &[first, second])?;
    let times = choice.predictions.iter().map(|one| one.nanoseconds.unwrap_or(f64::INFINITY));
    Ok([choice.chosen as f64].into_iter().chain(times).collect())
}

fn choose(curve: &str, works: &[Work]) -> Result<Choice, Failure> {
    let spec = curves::named(curve)?.spec();
    let contender = |work: &Work| {
        let request = Request::new(&spec, work.bases, work.device);
        let request = request.batch(work.batch).resident(true);
        Contender { request, factor: work.factor, extra: work.extra }
    };
    Ok(Choice::among(&works.iter().map(contender).collect::<Vec<_>>()))
}

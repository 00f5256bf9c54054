//! Which of several devices takes an MSM or a batch: the one whose plan is predicted to end first.
//!
//! [`Choice::among`] is a pure function, as [`Plan::new`] is. It can be asked about devices that
//! are not here, so a GPU need not be opened to learn that it would not be worth it. Copies of the
//! inputs to a GPU are not counted: where the times of a CPU and of a GPU meet, they take less than
//! a tenth of either.

use std::fmt;

use super::{BatchPlan, MsmSize, Plan, Request, Settings};
use crate::CurveSpec;
use crate::facts::DeviceFacts;
#[cfg(feature = "cuda")]
use crate::facts::DeviceKind;

/// A device that could take the work: the request for its plan, and what is known beside it.
#[derive(Debug, Clone)]
pub struct Contender<'a> {
    /// One MSM on this device, or a batch.
    pub request: Request<'a>,
    /// Measured time over predicted time; 1 where nothing was measured.
    pub factor: f64,
    /// Nanoseconds that it would take beside the plan: to load bases, to compile shaders.
    pub extra: f64,
}

impl<'a> Contender<'a> {
    /// A device about which only its rates are known.
    pub fn new(request: Request<'a>) -> Self {
        Self { request, factor: 1.0, extra: 0.0 }
    }
}

/// The time that a device is predicted to take.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Prediction {
    /// The device.
    pub device: DeviceFacts,
    /// Nanoseconds; `None` where no plan fits in its memory.
    pub nanoseconds: Option<f64>,
}

/// The device that was chosen among several, and what was predicted for each.
///
/// ```
/// use bucketeer::plan::{Choice, Contender, Request};
/// use bucketeer::{CurveSpec, DeviceFacts, DeviceKind};
/// let curve = CurveSpec::of::<ark_bls12_377::G1Affine>();
/// let (cpu, gpu) = (DeviceFacts::cpu(16, true, 64 << 30), DeviceFacts::cuda(132, 64 << 30));
/// let kind = |n| {
///     let devices = [cpu, gpu].map(|device| Contender::new(Request::new(&curve, n, device)));
///     Choice::among(&devices).device().map(|device| device.kind)
/// };
/// assert_eq!(kind(100), Some(DeviceKind::Cpu));
/// assert_eq!(kind(1 << 20), Some(DeviceKind::Cuda));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// One for each device, in their order.
    pub predictions: Vec<Prediction>,
    /// The place of the chosen device among them.
    pub chosen: usize,
}

impl Choice {
    /// Chooses the device on which the work is predicted to end first; the first of those that are
    /// equal. Where it fits none, that is the first one, whose error says what is missing.
    pub fn among(contenders: &[Contender<'_>]) -> Self {
        let predict = |contender: &Contender<'_>| {
            let Contender { request, factor, extra } = contender;
            let msms = request.batch.max(1) as f64;
            let each = Plan::new(request).ok().map(|plan| plan.cost.nanoseconds);
            let nanoseconds = each.map(|each| msms * each * factor + extra);
            Prediction { device: request.device, nanoseconds }
        };
        Self::of(contenders.iter().map(predict).collect())
    }

    /// Chooses the device on which these MSMs, each over bases of its own, are predicted to end
    /// first.
    pub(crate) fn of_batch(curve: &CurveSpec, msms: &[MsmSize], devices: &[DeviceFacts]) -> Self {
        let predict = |device: &DeviceFacts| {
            let request = Request::new(curve, 0, *device);
            let plan = BatchPlan::own_bases(&request, msms, &|_| Settings::default());
            let nanoseconds = plan.ok().map(|plan| plan.nanoseconds(device.threads));
            Prediction { device: *device, nanoseconds }
        };
        Self::of(devices.iter().map(predict).collect())
    }

    fn of(predictions: Vec<Prediction>) -> Self {
        let time = |index: usize| predictions[index].nanoseconds.unwrap_or(f64::INFINITY);
        let chosen = (0..predictions.len()).min_by(|a, b| time(*a).total_cmp(&time(*b)));
        Self { chosen: chosen.unwrap_or(0), predictions }
    }

    /// The chosen device; `None` if there was none to choose.
    pub fn device(&self) -> Option<&DeviceFacts> {
        self.predictions.get(self.chosen).map(|prediction| &prediction.device)
    }

    /// The predicted time on the chosen device.
    pub fn nanoseconds(&self) -> Option<f64> {
        self.predictions.get(self.chosen)?.nanoseconds
    }

    /// Whether a CPU was chosen.
    #[cfg(feature = "cuda")]
    pub(crate) fn is_cpu(&self) -> bool {
        self.device().is_some_and(|device| device.kind == DeviceKind::Cpu)
    }
}

impl fmt::Display for Choice {
    /// The chosen device first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(chosen) = self.predictions.get(self.chosen) else { return f.write_str("none") };
        write!(f, "{chosen}")?;
        let others = self.predictions.iter().enumerate().filter(|(at, _)| *at != self.chosen);
        for (place, (_, other)) in others.enumerate() {
            write!(f, "{} {other}", if place == 0 { "; not" } else { "," })?;
        }
        Ok(())
    }
}

impl fmt::Display for Prediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.nanoseconds {
            Some(nanoseconds) => {
                write!(f, "{}: {:.2} ms predicted", self.device, nanoseconds / 1e6)
            }
            None => write!(f, "{}: too little memory", self.device),
        }
    }
}

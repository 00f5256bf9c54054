//! Settings for bases, and runs over bases that are not kept.

use std::marker::PhantomData;
use std::sync::Arc;

use super::{Bases, Held, Inner, Partial, Report, execute};
use crate::control::{CancelToken, Hook};
use crate::cpu::make_room;
use crate::device::DeviceKind;
use crate::engine::Source;
use crate::error::PointFault;
use crate::plan::{Plan, Preset, Request, ScalarBound, Settings};
use crate::wait::wait;
use crate::{Curve, CurveSpec, Device, Error, Scalars, parallel};

/// How bases are to be loaded; made by [`Bases::builder`].
///
/// ```
/// use ark_ec::AffineRepr;
/// use bucketeer::{Bases, Device};
/// let points = vec![ark_bls12_381::G1Affine::generator(); 100];
/// let bases = Bases::builder().precompute(4).window_bits(8).load(&Device::cpu(), &points)?;
/// assert_eq!(bases.plan().shape.precompute, 4);
/// # Ok::<(), bucketeer::Error>(())
/// ```
#[must_use]
pub struct Builder<C: Curve> {
    pub(super) settings: Settings,
    preset: Option<&'static Preset>,
    scalar_bits: Option<u32>,
    pub(super) check_subgroup: bool,
    pub(super) hook: Option<Hook>,
    curve: PhantomData<C>,
}

impl<C: Curve> Default for Builder<C> {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            preset: None,
            scalar_bits: None,
            check_subgroup: false,
            hook: None,
            curve: PhantomData,
        }
    }
}

impl<C: Curve> Clone for Builder<C> {
    fn clone(&self) -> Self {
        let (settings, hook) = (self.settings.clone(), self.hook.clone());
        Self { settings, hook, ..*self }
    }
}

impl<C: Curve> Builder<C> {
    /// Stores `factor` shifted copies of each base: more memory, fewer buckets. Default 1.
    pub fn precompute(mut self, factor: u32) -> Self {
        self.settings.precompute = Some(factor);
        self
    }

    /// Stores `count` odd multiples of each of these copies, a power of two up to 1024: that many times more memory,
    /// that many times fewer buckets. Default 1; on a CPU only.
    pub fn odd_multiples(mut self, count: u32) -> Self {
        self.settings.odd_multiples = Some(count);
        self
    }

    /// Lets the plan choose how many shifted copies of each base, and how many odd multiples of these,
    /// [`load`](Self::load) stores: as many as make runs faster and fit in memory or its
    /// [limit](Self::memory_limit). Making the table takes as long as some dozens of runs.
    ///
    /// ```
    /// use bucketeer::{Bases, Device};
    /// use ark_ec::{AffineRepr, PrimeGroup, ScalarMul};
    /// use ark_bls12_381::{Fr, G1Projective};
    /// let factors: Vec<_> = (1..=1000u64).map(Fr::from).collect();
    /// let points = G1Projective::generator().batch_mul(&factors);
    /// let bases =
    ///     Bases::builder().auto_precompute().memory_limit(64 << 20).load(&Device::cpu(), &points)?;
    /// assert!(bases.plan().shape.precompute > 1 && bases.plan().bytes() <= 64 << 20);
    /// # Ok::<(), bucketeer::Error>(())
    /// ```
    pub fn auto_precompute(mut self) -> Self {
        self.settings.auto_precompute = true;
        self
    }

    /// Bits of a window, 1 to 26. By default the plan chooses.
    pub fn window_bits(mut self, bits: u32) -> Self {
        self.settings.window_bits = Some(bits);
        self
    }

    /// Plans for integer scalars below `2^bits` instead of residues. Runs with such scalars say so
    /// themselves by their type or [`Scalars::with_bits`]; this makes the table fit them.
    pub fn scalar_bits(mut self, bits: u32) -> Self {
        self.scalar_bits = Some(bits);
        self
    }

    /// Allows at most this many bytes beyond the inputs, table included. Less memory means more
    /// chunks, never another result. Bases whose table does not fit are kept as they were given, a copy of
    /// the input beside the limit, and converted chunk by chunk in every run.
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.settings.memory_limit = Some(bytes);
        self
    }

    /// Starts from a published strategy; settings made on the builder take precedence.
    pub fn preset(mut self, preset: &'static Preset) -> Self {
        self.preset = Some(preset);
        self
    }

    /// Sets everything a plan can be told at once.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Makes runs right for every point of the curve, inside the prime-order subgroup or not: no
    /// endomorphism, and no scalar replaced by another that is equal modulo the order.
    pub fn any_point(mut self) -> Self {
        self.settings.any_point = true;
        self
    }

    /// Checks at load that every base is on the curve and in the prime-order subgroup.
    pub fn check_subgroup(mut self) -> Self {
        self.check_subgroup = true;
        self
    }

    /// Calls `hook` during every run; see [`Hook`].
    pub fn on_progress(mut self, hook: Hook) -> Self {
        self.hook = Some(hook);
        self
    }

    /// Loads the bases onto the device.
    pub fn load(&self, device: &Device, points: &[C]) -> Result<Bases<C>, Error> {
        wait(self.load_async(device, points))
    }

    /// [`load`](Self::load) where nothing may block: for WebGPU in a browser. Other devices load at once.
    pub async fn load_async(&self, device: &Device, points: &[C]) -> Result<Bases<C>, Error> {
        if self.check_subgroup {
            check_points(device, points)?;
        }
        if !device.parts().is_empty() {
            return self.load_shares(device, points);
        }
        let curve = CurveSpec::of::<C>();
        let settings = self.settings_for(points.len());
        let scalars = self.scalar_bits.map_or(ScalarBound::Order, ScalarBound::Bits);
        let mut request = Request {
            curve: &curve,
            n: points.len(),
            batch: 1,
            scalars,
            resident: true,
            table: None,
            device: device.facts(),
            settings: &settings,
        };
        let plan = Plan::new(&request).or_else(|error| match error {
            // The table does not fit: keep the points and convert them as they are needed.
            Error::OutOfMemory { .. } => {
                request.resident = false;
                Plan::new(&request)
            }
            other => Err(other),
        })?;
        let mut engine = device.engine::<C>(&plan)?;
        let mut streamed = None;
        if !plan.resident {
            let mut kept = Vec::new();
            make_room(&mut kept, points.len())?;
            kept.extend_from_slice(points);
            streamed = Some(kept);
        } else if device.kind() == DeviceKind::WebGpu {
            engine.load_async(&plan, points).await?;
        } else {
            device.install(|| engine.load(&plan, points))?;
        }
        let (device, hook) = (device.clone(), self.hook.clone());
        let held = Held::Engine { engine, streamed };
        Ok(Bases { inner: Arc::new(Inner { device, curve, settings, plan, held, hook }) })
    }

    /// One MSM over borrowed bases, without keeping them.
    pub fn msm<'a>(
        &self,
        device: &Device,
        points: &[C],
        scalars: impl Into<Scalars<'a, C::ScalarField>>,
    ) -> Result<C::Group, Error> {
        Ok(self.msm_with_report(device, points, scalars)?.result)
    }

    /// One MSM over borrowed bases, with its plan and timings.
    pub fn msm_with_report<'a>(
        &self,
        device: &Device,
        points: &[C],
        scalars: impl Into<Scalars<'a, C::ScalarField>>,
    ) -> Result<Report<C>, Error> {
        self.run(device, points, &scalars.into(), CancelToken::default())?.finish()
    }

    /// [`msm_with_report`](Self::msm_with_report) where nothing may block: for WebGPU in a browser.
    pub async fn msm_with_report_async<'a>(
        &self,
        device: &Device,
        points: &[C],
        scalars: impl Into<Scalars<'a, C::ScalarField>>,
    ) -> Result<Report<C>, Error> {
        let scalars = scalars.into();
        self.run_async(device, points, &scalars, CancelToken::default()).await?.finish()
    }

    pub(super) fn run(
        &self,
        device: &Device,
        points: &[C],
        scalars: &Scalars<'_, C::ScalarField>,
        cancel: CancelToken,
    ) -> Result<Partial<C>, Error> {
        wait(self.run_async(device, points, scalars, cancel))
    }

    pub(super) async fn run_async(
        &self,
        device: &Device,
        points: &[C],
        scalars: &Scalars<'_, C::ScalarField>,
        cancel: CancelToken,
    ) -> Result<Partial<C>, Error> {
        if points.len() != scalars.len() {
            let (bases, scalars) = (points.len(), scalars.len());
            return Err(Error::LengthMismatch { bases, scalars });
        }
        if self.check_subgroup {
            check_points(device, points)?;
        }
        if !device.parts().is_empty() {
            return self.run_shares(device, points, scalars, cancel);
        }
        let curve = CurveSpec::of::<C>();
        let settings = self.settings_for(points.len());
        let plan = Plan::new(&Request {
            curve: &curve,
            n: points.len(),
            batch: 1,
            scalars: scalars.bound(),
            resident: false,
            table: None,
            device: device.facts(),
            settings: &settings,
        })?;
        let engine = device.engine::<C>(&plan)?;
        let source = Source::Borrowed(points);
        execute(device, &*engine, plan, source, scalars, &self.hook, cancel).await
    }

    /// The same for a share of the bases: they are checked already, and the first share reports progress
    /// for all.
    pub(super) fn for_share(&self, index: usize) -> Self {
        let hook = self.hook.clone().filter(|_| index == 0);
        Self { check_subgroup: false, hook, ..self.clone() }
    }

    /// The preset's settings, overridden by those made on the builder.
    pub(super) fn settings_for(&self, n: usize) -> Settings {
        let own = self.settings.clone();
        match self.preset {
            Some(preset) => own.over(preset, n),
            None => own,
        }
    }
}

fn check_points<C: Curve>(device: &Device, points: &[C]) -> Result<(), Error> {
    let fault = |point: &C| match (point.on_curve(), point.in_subgroup()) {
        (false, _) => Some(PointFault::NotOnCurve),
        (true, false) => Some(PointFault::NotInSubgroup),
        (true, true) => None,
    };
    let found = device
        .install(|| parallel::find_first(points.len(), |i| fault(&points[i]).map(|f| (i, f))));
    found.map_or(Ok(()), |(index, reason)| Err(Error::InvalidBase { index, reason }))
}

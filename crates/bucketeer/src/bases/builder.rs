//! Settings for bases, and one-shot runs over borrowed bases.

use std::marker::PhantomData;
use std::sync::Arc;

use super::{Bases, Held, Inner, Partial, execute};
use crate::control::{CancelToken, Hook};
use crate::engine::{Msm, Placement};
use crate::error::PointFault;
use crate::plan::{Plan, Preset, Request, ScalarBound, Settings};
use crate::report::Report;
use crate::vectors::try_clear_with_capacity;
use crate::wait::wait;
use crate::{Curve, CurveSpec, Device, Error, Scalars, parallel};

/// Settings for bases and runs, made by [`Bases::builder`].
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

    /// Stores `count` odd multiples of each copy, a power of two up to 1024: `count` times the
    /// memory, `count` times fewer buckets. Default 1. CPU only.
    pub fn odd_multiples(mut self, count: u32) -> Self {
        self.settings.odd_multiples = Some(count);
        self
    }

    /// Lets the plan choose how many shifted copies of each base, and how many odd multiples of
    /// each copy, [`load`](Self::load) stores: of those that fit in memory and its
    /// [limit](Self::memory_limit), the ones with which a thousand runs and the making of the table
    /// take the least time. Making it takes as long as dozens of runs; larger tables, which gain a
    /// few per cent more, are left to [`precompute`](Self::precompute) and
    /// [`odd_multiples`](Self::odd_multiples).
    ///
    /// ```
    /// use bucketeer::{Bases, Device};
    /// use ark_ec::{AffineRepr, PrimeGroup, ScalarMul};
    /// use ark_bls12_381::{Fr, G1Projective};
    /// let factors: Vec<_> = (1..=1000u64).map(Fr::from).collect();
    /// let points = G1Projective::generator().batch_mul(&factors);
    /// let builder = Bases::builder().auto_precompute().memory_limit(64 << 20);
    /// let bases = builder.load(&Device::cpu(), &points)?;
    /// assert!(bases.plan().shape.precompute > 1 && bases.plan().bytes() <= 64 << 20);
    /// # Ok::<(), bucketeer::Error>(())
    /// ```
    pub fn auto_precompute(mut self) -> Self {
        self.settings.auto_precompute = true;
        self
    }

    /// Sets the bits of a window, 1 to 26. By default the plan chooses.
    pub fn window_bits(mut self, bits: u32) -> Self {
        self.settings.window_bits = Some(bits);
        self
    }

    /// Makes the table for integer scalars below `2^bits` instead of residues. Runs declare such
    /// scalars by their type or by [`Scalars::with_bits`].
    pub fn scalar_bits(mut self, bits: u32) -> Self {
        self.scalar_bits = Some(bits);
        self
    }

    /// Limits the memory beyond the inputs, table included. Less memory means more chunks, never
    /// another result. If the table does not fit, the bases are kept as a plain copy of the input,
    /// which does not count, and converted chunk by chunk in every run.
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.settings.memory_limit = Some(bytes);
        self
    }

    /// Starts from a published strategy; settings made on the builder take precedence.
    pub fn preset(mut self, preset: &'static Preset) -> Self {
        self.preset = Some(preset);
        self
    }

    /// Sets all settings of the plan at once.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Makes runs right for every point of the curve, in the prime-order subgroup or not. Runs then
    /// use no endomorphism and never replace a scalar by one that is congruent modulo the order.
    pub fn any_point(mut self) -> Self {
        self.settings.any_point = true;
        self
    }

    /// Checks on load that every base is on the curve and in the prime-order subgroup.
    pub fn check_subgroup(mut self) -> Self {
        self.check_subgroup = true;
        self
    }

    /// Makes every run verify its sums by a second computation, and fail with
    /// [`Error::VerificationFailed`] where they do not agree: on hardware that computes wrongly, a
    /// wrong sum is an error. Off by default.
    ///
    /// For MSMs over bases that are loaded, a random combination of the scalars of a whole batch
    /// gives one more MSM, of full length, whose sum must be the combination of the results. It is
    /// compared with a sum over the caller's points that the CPU computes when the bases are
    /// loaded. A wrong sum, whatever the fault, a wrong table among them, is missed with
    /// probability at most 2⁻⁶⁴. A single MSM, a job or an MSM of a [`Batch`](crate::Batch) takes
    /// twice the time; one call of `msm_batch` takes one MSM more. Scalars shorter than the group
    /// order are verified with ones of full length.
    ///
    /// MSMs over borrowed bases are computed again with the scalars times a random number and with
    /// another window width. A fault in one of the two runs is found. A base that is wrong in both
    /// runs in the same way is not.
    ///
    /// With [`any_point`](Self::any_point), errors that are points of small order and recur in the
    /// second computation may be missed. The host's memory and a few operations on it are trusted.
    /// A verification takes, beyond the plan and the memory limit, the memory of as many residues
    /// as there are scalars; batches over borrowed bases, of all their scalars together. A hook is
    /// told of the progress of both computations, and of the check of the table in
    /// [`load`](Self::load), which it can cancel. Timings in a report are those of the first.
    ///
    /// ```
    /// use ark_ec::AffineRepr;
    /// use ark_bls12_381::{Fr, G1Affine};
    /// use bucketeer::{Bases, Device};
    /// let bases = Bases::builder().verify().load(&Device::cpu(), &[G1Affine::generator(); 9])?;
    /// let sums = bases.msm_batch(&[&[Fr::from(2); 9], &[Fr::from(3); 9]])?;
    /// assert_eq!(sums, [18, 27].map(|k| G1Affine::generator() * Fr::from(k)));
    /// # Ok::<(), bucketeer::Error>(())
    /// ```
    pub fn verify(mut self) -> Self {
        self.settings.verify = true;
        self
    }

    /// Whether bases are [checked](Self::check_subgroup).
    #[cfg(feature = "io")]
    pub(crate) fn checks_subgroup(&self) -> bool {
        self.check_subgroup
    }

    /// The hook of [`on_progress`](Self::on_progress).
    #[cfg(feature = "io")]
    pub(crate) fn hook(&self) -> Option<&Hook> {
        self.hook.as_ref()
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

    /// [`load`](Self::load) without blocking, for WebGPU in a browser. Other devices load
    /// synchronously.
    pub async fn load_async(&self, device: &Device, points: &[C]) -> Result<Bases<C>, Error> {
        #[cfg(feature = "ranks")]
        if let Some(member) = device.member() {
            return self.load_on_ranks(device, member, points.len(), |own| {
                Ok(std::borrow::Cow::Borrowed(&points[own.clone()]))
            });
        }
        if self.check_subgroup {
            check_points(device, points)?;
        }
        let verifier = self.verifier(device, points).await?;
        let mut inner = match device.parts() {
            [] => self.load_on_one(device, points).await?,
            _ => self.load_shares(device, points)?,
        };
        inner.verifier = verifier;
        let bases = Bases { inner: Arc::new(inner) };
        bases.slice(..).verify_table().await?;
        Ok(bases)
    }

    async fn load_on_one(&self, device: &Device, points: &[C]) -> Result<Inner<C>, Error> {
        let curve = CurveSpec::of::<C>();
        let settings = self.settings_for(points.len());
        let scalars = self.scalar_bound();
        let request =
            Request::new(&curve, points.len(), device.facts()).scalars(scalars).settings(&settings);
        let plan = Plan::new(&request.clone().resident(true)).or_else(|error| match error {
            // The table does not fit: keep the points and convert them in every run.
            Error::OutOfMemory { .. } => Plan::new(&request),
            other => Err(other),
        })?;
        let mut engine = device.engine::<C>(&plan)?;
        let mut streamed = None;
        if !plan.resident {
            let mut kept = Vec::new();
            try_clear_with_capacity(&mut kept, points.len())?;
            kept.extend_from_slice(points);
            streamed = Some(kept);
        } else {
            engine.load(&plan, points).await?;
        }
        let held = Held::Engine { engine, streamed };
        Ok(Inner::new(device, settings, plan, scalars, held, self.hook.clone()))
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
        wait(self.run(device, points, &scalars.into(), CancelToken::default()))?.finish()
    }

    /// [`msm_with_report`](Self::msm_with_report) without blocking, for WebGPU in a browser.
    pub async fn msm_with_report_async<'a>(
        &self,
        device: &Device,
        points: &[C],
        scalars: impl Into<Scalars<'a, C::ScalarField>>,
    ) -> Result<Report<C>, Error> {
        let scalars = scalars.into();
        self.run(device, points, &scalars, CancelToken::default()).await?.finish()
    }

    /// One MSM whose sum stays in its engine's coordinates.
    pub(crate) async fn run(
        &self,
        device: &Device,
        points: &[C],
        scalars: &Scalars<'_, C::ScalarField>,
        cancel: CancelToken,
    ) -> Result<Partial<C>, Error> {
        #[cfg(feature = "ranks")]
        if let Some(member) = device.member() {
            return self.run_on_ranks(member, points, scalars, cancel);
        }
        if points.len() != scalars.len() {
            let (bases, scalars) = (points.len(), scalars.len());
            return Err(Error::LengthMismatch { bases, scalars });
        }
        if self.check_subgroup {
            check_points(device, points)?;
        }
        let run = self.run_once(device, points, scalars, cancel.clone()).await?;
        let found = (&run.sum, run.plan.shape.window_bits);
        self.verify_one(device, (points, scalars), found, cancel).await?;
        Ok(run)
    }

    /// The same without checks and verification.
    pub(super) async fn run_once(
        &self,
        device: &Device,
        points: &[C],
        scalars: &Scalars<'_, C::ScalarField>,
        cancel: CancelToken,
    ) -> Result<Partial<C>, Error> {
        if !device.parts().is_empty() {
            return self.run_shares(device, points, scalars, cancel);
        }
        let curve = CurveSpec::of::<C>();
        let settings = self.settings_for(points.len());
        let request = Request::new(&curve, points.len(), device.facts())
            .scalars(scalars.bound())
            .settings(&settings);
        let plan = Plan::new(&request)?;
        let engine = device.engine::<C>(&plan)?;
        let msm = Msm { bases: Placement::Borrowed(points), scalars: *scalars };
        execute(&*engine, plan, msm, &self.hook, cancel).await
    }

    /// The builder for a share of the bases: they are checked already, sums are verified together,
    /// and only the first share reports progress.
    pub(super) fn for_share(&self, index: usize) -> Self {
        let hook = self.hook.clone().filter(|_| index == 0);
        let mut own = Self { check_subgroup: false, hook, ..self.clone() };
        own.settings.verify = false;
        own
    }

    /// The scalars that tables are made for.
    pub(super) fn scalar_bound(&self) -> ScalarBound {
        self.scalar_bits.map_or(ScalarBound::Order, ScalarBound::Bits)
    }

    /// The preset's settings, overridden by the builder's own.
    pub(crate) fn settings_for(&self, n: usize) -> Settings {
        let own = self.settings.clone();
        match self.preset {
            Some(preset) => own.over(preset, n),
            None => own,
        }
    }
}

/// Reports the first point that is not on the curve or not in the prime-order subgroup.
pub(super) fn check_points<C: Curve>(device: &Device, points: &[C]) -> Result<(), Error> {
    let fault = |point: &C| match (point.on_curve(), point.in_subgroup()) {
        (false, _) => Some(PointFault::NotOnCurve),
        (true, false) => Some(PointFault::NotInSubgroup),
        (true, true) => None,
    };
    let found = device
        .install(|| parallel::find_first(points.len(), |i| fault(&points[i]).map(|f| (i, f))));
    found.map_or(Ok(()), |(index, reason)| Err(Error::InvalidBase { index, reason }))
}

//! Points of a named curve.

#[cfg(feature = "io")]
use std::borrow::Cow;
use std::ops::Range;
#[cfg(feature = "io")]
use std::path::Path;

use ark_ec::CurveGroup;

use super::bases::Loaded;
use super::{AnyBases, AnyReport, AnyScalars, Coordinates, RunOptions};
#[cfg(feature = "io")]
use crate::ScalarVec;
use crate::curves::NamedCurve;
#[cfg(feature = "io")]
use crate::io::{self, Encoding};
use crate::packed::PackedScalars;
use crate::random::KnownBases;
use crate::reference::reference_sum;
use crate::subgroup::first_outside;
use crate::wait::{Pending, wait};
use crate::{Curve, Device, Error, parallel};

/// Points of a named curve.
pub trait AnyPoints: Send + Sync {
    /// How many points there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Loads the first `n` points onto a device; see
    /// [`Builder::load_async`](crate::Builder::load_async).
    fn load_async<'a>(
        &'a self,
        device: &'a Device,
        n: usize,
        options: &'a RunOptions,
    ) -> Pending<'a, Result<Box<dyn AnyBases>, Error>>;

    /// One MSM over all points;
    /// see [`Builder::msm_with_report_async`](crate::Builder::msm_with_report_async).
    fn msm_with_report_async<'a>(
        &'a self,
        device: &'a Device,
        options: &'a RunOptions,
        scalars: &'a AnyScalars,
    ) -> Pending<'a, Result<AnyReport, Error>>;

    /// One MSM over the first points, as many as there are scalars.
    fn msm_packed(
        &self,
        device: &Device,
        options: &RunOptions,
        scalars: &PackedScalars<'_>,
    ) -> Result<AnyReport, Error>;

    /// The same with scalars of the library's own.
    fn msm_of_first(
        &self,
        device: &Device,
        options: &RunOptions,
        scalars: &AnyScalars,
    ) -> Result<AnyReport, Error>;

    /// Some of the points, without their logarithms.
    fn part(&self, range: Range<usize>) -> Box<dyn AnyPoints>;

    /// Frees the points and keeps their logarithms, all that [`expected`](Self::expected) needs.
    fn keep_logarithms(&mut self);

    /// The sum over the first points, as many as there are scalars, from the points' logarithms.
    /// `None` where these are not known or the scalars are integers.
    fn expected(&self, scalars: &AnyScalars) -> Result<Option<Coordinates>, Error>;

    /// The sum over the first points by double-and-add, which shares nothing with the engines.
    fn reference(&self, scalars: &AnyScalars) -> Result<Coordinates, Error>;

    /// The first point outside the prime-order subgroup. With a seed unknown to whoever made the
    /// points, many points are checked at once; without one, each by itself.
    fn first_outside(&self, seed: Option<[u8; 32]>) -> Option<usize>;

    /// [`io::write_bases`].
    #[cfg(feature = "io")]
    fn write(&self, path: &Path, encoding: Encoding) -> Result<(), Error>;

    /// [`io::write_json`].
    #[cfg(feature = "io")]
    fn write_json(&self, path: &Path, scalars: Option<&AnyScalars>) -> Result<(), Error>;
}

impl dyn AnyPoints + '_ {
    /// Loads the first `n` points onto a device; see [`Builder::load`](crate::Builder::load).
    pub fn load(
        &self,
        device: &Device,
        n: usize,
        options: &RunOptions,
    ) -> Result<Box<dyn AnyBases>, Error> {
        wait(self.load_async(device, n, options))
    }

    /// One MSM over all points; see [`Builder::msm_with_report`](crate::Builder::msm_with_report).
    pub fn msm_with_report(
        &self,
        device: &Device,
        options: &RunOptions,
        scalars: &AnyScalars,
    ) -> Result<AnyReport, Error> {
        wait(self.msm_with_report_async(device, options, scalars))
    }
}

pub(super) struct Points<C: Curve> {
    curve: &'static NamedCurve,
    held: Held<C>,
}

enum Held<C: Curve> {
    Known(KnownBases<C>),
    Given(Vec<C>),
}

impl<C: Curve> Points<C> {
    pub(super) fn known(curve: &'static NamedCurve, known: KnownBases<C>) -> Self {
        Self { curve, held: Held::Known(known) }
    }

    pub(super) fn given(curve: &'static NamedCurve, points: Vec<C>) -> Self {
        Self { curve, held: Held::Given(points) }
    }

    fn points(&self) -> &[C] {
        match &self.held {
            Held::Known(known) => &known.points,
            Held::Given(points) => points,
        }
    }

    /// The first points, as many as there are scalars.
    fn paired(&self, scalars: usize) -> Result<&[C], Error> {
        let bases = self.points();
        let mismatch = Error::LengthMismatch { bases: bases.len(), scalars };
        bases.get(..scalars).ok_or(mismatch)
    }
}

impl<C: Curve> AnyPoints for Points<C> {
    fn len(&self) -> usize {
        self.points().len()
    }

    fn load_async<'a>(
        &'a self,
        device: &'a Device,
        n: usize,
        options: &'a RunOptions,
    ) -> Pending<'a, Result<Box<dyn AnyBases>, Error>> {
        Box::pin(async move {
            let points = self.paired(n)?;
            let bases = options.builder::<C>().load_async(device, points).await?;
            Ok(Box::new(Loaded { curve: self.curve, bases }) as Box<dyn AnyBases>)
        })
    }

    fn msm_with_report_async<'a>(
        &'a self,
        device: &'a Device,
        options: &'a RunOptions,
        scalars: &'a AnyScalars,
    ) -> Pending<'a, Result<AnyReport, Error>> {
        Box::pin(async move {
            let scalars = scalars.typed::<C>(self.curve)?;
            let builder = options.builder::<C>();
            let report = builder.msm_with_report_async(device, self.points(), scalars).await?;
            Ok(AnyReport::new(report))
        })
    }

    fn msm_packed(
        &self,
        device: &Device,
        options: &RunOptions,
        scalars: &PackedScalars<'_>,
    ) -> Result<AnyReport, Error> {
        let scalars = scalars.unpack::<C::ScalarField>()?;
        let points = self.paired(scalars.len())?;
        Ok(AnyReport::new(options.builder::<C>().msm_with_report(device, points, &scalars)?))
    }

    fn msm_of_first(
        &self,
        device: &Device,
        options: &RunOptions,
        scalars: &AnyScalars,
    ) -> Result<AnyReport, Error> {
        let points = self.paired(scalars.len())?;
        let scalars = scalars.typed::<C>(self.curve)?;
        Ok(AnyReport::new(options.builder::<C>().msm_with_report(device, points, scalars)?))
    }

    fn part(&self, range: Range<usize>) -> Box<dyn AnyPoints> {
        Box::new(Self::given(self.curve, self.points()[range].to_vec()))
    }

    fn keep_logarithms(&mut self) {
        match &mut self.held {
            Held::Known(known) => known.points = Vec::new(),
            Held::Given(points) => *points = Vec::new(),
        }
    }

    fn expected(&self, scalars: &AnyScalars) -> Result<Option<Coordinates>, Error> {
        Ok(match (&self.held, scalars.typed::<C>(self.curve)?.residues()) {
            (Held::Known(known), Some(residues)) => {
                Some(Coordinates::of(Some(known.expected(residues).into_affine())))
            }
            _ => None,
        })
    }

    fn reference(&self, scalars: &AnyScalars) -> Result<Coordinates, Error> {
        let points = self.paired(scalars.len())?;
        let (words, words_each) = scalars.typed::<C>(self.curve)?.integers();
        let sum = reference_sum(points, &words, words_each);
        Ok(Coordinates::of(C::from_weierstrass(sum)))
    }

    fn first_outside(&self, seed: Option<[u8; 32]>) -> Option<usize> {
        let points = self.points();
        match seed {
            Some(seed) => first_outside(points, seed),
            None => {
                let outside = |i: usize| (!points[i].in_subgroup()).then_some(i);
                parallel::find_first(points.len(), outside)
            }
        }
    }

    #[cfg(feature = "io")]
    fn write(&self, path: &Path, encoding: Encoding) -> Result<(), Error> {
        io::write_bases(path, self.points(), encoding)
    }

    #[cfg(feature = "io")]
    fn write_json(&self, path: &Path, scalars: Option<&AnyScalars>) -> Result<(), Error> {
        let scalars = match scalars {
            Some(scalars) => scalars.typed::<C>(self.curve)?.vec(),
            None => Cow::Owned(ScalarVec::Residues(Vec::new())),
        };
        io::write_json(path, self.curve, self.points(), &scalars)
    }
}

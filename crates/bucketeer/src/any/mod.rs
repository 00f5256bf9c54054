//! Named curves without their types.
//!
//! Code that is generic over [`Curve`] is compiled once for each curve in every crate that calls
//! it. A program that learns its curve from a name, such as the command-line tool, would compile
//! the library fourteen times. Here it is compiled once, in this crate, behind four objects:
//!
//! 1. [`AnyCurve`] makes points and scalars: random, from bytes ([`packed`](crate::packed)), from
//!    files.
//! 2. [`AnyPoints`] and [`AnyScalars`] are those inputs.
//! 3. [`AnyBases`] are points on a device.
//! 4. An [`AnyReport`] has the sum, whose [`Coordinates`] are integers.
//!
//! ```
//! use bucketeer::Device;
//! use bucketeer::any::RunOptions;
//! use bucketeer::curves::NamedCurve;
//! use bucketeer::random::Distribution;
//!
//! let curve = NamedCurve::named("bn254")?.any();
//! let points = curve.random_bases(100, 7);
//! let scalars = curve.random_scalars(Distribution::Uniform, 100, 7);
//! let options = RunOptions::default();
//! let report = points.msm_with_report(&Device::cpu(), &options, &scalars)?;
//! let expected = points.expected(&scalars)?;
//! assert_eq!(Some(report.sum.coordinates()), expected);
//! # Ok::<(), bucketeer::Error>(())
//! ```
//!
//! Points and scalars of different curves do not mix: such a call is an error.

mod bases;
mod bytes;
mod job;
mod points;
mod scalars;
mod share;
#[cfg(feature = "io")]
mod stream;
mod sum;

pub use bases::{AnyBases, AnyReport, RunOptions};
pub use bytes::Layout;
pub use job::AnyJob;
pub use points::AnyPoints;
pub use scalars::AnyScalars;
pub use share::AnyShare;
#[cfg(feature = "io")]
pub use stream::{AnyStream, AnyStreamReport};
pub use sum::{AnySum, Coordinates};

use std::any::TypeId;
use std::marker::PhantomData;
#[cfg(feature = "io")]
use std::path::Path;
use std::sync::Arc;

use crate::curves::{NamedCurve, Visitor};
#[cfg(feature = "io")]
use crate::io::{self, BasesFile, Malformed, ReadOptions, ScalarsFile, Streamed};
use crate::packed::{PackedPoints, Representation};
use crate::random::{Distribution, KnownBases};
use crate::{Curve, CurveSpec, Device, Error};
use points::Points;

/// A named curve without its type.
pub trait AnyCurve: Send + Sync {
    /// The curve's name.
    fn named(&self) -> &'static NamedCurve;

    /// What a plan needs to know of the curve.
    fn spec(&self) -> Arc<CurveSpec>;

    /// Sizes of points and scalars, in memory and as bytes.
    fn layout(&self) -> Layout;

    /// `n` points with known logarithms, from a seed.
    fn random_bases(&self, n: usize, seed: u64) -> Box<dyn AnyPoints>;

    /// `n` scalars from a seed.
    fn random_scalars(&self, kind: Distribution, n: usize, seed: u64) -> AnyScalars;

    /// Random scalars in the memory that the device copies from fastest.
    fn pinned_scalars(
        &self,
        kind: Distribution,
        n: usize,
        seed: u64,
        device: &Device,
    ) -> Result<AnyScalars, Error>;

    /// Points from bytes, in the form that [`Layout`] describes. That they lie on the curve is
    /// checked.
    fn points_from_bytes(&self, bytes: &[u8]) -> Result<Box<dyn AnyPoints>, Error>;

    /// Points from packed bytes.
    fn unpack_points(&self, points: &PackedPoints<'_>) -> Result<Box<dyn AnyPoints>, Error>;

    /// The scalars of `n` bases from bytes, of 32 bytes each or of the curve's own size. Those not
    /// in Montgomery form may be any integers. Where `residues` is set and all are below the order
    /// they are taken as residues, for which there are faster plans.
    fn scalars_from_bytes(
        &self,
        bytes: &[u8],
        representation: Representation,
        n: usize,
        residues: bool,
    ) -> Result<AnyScalars, Error>;

    /// The sum of an MSM from those of its shares, [`AnyShare::sum`].
    fn total(&self, shares: &[&[u8]]) -> Result<AnySum, Error>;

    /// [`io::read_bases`].
    #[cfg(feature = "io")]
    fn read_bases(
        &self,
        path: &Path,
        section: Option<&str>,
        options: &ReadOptions,
    ) -> Result<Box<dyn AnyPoints>, Error>;

    /// [`io::read_scalars`].
    #[cfg(feature = "io")]
    fn read_scalars(&self, path: &Path, options: &ReadOptions) -> Result<AnyScalars, Error>;

    /// Opens files of bases and scalars for an MSM that reads them chunk by chunk; see
    /// [`io::Streamed`].
    #[cfg(feature = "io")]
    fn stream(
        &self,
        bases: &Path,
        section: Option<&str>,
        scalars: &Path,
        options: &ReadOptions,
    ) -> Result<Box<dyn AnyStream>, Error>;

    /// [`Bases::open`](crate::Bases::open).
    #[cfg(feature = "io")]
    fn open_table(
        &self,
        device: &Device,
        options: &RunOptions,
        path: &Path,
    ) -> Result<Box<dyn AnyBases>, Error>;

    /// [`io::parse_json`].
    #[cfg(feature = "io")]
    fn parse_json(
        &self,
        bytes: &[u8],
        options: &ReadOptions,
    ) -> Result<(Box<dyn AnyPoints>, AnyScalars), Malformed>;
}

impl NamedCurve {
    /// The curve behind an object without its type.
    pub fn any(&'static self) -> Box<dyn AnyCurve> {
        struct Erase;
        impl Visitor for Erase {
            type Output = Box<dyn AnyCurve>;
            fn visit<C: Curve>(self, curve: &'static NamedCurve) -> Self::Output {
                Box::new(Typed::<C> { curve, points: PhantomData })
            }
        }
        self.visit(Erase)
    }

    /// The curve behind an object without its type, if `C` is its type. A program that needs few
    /// curves contains only those that it names here, and all of them if it calls
    /// [`any`](Self::any).
    ///
    /// ```
    /// use bucketeer::curves::{NamedCurve, ark_bn254};
    /// let curve = NamedCurve::named("bn254-g2")?;
    /// assert!(curve.any_of::<ark_bn254::G1Affine>().is_none());
    /// let curve = curve.any_of::<ark_bn254::G2Affine>().map(|curve| curve.named().name);
    /// assert_eq!(curve, Some("bn254-g2"));
    /// # Ok::<(), bucketeer::Error>(())
    /// ```
    pub fn any_of<C: Curve>(&'static self) -> Option<Box<dyn AnyCurve>> {
        struct TypeOf;
        impl Visitor for TypeOf {
            type Output = TypeId;
            fn visit<C: Curve>(self, _: &'static NamedCurve) -> TypeId {
                TypeId::of::<C>()
            }
        }
        let same = self.visit(TypeOf) == TypeId::of::<C>();
        same.then(|| Box::new(Typed::<C> { curve: self, points: PhantomData }) as _)
    }
}

struct Typed<C> {
    curve: &'static NamedCurve,
    points: PhantomData<fn() -> C>,
}

impl<C: Curve> AnyCurve for Typed<C> {
    fn named(&self) -> &'static NamedCurve {
        self.curve
    }

    fn spec(&self) -> Arc<CurveSpec> {
        CurveSpec::of::<C>()
    }

    fn layout(&self) -> Layout {
        Layout::of::<C>()
    }

    fn random_bases(&self, n: usize, seed: u64) -> Box<dyn AnyPoints> {
        Box::new(Points::known(self.curve, KnownBases::<C>::new(n, seed)))
    }

    fn random_scalars(&self, kind: Distribution, n: usize, seed: u64) -> AnyScalars {
        AnyScalars::residues::<C>(self.curve, kind.scalars(n, seed))
    }

    fn pinned_scalars(
        &self,
        kind: Distribution,
        n: usize,
        seed: u64,
        device: &Device,
    ) -> Result<AnyScalars, Error> {
        let scalars: Vec<C::ScalarField> = kind.scalars(n, seed);
        Ok(AnyScalars::pinned::<C>(self.curve, device.pinned(&scalars)?))
    }

    fn points_from_bytes(&self, bytes: &[u8]) -> Result<Box<dyn AnyPoints>, Error> {
        self.unpack_points(&PackedPoints::new(bytes, Representation::LittleEndian))
    }

    fn unpack_points(&self, points: &PackedPoints<'_>) -> Result<Box<dyn AnyPoints>, Error> {
        Ok(Box::new(Points::given(self.curve, points.to_affine::<C>()?)))
    }

    fn scalars_from_bytes(
        &self,
        bytes: &[u8],
        representation: Representation,
        n: usize,
        residues: bool,
    ) -> Result<AnyScalars, Error> {
        bytes::read_scalars::<C>(self.curve, bytes, representation, n, residues)
    }

    fn total(&self, shares: &[&[u8]]) -> Result<AnySum, Error> {
        share::total::<C>(shares)
    }

    #[cfg(feature = "io")]
    fn read_bases(
        &self,
        path: &Path,
        section: Option<&str>,
        options: &ReadOptions,
    ) -> Result<Box<dyn AnyPoints>, Error> {
        let points = io::read_bases::<C>(path, self.curve, section, options)?;
        Ok(Box::new(Points::given(self.curve, points)))
    }

    #[cfg(feature = "io")]
    fn read_scalars(&self, path: &Path, options: &ReadOptions) -> Result<AnyScalars, Error> {
        Ok(AnyScalars::new::<C>(self.curve, io::read_scalars::<C>(path, self.curve, options)?))
    }

    #[cfg(feature = "io")]
    fn stream(
        &self,
        bases: &Path,
        section: Option<&str>,
        scalars: &Path,
        options: &ReadOptions,
    ) -> Result<Box<dyn AnyStream>, Error> {
        let bases = BasesFile::<C>::open(bases, self.curve, section, options)?;
        let scalars = ScalarsFile::open(scalars, self.curve, options)?;
        Ok(Box::new(Streamed::new(bases, scalars)?))
    }

    #[cfg(feature = "io")]
    fn open_table(
        &self,
        device: &Device,
        options: &RunOptions,
        path: &Path,
    ) -> Result<Box<dyn AnyBases>, Error> {
        let bases = options.builder::<C>().open(device, path)?;
        Ok(Box::new(bases::Loaded { curve: self.curve, bases }))
    }

    #[cfg(feature = "io")]
    fn parse_json(
        &self,
        bytes: &[u8],
        options: &ReadOptions,
    ) -> Result<(Box<dyn AnyPoints>, AnyScalars), Malformed> {
        let io::JsonInput { bases, scalars } =
            io::parse_json::<C>(bytes, Some(self.curve), options)?;
        let points = Box::new(Points::given(self.curve, bases));
        Ok((points, AnyScalars::new::<C>(self.curve, scalars)))
    }
}

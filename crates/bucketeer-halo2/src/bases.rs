//! Bases that stay on a device.

use bucketeer::{Builder, Device, Error, Scalars};

use crate::Point;
use crate::layout::{self, Layout};

/// Bases resident on a device, ready for any number of MSMs, as the parameters of KZG are. Cheap to
/// clone.
///
/// ```
/// use bucketeer_halo2::{Bases, Device, Error};
/// use halo2curves::bn256::{Fr, G1, G1Affine};
///
/// let params = vec![G1Affine::generator(); 100];
/// let bases = Bases::load(&Device::best(), &params)?;
/// let polynomial: Vec<Fr> = (0..10).map(Fr::from).collect();
/// assert_eq!(bases.msm(&polynomial)?, G1::generator() * Fr::from(45));
/// let sums = bases.msm_batch(&[&polynomial, &polynomial[..3]])?;
/// assert_eq!(sums[1], G1::generator() * Fr::from(3));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Bases<C: Point>(bucketeer::Bases<C::Ark>);

impl<C: Point> Bases<C> {
    /// Loads bases with default settings. Points that are not on the curve are an error.
    pub fn load(device: &Device, points: &[C]) -> Result<Self, Error> {
        Self::load_with(&bucketeer::Bases::builder(), device, points)
    }

    /// Loads bases with the settings of Bucketeer's builder: tables, memory limit, checks.
    ///
    /// ```
    /// # use halo2curves::bn256::G1Affine;
    /// # use bucketeer_halo2::{Bases, Device, Error};
    /// let builder = bucketeer::Bases::builder().auto_precompute();
    /// let bases = Bases::load_with(&builder, &Device::cpu(), &[G1Affine::generator(); 10])?;
    /// println!("{}", bases.inner().plan());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn load_with(
        builder: &Builder<C::Ark>,
        device: &Device,
        points: &[C],
    ) -> Result<Self, Error> {
        let points = Layout::of::<C>()?.points(points, false)?;
        Ok(Self(builder.load(device, &points)?))
    }

    /// The number of bases.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no bases.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `Σ kᵢ·Pᵢ`. Fewer scalars than bases use the first bases.
    pub fn msm(&self, scalars: &[C::Scalar]) -> Result<C::Curve, Error> {
        let scalars = Layout::of::<C>()?.scalars::<C>(scalars)?;
        layout::sum::<C>(self.0.msm(Scalars::residues(&scalars))?)
    }

    /// One MSM per element of `batch`, all over these bases.
    pub fn msm_batch(&self, batch: &[&[C::Scalar]]) -> Result<Vec<C::Curve>, Error> {
        let layout = Layout::of::<C>()?;
        let batch = batch.iter().map(|scalars| layout.scalars::<C>(scalars));
        let batch = batch.collect::<Result<Vec<_>, _>>()?;
        let batch: Vec<_> = batch.iter().map(|scalars| Scalars::residues(scalars)).collect();
        let batch: Vec<_> = batch.iter().collect();
        self.0.msm_batch(&batch)?.into_iter().map(layout::sum::<C>).collect()
    }

    /// The bases as the library has them: their plan, their device, ranges of them.
    pub fn inner(&self) -> &bucketeer::Bases<C::Ark> {
        &self.0
    }
}

//! Scalars of a named curve.

use std::any::Any;
#[cfg(feature = "io")]
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
#[cfg(feature = "io")]
use std::path::Path;

use ark_ff::PrimeField;

use crate::curves::NamedCurve;
#[cfg(feature = "io")]
use crate::io;
use crate::{AsScalars, Curve, Error, PinnedVec, ScalarVec, Scalars};

/// Scalars for the MSMs of a named curve.
pub struct AnyScalars {
    curve: &'static NamedCurve,
    held: Box<dyn Erased>,
}

/// A [`Held`] of the curve's scalar field.
trait Erased: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn len(&self) -> usize;
    fn words_each(&self) -> usize;
    fn range(&self, range: Range<usize>) -> Box<dyn Erased>;
    #[cfg(feature = "io")]
    fn write(&self, path: &Path) -> Result<(), Error>;
}

pub(super) enum Held<F> {
    Vec(ScalarVec<F>),
    Pinned(PinnedVec<F>),
}

impl<F> AsScalars<F> for Held<F> {
    fn as_scalars(&self) -> Scalars<'_, F> {
        match self {
            Self::Vec(scalars) => scalars.as_scalars(),
            Self::Pinned(scalars) => Scalars::residues(scalars),
        }
    }
}

impl<F: PrimeField> Erased for Held<F> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn len(&self) -> usize {
        self.as_scalars().len()
    }

    fn words_each(&self) -> usize {
        match self {
            Self::Vec(ScalarVec::Integers { words_each, .. }) => *words_each,
            _ => F::MODULUS.as_ref().len(),
        }
    }

    fn range(&self, range: Range<usize>) -> Box<dyn Erased> {
        Box::new(Self::Vec(match self {
            Self::Vec(ScalarVec::Integers { words, words_each, bits }) => {
                let words = words[range.start * words_each..range.end * words_each].to_vec();
                ScalarVec::Integers { words, words_each: *words_each, bits: *bits }
            }
            Self::Vec(ScalarVec::Residues(residues)) => {
                ScalarVec::Residues(residues[range].to_vec())
            }
            Self::Pinned(residues) => ScalarVec::Residues(residues[range].to_vec()),
        }))
    }

    #[cfg(feature = "io")]
    fn write(&self, path: &Path) -> Result<(), Error> {
        io::write_scalars(path, &self.vec())
    }
}

impl<F: PrimeField> Held<F> {
    #[cfg(feature = "io")]
    pub(super) fn vec(&self) -> Cow<'_, ScalarVec<F>> {
        match self {
            Self::Vec(scalars) => Cow::Borrowed(scalars),
            Self::Pinned(residues) => Cow::Owned(ScalarVec::Residues(residues.to_vec())),
        }
    }

    /// The residues, or `None` where these are integers.
    pub(super) fn residues(&self) -> Option<&[F]> {
        match self {
            Self::Vec(ScalarVec::Residues(residues)) => Some(residues),
            Self::Vec(ScalarVec::Integers { .. }) => None,
            Self::Pinned(residues) => Some(residues),
        }
    }

    /// All scalars as integers of some little-endian words each.
    pub(super) fn integers(&self) -> (Vec<u64>, usize) {
        match (self, self.residues()) {
            (Self::Vec(ScalarVec::Integers { words, words_each, .. }), _) => {
                (words.clone(), *words_each)
            }
            (_, residues) => {
                let residues = residues.unwrap_or_default();
                let words = residues.iter().flat_map(|k| k.into_bigint().as_ref().to_vec());
                (words.collect(), F::MODULUS.as_ref().len())
            }
        }
    }
}

impl AnyScalars {
    pub(super) fn new<C: Curve>(
        curve: &'static NamedCurve,
        scalars: ScalarVec<C::ScalarField>,
    ) -> Self {
        Self::hold::<C>(curve, Held::Vec(scalars))
    }

    pub(super) fn residues<C: Curve>(
        curve: &'static NamedCurve,
        residues: Vec<C::ScalarField>,
    ) -> Self {
        Self::new::<C>(curve, ScalarVec::Residues(residues))
    }

    pub(super) fn pinned<C: Curve>(
        curve: &'static NamedCurve,
        residues: PinnedVec<C::ScalarField>,
    ) -> Self {
        Self::hold::<C>(curve, Held::Pinned(residues))
    }

    fn hold<C: Curve>(curve: &'static NamedCurve, held: Held<C::ScalarField>) -> Self {
        Self { curve, held: Box::new(held) }
    }

    /// The scalars, if they are those of `C`.
    pub(super) fn typed<C: Curve>(
        &self,
        points: &'static NamedCurve,
    ) -> Result<&Held<C::ScalarField>, Error> {
        let same = self.curve == points;
        let typed = if same { self.held.as_any().downcast_ref() } else { None };
        typed.ok_or_else(|| Error::InvalidSetting {
            setting: "scalars",
            value: self.curve.name.into(),
            reason: format!("the points are of {points}"),
        })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Words of 64 bits in all of them.
    pub fn words(&self) -> usize {
        self.len() * self.held.words_each()
    }

    /// Cuts them into `count` vectors of `n` for one MSM each. Where there are fewer, the last ones
    /// are shorter.
    pub fn split(self, n: usize, count: usize) -> Vec<Self> {
        if count == 1 && n == self.len() {
            return vec![self];
        }
        let end = |index: usize| index.saturating_mul(n).min(self.len());
        let part = |index| {
            let held = self.held.range(end(index)..end(index + 1));
            Self { curve: self.curve, held }
        };
        (0..count).map(part).collect()
    }

    /// Some of them.
    pub fn part(&self, range: Range<usize>) -> Self {
        Self { curve: self.curve, held: self.held.range(range) }
    }

    /// [`io::write_scalars`].
    #[cfg(feature = "io")]
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        self.held.write(path)
    }
}

impl fmt::Debug for AnyScalars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyScalars({} of {})", self.len(), self.curve)
    }
}

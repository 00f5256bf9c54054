//! Bases of a file that have been found but not read: where they lie and how they are encoded.
//! Every format but JSON ends here, so that a whole file and a part of it are read by the same
//! code.

use super::blocks::Elements;
use super::point::check_subgroup;
use super::{Encoding, Malformed, ReadOptions, arkworks, gnark, ignition, montgomery};
use crate::Curve;
use crate::curves::NamedCurve;

/// How a base is encoded.
#[derive(Debug, Clone, Copy)]
pub(super) enum PointEncoding {
    /// As arkworks serialises it.
    Arkworks(Encoding),
    /// Big-endian with flags, as gnark and bellman have it.
    Gnark,
    /// Big-endian words, of Ignition.
    Ignition,
    /// The words of both coordinates in Montgomery form, of snarkjs.
    Montgomery,
}

/// Bases of a file, found but not read.
pub(super) struct Located<'a> {
    pub(super) elements: Elements<'a>,
    pub(super) encoding: PointEncoding,
}

impl<'a> Located<'a> {
    pub(super) fn new(elements: Elements<'a>, encoding: PointEncoding) -> Self {
        Self { elements, encoding }
    }

    /// Reads and checks the first bases, all of them by default.
    pub(super) fn read<C: Curve>(
        self,
        curve: &'static NamedCurve,
        options: &ReadOptions,
    ) -> Result<Vec<C>, Malformed> {
        let elements = self.elements.first(options.first)?;
        let points = match self.encoding {
            PointEncoding::Arkworks(encoding) => arkworks::points(&elements, encoding),
            PointEncoding::Gnark => gnark::points(&elements, curve),
            PointEncoding::Ignition => ignition::points(&elements),
            PointEncoding::Montgomery => montgomery::parse(&elements),
        }?;
        check_subgroup(points, elements.index, options)
    }
}

//! Files whose elements are read range by range.

use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};

use ark_ff::PrimeField;

use super::super::blocks::Elements;
use super::super::located::{Located, PointEncoding};
use super::super::source::ByteSource;
use super::super::{
    Format, Malformed, ReadOptions, ScalarVec, format, locate_bases, locate_scalars,
};
use crate::curves::NamedCurve;
use crate::plan::ScalarBound;
use crate::{Curve, Error};

/// Whether the elements of a file can be read range by range: it is a regular file, and not JSON.
pub fn is_streamable(path: &Path) -> Result<bool, Error> {
    let fault = |error: std::io::Error| Malformed::new(error.to_string()).in_file(path);
    if !std::fs::metadata(path).map_err(fault)?.is_file() {
        return Ok(false);
    }
    let source = ByteSource::open(path)?;
    let head = source.whole().head(format::HEAD).map_err(|fault| fault.in_file(path))?;
    Ok(format::by_content(&head) != Some(Format::Json))
}

/// Elements of a file.
struct Opened {
    path: PathBuf,
    source: ByteSource<'static>,
    /// The first byte.
    start: u64,
    /// Bytes of an element.
    size: usize,
    /// How many there are.
    count: usize,
    what: &'static str,
}

impl Opened {
    /// Opens a file; `locate` finds the elements. What it returns beside them is returned.
    fn open<T>(
        path: &Path,
        options: &ReadOptions,
        locate: impl FnOnce(&ByteSource<'_>) -> Result<Option<(Range<u64>, Found, T)>, Malformed>,
    ) -> Result<(Self, T), Error> {
        let place = |fault: Malformed| fault.in_file(path);
        if !is_streamable(path)? {
            let reason = "only regular files other than JSON are read in parts";
            return Err(place(Malformed::new(reason)));
        }
        let source = ByteSource::open(path)?;
        let missing = || Malformed::new("JSON is read as a whole");
        let (bounds, found, more) =
            locate(&source).and_then(|found| found.ok_or_else(missing)).map_err(place)?;
        let Found { size, what } = found;
        let count = usize::try_from((bounds.end - bounds.start) / size as u64)
            .map_err(|_| place(Malformed::new("more elements than addresses")))?;
        let count = match options.first {
            Some(first) if first > count => {
                let fault = super::super::blocks::too_few(first, count as u64, what);
                return Err(place(Malformed::new(fault)));
            }
            first => first.unwrap_or(count),
        };
        let start = bounds.start;
        Ok((Self { path: path.into(), source, start, size, count, what }, more))
    }

    /// The bytes of a range of the elements.
    fn bytes(&self, range: &Range<usize>) -> Result<Vec<u8>, Error> {
        if range.start > range.end || range.end > self.count {
            let (start, end, bases) = (range.start, range.end, self.count);
            return Err(Error::InvalidRange { start, end, bases });
        }
        self.try_bytes(range).map_err(|fault| fault.in_file(&self.path))
    }

    fn try_bytes(&self, range: &Range<usize>) -> Result<Vec<u8>, Malformed> {
        let (first, length) = ((range.start * self.size) as u64, range.len() * self.size);
        let mut bytes = Vec::new();
        let reserved = bytes.try_reserve_exact(length);
        reserved.map_err(|_| Malformed::no_memory(length as u64))?;
        bytes.resize(length, 0);
        let read = self.source.whole().read(self.start + first, &mut bytes);
        self.source.unchanged(read.map(|()| bytes))
    }

    /// Parses elements from their bytes, of which the first has this index.
    fn parse<T>(
        &self,
        first: usize,
        bytes: &[u8],
        parse: impl FnOnce(Elements<'_>) -> Result<T, Malformed>,
    ) -> Result<T, Error> {
        let source = ByteSource::from(bytes);
        let elements = Elements::new(source.whole(), self.size, self.what);
        parse(Elements { index: first, ..elements }).map_err(|fault| fault.in_file(&self.path))
    }
}

/// Elements that were found in a file.
struct Found {
    size: usize,
    what: &'static str,
}

impl Found {
    fn of(elements: &Elements<'_>) -> Self {
        Self { size: elements.size, what: elements.what }
    }
}

/// A file of bases, of which any range can be read.
///
/// Every format but JSON; the file must be a regular one. Opening it reads its headers and checks
/// its lengths. What is read is checked as [`read_bases`](crate::io::read_bases) does.
pub struct BasesFile<C> {
    opened: Opened,
    encoding: PointEncoding,
    curve: &'static NamedCurve,
    options: ReadOptions,
    points: PhantomData<fn() -> C>,
}

impl<C: Curve> BasesFile<C> {
    /// Opens a file of bases; `section` is that of [`read_bases`](crate::io::read_bases).
    pub fn open(
        path: &Path,
        curve: &'static NamedCurve,
        section: Option<&str>,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        let (opened, encoding) = Opened::open(path, options, |source| {
            let found = locate_bases::<C>(source.whole(), curve, section)?;
            Ok(found.map(|Located { elements, encoding }| {
                (elements.range.bounds(), Found::of(&elements), encoding)
            }))
        })?;
        let options = ReadOptions { first: None, ..*options };
        Ok(Self { opened, encoding, curve, options, points: PhantomData })
    }

    /// The number of bases.
    pub fn len(&self) -> usize {
        self.opened.count
    }

    /// Whether there are no bases.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads and checks a range of the bases.
    pub fn read(&self, range: Range<usize>) -> Result<Vec<C>, Error> {
        self.parse(range.start, &self.bytes(&range)?)
    }

    /// How a base is encoded and what is checked, as text.
    pub(super) fn encoding(&self) -> String {
        format!("{:?} {} {}", self.encoding, self.opened.size, self.options.subgroup_check)
    }

    pub(super) fn options(&self) -> &ReadOptions {
        &self.options
    }

    pub(super) fn element_bytes(&self) -> usize {
        self.opened.size
    }

    pub(super) fn bytes(&self, range: &Range<usize>) -> Result<Vec<u8>, Error> {
        self.opened.bytes(range)
    }

    /// The bases in these bytes, of which the first has this index.
    pub(super) fn parse(&self, first: usize, bytes: &[u8]) -> Result<Vec<C>, Error> {
        let read = |elements: Elements<'_>| {
            Located::new(elements, self.encoding).read(self.curve, &self.options)
        };
        self.opened.parse(first, bytes, read)
    }
}

/// A file of scalars, of which any range can be read: of arkworks or a `.wtns`.
pub struct ScalarsFile<C: Curve> {
    opened: Opened,
    curve: &'static NamedCurve,
    options: ReadOptions,
    scalars: PhantomData<fn() -> C::ScalarField>,
}

impl<C: Curve> ScalarsFile<C> {
    /// Opens a file of scalars.
    pub fn open(
        path: &Path,
        curve: &'static NamedCurve,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        let (opened, ()) = Opened::open(path, options, |source| {
            let found = locate_scalars::<C>(source.whole(), curve)?;
            Ok(found.map(|elements| (elements.range.bounds(), Found::of(&elements), ())))
        })?;
        let options = ReadOptions { first: None, ..*options };
        Ok(Self { opened, curve, options, scalars: PhantomData })
    }

    /// The number of scalars.
    pub fn len(&self) -> usize {
        self.opened.count
    }

    /// Whether there are no scalars.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads and checks a range of the scalars.
    pub fn read(&self, range: Range<usize>) -> Result<ScalarVec<C::ScalarField>, Error> {
        self.parse(range.start, &self.bytes(&range)?)
    }

    /// How a scalar is encoded and what is checked, as text.
    pub(super) fn encoding(&self) -> String {
        format!("{} {}", self.opened.size, self.options.reduce)
    }

    /// What every scalar is below.
    pub(super) fn bound(&self) -> ScalarBound {
        self.curve.scalar_bits.map_or(ScalarBound::Order, ScalarBound::Bits)
    }

    pub(super) fn element_bytes(&self) -> usize {
        self.opened.size
    }

    pub(super) fn element_bytes_in_memory(&self) -> usize {
        let words = self.curve.scalar_bits.map(|bits| bits.div_ceil(64) as usize);
        8 * words.unwrap_or(<C::ScalarField as PrimeField>::MODULUS.as_ref().len())
    }

    pub(super) fn bytes(&self, range: &Range<usize>) -> Result<Vec<u8>, Error> {
        self.opened.bytes(range)
    }

    /// The scalars in these bytes, of which the first has this index.
    pub(super) fn parse(
        &self,
        first: usize,
        bytes: &[u8],
    ) -> Result<ScalarVec<C::ScalarField>, Error> {
        let read = |elements: Elements<'_>| ScalarVec::parse(&elements, self.curve, &self.options);
        self.opened.parse(first, bytes, read)
    }
}

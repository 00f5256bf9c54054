//! Scalars as packed bytes.

use ark_ff::{BigInteger, PrimeField};

use super::{Representation, Strided, element};
use crate::curve::{FieldWords, WordField};
use crate::scalars::{Data, MAX_SCALAR_BITS, ScalarBound};
use crate::vectors::try_with_capacity;
use crate::{AsScalars, Error, Scalars, parallel};

/// Scalars that one thread checks at a time.
const BLOCK: usize = 1 << 14;

/// Bytes of a packed residue: as many as its 64-bit words have.
pub fn scalar_bytes<F: PrimeField>() -> usize {
    8 * F::BigInt::NUM_LIMBS
}

/// Scalars as bytes: residues, or integers of any size.
///
/// ```
/// use ark_bn254::Fr;
/// use bucketeer::packed::{PackedScalars, Representation};
/// let bytes = [255; 32];
/// let residues = PackedScalars::residues(&bytes, Representation::LittleEndian);
/// let integers = PackedScalars::signed(&bytes, 4);
/// assert!(bucketeer::msm(&[ark_bn254::G1Affine::default()], &residues.unpack()?).is_err());
/// assert_eq!(integers.unpack::<Fr>()?.len(), 8);
/// # Ok::<(), bucketeer::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct PackedScalars<'a> {
    bytes: &'a [u8],
    kind: Kind,
    stride: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Residues(Representation),
    /// Little-endian integers.
    Integers {
        size: usize,
        bits: Option<u32>,
        signed: bool,
    },
}

impl<'a> PackedScalars<'a> {
    /// Residues of [`scalar_bytes`] bytes each, below the group order; others are an error.
    pub fn residues(bytes: &'a [u8], representation: Representation) -> Self {
        Self { bytes, kind: Kind::Residues(representation), stride: None }
    }

    /// Integers of `size` little-endian bytes each, taken as they are, also at and above the group
    /// order. The size is 1, 2, 4 or a multiple of 8 up to 128.
    pub fn unsigned(bytes: &'a [u8], size: usize) -> Self {
        Self { bytes, kind: Kind::Integers { size, bits: None, signed: false }, stride: None }
    }

    /// [`unsigned`](Self::unsigned), in two's complement.
    pub fn signed(bytes: &'a [u8], size: usize) -> Self {
        Self { bytes, kind: Kind::Integers { size, bits: None, signed: true }, stride: None }
    }

    /// States the bits of the largest integer, as [`Scalars::with_bits`] does: the run is faster,
    /// and a larger integer is an error. Residues are not affected.
    #[must_use]
    pub fn with_bits(mut self, bound: u32) -> Self {
        if let Kind::Integers { bits, .. } = &mut self.kind {
            *bits = Some(bound);
        }
        self
    }

    /// Scalars at every `bytes` bytes. What follows the last one may be missing.
    #[must_use]
    pub fn stride(self, bytes: usize) -> Self {
        Self { stride: Some(bytes), ..self }
    }

    /// The scalars for an MSM. They are borrowed if they are adjacent and aligned as their type is,
    /// and copied otherwise.
    pub fn unpack<F: PrimeField + WordField>(&self) -> Result<Unpacked<'a, F>, Error> {
        let strided = |size| Strided::new(self.bytes, size, self.stride, ["scalars", "scalar"]);
        match self.kind {
            Kind::Residues(Representation::Montgomery) => {
                Representation::Montgomery.check_field::<F>()?;
                montgomery(&strided(scalar_bytes::<F>())?)
            }
            Kind::Residues(representation) => {
                let packed = strided(scalar_bytes::<F>())?;
                Unpacked::words(&packed, representation, ScalarBound::Order)
            }
            Kind::Integers { size, bits, signed } => {
                let bound = match signed {
                    _ if !matches!(size, 1 | 2 | 4) && !is_whole_words(size) => {
                        let reason = format!(
                            "integers of {size} bytes: the size is 1, 2, 4 or a multiple of 8 up \
                             to 128"
                        );
                        return Err(Error::InvalidBytes { reason });
                    }
                    true => ScalarBound::Signed(8 * size as u32),
                    false => ScalarBound::Bits(8 * size as u32),
                };
                let packed = strided(size)?;
                let mut unpacked = match size {
                    1 => Unpacked::integers(&packed, bound, |bytes: [u8; 1]| bytes[0])?,
                    2 => Unpacked::integers(&packed, bound, u16::from_le_bytes)?,
                    4 => Unpacked::integers(&packed, bound, u32::from_le_bytes)?,
                    _ => Unpacked::words(&packed, Representation::LittleEndian, bound)?,
                };
                if let Some(bits) = bits {
                    unpacked.bound = unpacked.bound.with_bits(bits);
                }
                Ok(unpacked)
            }
        }
    }
}

fn is_whole_words(size: usize) -> bool {
    size > 0 && size.is_multiple_of(8) && size <= MAX_SCALAR_BITS as usize / 8
}

/// Scalars that were packed, borrowed from their bytes or copied.
#[derive(Debug)]
pub struct Unpacked<'a, F> {
    values: Values<'a, F>,
    bound: ScalarBound,
}

#[derive(Debug)]
enum Values<'a, F> {
    Residues(Slice<'a, F>),
    U8(Slice<'a, u8>),
    U16(Slice<'a, u16>),
    U32(Slice<'a, u32>),
    Words { words: Slice<'a, u64>, each: usize },
}

/// A slice, or a vector; a `Cow` whose elements need not be cloned.
#[derive(Debug)]
enum Slice<'a, T> {
    Borrowed(&'a [T]),
    Owned(Vec<T>),
}

impl<T> Slice<'_, T> {
    fn get(&self) -> &[T] {
        match self {
            Self::Borrowed(slice) => slice,
            Self::Owned(vector) => vector,
        }
    }

    fn into_owned(self) -> Result<Slice<'static, T>, Error>
    where
        T: Copy,
    {
        Ok(Slice::Owned(match self {
            Self::Owned(vector) => vector,
            Self::Borrowed(slice) => {
                let mut owned = try_with_capacity(slice.len())?;
                owned.extend_from_slice(slice);
                owned
            }
        }))
    }
}

impl<F> AsScalars<F> for Unpacked<'_, F> {
    fn as_scalars(&self) -> Scalars<'_, F> {
        let data = match &self.values {
            Values::Residues(residues) => Data::Residues(residues.get()),
            Values::U8(integers) => Data::U8(integers.get()),
            Values::U16(integers) => Data::U16(integers.get()),
            Values::U32(integers) => Data::U32(integers.get()),
            Values::Words { words, each } => Data::Words { data: words.get(), words: *each },
        };
        Scalars { data, bound: self.bound }
    }
}

/// Elements that are in memory as they are packed.
trait Plain: Copy + 'static {
    fn wrap<F>(slice: Slice<'_, Self>) -> Values<'_, F>;
}

macro_rules! plain {
    ($($integer:ty, $variant:ident;)*) => {$(
        impl Plain for $integer {
            fn wrap<F>(slice: Slice<'_, Self>) -> Values<'_, F> {
                Values::$variant(slice)
            }
        }
    )*};
}

plain! { u8, U8; u16, U16; u32, U32; }

impl<'a, F> Unpacked<'a, F> {
    /// The number of scalars.
    pub fn len(&self) -> usize {
        self.as_scalars().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The residues; `None` where these are integers.
    #[cfg(all(feature = "any", not(test)))]
    pub(crate) fn as_residues(&self) -> Option<&[F]> {
        match &self.values {
            Values::Residues(residues) => Some(residues.get()),
            _ => None,
        }
    }

    /// The same scalars, copied if they were borrowed.
    pub fn into_owned(self) -> Result<Unpacked<'static, F>, Error>
    where
        F: Copy,
    {
        let values = match self.values {
            Values::Residues(residues) => Values::Residues(residues.into_owned()?),
            Values::U8(integers) => Values::U8(integers.into_owned()?),
            Values::U16(integers) => Values::U16(integers.into_owned()?),
            Values::U32(integers) => Values::U32(integers.into_owned()?),
            Values::Words { words, each } => Values::Words { words: words.into_owned()?, each },
        };
        Ok(Unpacked { values, bound: self.bound })
    }

    /// Integers of one, two or four bytes.
    fn integers<T: Plain, const N: usize>(
        packed: &Strided<'a>,
        bound: ScalarBound,
        from_le: impl Fn([u8; N]) -> T,
    ) -> Result<Self, Error> {
        // SAFETY: T is u8, u16 or u32, for which any bytes are valid.
        let slice = match unsafe { borrow::<T>(packed) } {
            Some(slice) => Slice::Borrowed(slice),
            None => {
                let mut copy = try_with_capacity(packed.count)?;
                copy.extend((0..packed.count).map(|index| {
                    let mut bytes = [0; N];
                    bytes.copy_from_slice(packed.get(index));
                    from_le(bytes)
                }));
                Slice::Owned(copy)
            }
        };
        Ok(Self { values: T::wrap(slice), bound })
    }

    /// Integers of whole words.
    fn words(
        packed: &Strided<'a>,
        representation: Representation,
        bound: ScalarBound,
    ) -> Result<Self, Error> {
        let each = packed.size / 8;
        let reversed = representation == Representation::BigEndian;
        // SAFETY: any bytes are a valid u64.
        let borrowed = unsafe { borrow::<u64>(packed) }.filter(|_| !reversed);
        let words = match borrowed {
            Some(words) => Slice::Borrowed(words),
            None => {
                let mut words = try_with_capacity(packed.count.saturating_mul(each))?;
                words.resize(packed.count * each, 0);
                for (index, words) in words.chunks_exact_mut(each).enumerate() {
                    match reversed {
                        true => element::read_words_be(packed.get(index), words),
                        false => element::read_words(packed.get(index), words),
                    }
                }
                Slice::Owned(words)
            }
        };
        Ok(Self { values: Values::Words { words, each }, bound })
    }
}

/// Residues in Montgomery form, each checked to be below the order.
fn montgomery<'a, F: PrimeField + WordField>(
    packed: &Strided<'a>,
) -> Result<Unpacked<'a, F>, Error> {
    // SAFETY: the field was checked to be its Montgomery words in memory, and any words are valid
    // in memory; that they are below the modulus, which arithmetic relies on, is checked below.
    let residues = match unsafe { borrow::<F>(packed) } {
        Some(residues) => Slice::Borrowed(residues),
        None => {
            let mut copy = try_with_capacity(packed.count)?;
            let mut words = [0; MAX_SCALAR_BITS as usize / 64];
            let Some(words) = words.get_mut(..F::WORDS) else {
                let reason = "this field is too large for packed scalars".into();
                return Err(Error::InvalidBytes { reason });
            };
            copy.extend((0..packed.count).map(|index| {
                element::read_words(packed.get(index), words);
                F::read_words(words)
            }));
            Slice::Owned(copy)
        }
    };
    check_reduced(residues.get())?;
    Ok(Unpacked { values: Values::Residues(residues), bound: ScalarBound::Order })
}

fn check_reduced<F: FieldWords>(residues: &[F]) -> Result<(), Error> {
    let in_block = |block: usize| {
        let first = block * BLOCK;
        let residues = &residues[first..residues.len().min(first + BLOCK)];
        residues.iter().position(|residue| !residue.is_reduced()).map(|index| first + index)
    };
    let found = match residues.len().div_ceil(BLOCK) {
        0 => None,
        // Without the cost of waking another thread.
        1 => in_block(0),
        blocks => parallel::find_first(blocks, in_block),
    };
    found.map_or(Ok(()), |index| Err(ScalarBound::Order.exceeded(index)))
}

/// The packed bytes as elements of `T`, if they are adjacent, aligned and of whole elements.
///
/// # Safety
///
/// Any bytes must be valid elements of `T`.
unsafe fn borrow<'a, T>(packed: &Strided<'a>) -> Option<&'a [T]> {
    let fits = packed.is_contiguous()
        && cfg!(target_endian = "little")
        && size_of::<T>() > 0
        && packed.size.is_multiple_of(size_of::<T>());
    // SAFETY: the caller's promise; `align_to` looks after alignment and length.
    let (before, elements, after) = unsafe { packed.bytes.align_to::<T>() };
    (fits && before.is_empty() && after.is_empty()).then_some(elements)
}

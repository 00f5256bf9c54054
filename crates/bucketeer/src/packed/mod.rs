//! Points and scalars as packed bytes, the form in which C, Go, Python, blst and halo2curves have
//! them.
//!
//! A point is x, then y; a coordinate over a quadratic extension is c0, then c1; a component is as
//! many bytes as the 64-bit words of its field. On a short Weierstrass curve all zeros are the
//! point at infinity. On an Edwards curve the neutral element (0, 1) is a point like any other.
//! A [`Representation`] says how the bytes of a component are an integer.
//!
//! | library | points | scalars |
//! | --- | --- | --- |
//! | gnark-crypto, halo2curves, snarkjs | Montgomery | Montgomery |
//! | blst, blstrs | Montgomery | little-endian |
//! | arkworks' `into_bigint`, most file formats | little-endian | little-endian |
//!
//! Elements need not be adjacent: a stride skips what lies between them, such as padding or a flag.
//!
//! ```
//! use ark_bn254::{Fr, G1Affine};
//! use ark_ec::AffineRepr;
//! use bucketeer::packed::{PackedPoints, PackedScalars, Representation, write_point};
//! use bucketeer::{Bases, Device};
//!
//! // The generator (1, 2) twice, and the scalars 3 and 4.
//! let mut bytes = [0; 128];
//! for offset in [0, 64] {
//!     (bytes[offset], bytes[offset + 32]) = (1, 2);
//! }
//! let points = PackedPoints::new(&bytes, Representation::LittleEndian).to_affine::<G1Affine>()?;
//! let scalars = PackedScalars::unsigned(&[3, 4], 1).unpack::<Fr>()?;
//! let sum = Bases::load(&Device::cpu(), &points)?.msm(&scalars)?;
//! assert_eq!(sum, G1Affine::generator() * Fr::from(7));
//!
//! let mut packed = [0; 64];
//! write_point(&G1Affine::from(sum), Representation::Montgomery, &mut packed)?;
//! # Ok::<(), bucketeer::Error>(())
//! ```

mod element;
mod points;
mod scalars;

#[cfg(feature = "io")]
pub(crate) use element::montgomery_element;
pub use points::{PackedPoints, point_bytes, write_point};
pub use scalars::{PackedScalars, Unpacked, scalar_bytes};

use crate::Error;

/// How the bytes of a field element are an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Representation {
    /// `value·2^(8n) mod p` of n little-endian bytes, the words of most libraries' elements in
    /// memory.
    Montgomery,
    /// The value, lowest byte first.
    LittleEndian,
    /// The value, highest byte first.
    BigEndian,
}

/// Elements of `size` bytes at every `stride` bytes.
#[derive(Debug, Clone, Copy)]
struct Strided<'a> {
    bytes: &'a [u8],
    size: usize,
    stride: usize,
    count: usize,
}

impl<'a> Strided<'a> {
    /// Checks that the bytes are whole elements. The last one may lack what follows it.
    fn new(
        bytes: &'a [u8],
        size: usize,
        stride: Option<usize>,
        [what, one]: [&str; 2],
    ) -> Result<Self, Error> {
        let stride = stride.unwrap_or(size);
        if stride < size {
            let reason = format!("a stride of {stride} bytes is below the {size} of a {one}");
            return Err(Error::InvalidBytes { reason });
        }
        let (length, gap) = (bytes.len(), stride - size);
        if !length.is_multiple_of(stride) && !length.saturating_add(gap).is_multiple_of(stride) {
            let between = match gap {
                0 => String::new(),
                _ => format!(" at every {stride} bytes"),
            };
            let reason = format!(
                "the {what} have {length} bytes, which is not a multiple of the {size} of a \
                 {one}{between}"
            );
            return Err(Error::InvalidBytes { reason });
        }
        Ok(Self { bytes, size, stride, count: length.div_ceil(stride) })
    }

    fn get(&self, index: usize) -> &'a [u8] {
        &self.bytes[index * self.stride..][..self.size]
    }

    fn is_contiguous(&self) -> bool {
        self.stride == self.size
    }
}

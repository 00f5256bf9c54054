//! The structures of the interface, and their checks.

use std::ffi::{CStr, c_char, c_void};

use engine::any::{Layout as EngineLayout, RunOptions};
use engine::curves::NamedCurve;
use engine::packed::{PackedPoints, PackedScalars, Representation};

use crate::status::Failure;

/// How bytes are numbers. A point is x, then y; a coordinate over a quadratic extension is c0, then
/// c1. All zeros are the point at infinity, except on Edwards curves, where the neutral element is
/// (0, 1).
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Montgomery form, little-endian words: gnark-crypto, blst, halo2curves, snarkjs, arkworks.
    Montgomery = 0,
    /// The integer, lowest byte first.
    LittleEndian = 1,
    /// The integer, highest byte first.
    BigEndian = 2,
    /// Scalars only: little-endian integers of BucketeerScalars.size bytes, taken as they are, also
    /// above the group order.
    Unsigned = 3,
    /// Scalars only: little-endian integers of BucketeerScalars.size bytes in two's complement.
    Signed = 4,
}

/// The sizes of a curve's points and scalars.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// Bytes of a point.
    pub point_bytes: usize,
    /// Bytes of a component of a coordinate.
    pub component_bytes: usize,
    /// Components of a coordinate: 1, or 2 over a quadratic extension.
    pub components: usize,
    /// Bytes of a scalar below the group order.
    pub scalar_bytes: usize,
    /// 1 on a twisted Edwards curve, else 0.
    pub edwards: u32,
    /// Zero.
    pub reserved: u32,
}

impl From<EngineLayout> for Layout {
    fn from(layout: EngineLayout) -> Self {
        Self {
            point_bytes: layout.point(),
            component_bytes: layout.component,
            components: layout.components,
            scalar_bytes: layout.scalar,
            edwards: layout.edwards.into(),
            reserved: 0,
        }
    }
}

/// Points of the caller, read during the call only.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Points {
    /// The first point. Any alignment will do. May be null if there are none.
    pub data: *const c_void,
    /// How many there are.
    pub count: usize,
    /// Bytes from one point to the next; 0 if they are adjacent.
    pub stride: usize,
    /// BUCKETEER_FORM_MONTGOMERY, _LITTLE_ENDIAN or _BIG_ENDIAN.
    pub form: u32,
    /// Not 0: the points are known to lie on the curve, and it is not checked.
    pub trusted: u32,
}

/// Scalars of the caller, read during the call only.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Scalars {
    /// The first scalar. Any alignment will do; 8 bytes save a copy. May be null if there are none.
    pub data: *const c_void,
    /// How many there are.
    pub count: usize,
    /// Bytes from one scalar to the next; 0 if they are adjacent.
    pub stride: usize,
    /// A BucketeerForm. In the first three, scalars are below the group order, and others are an
    /// error.
    pub form: u32,
    /// Bytes of an integer of BUCKETEER_FORM_UNSIGNED or _SIGNED: 1, 2, 4, or a multiple of 8 up to
    /// 128. Else 0.
    pub size: u32,
    /// A bound on the bits of these integers, their sign among them, which makes the run faster and
    /// is checked; 0 for none.
    pub bits: u32,
    /// Zero.
    pub reserved: u32,
}

/// How to load bases and run MSMs. All zeros are the defaults, and so is a null pointer.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Most bytes beyond the inputs; 0 for what is free.
    pub memory_limit: u64,
    /// Copies of each base in the table, shifted by whole windows; 0 for the default.
    pub precompute: u32,
    /// Odd multiples of each copy, a power of two up to 1024; 0 for the default. CPU only.
    pub odd_multiples: u32,
    /// Not 0: the plan chooses the table with which a thousand runs take the least time.
    pub auto_precompute: u32,
    /// Bits of a window, 1 to 26; 0 for the plan's choice.
    pub window_bits: u32,
    /// Not 0: right for every point of the curve, also outside the prime-order subgroup.
    pub any_point: u32,
    /// Not 0: points outside the prime-order subgroup are an error. Many points are checked at
    /// once, by a random test that misses a bad one with probability 2^-64 at most.
    pub check_subgroup: u32,
    /// Not 0: every run verifies its sums by a second computation, and a wrong one is an error.
    pub verify: u32,
    /// Zeros.
    pub reserved: [u32; 7],
}

/// The value behind a pointer.
///
/// # Safety
///
/// A pointer that is neither null nor misaligned points to a valid value, for `'a`.
pub(crate) unsafe fn reference<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Failure> {
    check(pointer, name)?;
    // SAFETY: neither null nor misaligned, and valid as the caller promises.
    Ok(unsafe { &*pointer })
}

/// Writes a value for the caller.
///
/// # Safety
///
/// A pointer that is neither null nor misaligned may be written to.
pub(crate) unsafe fn write<T>(pointer: *mut T, name: &str, value: T) -> Result<(), Failure> {
    check(pointer, name)?;
    // SAFETY: neither null nor misaligned, and writable as the caller promises.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Refuses a null or misaligned pointer.
pub(crate) fn check<T>(pointer: *const T, name: &str) -> Result<(), Failure> {
    match pointer {
        _ if pointer.is_null() => Err(Failure::argument(format!("{name} is null"))),
        _ if !pointer.is_aligned() => Err(Failure::argument(format!("{name} is misaligned"))),
        _ => Ok(()),
    }
}

/// Refuses a buffer that is smaller than needed.
pub(crate) fn check_room(out: *mut c_void, size: usize, needed: usize) -> Result<(), Failure> {
    if size < needed {
        return Err(Failure::argument(format!("out has room for {size} bytes of {needed}")));
    }
    if needed > 0 { check(out.cast::<u8>(), "out") } else { Ok(()) }
}

/// Room for the caller's bytes.
///
/// # Safety
///
/// `size` bytes may be written at a pointer that is not null, for `'a`.
pub(crate) unsafe fn room<'a>(
    out: *mut c_void,
    size: usize,
    needed: usize,
) -> Result<&'a mut [u8], Failure> {
    check_room(out, size, needed)?;
    if needed == 0 {
        return Ok(&mut []);
    }
    // SAFETY: not null, and the caller promises that this many bytes may be written.
    Ok(unsafe { std::slice::from_raw_parts_mut(out.cast(), needed) })
}

/// A name of the caller.
///
/// # Safety
///
/// A pointer that is not null points to a string that ends with a zero, unchanged for `'a`.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, Failure> {
    check(pointer, name)?;
    // SAFETY: not null, and a string as the caller promises.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| Failure::argument(format!("{name} is not UTF-8")))
}

/// A curve by its name.
///
/// # Safety
///
/// As of [`text`].
pub(crate) unsafe fn curve(name: *const c_char) -> Result<&'static NamedCurve, Failure> {
    // SAFETY: null or a string, by the contract of this function.
    Ok(NamedCurve::named(unsafe { text(name, "curve") }?)?)
}

/// `count` elements of `size` bytes at every `stride` bytes.
///
/// # Safety
///
/// They may be read at a pointer that is not null, for `'a`.
unsafe fn bytes<'a>(
    data: *const c_void,
    [count, size, stride]: [usize; 3],
    what: &str,
) -> Result<&'a [u8], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    check(data.cast::<u8>(), &format!("{what}.data"))?;
    let stride = if stride == 0 { size } else { stride };
    let length = (count - 1).checked_mul(stride).and_then(|last| last.checked_add(size));
    let possible = |length: &usize| {
        isize::try_from(*length).is_ok() && (data as usize).checked_add(*length).is_some()
    };
    let length = length.filter(possible).ok_or_else(|| {
        Failure::argument(format!("{what}: {count} elements at every {stride} bytes do not exist"))
    })?;
    // SAFETY: not null, of a possible length, and readable as the caller promises.
    Ok(unsafe { std::slice::from_raw_parts(data.cast(), length) })
}

/// The representation of points and residues.
pub(crate) fn representation(form: u32) -> Result<Representation, Failure> {
    match form {
        _ if form == Form::Montgomery as u32 => Ok(Representation::Montgomery),
        _ if form == Form::LittleEndian as u32 => Ok(Representation::LittleEndian),
        _ if form == Form::BigEndian as u32 => Ok(Representation::BigEndian),
        _ => Err(Failure::argument(format!("{form} is not a form of points"))),
    }
}

impl Points {
    /// The bytes of the points.
    ///
    /// # Safety
    ///
    /// They may be read, for `'a`.
    pub(crate) unsafe fn packed<'a>(
        &self,
        layout: &EngineLayout,
    ) -> Result<PackedPoints<'a>, Failure> {
        let representation = representation(self.form)?;
        // SAFETY: null or valid, by the contract of this function.
        let bytes =
            unsafe { bytes(self.data, [self.count, layout.point(), self.stride], "points") };
        let points = PackedPoints::new(bytes?, representation);
        let points = if self.stride == 0 { points } else { points.stride(self.stride) };
        Ok(if self.trusted == 0 { points } else { points.trusted() })
    }
}

impl Scalars {
    /// The bytes of the scalars.
    ///
    /// # Safety
    ///
    /// They may be read, for `'a`.
    pub(crate) unsafe fn packed<'a>(
        &self,
        layout: &EngineLayout,
    ) -> Result<PackedScalars<'a>, Failure> {
        if self.reserved != 0 {
            return Err(Failure::argument("scalars.reserved is not zero"));
        }
        let signed = self.form == Form::Signed as u32;
        let integers = signed || self.form == Form::Unsigned as u32;
        if !integers && (self.size != 0 || self.bits != 0) {
            return Err(Failure::argument("scalars.size and bits are for integers"));
        }
        let size = if integers { self.size as usize } else { layout.scalar };
        // SAFETY: null or valid, by the contract of this function.
        let bytes = unsafe { bytes(self.data, [self.count, size, self.stride], "scalars") }?;
        let scalars = match (integers, signed) {
            (false, _) => PackedScalars::residues(bytes, representation(self.form)?),
            (true, false) => PackedScalars::unsigned(bytes, size),
            (true, true) => PackedScalars::signed(bytes, size),
        };
        let scalars = if self.stride == 0 { scalars } else { scalars.stride(self.stride) };
        Ok(if self.bits == 0 { scalars } else { scalars.with_bits(self.bits) })
    }
}

impl Options {
    /// The options behind a pointer, or the defaults; and whether the subgroup is checked.
    ///
    /// # Safety
    ///
    /// A pointer that is neither null nor misaligned points to options.
    pub(crate) unsafe fn read(pointer: *const Self) -> Result<(RunOptions, bool), Failure> {
        let mut options = RunOptions::default();
        if pointer.is_null() {
            return Ok((options, false));
        }
        // SAFETY: null or valid, by the contract of this function.
        let given = unsafe { reference(pointer, "options") }?;
        if given.reserved != [0; 7] {
            return Err(Failure::argument("options.reserved is not zero"));
        }
        let set = |value: u32| (value != 0).then_some(value);
        let settings = &mut options.settings;
        settings.memory_limit = (given.memory_limit != 0).then_some(given.memory_limit);
        settings.precompute = set(given.precompute);
        settings.odd_multiples = set(given.odd_multiples);
        settings.auto_precompute = given.auto_precompute != 0;
        settings.window_bits = set(given.window_bits);
        settings.any_point = given.any_point != 0;
        settings.verify = given.verify != 0;
        Ok((options, given.check_subgroup != 0))
    }
}

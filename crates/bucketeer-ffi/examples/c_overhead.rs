//! What the C interface costs beyond the Rust library: the same MSM through both in turn, in one
//! process. `crates/bucketeer-ffi/bench` builds and runs it.

use std::ffi::{CStr, c_char, c_void};
use std::time::Instant;

use engine::any::RunOptions;
use engine::curves::NamedCurve;
use engine::packed::{PackedPoints, PackedScalars, Representation, point_bytes, write_point};
use engine::random::{Distribution, KnownBases};
use libloading::{Library, Symbol};

type Point = ark_bls12_381::G1Affine;
const CURVE: &CStr = c"bls12-381";
const N: usize = 1 << 10;
const ROUNDS: usize = 2000;

#[repr(C)]
struct Points(*const c_void, usize, usize, u32, u32);
#[repr(C)]
struct Scalars(*const c_void, usize, usize, u32, u32, u32, u32);

type Open = unsafe extern "C" fn(*const c_char, u32, *mut u64) -> u32;
type Load = unsafe extern "C" fn(u64, *const c_char, *const Points, *const c_void, *mut u64) -> u32;
type Msm = unsafe extern "C" fn(u64, usize, *const Scalars, u32, *mut c_void, usize) -> u32;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("the path of libbucketeer.so is missing")?;
    let mut points = vec![0; N * point_bytes::<Point>()];
    for (point, out) in KnownBases::<Point>::new(N, 1)
        .points
        .iter()
        .zip(points.chunks_exact_mut(point_bytes::<Point>()))
    {
        write_point(point, Representation::Montgomery, out)?;
    }
    let scalars: Vec<ark_bls12_381::Fr> = Distribution::Uniform.scalars(N, 2);
    let words: Vec<u64> = scalars.iter().flat_map(|k| k.0.0).collect();

    // SAFETY: words are bytes.
    let bytes = unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<u8>(), 8 * words.len()) };
    let packed = PackedScalars::residues(bytes, Representation::Montgomery);
    let curve = NamedCurve::named("bls12-381")?.any();
    let own = curve.unpack_points(&PackedPoints::new(&points, Representation::Montgomery))?;
    let own = own.load(&engine::Device::cpu_with_threads(1)?, N, &RunOptions::default())?;

    // SAFETY: the library is Bucketeer's, and the types are those of its header.
    let (library, mut bases) = (unsafe { Library::new(path) }?, 0);
    // SAFETY: as above.
    let (open, load, msm): (Symbol<'_, Open>, Symbol<'_, Load>, Symbol<'_, Msm>) = unsafe {
        (
            library.get(b"bucketeer_device_open")?,
            library.get(b"bucketeer_bases_load")?,
            library.get(b"bucketeer_msm")?,
        )
    };
    let given = Points(points.as_ptr().cast(), N, 0, 0, 0);
    let factors = Scalars(words.as_ptr().cast(), N, 0, 0, 0, 0, 0);
    let mut device = 0;
    // SAFETY: valid pointers, to as many elements as they say.
    unsafe {
        assert_eq!(open(c"cpu".as_ptr(), 1, &mut device), 0);
        assert_eq!(load(device, CURVE.as_ptr(), &given, std::ptr::null(), &mut bases), 0);
    }

    let (mut sum, mut expected) = ([0u8; 96], [0u8; 96]);
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        let start = Instant::now();
        own.msm_packed(0, &packed)?.sum.write(Representation::Montgomery, &mut expected)?;
        times[0].push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        // SAFETY: as above; there is room for a point.
        assert_eq!(unsafe { msm(bases, 0, &factors, 0, sum.as_mut_ptr().cast(), 96) }, 0);
        times[1].push(start.elapsed().as_secs_f64());
        assert_eq!(sum, expected);
    }
    let [rust, c] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        1e6 * times[ROUNDS / 2]
    });
    println!(
        "bls12-381 2^10, one thread, median of {ROUNDS}: Rust {rust:.1} µs, C {c:.1} µs, C ÷ Rust {:.4}",
        c / rust
    );
    Ok(())
}

//! What the fuzz targets share: settings made of arbitrary bytes, and curves small enough that a
//! run takes microseconds.

mod points;

pub use points::{Combination, Combinations};

use arbitrary::{Arbitrary, Result, Unstructured};
use bucketeer::Curve;
use bucketeer::plan::{Accumulate, Digits, Group, Reduce, Settings};

#[path = "../../crates/bucketeer/tests/it/curves.rs"]
pub mod curves;
#[path = "../../crates/bucketeer/tests/it/small_order.rs"]
pub mod small_order;

/// Settings of every kind, possible or not.
#[derive(Debug, Clone)]
pub struct AnySettings(pub Settings);

impl<'a> Arbitrary<'a> for AnySettings {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let mut settings = Settings::default();
        settings.window_bits = sometimes(u, |u| u.int_in_range(0..=27))?;
        settings.last_window_bits = sometimes(u, |u| u.int_in_range(0..=27))?;
        settings.precompute = sometimes(u, |u| u.int_in_range(0..=40))?;
        // Of all numbers only powers of two are possible.
        let any_number = u.int_in_range(0..=2000)?;
        let power = 1 << u.int_in_range(0..=11)?;
        settings.odd_multiples =
            sometimes(u, |u| Ok(if u.ratio(7, 8)? { power } else { any_number }))?;
        settings.auto_precompute = !u.ratio(3, 4)?;
        settings.endomorphism = sometimes(u, |u| u.arbitrary())?;
        settings.negate = u.arbitrary()?;
        settings.any_point = u.arbitrary()?;
        settings.digits = sometimes(u, |u| u.choose(&[Digits::Signed, Digits::Unsigned]).copied())?;
        settings.group = sometimes(u, |u| u.choose(&[Group::Sort, Group::Csr]).copied())?;
        settings.accumulate = sometimes(u, |u| {
            use Accumulate::{BatchedAffine, FusedSweep, InPlace, PerBucket, Slices, Straus};
            let ways = [Slices, PerBucket, FusedSweep, InPlace, Straus, BatchedAffine];
            u.choose(&ways).copied()
        })?;
        let slices = u.int_in_range(0..=2000)?;
        settings.reduce = sometimes(u, |u| {
            let sliced = Reduce::SlicedRunningSum { slices };
            u.choose(&[Reduce::RunningSum, sliced, Reduce::WindowSplitting]).copied()
        })?;
        settings.chunk = sometimes(u, |u| u.int_in_range(0..=20))?;
        // From 8 KiB to 64 MiB: a run that fills megabytes takes long, and one without memory is
        // refused.
        let limit = (1 << 20) + u64::from(u.arbitrary::<u32>()?) % (63 << 20);
        settings.memory_limit = Some(limit >> u.int_in_range(0..=7)?);
        Ok(Self(settings))
    }
}

/// A setting in one case of three: many exclude each other, and a run that is refused shows little.
fn sometimes<'a, T>(
    u: &mut Unstructured<'a>,
    value: impl FnOnce(&mut Unstructured<'a>) -> Result<T>,
) -> Result<Option<T>> {
    // In this order, since exhausted bytes make the ratio true.
    if u.ratio(2, 3)? { Ok(None) } else { value(u).map(Some) }
}

/// Holds what a reader accepted to its promise.
pub fn assert_valid<C: Curve>(points: &[C]) {
    assert!(points.iter().all(|point| point.on_curve() && point.in_subgroup()));
}

/// A snarkjs container with these sections.
pub fn container(magic: &str, version: u32, sections: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = magic.as_bytes().to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend((sections.len() as u32).to_le_bytes());
    for (kind, data) in sections {
        bytes.extend(kind.to_le_bytes());
        bytes.extend((data.len() as u64).to_le_bytes());
        bytes.extend(data);
    }
    bytes
}

//! What the fuzz targets share: settings made of arbitrary bytes, and curves small enough that a run takes
//! microseconds.

use arbitrary::{Arbitrary, Unstructured};
use bucketeer::Curve;
use bucketeer::plan::{Accumulate, Digits, Group, Reduce, Settings};

#[path = "../../crates/bucketeer/tests/it/curves.rs"]
pub mod curves;

/// Settings of every kind, possible or not.
#[derive(Debug, Clone)]
pub struct AnySettings(pub Settings);

impl<'a> Arbitrary<'a> for AnySettings {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let mut settings = Settings::default();
        if u.arbitrary()? {
            settings.window_bits = Some(u.int_in_range(0..=27)?);
        }
        if u.arbitrary()? {
            settings.precompute = Some(u.int_in_range(0..=40)?);
        }
        settings.endomorphism = u.arbitrary()?;
        settings.negate = u.arbitrary()?;
        settings.any_point = u.arbitrary()?;
        settings.digits = *u.choose(&[None, Some(Digits::Signed), Some(Digits::Unsigned)])?;
        settings.group = *u.choose(&[None, Some(Group::Sort), Some(Group::Csr)])?;
        let ways = [Accumulate::Slices, Accumulate::PerBucket, Accumulate::FusedSweep];
        settings.accumulate = Some(*u.choose(&ways)?);
        let slices = u.int_in_range(0..=2000)?;
        let sliced = Reduce::SlicedRunningSum { slices };
        settings.reduce = *u.choose(&[
            None,
            Some(Reduce::RunningSum),
            Some(sliced),
            Some(Reduce::WindowSplitting),
        ])?;
        if u.arbitrary()? {
            settings.chunk = Some(u.int_in_range(0..=20)?);
        }
        settings.memory_limit = Some(u64::from(u.arbitrary::<u32>()?) % (64 << 20));
        Ok(Self(settings))
    }
}

/// Holds what a reader accepted to its promise.
pub fn assert_valid<C: Curve>(points: &[C]) {
    assert!(points.iter().all(|point| point.on_curve() && point.in_subgroup()));
}

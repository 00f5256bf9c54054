//! Settings made of arbitrary bytes.

use arbitrary::{Arbitrary, Result, Unstructured};
use bucketeer::plan::{Accumulate, Digits, Group, PRESETS, Preset, Reduce, Settings};
use bucketeer::{Bases, Builder, Curve};

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
        // In tiny groups it takes dozens of MSMs.
        settings.verify = !u.ratio(63, 64)?;
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

/// Everything that a builder takes but a hook.
#[derive(Debug, Clone)]
pub struct AnyBuilder {
    pub settings: Settings,
    pub preset: Option<&'static Preset>,
    pub scalar_bits: Option<u32>,
    pub check_subgroup: bool,
}

impl<'a> Arbitrary<'a> for AnyBuilder {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let AnySettings(settings) = u.arbitrary()?;
        // Of all a preset sets, most are refused together with other settings.
        let preset = if u.ratio(7, 8)? { None } else { Some(u.choose(&PRESETS)?) };
        let scalar_bits = sometimes(u, |u| u.int_in_range(0..=200))?;
        Ok(Self { settings, preset, scalar_bits, check_subgroup: !u.ratio(7, 8)? })
    }
}

impl AnyBuilder {
    pub fn builder<C: Curve>(&self) -> Builder<C> {
        let mut builder = Bases::builder().settings(self.settings.clone());
        if let Some(preset) = self.preset {
            builder = builder.preset(preset);
        }
        if let Some(bits) = self.scalar_bits {
            builder = builder.scalar_bits(bits);
        }
        if self.check_subgroup { builder.check_subgroup() } else { builder }
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

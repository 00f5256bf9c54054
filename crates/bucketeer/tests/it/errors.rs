//! What cannot be done is refused with an error that says why.

use ark_bls12_377::{Fr, G1Affine};
use ark_ec::AffineRepr;
use ark_ff::AdditiveGroup;
use bucketeer::plan::{Accumulate, Digits, Reduce, Settings};
use bucketeer::random::{Distribution, KnownBases};
use bucketeer::{
    Bases, BasesSlice, Batch, Builder, Curve, Device, Error, PointFault, Scalars, msm, msm_batch,
};

const G: G1Affine = G1Affine::GENERATOR;

#[test]
fn lengths_must_be_equal() {
    let mismatch = Error::LengthMismatch { bases: 2, scalars: 3 };
    assert_eq!(msm(&[G; 2], &[1u64, 2, 3]).unwrap_err(), mismatch);
    let loaded = Bases::load(&Device::cpu(), &[G; 2]).unwrap();
    assert_eq!(loaded.msm(&[1u64, 2, 3]).unwrap_err(), mismatch);
    assert_eq!(loaded.submit(vec![1u64, 2, 3]).unwrap_err(), mismatch);
    let short = Error::LengthMismatch { bases: 2, scalars: 1 };
    assert_eq!(msm(&[G; 2], &[1u64]).unwrap_err(), short);
    assert_eq!(
        short.to_string(),
        "2 bases but 1 scalars: every scalar needs a base, and every base a scalar"
    );
    assert_eq!(loaded.msm(&[7u64]).unwrap(), G * Fr::from(7u64));
    let source = Box::new(mismatch);
    let error = loaded.msm_batch(&[&[1u64, 2][..], &[1, 2, 3]]).unwrap_err();
    assert_eq!(error, Error::Batch { index: 1, source: source.clone() });
    assert_eq!(
        error.to_string(),
        "MSM 1 of the batch: 2 bases but 3 scalars: every scalar needs a base"
    );
    let error = msm_batch(&[(&[G][..], &[1u64][..]), (&[G; 2], &[1, 2, 3])]).unwrap_err();
    assert_eq!(error, Error::Batch { index: 1, source });
}

#[test]
fn ranges_must_be_within_the_bases() {
    for device in [Device::cpu(), several()] {
        let loaded = Bases::load(&device, &[G; 5]).unwrap();
        let outside = |start, end, bases| Error::InvalidRange { start, end, bases };
        let fault = |slice: BasesSlice<'_, G1Affine>| slice.msm(&[] as &[u64]).unwrap_err();
        assert_eq!(fault(loaded.slice(3..6)), outside(3, 6, 5));
        assert_eq!(fault(loaded.slice(6..)), outside(6, 5, 5));
        assert_eq!(fault(loaded.slice(..=usize::MAX)), outside(0, usize::MAX, 5));
        #[expect(clippy::reversed_empty_ranges, reason = "the point of the test")]
        let reversed = loaded.slice(4..2);
        assert_eq!(fault(reversed), outside(4, 2, 5));
        // Within the bases, but not within the range that it is a range of.
        assert_eq!(fault(loaded.slice(1..3).slice(1..3)), outside(1, 3, 2));
        assert_eq!(fault(loaded.slice(9..).slice(..1)), outside(9, 5, 5));
        assert!(loaded.slice(9..).is_empty() && loaded.slice(5..).is_empty());
        assert_eq!(fault(loaded.slice(3..6)).to_string(), "bases 3..6 were requested of 5");
        let long = Error::LengthMismatch { bases: 2, scalars: 3 };
        assert_eq!(loaded.slice(1..3).msm(&[1u64; 3]).unwrap_err(), long);
        let mut batch = Batch::new();
        batch.add(&loaded, &[1u64; 5]);
        batch.add(loaded.slice(1..3), &[1u64; 3]);
        assert_eq!(batch.run().unwrap_err(), Error::Batch { index: 1, source: Box::new(long) });
    }
}

/// Bases whose table does not fit are streamed; ranges of them are too.
#[test]
fn ranges_of_streamed_bases() {
    let known = KnownBases::<G1Affine>::new(1 << 11, 3);
    let scalars: Vec<Fr> = Distribution::Uniform.scalars(1 << 11, 4);
    let load =
        |limit: u64| Bases::builder().memory_limit(limit).load(&Device::cpu(), &known.points);
    let limits = (1..64).map(|steps| steps << 15);
    let streamed = limits.filter_map(|limit| load(limit).ok()).find(|b| !b.plan().resident);
    let streamed = streamed.expect("a limit that runs are within, but not the table");
    for (first, n) in [(0, 1 << 11), (1, 2047), (500, 1000), (2047, 1), (2048, 0)] {
        let pairs = scalars[..n].iter().enumerate();
        let sum: Fr = pairs.map(|(i, k)| known.logarithm(first + i) * k).sum();
        let slice = streamed.slice(first..);
        assert_eq!(slice.msm(&scalars[..n]).unwrap(), G * sum, "{first} {n}");
        assert_eq!(slice.msm_batch(&[&scalars[..n]; 2]).unwrap(), [G * sum; 2]);
    }
}

/// A sum must not be taken for that of another batch.
#[test]
fn tickets_belong_to_their_batch() {
    let loaded = Bases::load(&Device::cpu(), &[G; 5]).unwrap();
    let (mut first, mut second) = (Batch::new(), Batch::new());
    let (one, two) = (first.add(&loaded, &[1u64]), second.add(&loaded, &[2u64]));
    let (mut first, mut second) = (first.run().unwrap(), second.run().unwrap());
    assert!(first.take(two).is_err());
    assert!(second.take(one).is_err());
}

#[test]
fn nothing_is_a_sum_too() {
    let none: [G1Affine; 0] = [];
    assert_eq!(msm(&none, &[] as &[Fr]).unwrap(), ark_bls12_377::G1Projective::ZERO);
    let loaded = Bases::load(&Device::cpu(), &none).unwrap();
    assert!(loaded.is_empty());
    assert_eq!(loaded.msm(&[] as &[u64]).unwrap(), ark_bls12_377::G1Projective::ZERO);
    assert!(loaded.msm_batch(&[] as &[&[u64]]).unwrap().is_empty());
    assert!(msm_batch::<G1Affine, [u64]>(&[]).unwrap().is_empty());
}

fn refused<C: Curve>(builder: Builder<C>) -> &'static str {
    let device = Device::cpu();
    let points = [C::GENERATOR; 3];
    let scalars = [C::ScalarField::from(5u64); 3];
    let loading = builder.load(&device, &points).unwrap_err();
    let running = builder.msm(&device, &points, Scalars::residues(&scalars)).unwrap_err();
    assert_eq!(loading, running);
    let Error::InvalidSetting { setting, .. } = loading else { panic!("{loading}") };
    setting
}

#[test]
fn impossible_settings_are_named() {
    let builder = Bases::<G1Affine>::builder;
    let with = |change: fn(&mut Settings)| {
        let mut settings = Settings::default();
        change(&mut settings);
        builder().settings(settings)
    };
    assert_eq!(refused(builder().window_bits(0)), "window bits");
    assert_eq!(refused(builder().window_bits(27)), "window bits");
    assert_eq!(refused(builder().precompute(0)), "precompute factor");
    assert_eq!(refused(builder().precompute(1025)), "precompute factor");
    assert_eq!(refused(with(|s| s.chunk = Some(0))), "chunk");
    let signed_bits = |s: &mut Settings| {
        (s.window_bits, s.digits) = (Some(1), Some(Digits::Signed));
    };
    assert_eq!(refused(with(signed_bits)), "window bits");
    assert_eq!(refused(with(|s| s.endomorphism = Some(true)).any_point()), "endomorphism");
    let wide = |s: &mut Settings| {
        (s.window_bits, s.accumulate) = (Some(9), Some(Accumulate::Straus));
    };
    assert_eq!(refused(with(wide)), "window bits");
    let unsigned = |s: &mut Settings| {
        (s.digits, s.accumulate) = (Some(Digits::Unsigned), Some(Accumulate::Straus));
    };
    assert_eq!(refused(with(unsigned)), "digits");
    for count in [0, 3, 2048] {
        assert_eq!(refused(builder().odd_multiples(count)), "odd multiples");
    }
    assert_eq!(refused(builder().odd_multiples(16).window_bits(5)), "odd multiples");
    assert_eq!(refused(builder().odd_multiples(1024).window_bits(20)), "odd multiples");
    let plain: [fn(&mut Settings); 3] = [
        |s| s.digits = Some(Digits::Unsigned),
        |s| s.accumulate = Some(Accumulate::PerBucket),
        |s| s.reduce = Some(Reduce::RunningSum),
    ];
    for change in plain {
        assert_eq!(refused(with(change).odd_multiples(2)), "odd multiples");
    }
    // Bandersnatch's Edwards additions are not complete.
    let mut settings = Settings::default();
    (settings.accumulate, settings.any_point) = (Some(Accumulate::Straus), true);
    let incomplete = Bases::<ark_ed_on_bls12_381_bandersnatch::EdwardsAffine>::builder();
    assert_eq!(refused(incomplete.settings(settings)), "accumulate");
    let mut settings = Settings::default();
    settings.endomorphism = Some(true);
    let without = Bases::<ark_secp256r1::Affine>::builder().settings(settings);
    assert_eq!(refused(without), "endomorphism");
}

#[test]
fn integers_above_their_bound_are_named() {
    let scalars = [0u64, 1023, 1024, 5000];
    let bounded = Scalars::from(&scalars).with_bits(10);
    let error = msm(&[G; 4], bounded).unwrap_err();
    assert_eq!(error.to_string(), "scalar 2 is not below 2^10");
    // A bound wider than the type's own changes nothing, and none at all is refused.
    assert!(msm(&[G; 4], Scalars::from(&scalars).with_bits(1 << 20)).is_ok());
    let error = msm(&[G; 4], Scalars::from(&scalars).with_bits(0)).unwrap_err();
    assert!(matches!(error, Error::InvalidSetting { setting: "scalar bits", .. }), "{error}");
}

#[test]
fn tables_for_short_scalars_serve_long_ones() {
    let device = Device::cpu();
    let known = KnownBases::<G1Affine>::new(40, 4);
    let builder = Bases::builder().precompute(4).scalar_bits(64);
    let loaded = builder.load(&device, &known.points).unwrap();
    let shorts = vec![3u8; 40];
    assert_eq!(loaded.msm(&shorts).unwrap(), known.expected(&[Fr::from(3u64); 40]));
    let residues: Vec<Fr> = Distribution::Uniform.scalars(40, 4);
    let long = [[u64::MAX; 16]; 40];
    let two = Fr::from(2u64);
    let value = ark_ff::Field::pow(&two, [1024]) - Fr::from(1u64);
    let without_copies = Bases::builder().scalar_bits(64).load(&device, &known.points).unwrap();
    for loaded in [loaded, without_copies] {
        assert_eq!(loaded.msm(&residues).unwrap(), known.expected(&residues));
        assert_eq!(loaded.msm(&long).unwrap(), known.expected(&[value; 40]));
    }
}

#[test]
fn points_off_the_curve_are_found_at_load_and_at_a_run() {
    let device = Device::cpu();
    let mut points = vec![G; 2000];
    points[1234] = G1Affine::new_unchecked(G.x, G.y + G.x);
    points[1999] = G1Affine::new_unchecked(G.y, G.x);
    let builder = Bases::builder().check_subgroup();
    let expected = Error::InvalidBase { index: 1234, reason: PointFault::NotOnCurve };
    assert_eq!(builder.load(&device, &points).unwrap_err(), expected);
    assert_eq!(builder.msm(&device, &points, &vec![1u8; 2000]).unwrap_err(), expected);
    points.truncate(1234);
    points.push(G1Affine::identity());
    assert!(builder.load(&device, &points).is_ok());
}

#[test]
fn a_limit_below_the_smallest_plan_is_out_of_memory() {
    let points = KnownBases::<G1Affine>::new(2000, 5).points;
    let scalars = vec![1u64; 2000];
    let error = Bases::builder().memory_limit(1000).msm(&Device::cpu(), &points, &scalars);
    let Err(Error::OutOfMemory { needed, available: 1000 }) = error else { panic!("{error:?}") };
    // What is needed is enough.
    assert!(Bases::builder().memory_limit(needed).msm(&Device::cpu(), &points, &scalars).is_ok());
    let error = Bases::builder().memory_limit(needed - 1).msm(&Device::cpu(), &points, &scalars);
    assert!(matches!(error, Err(Error::OutOfMemory { .. })), "{error:?}");
}

/// Scalars that return another length at each call: used to index out of bounds inside a
/// batch and a job.
struct Fickle(std::sync::atomic::AtomicUsize, Vec<Fr>);

impl bucketeer::AsScalars<Fr> for Fickle {
    fn as_scalars(&self) -> Scalars<'_, Fr> {
        let turn = self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Scalars::residues(&self.1[..self.1.len() - turn.min(self.1.len())])
    }
}

/// The same, growing.
struct Growing(std::sync::atomic::AtomicUsize, Vec<Fr>);

impl bucketeer::AsScalars<Fr> for Growing {
    fn as_scalars(&self) -> Scalars<'_, Fr> {
        let turn = self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Scalars::residues(&self.1[..(4 + turn).min(self.1.len())])
    }
}

#[test]
fn scalars_whose_length_changes_are_asked_for_once_or_refused() {
    let scalars = || vec![Fr::from(3u64); 8];
    for device in [Device::cpu(), several()] {
        let loaded = Bases::load(&device, &[G; 4]).unwrap();
        let growing = || Growing(0.into(), scalars());
        assert_eq!(loaded.msm_batch(&[&growing()]).unwrap(), [G * Fr::from(12u64)]);
        let job = loaded.submit(growing()).unwrap();
        assert_eq!(job.wait().unwrap_err(), Error::LengthMismatch { bases: 4, scalars: 5 });
        let fickle = Fickle(0.into(), vec![Fr::from(3u64); 4]);
        let job = loaded.submit(fickle).unwrap();
        assert_eq!(job.wait().unwrap_err(), Error::LengthMismatch { bases: 4, scalars: 3 });
        let pairs = [(&[G; 4][..], &growing()), (&[G; 4][..], &growing())];
        let sums = Bases::builder().msm_batch(&device, &pairs).unwrap();
        assert_eq!(sums, [G * Fr::from(12u64); 2]);
    }
}

fn several() -> Device {
    let one = Device::cpu_with_threads(1).unwrap();
    Device::several(&[one.clone(), one]).unwrap()
}

/// A hook's panic used to pass through `msm` and to be an internal error from jobs and shares.
#[test]
fn a_hook_that_panics_is_named_in_every_way_to_run() {
    let hook: bucketeer::Hook = std::sync::Arc::new(|_| panic!("no {}", "more"));
    let builder = Bases::builder().on_progress(hook);
    let expected = Error::HookPanicked { message: "no more".into() };
    let points = KnownBases::<G1Affine>::new(500, 6).points;
    let scalars: Vec<Fr> = Distribution::Uniform.scalars(500, 6);
    for device in [Device::cpu(), several()] {
        assert_eq!(builder.msm(&device, &points, &scalars).unwrap_err(), expected);
        let loaded = builder.load(&device, &points).unwrap();
        assert_eq!(loaded.msm(&scalars).unwrap_err(), expected);
        assert_eq!(loaded.submit(scalars.clone()).unwrap().wait().unwrap_err(), expected);
        let batch = loaded.msm_batch(&[&scalars]).unwrap_err();
        assert_eq!(batch, Error::Batch { index: 0, source: Box::new(expected.clone()) });
    }
    assert_eq!(expected.to_string(), "the progress hook panicked: no more");
}

/// Coordinates and scalars whose words are not below the modulus, as `new_unchecked` makes them,
/// are the residues they stand for: they used to overflow inside the kernels.
#[test]
fn non_canonical_coordinates_are_reduced() {
    fn unreduced<P: ark_ff::FpConfig<N>, const N: usize>(x: ark_ff::Fp<P, N>) -> ark_ff::Fp<P, N> {
        use ark_ff::BigInteger;
        let mut words = x.0;
        let overflow = words.add_with_carry(&P::MODULUS);
        // A multiple that does not fit stays as it is.
        if overflow { x } else { ark_ff::Fp(words, std::marker::PhantomData) }
    }
    let known = KnownBases::<G1Affine>::new(300, 8);
    let scalars: Vec<Fr> = Distribution::Uniform.scalars(300, 8);
    let point = |p: &G1Affine| G1Affine::new_unchecked(unreduced(p.x), unreduced(p.y));
    let points: Vec<_> = known.points.iter().map(point).collect();
    let odd: Vec<Fr> = scalars.iter().map(|k| unreduced(*k)).collect();
    let cpu = Device::cpu();
    for device in [cpu.clone(), cpu.portable().unwrap()] {
        for n in [1, 3, 20, 300] {
            let expected = known.expected(&scalars[..n]);
            let sum = Bases::builder().msm(&device, &points[..n], &odd[..n]).unwrap();
            assert_eq!(sum, expected, "{n} on {device}");
            let loaded = Bases::builder().precompute(2).load(&device, &points[..n]).unwrap();
            assert_eq!(loaded.msm(&odd[..n]).unwrap(), expected, "{n} on {device}");
        }
    }
    // The order itself is zero, also for points that it does not annihilate.
    let order = Fr::new_unchecked(<Fr as ark_ff::PrimeField>::MODULUS);
    let whole = G1Affine::new_unchecked(ark_ff::Fp::from(-1i64), ark_ff::Fp::ZERO);
    assert!(whole.is_on_curve() && !whole.in_subgroup());
    for n in [1, 300] {
        let (points, scalars) = (vec![whole; n], vec![order; n]);
        let sum = Bases::builder().any_point().msm(&Device::cpu(), &points, &scalars).unwrap();
        assert_eq!(sum, ark_bls12_377::G1Projective::ZERO, "{n}");
    }
}

//! A curve that carries out cases: the only part of the table that is generic.

mod loaded;

use std::sync::{Arc, OnceLock};

use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, BigInt, Field, PrimeField};
use ark_std::rand::{RngCore, SeedableRng};
use num_bigint::{BigInt as Integer, BigUint, Sign};
use num_traits::Zero;
use rand_chacha::ChaCha20Rng;

use super::case::{Arrangement, Bases as Source, Case, Outcome, Run, Scalars as Form};
use crate::plan::{Preset, Request, Shape};
use crate::random::KnownBases;
use crate::reference::{Jacobian, Law, affine, reference_sum};
use crate::wait::Pending;
use crate::{
    AsScalars, Bases, Builder, Curve, CurveSpec, Device, DeviceFacts, DeviceKind, Error, Model,
    Plan, Scalars, Weierstrass,
};

/// A curve on a device.
pub(super) trait Subject: Sync {
    /// What is known of the curve.
    fn curve(&self) -> &CurveSpec;

    /// What the device it runs on is.
    fn device(&self) -> DeviceFacts;

    /// Whether it is a software adapter: a CPU behind a GPU's interface.
    fn is_software_adapter(&self) -> bool {
        let DeviceFacts { kind, threads, .. } = self.device();
        kind == DeviceKind::WebGpu && threads == 1
    }

    /// Whether all ranks of a program carry cases out together.
    fn is_over_ranks(&self) -> bool;

    /// Whether the curve has points that its affine model cannot express.
    fn has_points_at_infinity(&self) -> bool;

    /// The windows of a case's plan; `None` where no plan can be made.
    fn planned(&self, case: &Case) -> Option<Shape>;

    /// Runs a case; what is wrong with the outcome, if anything.
    fn fault<'a>(&'a self, case: &'a Case) -> Pending<'a, Option<String>>;
}

/// Most known bases a case may take.
pub(super) const KNOWN: usize = (1 << 12) + 1;
/// Known bases of the largest cases, made when the first of these comes.
pub(super) const LARGE: usize = (1 << 14) + 1;
/// Known bases of the largest cases of GPUs; still larger ones repeat them.
pub(super) const LARGEST: usize = (1 << 20) + 1;
/// Points of the whole curve that a case may take.
pub(super) const WHOLE: usize = 40;

/// The curve `C` on a device.
pub(super) struct OnCurve<'a, C: Curve> {
    device: &'a Device,
    preset: Option<&'static Preset>,
    curve: Arc<CurveSpec>,
    known: KnownBases<C>,
    large: OnceLock<KnownBases<C>>,
    largest: OnceLock<KnownBases<C>>,
    whole: Vec<C>,
    /// A point of order two that the affine model cannot express, on the Weierstrass form.
    at_infinity: Option<(C::BaseField, C::BaseField)>,
}

/// Points and scalars of a case; computes the right sum of any prefix.
struct Input<C: Curve> {
    points: Vec<C>,
    residues: Vec<C::ScalarField>,
    /// Logarithms of the points, or `None` for points of the whole curve.
    logarithms: Option<Vec<C::ScalarField>>,
    /// The scalars as integers, where they are needed as such.
    integers: Vec<Integer>,
}

impl<'a, C: Curve> OnCurve<'a, C> {
    pub(super) fn new(device: &'a Device, preset: Option<&'static Preset>) -> Self {
        Self {
            device,
            preset,
            curve: CurveSpec::of::<C>(),
            known: KnownBases::new(KNOWN, 0xba5e5),
            large: OnceLock::new(),
            largest: OnceLock::new(),
            whole: points_of_whole_curve(WHOLE),
            at_infinity: point_at_infinity::<C>(),
        }
    }

    fn input(&self, case: &Case) -> Input<C> {
        let n = case.scalars.len();
        let integers = case.scalars.integers();
        let residues: Vec<C::ScalarField> = match &case.scalars {
            Form::Kind(kind, n) => kind.scalars(*n, *n as u64),
            _ => integers.iter().flatten().map(residue).collect(),
        };
        let of_curve = |points| {
            let integers = integers
                .clone()
                .unwrap_or(residues.iter().map(|k| Into::<BigUint>::into(*k).into()).collect());
            Input { points, residues: residues.clone(), logarithms: None, integers }
        };
        let how = match case.bases {
            Source::Known(how) => how,
            Source::WholeCurve => return of_curve(self.whole[..n].to_vec()),
            Source::BesideInfinity(points) => {
                return of_curve(points.iter().map(|point| self.beside_infinity(*point)).collect());
            }
        };
        let (points, logarithms) = self.known_bases(n, how);
        let integers = integers.unwrap_or_default();
        Input { points, residues, logarithms: Some(logarithms), integers }
    }

    /// `n` bases in an arrangement, with their logarithms.
    fn known_bases(&self, n: usize, how: Arrangement) -> (Vec<C>, Vec<C::ScalarField>) {
        let known = match n {
            0..=KNOWN => &self.known,
            _ if n > LARGE => self.largest.get_or_init(|| KnownBases::new(LARGEST, 0xba5e7)),
            _ => self.large.get_or_init(|| KnownBases::new(LARGE, 0xba5e6)),
        };
        let place = |i| {
            let (index, factor) = how.place(i);
            let index = index % known.points.len();
            let (point, logarithm) = (known.points[index], known.logarithm(index));
            match factor {
                0 => (C::zero(), C::ScalarField::ZERO),
                1 => (point, logarithm),
                _ => ((-point.into_group()).into_affine(), -logarithm),
            }
        };
        (0..n).map(place).unzip()
    }

    /// ±G, plus H if `shifted`.
    fn beside_infinity(&self, (factor, shifted): (i8, bool)) -> C {
        let own = if factor < 0 { -C::GENERATOR.into_group() } else { C::GENERATOR.into_group() };
        let other = self.at_infinity.filter(|_| shifted);
        let law = Law::of::<C>();
        let own = Jacobian::of(on_weierstrass::<C>(&own).flatten());
        let sum = law.add(&own, &Jacobian::of(other)).affine();
        C::from_weierstrass(sum).unwrap_or_else(C::zero)
    }

    fn builder(&self, case: &Case) -> Builder<C> {
        let builder = Bases::builder().settings(case.settings.clone());
        match self.preset {
            Some(preset) => builder.preset(preset),
            None => builder,
        }
    }

    /// One MSM, over borrowed or loaded bases.
    async fn one(
        &self,
        case: &Case,
        input: &Input<C>,
        loaded: Option<Option<u32>>,
    ) -> Option<String> {
        let builder = self.builder(case);
        let typed = typed(&case.scalars);
        let scalars = match &case.scalars {
            Form::Kind(..) | Form::Residues(_) => Scalars::residues(&input.residues),
            Form::Bools(s) => s.into(),
            Form::U8(s) => s.into(),
            Form::U16(s) => s.into(),
            Form::U32(s) => s.into(),
            Form::Words { data, words, bits } => {
                let scalars = Scalars::words(data, *words);
                bits.map_or(scalars, |bits| scalars.with_bits(bits))
            }
            Form::Signed { bits, .. } => {
                bits.map_or(typed.as_scalars(), |bits| typed.as_scalars().with_bits(bits))
            }
            Form::BigInt(_) => typed.as_scalars(),
            Form::Canonical { data, .. } => Scalars::canonical(data),
        };
        let result = match loaded {
            None => builder.msm_with_report_async(self.device, &input.points, scalars).await,
            Some(bits) => {
                let builder = bits.map_or(builder.clone(), |bits| builder.scalar_bits(bits));
                match builder.load_async(self.device, &input.points).await {
                    Ok(bases) => bases.msm_with_report_async(scalars).await,
                    Err(error) => Err(error),
                }
            }
        };
        let n = input.points.len();
        let way = if loaded.is_some() { "loaded" } else { "borrowed" };
        if input.is_at_infinity(n) {
            return match result {
                Err(Error::NotRepresentable) => None,
                Err(error) => Some(format!("{way}: error: {error}")),
                Ok(_) => Some(format!("{way}: a sum that the affine model cannot express")),
            };
        }
        let result = result.map(|report| (input.is_sum(&report.result, n), report.plan));
        judge(case, result).map(|fault| format!("{way}: {fault}"))
    }
}

impl<C: Curve> Input<C> {
    /// The sum of the first scalars over the bases from `first` on, on the Weierstrass form.
    fn sum(&self, first: usize, length: usize) -> Weierstrass<C::BaseField> {
        match &self.logarithms {
            Some(logarithms) => {
                let pairs = logarithms[first..].iter().zip(&self.residues).take(length);
                let sum = C::GENERATOR * pairs.map(|(a, k)| *a * k).sum::<C::ScalarField>();
                on_weierstrass::<C>(&sum).flatten()
            }
            None => {
                let integers = &self.integers[..length.min(self.integers.len())];
                let bits = integers.iter().map(Integer::bits).max().unwrap_or(0);
                let words_each = bits.div_ceil(64).max(1) as usize;
                let words = |k: &Integer| {
                    let mut words = k.magnitude().to_u64_digits();
                    words.resize(words_each, 0);
                    words
                };
                let words: Vec<u64> = integers.iter().flat_map(words).collect();
                let with_sign = |(point, k): (&C, &Integer)| match k.sign() {
                    Sign::Minus => (-point.into_group()).into_affine(),
                    Sign::NoSign | Sign::Plus => *point,
                };
                let points = self.points[first..].iter().zip(integers);
                let points: Vec<C> = points.map(with_sign).collect();
                reference_sum(&points, &words, words_each)
            }
        }
    }

    /// Whether an engine's sum is that over the first bases, and a point at all.
    fn is_sum(&self, sum: &C::Group, length: usize) -> bool {
        on_weierstrass::<C>(sum) == Some(self.sum(0, length))
    }

    /// What is wrong with the sums of a batch, of which each is over some bases: the first one and
    /// the number.
    fn wrong(&self, sums: &[C::Group], ranges: &[(usize, usize)]) -> Option<String> {
        let is_wrong = |(sum, (first, length)): (&C::Group, &(usize, usize))| {
            on_weierstrass::<C>(sum) != Some(self.sum(*first, *length))
        };
        match sums.iter().zip(ranges).position(is_wrong) {
            None if sums.len() == ranges.len() => None,
            None => Some(format!("{} sums instead of {}", sums.len(), ranges.len())),
            Some(index) => Some(format!("wrong sum of (first, length) {:?}", ranges[index])),
        }
    }

    /// Whether the affine model cannot express the sum over the first bases.
    fn is_at_infinity(&self, length: usize) -> bool {
        self.logarithms.is_none() && C::from_weierstrass(self.sum(0, length)).is_none()
    }
}

impl<C: Curve> Subject for OnCurve<'_, C> {
    fn curve(&self) -> &CurveSpec {
        &self.curve
    }

    fn device(&self) -> DeviceFacts {
        self.device.facts()
    }

    fn is_over_ranks(&self) -> bool {
        self.device.is_over_ranks()
    }

    fn has_points_at_infinity(&self) -> bool {
        self.at_infinity.is_some()
    }

    fn planned(&self, case: &Case) -> Option<Shape> {
        let request = Request::new(&self.curve, case.scalars.len(), self.device());
        Plan::new(&request.settings(&case.settings)).ok().map(|plan| plan.shape)
    }

    fn fault<'a>(&'a self, case: &'a Case) -> Pending<'a, Option<String>> {
        Box::pin(async move {
            let input = &self.input(case);
            match case.run {
                Run::Both => match self.one(case, input, None).await {
                    None => self.one(case, input, Some(None)).await,
                    fault => fault,
                },
                Run::Borrowed => self.one(case, input, None).await,
                Run::Loaded(bits) => self.one(case, input, Some(bits)).await,
                Run::SharedBatch => self.batch(case, input, true).await,
                Run::OwnBatch => self.batch(case, input, false).await,
                Run::MixedBatch => self.mixed_batch(case, input).await,
                Run::Slices => self.slices(case, input).await,
                Run::SeveralBases => self.several_bases(case, input),
                Run::Jobs => self.jobs(case, input),
                Run::CancelledFirst => self.cancelled_first(case, input).await,
                Run::Pinned => self.pinned(case, input).await,
            }
        })
    }
}

fn residue<F: PrimeField>(k: &Integer) -> F {
    let residue = F::from(k.magnitude().clone());
    if k.sign() == Sign::Minus { -residue } else { residue }
}

/// Scalars in the types that only their own vectors can hold; none of other forms.
fn typed<F: PrimeField>(scalars: &Form) -> Box<dyn AsScalars<F> + Send + Sync> {
    fn narrow<T>(data: &[i128], convert: impl Fn(i128) -> T) -> Vec<T> {
        data.iter().map(|&k| convert(k)).collect()
    }
    match scalars {
        Form::Signed { data, type_bits: 8, .. } => Box::new(narrow(data, |k| k as i8)),
        Form::Signed { data, type_bits: 16, .. } => Box::new(narrow(data, |k| k as i16)),
        Form::Signed { data, type_bits: 32, .. } => Box::new(narrow(data, |k| k as i32)),
        Form::Signed { data, type_bits: 64, .. } => Box::new(narrow(data, |k| k as i64)),
        Form::Signed { data, .. } => Box::new(data.clone()),
        Form::BigInt(s) => Box::new(s.iter().copied().map(BigInt::new).collect::<Vec<_>>()),
        _ => Box::new(Vec::<bool>::new()),
    }
}

/// A sum of an engine on the short Weierstrass form; `None` if it is not a point of the curve.
pub fn on_weierstrass<C: Curve>(sum: &C::Group) -> Option<Weierstrass<C::BaseField>> {
    let mut out = Vec::new();
    C::to_weierstrass(&[affine(sum)?], &mut out);
    out.pop()
}

/// Compares a result (whether the sum is right, and the plan) with the expected outcome.
fn judge(case: &Case, result: Result<(bool, Plan), Error>) -> Option<String> {
    let limit = case.settings.memory_limit.unwrap_or(u64::MAX);
    let (right, plan) = match (case.outcome, result.map_err(Error::without_rank)) {
        (Outcome::TooLarge(place), Err(Error::ScalarTooLarge { index, .. })) if index == place => {
            return None;
        }
        (
            Outcome::OutOfMemory | Outcome::SumWithinLimit,
            Err(Error::OutOfMemory { needed, .. }),
        ) if needed > limit => {
            return None;
        }
        (_, Err(error)) => return Some(format!("error: {error}")),
        (Outcome::TooLarge(_) | Outcome::OutOfMemory, Ok(_)) => {
            return Some("a sum instead of an error".into());
        }
        (_, Ok(result)) => result,
    };
    match case.outcome {
        _ if !right => Some("a wrong sum".into()),
        _ if plan.bytes() > limit => Some(format!("a plan of {} bytes", plan.bytes())),
        Outcome::SumInChunks(least) if plan.chunks < least => {
            Some(format!("{} chunks", plan.chunks))
        }
        _ => None,
    }
}

/// Points of small order where the curve has a cofactor, their sums with the generator, random
/// points of the curve, infinity, and the negative of a point before it.
fn points_of_whole_curve<C: Curve>(n: usize) -> Vec<C> {
    let mut rng = ChaCha20Rng::seed_from_u64(0xa11);
    let mut points = points_of_small_order::<C>(&mut rng);
    let shifted: Vec<C> = points.iter().map(|t| (C::GENERATOR + *t).into_affine()).collect();
    points.extend(shifted);
    points.push(C::zero());
    points.push(random_point(&mut rng));
    points.push((-points[points.len() - 1].into_group()).into_affine());
    while points.len() < n {
        points.push(random_point(&mut rng));
    }
    points
}

/// Points whose order divides the cofactor, among them one of order 2 where the curve has one.
fn points_of_small_order<C: Curve>(rng: &mut ChaCha20Rng) -> Vec<C> {
    let spec = CurveSpec::of::<C>();
    if let Model::TwistedEdwards { .. } = spec.model {
        // Multiples by the order could meet points at infinity, which arkworks' formulas cannot.
        return vec![C::from_coordinates(C::BaseField::ZERO, -C::BaseField::ONE)];
    }
    let small = multiple(&random_point::<C>(rng), &spec.order);
    let odd_part = &spec.cofactor >> spec.cofactor.trailing_zeros().unwrap_or(0);
    let mut even = multiple(&small.into_affine(), &odd_part);
    while !even.double().is_zero() {
        even.double_in_place();
    }
    let points = [small, even].into_iter().filter(|point| !point.is_zero());
    points.map(CurveGroup::into_affine).collect()
}

/// A point of order two at infinity of the affine twisted Edwards model, on the Weierstrass form: u
/// with u² + A·u + 1 = 0 on the Montgomery model, where A = 2(a+d)/(a−d), has v = 0.
fn point_at_infinity<C: Curve>() -> Option<(C::BaseField, C::BaseField)> {
    let Model::TwistedEdwards { a, d } = C::model() else { return None };
    // −A/2 + √(A²/4 − 1) = (−(a+d) + 2√(ad))/(a−d); X = (u + A/3)/B with B = 4/(a−d).
    let u = (a * d).sqrt()?.double() - a - d;
    let twelve = C::BaseField::from(12u64);
    let x = (u.double() + u + (a + d).double()) * twelve.inverse()?;
    Some((x, C::BaseField::ZERO))
}

fn random_point<C: Curve>(rng: &mut ChaCha20Rng) -> C {
    let mut bytes = [0; 2 * 96];
    loop {
        rng.fill_bytes(&mut bytes);
        if let Some(point) = C::from_random_bytes(&bytes).filter(|point| !point.is_zero()) {
            return point;
        }
    }
}

/// `k·P` by double-and-add, with nothing taken modulo anything.
fn multiple<C: Curve>(point: &C, k: &BigUint) -> C::Group {
    (0..k.bits()).rev().fold(C::Group::ZERO, |sum, bit| {
        let doubled = sum.double();
        if k.bit(bit) { doubled + point } else { doubled }
    })
}

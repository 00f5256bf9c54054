//! Row groups that vary how a run is cut: batches, chunks, and inputs of many slices.

use super::checker::Checker;
use super::input::{Arrangement, Input, Known};
use super::{Distribution, KnownBases};
use crate::plan::{Group, Settings};
use crate::{AsScalars, Curve, Error, Scalars};

/// Batches over shared bases and over bases of their own, with MSMs of different lengths and kinds.
pub(super) fn batches<C: Curve>(checker: &mut Checker<'_, C>) {
    let lengths = checker.full_or(vec![257, 0, 1, 256, 33, 257, 2], vec![33, 0, 1]);
    let kinds = Distribution::ALL.map(|(_, kind)| kind).into_iter().cycle();
    let inputs: Vec<Input<C>> = lengths
        .iter()
        .zip(kinds)
        .map(|(&n, kind)| checker.known.input(n, Arrangement::Mixed, kind))
        .collect();
    for precompute in checker.full_or(vec![None, Some(3)], vec![None]) {
        shared(checker, &inputs, &Settings { precompute, ..Settings::default() });
    }
    let scalars: Vec<_> = inputs.iter().map(|input| Residues(&input.scalars)).collect();
    let own: Vec<(&[C], _)> =
        inputs.iter().zip(&scalars).map(|(input, k)| (&input.points[..], k)).collect();
    let expected: Vec<C::Group> = inputs.iter().map(|input| input.expected).collect();
    checker.check(
        format!("batch of lengths {lengths:?}, own bases"),
        &Settings::default(),
        || crate::msm_batch(&own),
        |result| judge(result, &expected),
    );
}

/// All inputs as one batch over the bases of the longest, and each alone on the same bases.
fn shared<C: Curve>(checker: &mut Checker<'_, C>, inputs: &[Input<C>], settings: &Settings) {
    let Some(longest) = inputs.iter().max_by_key(|input| input.points.len()) else { return };
    let scalars: Vec<_> = inputs.iter().map(|input| Residues(&input.scalars)).collect();
    let batch: Vec<_> = scalars.iter().collect();
    let expected: Vec<C::Group> = inputs.iter().map(|input| input.expected).collect();
    let lengths: Vec<usize> = inputs.iter().map(|input| input.points.len()).collect();
    let (builder, device) = (checker.builder(settings), checker.device);
    checker.check(
        format!("batch of lengths {lengths:?}, shared bases"),
        settings,
        || builder.load(device, &longest.points)?.msm_batch(&batch),
        |result| judge(result, &expected),
    );
    let too_long = vec![C::ScalarField::default(); longest.points.len() + 1];
    checker.check(
        "batch with more scalars than bases",
        settings,
        || builder.load(device, &longest.points)?.msm_batch(&[&Residues(&too_long)]),
        |result| match result {
            Err(Error::Batch { index: 0, source })
                if matches!(**source, Error::LengthMismatch { .. }) =>
            {
                None
            }
            other => Some(format!("{:?} instead of an error", other.as_ref().map(Vec::len))),
        },
    );
}

fn judge<G: PartialEq>(result: &Result<Vec<G>, Error>, expected: &[G]) -> Option<String> {
    match result {
        Ok(sums) if sums == expected => None,
        Ok(sums) => {
            let wrong = sums.iter().zip(expected).position(|(sum, expected)| sum != expected);
            Some(format!("{} sums, the first wrong one {wrong:?}", sums.len()))
        }
        Err(error) => Some(format!("error: {error}")),
    }
}

/// Residues of a field that the compiler knows only as a prime field.
struct Residues<'a, F>(&'a [F]);

impl<F> AsScalars<F> for Residues<'_, F> {
    fn as_scalars(&self) -> Scalars<'_, F> {
        Scalars::residues(self.0)
    }
}

/// Chunks by setting, and by memory limits down to the smallest that can be met.
pub(super) fn chunks<C: Curve>(checker: &mut Checker<'_, C>) {
    for n in checker.full_or(vec![0, 1, 65, 237], vec![65]) {
        let input = checker.known.input(n, Arrangement::Mixed, Distribution::Uniform);
        for chunk in [1, 7, 64, 1000] {
            for precompute in [None, Some(3)] {
                let chunk = Some(chunk);
                checker.case(&input, &Settings { chunk, precompute, ..Settings::default() });
            }
        }
    }
    let n = checker.full_or(Known::<C>::LENGTH, 1 << 11);
    let input = checker.known.input(n, Arrangement::Mixed, Distribution::Uniform);
    limits(checker, &input);
}

/// Halves the memory limit until no plan fits. The sum must not change, the plan must keep to the
/// limit, and there must be a limit that makes chunks.
fn limits<C: Curve>(checker: &mut Checker<'_, C>, input: &Input<C>) {
    let (device, scalars) = (checker.device, Scalars::residues(&input.scalars));
    let mut limit = 64 << 20;
    let (mut most_chunks, mut refused) = (0, false);
    while !refused && limit > 0 {
        let settings = Settings { memory_limit: Some(limit), ..Settings::default() };
        let builder = checker.builder(&settings);
        for resident in [false, true] {
            let run = || match resident {
                false => builder.msm_with_report(device, &input.points, scalars),
                true => builder.load(device, &input.points)?.msm_with_report(scalars),
            };
            checker.check(format!("{}, loaded {resident}", input.name), &settings, run, |result| {
                match result {
                    Ok(report) if report.plan.bytes() > limit => Some("a plan above it".into()),
                    Ok(report) => {
                        most_chunks = report.plan.chunks.max(most_chunks);
                        (report.result != input.expected).then(|| "a wrong sum".into())
                    }
                    Err(Error::OutOfMemory { needed, .. }) if *needed > limit => {
                        refused = true;
                        None
                    }
                    Err(error) => Some(format!("error: {error}")),
                }
            });
        }
        limit /= 2;
    }
    checker.check(
        format!("{}, limits make chunks and are refused at last", input.name),
        &Settings::default(),
        || Ok((most_chunks, refused)),
        |result| match result {
            Ok((2.., true)) => None,
            other => Some(format!("{other:?}")),
        },
    );
}

/// Enough bases for many slices per bucket set and for parts in the group stage.
pub(super) fn large<C: Curve>(checker: &mut Checker<'_, C>) {
    let n = checker.full_or((1 << 15) + 1, 1 << 11);
    let bases = KnownBases::<C>::new(n, 11);
    for kind in [Distribution::Uniform, Distribution::Skewed, Distribution::Equal] {
        let scalars = kind.scalars::<C::ScalarField>(n, 3);
        let expected = bases.expected(&scalars);
        let points = bases.points.clone();
        let input = Input { name: format!("n = {n}, {kind:?} scalars"), points, scalars, expected };
        checker.case(&input, &Settings::default());
        if kind == Distribution::Uniform {
            let (window_bits, precompute) = (Some(12), Some(4));
            checker.case(&input, &Settings { window_bits, precompute, ..Settings::default() });
            let (window_bits, group) = (Some(9), Some(Group::Csr));
            checker.case(&input, &Settings { window_bits, group, ..Settings::default() });
        }
    }
}

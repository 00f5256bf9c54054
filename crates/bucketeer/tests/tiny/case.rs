//! A case: one run, with any settings, on any device.

use arbitrary::{Arbitrary, Result, Unstructured};
use bucketeer::{Builder, Curve, Device, Error};

use crate::{AnyBuilder, Combinations, DEVICES, Form, Input, Run, Term};

#[derive(Debug)]
pub struct Case {
    /// For fuzz targets, which draw it too.
    #[allow(dead_code)]
    pub curve: u8,
    pub device: u8,
    pub form: Form,
    pub run: Run,
    pub builder: AnyBuilder,
    /// How often the pairs are repeated beyond the first time.
    pub repeated: u8,
    pub pairs: Vec<Term>,
}

/// By hand: the derive would have the workspace's build compile more of `syn` for every macro.
impl<'a> Arbitrary<'a> for Case {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        Ok(Self {
            curve: u.arbitrary()?,
            device: u.arbitrary()?,
            form: u.arbitrary()?,
            run: *u.choose(&Run::ALL)?,
            builder: u.arbitrary()?,
            repeated: u.arbitrary()?,
            pairs: u.arbitrary()?,
        })
    }
}

/// Carries a case out on a curve, and compares the sums.
pub fn check<C: Curve>(combinations: &Combinations<C>, case: &Case) {
    let AnyBuilder { settings, check_subgroup, .. } = &case.builder;
    let pairs = case.pairs.repeat(1 + usize::from(case.repeated) % 32);
    let mut input = Input::new(combinations, &pairs, case.form, settings.any_point);
    input.in_subgroup = *check_subgroup;
    let builder = case.builder.builder();
    let device = &DEVICES[usize::from(case.device) % DEVICES.len()];
    run(case.run, &input, &builder, device);
}

fn run<C: Curve>(run: Run, input: &Input<'_, C>, builder: &Builder<C>, device: &Device) {
    let n = input.len();
    let all = input.scalars(0, n);
    let load = || builder.load(device, &input.points);
    let ranges = [(0, n), (0, n / 2), (0, 0), (0, n.min(1))];
    let batch = ranges.map(|(start, end)| input.scalars(start, end));
    match run {
        Run::Borrowed => input.check(0, n, builder.msm(device, &input.points, all), device),
        Run::Loaded => {
            let sum = load().and_then(|bases| bases.msm(all));
            input.check(0, n, sum, device);
        }
        Run::SharedBatch => {
            let sums = load().and_then(|bases| bases.msm_batch(&batch.each_ref()));
            input.check_batch(&ranges, sums, device);
        }
        Run::OwnBatch => {
            let ranges = [(0, n), (n / 2, n), (n, n), (n / 3, n / 2)];
            let batch = ranges.map(|(start, end)| input.scalars(start, end));
            let own: Vec<_> = ranges.iter().zip(&batch).collect();
            let own: Vec<_> =
                own.into_iter().map(|((a, b), k)| (&input.points[*a..*b], k)).collect();
            input.check_batch(&ranges, builder.msm_batch(device, &own), device);
        }
        Run::WideBatch => {
            let count = (4096 / (n + 1)).clamp(8, 256);
            let inputs: Vec<_> = (0..count).map(|by| input.rotated(by)).collect();
            let batch: Vec<_> = inputs.iter().map(|input| input.scalars(0, n)).collect();
            let batch: Vec<_> = batch.iter().collect();
            match load().and_then(|bases| bases.msm_batch(&batch)) {
                Ok(sums) => {
                    assert_eq!(sums.len(), count);
                    for (input, sum) in inputs.iter().zip(sums) {
                        input.check(0, n, Ok(sum), device);
                    }
                }
                Err(Error::Batch { index, source }) => {
                    inputs[index].check(0, n, Err(*source), device);
                }
                Err(error) => input.check(0, n, Err(error), device),
            }
        }
        Run::Slice => {
            let (start, end) = (n / 3, n - n / 4);
            let scalars = input.scalars(start, end);
            let sum = load().and_then(|bases| bases.slice(start..end).msm(scalars));
            input.check(start, end, sum, device);
        }
        Run::Job => {
            let sum = load().and_then(|bases| bases.submit(input.owned(0, n))?.wait());
            input.check(0, n, sum, device);
        }
    }
}

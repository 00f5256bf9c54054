//! Bucketeer on skewed scalars, against itself on uniform ones.

use bucketeer::curves::{NamedCurve, Visitor};
use bucketeer::random::{Distribution, KnownBases};
use bucketeer::{Curve, Device};

use crate::contestants::{BUCKETEER, Case};
use crate::options::{Kind, Options, SKEWED};
use crate::report::{Record, Table, milliseconds};
use crate::rounds::{Samples, measure};
use crate::{Outcome, SEED};

const UNIFORM: &str = "uniform";

/// Measures every curve and prints the table and its summary.
pub fn run(options: &Options, device: &Device, record: &mut Record) -> Outcome<()> {
    let mut headings = vec!["curve          ", "n", "uniform ms"];
    headings.extend(SKEWED.iter().map(|(name, _)| name));
    let table = Table::new(&headings, 2);
    let mut skew = Skew { options, device, table, record, worst: None };
    for curve in options.curves() {
        curve.visit(&mut skew)?;
    }
    println!("\nTimes on skewed scalars as multiples of the time on uniform ones.");
    if let Some((ratio, case)) = skew.worst {
        println!("The largest is {ratio:.2} ({case}); none should exceed 1.");
    }
    Ok(())
}

struct Skew<'a> {
    options: &'a Options,
    device: &'a Device,
    table: Table,
    record: &'a mut Record,
    worst: Option<(f64, String)>,
}

impl Visitor for &mut Skew<'_> {
    type Output = Outcome<()>;

    fn visit<C: Curve>(self, curve: &'static NamedCurve) -> Outcome<()> {
        let sizes = self.options.sizes();
        let most = sizes.iter().max().copied().unwrap_or_default();
        let bases = KnownBases::<C>::new(1 << most, SEED);
        for &bits in sizes {
            self.size(curve, &bases, bits)?;
        }
        Ok(())
    }
}

impl Skew<'_> {
    /// Here the kinds of scalars are the contestants.
    fn size<C: Curve>(
        &mut self,
        curve: &'static NamedCurve,
        bases: &KnownBases<C>,
        bits: u32,
    ) -> Outcome<()> {
        let kinds = std::iter::once((UNIFORM, Distribution::Uniform)).chain(SKEWED);
        let inputs: Vec<(&str, Vec<C::ScalarField>)> =
            kinds.map(|(name, kind): Kind| (name, kind.scalars(1 << bits, SEED))).collect();
        let contestants: Vec<_> = inputs
            .iter()
            .map(|(name, scalars)| Case::new(curve, bases, scalars, self.device).bucketeer(name))
            .collect();
        let all = measure(&contestants, self.options.rounds())
            .map_err(|error| format!("{curve}, 2^{bits}: {error}"))?;
        self.row(curve, bits, &all);
        for samples in &all {
            self.record.add(curve.name, bits, samples.name, BUCKETEER, samples);
        }
        self.record.save()
    }

    fn row(&mut self, curve: &NamedCurve, bits: u32, all: &[Samples]) {
        let [uniform, skewed @ ..] = all else { return };
        let mut cells =
            vec![curve.name.into(), format!("2^{bits}"), milliseconds(uniform.median())];
        for samples in skewed {
            let ratio = samples.median() / uniform.median();
            cells.push(format!("{ratio:.2}"));
            if self.worst.as_ref().is_none_or(|(worst, _)| ratio > *worst) {
                self.worst = Some((ratio, format!("{curve}, 2^{bits}, {}", samples.name)));
            }
        }
        self.table.row(cells);
    }
}

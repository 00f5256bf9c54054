//! The contest: Bucketeer and its peers on the same MSMs.

use bucketeer::curves::{NamedCurve, Visitor};
use bucketeer::random::{Distribution, KnownBases};
use bucketeer::{Curve, Device};

use crate::contestants::{BUCKETEER, Case, PEERS, RESIDENT};
use crate::options::Options;
use crate::report::{Record, Table, milliseconds};
use crate::rounds::{Samples, measure};
use crate::{Outcome, SEED};

/// Runs the contest on every curve and prints the table and its summary.
pub fn run(options: &Options, device: &Device, record: &mut Record) -> Outcome<()> {
    let mut headings = vec!["curve          ", "n", "scalars    ", BUCKETEER];
    if options.resident().is_some() {
        headings.push(RESIDENT);
    }
    headings.extend(PEERS.iter().flat_map(|peer| [peer, "ratio"]));
    let blst = blst_takes_part(options, device);
    let table = Table::new(&headings, 3);
    let mut contest = Contest { options, device, blst, table, record, ratios: Vec::new() };
    for curve in options.curves() {
        curve.visit(&mut contest)?;
    }
    contest.summary();
    Ok(())
}

/// blst makes a pool of its own with one thread per processor, which nothing but the process's set
/// of processors changes. Against another number of threads its times would say nothing.
fn blst_takes_part(options: &Options, device: &Device) -> bool {
    let (threads, own) = (device.facts().threads, std::thread::available_parallelism());
    let equal = own.is_ok_and(|own| own.get() == threads);
    let concerned = options.curves().iter().any(|curve| curve.name.starts_with("bls12-381"));
    if concerned && !equal {
        eprintln!(
            "blst is left out: it always uses one thread per processor of the process, not \
             {threads}. Under taskset all contestants use the same processors."
        );
    }
    equal
}

struct Contest<'a> {
    options: &'a Options,
    device: &'a Device,
    blst: bool,
    table: Table,
    record: &'a mut Record,
    ratios: Vec<Ratio>,
}

/// How much longer a peer took than Bucketeer.
struct Ratio {
    peer: &'static str,
    ratio: f64,
    case: String,
}

impl Visitor for &mut Contest<'_> {
    type Output = Outcome<()>;

    fn visit<C: Curve>(self, curve: &'static NamedCurve) -> Outcome<()> {
        let sizes = self.options.sizes();
        let most = sizes.iter().max().copied().unwrap_or_default();
        let bases = KnownBases::<C>::new(1 << most, SEED);
        for &bits in sizes {
            for (name, distribution) in self.options.distributions() {
                self.case(curve, &bases, bits, name, distribution)?;
            }
        }
        Ok(())
    }
}

impl Contest<'_> {
    fn case<C: Curve>(
        &mut self,
        curve: &'static NamedCurve,
        bases: &KnownBases<C>,
        bits: u32,
        name: &'static str,
        distribution: Distribution,
    ) -> Outcome<()> {
        let scalars = distribution.scalars(1 << bits, SEED);
        let case = Case::new(curve, bases, &scalars, self.device);
        let contestants = case.contestants(self.options.resident(), self.blst)?;
        let all = measure(&contestants, self.options.rounds())
            .map_err(|error| format!("{curve}, 2^{bits} {name} scalars: {error}"))?;
        self.row(curve, bits, name, &all);
        for samples in &all {
            self.record.add(curve.name, bits, name, samples.name, samples);
        }
        self.record.save()
    }

    fn row(&mut self, curve: &NamedCurve, bits: u32, scalars: &str, all: &[Samples]) {
        let median = |name| all.iter().find(|s| s.name == name).map(Samples::median);
        let time = |time: Option<f64>| time.map_or_else(String::new, milliseconds);
        let own = median(BUCKETEER);
        let mut cells = vec![curve.name.into(), format!("2^{bits}"), scalars.into(), time(own)];
        if self.options.resident().is_some() {
            cells.push(time(median(RESIDENT)));
        }
        for peer in PEERS {
            let ratio = median(peer).zip(own).map(|(peer, own)| peer / own);
            cells.push(time(median(peer)));
            cells.push(ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}")));
            if let Some(ratio) = ratio {
                let case = format!("{curve}, 2^{bits}, {scalars}");
                self.ratios.push(Ratio { peer, ratio, case });
            }
        }
        self.table.row(cells);
    }

    fn summary(&self) {
        println!("\nMedian milliseconds; ratio: the peer's time over Bucketeer's.");
        for peer in PEERS {
            let ratios: Vec<&Ratio> = self.ratios.iter().filter(|r| r.peer == peer).collect();
            let least = ratios.iter().min_by(|a, b| a.ratio.total_cmp(&b.ratio));
            let Some(Ratio { ratio, case, .. }) = least else { continue };
            let won = ratios.iter().filter(|r| r.ratio >= 1.0).count();
            let cases = ratios.len();
            println!(
                "{peer}: Bucketeer at least as fast in {won} of {cases} cases; \
                 least ratio {ratio:.2} ({case})."
            );
        }
    }
}

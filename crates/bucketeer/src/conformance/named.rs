//! The table on the named curves, compiled for all of them in this crate.

use super::subject::{OnCurve, Subject};
use super::{CaseResult, Filter, Summary, run_blocking, run_table};
use crate::curves::{CURVES, NamedCurve, Visitor};
use crate::plan::{Accumulate, Settings};
use crate::threads::concurrently;
use crate::{Bases, Curve, Device, DeviceKind};

/// Runs the table on the named curves.
pub fn run(device: &Device, filter: &Filter, report: &mut dyn FnMut(&CaseResult)) -> Summary {
    let curves = chosen(filter);
    // Ranks make the same calls in the same order.
    if device.kind() != DeviceKind::Cpu && !device.is_over_ranks() {
        // Kernels are compiled concurrently. What fails here fails again in its case, where it is
        // reported.
        concurrently(curves.len(), "warming up", |index| {
            curves[index].visit(WarmUp(device));
            Ok(())
        });
    }
    let mut summary = Summary::default();
    for curve in curves {
        let subject = curve.visit(Make { device, filter });
        summary += run_blocking(curve.name, &*subject, device, filter, report);
    }
    summary
}

/// [`run`] where nothing may block: one case after the other, for WebGPU in a browser. Background
/// jobs, which need threads, are left out there.
pub async fn run_async(
    device: &Device,
    filter: &Filter,
    report: &mut dyn FnMut(&CaseResult),
) -> Summary {
    let mut summary = Summary::default();
    for curve in chosen(filter) {
        let subject = curve.visit(Make { device, filter });
        summary += run_table(curve.name, &*subject, device, filter, report, false).await;
    }
    summary
}

fn chosen(filter: &Filter) -> Vec<&'static NamedCurve> {
    CURVES.iter().filter(|curve| filter.curve.is_none_or(|only| only == *curve)).collect()
}

/// Makes the subject of a curve, all that is compiled for it.
struct Make<'a> {
    device: &'a Device,
    filter: &'a Filter,
}

impl<'a> Visitor for Make<'a> {
    type Output = Box<dyn Subject + 'a>;

    fn visit<C: Curve>(self, _: &'static NamedCurve) -> Self::Output {
        Box::new(OnCurve::<C>::new(self.device, self.filter.preset))
    }
}

/// Has a device compile its kernels for a curve.
struct WarmUp<'a>(&'a Device);

impl Visitor for WarmUp<'_> {
    type Output = ();

    fn visit<C: Curve>(self, _: &'static NamedCurve) {
        let sweep = Some(Accumulate::FusedSweep);
        for any_point in [false, true] {
            let settings = Settings { any_point, accumulate: sweep, ..Settings::default() };
            let loaded = Bases::<C>::builder().settings(settings).load(self.0, &[C::GENERATOR]);
            drop(loaded.and_then(|bases| bases.msm(&[true])));
        }
    }
}

//! One MSM: over resident bases if its bases are, otherwise on the device of the process.

use ark_ff::AdditiveGroup;
use bucketeer::{Bases, Builder, Curve, Device, Error, Scalars};

use crate::device::{chosen, device};
use crate::resident;

/// `Σ kᵢ·Pᵢ` over the shorter of the two lengths. `view` says what the scalars are; `zero` is one
/// of them.
pub(crate) fn sum<A: Curve, S: Copy>(
    bases: &[A],
    scalars: &[S],
    zero: S,
    view: impl for<'s> Fn(&'s [S]) -> Scalars<'s, A::ScalarField>,
) -> A::Group {
    let n = bases.len().min(scalars.len());
    if n == 0 {
        return A::Group::ZERO;
    }
    let (bases, scalars) = (&bases[..n], &scalars[..n]);
    match resident::find(bases) {
        None => sum_of_integers(bases, view(scalars)),
        Some((resident, offset)) => {
            tracing::debug!(n, offset, "msm over resident bases");
            let padded = [&vec![zero; offset], scalars].concat();
            let sum = resident.msm_batch(&[&view(&padded)]);
            let first = sum.and_then(|sums| {
                sums.first().copied().ok_or_else(|| Error::Internal("an empty batch".into()))
            });
            recover(first, || builder().msm(&Device::cpu(), bases, view(scalars)))
        }
    }
}

/// The same over bases that are not resident, as many as scalars.
pub(crate) fn sum_of_integers<A: Curve>(
    bases: &[A],
    scalars: Scalars<'_, A::ScalarField>,
) -> A::Group {
    let sum = device().and_then(|device| builder().msm(&device, bases, scalars));
    recover(sum, || builder().msm(&Device::cpu(), bases, scalars))
}

/// Runs with the settings of the process.
pub(crate) fn builder<A: Curve>() -> Builder<A> {
    let builder = Bases::builder();
    if chosen().any_point { builder.any_point() } else { builder }
}

/// The result of an MSM, which arkworks' traits cannot fail to return: if it failed, that on the
/// CPU where the settings allow it, otherwise a panic with the error's text.
fn recover<T>(attempt: Result<T, Error>, on_cpu: impl FnOnce() -> Result<T, Error>) -> T {
    recover_if(chosen().cpu_fallback, attempt, on_cpu)
}

fn recover_if<T>(
    allowed: bool,
    attempt: Result<T, Error>,
    on_cpu: impl FnOnce() -> Result<T, Error>,
) -> T {
    let result = attempt.or_else(|error| {
        if !allowed {
            return Err(error);
        }
        tracing::warn!(%error, "an MSM failed on its device and is computed on the CPU");
        on_cpu()
    });
    match result {
        Ok(sum) => sum,
        Err(error) => panic!("bucketeer-ark: the MSM failed: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure() -> Result<u32, Error> {
        Err(Error::DeviceFailed { reason: "it was unplugged".into() })
    }

    #[test]
    fn failures_are_computed_on_the_cpu_where_allowed() {
        assert_eq!(recover_if(true, failure(), || Ok(7)), 7);
        assert_eq!(recover_if(true, Ok(5), || Ok(7)), 5);
        assert_eq!(recover_if(false, Ok(5), || Ok(7)), 5);
    }

    #[test]
    #[should_panic(expected = "the MSM failed: the device failed: it was unplugged")]
    fn failures_panic_with_their_text() {
        recover_if(false, failure(), || Ok(7));
    }

    #[test]
    #[should_panic(expected = "cancelled")]
    fn failures_of_the_cpu_panic() {
        recover_if(true, failure(), || Err(Error::Cancelled));
    }
}

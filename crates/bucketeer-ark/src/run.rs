//! One MSM: over resident bases if its bases are, otherwise on the device of the process.

use ark_ff::AdditiveGroup;
use bucketeer::{Bases, Builder, Curve, Device, Error, Scalars};

use crate::device::{chosen, device_for};
use crate::resident;

/// `Σ kᵢ·Pᵢ` over the first bases, as many as scalars.
pub(crate) fn sum<A: Curve>(bases: &[A], scalars: Scalars<'_, A::ScalarField>) -> A::Group {
    recover(on_device(bases, scalars), || on_cpu(bases, scalars))
}

/// The same for integers of `each` words, which are residues unless one is not reduced.
pub(crate) fn sum_of_integers<A: Curve>(bases: &[A], words: &[u64], each: usize) -> A::Group {
    let residues = Scalars::canonical(words);
    let integers = |error| match error {
        Error::ScalarTooLarge { .. } => Ok(Scalars::words(words, each)),
        error => Err(error),
    };
    let on_device = |scalars| on_device(bases, scalars);
    let on_cpu = |scalars| on_cpu(bases, scalars);
    recover(on_device(residues).or_else(|error| on_device(integers(error)?)), || {
        on_cpu(residues).or_else(|error| on_cpu(integers(error)?))
    })
}

fn on_device<A: Curve>(
    bases: &[A],
    scalars: Scalars<'_, A::ScalarField>,
) -> Result<A::Group, Error> {
    let n = scalars.len();
    if n == 0 {
        return Ok(A::Group::ZERO);
    }
    let bases = &bases[..n];
    match resident::find(bases) {
        Some((resident, offset)) => {
            tracing::debug!(n, offset, "msm over resident bases");
            resident.slice(offset..offset + n).msm(scalars)
        }
        None => builder().msm(&device_for::<A>(&scalars)?, bases, scalars),
    }
}

fn on_cpu<A: Curve>(bases: &[A], scalars: Scalars<'_, A::ScalarField>) -> Result<A::Group, Error> {
    builder().msm(&Device::cpu(), &bases[..scalars.len()], scalars)
}

/// Runs with the settings of the process.
pub(crate) fn builder<A: Curve>() -> Builder<A> {
    let builder = Bases::builder();
    if chosen().any_point { builder.any_point() } else { builder }
}

/// The result of an MSM. arkworks' traits cannot return an error: if the MSM failed, it runs on the
/// CPU where the settings allow that; otherwise this panics with the error's text.
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

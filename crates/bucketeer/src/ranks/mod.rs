//! MSMs over the ranks of a parallel program: processes on one machine or many, each with a device
//! of its own.
//!
//! A [`Device`](crate::Device) made by [`Device::over_ranks`](crate::Device::over_ranks) shares
//! every MSM among all ranks. Each rank holds a range of the bases, in proportion to the speed that
//! its plan predicts, and sums it up; all ranks get the total.
//!
//! 1. [`Ranks`] is how ranks reach each other: one collective function. The crate `bucketeer-mpi`
//!    implements it with MPI; [`on_threads`] has ranks that are threads, for tests.
//! 2. **Every call that takes such a device, or bases on it, is collective**: all ranks make the
//!    same calls in the same order, from one thread each. Calls that differ are an error on all.
//! 3. Whatever a rank computes by itself ends in one exchange ([`exchange`]) of its outcome,
//!    whether that is a sum, an error or a panic. So no rank waits for another one that has failed,
//!    and an error of one is [`Error::Rank`] on all.
//! 4. A rank that fails in between, in the caller's code, says so with [`fail`].
//!
//! ```
//! use ark_bn254::{Fr, G1Affine};
//! use ark_ec::AffineRepr;
//! use bucketeer::{Bases, Device, Error, ranks};
//!
//! let sums = ranks::on_threads(3, |ranks| {
//!     let device = Device::over_ranks(ranks, Device::cpu_with_threads(1)?);
//!     let bases = Bases::load(&device, &[G1Affine::generator(); 10])?;
//!     assert!(bases.share().len() == 3 || bases.share().len() == 4);
//!     bases.msm(&[7u64; 10])
//! });
//! for sum in sums {
//!     assert_eq!(sum?, G1Affine::generator() * Fr::from(70));
//! }
//! # Ok::<(), Error>(())
//! ```

mod local;
mod wire;

pub use local::on_threads;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::Error;
use crate::control::panic_message;

/// How the ranks of a parallel program reach each other.
pub trait Ranks: Send + Sync {
    /// The number of this one, from 0.
    fn rank(&self) -> usize;

    /// How many there are.
    fn size(&self) -> usize;

    /// The number of this one among those on the same machine.
    fn local_rank(&self) -> usize {
        self.rank()
    }

    /// How many there are on the same machine.
    fn local_size(&self) -> usize {
        self.size()
    }

    /// Hands `own` to all ranks; returns what each of them handed over, in order. All ranks must
    /// call it equally often.
    fn all_gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, Error>;
}

/// Does this rank's part of a collective call and exchanges its outcome: an error or a panic of any
/// rank is the error of all. `what` names the call; it must be the same on all ranks.
///
/// Returns what `own` returned beside its bytes, and the bytes of all ranks.
///
/// ```
/// use bucketeer::ranks;
/// let all = ranks::on_threads(3, |ranks| {
///     let own = ranks.rank() as u8;
///     Ok(ranks::exchange(&*ranks, "squares", || Ok(((), vec![own * own])))?.1)
/// });
/// assert_eq!(all[0], Ok(vec![vec![0], vec![1], vec![4]]));
/// ```
pub fn exchange<T>(
    ranks: &dyn Ranks,
    what: &str,
    own: impl FnOnce() -> Result<(T, Vec<u8>), Error>,
) -> Result<(T, Vec<Vec<u8>>), Error> {
    let outcome = catch_unwind(AssertUnwindSafe(own)).unwrap_or_else(|panic| {
        Err(Error::Internal(format!("{what} panicked: {}", panic_message(&*panic))))
    });
    let (kept, message) = match outcome {
        Ok((kept, bytes)) => (Some(kept), wire::Message::Done { what: what.into(), bytes }),
        Err(error) => (None, wire::Message::Failed(error)),
    };
    let all = read(&ranks.all_gather(&message.write())?)?;
    // Without an outcome this rank's message is an error, which `read` has returned.
    let missing = || Error::Internal(format!("{what} has no outcome"));
    Ok((kept.ok_or_else(missing)?, all))
}

/// The bytes of all ranks, or the error of the first that has one.
fn read(messages: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Error> {
    let (mut all, mut calls) = (Vec::with_capacity(messages.len()), Vec::new());
    for (rank, message) in messages.iter().enumerate() {
        let of_rank = |source: Error| Error::Rank { rank, source: Box::new(source) };
        match wire::Message::read(message) {
            Some(wire::Message::Done { what, bytes }) => {
                all.push(bytes);
                calls.push(what);
            }
            Some(wire::Message::Failed(error)) => return Err(of_rank(error.without_rank())),
            None => return Err(of_rank(Error::Internal("a damaged message".into()))),
        }
    }
    match calls.iter().position(|what| *what != calls[0]) {
        None => Ok(all),
        Some(rank) => {
            let reason = format!("rank 0 has called “{}”, and calls are collective", calls[0]);
            let (setting, value) = ("collective call", calls[rank].clone());
            let source = Box::new(Error::InvalidSetting { setting, value, reason });
            Err(Error::Rank { rank, source })
        }
    }
}

/// A result of this rank alone, if all ranks have one; otherwise the error of the first that has
/// none, on all of them. Collective.
///
/// ```
/// use bucketeer::{Error, ranks};
/// let agreed = ranks::on_threads(3, |ranks| {
///     let own = if ranks.rank() == 1 { Err(Error::Cancelled) } else { Ok(ranks.rank()) };
///     ranks::agree(&*ranks, own)
/// });
/// let cancelled = || Err(Error::Rank { rank: 1, source: Box::new(Error::Cancelled) });
/// assert_eq!(agreed, [cancelled(), cancelled(), cancelled()]);
/// ```
pub fn agree<T>(ranks: &dyn Ranks, own: Result<T, Error>) -> Result<T, Error> {
    Ok(exchange(ranks, "agree", || Ok((own?, Vec::new())))?.0)
}

/// Tells all ranks that this one has failed outside of a collective call. Those that are in one,
/// and those that make their next, get the error. An error that came from such a call is known
/// already, and nothing is sent.
///
/// After it, this rank must make no collective call.
///
/// ```
/// use bucketeer::{Error, ranks};
/// let outcomes = ranks::on_threads(2, |ranks| match ranks.rank() {
///     0 => ranks::agree(&*ranks, Ok(())),
///     _ => {
///         let error = Error::Internal("no configuration".into());
///         ranks::fail(&*ranks, &error);
///         Err(error)
///     }
/// });
/// let source = Box::new(Error::Internal("no configuration".into()));
/// assert_eq!(outcomes[0], Err(Error::Rank { rank: 1, source }));
/// ```
pub fn fail(ranks: &dyn Ranks, error: &Error) {
    if !error.is_of_rank() {
        // Nothing can be done about ranks that cannot be reached.
        let _ = ranks.all_gather(&wire::Message::Failed(error.clone()).write());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_differ_are_an_error_on_all() {
        let outcomes = on_threads(3, |ranks| {
            let what = if ranks.rank() == 2 { "load" } else { "msm" };
            exchange(&*ranks, what, || Ok(((), Vec::new())))
        });
        for outcome in outcomes {
            let Err(Error::Rank { rank: 2, source }) = outcome else { panic!("{outcome:?}") };
            let text = source.to_string();
            assert!(text.contains("load") && text.contains("“msm”"), "{text}");
        }
    }

    #[test]
    fn a_panic_is_an_error_on_all() {
        let outcomes = on_threads(3, |ranks| {
            exchange(&*ranks, "msm", || match ranks.rank() {
                1 => panic!("out of luck"),
                own => Ok((own, vec![own as u8])),
            })
        });
        for outcome in outcomes {
            let Err(Error::Rank { rank: 1, source }) = outcome else { panic!("{outcome:?}") };
            assert_eq!(*source, Error::Internal("msm panicked: out of luck".into()));
        }
    }

    #[test]
    fn bytes_of_all_come_in_order() {
        let all = on_threads(4, |ranks| {
            exchange(&*ranks, "msm", || Ok(((), vec![ranks.rank() as u8; ranks.rank()])))
        });
        let expected = vec![vec![], vec![1], vec![2, 2], vec![3, 3, 3]];
        assert_eq!(all, vec![Ok(((), expected)); 4]);
    }
}

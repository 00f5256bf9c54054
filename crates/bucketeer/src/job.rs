//! MSMs in the background.

use crate::control::CancelToken;
use crate::platform::Background;
use crate::report::Report;
use crate::{Curve, Error};

/// An MSM that runs in the background; made by [`Bases::submit`](crate::Bases::submit).
///
/// Dropping a job cancels it and does not wait. In a browser, which has no threads, a job runs
/// inside [`wait`](Self::wait).
///
/// ```
/// # use ark_ec::AffineRepr;
/// # use ark_bls12_377::{Fr, G1Affine};
/// # use bucketeer::{Bases, Device};
/// let bases = Bases::load(&Device::cpu(), &[G1Affine::generator(); 4])?;
/// let job = bases.submit(vec![Fr::from(2); 4])?;
/// assert_eq!(job.wait()?, G1Affine::generator() * Fr::from(8));
/// # Ok::<(), bucketeer::Error>(())
/// ```
#[must_use = "dropping a job cancels it"]
pub struct Job<C: Curve> {
    work: Option<Background<Ending<C>>>,
    cancel: CancelToken,
}

/// What ends a job, on the thread that waits for it.
pub(crate) type Ending<C> = Box<dyn FnOnce() -> Result<Report<C>, Error> + Send>;

impl<C: Curve> Job<C> {
    pub(crate) fn spawn(
        work: impl FnOnce(CancelToken) -> Ending<C> + Send + 'static,
    ) -> Result<Self, Error> {
        let cancel = CancelToken::default();
        let token = cancel.clone();
        Ok(Self { work: Some(Background::spawn(move || work(token))?), cancel })
    }

    /// Waits for the sum.
    pub fn wait(self) -> Result<C::Group, Error> {
        Ok(self.wait_with_report()?.result)
    }

    /// Waits for the sum, and returns it with plan and timings.
    pub fn wait_with_report(mut self) -> Result<Report<C>, Error> {
        let Some(work) = self.work.take() else { return Err(Error::Cancelled) };
        match work.join() {
            Ok(end) => end(),
            Err(panic) => Err(Error::Internal(format!("the job's thread panicked: {panic}"))),
        }
    }

    /// Whether the job has ended, with a sum or an error.
    pub fn is_finished(&self) -> bool {
        self.work.as_ref().is_none_or(Background::is_finished)
    }

    /// The token that cancels the job, for other threads than the one that waits.
    pub fn cancel_token(&self) -> CancelToken {
        self.cancel.clone()
    }

    /// Makes the job end with [`Error::Cancelled`] at its next step.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }
}

impl<C: Curve> std::fmt::Debug for Job<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job").field("finished", &self.is_finished()).finish_non_exhaustive()
    }
}

impl<C: Curve> Drop for Job<C> {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

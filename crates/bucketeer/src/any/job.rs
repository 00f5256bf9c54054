//! MSMs of a named curve in the background.

use super::AnyReport;
use crate::{CancelToken, Curve, Error, Job};

/// An MSM that runs in the background; see [`Job`].
pub trait AnyJob: Send {
    /// Waits for the sum.
    fn wait(self: Box<Self>) -> Result<AnyReport, Error>;

    /// [`Job::is_finished`].
    fn is_finished(&self) -> bool;

    /// [`Job::cancel_token`].
    fn cancel_token(&self) -> CancelToken;
}

impl<C: Curve> AnyJob for Job<C> {
    fn wait(self: Box<Self>) -> Result<AnyReport, Error> {
        Ok(AnyReport::new(self.wait_with_report()?))
    }

    fn is_finished(&self) -> bool {
        Job::is_finished(self)
    }

    fn cancel_token(&self) -> CancelToken {
        Job::cancel_token(self)
    }
}

//! Blocking on futures.
//!
//! Only WebGPU's futures are ever pending. A native program parks its thread until the driver wakes
//! it. A browser must not block: there a blocking function returns an error.

use std::future::Future;
use std::pin::Pin;

use crate::Error;

/// A future of this library. It stays on its thread.
pub(crate) type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Blocks until the future is ready. In a browser a pending future is an error.
pub(crate) fn wait<T>(future: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    #[cfg(not(target_family = "wasm"))]
    {
        use std::sync::Arc;
        use std::task::{Context, Poll, Wake, Waker};
        use std::thread::Thread;

        struct Unpark(Thread);
        impl Wake for Unpark {
            fn wake(self: Arc<Self>) {
                self.0.unpark();
            }
        }
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut context = Context::from_waker(&waker);
        let mut future = std::pin::pin!(future);
        loop {
            match future.as_mut().poll(&mut context) {
                Poll::Ready(outcome) => return outcome,
                Poll::Pending => std::thread::park(),
            }
        }
    }
    #[cfg(target_family = "wasm")]
    {
        use std::task::{Context, Poll, Waker};

        let mut context = Context::from_waker(Waker::noop());
        match std::pin::pin!(future).poll(&mut context) {
            Poll::Ready(outcome) => outcome,
            Poll::Pending => Err(Error::DeviceFailed {
                reason: "a browser cannot wait for a GPU; use the functions that end in _async"
                    .into(),
            }),
        }
    }
}

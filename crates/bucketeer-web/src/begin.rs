//! Exports that return promises, on a CPU of work that is done.
//!
//! wasm-bindgen defers all work of an async export. A trap is then an exception in a callback of
//! its own, and the promise is never settled. What is polled at once traps in the call.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::future_to_promise;

/// Begins to work, which a CPU's futures do to their end; a GPU's go on as promises do.
pub(crate) fn begin<T: Into<JsValue> + 'static>(
    work: impl Future<Output = Result<T, JsValue>> + 'static,
) -> Promise {
    let mut work: Pin<Box<dyn Future<Output = Result<T, JsValue>>>> = Box::pin(work);
    match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Ok(value)) => Promise::resolve(&value.into()),
        Poll::Ready(Err(error)) => Promise::reject(&error),
        Poll::Pending => future_to_promise(async move { work.await.map(Into::into) }),
    }
}

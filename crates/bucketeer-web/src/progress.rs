//! Progress of the current run, and how to stop it.
//!
//! The library's hook may be called from any thread and so cannot hold a JavaScript function, which
//! belongs to one. Wasm has one: the function is left in a place of this thread for as long as a
//! run takes. `js/` lets one run begin after the other.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Arc;

use bucketeer::Hook;
use js_sys::Function;
use wasm_bindgen::JsValue;

thread_local! {
    static LISTENER: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// The hook for every run of this module.
pub(crate) fn hook() -> Hook {
    Arc::new(|progress| {
        let listener = LISTENER.with_borrow(Clone::clone);
        let Some(listener) = listener else { return ControlFlow::Continue(()) };
        match goes_on(&listener, progress.done as f64, progress.total as f64) {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    })
}

/// Calls a listener, which says whether to go on.
pub(crate) fn goes_on(listener: &Function, done: f64, total: f64) -> bool {
    let answer = listener.call2(&JsValue::NULL, &done.into(), &total.into());
    answer.is_ok_and(|stop| !stop.is_truthy())
}

/// Has a function called with digits done and digits in all until this is dropped. What it returns
/// says whether to stop the run; so does an exception.
pub(crate) struct Listening;

impl Listening {
    pub(crate) fn new(listener: Option<Function>) -> Self {
        LISTENER.set(listener);
        Self
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        LISTENER.set(None);
    }
}

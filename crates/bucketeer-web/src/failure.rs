//! What goes wrong, as a JavaScript exception with the library's own text.

use bucketeer::Error;
use wasm_bindgen::prelude::*;

/// An error of the library, or bytes that are not what they should be.
#[derive(Debug)]
pub(crate) enum Failure {
    Library(Error),
    Input(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl From<Failure> for JsValue {
    /// Exceptions have the name that JavaScript gives to their kind, so that callers can tell them
    /// apart.
    fn from(failure: Failure) -> Self {
        let (name, text) = match failure {
            Failure::Library(error @ Error::Cancelled) => ("AbortError", error.to_string()),
            Failure::Library(error @ Error::NoDevice { .. }) => {
                ("NotSupportedError", error.to_string())
            }
            Failure::Library(error) => ("BucketeerError", error.to_string()),
            Failure::Input(text) => ("BucketeerError", text),
        };
        let exception = js_sys::Error::new(&text);
        exception.set_name(name);
        exception.into()
    }
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    fn console_error(text: &str);
}

/// A panic is a trap that says nothing; the console gets its text.
#[wasm_bindgen(start)]
fn report_panics() {
    std::panic::set_hook(Box::new(|panic| console_error(&panic.to_string())));
}

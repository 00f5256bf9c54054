//! Events of the library, seen through `tracing`: proof that an MSM reached it.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// What Bucketeer did for a piece of work on this thread.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Msms {
    /// MSMs over borrowed bases.
    pub borrowed: usize,
    /// MSMs over resident bases.
    pub resident: usize,
}

/// Runs `work` and counts the MSMs that it calls on this thread.
pub fn msms<R>(work: impl FnOnce() -> R) -> (R, Msms) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let result = tracing::subscriber::with_default(Recorder(seen.clone()), work);
    let seen = seen.lock().unwrap();
    let count = |target: &str, message: &str| {
        let same = |(t, m): &&(String, String)| t.starts_with(target) && m == message;
        seen.iter().filter(same).count()
    };
    let (all, resident) =
        (count("bucketeer::", "msm"), count("bucketeer_ark", "msm over resident bases"));
    (result, Msms { borrowed: all - resident, resident })
}

struct Recorder(Arc<Mutex<Vec<(String, String)>>>);

impl Subscriber for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        self.0.lock().unwrap().push((event.metadata().target().into(), message.0));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

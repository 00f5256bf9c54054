//! A thread that reads one chunk ahead.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use crate::Error;
use crate::control::panic_message;

/// Reads a chunk.
type Read<'a, T> = &'a (dyn Fn(usize) -> Result<T, Error> + Sync);

/// Chunks in order.
pub(super) struct Ahead<'a, T> {
    /// Chunks of the reading thread; `None` if the system starts none.
    chunks: Option<Receiver<Result<T, Error>>>,
    read: Read<'a, T>,
}

impl<T> Ahead<'_, T> {
    /// The next chunk, which is that with this index.
    pub(super) fn next(&mut self, index: usize) -> Result<T, Error> {
        match &self.chunks {
            // The thread ends early only by a panic, which `read_ahead` reports.
            Some(chunks) => chunks.recv().unwrap_or(Err(Error::Cancelled)),
            None => (self.read)(index),
        }
    }
}

/// Runs `work` while a thread reads chunks `0..count` in order, each as soon as the one before was
/// taken: at any time one chunk is with `work` and one with the thread. The thread ends when
/// `work` does.
pub(super) fn read_ahead<T: Send, R>(
    count: usize,
    read: Read<'_, T>,
    work: impl FnOnce(&mut Ahead<'_, T>) -> Result<R, Error>,
) -> Result<R, Error> {
    thread::scope(|scope| {
        // Without room for a chunk, the thread waits until its chunk is taken.
        let (hand_over, chunks) = sync_channel(0);
        let read_all = move || {
            for index in 0..count {
                let chunk = read(index);
                let last = chunk.is_err();
                if hand_over.send(chunk).is_err() || last {
                    return;
                }
            }
        };
        let name = "bucketeer-reader".into();
        let started = thread::Builder::new().name(name).spawn_scoped(scope, read_all);
        let Ok(thread) = started else { return work(&mut Ahead { chunks: None, read }) };
        let mut ahead = Ahead { chunks: Some(chunks), read };
        let result = work(&mut ahead);
        drop(ahead);
        match thread.join() {
            Ok(()) => result,
            Err(panic) => {
                let message = panic_message(&*panic);
                Err(Error::Internal(format!("the thread that reads ahead panicked: {message}")))
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use super::*;

    #[test]
    fn chunks_come_in_order_and_one_ahead() {
        let read = AtomicUsize::new(0);
        let sum = read_ahead(
            100,
            &|index| {
                read.fetch_add(1, SeqCst);
                Ok(index)
            },
            |ahead| {
                let mut sum = 0;
                for index in 0..100 {
                    sum += ahead.next(index)?;
                    // This one, the one that is ready, and no other.
                    assert!(read.load(SeqCst) <= index + 2);
                }
                Ok(sum)
            },
        );
        assert_eq!(sum, Ok(4950));
    }

    /// The thread used to be able to wait for ever for work that has failed.
    #[test]
    fn errors_end_both_sides() {
        let failed = read_ahead(9, &|_| Ok(()), |_| Err::<(), _>(Error::NotRepresentable));
        assert_eq!(failed, Err(Error::NotRepresentable));
        let read = |index| if index == 3 { Err(Error::NotRepresentable) } else { Ok(()) };
        let failed = read_ahead(9, &read, |ahead| (0..9).try_for_each(|index| ahead.next(index)));
        assert_eq!(failed, Err(Error::NotRepresentable));
        let panicking = |index: usize| if index == 3 { panic!("three") } else { Ok(()) };
        let failed =
            read_ahead(9, &panicking, |ahead| (0..9).try_for_each(|index| ahead.next(index)));
        assert!(matches!(failed, Err(Error::Internal(text)) if text.contains("three")));
    }
}

//! Ranks that are threads of one process.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::Ranks;
use crate::Error;
use crate::threads::concurrently;

/// Runs `work` on this many threads, each a rank; returns what each of them returned. For tests of
/// programs that otherwise run over MPI.
///
/// A rank that has returned, or panicked, while others wait for it is an error of theirs.
pub fn on_threads<T: Send>(
    count: usize,
    work: impl Fn(Arc<dyn Ranks>) -> Result<T, Error> + Sync,
) -> Vec<Result<T, Error>> {
    let room = Arc::new(Room { size: count, state: Mutex::default(), changed: Condvar::new() });
    concurrently(count, "a rank", |rank| {
        let seat = Arc::new(Seat { room: room.clone(), rank });
        let _leave = Leave(seat.clone());
        work(seat)
    })
}

/// Where all ranks meet.
struct Room {
    size: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// What ranks have brought to the present meeting.
    brought: Vec<(usize, Vec<u8>)>,
    /// What all brought to the last meeting, and how many meetings there were.
    last: Vec<Vec<u8>>,
    meetings: usize,
    /// Ranks that have ended.
    gone: Vec<usize>,
}

struct Seat {
    room: Arc<Room>,
    rank: usize,
}

impl Ranks for Seat {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.room.size
    }

    fn all_gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let Room { size, state, changed } = &*self.room;
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let meeting = state.meetings;
        state.brought.push((self.rank, own.to_vec()));
        if state.brought.len() == *size {
            state.brought.sort_by_key(|(rank, _)| *rank);
            let all = std::mem::take(&mut state.brought);
            state.last = all.into_iter().map(|(_, bytes)| bytes).collect();
            state.meetings += 1;
            changed.notify_all();
        }
        while state.meetings == meeting {
            if let Some(gone) = state.gone.first() {
                return Err(Error::Internal(format!("rank {gone} has ended")));
            }
            state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        // The next meeting cannot end before this rank has come to it.
        Ok(state.last.clone())
    }
}

/// Notes that a rank has ended.
struct Leave(Arc<Seat>);

impl Drop for Leave {
    fn drop(&mut self) {
        let Room { state, changed, .. } = &*self.0.room;
        state.lock().unwrap_or_else(PoisonError::into_inner).gone.push(self.0.rank);
        changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_rank_waits_for_one_that_has_ended() {
        let outcomes = on_threads(3, |ranks| match ranks.rank() {
            1 => Ok(Vec::new()),
            _ => ranks.all_gather(&[]),
        });
        let gone = || Err(Error::Internal("rank 1 has ended".into()));
        assert_eq!(outcomes, [gone(), Ok(Vec::new()), gone()]);
    }
}

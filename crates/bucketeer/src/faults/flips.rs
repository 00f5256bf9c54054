//! Bits that are flipped on purpose, for tests of verification.
//!
//! A test arms a [`Flip`]. The run that next has words of that kind flips one bit of them; a
//! lasting flip occurs in every run until it is disarmed, as a broken part of a device would have
//! it.

use std::sync::{Mutex, PoisonError};

/// Where a bit is flipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Scalars, after they were decomposed.
    Scalars,
    /// Bases in the form that a device adds in, resident or brought there for one run.
    Table,
    /// Sums of buckets, before they are reduced.
    Buckets,
}

/// A bit to be flipped.
#[derive(Debug, Clone, Copy)]
pub struct Flip {
    /// In what.
    pub place: Place,
    /// Which word of 32 bits, modulo how many there are.
    pub word: usize,
    /// Which bit of it.
    pub bit: u32,
    /// Whether it occurs again and again.
    pub lasting: bool,
}

/// The flip that is armed, and how often it has occurred.
static ARMED: Mutex<(Option<Flip>, usize)> = Mutex::new((None, 0));

fn lock() -> std::sync::MutexGuard<'static, (Option<Flip>, usize)> {
    ARMED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a flip occur.
pub fn arm(flip: Flip) {
    *lock() = (Some(flip), 0);
}

/// Ends flips. Returns how often the last one occurred.
pub fn disarm() -> usize {
    std::mem::take(&mut *lock()).1
}

/// The flip that is to occur here now.
pub(crate) fn take(place: Place) -> Option<Flip> {
    let mut armed = lock();
    let flip = armed.0.filter(|flip| flip.place == place)?;
    if !flip.lasting {
        armed.0 = None;
    }
    armed.1 += 1;
    Some(flip)
}

/// Flips a bit of these words if that is to occur now.
pub(crate) fn apply(place: Place, words: &mut [u64]) {
    if words.is_empty() {
        return;
    }
    if let Some(flip) = take(place) {
        let word = flip.word % (2 * words.len());
        words[word / 2] ^= 1 << (32 * (word % 2) as u32 + flip.bit % 32);
    }
}

//! What ranks tell each other, as bytes: the outcome of a call, errors included.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::Error;
use crate::error::PointFault;

/// What a rank reports of its part of a call.
pub(super) enum Message {
    /// It is done; its bytes are for all.
    Done { what: String, bytes: Vec<u8> },
    /// It failed.
    Failed(Error),
}

impl Message {
    /// As bytes: what kind it is; for a call its name, after its length; then the rest.
    pub(super) fn write(&self) -> Vec<u8> {
        match self {
            Self::Done { what, bytes } => [b"+", &text(what)[..], bytes].concat(),
            Self::Failed(error) => {
                let fields = fields(error);
                [vec![b'-'], fields.iter().flat_map(|field| text(field)).collect()].concat()
            }
        }
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let (kind, mut rest) = bytes.split_first()?;
        if *kind == b'+' {
            let what = take_text(&mut rest)?;
            return Some(Self::Done { what, bytes: rest.to_vec() });
        }
        let mut fields = Vec::new();
        while !rest.is_empty() {
            fields.push(take_text(&mut rest)?);
        }
        Some(Self::Failed(error(&fields, DEEPEST)?))
    }
}

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat()
}

fn take_text(bytes: &mut &[u8]) -> Option<String> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (text, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    *bytes = rest;
    String::from_utf8(text.to_vec()).ok()
}

/// The name of an error's kind and its fields, as text. Errors within errors come last.
fn fields(error: &Error) -> Vec<String> {
    fn of(name: &str, fields: &[&dyn ToString]) -> Vec<String> {
        let fields = fields.iter().map(|field| field.to_string());
        [name.to_owned()].into_iter().chain(fields).collect()
    }
    let nested =
        |name: &str, number: &usize, source: &Error| [of(name, &[number]), fields(source)].concat();
    match error {
        Error::LengthMismatch { bases, scalars } => of("length", &[bases, scalars]),
        Error::InvalidRange { start, end, bases } => of("range", &[start, end, bases]),
        Error::Batch { index, source } => nested("batch", index, source),
        Error::Rank { rank, source } => nested("rank", rank, source),
        Error::OutOfMemory { needed, available } => of("memory", &[needed, available]),
        Error::BufferTooLarge { needed, largest } => of("buffer", &[needed, largest]),
        Error::NoDevice { device, reason } => of("device", &[device, reason]),
        Error::DeviceFailed { reason } => of("failed", &[reason]),
        Error::InvalidSetting { setting, value, reason } => {
            of("setting", &[setting, value, reason])
        }
        Error::ScalarTooLarge { index, bound } => of("scalar", &[index, bound]),
        Error::InvalidBase { index, reason: PointFault::NotOnCurve } => of("curve", &[index]),
        Error::InvalidBase { index, reason: PointFault::NotInSubgroup } => of("group", &[index]),
        Error::NotRepresentable => of("infinity", &[]),
        Error::Cancelled => of("cancelled", &[]),
        Error::HookPanicked { message } => of("hook", &[message]),
        Error::NoThread { reason } => of("thread", &[reason]),
        Error::UnknownName { what, name, expected } => of("name", &[what, name, expected]),
        Error::File { path, reason } => of("file", &[&path.to_string_lossy(), reason]),
        Error::InvalidBytes { reason } => of("bytes", &[reason]),
        Error::VerificationFailed { reason } => of("verification", &[reason]),
        Error::Internal(text) => of("internal", &[text]),
    }
}

/// Errors within errors that are read: more than there ever are.
const DEEPEST: usize = 8;

/// The error with these fields, with so many errors in it at most.
fn error(fields: &[String], within: usize) -> Option<Error> {
    let (kind, fields) = fields.split_first()?;
    let text = |index: usize| fields.get(index).cloned();
    let number = |index: usize| fields.get(index)?.parse::<usize>().ok();
    let bytes = |index: usize| fields.get(index)?.parse::<u64>().ok();
    let source = || Some(Box::new(error(fields.get(1..)?, within.checked_sub(1)?)?));
    Some(match kind.as_str() {
        "length" => Error::LengthMismatch { bases: number(0)?, scalars: number(1)? },
        "range" => Error::InvalidRange { start: number(0)?, end: number(1)?, bases: number(2)? },
        "batch" => Error::Batch { index: number(0)?, source: source()? },
        "rank" => Error::Rank { rank: number(0)?, source: source()? },
        "memory" => Error::OutOfMemory { needed: bytes(0)?, available: bytes(1)? },
        "buffer" => Error::BufferTooLarge { needed: bytes(0)?, largest: bytes(1)? },
        "device" => Error::NoDevice { device: text(0)?, reason: text(1)? },
        "failed" => Error::DeviceFailed { reason: text(0)? },
        "setting" => {
            let (setting, value) = (lasting(fields.first()?), text(1)?);
            Error::InvalidSetting { setting, value, reason: text(2)? }
        }
        "scalar" => Error::ScalarTooLarge { index: number(0)?, bound: text(1)? },
        "curve" => Error::InvalidBase { index: number(0)?, reason: PointFault::NotOnCurve },
        "group" => Error::InvalidBase { index: number(0)?, reason: PointFault::NotInSubgroup },
        "infinity" => Error::NotRepresentable,
        "cancelled" => Error::Cancelled,
        "hook" => Error::HookPanicked { message: text(0)? },
        "thread" => Error::NoThread { reason: text(0)? },
        "name" => {
            let (what, name) = (lasting(fields.first()?), text(1)?);
            Error::UnknownName { what, name, expected: text(2)? }
        }
        "file" => Error::File { path: text(0)?.into(), reason: text(1)? },
        "bytes" => Error::InvalidBytes { reason: text(0)? },
        "verification" => Error::VerificationFailed { reason: text(0)? },
        "internal" => Error::Internal(text(0)?),
        _ => return None,
    })
}

/// Text that lives as long as the program, as errors name settings. Each is kept once, as far as
/// the library has names; what a damaged message has is not.
fn lasting(text: &str) -> &'static str {
    const MOST: usize = 256;
    static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = kept.get(text) {
        return found;
    }
    if kept.len() == MOST || text.len() > MOST {
        return "a name";
    }
    let text: &'static str = Box::leak(text.into());
    kept.insert(text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each kind, so that a new kind without a case in `error` is found: `fields` would not
    /// compile without it.
    #[test]
    fn errors_arrive_as_they_were() {
        let reason = || "because".to_owned();
        let nested = || Box::new(Error::ScalarTooLarge { index: 7, bound: "2^64".into() });
        let errors = [
            Error::LengthMismatch { bases: 1, scalars: 2 },
            Error::InvalidRange { start: 1, end: 2, bases: 3 },
            Error::Batch { index: 4, source: nested() },
            Error::Rank { rank: 5, source: Box::new(Error::Batch { index: 1, source: nested() }) },
            Error::OutOfMemory { needed: u64::MAX, available: 1 },
            Error::BufferTooLarge { needed: 9, largest: 8 },
            Error::NoDevice { device: "cuda".into(), reason: reason() },
            Error::DeviceFailed { reason: reason() },
            Error::InvalidSetting { setting: "chunk", value: String::new(), reason: reason() },
            Error::ScalarTooLarge { index: 3, bound: "the group order".into() },
            Error::InvalidBase { index: 3, reason: PointFault::NotOnCurve },
            Error::InvalidBase { index: 4, reason: PointFault::NotInSubgroup },
            Error::NotRepresentable,
            Error::Cancelled,
            Error::HookPanicked { message: "no\nluck".into() },
            Error::NoThread { reason: reason() },
            Error::UnknownName { what: "curve", name: "x".into(), expected: "y".into() },
            Error::File { path: "a/b c".into(), reason: reason() },
            Error::InvalidBytes { reason: reason() },
            Error::VerificationFailed { reason: reason() },
            Error::Internal("“here”".into()),
        ];
        for error in errors {
            let bytes = Message::Failed(error.clone()).write();
            let Some(Message::Failed(read)) = Message::read(&bytes) else { panic!("{error:?}") };
            assert_eq!(read, error);
            // A part of a message is not a message.
            for length in 0..bytes.len() {
                if let Some(Message::Failed(read)) = Message::read(&bytes[..length]) {
                    assert_ne!(read, error);
                }
            }
        }
    }

    /// They used to overflow the stack, and names were kept without end.
    #[test]
    fn errors_in_errors_without_end() {
        let nested = |depth: usize| {
            let fields = ["rank", "0"].repeat(depth);
            let fields = fields.into_iter().chain(["cancelled"]);
            [vec![b'-'], fields.flat_map(text).collect()].concat()
        };
        let read = |depth| match Message::read(&nested(depth)) {
            Some(Message::Failed(error)) => Some(error.to_string()),
            _ => None,
        };
        assert!(read(DEEPEST).is_some());
        assert_eq!([read(DEEPEST + 1), read(100_000)], [None, None]);
        let kept = |number: usize| lasting(&format!("a setting of a message, {number}"));
        assert_eq!(kept(0), "a setting of a message, 0");
        assert!((1..1000).any(|number| kept(number) == "a name"));
        assert_eq!(kept(0), "a setting of a message, 0");
    }
}

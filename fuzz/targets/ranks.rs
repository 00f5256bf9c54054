//! What other ranks say, as arbitrary bytes, as errors within errors, and as outcomes of the call
//! that this rank is in: no panic and no endless wait, whatever they say.
#![no_main]

use std::sync::{Arc, Mutex};

use arbitrary::Arbitrary;
use ark_ec::AffineRepr;
use bucketeer::ranks::{Ranks, agree, exchange};
use bucketeer::{Bases, Device, Error};
use bucketeer_fuzz::DEVICES;
use bucketeer_fuzz::tiny_curves::eight_prime;
use libfuzzer_sys::fuzz_target;

/// What another rank says in one exchange.
#[derive(Debug, Clone, Arbitrary)]
enum Said {
    Raw(Vec<u8>),
    /// The fields of an error, of which some are names of kinds and numbers.
    Failed(Vec<Field>),
    /// The call that this rank is in, with bytes of its own.
    Done(Vec<u8>),
    /// What this rank says, with some bytes changed.
    Same(Vec<(u16, u8)>),
}

#[derive(Debug, Clone, Arbitrary)]
enum Field {
    Kind(u8),
    Number(u64),
    Text(String),
}

const KINDS: [&str; 21] = [
    "length",
    "range",
    "batch",
    "rank",
    "memory",
    "buffer",
    "device",
    "failed",
    "setting",
    "scalar",
    "curve",
    "group",
    "infinity",
    "cancelled",
    "hook",
    "thread",
    "name",
    "file",
    "bytes",
    "verification",
    "internal",
];

impl Said {
    /// The message, where this rank says `own`.
    fn message(&self, own: &[u8]) -> Vec<u8> {
        match self {
            Self::Raw(bytes) => bytes.clone(),
            Self::Failed(fields) => {
                let mut message = vec![b'-'];
                for field in fields {
                    let text = match field {
                        Field::Kind(kind) => KINDS[usize::from(*kind) % KINDS.len()].into(),
                        Field::Number(number) => number.to_string(),
                        Field::Text(text) => text.clone(),
                    };
                    message.extend((text.len() as u64).to_le_bytes());
                    message.extend(text.as_bytes());
                }
                message
            }
            Self::Done(bytes) => {
                // The name of the call, after its length.
                let name = own.get(1..9).and_then(|length| length.try_into().ok());
                let end = name.map_or(0, |length| 9 + u64::from_le_bytes(length) as usize);
                [own.get(..end).unwrap_or(own), bytes].concat()
            }
            Self::Same(changes) => {
                let mut message = own.to_vec();
                for (at, byte) in changes.iter().filter(|_| !own.is_empty()) {
                    message[usize::from(*at) % own.len()] ^= byte;
                }
                message
            }
        }
    }
}

struct Others {
    /// One for each exchange; then all say what this rank says.
    said: Mutex<std::vec::IntoIter<Said>>,
    first: bool,
}

impl Ranks for Others {
    fn rank(&self) -> usize {
        usize::from(!self.first)
    }

    fn size(&self) -> usize {
        2
    }

    fn all_gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let said = self.said.lock().expect("no panic").next();
        let other = said.map_or_else(|| own.to_vec(), |said| said.message(own));
        Ok(if self.first { vec![own.to_vec(), other] } else { vec![other, own.to_vec()] })
    }
}

fuzz_target!(|input: (bool, Vec<Said>)| {
    let (first, said) = input;
    let others = |said: &[Said]| Others { said: Mutex::new(said.to_vec().into_iter()), first };
    for said in said.chunks(1) {
        let _ = agree(&others(said), Ok(()));
        let _ = exchange(&others(said), "call", || Ok(((), vec![1, 2, 3])));
    }
    let device = Device::over_ranks(Arc::new(others(&said)), DEVICES[0].clone());
    let points = [eight_prime::Affine::generator(); 5];
    let Ok(bases) = Bases::load(&device, &points) else { return };
    let _ = bases.msm(&[1u8, 2, 3, 4, 5]);
    let _ = bases.msm_batch(&[&[1u8, 2], &[3, 4]]);
});

//! Loading a key onto a device.

use bucketeer::io::Zkey;
use bucketeer::{Bases, Curve, Device};

use crate::domain::Domain;
use crate::matrices::Matrices;
use crate::prover::{Fixed, Queries};
use crate::{Error, Prover, SnarkjsPairing, VerifyingKey};

/// Settings for a prover, made by [`Prover::builder`].
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Builder {
    auto_precompute: bool,
    memory_limit: Option<u64>,
}

impl Builder {
    /// Precomputes tables of the key's points: proofs are faster, but loading takes as long as
    /// dozens of them.
    pub fn auto_precompute(mut self) -> Self {
        self.auto_precompute = true;
        self
    }

    /// Limits the memory of the sums beyond key and witness. The five sums share it in proportion
    /// to their points.
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = Some(bytes);
        self
    }

    /// Loads a key onto a device.
    pub fn load<E: SnarkjsPairing>(
        &self,
        device: &Device,
        key: Zkey<E>,
    ) -> Result<Prover<E>, Error> {
        let inconsistent = |reason| Err(Error::InconsistentKey { reason });
        if let Some(reason) = fault(&key) {
            return inconsistent(reason);
        }
        let Some(domain) = Domain::new(key.domain) else {
            return inconsistent("its domain is not a power of two that the field has roots for");
        };
        let matrices = Matrices::new(&key.coefficients, key.domain);
        let verifying_key = VerifyingKey::of(&key);
        let Zkey { alpha_g1, beta_g1, beta_g2, delta_g1, delta_g2, .. } = key;
        let fixed = Fixed { alpha_g1, beta_g1, beta_g2, delta_g1, delta_g2 };
        // Points are freed one vector at a time, as soon as they are on the device.
        let Zkey { a_g1, b_g1, b_g2, c_g1, h_g1, .. } = key;
        let bytes = size_of_val(&a_g1[..]) + size_of_val(&b_g1[..]) + size_of_val(&b_g2[..]);
        let bytes = bytes + size_of_val(&c_g1[..]) + size_of_val(&h_g1[..]);
        let share = Share { builder: self, device, bytes };
        let queries = Queries {
            a_g1: share.load(a_g1)?,
            b_g1: share.load(b_g1)?,
            b_g2: share.load(b_g2)?,
            c_g1: share.load(c_g1)?,
            h_g1: share.load(h_g1)?,
        };
        Ok(Prover { domain, matrices, fixed, queries, verifying_key })
    }
}

/// What is inconsistent about a key, if anything is. Keys from files are checked already.
fn fault<E: SnarkjsPairing>(key: &Zkey<E>) -> Option<&'static str> {
    let signals = key.a_g1.len();
    let of_signals = [key.b_g1.len(), key.b_g2.len(), key.public + 1 + key.c_g1.len()];
    if of_signals != [signals; 3] || key.public_g1.len() != key.public + 1 {
        return Some("the numbers of its points differ");
    }
    if key.h_g1.len() != key.domain {
        return Some("its points H are not as many as its domain has elements");
    }
    let outside = key.coefficients.iter().any(|coefficient| {
        coefficient.constraint as usize >= key.domain || coefficient.signal as usize >= signals
    });
    outside.then_some("a coefficient lies outside its matrix")
}

/// How much of the memory limit each vector of points gets.
struct Share<'a> {
    builder: &'a Builder,
    device: &'a Device,
    /// Bytes of all points.
    bytes: usize,
}

impl Share<'_> {
    fn load<C: Curve>(&self, points: Vec<C>) -> Result<Bases<C>, Error> {
        let mut bases = Bases::builder();
        if self.builder.auto_precompute {
            bases = bases.auto_precompute();
        }
        if let Some(limit) = self.builder.memory_limit {
            let own = u128::from(limit) * size_of_val(&points[..]) as u128;
            bases = bases.memory_limit((own / self.bytes.max(1) as u128) as u64);
        }
        Ok(bases.load(self.device, &points)?)
    }
}

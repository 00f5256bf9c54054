//! The errors of the prover.

/// Why there is no proof.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of Bucketeer: a file, a device, memory.
    #[error(transparent)]
    Library(#[from] bucketeer::Error),
    /// A key that was not read from a file or was changed since.
    #[error("the key is inconsistent: {reason}")]
    InconsistentKey {
        /// What does not fit.
        reason: &'static str,
    },
    /// The witness is of another circuit.
    #[error("{found} values in the witness, but the circuit has {expected} signals")]
    WitnessLength {
        /// Signals of the circuit, with the constant 1.
        expected: usize,
        /// Values of the witness.
        found: usize,
    },
    /// The first signal is the constant 1, and the witness has another value for it.
    #[error("value 0 of the witness is not 1")]
    NoConstantOne,
    /// The proof does not verify.
    #[error("the witness does not satisfy the circuit: its proof does not verify")]
    Unsatisfied,
    /// The system has no random numbers for the masks of the proof.
    #[error("no random numbers: {reason}")]
    NoRandomness {
        /// The system's message.
        reason: String,
    },
}

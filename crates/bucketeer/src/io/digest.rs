//! Digests of many bytes: SHA-256 of the digests of blocks, which are hashed in parallel.

use sha2::{Digest, Sha256};

use crate::parallel;

/// Bytes that are hashed at a time.
pub(super) const BLOCK: usize = 1 << 20;

pub(super) type Digest32 = [u8; 32];

/// The digest of few bytes.
pub(super) fn digest(bytes: &[u8]) -> Digest32 {
    Sha256::digest(bytes).into()
}

/// The digest of many bytes.
pub(super) fn digest_of_blocks(bytes: &[u8]) -> Digest32 {
    let digests = parallel::map(bytes.len().div_ceil(BLOCK), |index| {
        let end = ((index + 1) * BLOCK).min(bytes.len());
        digest(&bytes[index * BLOCK..end])
    });
    digest(&digests.concat())
}

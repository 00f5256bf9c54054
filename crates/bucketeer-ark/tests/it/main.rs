//! Integration tests, in one binary: each would compile the curves again.

//! Target descriptions and the target-independent rewrites.

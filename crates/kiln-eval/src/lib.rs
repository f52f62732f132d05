//! The reference interpreter: the meaning of every core op.

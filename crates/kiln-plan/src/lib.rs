//! The memory planner: intervals and sizes in, offsets and a proof out.

//! Passes that reduce the bytes which movements and slices copy.

pub mod lift_slices;
pub mod outer_views;
pub mod sink_moves;
pub mod slice_sources;
pub mod unmerge_rows;

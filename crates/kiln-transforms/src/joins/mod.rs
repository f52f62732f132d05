//! Passes that reduce the bytes which concatenations copy.

pub mod in_place_joins;
pub mod route_channels;
pub mod sink_concats;

//! The command line of Kiln, and the library facade behind it.

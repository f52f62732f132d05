//! The ExecuTorch program: reader, writer, and the builtin runtime.

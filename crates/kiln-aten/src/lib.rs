//! ATen's names and schemas, and the translation between ATen and the core ops.

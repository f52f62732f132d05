//! Typed 32-bit handles: which table an index counts in is part of its type.

macro_rules! index {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<u32> for $name {
            fn from(position: u32) -> Self {
                Self(position)
            }
        }

        impl From<$name> for u32 {
            fn from(index: $name) -> u32 {
                index.0
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}", self.0)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    )*};
}

index! {
    /// Counts in [`Method::values`](crate::Method::values).
    ValueIndex;
    /// Counts in [`Method::operators`](crate::Method::operators).
    OperatorIndex;
    /// Counts in [`Method::delegates`](crate::Method::delegates).
    DelegateIndex;
    /// Counts in [`Program::constants`](crate::Program::constants), from 0 (the file's reserved entry is not one).
    ConstantIndex;
    /// Counts in [`Program::initial_data`](crate::Program::initial_data), from 0.
    InitialIndex;
    /// Counts in [`Program::delegate_blobs`](crate::Program::delegate_blobs).
    BlobIndex;
}

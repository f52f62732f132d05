//! Typed 32-bit indices: the type says into which table an index points.

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
    /// An index into [`Method::values`](crate::Method::values).
    ValueIndex;
    /// An index into [`Method::operators`](crate::Method::operators).
    OperatorIndex;
    /// An index into [`Method::delegates`](crate::Method::delegates).
    DelegateIndex;
    /// An index into [`Program::constants`](crate::Program::constants), from 0. The reserved entry of the file does not
    /// count.
    ConstantIndex;
    /// An index into [`Program::initial_data`](crate::Program::initial_data), from 0.
    InitialIndex;
    /// An index into [`Program::delegate_blobs`](crate::Program::delegate_blobs).
    BlobIndex;
}

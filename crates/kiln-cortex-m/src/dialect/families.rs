//! Macros that declare the families of functions.

/// Declares families, each with its parameters in the order of the C arguments. The parameters of the families at the end are
/// structs that are declared elsewhere.
macro_rules! families {
    (
        $($(#[$doc:meta])* $family:ident { $($(#[$member_doc:meta])* $member:ident: $ty:ty,)* })*
        @elsewhere $($(#[$other_doc:meta])* $other:ident,)*
    ) => {
        c_structs! {$(
            $(#[$doc])*
            $family "" { $($(#[$member_doc])* $member: $ty,)* }
        )*}

        family_types! {$($(#[$doc])* $family,)* $($(#[$other_doc])* $other,)*}
    };
}

/// Declares the two enumerations of families: that of their parameters, and that of their names.
macro_rules! family_types {
    ($($(#[$doc:meta])* $family:ident,)*) => {
        /// The parameters of a call: the numbers that its function is given.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Parameters {
            $($(#[$doc])* $family($family),)*
        }

        /// A family of functions: all that take the same parameters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Family {
            $($(#[$doc])* $family,)*
        }

        impl Parameters {
            /// The family.
            pub const fn family(&self) -> Family {
                match self {
                    $(Parameters::$family(_) => Family::$family,)*
                }
            }

            /// The parameters as a tree, whose members are named like the arguments of a row.
            pub fn value(&self) -> Value {
                match self {
                    $(Parameters::$family(of) => of.value(),)*
                }
            }

            /// The parameters that a tree has.
            ///
            /// # Errors
            /// If a member is missing, or is of another kind.
            pub fn of(family: Family, value: &Value) -> Result<Parameters, Misread> {
                Ok(match family {
                    $(Family::$family => Parameters::$family(Parameter::of(value)?),)*
                })
            }
        }

        $(impl From<$family> for Parameters {
            fn from(of: $family) -> Parameters {
                Parameters::$family(of)
            }
        })*
    };
}

pub(super) use {families, family_types};

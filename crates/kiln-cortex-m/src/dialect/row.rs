//! The facts of a function.

use super::build::Build;
use super::dtype::Dtype;
use super::parameters::{Family, Parameters};
use super::value::Value;

/// The facts of a function.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The C name.
    pub name: &'static str,
    /// The family, which has its parameters.
    pub family: Family,
    /// The C arguments in order. A name is that of a slot, of scratch memory, or of a parameter. A member of a struct that points
    /// to a buffer is a slot or scratch memory with the name `argument.member`. A parameter `SLOT_first` is no argument: it says
    /// at which element of its buffer the pointer of the slot points.
    pub arguments: &'static [&'static str],
    /// The buffers, in the order in which a call lists them.
    pub slots: &'static [Slot],
    /// The scratch memory.
    pub scratch: &'static [Scratch],
    /// Which builds have the function.
    pub builds: Builds,
    /// Whether the function returns a status, which is 0 if it took its arguments.
    pub has_status: bool,
    /// Slots that are read, and whose buffer may be the written one too if both have as many bytes.
    pub overwritable: &'static [&'static str],
}

/// A buffer of a function.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The argument, or `argument.member`.
    pub name: &'static str,
    /// What the function does to it.
    pub access: Access,
    /// The type of its elements: one of these.
    pub dtypes: &'static [Dtype],
    /// How many elements it has.
    pub extent: Extent,
    /// Whether it may be a null pointer.
    pub is_optional: bool,
}

/// What a function does to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It only reads.
    Read,
    /// It writes the whole buffer, and reads nothing of the old content.
    Write,
    /// It writes a part of the buffer, and leaves the rest.
    Part,
    /// It reads and writes.
    Update,
}

/// A number of elements.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    /// The product of parameters, which are named by path. A path to dims or to a list of sizes stands for the product of its
    /// members.
    Product(&'static [&'static str]),
    /// This number.
    Fixed(usize),
    /// The number that the family's rule computes.
    Computed(fn(&Parameters) -> usize),
    /// At least the number that the family's rule computes.
    AtLeast(fn(&Parameters) -> usize),
}

/// Scratch memory: it is needed for the time of one call.
#[derive(Clone, Copy)]
pub struct Scratch {
    /// The argument, or `argument.member`.
    pub name: &'static str,
    /// Its bytes.
    pub bytes: fn(&Parameters, Build) -> usize,
}

/// Which builds of the library have a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builds {
    /// All.
    All,
    /// Only this build. Others refuse every call.
    Only(Build),
}

impl Builds {
    /// Whether a build is among them.
    pub fn has(self, build: Build) -> bool {
        match self {
            Builds::All => true,
            Builds::Only(only) => only == build,
        }
    }
}

impl Slot {
    pub(super) const fn read(name: &'static str, dtypes: &'static [Dtype], extent: Extent) -> Slot {
        Slot {
            name,
            access: Access::Read,
            dtypes,
            extent,
            is_optional: false,
        }
    }

    pub(super) const fn write(
        name: &'static str,
        dtypes: &'static [Dtype],
        extent: Extent,
    ) -> Slot {
        Slot {
            access: Access::Write,
            ..Slot::read(name, dtypes, extent)
        }
    }

    pub(super) const fn update(
        name: &'static str,
        dtypes: &'static [Dtype],
        extent: Extent,
    ) -> Slot {
        Slot {
            access: Access::Update,
            ..Slot::read(name, dtypes, extent)
        }
    }

    pub(super) const fn part(name: &'static str, dtypes: &'static [Dtype], extent: Extent) -> Slot {
        Slot {
            access: Access::Part,
            ..Slot::read(name, dtypes, extent)
        }
    }

    pub(super) const fn optional(self) -> Slot {
        Slot {
            is_optional: true,
            ..self
        }
    }
}

impl Access {
    /// Whether a call writes the buffer, or a part of it.
    pub const fn writes(self) -> bool {
        !matches!(self, Access::Read)
    }

    /// Whether a call reads the old content of the buffer.
    pub const fn reads(self) -> bool {
        matches!(self, Access::Read | Access::Update)
    }
}

impl Extent {
    /// The least number of elements, and whether the buffer may have more. `None` if a size is negative, or if a path leads
    /// nowhere.
    pub fn elements(self, parameters: &Parameters) -> Option<(usize, bool)> {
        self.elements_of(parameters, &parameters.value())
    }

    /// The same of parameters that are there as a value too.
    pub fn elements_of(self, parameters: &Parameters, value: &Value) -> Option<(usize, bool)> {
        match self {
            Extent::Product(paths) => {
                let mut product = 1usize;
                for path in paths {
                    product = product.checked_mul(size(value.at(path)?)?)?;
                }
                Some((product, false))
            }
            Extent::Fixed(elements) => Some((elements, false)),
            Extent::Computed(rule) => Some((rule(parameters), false)),
            Extent::AtLeast(rule) => Some((rule(parameters), true)),
        }
    }
}

/// A size, or the product of the sizes of dims or of a list.
fn size(value: &Value) -> Option<usize> {
    match value {
        Value::Int(size) => usize::try_from(*size).ok(),
        Value::List(sizes) => sizes.iter().try_fold(1usize, |product, &size| {
            product.checked_mul(usize::try_from(size).ok()?)
        }),
        Value::Struct(_, members) => members.iter().try_fold(1usize, |product, (_, value)| {
            product.checked_mul(size(value)?)
        }),
        _ => None,
    }
}

impl Row {
    /// The place of a slot, by its name.
    pub fn slot(&self, name: &str) -> Option<usize> {
        self.slots.iter().position(|slot| slot.name == name)
    }
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Scratch({})", self.name)
    }
}

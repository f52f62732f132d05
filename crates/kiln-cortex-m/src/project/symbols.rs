//! The names in C of the program's buffers and numbers.

use super::Project;
use super::arguments::{NO_SCRATCH, ROUND};
use super::literal::{write_elements, write_numbers};
use super::name::Names;
use super::reserved::is_standard;
use crate::dialect::{Buffer, BufferId, Call, Dtype, Function, Ints, Role, Value};
use rustc_hash::FxHashMap;

/// A constant array.
#[derive(Debug)]
pub(super) struct Array<'p> {
    /// Its name.
    pub name: String,
    /// A description for the comment.
    pub about: String,
    pub content: Content<'p>,
}

/// The elements of an array.
#[derive(Debug)]
pub(super) enum Content<'p> {
    /// A constant buffer, and its bytes.
    Buffer(&'p Buffer, &'p [u8]),
    /// Numbers that a struct points to, with their C type.
    Numbers(&'static str, Ints),
}

/// The names of all that a project declares.
#[derive(Debug)]
pub(super) struct Symbols<'p> {
    /// The arrays, in order.
    pub arrays: Vec<Array<'p>>,
    /// The name of each buffer: of a constant array, or of a pointer into the arena.
    buffers: Vec<String>,
    /// The arrays with the first contents of states. A state that begins with zeros has none.
    states: FxHashMap<BufferId, String>,
    numbers: FxHashMap<(&'static str, Ints), String>,
}

impl<'p> Symbols<'p> {
    /// Names all that a project declares.
    pub fn of(project: &'p Project) -> Symbols<'p> {
        let program = &project.program;
        let taken = ["init", "input", "output", "invoke", "model", "weights"];
        let mut globals = Names::without(taken);
        // `size` and `t` would be `size_t`.
        let mut global = |text: &str| {
            let mut names = std::iter::repeat_with(|| globals.unique(text));
            let names = names
                .by_ref()
                .map(|name| format!("{}_{name}", project.name));
            let mut free = names.filter(|name| !is_standard(name));
            free.next().expect("there are more numbers")
        };
        let mut symbols = Symbols {
            arrays: Vec::new(),
            buffers: Vec::new(),
            states: FxHashMap::default(),
            numbers: FxHashMap::default(),
        };
        let mut constants = FxHashMap::default();
        for (id, buffer) in (0u32..).map(BufferId).zip(&program.buffers) {
            match &buffer.role {
                Role::Constant(bytes) => {
                    let name = symbols.array(global(&buffer.name), buffer, bytes);
                    constants.insert(id, name);
                }
                Role::State(bytes) if bytes.iter().any(|&byte| byte != 0) => {
                    let name = global(&format!("{}_initial", buffer.name));
                    let name = symbols.array(name, buffer, bytes);
                    symbols.states.insert(id, name);
                }
                Role::Input | Role::Updated | Role::Output | Role::State(_) | Role::Temporary => {}
            }
        }
        for call in &program.calls {
            symbols.number_arrays(call, "", &call.parameters.value(), &mut global);
        }
        let mut locals = Names::without(symbols.not_for_variables());
        let buffers = (0u32..).map(BufferId).zip(&program.buffers);
        let named = buffers.map(|(id, buffer)| {
            let constant = constants.remove(&id);
            constant.unwrap_or_else(|| locals.unique(&buffer.name))
        });
        symbols.buffers = named.collect();
        symbols
    }

    /// Names that variables of the function with all calls must not have: its structs are called like arguments.
    fn not_for_variables(&self) -> impl Iterator<Item = &str> {
        const TYPES: [&str; 9] = [
            "size_t", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t",
            "uint64_t",
        ];
        const OWN: [&str; 4] = ["arena", "model", NO_SCRATCH, ROUND];
        let rows = Function::ALL.iter().map(|function| function.row());
        let of_rows = rows.flat_map(|row| row.arguments.iter().copied().chain([row.name]));
        let arrays = self.arrays.iter().map(|array| array.name.as_str());
        of_rows.chain(TYPES).chain(OWN).chain(arrays)
    }

    /// The name of a buffer.
    pub fn buffer(&self, id: BufferId) -> &str {
        &self.buffers[id.index()]
    }

    /// The array with the first content of a state; `None` if it is zeros.
    pub fn initial(&self, id: BufferId) -> Option<&str> {
        self.states.get(&id).map(String::as_str)
    }

    /// The array with these numbers, which structs point to.
    pub fn numbers(&self, ty: &'static str, numbers: &Ints) -> &str {
        &self.numbers[&(ty, Ints::clone(numbers))]
    }

    /// All names of the model's file so far, and those that no variable in it may have.
    pub fn taken(&self) -> impl Iterator<Item = &str> {
        self.not_for_variables()
            .chain(self.buffers.iter().map(String::as_str))
    }

    /// The bytes of all arrays.
    pub fn bytes(&self) -> u64 {
        self.arrays
            .iter()
            .map(|array| array.content.bytes() as u64)
            .sum()
    }

    /// The names and the bytes of all arrays.
    pub fn constants(&self) -> Vec<(String, u64)> {
        let arrays = self.arrays.iter();
        let constants = arrays.map(|array| (array.name.clone(), array.content.bytes() as u64));
        constants.collect()
    }

    fn array(&mut self, name: String, buffer: &'p Buffer, bytes: &'p [u8]) -> String {
        self.arrays.push(Array {
            name: name.clone(),
            about: format!("{}: {}[{}]", buffer.name, buffer.dtype, buffer.elements),
            content: Content::Buffer(buffer, bytes),
        });
        name
    }

    /// Names the arrays that a call's structs point to. Equal numbers are one array.
    fn number_arrays(
        &mut self,
        call: &Call,
        path: &str,
        value: &Value,
        global: &mut impl FnMut(&str) -> String,
    ) {
        match value {
            Value::Struct(_, members) => {
                for (member, value) in members {
                    self.number_arrays(call, member, value, global);
                }
            }
            Value::Array(ty, ints) => {
                let key = (*ty, ints.clone());
                if self.numbers.contains_key(&key) {
                    return;
                }
                let layer = if call.layer.is_empty() {
                    call.function.name()
                } else {
                    &call.layer
                };
                let name = global(&format!("{layer}_{path}"));
                self.numbers.insert(key, name.clone());
                self.arrays.push(Array {
                    name,
                    about: format!("{layer}: {path}"),
                    content: Content::Numbers(ty, ints.clone()),
                });
            }
            _ => {}
        }
    }
}

impl Content<'_> {
    /// The C type of an element.
    pub fn c_type(&self) -> &'static str {
        match self {
            Content::Buffer(buffer, _) => buffer.dtype.c_name(),
            Content::Numbers(ty, _) => ty,
        }
    }

    /// The size of the array in C, where an array has at least one element.
    pub fn size(&self) -> usize {
        let size = match self {
            Content::Buffer(buffer, _) if buffer.dtype == Dtype::I4 => buffer.bytes(),
            Content::Buffer(buffer, _) => buffer.elements,
            Content::Numbers(_, ints) => ints.len(),
        };
        size.max(1)
    }

    /// Writes the elements in lines, as an initialiser has them.
    pub fn write_lines(&self, into: &mut Vec<u8>) {
        let before = into.len();
        match self {
            Content::Buffer(buffer, bytes) => write_elements(into, buffer.dtype, bytes),
            Content::Numbers(_, ints) => write_numbers(into, ints.iter().map(|&x| x.into())),
        }
        if into.len() == before {
            into.extend_from_slice(b"    0,\n");
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Content::Buffer(buffer, _) => buffer.bytes(),
            Content::Numbers(_, ints) => ints.len() * size_of::<i32>(),
        }
    }

    /// Whether an element is a float that only `math.h` names.
    pub fn has_special(&self) -> bool {
        match self {
            Content::Buffer(buffer, bytes) if buffer.dtype == Dtype::F32 => {
                let floats = bytes
                    .chunks_exact(4)
                    .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
                floats.into_iter().any(|x| !x.is_finite())
            }
            _ => false,
        }
    }
}

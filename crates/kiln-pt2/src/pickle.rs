//! A reader for the subset of pickle that `torch.save` writes.
//!
//! Nothing is executed: a call (`REDUCE`) and an object (`NEWOBJ`) become data that name their function or class. The
//! interpreter of this data refuses by name what is not on its own list. Opcodes outside of the subset are refused
//! here. Memory is linear in the input, since each opcode makes at most one object. Objects refer to each other by id
//! and may form cycles, so traversals must limit their depth.

use std::collections::HashMap;

use crate::Error;

/// A value: a scalar, or an object of the [`Heap`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(&'a str),
    Object(ObjectId),
}

/// The index of an object in a [`Heap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ObjectId(usize);

/// An object that can be shared, or changed after a reference to it exists.
#[derive(Clone, Debug)]
pub(crate) enum Object<'a> {
    Tuple(Vec<Value<'a>>),
    List(Vec<Value<'a>>),
    Dict(Vec<(Value<'a>, Value<'a>)>),
    /// A class or function, by module and name.
    Global(&'a str, &'a str),
    /// A persistent id. Here it is the tuple that names a storage.
    Persistent(Value<'a>),
    /// The call of `function` with the tuple `args`.
    Call {
        function: Value<'a>,
        args: Value<'a>,
    },
    /// An instance of `class`, made with the tuple `args`.
    Instance {
        class: Value<'a>,
        args: Value<'a>,
        has_state: bool,
    },
}

/// The objects of one pickle.
#[derive(Debug, Default)]
pub(crate) struct Heap<'a>(Vec<Object<'a>>);

impl<'a> Heap<'a> {
    /// The object to which a value refers, if it is a reference.
    pub fn object(&self, value: Value<'a>) -> Option<&Object<'a>> {
        match value {
            Value::Object(id) => self.0.get(id.0),
            _ => None,
        }
    }

    /// The items, if the value is a tuple.
    pub fn tuple(&self, value: Value<'a>) -> Option<&[Value<'a>]> {
        match self.object(value) {
            Some(Object::Tuple(items)) => Some(items),
            _ => None,
        }
    }

    /// The pairs, if the value is a dict.
    pub fn dict(&self, value: Value<'a>) -> Option<&[(Value<'a>, Value<'a>)]> {
        match self.object(value) {
            Some(Object::Dict(pairs)) => Some(pairs),
            _ => None,
        }
    }

    /// The module and the name, if the value is a global.
    pub fn global(&self, value: Value<'a>) -> Option<(&'a str, &'a str)> {
        match self.object(value) {
            Some(&Object::Global(module, name)) => Some((module, name)),
            _ => None,
        }
    }

    fn add(&mut self, object: Object<'a>) -> Value<'a> {
        self.0.push(object);
        Value::Object(ObjectId(self.0.len() - 1))
    }
}

/// Reads one pickle of protocol 2. Bytes after its end are ignored.
pub(crate) fn read(bytes: &[u8]) -> Result<(Heap<'_>, Value<'_>), Error> {
    let mut machine = Machine {
        bytes,
        ..Machine::default()
    };
    while machine.result.is_none() {
        machine.step()?;
    }
    let result = machine.result.expect("the loop ended");
    Ok((machine.heap, result))
}

#[derive(Default)]
struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    heap: Heap<'a>,
    stack: Vec<Value<'a>>,
    marks: Vec<usize>,
    memo: HashMap<u32, Value<'a>>,
    result: Option<Value<'a>>,
}

impl<'a> Machine<'a> {
    fn step(&mut self) -> Result<(), Error> {
        match self.byte()? {
            0x80 => self.protocol(),
            b'(' => {
                self.marks.push(self.stack.len());
                Ok(())
            }
            b'.' => {
                self.result = Some(self.pop()?);
                Ok(())
            }
            opcode @ (b'N' | 0x88 | 0x89 | b'J' | b'K' | b'M' | 0x8a | b'G' | b'X') => {
                self.scalar(opcode)
            }
            opcode @ (b')' | b'}' | b']' | b't' | 0x85..=0x87) => self.container(opcode),
            opcode @ (b'a' | b'e' | b's' | b'u') => self.extend(opcode),
            opcode @ (b'q' | b'r' | b'h' | b'j') => self.memoise(opcode),
            opcode @ (b'c' | b'Q' | b'R' | b'b' | 0x81) => self.named(opcode),
            other => Err(self.fault(&format!(
                "opcode 0x{other:02x} is not among those torch.save writes"
            ))),
        }
    }

    fn protocol(&mut self) -> Result<(), Error> {
        match self.byte()? {
            2 => Ok(()),
            other => Err(self.fault(&format!("protocol {other}; torch.save writes protocol 2"))),
        }
    }

    fn scalar(&mut self, opcode: u8) -> Result<(), Error> {
        let value = match opcode {
            b'N' => Value::None,
            0x88 => Value::Bool(true),
            0x89 => Value::Bool(false),
            b'J' => Value::Int(i32::from_le_bytes(self.array()?).into()),
            b'K' => Value::Int(self.byte()?.into()),
            b'M' => Value::Int(u16::from_le_bytes(self.array()?).into()),
            0x8a => self.long()?,
            b'G' => Value::Float(f64::from_be_bytes(self.array()?)),
            _ => Value::Str(self.string()?),
        };
        self.stack.push(value);
        Ok(())
    }

    fn long(&mut self) -> Result<Value<'a>, Error> {
        let length = self.byte()?;
        let digits = self.take(length.into())?;
        if digits.len() > 8 {
            return Err(self.fault("an integer of more than 64 bits"));
        }
        let negative = digits.last().is_some_and(|byte| byte & 0x80 != 0);
        let mut wide = [if negative { 0xff } else { 0 }; 8];
        wide[..digits.len()].copy_from_slice(digits);
        Ok(Value::Int(i64::from_le_bytes(wide)))
    }

    fn string(&mut self) -> Result<&'a str, Error> {
        let length = u32::from_le_bytes(self.array()?);
        let raw = self.take(length as usize)?;
        std::str::from_utf8(raw).map_err(|_| self.fault("a string that is not UTF-8"))
    }

    fn container(&mut self, opcode: u8) -> Result<(), Error> {
        let object = match opcode {
            b')' => Object::Tuple(Vec::new()),
            b'}' => Object::Dict(Vec::new()),
            b']' => Object::List(Vec::new()),
            b't' => Object::Tuple(self.pop_to_mark()?),
            counted => Object::Tuple(self.pop_many(usize::from(counted - 0x84))?),
        };
        self.push_object(object);
        Ok(())
    }

    fn extend(&mut self, opcode: u8) -> Result<(), Error> {
        let items = match opcode {
            b'a' => self.pop_many(1)?,
            b's' => self.pop_many(2)?,
            _ => self.pop_to_mark()?,
        };
        let target = self.top()?;
        let is_list = matches!(opcode, b'a' | b'e');
        match (self.object_mut(target), is_list) {
            (Some(Object::List(list)), true) => list.extend(items),
            (Some(Object::Dict(pairs)), false) if items.len() % 2 == 0 => {
                pairs.extend(items.chunks_exact(2).map(|pair| (pair[0], pair[1])));
            }
            _ => {
                return Err(
                    self.fault("items are added to an object that is neither a list nor a dict")
                );
            }
        }
        Ok(())
    }

    fn memoise(&mut self, opcode: u8) -> Result<(), Error> {
        let key = match opcode {
            b'q' | b'h' => self.byte()?.into(),
            _ => u32::from_le_bytes(self.array()?),
        };
        if matches!(opcode, b'q' | b'r') {
            let top = self.top()?;
            self.memo.insert(key, top);
            return Ok(());
        }
        let value = self.memo.get(&key).copied();
        let value =
            value.ok_or_else(|| self.fault(&format!("memo {key} is read before it is set")))?;
        self.stack.push(value);
        Ok(())
    }

    fn named(&mut self, opcode: u8) -> Result<(), Error> {
        match opcode {
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                self.push_object(Object::Global(module, name));
            }
            b'Q' => {
                let id = self.pop()?;
                self.push_object(Object::Persistent(id));
            }
            b'R' => {
                let (args, function) = (self.pop()?, self.pop()?);
                self.call(function, args)?;
            }
            0x81 => {
                let (args, class) = (self.pop()?, self.pop()?);
                self.push_object(Object::Instance {
                    class,
                    args,
                    has_state: false,
                });
            }
            _ => self.build()?,
        }
        Ok(())
    }

    /// Makes an `OrderedDict` or a `defaultdict` immediately, because items are set in it later. Any other call stays
    /// data.
    fn call(&mut self, function: Value<'a>, args: Value<'a>) -> Result<(), Error> {
        let arguments = self
            .heap
            .tuple(args)
            .ok_or_else(|| self.fault("a call without a tuple of arguments"))?;
        let object = match (self.heap.global(function), arguments) {
            (Some(("collections", "OrderedDict")), [])
            | (Some(("collections", "defaultdict")), [_]) => Object::Dict(Vec::new()),
            _ => Object::Call { function, args },
        };
        self.push_object(object);
        Ok(())
    }

    /// Sets the state of an object. The state of dicts (`_metadata` of a state dict) and calls is ignored, because
    /// tensors do not depend on it.
    fn build(&mut self) -> Result<(), Error> {
        self.pop()?;
        let target = self.top()?;
        match self.object_mut(target) {
            Some(Object::Dict(_) | Object::Call { .. }) => Ok(()),
            Some(Object::Instance { has_state, .. }) => {
                *has_state = true;
                Ok(())
            }
            _ => Err(self.fault("state is set on an object that cannot have any")),
        }
    }

    fn push_object(&mut self, object: Object<'a>) {
        let value = self.heap.add(object);
        self.stack.push(value);
    }

    fn object_mut(&mut self, value: Value<'a>) -> Option<&mut Object<'a>> {
        match value {
            Value::Object(id) => self.heap.0.get_mut(id.0),
            _ => None,
        }
    }

    /// The height of the stack at the last mark, below which nothing may be popped.
    fn floor(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    fn top(&self) -> Result<Value<'a>, Error> {
        match self.stack.last() {
            Some(&value) if self.stack.len() > self.floor() => Ok(value),
            _ => Err(self.fault("the stack is empty")),
        }
    }

    fn pop(&mut self) -> Result<Value<'a>, Error> {
        let top = self.top()?;
        self.stack.pop();
        Ok(top)
    }

    fn pop_many(&mut self, count: usize) -> Result<Vec<Value<'a>>, Error> {
        match self.stack.len().checked_sub(count) {
            Some(start) if start >= self.floor() => Ok(self.stack.split_off(start)),
            _ => Err(self.fault("the stack is empty")),
        }
    }

    fn pop_to_mark(&mut self) -> Result<Vec<Value<'a>>, Error> {
        let mark = self
            .marks
            .pop()
            .ok_or_else(|| self.fault("items without a mark"))?;
        Ok(self.stack.split_off(mark))
    }

    fn byte(&mut self) -> Result<u8, Error> {
        Ok(self.array::<1>()?[0])
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (array, _) = self.bytes[self.at..]
            .split_first_chunk()
            .ok_or_else(|| self.fault("it ends too early"))?;
        self.at += N;
        Ok(*array)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Error> {
        let rest = &self.bytes[self.at..];
        let taken = rest
            .get(..length)
            .ok_or_else(|| self.fault("it ends too early"))?;
        self.at += length;
        Ok(taken)
    }

    fn line(&mut self) -> Result<&'a str, Error> {
        let rest = &self.bytes[self.at..];
        let length = rest
            .iter()
            .position(|&byte| byte == b'\n')
            .ok_or_else(|| self.fault("it ends too early"))?;
        self.at += length + 1;
        std::str::from_utf8(&rest[..length]).map_err(|_| self.fault("a name that is not UTF-8"))
    }

    fn fault(&self, message: &str) -> Error {
        Error::pickle(format!(
            "the pickle is malformed or beyond the safe subset at byte {}: {message}",
            self.at
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_are_filled_through_the_memo() {
        let (heap, value) = read(b"\x80\x02}q\x00X\x01\x00\x00\x00aK\x07sh\x00\x86.").unwrap();
        let items = heap.tuple(value).unwrap();
        assert_eq!(items[0], items[1]);
        assert_eq!(
            heap.dict(items[0]).unwrap(),
            [(Value::Str("a"), Value::Int(7))]
        );
    }

    #[test]
    fn a_list_may_contain_itself() {
        let (heap, value) = read(b"]q\x00h\x00a.").unwrap();
        assert!(matches!(heap.object(value), Some(Object::List(items)) if items[0] == value));
    }

    #[test]
    fn a_call_is_data() {
        let (heap, value) = read(b"cos\nsystem\nX\x02\x00\x00\x00ls\x85R.").unwrap();
        let Some(&Object::Call { function, .. }) = heap.object(value) else {
            panic!("not a call")
        };
        assert_eq!(heap.global(function), Some(("os", "system")));
    }

    #[test]
    fn integers_have_their_sign() {
        for (bytes, expected) in [
            (&b"\x8a\x00."[..], 0),
            (b"\x8a\x01\xff.", -1),
            (b"\x8a\x02\xff\x00.", 255),
        ] {
            assert_eq!(read(bytes).unwrap().1, Value::Int(expected));
        }
    }

    #[test]
    fn malformed_pickles_are_refused() {
        let cases: [&[u8]; 12] = [
            b"",
            b".",
            b"t.",
            b"(a.",
            b"K",
            b"h\x05.",
            b"X\xff\xff\xff\xffa.",
            b"\x8a\x09123456789.",
            b"K\x01K\x02s.",
            b"N(0.",
            b"}(K\x01u.",
            b"\x80\x04N.",
        ];
        for case in cases {
            assert!(read(case).is_err(), "{case:?}");
        }
    }
}

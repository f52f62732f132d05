//! The buffers of a call.

use super::data::Data;
use crate::dialect::{Dtype, Row};

/// The buffers of a call, by the names of their slots. The program is verified, so a required slot has one.
pub(super) struct Arguments<'m> {
    row: &'static Row,
    data: Vec<Option<&'m Data>>,
}

impl<'m> Arguments<'m> {
    pub fn new(row: &'static Row, data: Vec<Option<&'m Data>>) -> Arguments<'m> {
        Arguments { row, data }
    }

    /// The buffer of a slot; `None` for a null pointer.
    pub fn get(&self, name: &str) -> Option<&'m Data> {
        self.row.slot(name).and_then(|place| self.data[place])
    }

    /// The buffer of a slot.
    pub fn data(&self, name: &str) -> &'m Data {
        self.get(name)
            .unwrap_or_else(|| unreachable!("{} has {name}", self.row.name))
    }

    /// The type of the first slot that the call writes.
    pub fn result(&self) -> Dtype {
        let mut written = self
            .row
            .slots
            .iter()
            .zip(&self.data)
            .filter(|(slot, _)| slot.access.writes());
        let data = written.find_map(|(_, data)| *data);
        data.map(Data::dtype)
            .unwrap_or_else(|| unreachable!("{} writes", self.row.name))
    }

    /// The elements of a slot of 8-bit or 4-bit integers.
    pub fn i8(&self, name: &str) -> &'m [i8] {
        match self.data(name) {
            Data::I8(x) | Data::I4(x) => x,
            other => unreachable!("{name} is {}", other.dtype()),
        }
    }

    /// The elements of a slot of 16-bit integers.
    pub fn i16(&self, name: &str) -> &'m [i16] {
        match self.data(name) {
            Data::I16(x) => x,
            other => unreachable!("{name} is {}", other.dtype()),
        }
    }

    /// The elements of a slot of 32-bit integers; `None` for a null pointer.
    pub fn i32(&self, name: &str) -> Option<&'m [i32]> {
        self.get(name).map(|data| match data {
            Data::I32(x) => x.as_slice(),
            other => unreachable!("{name} is {}", other.dtype()),
        })
    }

    /// The elements of a slot of floats.
    pub fn f32(&self, name: &str) -> &'m [f32] {
        match self.data(name) {
            Data::F32(x) => x,
            other => unreachable!("{name} is {}", other.dtype()),
        }
    }

    /// The elements of a slot of 64-bit integers; `None` for a null pointer.
    pub fn i64(&self, name: &str) -> Option<&'m [i64]> {
        self.get(name).map(|data| match data {
            Data::I64(x) => x.as_slice(),
            other => unreachable!("{name} is {}", other.dtype()),
        })
    }
}

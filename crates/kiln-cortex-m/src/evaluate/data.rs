//! The contents of buffers.

use crate::dialect::{Dtype, View};
use half::{bf16, f16};
use kiln_quantised::int4::{Order, pack, unpack};

/// The elements of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// 4-bit integers, one in each `i8`.
    I4(Vec<i8>),
    /// Integers of 8 bits.
    I8(Vec<i8>),
    /// Unsigned integers of 8 bits.
    U8(Vec<u8>),
    /// Integers of 16 bits.
    I16(Vec<i16>),
    /// Integers of 32 bits.
    I32(Vec<i32>),
    /// Integers of 64 bits.
    I64(Vec<i64>),
    /// Floats.
    F32(Vec<f32>),
    /// Floats of 16 bits.
    F16(Vec<f16>),
    /// Floats of the upper 16 bits.
    Bf16(Vec<bf16>),
}

/// Applies an expression to the elements, whatever their type, and makes data of the same type of the result.
macro_rules! alike {
    ($data:expr, $x:ident => $result:expr) => {
        match $data {
            Data::I4($x) => Data::I4($result),
            Data::I8($x) => Data::I8($result),
            Data::U8($x) => Data::U8($result),
            Data::I16($x) => Data::I16($result),
            Data::I32($x) => Data::I32($result),
            Data::I64($x) => Data::I64($result),
            Data::F32($x) => Data::F32($result),
            Data::F16($x) => Data::F16($result),
            Data::Bf16($x) => Data::Bf16($result),
        }
    };
}

/// Elements from their bytes, little endian.
macro_rules! elements {
    ($bytes:expr, $ty:ty) => {
        $bytes
            .chunks_exact(size_of::<$ty>())
            .map(|chunk| <$ty>::from_le_bytes(chunk.try_into().expect("a chunk of its size")))
            .collect()
    };
}

impl Data {
    /// The elements of a buffer of zeros.
    pub fn zeros(dtype: Dtype, elements: usize) -> Data {
        Data::of_bytes(dtype, elements, &vec![0; dtype.bytes(elements)])
    }

    /// The elements of a buffer that has these bytes on the target.
    ///
    /// # Panics
    /// If the number of bytes does not match.
    pub fn of_bytes(dtype: Dtype, elements: usize, bytes: &[u8]) -> Data {
        assert_eq!(
            bytes.len(),
            dtype.bytes(elements),
            "bytes of {elements} elements"
        );
        match dtype {
            Dtype::I4 => Data::I4(unpack(bytes, elements, Order::LowFirst).expect("as many bytes")),
            Dtype::I8 => Data::I8(elements!(bytes, i8)),
            Dtype::U8 => Data::U8(bytes.to_vec()),
            Dtype::I16 => Data::I16(elements!(bytes, i16)),
            Dtype::I32 => Data::I32(elements!(bytes, i32)),
            Dtype::I64 => Data::I64(elements!(bytes, i64)),
            Dtype::F32 => Data::F32(elements!(bytes, f32)),
            Dtype::F16 => Data::F16(elements!(bytes, f16)),
            Dtype::Bf16 => Data::Bf16(elements!(bytes, bf16)),
        }
    }

    /// The bytes on the target.
    pub fn bytes(&self) -> Vec<u8> {
        fn all<const N: usize, T: Copy>(x: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
            x.iter().flat_map(|&x| bytes(x)).collect()
        }
        match self {
            Data::I4(x) => pack(x, Order::LowFirst),
            Data::I8(x) => all(x, i8::to_le_bytes),
            Data::U8(x) => x.clone(),
            Data::I16(x) => all(x, i16::to_le_bytes),
            Data::I32(x) => all(x, i32::to_le_bytes),
            Data::I64(x) => all(x, i64::to_le_bytes),
            Data::F32(x) => all(x, f32::to_le_bytes),
            Data::F16(x) => all(x, f16::to_le_bytes),
            Data::Bf16(x) => all(x, bf16::to_le_bytes),
        }
    }

    /// The elements of a view.
    pub(crate) fn part(&self, view: View) -> Data {
        alike!(self, x => x[view.first..view.end()].to_vec())
    }

    /// Replaces the elements from `first` on by others of the same type.
    pub(crate) fn replace(&mut self, first: usize, by: &Data) {
        fn put<T: Copy>(x: &mut [T], first: usize, by: &[T]) {
            x[first..first + by.len()].copy_from_slice(by);
        }
        match (self, by) {
            (Data::I4(x), Data::I4(by)) | (Data::I8(x), Data::I8(by)) => put(x, first, by),
            (Data::U8(x), Data::U8(by)) => put(x, first, by),
            (Data::I16(x), Data::I16(by)) => put(x, first, by),
            (Data::I32(x), Data::I32(by)) => put(x, first, by),
            (Data::I64(x), Data::I64(by)) => put(x, first, by),
            (Data::F32(x), Data::F32(by)) => put(x, first, by),
            (Data::F16(x), Data::F16(by)) => put(x, first, by),
            (Data::Bf16(x), Data::Bf16(by)) => put(x, first, by),
            (x, by) => unreachable!("{} in place of {}", by.dtype(), x.dtype()),
        }
    }

    /// The type of the elements.
    pub const fn dtype(&self) -> Dtype {
        match self {
            Data::I4(_) => Dtype::I4,
            Data::I8(_) => Dtype::I8,
            Data::U8(_) => Dtype::U8,
            Data::I16(_) => Dtype::I16,
            Data::I32(_) => Dtype::I32,
            Data::I64(_) => Dtype::I64,
            Data::F32(_) => Dtype::F32,
            Data::F16(_) => Dtype::F16,
            Data::Bf16(_) => Dtype::Bf16,
        }
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        match self {
            Data::I4(x) | Data::I8(x) => x.len(),
            Data::U8(x) => x.len(),
            Data::I16(x) => x.len(),
            Data::I32(x) => x.len(),
            Data::I64(x) => x.len(),
            Data::F32(x) => x.len(),
            Data::F16(x) => x.len(),
            Data::Bf16(x) => x.len(),
        }
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements at places. `None` stands for the first element of `otherwise`, which is of the same type.
    pub(super) fn picked(&self, places: &[Option<usize>], otherwise: &Data) -> Data {
        fn all<T: Copy>(x: &[T], places: &[Option<usize>], otherwise: &[T]) -> Vec<T> {
            places
                .iter()
                .map(|place| place.map_or_else(|| otherwise[0], |place| x[place]))
                .collect()
        }
        match (self, otherwise) {
            (Data::I4(x), Data::I4(y)) => Data::I4(all(x, places, y)),
            (Data::I8(x), Data::I8(y)) => Data::I8(all(x, places, y)),
            (Data::U8(x), Data::U8(y)) => Data::U8(all(x, places, y)),
            (Data::I16(x), Data::I16(y)) => Data::I16(all(x, places, y)),
            (Data::I32(x), Data::I32(y)) => Data::I32(all(x, places, y)),
            (Data::I64(x), Data::I64(y)) => Data::I64(all(x, places, y)),
            (Data::F32(x), Data::F32(y)) => Data::F32(all(x, places, y)),
            (Data::F16(x), Data::F16(y)) => Data::F16(all(x, places, y)),
            (Data::Bf16(x), Data::Bf16(y)) => Data::Bf16(all(x, places, y)),
            (x, y) => unreachable!("{} and {} of one call", x.dtype(), y.dtype()),
        }
    }

    /// The elements, followed by those of another of the same type.
    pub(super) fn followed_by(&self, other: &Data) -> Data {
        match (self, other) {
            (Data::I4(x), Data::I4(y)) => Data::I4([x.as_slice(), y].concat()),
            (Data::I8(x), Data::I8(y)) => Data::I8([x.as_slice(), y].concat()),
            (Data::U8(x), Data::U8(y)) => Data::U8([x.as_slice(), y].concat()),
            (Data::I16(x), Data::I16(y)) => Data::I16([x.as_slice(), y].concat()),
            (Data::I32(x), Data::I32(y)) => Data::I32([x.as_slice(), y].concat()),
            (Data::I64(x), Data::I64(y)) => Data::I64([x.as_slice(), y].concat()),
            (Data::F32(x), Data::F32(y)) => Data::F32([x.as_slice(), y].concat()),
            (Data::F16(x), Data::F16(y)) => Data::F16([x.as_slice(), y].concat()),
            (Data::Bf16(x), Data::Bf16(y)) => Data::Bf16([x.as_slice(), y].concat()),
            (x, y) => unreachable!("{} and {} of one call", x.dtype(), y.dtype()),
        }
    }

    /// The integers as 64-bit integers.
    pub(super) fn integers(&self) -> Vec<i64> {
        match self {
            Data::I64(x) => x.clone(),
            x => x.raised(0).into_iter().map(i64::from).collect(),
        }
    }

    /// Elements of this type. An integer that does not fit loses its upper bits, as by a C cast.
    pub(super) fn of_integers(dtype: Dtype, integers: &[i64]) -> Data {
        match dtype {
            Dtype::I64 => Data::I64(integers.to_vec()),
            _ => Data::narrowed(dtype, integers.iter().map(|&x| x as i32).collect()),
        }
    }

    /// The elements plus a number, as 32-bit integers. The elements are no 64-bit integers and no floats.
    pub(super) fn raised(&self, by: i32) -> Vec<i32> {
        fn all<T: Copy + Into<i32>>(x: &[T], by: i32) -> Vec<i32> {
            x.iter().map(|&x| x.into().wrapping_add(by)).collect()
        }
        match self {
            Data::I4(x) | Data::I8(x) => all(x, by),
            Data::U8(x) => all(x, by),
            Data::I16(x) => all(x, by),
            Data::I32(x) => all(x, by),
            Data::I64(_) | Data::F32(_) | Data::F16(_) | Data::Bf16(_) => {
                unreachable!("the function takes integers of at most 32 bits")
            }
        }
    }

    /// Elements of this type. An integer that does not fit loses its upper bits, as by a C cast.
    pub(super) fn narrowed(dtype: Dtype, integers: Vec<i32>) -> Data {
        let all = integers.into_iter();
        match dtype {
            Dtype::I4 => Data::I4(all.map(|x| x as i8).collect()),
            Dtype::I8 => Data::I8(all.map(|x| x as i8).collect()),
            Dtype::U8 => Data::U8(all.map(|x| x as u8).collect()),
            Dtype::I16 => Data::I16(all.map(|x| x as i16).collect()),
            Dtype::I32 => Data::I32(all.collect()),
            Dtype::I64 | Dtype::F32 | Dtype::F16 | Dtype::Bf16 => {
                unreachable!("the function gives integers of at most 32 bits")
            }
        }
    }
}

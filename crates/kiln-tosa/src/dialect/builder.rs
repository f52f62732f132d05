//! The builder of graphs.

use super::dtype::TosaDtype;
use super::graph::{Operator, Region, RegionId, Tensor, TensorId, TosaGraph};
use super::infer::{Misfit, TensorType, infer};
use super::kind::Kind;
use super::op::TosaOp;
use bytes::Bytes;
use kiln_ir::{Content, Scalar};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Builds a [`TosaGraph`]. [`infer`] gives the types of results. Names are made unique in the graph.
#[derive(Debug)]
pub struct Builder {
    /// The regions by id; those that are not complete are among `open`.
    regions: Vec<Region>,
    /// The regions that are not complete, the innermost last.
    open: Vec<RegionId>,
    names: FxHashSet<String>,
    location: Option<String>,
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

impl Builder {
    /// A builder whose region is `main`.
    pub fn new() -> Builder {
        let mut builder = Builder {
            regions: Vec::new(),
            open: Vec::new(),
            names: FxHashSet::default(),
            location: None,
        };
        builder.begin("main");
        builder
    }

    /// Adds an input to the region. A name that is taken gets a number.
    pub fn input(&mut self, name: &str, dtype: TosaDtype, shape: &[usize]) -> TensorId {
        let id = self.tensor(name, TensorType::new(dtype, shape));
        self.here().inputs.push(id);
        id
    }

    /// Adds a constant from its bytes in a file: little endian, `i48` in 6 bytes, two `i4` to a byte.
    ///
    /// # Errors
    /// If the dtype and the shape take another number of bytes.
    pub fn constant(
        &mut self,
        dtype: TosaDtype,
        shape: &[usize],
        values: impl Into<Content>,
    ) -> Result<TensorId, Misfit> {
        let (values, shape) = (values.into(), shape.to_vec());
        let elements = shape.iter().try_fold(1usize, |n, &s| n.checked_mul(s));
        if elements.and_then(|n| dtype.bytes_of(n)) != Some(values.len()) {
            return Err(Misfit {
                kind: Kind::Const,
                what: format!("{} bytes for {dtype}{shape:?}", values.len()),
            });
        }
        self.op(
            TosaOp::Const {
                dtype,
                shape,
                values,
            },
            &[],
        )
    }

    /// Adds a constant of integers, or of bools as 0 and 1.
    ///
    /// # Errors
    /// If an integer is out of range, or if the shape takes another number of them.
    pub fn integers(
        &mut self,
        dtype: TosaDtype,
        shape: &[usize],
        values: &[i64],
    ) -> Result<TensorId, Misfit> {
        let scalars = values.iter().map(|&i| match dtype {
            TosaDtype::Bool => Scalar::Bool(i != 0),
            _ => Scalar::Int(i),
        });
        let bytes = packed(dtype, scalars)?;
        self.constant(dtype, shape, bytes)
    }

    /// Adds a constant of floats, rounded to the dtype.
    ///
    /// # Errors
    /// If the dtype is not a float type, or if the shape takes another number of floats.
    pub fn floats(
        &mut self,
        dtype: TosaDtype,
        shape: &[usize],
        values: &[f64],
    ) -> Result<TensorId, Misfit> {
        let bytes = packed(dtype, values.iter().map(|&x| Scalar::Float(x)))?;
        self.constant(dtype, shape, bytes)
    }

    /// Adds an operator with one result.
    ///
    /// # Errors
    /// If the operator does not take the operands or has not one result. Nothing is added then.
    pub fn op(&mut self, op: TosaOp, operands: &[TensorId]) -> Result<TensorId, Misfit> {
        let kind = op.kind();
        let results = self.infer(&op, operands)?;
        if results.len() != 1 {
            return Err(Misfit {
                kind,
                what: format!("{} results, not one: use `ops`", results.len()),
            });
        }
        Ok(self.add(op, operands, results)[0])
    }

    /// Adds an operator with any number of results.
    ///
    /// # Errors
    /// If the operator does not take the operands. Nothing is added then.
    pub fn ops(
        &mut self,
        op: TosaOp,
        operands: &[TensorId],
    ) -> Result<SmallVec<[TensorId; 1]>, Misfit> {
        let results = self.infer(&op, operands)?;
        Ok(self.add(op, operands, results))
    }

    /// Builds a region for a branch or a loop. Inside, only the tensors of the region exist.
    ///
    /// # Errors
    /// The errors of `build`, which returns the region's outputs.
    pub fn region<E>(
        &mut self,
        name: &str,
        build: impl FnOnce(&mut Builder) -> Result<Vec<TensorId>, E>,
    ) -> Result<RegionId, E> {
        let id = self.begin(name);
        let outputs = build(self);
        self.open.pop();
        self.regions[id.index()].outputs = outputs?;
        Ok(id)
    }

    /// Sets the origin of the operators that follow. The file has it for its readers.
    pub fn locate(&mut self, location: Option<&str>) {
        self.location = location.map(str::to_owned);
    }

    /// A tensor's element type.
    pub fn dtype(&self, id: TensorId) -> TosaDtype {
        self.get(id).dtype
    }

    /// A tensor's sizes.
    pub fn shape(&self, id: TensorId) -> &[usize] {
        &self.get(id).shape
    }

    /// Renames a tensor. A name that is taken gets a number.
    pub fn rename(&mut self, id: TensorId, name: &str) {
        let name = self.unique(name);
        self.here().tensors[id.index()].name = name;
    }

    /// The graph, with these outputs of `main`.
    pub fn finish(mut self, outputs: &[TensorId]) -> TosaGraph {
        self.regions[RegionId::MAIN.index()].outputs = outputs.to_vec();
        TosaGraph {
            regions: self.regions,
        }
    }

    fn begin(&mut self, name: &str) -> RegionId {
        let id = RegionId(self.regions.len() as u32);
        let name = self.unique(name);
        self.regions.push(Region {
            name,
            ..Region::default()
        });
        self.open.push(id);
        id
    }

    fn here(&mut self) -> &mut Region {
        let id = *self.open.last().expect("main is open until it is finished");
        &mut self.regions[id.index()]
    }

    fn get(&self, id: TensorId) -> &Tensor {
        let region = *self.open.last().expect("main is open until it is finished");
        let tensor = self.regions[region.index()].tensor(id);
        tensor.expect("a tensor id is of the region that is being built")
    }

    fn infer(
        &self,
        op: &TosaOp,
        operands: &[TensorId],
    ) -> Result<SmallVec<[TensorType; 1]>, Misfit> {
        let types: Vec<_> = operands
            .iter()
            .map(|&id| TensorType::from(self.get(id)))
            .collect();
        infer(op, &types, &self.regions)
    }

    fn add(
        &mut self,
        op: TosaOp,
        operands: &[TensorId],
        results: SmallVec<[TensorType; 1]>,
    ) -> SmallVec<[TensorId; 1]> {
        let name = op.kind().name().to_ascii_lowercase();
        let outputs: SmallVec<[TensorId; 1]> = results
            .into_iter()
            .map(|result| self.tensor(&name, result))
            .collect();
        let operator = Operator {
            op,
            inputs: operands.into(),
            outputs: outputs.clone(),
            location: self.location.clone(),
        };
        self.here().operators.push(operator);
        outputs
    }

    fn tensor(&mut self, name: &str, ty: TensorType) -> TensorId {
        let name = self.unique(name);
        let tensors = &mut self.here().tensors;
        tensors.push(Tensor {
            name,
            dtype: ty.dtype,
            shape: ty.shape,
        });
        TensorId(tensors.len() as u32 - 1)
    }

    fn unique(&mut self, name: &str) -> String {
        let mut unique = name.to_owned();
        let mut number = self.names.len();
        while !self.names.insert(unique.clone()) {
            unique = format!("{name}_{number}");
            number += 1;
        }
        unique
    }
}

/// The bytes of scalars in a file; two `i4` to a byte.
fn packed(
    dtype: TosaDtype,
    scalars: impl ExactSizeIterator<Item = Scalar>,
) -> Result<Bytes, Misfit> {
    let wrong = |scalar: Scalar| Misfit {
        kind: Kind::Const,
        what: format!("{scalar:?} is no {dtype}"),
    };
    let mut bytes = Vec::with_capacity(dtype.bytes_of(scalars.len()).unwrap_or_default());
    for (i, scalar) in scalars.enumerate() {
        match (dtype, dtype.represent(scalar)) {
            (TosaDtype::I4, Some(Scalar::Int(value))) => {
                let nibble = (value & 15) as u8;
                match bytes.last_mut() {
                    Some(last) if i % 2 == 1 => *last |= nibble << 4,
                    _ => bytes.push(nibble),
                }
            }
            _ => dtype.put(scalar, &mut bytes).ok_or_else(|| wrong(scalar))?,
        }
    }
    Ok(bytes.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Conv, WhileLoop};

    #[test]
    fn shapes_and_dtypes_are_inferred() {
        let mut b = Builder::new();
        let x = b.input("x", TosaDtype::I16, &[1, 5, 5, 2]);
        let weight = b.integers(TosaDtype::I8, &[3, 3, 3, 2], &[1; 54]).unwrap();
        let bias = b.integers(TosaDtype::I48, &[1], &[-1]).unwrap();
        let conv = TosaOp::Conv2d(Conv {
            stride: [2, 2],
            ..Conv::new(TosaDtype::I48)
        });
        let y = b.op(conv, &[x, weight, bias]).unwrap();
        assert_eq!(
            (b.dtype(y), b.shape(y)),
            (TosaDtype::I48, &[1, 2, 2, 3][..])
        );
    }

    #[test]
    fn what_does_not_divide_is_refused() {
        let mut b = Builder::new();
        let x = b.input("x", TosaDtype::F32, &[1, 6, 5, 2]);
        let weight = b.floats(TosaDtype::F32, &[1, 3, 3, 2], &[0.5; 18]).unwrap();
        let bias = b.floats(TosaDtype::F32, &[1], &[0.0]).unwrap();
        let conv = TosaOp::Conv2d(Conv {
            stride: [2, 2],
            ..Conv::new(TosaDtype::F32)
        });
        let error = b.op(conv, &[x, weight, bias]).unwrap_err().to_string();
        assert!(error.contains("1 elements are left over"), "{error}");
    }

    #[test]
    fn names_are_unique() {
        let mut b = Builder::new();
        let x = b.input("x", TosaDtype::F32, &[2]);
        let again = b.input("x", TosaDtype::F32, &[2]);
        let y = b.op(TosaOp::Add, &[x, again]).unwrap();
        let z = b.op(TosaOp::Add, &[x, y]).unwrap();
        let graph = b.finish(&[z]);
        let names: FxHashSet<_> = graph.main().tensors.iter().map(|t| &t.name).collect();
        assert_eq!(names.len(), 4);
    }

    #[test]
    fn four_bits_are_two_to_a_byte() {
        let bytes = packed(TosaDtype::I4, [1, -1, 7].map(Scalar::Int).into_iter()).unwrap();
        assert_eq!(&bytes[..], [0xf1, 0x07]);
    }

    #[test]
    fn a_loop_has_the_types_of_its_body() {
        let mut b = Builder::new();
        let x = b.input("x", TosaDtype::I32, &[1]);
        let cond = b
            .region("cond", |b| {
                let i = b.input("i", TosaDtype::I32, &[1]);
                let limit = b.integers(TosaDtype::I32, &[1], &[5])?;
                Ok::<_, Misfit>(vec![b.op(TosaOp::Greater, &[limit, i])?])
            })
            .unwrap();
        let body = b
            .region("body", |b| {
                let i = b.input("i", TosaDtype::I32, &[1]);
                let one = b.integers(TosaDtype::I32, &[1], &[1])?;
                Ok::<_, Misfit>(vec![b.op(TosaOp::Add, &[i, one])?])
            })
            .unwrap();
        let y = b
            .op(TosaOp::WhileLoop(WhileLoop { cond, body }), &[x])
            .unwrap();
        assert_eq!((b.dtype(y), b.shape(y)), (TosaDtype::I32, &[1][..]));
        assert_eq!(b.finish(&[y]).regions.len(), 3);
    }
}

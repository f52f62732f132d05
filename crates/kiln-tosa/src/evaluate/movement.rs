//! Operators that move elements of any type.

use crate::dialect::{Pad, TensorType, TosaOp};
use kiln_eval::Tensor;
use kiln_ir::tensor::TensorData;

/// The positions of elements in the order of a loop nest.
pub(super) struct Walk {
    sizes: Vec<usize>,
    strides: Vec<isize>,
    index: Vec<usize>,
    at: isize,
    left: usize,
}

impl Walk {
    /// The walk over these sizes and strides, outermost first, from a position on.
    pub fn new(sizes: Vec<usize>, strides: Vec<isize>, start: usize) -> Walk {
        Walk {
            index: vec![0; sizes.len()],
            left: sizes.iter().product(),
            at: start as isize,
            sizes,
            strides,
        }
    }

    /// The positions in an operand of the elements of a shape to which it is broadcast.
    pub fn broadcast(operand: &[usize], to: &[usize]) -> Walk {
        let mut strides = strides(operand);
        for (stride, &size) in strides.iter_mut().zip(operand) {
            if size == 1 {
                *stride = 0;
            }
        }
        Walk::new(to.to_vec(), strides, 0)
    }
}

impl Iterator for Walk {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let here = self.at as usize;
        for axis in (0..self.sizes.len()).rev() {
            self.index[axis] += 1;
            self.at += self.strides[axis];
            if self.index[axis] < self.sizes[axis] {
                break;
            }
            self.at -= self.strides[axis] * self.sizes[axis] as isize;
            self.index[axis] = 0;
        }
        Some(here)
    }
}

/// The strides of a row-major tensor.
pub(super) fn strides(sizes: &[usize]) -> Vec<isize> {
    let mut strides = vec![1isize; sizes.len()];
    for axis in (1..sizes.len()).rev() {
        strides[axis - 1] = strides[axis] * sizes[axis] as isize;
    }
    strides
}

/// The elements at these positions.
pub(super) fn picked(x: &Tensor, sizes: &[usize], places: impl Iterator<Item = usize>) -> Tensor {
    let unit = x.dtype().size();
    let bytes = x.bytes();
    let mut out = Vec::with_capacity(sizes.iter().product::<usize>() * unit);
    for place in places {
        out.extend_from_slice(&bytes[place * unit..(place + 1) * unit]);
    }
    made(x, sizes, out)
}

/// Writes elements to these positions.
fn put(x: &Tensor, out: &mut [u8], places: impl Iterator<Item = usize>) {
    let unit = x.dtype().size();
    for (element, place) in x.bytes().chunks_exact(unit).zip(places) {
        out[place * unit..(place + 1) * unit].copy_from_slice(element);
    }
}

fn made(like: &Tensor, sizes: &[usize], bytes: Vec<u8>) -> Tensor {
    let data = TensorData::new(like.dtype(), sizes.to_vec(), bytes.into());
    Tensor::from(data.expect("there are as many bytes as the sizes take"))
}

/// The result of an operator that moves elements; `None` for other operators.
pub(super) fn moved(op: &TosaOp, operands: &[Tensor], result: &TensorType) -> Option<Tensor> {
    let x = operands.first()?;
    let (from, to) = (x.sizes(), result.shape.as_slice());
    let steps = strides(from);
    Some(match op {
        TosaOp::Identity => x.clone(),
        TosaOp::Reshape { .. } => x
            .reshaped(to.to_vec())
            .expect("a reshape keeps the number of elements"),
        TosaOp::Transpose { perms } => {
            let steps = perms.iter().map(|&p| steps[p]).collect();
            picked(x, to, Walk::new(to.to_vec(), steps, 0))
        }
        TosaOp::Slice(slice) => cropped(x, &slice.start, &slice.size),
        TosaOp::Reverse { axis } => {
            let mut steps = steps;
            let start = steps[*axis] * (from[*axis] as isize - 1);
            steps[*axis] = -steps[*axis];
            picked(x, to, Walk::new(to.to_vec(), steps, start as usize))
        }
        TosaOp::Tile { multiples } => {
            let sizes = multiples.iter().zip(from).flat_map(|(&m, &s)| [m, s]);
            let steps = steps.iter().flat_map(|&step| [0, step]);
            picked(x, to, Walk::new(sizes.collect(), steps.collect(), 0))
        }
        TosaOp::Concat { axis } => chained(operands, *axis, to),
        TosaOp::Pad(pad) => padded(x, pad, result),
        _ => return None,
    })
}

fn chained(operands: &[Tensor], axis: usize, to: &[usize]) -> Tensor {
    let first = &operands[0];
    let mut out = vec![0; to.iter().product::<usize>() * first.dtype().size()];
    let steps = strides(to);
    let mut start = 0;
    for x in operands {
        put(
            x,
            &mut out,
            Walk::new(x.sizes().to_vec(), steps.clone(), start),
        );
        start += x.sizes()[axis] * steps[axis] as usize;
    }
    made(first, to, out)
}

fn padded(x: &Tensor, pad: &Pad, result: &TensorType) -> Tensor {
    let mut value = Vec::new();
    let put = result.dtype.put(pad.value, &mut value);
    put.expect("a graph without faults pads with a value of the dtype");
    framed(x, &pad.padding, &value, &result.shape)
}

/// An operand with a border of a value, given as its bytes.
pub(super) fn framed(x: &Tensor, padding: &[[usize; 2]], value: &[u8], to: &[usize]) -> Tensor {
    let mut out = value.repeat(to.iter().product());
    let steps = strides(to);
    let starts = padding.iter().zip(&steps);
    let start: isize = starts
        .map(|([before, _], &step)| *before as isize * step)
        .sum();
    let walk = Walk::new(x.sizes().to_vec(), steps, start as usize);
    put(x, &mut out, walk);
    made(x, to, out)
}

/// A slice: the elements from a start on, by axis.
pub(super) fn cropped(x: &Tensor, start: &[usize], size: &[usize]) -> Tensor {
    let steps = strides(x.sizes());
    let starts = start.iter().zip(&steps);
    let start: isize = starts.map(|(&s, &step)| s as isize * step).sum();
    picked(x, size, Walk::new(size.to_vec(), steps, start as usize))
}

/// `GATHER`: the rows of `[n, k, c]` at `[n, w]`.
pub(super) fn gathered(values: &Tensor, indices: &[i64], to: &[usize]) -> Result<Tensor, String> {
    let (k, c, w) = (values.sizes()[1], values.sizes()[2], to[1]);
    let rows = rows(indices, k, w)?;
    let places = rows.into_iter().flat_map(|row| row * c..(row + 1) * c);
    Ok(picked(values, to, places))
}

/// `SCATTER`: `[n, k, c]` with the rows `[n, w, c]` at `[n, w]`.
pub(super) fn scattered(
    values: &Tensor,
    indices: &[i64],
    input: &Tensor,
) -> Result<Tensor, String> {
    let (k, c) = (values.sizes()[1], values.sizes()[2]);
    let rows = rows(indices, k, input.sizes()[1])?;
    let mut sorted = rows.clone();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!(
            "unpredictable: index {} is there twice",
            pair[0] % k
        ));
    }
    let mut out = values.bytes().to_vec();
    let places = rows.into_iter().flat_map(|row| row * c..(row + 1) * c);
    put(input, &mut out, places);
    Ok(made(values, values.sizes(), out))
}

/// The numbers of rows over all batches, of `k` rows each, for these indices.
fn rows(indices: &[i64], k: usize, w: usize) -> Result<Vec<usize>, String> {
    let row = |(i, &index): (usize, &i64)| match usize::try_from(index) {
        Ok(row) if row < k => Ok(i / w * k + row),
        _ => Err(format!("unpredictable: index {index} of {k} rows")),
    };
    indices.iter().enumerate().map(row).collect()
}

//! `attention`. Masks are added, the causal one too. For scores beyond the diagonal that are NaN or infinite, PyTorch's
//! kernels differ: the plain one gives NaN, the flash one ignores them.

use super::matrix::{Matrix, lowered, multiply, raised};
use super::normalise::reals;
use super::softmax::softmax_row;
use crate::element::*;
use crate::error::{Cause, misfit};
use crate::nest::{Nest, filled_rows};
use crate::tensor::Tensor;
use kiln_ir::DType;
use kiln_ir::ops::Attention;
use rayon::prelude::*;

/// The number of rows of scores that exist at one time in a task. It is fixed, so that results do not depend on the
/// number of threads.
const ROWS: usize = 64;

/// The summand of the scores.
struct Mask {
    /// The elements; for bools 0 or minus infinity.
    elements: Vec<f64>,
    /// The number of elements of one matrix.
    matrix: usize,
    /// The distances of rows and of columns; 0 where the mask is broadcast.
    steps: (usize, usize),
}

/// The sizes, and the matrices of each batch.
struct Plan {
    /// The rows of `q`.
    l: usize,
    /// The rows of `k` and `v`.
    s: usize,
    /// The columns of `q` and `k`.
    e: usize,
    /// The columns of `v`.
    d: usize,
    /// For each batch, the indices of its matrices in `q`, `k`, `v` and the mask.
    batches: Vec<[usize; 4]>,
}

fn plan(op: &Attention, operands: &[Tensor], sizes: &[usize]) -> Result<Plan, Cause> {
    let outer = sizes.len() - 2;
    let [q, k, v] = [&operands[0], &operands[1], &operands[2]];
    let (head, grouped) = (outer.wrapping_sub(1), op.grouped && outer > 0);
    let mut steps = vec![[0isize; 4]; outer];
    let mut own = [1isize; 4];
    for axis in (0..outer).rev() {
        for (i, operand) in operands.iter().enumerate() {
            let size = operand.sizes()[axis];
            let shared = grouped && axis == head && matches!(i, 1 | 2);
            if size != sizes[axis] && size != 1 && !shared {
                misfit!("attention of sizes {:?} gives {sizes:?}", operand.sizes());
            }
            steps[axis][i] = if size == 1 { 0 } else { own[i] };
            own[i] = own[i].saturating_mul(size as isize);
        }
    }
    Ok(Plan {
        l: sizes[outer],
        s: k.sizes()[outer],
        e: q.sizes()[outer + 1],
        d: v.sizes()[outer + 1],
        batches: if grouped {
            grouped_batches(&sizes[..outer], &steps, [q, k, v])?
        } else {
            batches(&sizes[..outer], &steps)
        },
    })
}

fn batches(sizes: &[usize], steps: &[[isize; 4]]) -> Vec<[usize; 4]> {
    let mut places = Vec::new();
    let count = sizes.iter().product();
    Nest::new(sizes, steps, [0; 4]).rows(0, count, |_, run, start, step| {
        let at = |i: usize| std::array::from_fn(|n| (start[n] + i as isize * step[n]) as usize);
        places.extend((0..run).map(at));
    });
    places
}

/// As `batches`, if each head of `k` and `v` serves consecutive heads of `q`.
fn grouped_batches(
    sizes: &[usize],
    steps: &[[isize; 4]],
    [q, k, v]: [&Tensor; 3],
) -> Result<Vec<[usize; 4]>, Cause> {
    let head = sizes.len() - 1;
    let heads = q.sizes()[head];
    let shares = [k, v].map(|t| t.sizes()[head]);
    if heads != sizes[head] || shares.iter().any(|&n| n == 0 || heads % n != 0) {
        misfit!("{heads} heads of q are no multiple of {shares:?} heads of k and v");
    }
    let mut outer = Vec::from(steps);
    outer[head] = [0; 4];
    let mut places = batches(sizes, &outer);
    for (i, place) in places.iter_mut().enumerate() {
        let at = i % heads;
        place[0] += at * steps[head][0] as usize;
        place[1] += at / (heads / shares[0]) * steps[head][1] as usize;
        place[2] += at / (heads / shares[1]) * steps[head][2] as usize;
        place[3] += at * steps[head][3] as usize;
    }
    Ok(places)
}

fn mask(operand: &Tensor, l: usize, s: usize) -> Result<Mask, Cause> {
    let [rows, columns] = [operand.rank() - 2, operand.rank() - 1].map(|a| operand.sizes()[a]);
    if (rows != l && rows != 1) || (columns != s && columns != 1) {
        misfit!(
            "a mask of sizes {:?} cannot be broadcast to {l} by {s} scores",
            operand.sizes()
        );
    }
    let elements = if operand.dtype() == DType::Bool {
        let keep = operand.of::<bool>().iter();
        keep.map(|&k| if k { 0.0 } else { f64::NEG_INFINITY })
            .collect()
    } else {
        reals(operand)?
    };
    Ok(Mask {
        elements,
        matrix: rows * columns,
        steps: (
            if rows == 1 { 0 } else { columns },
            if columns == 1 { 0 } else { 1 },
        ),
    })
}

/// Scaled dot-product attention.
///
/// # Errors
/// If the sizes do not match, or the number of heads does not divide.
pub fn attention<T: Float>(
    op: &Attention,
    operands: &[Tensor],
    sizes: &[usize],
) -> Result<Tensor, Cause> {
    let plan = plan(op, operands, sizes)?;
    let mask = operands
        .get(3)
        .map(|m| mask(m, plan.l, plan.s))
        .transpose()?;
    let scale = <T as Float>::Real::from_f64(op.scale.unwrap_or(1.0 / (plan.e as f64).sqrt()));
    let [q, k, v] = [0, 1, 2].map(|i| raised::<T>(&operands[i]));
    let Plan { l, s, e, d, .. } = plan;
    let elements = filled_blocks(&plan, |[qi, ki, vi, mi], start, out| {
        let rows = out.len() / d;
        let from = (qi * l + start) * e;
        let q = Matrix::dense(&q[from..from + rows * e], rows, e);
        let k = Matrix::dense(&k[ki * s * e..(ki + 1) * s * e], s, e);
        let v = Matrix::dense(&v[vi * s * d..(vi + 1) * s * d], s, d);
        let mut scores = vec![Arithmetic::ZERO; rows * s];
        multiply(q, k.transposed(), &mut scores, s);
        for (i, row) in (start..).zip(scores.chunks_mut(s.max(1))) {
            row.iter_mut().for_each(|x| *x = x.mul(scale));
            if let Some(mask) = &mask {
                mask.add(row, i, mi);
            }
            if op.causal {
                row.iter_mut()
                    .skip(i + 1)
                    .for_each(|x| *x = x.add(Arithmetic::LEAST));
            }
            weigh(row);
        }
        multiply(Matrix::dense(&scores, rows, s), v, out, d);
    });
    Ok(lowered::<T>(sizes, elements))
}

/// Fills the rows of each batch in blocks: `fill(batch, first row, rows)`.
fn filled_blocks<R: Real>(
    plan: &Plan,
    fill: impl Fn([usize; 4], usize, &mut [R]) + Sync,
) -> Vec<R> {
    filled_rows(plan.batches.len(), plan.l * plan.d, |batch, out| {
        out.par_chunks_mut(ROWS * plan.d)
            .enumerate()
            .for_each(|(block, out)| fill(plan.batches[batch], block * ROWS, out));
    })
}

impl Mask {
    /// Adds row `i` of a matrix of the mask.
    fn add<R: Real>(&self, row: &mut [R], i: usize, matrix: usize) {
        let start = matrix * self.matrix + i * self.steps.0;
        for (j, x) in row.iter_mut().enumerate() {
            *x = x.add(R::from_f64(self.elements[start + j * self.steps.1]));
        }
    }
}

/// The softmax of a row of scores; zeros if no position is kept.
fn weigh<R: Real>(row: &mut [R]) {
    if row.iter().all(|&x| x == R::LEAST) {
        row.fill(R::ZERO);
    } else {
        softmax_row(row, false);
    }
}

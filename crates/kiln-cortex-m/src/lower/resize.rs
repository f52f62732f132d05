//! Resizes of quantised images, in integers.
//!
//! A result is a weighted sum of elements along each axis. Where it is a single element, elements are gathered by index.
//! Otherwise `kiln_resize_*` accumulates the neighbours along both axes, with weights that are multiples of a fraction, and
//! rounds once.
//!
//! ExecuTorch has no such kernel. There an axis is a product of a matrix and rows: a 1x1 convolution. One matrix does for both
//! axes of a small image. A larger image takes one product for each axis, and rounds twice. Weights of other fractions stay in
//! floats.

use super::conv::{Convolution, Sums};
use super::goal::{Goal, step_of};
use super::parts::{TensorId, dims, int};
use super::window::Axis;
use super::{Lowering, Order};
use crate::dialect::{Dtype, Function, Gather, Resize as ResizeCall, Scaling};
use crate::linked::Linked;
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::graph::Node;
use kiln_ir::ops::Resize;
use kiln_ir::{DType, Dim, Op, Scalar, TensorData, ValueId};
use kiln_quantised::accumulator::Reach;
use kiln_quantised::step::Step;
use kiln_transforms::framework::target::Reason;

/// The memory limit for computing weights, in bytes.
const MOST_BYTES: u64 = 1 << 24;

/// The most weights of a matrix, zeros included.
const MOST_PLACES: usize = 1 << 18;

/// The most weights of a matrix that is written out.
const MOST_WEIGHTS: usize = 1 << 14;

/// The greatest common denominator that is tried for 8-bit weights, and for others.
const MOST_PARTS: usize = 127;
const MOST_FINE_PARTS: usize = 1 << 11;

/// The greatest distance of a weight from a multiple of its fraction. PyTorch computes places in f32, with an error that grows
/// with the axis.
const NOISE: f64 = 1e-5;
const NOISE_OF_PLACES: f64 = 1.0 / (1 << 22) as f64;

/// The results along an axis as weighted sums of elements: a row of weights for each result.
struct Matrix {
    from: usize,
    to: usize,
    weights: Vec<f64>,
}

/// An axis as `kiln_resize_*` takes it.
struct Table {
    /// The number of neighbours of a result.
    taps: usize,
    /// For each result, the index of its first neighbour and the weights.
    words: Vec<i32>,
    /// How many units of the weights make up 1.
    parts: usize,
    /// The greatest sum of the absolute weights of a result.
    most: u64,
}

impl Lowering<'_> {
    pub(super) fn quantised_resize(
        &mut self,
        node: &Node,
        op: &Resize,
        to: &Goal,
    ) -> Result<TensorId, Reason> {
        let value = node.operands[0];
        let rank = self.graph.ty(value).rank();
        let plain = Order::plain(rank);
        let mut x = self.operand(value, &plain)?;
        let from = self.step(value)?;
        let result = self.sizes(node.result(), &plain)?;
        let resized = |axis: &usize| self.parts.sizes(x)[*axis] != result[*axis];
        let axes: Vec<usize> = (2..rank).filter(resized).collect();
        if self.parts.linked() == Linked::Project
            && let Some(made) = self.resized_at_once((value, x), op, to, &result)?
        {
            return Ok(made);
        }
        if let Some(joint) = joint(op, self.parts.sizes(x), &result)
            && joint.fractions().is_ok()
        {
            let [batches, channels, ..] = result[..] else {
                return Err(self.no_kernel(node));
            };
            let flat = self.parts.view(x, &[batches, channels, joint.from]);
            let made = self.times_matrix(flat, 2, &joint, (from, to))?;
            return Ok(self.parts.view(made, &result));
        }
        let own_dtype = self.graph.ty(value).dtype;
        let own = Goal::new(&self.quant(value)?.clone(), own_dtype)?;
        // Gathered elements keep their scale. The axis that is weighted last gives the result's scale.
        let mut has_own_step = true;
        for (i, &axis) in axes.iter().enumerate() {
            let is_last = i + 1 == axes.len();
            let matrix = matrix(op, axis - 2, self.parts.sizes(x)[axis], result[axis])?;
            let goal = if is_last { to } else { &own };
            x = match matrix.places() {
                Some(places) => self.picked(x, axis, &places)?,
                None => {
                    has_own_step = !is_last;
                    self.times_matrix(x, axis, &matrix, (from, goal))?
                }
            };
        }
        match has_own_step {
            true => self.brought(x, value, to),
            false => Ok(x),
        }
    }

    /// Both axes by one kernel, which rounds once. `None` if all elements are gathered by index, or if the kernel does not take
    /// the image.
    fn resized_at_once(
        &mut self,
        (value, x): (ValueId, TensorId),
        op: &Resize,
        to: &Goal,
        result: &[usize],
    ) -> Result<Option<TensorId>, Reason> {
        let sizes = self.parts.sizes(x).to_vec();
        let ([batches, channels, from @ ..], [_, _, into @ ..]) = (&sizes[..], result) else {
            return Ok(None);
        };
        if self.parts.dtype(x) != to.dtype {
            return Ok(None);
        }
        let Some(matrices) = matrices(op, from, into)? else {
            return Ok(None);
        };
        let tables = matrices.iter().map(Matrix::table);
        let Ok([rows, columns]) = <[Table; 2]>::try_from(tables.collect::<Result<Vec<_>, _>>()?)
        else {
            return Ok(None);
        };
        let most = Reach(u128::from(rows.most) * u128::from(columns.most));
        let reach = Reach::of_products(1, self.reach(value), most);
        if !reach.fits(32) {
            return Ok(None);
        }
        let own = self.step(value)?;
        let factor = to.factor(own.scale / (rows.parts * columns.parts) as f64, reach)?;
        let image = |[height, width]: [usize; 2]| dims([batches * channels, height, width, 1]);
        let sides = |at: fn(&Matrix) -> usize| [at(&matrices[0]), at(&matrices[1])];
        let call = ResizeCall {
            scaling: Scaling {
                input_offset: -own.zero_point,
                multiplier: factor.multiplier,
                shift: factor.shift,
                output_offset: to.step.zero_point,
                activation: to.range.clone(),
            },
            input_dims: image(sides(|matrix| matrix.from))?,
            row_taps: int(rows.taps)?,
            column_taps: int(columns.taps)?,
            output_dims: image(sides(|matrix| matrix.to))?,
        };
        let function = match to.dtype {
            Dtype::I16 => Function::KilnResizeS16,
            _ => Function::KilnResizeS8,
        };
        let rows = self.parts.words("rows", &rows.words);
        let columns = self.parts.words("columns", &columns.words);
        let y = self.parts.temporary(to.dtype, result);
        let slots = [Some(x), Some(rows), Some(columns), Some(y)];
        self.parts.call(function, call, &slots)?;
        Ok(Some(y))
    }

    /// Gathers elements along an axis.
    fn picked(&mut self, x: TensorId, axis: usize, places: &[i32]) -> Result<TensorId, Reason> {
        let mut sizes = self.parts.sizes(x).to_vec();
        let dtype = self.parts.dtype(x);
        let gather = Gather {
            outer: int(sizes[..axis].iter().product())?,
            n: int(sizes[axis])?,
            inner_bytes: int(dtype.bytes(sizes[axis + 1..].iter().product()))?,
            count: int(places.len())?,
        };
        sizes[axis] = places.len();
        let indices = self.parts.words("places", places);
        let y = self.parts.temporary(dtype, &sizes);
        let slots = [Some(x), Some(indices), Some(y)];
        self.parts.call(Function::KilnGather, gather, &slots)?;
        Ok(y)
    }

    /// A matrix along an axis, which is moved behind the others first, and back.
    fn times_matrix(
        &mut self,
        x: TensorId,
        axis: usize,
        matrix: &Matrix,
        (from, to): (Step, &Goal),
    ) -> Result<TensorId, Reason> {
        let (weights, parts) = matrix.fractions()?;
        if weights.len() > MOST_WEIGHTS {
            let rule = format!("a matrix has at most {MOST_WEIGHTS} weights");
            return Err(Reason::new(rule, weights.len().to_string()));
        }
        let sizes = self.parts.sizes(x).to_vec();
        let others = (0..sizes.len()).filter(|&other| other != axis);
        let there: Vec<usize> = others.chain([axis]).collect();
        let moved = self.parts.transpose(x, &there)?;
        let rows = sizes.iter().product::<usize>() / matrix.from;
        let flat = self.parts.view(moved, &[1, 1, rows, matrix.from]);
        let size = |row: &[i64]| row.iter().map(|w| w.unsigned_abs()).sum::<u64>();
        let most = weights.chunks(matrix.from.max(1)).map(size).max();
        let reach = Reach::of_products(1, Reach(65_535), Reach(most.unwrap_or(0).into()));
        let unit = from.scale / parts as f64;
        let factor = to.layer_factor(self.parts.dtype(x), unit, reach)?;
        let sizes_of = vec![matrix.to, matrix.from, 1, 1];
        let weights = weights.into_iter().map(Scalar::Int);
        let conv = Convolution {
            axes: [
                Axis::UNIT,
                Axis {
                    size: rows,
                    ..Axis::UNIT
                },
            ],
            groups: 1,
            sums: Sums {
                weight: TensorData::from_scalars(DType::I8, sizes_of, weights),
                zero_point: 0,
                bias: None,
                is_narrow: false,
                reach,
                lift: 0,
                factors: vec![factor; matrix.to],
            },
            input: from,
        };
        let made = self.convolve(flat, &conv, &[1, 1, rows, matrix.to], to)?;
        let mut result: Vec<usize> = there.iter().map(|&axis| sizes[axis]).collect();
        if let Some(last) = result.last_mut() {
            *last = matrix.to;
        }
        let made = self.parts.view(made, &result);
        let back: Vec<usize> = (0..sizes.len())
            .map(|axis| there.iter().position(|&a| a == axis).unwrap_or(axis))
            .collect();
        self.parts.transpose(made, &back)
    }

    /// A resize that gathers elements: they keep their scale and zero point.
    pub(super) fn carried_resize(&mut self, node: &Node, op: &Resize) -> Result<TensorId, Reason> {
        let value = node.operands[0];
        let quant = self.quant(value)?.clone();
        step_of(&quant)?;
        let to = Goal::new(&quant, self.graph.ty(value).dtype)?;
        match to.dtype {
            Dtype::I8 | Dtype::I16 => self.quantised_resize(node, op, &to),
            other => Err(Reason::new("a resize is of 8 or 16 bits", other.name())),
        }
    }
}

/// The weights of an axis. For each element, the op is evaluated on a row that is 1 at this element and 0 elsewhere.
fn matrix(op: &Resize, axis: usize, from: usize, to: usize) -> Result<Matrix, Reason> {
    if from.saturating_mul(to) > MOST_PLACES || from.saturating_mul(from) > 1 << 20 {
        let rule = format!("a resize in integers has at most {MOST_PLACES} weights");
        return Err(Reason::new(rule, format!("{from} x {to}")));
    }
    let failed = |what: String| Reason::new("the weights of a resize are found", what);
    let row = Resize {
        mode: op.mode,
        align_corners: op.align_corners,
        output: vec![Dim::constant(to as i64)],
        scales: op.scales.get(axis).copied().into_iter().collect(),
    };
    let ones = (0..from * from).map(|i| if i / from == i % from { 1.0f32 } else { 0.0 });
    let rows = Tensor::new([from, 1, from], ones.collect::<Vec<f32>>());
    let made = evaluate_op(
        &Op::from(row),
        &[rows],
        &mut Bindings::default(),
        MOST_BYTES,
    );
    let made = made.map_err(|e| failed(e.to_string()))?;
    let made = made
        .first()
        .ok_or_else(|| failed("no result".into()))?
        .scalars();
    let weights = (0..to * from).map(|i| made[i % from * to + i / from].as_f64());
    Ok(Matrix {
        from,
        to,
        weights: weights.collect(),
    })
}

/// The matrices of height and width. `None` if elements are only gathered, or if there are further axes.
fn matrices(op: &Resize, from: &[usize], into: &[usize]) -> Result<Option<Vec<Matrix>>, Reason> {
    let pairs = from.iter().zip(into).enumerate();
    let found = pairs.map(|(axis, (&from, &into))| match from == into {
        true => Ok(Matrix::unit(from)),
        false => matrix(op, axis, from, into),
    });
    let mut found = found.collect::<Result<Vec<Matrix>, Reason>>()?;
    let is_chosen = found.iter().all(|matrix| matrix.places().is_some());
    if found.len() == 1 {
        found.insert(0, Matrix::unit(1));
    }
    Ok((found.len() == 2 && !is_chosen).then_some(found))
}

/// One matrix for both axes of a small image, where both are weighted.
fn joint(op: &Resize, from: &[usize], to: &[usize]) -> Option<Matrix> {
    let (&[_, _, height, width], &[_, _, rows, columns]) = (from, to) else {
        return None;
    };
    let weights = height.checked_mul(width)?.checked_mul(rows)?;
    if weights.checked_mul(columns)? > MOST_WEIGHTS {
        return None;
    }
    let high = matrix(op, 0, height, rows).ok()?;
    let wide = matrix(op, 1, width, columns).ok()?;
    if high.places().is_some() || wide.places().is_some() {
        return None;
    }
    let places = (0..rows * columns).flat_map(|r| (0..height * width).map(move |e| (r, e)));
    let weights = places.map(|(result, element)| {
        let of =
            |matrix: &Matrix, result: usize, e: usize| matrix.weights[result * matrix.from + e];
        of(&high, result / columns, element / width) * of(&wide, result % columns, element % width)
    });
    Some(Matrix {
        from: height * width,
        to: rows * columns,
        weights: weights.collect(),
    })
}

impl Matrix {
    /// The index of the element that each result is, if all results are single elements.
    fn places(&self) -> Option<Vec<i32>> {
        let rows = self.weights.chunks(self.from.max(1));
        let place = |row: &[f64]| {
            let others = row.iter().filter(|&&w| w != 0.0).count();
            let one = row.iter().position(|&w| w == 1.0)?;
            (others == 1).then_some(one as i32)
        };
        rows.map(place).collect()
    }

    /// The matrix that keeps all elements.
    fn unit(size: usize) -> Matrix {
        let weights = (0..size * size).map(|i| f64::from(u8::from(i / size == i % size)));
        Matrix {
            from: size,
            to: size,
            weights: weights.collect(),
        }
    }

    /// The weights as 8-bit multiples of a fraction, and the fraction's denominator.
    fn fractions(&self) -> Result<(Vec<i64>, usize), Reason> {
        self.multiples(MOST_PARTS, 127.5)
    }

    /// The weights as multiples of a fraction, and the fraction's denominator.
    fn multiples(&self, most_parts: usize, most: f64) -> Result<(Vec<i64>, usize), Reason> {
        let noise = NOISE.max(self.from as f64 * NOISE_OF_PLACES);
        let whole = |parts: usize| {
            let multiple = |w: &f64| {
                let scaled = w * parts as f64;
                let near = (scaled - scaled.round()).abs() <= noise * parts as f64;
                (near && scaled.abs() <= most).then_some(scaled.round() as i64)
            };
            self.weights
                .iter()
                .map(multiple)
                .collect::<Option<Vec<i64>>>()
        };
        let found = (1..=most_parts).find_map(|parts| Some((whole(parts)?, parts)));
        found.ok_or_else(|| {
            let rule = "the weights of a resize in integers are multiples of a fraction";
            Reason::new(rule, "others")
        })
    }

    /// The table of neighbours and their weights.
    fn table(&self) -> Result<Table, Reason> {
        let (weights, parts) = self.multiples(MOST_FINE_PARTS, f64::from(i16::MAX))?;
        let rows = || weights.chunks(self.from.max(1));
        let span = |row: &[i64]| {
            let first = row.iter().position(|&w| w != 0).unwrap_or(0);
            let last = row.iter().rposition(|&w| w != 0).unwrap_or(first);
            (first, last + 1 - first)
        };
        let taps = rows().map(|row| span(row).1).max().unwrap_or(1);
        let words = rows().flat_map(|row| {
            let first = span(row).0.min(self.from - taps);
            let own = row[first..first + taps].iter().map(|&w| w as i32);
            [first as i32].into_iter().chain(own).collect::<Vec<i32>>()
        });
        let size = |row: &[i64]| row.iter().map(|w| w.unsigned_abs()).sum::<u64>();
        Ok(Table {
            taps,
            words: words.collect(),
            parts,
            most: rows().map(size).max().unwrap_or(0),
        })
    }
}

//! Expands sampling at the coordinates of a grid to look-ups of neighbours and a weighted sum.
//!
//! All neighbours are looked up, with their indices clamped to the image. Those outside of the image get weight 0. NaN
//! coordinates give NaN weights.
//!
//! ```kiln
//! decompose none grid_sample
//! graph "grid_sample" {
//!   input tensor "x" [0, 1, 2]
//!   input tensor "grid" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 3], %1 "grid": f32[1, 4, 1]) {
//!     %2: f32[1, 2, 4] = grid_sample %0, %1 {mode=nearest, outside=zeros, align_corners=true}
//!     return %2
//!   }
//! }
//! ---
//! graph "grid_sample" {
//!   constant c0 "" f32[1, 1, 1] = [1.0]
//!   constant c1 "binary" f32[1, 1, 1] = [1.0]
//!   constant c2 "" i64[1, 1, 1] = [0]
//!   constant c3 "" i64[1, 1, 1] = [2]
//!   constant c4 "" i64[1, 1, 1] = [0]
//!   constant c5 "" f32[1, 1, 1] = [0.0]
//!   input tensor "x" [0, 1, 2]
//!   input tensor "grid" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 3], %1 "grid": f32[1, 4, 1]) {
//!     %2: f32[1, 1, 4, 1] = move %1 {movement=(1 a:4 b:1 -> 1 1 a b)}
//!     %3: f32[1, 1, 4] = move %2 {movement=(b:1 c:1 a:4 1 -> b c a)}
//!     %4: f32[1, 1, 1] = constant {value=c0}
//!     %5: f32[1, 1, 4] = binary %3, %4 {f=add}
//!     %6: f32[1, 1, 1] = constant {value=c1}
//!     %7: f32[1, 1, 4] = binary %5, %6 {f=mul}
//!     %8: f32[1, 1, 4] = unary %7 {f=round}
//!     %9: i64[1, 1, 4] = cast %8 {to=i64}
//!     %10: i64[1, 1, 1] = constant {value=c2}
//!     %11: i64[1, 1, 1] = constant {value=c3}
//!     %12: i64[1, 1, 1] = constant {value=c4}
//!     %13: bool[1, 1, 4] = compare %9, %12 {f=ge}
//!     %14: bool[1, 1, 4] = compare %9, %11 {f=le}
//!     %15: i64[1, 1, 4] = binary %9, %10 {f=max}
//!     %16: i64[1, 1, 4] = binary %15, %11 {f=min}
//!     %17: bool[1, 1, 4] = binary %13, %14 {f=bit_and}
//!     %18: i64[1, 2, 4] = broadcast %16 {shape=[1, 2, 4]}
//!     %19: f32[1, 2, 4] = gather %0, %18 {axis=2}
//!     %20: f32[1, 1, 1] = constant {value=c5}
//!     %21: f32[1, 2, 4] = select %17, %19, %20 {}
//!     return %21
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only, operand};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use kiln_ir::ops::{BinaryFn, CompareFn, Gather, GridSample, Outside, SampleMode, Simple};
use kiln_ir::types::Shape;
use kiln_ir::{Builder, DType, Dim, NodeId, ValueId};

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "grid_sample",
    rounds: Rounds::Often,
    expand,
};

/// The most neighbours of one sample: enough for 4 by 4 and 2 by 2 by 2, but not for 4 by 4 by 4.
const MAX_CORNERS: usize = 16;

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, GridSample);
    let (x, grid) = (operand(emitter, node, 0), operand(emitter, node, 1));
    let (image, places) = (emitter.shape(x), emitter.shape(grid));
    let sizes = &image[2..];
    let count: Dim = places[1..=sizes.len()].iter().cloned().product();
    let (batch, numbers) = (image[0].clone(), Dim::constant(sizes.len() as i64));
    let flat_grid = emitter.reshape(grid, vec![batch.clone(), 1.into(), count.clone(), numbers])?;
    let mut axes = Vec::new();
    for (i, size) in sizes.iter().enumerate() {
        let number = emitter.slice(flat_grid, 3, (sizes.len() - 1 - i) as i64, 1i64, 1)?;
        let number = emitter.squeeze(number, &[3])?;
        axes.push(Axis { op: &op, size }.taps(emitter, number)?);
    }
    let corners = choices(&axes);
    if corners.len() > MAX_CORNERS {
        let rule = format!("a sample reads at most {MAX_CORNERS} neighbours");
        return Err(Reason::new(rule, corners.len().to_string()));
    }
    let pixels: Dim = sizes.iter().cloned().product();
    let flat = emitter.reshape(x, vec![batch, image[1].clone(), pixels])?;
    let total = blend(emitter, flat, &corners, sizes, &count)?;
    let mut result = image[..2].to_vec();
    result.extend(places[1..=sizes.len()].iter().cloned());
    only(emitter.reshape(total, result))
}

/// A neighbour along one axis, `[n, 1, places]`: its coordinate, which is a whole number, and its weight unless it is
/// the only one.
#[derive(Clone, Copy)]
struct Tap {
    place: ValueId,
    weight: Option<ValueId>,
}

/// One axis of the image.
struct Axis<'o> {
    op: &'o GridSample,
    size: &'o Dim,
}

impl Axis<'_> {
    fn size(&self, emitter: &mut Emitter<'_, '_>, like: ValueId) -> Emitted {
        let dtype = emitter.ty(like).dtype;
        emitter.dim(self.size, dtype, 3)
    }

    /// The neighbours of the grid's coordinates along this axis.
    fn taps(&self, emitter: &mut Emitter<'_, '_>, numbers: ValueId) -> Result<Vec<Tap>, Reason> {
        let place = self.place(emitter, numbers)?;
        match self.op.mode {
            SampleMode::Nearest => {
                let place = self.bounded(emitter, place)?;
                let place = emitter.unary(Simple::Round, place)?;
                Ok(vec![Tap {
                    place,
                    weight: None,
                }])
            }
            SampleMode::Linear => {
                let place = self.bounded(emitter, place)?;
                let floor = emitter.unary(Simple::Floor, place)?;
                let far = emitter.binary(BinaryFn::Sub, place, floor)?;
                let one = emitter.scalar_like(1.0, place);
                let near = emitter.binary(BinaryFn::Sub, one, far)?;
                let next = emitter.binary(BinaryFn::Add, floor, one)?;
                let tap = |(place, weight)| Tap {
                    place,
                    weight: Some(weight),
                };
                Ok([(floor, near), (next, far)].map(tap).to_vec())
            }
            SampleMode::Cubic => self.cubic(emitter, place),
        }
    }

    fn cubic(&self, emitter: &mut Emitter<'_, '_>, place: ValueId) -> Result<Vec<Tap>, Reason> {
        let floor = emitter.unary(Simple::Floor, place)?;
        let rest = emitter.binary(BinaryFn::Sub, place, floor)?;
        let mut taps = Vec::new();
        for n in -1..=2 {
            let at = emitter.with(BinaryFn::Add, floor, n as f64)?;
            let distance = emitter.with(BinaryFn::Sub, rest, n as f64)?;
            let distance = emitter.unary(Simple::Abs, distance)?;
            // The coefficients for a = -0.75.
            let weight = match n {
                0 | 1 => emitter.polynomial(distance, &[1.0, 0.0, -2.25, 1.25])?,
                _ => emitter.polynomial(distance, &[3.0, -6.0, 3.75, -0.75])?,
            };
            taps.push(Tap {
                place: self.bounded(emitter, at)?,
                weight: Some(weight),
            });
        }
        Ok(taps)
    }

    /// Converts coordinates from `-1..=1` to indices of elements.
    fn place(&self, emitter: &mut Emitter<'_, '_>, numbers: ValueId) -> Emitted {
        let size = self.size(emitter, numbers)?;
        let from_start = emitter.with(BinaryFn::Add, numbers, 1.0)?;
        if self.op.align_corners {
            let last = emitter.with(BinaryFn::Sub, size, 1.0)?;
            let half = emitter.with(BinaryFn::Mul, last, 0.5)?;
            return emitter.binary(BinaryFn::Mul, from_start, half);
        }
        let half = emitter.with(BinaryFn::Mul, size, 0.5)?;
        let edges = emitter.binary(BinaryFn::Mul, from_start, half)?;
        emitter.with(BinaryFn::Sub, edges, 0.5)
    }

    /// The coordinate in the image that replaces one outside.
    fn bounded(&self, emitter: &mut Emitter<'_, '_>, place: ValueId) -> Emitted {
        match self.op.outside {
            Outside::Zeros => Ok(place),
            Outside::Border => self.clipped(emitter, place),
            Outside::Reflection => {
                let reflected = self.reflected(emitter, place)?;
                self.clipped(emitter, reflected)
            }
        }
    }

    /// The coordinate clamped to `0..=size - 1`. NaN becomes 0.
    fn clipped(&self, emitter: &mut Emitter<'_, '_>, place: ValueId) -> Emitted {
        let size = self.size(emitter, place)?;
        let last = emitter.with(BinaryFn::Sub, size, 1.0)?;
        let zero = emitter.scalar_like(0.0, place);
        let inside = emitter.compare_with(CompareFn::Gt, place, 0.0)?;
        let place = emitter.select(inside, place, zero)?;
        emitter.binary(BinaryFn::Min, place, last)
    }

    /// The coordinate reflected at the centres of the first and last element, or at their outer edges.
    fn reflected(&self, emitter: &mut Emitter<'_, '_>, place: ValueId) -> Emitted {
        let size = self.size(emitter, place)?;
        let (low, span) = match self.op.align_corners {
            true => (0.0, emitter.with(BinaryFn::Sub, size, 1.0)?),
            false => (-0.5, size),
        };
        let there_and_back = emitter.with(BinaryFn::Mul, span, 2.0)?;
        let inner = emitter.with(BinaryFn::Sub, place, low)?;
        let inner = emitter.unary(Simple::Abs, inner)?;
        let times = emitter.binary(BinaryFn::Div, inner, there_and_back)?;
        let times = emitter.unary(Simple::Floor, times)?;
        let whole = emitter.binary(BinaryFn::Mul, times, there_and_back)?;
        let rest = emitter.binary(BinaryFn::Sub, inner, whole)?;
        let back = emitter.binary(BinaryFn::Sub, there_and_back, rest)?;
        let mirrored = emitter.binary(BinaryFn::Min, rest, back)?;
        // For an axis of one element this is NaN, which clamping turns into 0.
        emitter.with(BinaryFn::Add, mirrored, low)
    }
}

/// All combinations of one neighbour per axis. The last axis varies fastest.
fn choices(axes: &[Vec<Tap>]) -> Vec<Vec<Tap>> {
    axes.iter().fold(vec![Vec::new()], |so_far, taps| {
        let longer = |choice: &Vec<Tap>| {
            let choice = choice.clone();
            let with = move |&tap: &Tap| choice.iter().copied().chain([tap]).collect();
            taps.iter().map(with).collect::<Vec<Vec<Tap>>>()
        };
        so_far.iter().flat_map(longer).collect()
    })
}

/// A neighbour along all axes: its index, whether it is in the image, and its weight, each of shape `[n, 1, places]`.
struct Corner {
    position: ValueId,
    inside: ValueId,
    weight: Option<ValueId>,
}

fn corner(emitter: &mut Emitter<'_, '_>, taps: &[Tap], sizes: &[Dim]) -> Result<Corner, Reason> {
    let mut corner: Option<Corner> = None;
    for (tap, size) in taps.iter().zip(sizes) {
        let next = along(emitter, tap, size)?;
        corner = Some(match corner {
            None => next,
            Some(so_far) => {
                let width = emitter.dim(size, DType::I64, 3)?;
                let row = emitter.binary(BinaryFn::Mul, so_far.position, width)?;
                Corner {
                    position: emitter.binary(BinaryFn::Add, row, next.position)?,
                    inside: emitter.binary(BinaryFn::BitAnd, so_far.inside, next.inside)?,
                    weight: match so_far.weight.zip(next.weight) {
                        Some((a, b)) => Some(emitter.binary(BinaryFn::Mul, a, b)?),
                        None => None,
                    },
                }
            }
        });
    }
    corner.ok_or_else(|| Reason::new("an image has spatial axes", "none"))
}

/// The neighbour along one axis, with its index clamped to the image.
fn along(emitter: &mut Emitter<'_, '_>, tap: &Tap, size: &Dim) -> Result<Corner, Reason> {
    let index = emitter.cast(tap.place, DType::I64)?;
    let zero = emitter.scalar_like(0i64, index);
    let last = emitter.dim(&(size - 1), DType::I64, 3)?;
    let above = emitter.compare_with(CompareFn::Ge, index, 0i64)?;
    let below = emitter.value(kiln_ir::ops::Compare { f: CompareFn::Le }, &[index, last])?;
    let limited = emitter.binary(BinaryFn::Max, index, zero)?;
    Ok(Corner {
        position: emitter.binary(BinaryFn::Min, limited, last)?,
        inside: emitter.binary(BinaryFn::BitAnd, above, below)?,
        weight: tap.weight,
    })
}

/// The sum of the neighbours' elements in `flat[n, c, pixels]`, times their weights: `[n, c, places]`.
fn blend(
    emitter: &mut Emitter<'_, '_>,
    flat: ValueId,
    corners: &[Vec<Tap>],
    sizes: &[Dim],
    count: &Dim,
) -> Emitted {
    let mut spread = emitter.shape(flat).to_vec();
    spread[2] = count.clone();
    let mut total = None;
    for taps in corners {
        let corner = corner(emitter, taps, sizes)?;
        let position = emitter.broadcast(corner.position, Shape::from(spread.clone()))?;
        let element = emitter.value(Gather { axis: 2 }, &[flat, position])?;
        let zero = emitter.scalar_like(0.0, element);
        let mut part = emitter.select(corner.inside, element, zero)?;
        if let Some(weight) = corner.weight {
            part = emitter.binary(BinaryFn::Mul, part, weight)?;
        }
        total = Some(match total {
            None => part,
            Some(sum) => emitter.binary(BinaryFn::Add, sum, part)?,
        });
    }
    total.ok_or_else(|| Reason::new("an image has spatial axes", "none"))
}

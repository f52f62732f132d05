//! Sampling of images at places given by a grid, and the grid of an affine map.

use crate::arguments::Args;
use crate::error::Problem;
use crate::importer::Importer;
use crate::table::Row;
use crate::variable::{Returns, one};
use kiln_ir::ops::{BinaryFn, CompareFn, Gather, MatMul, Simple, UnaryFn};
use kiln_ir::{DType, Dim, Scalar, Shape, TensorData, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        sample,
        &[
            "aten.grid_sampler.default(input, grid, interpolation_mode, padding_mode, align_corners)",
            "aten.grid_sampler_2d.default(input, grid, interpolation_mode, padding_mode, align_corners)",
            "aten.grid_sampler_3d.default(input, grid, interpolation_mode, padding_mode, align_corners)",
        ],
    ),
    Row::new(
        affine_grid,
        &["aten.affine_grid_generator.default(theta, size, align_corners)"],
    ),
];

/// What lies outside the image.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outside {
    Zeros,
    Border,
    Reflection,
}

struct Sampler {
    nearest: bool,
    outside: Outside,
    corners: bool,
}

impl Sampler {
    fn of(a: &Args<'_>) -> Result<Sampler, Problem> {
        let nearest = match a.int("interpolation_mode")? {
            0 => false,
            1 => true,
            _ => {
                return Err(Problem::unsupported(
                    "mode=\"bicubic\"; bilinear and nearest are known",
                ));
            }
        };
        let outside = match a.int("padding_mode")? {
            0 => Outside::Zeros,
            1 => Outside::Border,
            2 => Outside::Reflection,
            other => return Err(Problem::unsupported(format!("padding_mode {other}"))),
        };
        Ok(Sampler {
            nearest,
            outside,
            corners: a.bool("align_corners")?,
        })
    }

    /// Places in pixels from places in `-1..=1`; `size`, a float scalar, is that of the axis.
    fn pixels(&self, cx: &mut Importer<'_>, x: ValueId, size: ValueId) -> Result<ValueId, Problem> {
        let unit = cx.scalar_like(Scalar::Float(1.0), x);
        let half = cx.scalar_like(Scalar::Float(0.5), x);
        let from_zero = cx.add(x, unit)?;
        let place = if self.corners {
            let halves = cx.mul(from_zero, half)?;
            let last = cx.sub(size, unit)?;
            cx.mul(halves, last)?
        } else {
            let whole = cx.mul(from_zero, size)?;
            let centred = cx.sub(whole, unit)?;
            cx.mul(centred, half)?
        };
        match self.outside {
            Outside::Zeros => Ok(place),
            Outside::Border => clip(cx, place, size),
            Outside::Reflection => {
                let reflected = self.reflected(cx, place, size)?;
                clip(cx, reflected, size)
            }
        }
    }

    /// Mirrored at the first and last centre, or at the first and last edge.
    fn reflected(
        &self,
        cx: &mut Importer<'_>,
        x: ValueId,
        size: ValueId,
    ) -> Result<ValueId, Problem> {
        let unit = cx.scalar_like(Scalar::Float(1.0), x);
        let (low, span) = if self.corners {
            (cx.scalar_like(Scalar::Float(0.0), x), cx.sub(size, unit)?)
        } else {
            (cx.scalar_like(Scalar::Float(-0.5), x), size)
        };
        let zero = cx.scalar_like(Scalar::Float(0.0), x);
        let inner = cx.sub(x, low)?;
        let inner = cx.unary(Simple::Abs, inner)?;
        let rest = cx.binary(BinaryFn::Fmod, inner, span)?;
        let quotient = cx.binary(BinaryFn::Div, inner, span)?;
        let flips = cx.unary(Simple::Floor, quotient)?;
        let two = cx.scalar_like(Scalar::Float(2.0), x);
        let odd = cx.binary(BinaryFn::Fmod, flips, two)?;
        let even = cx.compare(CompareFn::Eq, odd, zero)?;
        let back = cx.sub(span, rest)?;
        let place = cx.select(even, rest, back)?;
        let place = cx.add(place, low)?;
        let flat = cx.compare(CompareFn::Eq, span, zero)?;
        cx.select(flat, zero, place)
    }
}

/// Limited to `0..=size - 1`.
fn clip(cx: &mut Importer<'_>, x: ValueId, size: ValueId) -> Result<ValueId, Problem> {
    let unit = cx.scalar_like(Scalar::Float(1.0), x);
    let last = cx.sub(size, unit)?;
    let from = cx.unary(UnaryFn::RELU, x)?;
    cx.binary(BinaryFn::Min, from, last)
}

/// A neighbour along one axis: its index (i64) and its weight, if it is not alone.
#[derive(Clone, Copy)]
struct Tap {
    index: ValueId,
    weight: Option<ValueId>,
}

fn taps(cx: &mut Importer<'_>, s: &Sampler, place: ValueId) -> Result<Vec<Tap>, Problem> {
    if s.nearest {
        let index = cx.unary(Simple::Round, place)?;
        let index = cx.cast(index, DType::I64)?;
        return Ok(vec![Tap {
            index,
            weight: None,
        }]);
    }
    let floor = cx.unary(Simple::Floor, place)?;
    let unit = cx.scalar_like(Scalar::Float(1.0), place);
    let next = cx.add(floor, unit)?;
    let near = cx.sub(next, place)?;
    let far = cx.sub(place, floor)?;
    let mut taps = Vec::new();
    for (at, weight) in [(floor, near), (next, far)] {
        taps.push(Tap {
            index: cx.cast(at, DType::I64)?,
            weight: Some(weight),
        });
    }
    Ok(taps)
}

/// One neighbour along every axis: where it is, whether within the image, and how much it counts. All are
/// of shape `[n, 1, places]`.
struct Corner {
    position: ValueId,
    inside: ValueId,
    weight: Option<ValueId>,
}

fn corner(cx: &mut Importer<'_>, taps: &[Tap], sizes: &[Dim]) -> Result<Corner, Problem> {
    let mut corner: Option<Corner> = None;
    for (tap, size) in taps.iter().zip(sizes) {
        let zero = cx.scalar_like(Scalar::Int(0), tap.index);
        let last = cx.dim_value(&(size - 1))?;
        let above = cx.compare(CompareFn::Ge, tap.index, zero)?;
        let below = cx.compare(CompareFn::Le, tap.index, last)?;
        let inside = cx.binary(BinaryFn::BitAnd, above, below)?;
        let index = cx.binary(BinaryFn::Max, tap.index, zero)?;
        let index = cx.binary(BinaryFn::Min, index, last)?;
        corner = Some(match corner {
            None => Corner {
                position: index,
                inside,
                weight: tap.weight,
            },
            Some(so_far) => {
                let width = cx.dim_value(size)?;
                let row = cx.mul(so_far.position, width)?;
                Corner {
                    position: cx.add(row, index)?,
                    inside: cx.binary(BinaryFn::BitAnd, so_far.inside, inside)?,
                    weight: match so_far.weight.zip(tap.weight) {
                        Some((a, b)) => Some(cx.mul(a, b)?),
                        None => None,
                    },
                }
            }
        });
    }
    corner.ok_or_else(|| Problem::unsupported("an image without spatial axes"))
}

/// Every choice of one tap for each axis, the last axis fastest.
fn choices(taps: &[Vec<Tap>]) -> Vec<Vec<Tap>> {
    taps.iter().fold(vec![Vec::new()], |so_far, axis| {
        let longer = |c: &Vec<Tap>| {
            let c = c.clone();
            axis.iter()
                .map(move |&t| c.iter().copied().chain([t]).collect())
                .collect::<Vec<Vec<Tap>>>()
        };
        so_far.iter().flat_map(longer).collect()
    })
}

fn sample(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let sampler = Sampler::of(a)?;
    let (x, grid) = (a.tensor("input")?, a.tensor("grid")?);
    let rank = cx.rank(x);
    if !(4..=5).contains(&rank) || cx.rank(grid) != rank || !cx.dtype(x).is_float() {
        return Err(Problem::unsupported(
            "takes images of floats of rank 4 or 5 and a grid of that rank",
        ));
    }
    let (shape, places) = (cx.shape(x), cx.shape(grid));
    let sizes = &shape[2..];
    let count: Dim = places[1..rank - 1].iter().cloned().product();
    let flat_grid = cx.reshape(
        grid,
        &[shape[0].clone(), 1.into(), count.clone(), dim(sizes.len())],
    )?;
    let dtype = cx.dtype(x);
    let mut axes = Vec::new();
    for (i, size) in sizes.iter().enumerate() {
        // The grid names the last axis first.
        let which = Dim::constant((sizes.len() - 1 - i) as i64);
        let place = cx.slice(flat_grid, 3, &which, &1.into(), 1)?;
        let place = cx.squeeze(place, &[3])?;
        let size = cx.dim_value(size)?;
        let size = cx.cast(size, dtype)?;
        let size = cx.with_rank(size, 3)?;
        let place = sampler.pixels(cx, place, size)?;
        axes.push(taps(cx, &sampler, place)?);
    }
    let pixels: Dim = sizes.iter().cloned().product();
    let flat = cx.reshape(x, &[shape[0].clone(), shape[1].clone(), pixels])?;
    let total = blend(cx, flat, &axes, sizes, &count)?;
    let mut result = vec![shape[0].clone(), shape[1].clone()];
    result.extend(places[1..rank - 1].iter().cloned());
    one(cx.reshape(total, &result)?)
}

/// The sum of the corners' pixels by their weights: `[n, c, places]`.
fn blend(
    cx: &mut Importer<'_>,
    flat: ValueId,
    axes: &[Vec<Tap>],
    sizes: &[Dim],
    count: &Dim,
) -> Result<ValueId, Problem> {
    let spread = Shape::from(vec![cx.size(flat, 0), cx.size(flat, 1), count.clone()]);
    let mut total = None;
    for choice in choices(axes) {
        let corner = corner(cx, &choice, sizes)?;
        let position = cx.broadcast(corner.position, spread.clone())?;
        let pixel = cx.value(Gather { axis: 2 }, &[flat, position])?;
        let zero = cx.scalar_like(Scalar::Float(0.0), pixel);
        let mut part = cx.select(corner.inside, pixel, zero)?;
        if let Some(weight) = corner.weight {
            part = cx.mul(part, weight)?;
        }
        total = Some(match total {
            None => part,
            Some(sum) => cx.add(sum, part)?,
        });
    }
    total.ok_or_else(|| Problem::unsupported("an image without spatial axes"))
}

fn dim(n: usize) -> Dim {
    Dim::constant(n as i64)
}

/// Evenly spaced from -1 to 1: the centres of the first and last pixel, or their outer edges.
fn spaced(
    cx: &mut Importer<'_>,
    count: &Dim,
    corners: bool,
    dtype: DType,
) -> Result<ValueId, Problem> {
    let Some(n) = count.as_const().filter(|n| (0..=1 << 24).contains(n)) else {
        return Err(Problem::unsupported("takes sizes known ahead of time"));
    };
    let last = (n - 1).max(1) as f64;
    let shrink = if corners {
        1.0
    } else {
        (n - 1) as f64 / n as f64
    };
    let at = |i: i64| {
        if n == 1 {
            0.0
        } else {
            (2.0 * i as f64 / last - 1.0) * shrink
        }
    };
    let places = (0..n).map(|i| Scalar::Float(at(i)));
    Ok(cx.literal(TensorData::from_scalars(dtype, vec![n as usize], places)))
}

/// The places of an output's pixels under `theta[n, s, s + 1]`: `[n, .., s]`, the last axis first.
fn affine_grid(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (theta, size) = (a.tensor("theta")?, a.dims("size")?);
    if !(4..=5).contains(&size.len()) || cx.rank(theta) != 3 {
        return Err(Problem::unsupported(
            "takes sizes of an image of rank 4 or 5 and matrices",
        ));
    }
    let (sizes, dtype, corners) = (&size[2..], cx.dtype(theta), a.bool("align_corners")?);
    let spatial = sizes.len();
    let mut full: Vec<Dim> = sizes.to_vec();
    full.push(1.into());
    let mut columns = Vec::new();
    for i in (0..spatial).rev() {
        let line = spaced(cx, &sizes[i], corners, dtype)?;
        let units: Vec<usize> = (0..=spatial).filter(|&j| j != i).collect();
        let line = cx.unsqueeze(line, &units)?;
        columns.push(cx.broadcast(line, Shape::from(full.clone()))?);
    }
    columns.push(cx.full(&Shape::from(full), dtype, Scalar::Int(1))?);
    let base = cx.concat(spatial, &columns)?;
    let pixels: Dim = sizes.iter().cloned().product();
    let base = cx.reshape(base, &[1.into(), pixels, dim(spatial + 1)])?;
    let maps = cx.transpose(theta, 1, 2)?;
    let places = cx.value(MatMul {}, &[base, maps])?;
    let mut result = vec![cx.size(theta, 0)];
    result.extend(sizes.iter().cloned());
    result.push(dim(spatial));
    one(cx.reshape(places, &result)?)
}

//! Patterns for `clean`.

use super::{Plant, plant};
use crate::generate::{Grower, Grown, control, data, elementwise, patterns, reduce, window};
use kiln_ir::ops::{
    ArgFn, ArgReduce, Attention, Binary, BinaryFn, Broadcast, Cast, Compare, CompareFn, Gather,
    Iota, MatMul, Move, Pool, PoolFn, Reduce, ReduceFn, Select, Simple, Unary, UnaryFn,
};
use kiln_ir::{DType, Dim, Movement, Scalar, ValueId};

pub(super) const PLANTS: &[Plant] = &[
    plant("clean", "empty", "", empty),
    plant("clean", "remove_nothing", "", nothing),
    plant("clean", "compose_moves", "", moves),
    plant("clean", "join_slices", "", slices),
    plant("clean", "slice_of_parts", "copies joins", parts),
    plant("clean", "stack_is_concat", "", stack),
    plant("clean", "place_of_stack", "", place_of_stack),
    plant("clean", "pick_is_slice", "", pick),
    plant("clean", "join_casts", "", casts),
    plant("clean", "narrow_floats", "", narrow),
    plant("clean", "fit_clamp", "", fit_clamp),
    plant("clean", "join_clamps", "", patterns::clamps),
    plant("clean", "known_select", "", select),
    plant("clean", "exact_identities", "", identities),
    plant("clean", "idle_broadcast", "", broadcast),
    plant("clean", "gather_is_look_up", "", rows),
    plant("clean", "fold_constants", "", constants),
    plant("clean", "dead_code", "", dead),
    plant("clean", "unread_indices", "", unread),
    plant("clean", "common_subexpression", "", twins),
    plant("clean", "fold_through", "", through),
];

/// Parts without elements, and products that add up nothing.
fn empty(g: &mut Grower<'_>) -> Grown {
    let x = g.still(2)?;
    let axis = g.random.below(g.rank(x));
    let nothing = g.cut(x, axis, 0, 0)?;
    if g.random.chance(60) {
        let (inner, outer) = (g.known(nothing, g.rank(x) - 1)?, g.size());
        let dtype = g.ty(x).dtype;
        let w = g.constant(dtype, &[outer, inner]);
        let b = g.constant(dtype, &[outer]);
        let operands: &[ValueId] = if g.random.chance(50) {
            &[nothing, w, b]
        } else {
            &[nothing, w]
        };
        g.put(kiln_ir::ops::Linear {}, operands)?;
    }
    g.some_function(nothing)?;
    g.join(&[nothing, x], axis).map(|_| ())
}

/// Ops that change nothing, or change something only where axes have more than one element.
fn nothing(g: &mut Grower<'_>) -> Grown {
    let x = g.any(|t| t.quant.is_none() && t.rank() > 0)?;
    let axis = g.random.below(g.rank(x));
    match g.random.below(9) {
        0 => data::slice(g),
        1 => reduce::reduce(g),
        2 => reduce::scan(g),
        3 => window::resize(g),
        4 => window::adaptive_pool(g),
        5 => unit_pool(g),
        6 => data::slice_update(g),
        7 => {
            let x = g.reshaped_with_unit(x, axis)?;
            let f = *g
                .random
                .pick(&[ReduceFn::Sum, ReduceFn::Mean, ReduceFn::Prod, ReduceFn::Max]);
            let other = (axis + 1).min(g.rank(x) - 1);
            let mut axes = vec![axis];
            if other != axis && g.random.chance(40) {
                axes.push(other);
            }
            g.put(Reduce { f, axes }, &[x]).map(|_| ())
        }
        _ => {
            let size = g.known(x, axis)?;
            let len = if g.random.chance(50) { size } else { size - 1 };
            let step = *g.random.pick(&[1, 1, 2]);
            let start = g.random.between(0, 1);
            let slice = kiln_ir::ops::Slice {
                axis,
                start: start.into(),
                len: len.into(),
                step,
            };
            g.put(slice, &[x]).map(|_| ())
        }
    }
}

impl Grower<'_> {
    fn reshaped_with_unit(&mut self, x: ValueId, axis: usize) -> Option<ValueId> {
        let movement = Movement::unsqueeze(&self.shape(x), &[axis]).ok()?;
        self.moved(x, movement)
    }
}

/// A pool whose windows have one element, or a near miss of it.
fn unit_pool(g: &mut Grower<'_>) -> Grown {
    let x = g.image(2)?;
    let odd = |g: &mut Grower<'_>, usual: i64, other: i64| {
        if g.random.chance(12) { other } else { usual }
    };
    let f = if g.random.chance(85) {
        PoolFn::Max
    } else {
        PoolFn::Avg {
            count_include_pad: true,
            divisor: None,
        }
    };
    let kernel = odd(g, 1, 2);
    let pad = if kernel == 2 { odd(g, 0, 1) } else { 0 };
    let op = Pool {
        f,
        kernel: vec![kernel, 1],
        stride: vec![1, odd(g, 1, 2)],
        pad_low: vec![pad, 0],
        pad_high: vec![pad, 0],
        dilation: vec![1; 2],
        ceil: false,
    };
    g.put(op, &[x]).map(|_| ())
}

fn moves(g: &mut Grower<'_>) -> Grown {
    let mut x = g.any(|t| t.quant.is_none() && t.rank() > 0)?;
    for _ in 0..2 + g.random.below(3) {
        let movement = g.some_movement(&g.shape(x))?;
        x = g.put(Move { movement }, &[x])?;
    }
    Some(())
}

fn slices(g: &mut Grower<'_>) -> Grown {
    let size = g.random.between(4, 12);
    let x = match g.random.chance(50) {
        true => g.still(1)?,
        false => g.fresh(&[2, size, 3]),
    };
    let axis = g.random.below(g.rank(x));
    let first = g.part(x, axis)?;
    let y = g.put(first, &[x])?;
    let along = match g.random.chance(80) {
        true => axis,
        false => g.random.below(g.rank(x)),
    };
    let second = g.part(y, along)?;
    g.put(second, &[y]).map(|_| ())
}

/// Slices of a join that fall into one part or several.
fn parts(g: &mut Grower<'_>) -> Grown {
    let x = g.still(1)?;
    let axis = g.random.below(g.rank(x));
    let mut parts = vec![x];
    for _ in 0..1 + g.random.below(3) {
        let slice = g.part(x, axis)?;
        parts.push(match g.random.below(3) {
            0 => g.put(slice, &[x])?,
            1 => {
                let part = g.put(slice, &[x])?;
                g.some_function(part)
                    .filter(|&v| g.ty(v).dtype == g.ty(x).dtype)
                    .unwrap_or(part)
            }
            _ => x,
        });
    }
    let joined = g.join(&parts, axis)?;
    let along = match g.random.chance(90) {
        true => axis,
        false => g.random.below(g.rank(x)),
    };
    for _ in 0..1 + g.random.below(3) {
        let slice = g.part(joined, along)?;
        g.put(slice, &[joined])?;
    }
    Some(())
}

/// Two or three values stacked along a new axis.
fn stacked(g: &mut Grower<'_>) -> Option<(ValueId, usize)> {
    let x = g.any(|t| t.quant.is_none() && (1..4).contains(&t.rank()))?;
    let axis = g.random.below(g.rank(x));
    let mut values = Vec::new();
    for _ in 0..2 + g.random.below(2) {
        let f = g.function(g.ty(x).dtype);
        let value = g
            .put(Unary { f }, &[x])
            .filter(|&v| g.ty(v) == g.ty(x))
            .unwrap_or(x);
        let place = if g.random.chance(95) { axis } else { 0 };
        let movement = Movement::unsqueeze(&g.shape(x), &[place]).ok()?;
        values.push(g.moved(value, movement)?);
    }
    Some((g.join(&values, axis)?, axis))
}

fn stack(g: &mut Grower<'_>) -> Grown {
    stacked(g).map(|_| ())
}

/// An element of a stack, or of an axis into which a joined axis was split.
fn place_of_stack(g: &mut Grower<'_>) -> Grown {
    let (x, axis) = match g.random.chance(50) {
        true => stacked(g)?,
        false => split_join(g)?,
    };
    let along = match g.random.chance(85) {
        true => axis,
        false => g.random.below(g.rank(x)),
    };
    let places = g.known(x, along)?;
    let start = g.random.between(0, places - 1);
    let len = if g.random.chance(85) {
        1
    } else {
        places - start
    };
    g.cut(x, along, start, len).map(|_| ())
}

/// A join of values of equal or different sizes, split into equal parts.
fn split_join(g: &mut Grower<'_>) -> Option<(ValueId, usize)> {
    let (outer, inner) = (g.size(), g.size());
    let sizes = *g.random.pick(&[[2, 2], [3, 3], [1, 3], [3, 1]]);
    let parts: Vec<ValueId> = sizes.iter().map(|&n| g.fresh(&[outer, n, inner])).collect();
    let axis = if g.random.chance(85) { 1 } else { 2 };
    if axis == 2 && sizes[0] != sizes[1] {
        return None;
    }
    let joined = g.join(&parts, axis)?;
    let mut shape = g.shape(joined).to_vec();
    let all = shape[axis].as_const()?;
    shape[axis] = (all / 2).into();
    shape.insert(axis, 2.into());
    let split = g.reshaped(joined, &shape)?;
    Some((split, axis))
}

/// One index of an axis of a product.
fn pick(g: &mut Grower<'_>) -> Grown {
    let (rows, inner) = (g.random.between(2, 4), g.size());
    let x = match g.random.chance(50) {
        true => g.still(2)?,
        false => g.fresh(&[g.palette[0], rows, inner]),
    };
    let outputs = g.random.between(2, 5);
    let y = g.layer(x, outputs)?;
    let axis = g.random.below(g.rank(y));
    let last = g.known(y, axis)? - 1;
    let len = if g.random.chance(90) { 1 } else { last + 1 };
    let start = if len == 1 {
        g.random.between(0, last)
    } else {
        0
    };
    let part = g.cut(y, axis, start, len)?;
    g.sometimes_read(part, 15)?;
    let along = match g.random.chance(85) {
        true => axis,
        false => g.random.below(g.rank(y)),
    };
    let movement = Movement::squeeze(&g.shape(part), &[along]).ok()?;
    g.moved(part, movement).map(|_| ())
}

fn casts(g: &mut Grower<'_>) -> Grown {
    match g.random.chance(50) {
        true => patterns::casts(g),
        false => elementwise::cast(g),
    }
}

/// A computation in f64 on values of narrower types, with a rounded result.
fn narrow(g: &mut Grower<'_>) -> Grown {
    let sizes = [g.size(), g.size()];
    let from = *g.random.pick(&[
        DType::F32,
        DType::F32,
        DType::F16,
        DType::I64,
        DType::I32,
        DType::U8,
    ]);
    let x = g.fresh_of(from, &sizes);
    let to = if g.random.chance(90) {
        DType::F64
    } else {
        DType::F32
    };
    let mut wide = g.put(Cast { to }, &[x])?;
    if g.random.chance(30) {
        wide = g.permuted(wide, &[1, 0])?;
    }
    let other = match g.random.below(4) {
        0 => g.constant_of(to, &[1, 1], vec![Scalar::Float(0.1)]),
        1 => g.constant_of(to, &[1, 1], vec![Scalar::Float(0.75)]),
        2 => wide,
        _ => {
            let sizes = g.shape(wide).as_static()?;
            let sizes: Vec<i64> = sizes.into_iter().map(|n| n as i64).collect();
            let y = g.fresh(&sizes);
            g.put(Cast { to }, &[y])?
        }
    };
    let f = *g.random.pick(&[
        BinaryFn::Add,
        BinaryFn::Sub,
        BinaryFn::Mul,
        BinaryFn::Div,
        BinaryFn::Pow,
    ]);
    let value = match g.random.below(5) {
        0 => g.unary(Simple::Sqrt, wide)?,
        1 => g.unary(Simple::Exp, wide)?,
        _ => g.binary(f, wide, other)?,
    };
    let to = if g.random.chance(90) {
        DType::F32
    } else {
        DType::F16
    };
    g.put(Cast { to }, &[value]).map(|_| ())
}

/// A clamp of integers, with bounds near those of the type.
fn fit_clamp(g: &mut Grower<'_>) -> Grown {
    let dtype = *g
        .random
        .pick(&[DType::U8, DType::I8, DType::I16, DType::I32]);
    let sizes = [g.size(), g.size()];
    let x = g.fresh_of(dtype, &sizes);
    let (least, greatest) = dtype.int_range()?;
    let bounds = [
        least - 1,
        least,
        least + 1,
        greatest - 1,
        greatest,
        greatest + 1,
        0,
        3,
    ];
    let bound = |g: &mut Grower<'_>| {
        let bound = *g.random.pick(&bounds);
        g.random.chance(70).then_some(Scalar::Int(bound))
    };
    let (min, max) = (bound(g), bound(g));
    g.unary(UnaryFn::Clamp { min, max }, x).map(|_| ())
}

fn select(g: &mut Grower<'_>) -> Grown {
    let x = g.float(1)?;
    let (dtype, rank) = (g.ty(x).dtype, g.rank(x));
    let y = g.partner(x);
    if g.random.chance(50) {
        let known = g.random.chance(50);
        let condition = g.constant_of(DType::Bool, &vec![1; rank], vec![Scalar::Bool(known)]);
        return g.put(Select {}, &[condition, x, y]).map(|_| ());
    }
    let number = g.number_of_rank(dtype, rank);
    let condition = g.put(Compare { f: CompareFn::Gt }, &[x, number])?;
    let other = if g.random.chance(70) { y } else { x };
    g.put(Select {}, &[condition, y, other]).map(|_| ())
}

/// Identities: ops with neutral numbers, and functions applied twice.
fn identities(g: &mut Grower<'_>) -> Grown {
    if g.random.chance(50) {
        return patterns::identity(g);
    }
    use Simple::*;
    let x = g.any(|t| t.quant.is_none())?;
    let dtype = g.ty(x).dtype;
    if g.random.chance(30) {
        use BinaryFn::*;
        let f = match dtype {
            DType::Bool => *g.random.pick(&[BitAnd, BitOr, BitXor, Max]),
            d if d.is_int() => *g.random.pick(&[BitAnd, BitOr, BitXor, Sub, Max, Min]),
            _ => *g.random.pick(&[Max, Min, Sub, Div, Add]),
        };
        return g.binary(f, x, x).map(|_| ());
    }
    let fs: &[Simple] = match dtype {
        DType::Bool => &[BitNot],
        d if d.is_int() => &[Neg, BitNot, Abs, Sign],
        _ => &[Neg, Abs, Sign, Floor, Ceil, Round, Trunc, Square],
    };
    let first = *g.random.pick(fs);
    let second = if g.random.chance(60) {
        first
    } else {
        *g.random.pick(fs)
    };
    let y = g.unary(first, x)?;
    g.unary(second, y).map(|_| ())
}

/// A repetition in front of an op that broadcasts, or of one that does not.
fn broadcast(g: &mut Grower<'_>) -> Grown {
    let x = g.float(2)?;
    let (rank, shape) = (g.rank(x), g.shape(x));
    if g.random.chance(25) {
        return repeated_product(g);
    }
    let axes = g.axes(rank);
    let small = g.put(
        Reduce {
            f: ReduceFn::Max,
            axes,
        },
        &[x],
    )?;
    let wide = g.put(Broadcast { shape }, &[small])?;
    let other = match g.random.below(4) {
        0 => small,
        1 => g.partner(x),
        _ => x,
    };
    match g.random.below(3) {
        0 => g
            .put(Compare { f: CompareFn::Lt }, &[wide, other])
            .map(|_| ()),
        1 => {
            let zero = g.splat(g.ty(x).dtype, rank, 0.0);
            let condition = g.put(Compare { f: CompareFn::Gt }, &[other, zero])?;
            g.put(Select {}, &[condition, wide, other]).map(|_| ())
        }
        _ => {
            let f = *g
                .random
                .pick(&[BinaryFn::Add, BinaryFn::Sub, BinaryFn::Mul]);
            g.put(Binary { f }, &[wide, other]).map(|_| ())
        }
    }
}

/// A product of values that are repeated along batches, or within the matrix.
fn repeated_product(g: &mut Grower<'_>) -> Grown {
    let n = g.random.between(2, 4);
    let batch = g.input_size();
    let x = {
        let shape = vec![batch.clone(), n.into(), n.into()];
        g.input(kiln_ir::TensorType::new(DType::F32, shape))
    };
    let sizes = *g.random.pick(&[[1, n, n], [1, 1, n], [1, n, 1]]);
    let y = g.fresh(&sizes);
    let shape = vec![batch, n.into(), n.into()].into();
    let y = g.put(Broadcast { shape }, &[y])?;
    if g.random.chance(30) {
        let op = Attention {
            scale: None,
            causal: false,
            grouped: false,
        };
        return g.put(op, &[x, y, x]).map(|_| ());
    }
    let operands = if g.random.chance(50) { [x, y] } else { [y, x] };
    g.put(MatMul {}, &operands).map(|_| ())
}

fn constants(g: &mut Grower<'_>) -> Grown {
    let x = g.still(1)?;
    let c = g.broadcast_constant(x);
    let d = g.some_function(c)?;
    let e = g.broadcast_constant(x);
    let f = *g
        .random
        .pick(&[BinaryFn::Add, BinaryFn::Mul, BinaryFn::Sub]);
    let made = g.binary(f, c, e)?;
    g.binary(f, x, made)?;
    g.some_function(d).map(|_| ())
}

/// Dead nodes. Sometimes others mention their sizes.
fn dead(g: &mut Grower<'_>) -> Grown {
    let before = g.values.len();
    match g.random.below(4) {
        0 => reduce::non_zero(g)?,
        1 => control::branch(g)?,
        _ => patterns::any(g)?,
    }
    let kept = before + g.random.below(g.values.len() - before + 1);
    g.values.truncate(kept.max(1));
    Some(())
}

/// A pool with indices, which few nodes read.
fn unread(g: &mut Grower<'_>) -> Grown {
    let x = g.image(2)?;
    let f = PoolFn::MaxWithIndices;
    let results = if g.random.chance(60) {
        let op = Pool {
            f,
            kernel: vec![2; 2],
            stride: vec![g.random.between(1, 2); 2],
            pad_low: vec![0; 2],
            pad_high: vec![0; 2],
            dilation: vec![1; 2],
            ceil: g.random.chance(30),
        };
        g.put_all(op, &[x])?
    } else {
        let output = vec![Dim::constant(g.random.between(1, 2)); 2];
        g.put_all(kiln_ir::ops::AdaptivePool { f, output }, &[x])?
    };
    if g.random.chance(80) {
        g.values.retain(|&v| v != results[1]);
    }
    Some(())
}

/// A gather of rows, some of them cut short, at places that are computed.
fn rows(g: &mut Grower<'_>) -> Grown {
    let sizes: Vec<i64> = (0..3).map(|_| g.random.between(1, 4)).collect();
    let axis = g.random.below(3);
    let count = g.random.between(1, 3);
    let scores = g.fresh(&[count, sizes[axis]]);
    let at = g.put(
        ArgReduce {
            f: ArgFn::Max,
            axis: 1,
        },
        &[scores],
    )?;
    let mut shape = vec![Dim::constant(1); 3];
    shape[axis] = Dim::constant(count);
    let at = g.reshaped(at, &shape)?;
    let mut taken = sizes.clone();
    taken[axis] = count;
    if g.random.chance(20) {
        taken[(axis + 1) % 3] = 1;
    }
    let shape = taken.into_iter().map(Dim::constant).collect();
    let at = g.put(Broadcast { shape }, &[at])?;
    let x = g.fresh(&sizes);
    g.put(Gather { axis }, &[x, at]).map(|_| ())
}

/// The same op twice, or nearly: with other operands, another order, or other attributes.
fn twins(g: &mut Grower<'_>) -> Grown {
    if g.random.chance(40) {
        return patterns::twins(g);
    }
    use BinaryFn::*;
    let x = g.any(|t| t.quant.is_none() && t.dtype != DType::Bool)?;
    let y = g.partner(x);
    let fs = [Add, Sub, Mul, Max, Min];
    let (f, other) = (*g.random.pick(&fs), *g.random.pick(&fs));
    let a = g.binary(f, x, y)?;
    let b = match g.random.below(4) {
        0 => g.binary(other, x, y)?,
        1 | 2 => g.binary(f, y, x)?,
        _ => g.binary(f, x, y)?,
    };
    if g.ty(a).dtype.is_float() {
        // Zeros of both signs make the order visible.
        let (a, b) = (
            g.unary(Simple::Reciprocal, a)?,
            g.unary(Simple::Reciprocal, b)?,
        );
        return g.put(Compare { f: CompareFn::Lt }, &[a, b]).map(|_| ());
    }
    g.binary(Sub, a, b).map(|_| ())
}

/// A computation with constants that has large intermediate values and a small result.
fn through(g: &mut Grower<'_>) -> Grown {
    const SIDE: i64 = 144;
    g.most_elements = SIDE * SIDE;
    let dtype = DType::F32;
    let great = match g.random.chance(50) {
        true => {
            let (a, b) = (g.constant(dtype, &[SIDE, 1]), g.constant(dtype, &[1, SIDE]));
            g.binary(BinaryFn::Add, a, b)?
        }
        false => {
            let len = Dim::constant(SIDE * SIDE);
            let row = g.put(Iota { len, dtype }, &[])?;
            let row = g.reshaped(row, &[SIDE.into(), SIDE.into()])?;
            let c = g.constant(dtype, &[1, SIDE]);
            g.binary(BinaryFn::Sub, row, c)?
        }
    };
    let small = match g.random.chance(80) {
        true => {
            let f = *g.random.pick(&[ReduceFn::Max, ReduceFn::Min]);
            g.put(
                Reduce {
                    f,
                    axes: vec![0, 1],
                },
                &[great],
            )?
        }
        false => {
            let corner = g.cut(great, 0, 1, 1)?;
            g.cut(corner, 1, 2, 1)?
        }
    };
    g.values.retain(|&v| {
        v == small
            || g.rewriter
                .graph()
                .ty(v)
                .shape
                .as_static()
                .is_none_or(|s| s.iter().product::<usize>() <= 4096)
    });
    let x = g.any(|t| t.dtype == dtype && t.rank() == 2 && t.quant.is_none());
    let x = x.unwrap_or_else(|| g.fresh(&[2, 2]));
    g.binary(BinaryFn::Add, x, small).map(|_| ())
}

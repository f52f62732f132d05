//! Calls of kernels that move elements, or change their type.

use super::integers::MOVED;
use super::{Dice, Draw};
use kiln_cortex_m::dialect::{
    Border, Cast, Copy, Dtype, ElementType, Family, Function, Gather, GatherElements, PadMode,
    Padding, PerAxis, Scatter, ScatterFunction, Select, Strides,
};
use kiln_cortex_m::evaluate::Data;

pub(super) fn draw(function: Function, dice: &mut Dice) -> Draw {
    let dtype = dice.one(&MOVED);
    let mut drawn = match function.row().family {
        Family::Copy => copy(dice, dtype),
        Family::Border => border(dice, dtype),
        Family::Gather => blocks(dice, dtype),
        Family::GatherElements => elements(dice, dtype),
        Family::Select => select(dice, dtype),
        Family::Scatter => return scatter(function, dice),
        _ => return cast(dice),
    };
    drawn.moved = Some(dtype);
    drawn
}

/// An order of the axes, perhaps backwards along some, into a part of a larger tensor.
fn copy(dice: &mut Dice, dtype: Dtype) -> Draw {
    let sizes = dice.sizes(4);
    let (mut from, elements) = dice.strides(&sizes);
    let mut input_first = 0;
    for (stride, size) in from.iter_mut().zip(&sizes) {
        if dice.within(0, 3) == 0 {
            input_first += *stride * (size - 1);
            *stride = -*stride;
        }
    }
    let mut to = vec![0; sizes.len()];
    let mut whole = 1;
    for (stride, size) in to.iter_mut().zip(&sizes).rev() {
        *stride = whole;
        whole *= size + dice.within(0, 1);
    }
    let before = dice.within(0, 3);
    let copy = Copy {
        strides: Strides::new(&sizes, &from, &to),
        element_size: dtype.bytes(1) as i32,
        input_first,
        output_first: before,
    };
    let elements_out = sizes
        .iter()
        .zip(&to)
        .map(|(size, stride)| (size - 1) * stride)
        .sum::<i32>()
        + 1;
    let mut drawn = Draw::of(copy);
    drawn.counts = vec![
        ("input", elements),
        ("output", (before + elements_out) as usize),
    ];
    drawn
}

fn border(dice: &mut Dice, dtype: Dtype) -> Draw {
    let sizes = dice.sizes(4);
    let mode = dice.one(PadMode::ALL);
    let mut side = |size: i32| match mode {
        PadMode::Reflect => dice.within(-1, size - 1).max(1 - size).min(size - 1),
        PadMode::Circular => dice.within(-1, size).max(1 - size),
        PadMode::Constant | PadMode::Replicate => dice.within(-1, 3).max(1 - size),
    };
    let before: Vec<i32> = sizes.iter().map(|&size| side(size)).collect();
    let after: Vec<i32> = sizes
        .iter()
        .zip(&before)
        .map(|(&size, &before)| side(size).max(-size - before.min(0)))
        .collect();
    let padding = Padding {
        rank: sizes.len() as i32,
        sizes: PerAxis(sizes),
        before: PerAxis(before),
        after: PerAxis(after),
    };
    let drawn = Draw::of(Border {
        padding,
        mode,
        element_size: dtype.bytes(1) as i32,
    });
    match mode {
        PadMode::Constant => drawn,
        _ => drawn.optional(dice, &["value"]),
    }
}

/// Indices of which one in some calls is out of range.
fn indices(dice: &mut Dice, count: usize, n: i32) -> Data {
    let mut all: Vec<i32> = (0..count).map(|_| dice.within(-n, n - 1)).collect();
    if let (Some(last), 0) = (all.last_mut(), dice.within(0, 9)) {
        *last = dice.one(&[n, -n - 1]);
    }
    Data::I32(all)
}

fn blocks(dice: &mut Dice, dtype: Dtype) -> Draw {
    let [outer, n, inner, count] = [4, 6, 5, 9].map(|most| dice.within(1, most));
    let gather = Gather {
        outer,
        n,
        inner_bytes: inner * dtype.bytes(1) as i32,
        count,
    };
    let mut drawn = Draw::of(gather).with("indices", indices(dice, count as usize, n));
    drawn.counts = vec![
        ("input", (outer * n * inner) as usize),
        ("output", (outer * count * inner) as usize),
    ];
    drawn
}

/// A tensor of sizes but for an axis, which is indexed: its strides with 0 along that, the axis, its stride, and how many elements there
/// are.
fn indexed(dice: &mut Dice, sizes: &[i32]) -> (Vec<i32>, i32, i32, usize) {
    let axis = dice.within(0, sizes.len() as i32 - 1) as usize;
    let n = dice.within(1, 7);
    let mut from = vec![0; sizes.len()];
    let mut whole = 1;
    for (i, &size) in sizes.iter().enumerate().rev() {
        from[i] = whole;
        whole *= if i == axis { n } else { size };
    }
    let axis_stride = std::mem::replace(&mut from[axis], 0);
    (from, n, axis_stride, whole as usize)
}

fn scatter(function: Function, dice: &mut Dice) -> Draw {
    let sizes = dice.sizes(4);
    let (to, axis_size, axis_stride, whole) = indexed(dice, &sizes);
    let (of_indices, count) = dice.strides(&sizes);
    let (of_source, elements) = dice.strides(&sizes);
    let zeros = vec![0; sizes.len()];
    let scatter = Scatter {
        strides: Strides::new(&sizes, &to, &of_indices),
        source_strides: Strides::new(&sizes, &of_source, &zeros),
        function: dice.one(ScatterFunction::ALL),
        axis_size,
        axis_stride,
    };
    let output = dice.data(function.row().slots[0].dtypes[0], whole, false);
    let mut drawn = Draw::of(scatter)
        .with("indices", indices(dice, count, axis_size))
        .with("output", output);
    drawn.counts = vec![("source", elements)];
    drawn
}

fn elements(dice: &mut Dice, dtype: Dtype) -> Draw {
    let sizes = dice.sizes(4);
    let (from, n, axis_stride, whole) = indexed(dice, &sizes);
    let (of_indices, count) = dice.strides(&sizes);
    let gather = GatherElements {
        strides: Strides::new(&sizes, &from, &of_indices),
        axis_size: n,
        axis_stride,
        element_size: dtype.bytes(1) as i32,
    };
    let mut drawn = Draw::of(gather).with("indices", indices(dice, count, n));
    drawn.counts = vec![("input", whole)];
    drawn
}

fn select(dice: &mut Dice, dtype: Dtype) -> Draw {
    let sizes = dice.sizes(4);
    let (strides, counts) = dice.pair(&sizes);
    let (condition_strides, [count, _]) = dice.pair(&sizes);
    let condition = (0..count).map(|_| dice.within(0, 1) as u8).collect();
    let select = Select {
        strides,
        condition_strides,
        element_size: dtype.bytes(1) as i32,
    };
    Draw::of(select)
        .operands(counts)
        .with("condition", Data::U8(condition))
}

fn cast(dice: &mut Dice) -> Draw {
    let (from, to) = (dice.one(ElementType::ALL), dice.one(ElementType::ALL));
    let size = dice.within(0, 40);
    let input = match from {
        ElementType::Bool => Data::U8((0..size).map(|_| dice.within(0, 1) as u8).collect()),
        from => dice.data(from.dtype(), size as usize, false),
    };
    let mut drawn = Draw::of(Cast { from, to, size }).with("input", input);
    drawn.moved = Some(to.dtype());
    drawn
}

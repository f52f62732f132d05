//! Calls that can be computed by rows: each row of the result from a few rows of the operands.

use crate::dialect::{
    Access, BufferId, Call, Dims, Extent, Parameters, Program, Slot, Value, View,
};
use std::ops::Range;

/// Which rows of an operand a row of the result needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub size: i64,
    pub stride: i64,
    pub padding: i64,
    pub dilation: i64,
}

impl Window {
    /// The same row.
    const SAME: Window = Window {
        size: 1,
        stride: 1,
        padding: 0,
        dilation: 1,
    };

    /// The rows that rows of the result need, as if the operand went on in both directions.
    fn reach(self, rows: &Range<usize>) -> Range<i64> {
        let first = rows.start as i64 * self.stride - self.padding;
        let last =
            (rows.end as i64 - 1) * self.stride - self.padding + (self.size - 1) * self.dilation;
        first..last + 1
    }
}

/// A tensor whose rows lie one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Map {
    /// The slot.
    pub place: usize,
    pub buffer: BufferId,
    /// How many rows there are.
    pub height: usize,
    /// The elements of a row.
    pub row: usize,
}

/// A call that can be computed by rows.
#[derive(Clone, Debug)]
pub(super) struct ByRows {
    pub inputs: Vec<(Map, Window)>,
    pub output: Map,
    /// Operands that are constants, with the same rows as the result.
    constants: Vec<Map>,
    /// The parameter that counts what is computed, if the call has one in place of sizes, and how many a row has.
    count: Option<(&'static str, usize)>,
}

/// The heights of buffers, where calls agree on them: those of windowed calls, and of what is computed from them element by element.
pub(super) fn heights(program: &Program) -> Vec<Option<usize>> {
    let mut found: Vec<Option<Option<usize>>> = vec![None; program.buffers.len()];
    let mut note = |id: BufferId, height: usize| {
        let of = &mut found[id.index()];
        *of = match of {
            Some(known) if *known != Some(height) => Some(None),
            _ => Some(Some(height)),
        };
    };
    for call in &program.calls {
        let Some((input, output, _)) = windowed(&call.parameters) else {
            continue;
        };
        let Some((from, to)) = ends(call) else {
            continue;
        };
        for (id, dims) in [(from, input), (to, output)] {
            if dims.n == 1 {
                note(id, dims.sizes()[1]);
            }
        }
    }
    let mut heights: Vec<Option<usize>> = found.iter().map(|known| known.flatten()).collect();
    loop {
        let before = heights.clone();
        for call in &program.calls {
            let Some(count) = counted(call) else {
                continue;
            };
            let ids = || counted_slots(call, count).into_iter().map(|(_, id)| id);
            let Some(height) = ids().find_map(|id| heights[id.index()]) else {
                continue;
            };
            for id in ids().filter(|id| found[id.index()].is_none()) {
                heights[id.index()].get_or_insert(height);
            }
        }
        if heights == before {
            return heights;
        }
    }
}

/// The operand and the result of a call with windows.
fn ends(call: &Call) -> Option<(BufferId, BufferId)> {
    let slots = &call.function.row().slots;
    let output = slots.iter().position(|slot| slot.access == Access::Write)?;
    Some((*call.buffers.first()?.as_ref()?, call.buffers[output]?))
}

/// Sizes of operand and result, and the window, of a call whose first slot is the operand.
fn windowed(parameters: &Parameters) -> Option<(&Dims, &Dims, Window)> {
    let window = |size: i32, stride: i32, padding: i32, dilation: i32| Window {
        size: size.into(),
        stride: stride.into(),
        padding: padding.into(),
        dilation: dilation.into(),
    };
    match parameters {
        Parameters::Conv(of) => {
            let p = &of.conv_params;
            let window = window(of.filter_dims.h, p.stride.h, p.padding.h, p.dilation.h);
            Some((&of.input_dims, &of.output_dims, window))
        }
        Parameters::Depthwise(of) => {
            let p = &of.dw_conv_params;
            let window = window(of.filter_dims.h, p.stride.h, p.padding.h, p.dilation.h);
            Some((&of.input_dims, &of.output_dims, window))
        }
        Parameters::Pool(of) => {
            let p = &of.pool_params;
            let window = window(of.filter_dims.h, p.stride.h, p.padding.h, 1);
            Some((&of.input_dims, &of.output_dims, window))
        }
        Parameters::DilatedPool(of) => {
            let p = &of.params;
            let window = window(of.filter_dims.h, p.stride.h, p.padding.h, of.dilation.h);
            Some((&of.input_dims, &of.output_dims, window))
        }
        // How much padding counts behind the input follows from what is in front, which rows further down do not have.
        Parameters::CountedPool(of)
            if !of.average.padding_counts || of.average.divisor > 0 || of.params.padding.h == 0 =>
        {
            let p = &of.params;
            let window = window(of.filter_dims.h, p.stride.h, p.padding.h, 1);
            Some((&of.input_dims, &of.output_dims, window))
        }
        Parameters::FloatConv(of)
            if of.convolution.upscale.h == 1 && of.convolution.padding.h >= 0 =>
        {
            let p = &of.convolution;
            let window = window(of.filter_dims.h, p.stride.h, p.padding.h, p.dilation.h);
            Some((&of.input_dims, &of.output_dims, window))
        }
        Parameters::FloatMaxPool(of) => {
            let p = &of.windows;
            let window = window(of.filter_dims.h, p.stride.h, p.padding.h, p.dilation.h);
            Some((&of.input_dims, &of.output_dims, window))
        }
        Parameters::FloatAvgPool(of)
            if !of.padding_counts || of.divisor > 0 || of.windows.padding.h == 0 =>
        {
            let p = &of.windows;
            let window = window(of.filter_dims.h, p.stride.h, p.padding.h, p.dilation.h);
            Some((&of.input_dims, &of.output_dims, window))
        }
        _ => None,
    }
}

/// The elements of a call's result, if it computes element by element.
fn counted(call: &Call) -> Option<&'static [&'static str]> {
    let mut slots = call.function.row().slots.iter();
    let output = slots.find(|slot| slot.access == Access::Write)?;
    let is_axis = matches!(
        call.parameters,
        Parameters::Quantise(_) | Parameters::Dequantise(_)
    );
    match output.extent {
        Extent::Product(paths @ (["size"] | ["block_size"])) => Some(paths),
        Extent::Product(paths @ ["outer", "n", "inner"]) if is_axis => Some(paths),
        _ => None,
    }
}

/// The slots with as many elements: all but tables and scales.
fn counted_slots(call: &Call, count: &[&str]) -> Vec<(usize, BufferId)> {
    let slots = call.function.row().slots.iter().zip(&call.buffers);
    let is_counted = |slot: &Slot| matches!(slot.extent, Extent::Product(paths) if paths == count);
    let counted = slots.enumerate().filter(|(_, (slot, _))| is_counted(slot));
    counted
        .filter_map(|(place, (_, id))| Some((place, (*id)?)))
        .collect()
}

/// The parameter that counts rows, and how many of it a row has. Of axes it is the outermost with more than one place.
fn count_of_row(
    call: &Call,
    count: &[&'static str],
    height: usize,
) -> Option<(&'static str, usize)> {
    let value = call.parameters.value();
    let size = |name: &str| match value.at(name) {
        Some(Value::Int(size)) => usize::try_from(*size).ok(),
        _ => None,
    };
    let first = *count.iter().find(|name| size(name) != Some(1))?;
    let counts = size(first)?;
    // Scales belong to the places of the middle axis.
    (first != "n" && counts.is_multiple_of(height)).then(|| (first, counts / height))
}

impl ByRows {
    /// How a call is computed by rows, if it can be.
    pub fn of(program: &Program, call: &Call, heights: &[Option<usize>]) -> Option<ByRows> {
        let found = match counted(call) {
            Some(count) => ByRows::counted(program, call, heights, count)?,
            None => ByRows::windowed(program, call, heights)?,
        };
        let is_beside = |(map, _): &(Map, Window)| map.buffer != found.output.buffer;
        // Each row of the result needs a row of each operand.
        let has_rows = |row: usize| {
            let needs = |input| !needed(input, &(row..row + 1)).is_empty();
            found.inputs.iter().all(needs)
        };
        let holds = call.views.is_empty()
            && found.inputs.iter().all(is_beside)
            && (0..found.output.height).all(has_rows);
        holds.then_some(found)
    }

    /// A call that computes element by element.
    fn counted(
        program: &Program,
        call: &Call,
        heights: &[Option<usize>],
        count: &[&'static str],
    ) -> Option<ByRows> {
        let slots = counted_slots(call, count);
        let maps: Option<Vec<Map>> = slots
            .iter()
            .map(|&(place, id)| map(program, heights, place, id))
            .collect();
        let maps = maps?;
        let slots = call.function.row().slots;
        let output = *maps
            .iter()
            .find(|m| slots[m.place].access == Access::Write)?;
        let is_alike = maps
            .iter()
            .all(|m| (m.height, m.row) == (output.height, output.row));
        let operands = maps.into_iter().filter(|m| m.place != output.place);
        let is_constant = |m: &Map| program.buffers[m.buffer.index()].constant().is_some();
        let (constants, inputs): (Vec<Map>, Vec<Map>) = operands.partition(is_constant);
        let count = count_of_row(call, count, output.height)?;
        (is_alike && !inputs.is_empty()).then(|| ByRows {
            inputs: inputs.into_iter().map(|m| (m, Window::SAME)).collect(),
            output,
            constants,
            count: Some(count),
        })
    }

    /// A call with windows.
    fn windowed(program: &Program, call: &Call, heights: &[Option<usize>]) -> Option<ByRows> {
        let (_, dims, window) = windowed(&call.parameters)?;
        let (from, to) = ends(call)?;
        let place = call.buffers.iter().position(|id| *id == Some(to))?;
        let is_data = program.buffers[from.index()].constant().is_none() && dims.n == 1;
        is_data.then_some(ByRows {
            inputs: vec![(map(program, heights, 0, from)?, window)],
            output: map(program, heights, place, to)?,
            constants: Vec::new(),
            count: None,
        })
    }

    /// The call for some rows of the result, where operand and result lie in their buffers as `first` says: the element of the buffer
    /// at which a row begins.
    pub fn tile(
        &self,
        call: &Call,
        rows: &Range<usize>,
        first: impl Fn(&Map, usize) -> usize,
    ) -> Call {
        let mut tile = call.clone();
        tile.views = vec![None; call.buffers.len()];
        let height = (rows.end - rows.start) as i32;
        for input in &self.inputs {
            let needed = needed(input, rows);
            let (map, window) = input;
            tile.views[map.place] = Some(view(map, &needed, &first));
            let padding = (-window.reach(rows).start).max(0) as i32;
            set_heights(
                &mut tile.parameters,
                (needed.end - needed.start) as i32,
                height,
                padding,
            );
        }
        for map in &self.constants {
            tile.views[map.place] = Some(view(map, rows, |map, row| row * map.row));
        }
        tile.views[self.output.place] = Some(view(&self.output, rows, &first));
        if let Some((count, of_row)) = self.count {
            tile.parameters
                .set(count, i64::from(height) * of_row as i64);
        }
        tile
    }
}

/// A buffer as a map, if its height is known.
fn map(
    program: &Program,
    heights: &[Option<usize>],
    place: usize,
    buffer: BufferId,
) -> Option<Map> {
    let elements = program.buffers[buffer.index()].elements;
    let height = heights[buffer.index()]?;
    let fits = height > 0 && elements > 0 && elements.is_multiple_of(height);
    fits.then(|| Map {
        place,
        buffer,
        height,
        row: elements / height,
    })
}

fn view(map: &Map, rows: &Range<usize>, first: impl Fn(&Map, usize) -> usize) -> View {
    View {
        first: first(map, rows.start),
        elements: (rows.end - rows.start) * map.row,
    }
}

/// The rows of an operand that rows of the result need.
pub(super) fn needed((map, window): &(Map, Window), rows: &Range<usize>) -> Range<usize> {
    let reach = window.reach(rows);
    let within = |row: i64| row.clamp(0, map.height as i64) as usize;
    within(reach.start)..within(reach.end)
}

fn set_heights(parameters: &mut Parameters, input: i32, output: i32, padding: i32) {
    let (from, to, tile) = match parameters {
        Parameters::Conv(of) => (
            &mut of.input_dims,
            &mut of.output_dims,
            &mut of.conv_params.padding,
        ),
        Parameters::Depthwise(of) => (
            &mut of.input_dims,
            &mut of.output_dims,
            &mut of.dw_conv_params.padding,
        ),
        Parameters::Pool(of) => (
            &mut of.input_dims,
            &mut of.output_dims,
            &mut of.pool_params.padding,
        ),
        Parameters::CountedPool(of) => (
            &mut of.input_dims,
            &mut of.output_dims,
            &mut of.params.padding,
        ),
        Parameters::DilatedPool(of) => (
            &mut of.input_dims,
            &mut of.output_dims,
            &mut of.params.padding,
        ),
        Parameters::FloatConv(of) => (
            &mut of.input_dims,
            &mut of.output_dims,
            &mut of.convolution.padding,
        ),
        Parameters::FloatMaxPool(of) => (
            &mut of.input_dims,
            &mut of.output_dims,
            &mut of.windows.padding,
        ),
        Parameters::FloatAvgPool(of) => (
            &mut of.input_dims,
            &mut of.output_dims,
            &mut of.windows.padding,
        ),
        _ => return,
    };
    (from.h, to.h, tile.h) = (input, output, padding);
}

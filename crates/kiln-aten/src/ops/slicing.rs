//! Views of a part of an axis, and ops that write to such a part.

use crate::call::error::Problem;
use crate::call::limits;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::build::axis;
use crate::importer::returns::{Return, Returns, one, view};
use crate::importer::row::Row;
use crate::importer::view::View;
use kiln_ir::movement::Movement;
use kiln_ir::ops::SliceUpdate;
use kiln_ir::{Builder, Dim, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        slice,
        &["aten.slice.Tensor(self, dim=0, start=None, end=None, step=1)"],
    ),
    Row::new(select, &["aten.select.int(self, dim, index)"]),
    Row::new(narrow, &["aten.narrow.default(self, dim, start, length)"]),
    Row::new(
        split,
        &[
            "aten.split.Tensor(self, split_size, dim=0)",
            "aten.unsafe_split.Tensor(self, split_size, dim=0)",
        ],
    ),
    Row::new(
        split_with_sizes,
        &[
            "aten.split_with_sizes.default(self, split_sizes, dim=0)",
            "aten.unsafe_split_with_sizes.default(self, split_sizes, dim=0)",
        ],
    ),
    Row::new(split_sizes, &["aten.split.sizes(self, split_size, dim=0)"]),
    Row::new(
        chunk,
        &[
            "aten.chunk.default(self, chunks, dim=0)",
            "aten.unsafe_chunk.default(self, chunks, dim=0)",
        ],
    ),
    Row::new(
        tensor_split,
        &[
            "aten.tensor_split.sections(self, sections, dim=0)",
            "aten.tensor_split.indices(self, indices, dim=0)",
        ],
    ),
    Row::new(
        |cx, a| split_axis(cx, a, 0),
        &[
            "aten.vsplit.int(self, sections)",
            "aten.vsplit.array(self, indices)",
        ],
    ),
    Row::new(
        |cx, a| split_axis(cx, a, 1),
        &[
            "aten.hsplit.int(self, sections)",
            "aten.hsplit.array(self, indices)",
        ],
    ),
    Row::new(
        |cx, a| split_axis(cx, a, 2),
        &[
            "aten.dsplit.int(self, sections)",
            "aten.dsplit.array(self, indices)",
        ],
    ),
    Row::new(unbind, &["aten.unbind.int(self, dim=0)"]),
    Row::new(
        slice_scatter,
        &["aten.slice_scatter.default(self, src, dim=0, start=None, end=None, step=1)"],
    ),
    Row::new(
        select_scatter,
        &["aten.select_scatter.default(self, src, dim, index)"],
    ),
];

/// The position that a Python index means. A negative index counts from the end.
pub(crate) fn from_end(cx: &Importer<'_>, index: &Dim, size: &Dim) -> Dim {
    match cx.symbols().less_equal(&0.into(), index) {
        Some(true) => index.clone(),
        Some(false) => index + size,
        // -1 if the index is negative, else 0.
        None => {
            let negative = Dim::min([0.into(), Dim::max([index.clone(), Dim::constant(-1)])]);
            index - negative * size
        }
    }
}

/// A slice of an axis: the axis, its size, and the part.
struct Part {
    axis: usize,
    start: Dim,
    len: Dim,
    step: i64,
}

impl Part {
    /// The bounds of a Python slice: negative ones count from the end, and all are clamped to the axis.
    fn of_slice(cx: &Importer<'_>, a: &Args<'_>, x: ValueId) -> Result<Part, Problem> {
        let axis = whole_axis(cx, a, x)?;
        let size = cx.size(x, axis)?;
        let bound = |name, otherwise: Dim| -> Result<Dim, Problem> {
            Ok(match a.optional_dim(name)? {
                None => otherwise,
                Some(d) if d.is(i64::MAX) => size.clone(),
                Some(d) => {
                    let at = from_end(cx, &d, &size);
                    let at = cx.symbols().greater(&at, &0.into());
                    cx.symbols().lesser(&at, &size)
                }
            })
        };
        let start = bound("start", 0.into())?;
        let end = bound("end", size.clone())?;
        let step = a.int("step")?;
        if step < 1 {
            return Err(Problem::unsupported(format!("a step of {step}")));
        }
        let span = cx.symbols().greater(&(end - &start), &0.into());
        let len = (span + (step - 1)).floor_div(&step.into());
        Ok(Part {
            axis,
            start,
            len,
            step,
        })
    }

    /// The part with its length as the program declares it, if the declared symbols are bound and the lengths are not
    /// provably different. The declared length is the simpler expression.
    fn with_declared(mut self, cx: &Importer<'_>, a: &Args<'_>) -> Part {
        if let Some(declared) = a.declared_shape().and_then(|s| s.get(self.axis))
            && cx.is_bound(declared)
            && cx.symbols().equal(declared, &self.len) != Some(false)
        {
            self.len = declared.clone();
        }
        self
    }

    fn view(self) -> View {
        View::Slice {
            axis: self.axis,
            start: self.start,
            len: self.len,
            step: self.step,
        }
    }
}

fn whole_axis(cx: &Importer<'_>, a: &Args<'_>, x: ValueId) -> Result<usize, Problem> {
    match cx.rank(x) {
        0 => Err(Problem::unsupported("a scalar has no axis")),
        rank => axis(a.int("dim")?, rank),
    }
}

fn slice(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let part = Part::of_slice(cx, a, x)?.with_declared(cx, a);
    let whole = part.start.is(0) && part.step == 1 && part.len == cx.size(x, part.axis)?;
    let steps = if whole { Vec::new() } else { vec![part.view()] };
    view(a.variable("self")?, steps)
}

fn select_steps(
    cx: &Importer<'_>,
    x: ValueId,
    axis: usize,
    index: Dim,
) -> Result<Vec<View>, Problem> {
    let mut shape = cx.shape(x);
    shape[axis] = Dim::constant(1);
    let slice = View::Slice {
        axis,
        start: index,
        len: 1.into(),
        step: 1,
    };
    let squeeze = View::Move(Movement::squeeze(&shape, &[axis])?);
    Ok(if cx.size(x, axis)?.is(1) {
        vec![squeeze]
    } else {
        vec![slice, squeeze]
    })
}

fn select(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let axis = whole_axis(cx, a, x)?;
    let index = from_end(cx, &a.dim("index")?, &cx.size(x, axis)?);
    view(a.variable("self")?, select_steps(cx, x, axis, index)?)
}

fn narrow(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let axis = whole_axis(cx, a, x)?;
    let start = from_end(cx, &a.dim("start")?, &cx.size(x, axis)?);
    let (len, step) = (a.dim("length")?, 1);
    let part = Part {
        axis,
        start,
        len,
        step,
    };
    view(a.variable("self")?, vec![part.view()])
}

/// Parts of an axis, each from a start and with a length.
fn parts(
    a: &Args<'_>,
    axis: usize,
    ranges: impl IntoIterator<Item = (Dim, Dim)>,
) -> Result<Returns, Problem> {
    let view = |(start, len)| {
        let part = Part {
            axis,
            start,
            len,
            step: 1,
        };
        vec![part.view()]
    };
    let list = ranges.into_iter().map(view).collect();
    Ok(vec![Return::Views(a.variable("self")?, list)])
}

/// Consecutive parts of the given sizes.
fn parts_of_sizes(a: &Args<'_>, axis: usize, sizes: Vec<Dim>) -> Result<Returns, Problem> {
    let mut start = Dim::constant(0);
    let ranges = sizes.into_iter().map(|len| {
        let next = &start + &len;
        (std::mem::replace(&mut start, next), len)
    });
    parts(a, axis, ranges)
}

/// The number of parts of size `each` in an axis.
fn count(a: &Args<'_>, size: &Dim, each: &Dim) -> Result<i64, Problem> {
    let counted = (size + each - 1).floor_div(each).as_const();
    let declared = a.declared_list().map(|types| types.len() as i64);
    match declared.or(counted) {
        Some(n) => Ok(limits::results(n)?.max(1) as i64),
        None => Err(Problem::unsupported(
            "the number of parts is known only when running; use split_with_sizes",
        )),
    }
}

/// Parts of size `each`. The last part has the remaining elements.
fn parts_of(a: &Args<'_>, axis: usize, size: &Dim, each: &Dim) -> Result<Returns, Problem> {
    let n = if size.is(0) { 1 } else { count(a, size, each)? };
    let mut sizes = vec![each.clone(); n as usize];
    if let Some(last) = sizes.last_mut() {
        *last = size - each * (n - 1);
    }
    parts_of_sizes(a, axis, sizes)
}

fn split(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let axis = whole_axis(cx, a, x)?;
    let (size, each) = (cx.size(x, axis)?, a.dim("split_size")?);
    if each.is(0) && !size.is(0) {
        return Err(Problem::unsupported("parts of size 0"));
    }
    parts_of(a, axis, &size, &each)
}

fn split_with_sizes(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let axis = whole_axis(cx, a, a.tensor("self")?)?;
    parts_of_sizes(a, axis, a.dims("split_sizes")?)
}

fn split_sizes(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let axis = whole_axis(cx, a, a.tensor("self")?)?;
    parts_of_sizes(a, axis, a.dims("split_size")?)
}

fn positive(a: &Args<'_>, name: &'static str) -> Result<Dim, Problem> {
    let n = a.dim(name)?;
    match n.as_const() {
        Some(c) if c < 1 => Err(Problem::unsupported(format!("{name}={c}"))),
        _ => Ok(n),
    }
}

fn chunk(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let axis = whole_axis(cx, a, x)?;
    let (size, chunks) = (cx.size(x, axis)?, positive(a, "chunks")?);
    if size.is(0) {
        let n = limits::results(a.int("chunks")?)?;
        return parts_of_sizes(a, axis, vec![0.into(); n]);
    }
    let each = (&size + &chunks - 1).floor_div(&chunks);
    parts_of(a, axis, &size, &each)
}

/// Equal sections. The first `size % sections` sections have one element more.
fn sections(a: &Args<'_>, axis: usize, size: &Dim) -> Result<Returns, Problem> {
    let sections = a.int("sections")?;
    if limits::results(sections)? == 0 {
        return Err(Problem::unsupported(format!("sections={sections}")));
    }
    let sizes = (0..sections).map(|i| (size + (sections - 1 - i)).floor_div(&sections.into()));
    parts_of_sizes(a, axis, sizes.collect())
}

/// Parts that end at the given indices, and the remaining part.
fn parts_at(cx: &Importer<'_>, a: &Args<'_>, axis: usize, size: &Dim) -> Result<Returns, Problem> {
    let mut ends = a.dims("indices")?;
    ends.push(size.clone());
    let (symbols, mut start) = (cx.symbols(), Dim::constant(0));
    let ranges = ends.into_iter().map(|end| {
        let end = symbols.greater(&from_end(cx, &end, size), &0.into());
        let end = symbols.lesser(&end, size);
        let len = symbols.greater(&(&end - &start), &0.into());
        (std::mem::replace(&mut start, end), len)
    });
    parts(a, axis, ranges)
}

fn split_along(cx: &Importer<'_>, a: &Args<'_>, axis: usize) -> Result<Returns, Problem> {
    let size = cx.size(a.tensor("self")?, axis)?;
    if a.has("sections") {
        sections(a, axis, &size)
    } else {
        parts_at(cx, a, axis, &size)
    }
}

fn tensor_split(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let axis = whole_axis(cx, a, a.tensor("self")?)?;
    split_along(cx, a, axis)
}

/// Splits along axis `dim`. `hsplit` splits a vector along its only axis.
fn split_axis(cx: &mut Importer<'_>, a: &Args<'_>, axis: usize) -> Result<Returns, Problem> {
    let rank = cx.rank(a.tensor("self")?);
    let axis = if axis == 1 && rank == 1 { 0 } else { axis };
    if axis >= rank {
        return Err(Problem::unsupported(format!(
            "splits axis {axis} of rank {rank}"
        )));
    }
    split_along(cx, a, axis)
}

fn unbind(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let axis = whole_axis(cx, a, x)?;
    let size = cx.size(x, axis)?;
    let n = match size.as_const() {
        Some(0) => 0,
        _ => count(a, &size, &1.into())?,
    };
    let list: Result<Vec<Vec<View>>, Problem> = (0..n)
        .map(|i| select_steps(cx, x, axis, i.into()))
        .collect();
    Ok(vec![Return::Views(a.variable("self")?, list?)])
}

fn updated(
    cx: &mut Importer<'_>,
    x: ValueId,
    source: ValueId,
    part: Part,
) -> Result<Returns, Problem> {
    let ty = cx.ty(x).clone();
    let mut shape = ty.shape;
    shape[part.axis] = part.len;
    let source = cx.cast(source, ty.dtype)?;
    let source = cx.expand(source, &shape)?;
    let op = SliceUpdate {
        axis: part.axis,
        start: part.start,
        step: part.step,
    };
    one(cx.value(op, &[x, source])?)
}

fn slice_scatter(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, source) = (a.tensor("self")?, a.tensor("src")?);
    let mut part = Part::of_slice(cx, a, x)?;
    // The source must fit the part, so the part's size is the source's size.
    if let Some(len) = cx.shape(source).get(part.axis)
        && !len.is(1)
    {
        part.len = len.clone();
    }
    updated(cx, x, source, part)
}

fn select_scatter(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, source) = (a.tensor("self")?, a.tensor("src")?);
    let axis = whole_axis(cx, a, x)?;
    let start = from_end(cx, &a.dim("index")?, &cx.size(x, axis)?);
    let source = cx.unsqueeze(source, &[axis])?;
    let part = Part {
        axis,
        start,
        len: 1.into(),
        step: 1,
    };
    updated(cx, x, source, part)
}

//! The cost of a value in another order.

use super::movers::{Mover, Movers, compose};
use super::order::{Order, Rows};
use super::terminals::Way;
use kiln_ir::{Graph, Movement, Symbols};

/// The highest cost of one conversion, so that sums stay small.
const MAX_PRICE: u64 = 1 << 40;
/// The number of transposes that a way without moves is charged.
const WITHOUT_MOVES: u64 = 3;

/// The cost of a reshape that copies (because its operand has other readers, or it crosses a border), where a reshape
/// in place costs 1. A transpose moves as many bytes, but is slower.
const COPY: u64 = 15;

/// The unit in which conversions are charged. A dynamic size counts at its symbols' maximum.
#[derive(Clone, Copy)]
pub(super) enum Price<'a> {
    /// Bytes times the cost of these movers' moves, plus a fixed number of bytes per way.
    Work(&'a Symbols, Movers, u64),
    /// Bytes if anything moves, with that form of rows. No sequence of moves writes fewer.
    Bytes(&'a Symbols, Rows),
}

impl Price<'_> {
    fn rows(&self) -> Rows {
        match self {
            Price::Work(_, movers, _) => movers.rows,
            Price::Bytes(_, rows) => *rows,
        }
    }

    /// True if a cost that cannot be determined is to be underestimated.
    pub(super) fn is_bound(&self) -> bool {
        matches!(self, Price::Bytes(..))
    }

    /// The price of a way from a value in one order to its reader's order.
    pub(super) fn of(&self, graph: &Graph, way: &Way, from: &Order, to: &Order) -> u64 {
        if way.movements.is_empty() && from == to {
            return 0;
        }
        let path = path(graph, way, [from, to], self.rows());
        if way.is_absorbed && is_shuffle_of_last(&path) {
            return 0;
        }
        let straight = self.of_path(graph, way, from, &path);
        if straight == 0 || !way.is_turnable {
            return straight;
        }
        straight.min(self.of_path(graph, way, from, &turned(path)))
    }

    /// The price of a reshape whose operand has other readers, which makes it a copy.
    pub(super) fn of_copy(&self, graph: &Graph, way: &Way) -> u64 {
        match self {
            Price::Bytes(..) => 0,
            Price::Work(symbols, movers, each) => {
                let bytes = bytes(graph, way, symbols, movers.byte).saturating_add(*each);
                bytes.saturating_mul(COPY).min(MAX_PRICE)
            }
        }
    }

    fn of_path(&self, graph: &Graph, way: &Way, from: &Order, path: &[Movement]) -> u64 {
        match self {
            Price::Bytes(symbols, _) => match is_view(path) {
                true => 0,
                false => bytes(graph, way, symbols, 1).min(MAX_PRICE),
            },
            Price::Work(symbols, movers, each) => {
                let dims = from.dims(&graph.ty(way.source).shape, movers.rows);
                let is_shared = way.enters || graph.value(way.source).uses().len() > 1;
                let moves = match is_shared {
                    true => movers.moves_from_shared(path, &dims),
                    false => movers.moves_of(path, &dims),
                };
                let is_reshape = |s: Option<&Mover>| matches!(s, Some(Mover::Reshape(_)));
                let more = |s: &[Mover]| {
                    let copies =
                        is_shared && is_reshape(s.first()) || way.leaves && is_reshape(s.last());
                    if copies { COPY - 1 } else { 0 }
                };
                let without = WITHOUT_MOVES * movers.transpose;
                let work = moves.map_or(without, |s| movers.cost(&s) + more(&s));
                let bytes = bytes(graph, way, symbols, movers.byte).saturating_add(*each);
                bytes.saturating_mul(work).min(MAX_PRICE)
            }
        }
    }
}

fn path(graph: &Graph, way: &Way, [from, to]: [&Order; 2], rows: Rows) -> Vec<Movement> {
    let back = from.to_memory(&graph.ty(way.source).shape, rows).inverse();
    let forth = to.to_memory(&graph.ty(way.value).shape, rows);
    let all = way.movements.iter().chain([&forth]);
    all.fold(vec![back], compose)
}

/// The path, with the last two axes of its end exchanged.
pub(super) fn turned(path: Vec<Movement>) -> Vec<Movement> {
    let dims = path.last().map(Movement::result_shape).unwrap_or_default();
    let Some(last) = dims.len().checked_sub(2) else {
        return path;
    };
    let mut axes: Vec<usize> = (0..dims.len()).collect();
    axes.swap(last, last + 1);
    match Movement::permute(&dims, &axes) {
        Ok(swap) => compose(path, &swap),
        Err(_) => path,
    }
}

/// True if the movements only permute the indices of the innermost axis.
pub(super) fn is_shuffle_of_last(path: &[Movement]) -> bool {
    let [movement] = path else {
        return path.is_empty();
    };
    let Some((_, outer)) = movement.result().split_last() else {
        return true;
    };
    let mut outer = outer.iter().flatten().map(|f| f.index()).enumerate();
    outer.all(|(i, factor)| i == factor)
}

/// True if the movements leave every element in its place.
fn is_view(path: &[Movement]) -> bool {
    path.iter().all(Movement::is_view)
}

/// The bytes of a value, where elements of one byte count as `byte` of them.
fn bytes(graph: &Graph, way: &Way, symbols: &Symbols, byte: u64) -> u64 {
    let ty = graph.ty(way.value);
    let element = match ty.dtype.size() as u64 {
        1 => byte,
        size => size,
    };
    ty.shape.iter().fold(element, |n, size| {
        let bounds = symbols.bounds(size);
        let size = bounds.hi.or(bounds.lo).unwrap_or(1).max(1);
        n.saturating_mul(size as u64)
    })
}

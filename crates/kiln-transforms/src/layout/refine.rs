//! Local improvement of the labels for costs that a cut cannot express.
//!
//! A cut cannot express two costs: readers with unlike labels that want the same place in memory pay once, and a
//! reshape of a value that has other readers is a copy. Where such costs arise, each choice takes its other label if
//! that lowers the sum over all ways that it touches. This is repeated a few times.

use super::flow::{dims, groups, place};
use super::price::Price;
use super::terminals::{Terminal, Terminals, Way};
use kiln_ir::{Dim, Graph, Movement};

/// How often every choice is visited.
const ROUNDS: usize = 3;
/// The most ways of one value that are refined. Beyond, the labels stay as the cut made them.
const MAX_WAYS: usize = 32;

/// Gives each choice the label of least cost, given the labels of all others.
pub(super) fn refine(graph: &Graph, terminals: &Terminals, price: Price<'_>, labels: &mut [bool]) {
    let groups = groups(terminals.ways.iter());
    let mut touched: Vec<Vec<usize>> = vec![Vec::new(); labels.len()];
    for (number, ways) in groups.iter().enumerate() {
        let ends = ways.iter().flat_map(|way| [&way.from, &way.to]);
        for end in ends {
            if let Terminal::Free(choice) = *end
                && touched[choice].last() != Some(&number)
            {
                touched[choice].push(number);
            }
        }
    }
    let is_small = |numbers: &Vec<usize>| numbers.iter().all(|&n| groups[n].len() <= MAX_WAYS);
    let cost = |numbers: &[usize], labels: &[bool]| -> u64 {
        let costs = numbers
            .iter()
            .map(|&n| of_group(graph, terminals, price, &groups[n], labels));
        costs.fold(0, u64::saturating_add)
    };
    for _ in 0..ROUNDS {
        let mut is_changed = false;
        for (choice, numbers) in touched.iter().enumerate().filter(|(_, n)| is_small(n)) {
            let own = cost(numbers, labels);
            labels[choice] = !labels[choice];
            if own > 0 && cost(numbers, labels) < own {
                is_changed = true;
            } else {
                labels[choice] = !labels[choice];
            }
        }
        if !is_changed {
            return;
        }
    }
}

/// A place in memory that a reader wants.
struct Wanted {
    place: Vec<Movement>,
    /// The conversion cost from the maker, for the cheapest reader.
    cost: u64,
    /// The shapes in which readers want it.
    shapes: Vec<Vec<Dim>>,
    /// Adds a shape.
    copy: u64,
}

/// The cost of all ways of one value with these labels.
fn of_group(
    graph: &Graph,
    terminals: &Terminals,
    price: Price<'_>,
    ways: &[&Way],
    labels: &[bool],
) -> u64 {
    let rows = terminals.movers.rows;
    let mut wanted: Vec<Wanted> = Vec::new();
    let in_order = |turnable: bool| ways.iter().filter(move |way| way.is_turnable == turnable);
    for way in in_order(false).chain(in_order(true)) {
        let [from, to] = [&way.from, &way.to].map(|end| terminals.order(end, labels));
        let own = place(graph, way, &to, false, rows);
        let is_met = |w: &Wanted| way.is_turnable && w.place == place(graph, way, &to, true, rows);
        if wanted.iter().any(is_met) {
            continue;
        }
        let cost = price.of(graph, way, &from, &to);
        if way.is_absorbed && cost == 0 {
            continue;
        }
        add(
            &mut wanted,
            own,
            cost,
            dims(graph, way, &to, rows),
            price.of_copy(graph, way),
        );
    }
    let copies = |w: &Wanted| w.copy.saturating_mul(w.shapes.len() as u64 - 1);
    let costs = wanted.iter().map(|w| w.cost.saturating_add(copies(w)));
    costs.fold(0, u64::saturating_add)
}

fn add(wanted: &mut Vec<Wanted>, place: Vec<Movement>, cost: u64, shape: Vec<Dim>, copy: u64) {
    let Some(found) = wanted.iter_mut().find(|w| w.place == place) else {
        let shapes = vec![shape];
        return wanted.push(Wanted {
            place,
            cost,
            shapes,
            copy,
        });
    };
    found.cost = found.cost.min(cost);
    if !found.shapes.contains(&shape) {
        found.shapes.push(shape);
    }
}

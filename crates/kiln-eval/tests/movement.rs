//! `move`, compared with index maps that are written by hand.

use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::ops::Move;
use kiln_ir::{Movement, Symbols};
use proptest::prelude::*;

/// Splits `0..count` into runs where `cuts` is set.
fn axes(order: &[usize], cuts: &[bool]) -> Vec<Vec<usize>> {
    let mut axes: Vec<Vec<usize>> = Vec::new();
    for (i, &factor) in order.iter().enumerate() {
        match axes.last_mut() {
            Some(axis) if !cuts[i] => axis.push(factor),
            _ => axes.push(vec![factor]),
        }
    }
    axes
}

proptest! {
    #[test]
    fn moved_elements_are_where_the_factors_say(
        (sizes, order) in prop::collection::vec(1usize..4, 1..6).prop_flat_map(|sizes| {
            let order: Vec<usize> = (0..sizes.len()).collect();
            (Just(sizes), Just(order).prop_shuffle())
        }),
        cuts in prop::collection::vec(any::<bool>(), 12),
    ) {
        let in_order: Vec<usize> = (0..sizes.len()).collect();
        let (source, result) = (axes(&in_order, &cuts[..6]), axes(&order, &cuts[6..]));
        let extents = |axes: &[Vec<usize>]| -> Vec<usize> {
            axes.iter().map(|axis| axis.iter().map(|&f| sizes[f]).product()).collect()
        };
        let dims = sizes.iter().map(|&n| (n as i64).into()).collect();
        let movement = Movement::from_parts(dims, source.clone(), result.clone()).unwrap();
        let count: usize = sizes.iter().product();
        let x = Tensor::new(extents(&source), (0..count as i32).collect());
        // For element `i` of the result, the coordinates along the factors, in result order.
        let place = |mut i: usize| {
            let mut digits = vec![0; sizes.len()];
            for &f in order.iter().rev() {
                digits[f] = i % sizes[f];
                i /= sizes[f];
            }
            in_order.iter().fold(0, |at, &f| at * sizes[f] + digits[f]) as i32
        };
        let expected = Tensor::new(extents(&result), (0..count).map(place).collect::<Vec<i32>>());
        let mut bindings = Bindings::new(&Symbols::default());
        let moved = evaluate_op(&Move { movement }.into(), &[x], &mut bindings, 1 << 20).unwrap();
        prop_assert_eq!(moved, [expected]);
    }
}

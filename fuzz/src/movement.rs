//! Movements: what prints parses to the same, and the algebra's laws hold of what parses.

use kiln_ir::SymbolId;
use kiln_ir::movement::{Composed, Movement, MovementNames, parse_movement};

/// A movement of more elements is not carried out.
const MAX_MOVED: usize = 1 << 12;

/// Parses, prints, parses again; inverts, composes, realises and applies.
pub fn law(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let symbols = super::symbols();
    let movement = match parse_movement(text, &symbols) {
        Ok((movement, used)) => {
            assert!(text.is_char_boundary(used));
            movement
        }
        Err(error) => return super::refused(error),
    };
    let printed = MovementNames(&movement, &symbols).to_string();
    let (again, used) =
        parse_movement(&printed, &symbols).unwrap_or_else(|error| panic!("{printed}: {error}"));
    assert_eq!((&again, used), (&movement, printed.len()), "{printed}");
    algebra(&movement);
    elements(&movement);
}

fn algebra(movement: &Movement) {
    let inverse = movement.inverse();
    assert_eq!(&inverse.inverse(), movement);
    if let Composed::One(there_and_back) = movement.compose(&inverse) {
        assert!(
            there_and_back.is_identity(),
            "{movement} and back is {there_and_back}"
        );
    }
    movement.realise();
    for axis in 0..movement.source().len() {
        movement.track(axis);
        movement.through(axis);
    }
}

/// Its inverse brings every element back.
fn elements(movement: &Movement) {
    let value = |_: SymbolId| Some(3);
    let inverse = movement.inverse();
    let (Some(sizes), Some(back)) = (movement.factor_sizes(&value), inverse.factor_sizes(&value))
    else {
        return;
    };
    let plan = movement.copy_plan(&sizes);
    if plan.len() <= MAX_MOVED {
        let source: Vec<usize> = (0..plan.len()).collect();
        let moved = plan.apply(&source);
        assert!(
            moved
                .iter()
                .enumerate()
                .all(|(i, &from)| plan.source_index(i) == from)
        );
        assert_eq!(inverse.copy_plan(&back).apply(&moved), source, "{movement}");
    }
}

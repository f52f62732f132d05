//! The evaluator gives every operator's result its declared type.

mod cases;

use kiln_tosa::dialect::Kind;
use kiln_tosa::evaluate::{dtype_of, evaluate};

#[test]
fn every_operator_is_evaluated() {
    for case in (0..20).flat_map(cases::all) {
        if case.kind == Kind::Custom {
            continue;
        }
        let outputs = evaluate(&case.graph, &case.inputs)
            .unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let main = case.graph.main();
        assert_eq!(outputs.len(), main.outputs.len(), "{}", case.name);
        for (id, output) in main.outputs.iter().zip(&outputs) {
            let expected = main.tensor(*id).unwrap();
            let found = (Some(output.dtype()), output.sizes());
            assert_eq!(
                found,
                (dtype_of(expected.dtype), expected.shape.as_slice()),
                "{}",
                case.name
            );
        }
    }
}

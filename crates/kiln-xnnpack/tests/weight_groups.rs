//! Fully connected layers on floats whose weights have scales by groups: a layer for each group, with the results of the graph on the
//! stock runtime. The weights stay integers.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod build;
mod device;

use build::{Build, dims, graph, tensor};
use device::{compiled, payloads};
use kiln_eval::{State, Tensor, evaluate};
use kiln_ir::ops::{Dequantize, Linear, Quantize, Unary, UnaryFn};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, Dim, Graph, Scalar, Symbol, ValueId};
use kiln_xnnpack::payload::{Datatype, XnnOp};
use std::sync::Arc;

#[derive(Clone, Copy, Debug)]
struct Case {
    rows: &'static [i64],
    columns: i64,
    group: usize,
    /// The least and the greatest integer.
    range: [i64; 2],
    dtype: DType,
    has_bias: bool,
    is_clamped: bool,
    /// The first axis has a bound in place of a size.
    is_bounded: bool,
}

const PLAIN: Case = Case {
    rows: &[3],
    columns: 128,
    group: 32,
    range: NIBBLES,
    dtype: DType::F32,
    has_bias: true,
    is_clamped: false,
    is_bounded: false,
};

const NIBBLES: [i64; 2] = [-8, 7];
const BYTES: [i64; 2] = [-127, 127];
const OUTPUTS: usize = 20;

const CASES: [Case; 12] = [
    PLAIN,
    Case {
        group: 16,
        rows: &[1],
        ..PLAIN
    },
    Case {
        has_bias: false,
        ..PLAIN
    },
    Case {
        is_clamped: true,
        ..PLAIN
    },
    Case {
        has_bias: false,
        is_clamped: true,
        ..PLAIN
    },
    // One group, which is the whole row; without a bias it is the whole layer.
    Case {
        group: 128,
        has_bias: false,
        is_clamped: true,
        ..PLAIN
    },
    Case {
        group: 64,
        rows: &[2, 1, 5],
        range: [-4, 3],
        ..PLAIN
    },
    Case {
        columns: 99,
        group: 33,
        ..PLAIN
    },
    Case {
        range: BYTES,
        rows: &[1],
        columns: 192,
        group: 96,
        ..PLAIN
    },
    Case {
        is_bounded: true,
        rows: &[4, 2],
        ..PLAIN
    },
    Case {
        dtype: DType::F16,
        ..PLAIN
    },
    Case {
        dtype: DType::BF16,
        is_clamped: true,
        ..PLAIN
    },
];

fn model(case: &Case) -> Graph {
    graph(|b| {
        let mut sizes = dims(&[case.rows, &[case.columns]].concat());
        if case.is_bounded {
            let symbol = Symbol {
                name: "n".into(),
                min: 1,
                max: Some(2 * case.rows[0]),
                hint: Some(case.rows[0]),
            };
            sizes[0] = Dim::symbol(b.rewriter.add_symbol(symbol));
        }
        let x = b.input(case.dtype, sizes);
        let weight = weights(b, case);
        let mut operands = vec![x, weight];
        if case.has_bias {
            operands.push(b.weights(case.dtype, &[OUTPUTS]));
        }
        let y = b.op(Linear {}, &operands);
        let f = UnaryFn::Clamp {
            min: Some(Scalar::Float(-1.0)),
            max: Some(Scalar::Float(1.5)),
        };
        vec![if case.is_clamped {
            b.op(Unary { f }, &[y])
        } else {
            y
        }]
    })
}

/// Integers, and scales that f16 and bf16 do not hold.
fn weights(b: &mut Build<'_>, case: &Case) -> ValueId {
    let columns = case.columns as usize;
    let count = OUTPUTS * columns / case.group;
    let [min, max] = case.range;
    let size = 0.3 / max as f64;
    let scheme = QuantScheme::PerGroup {
        group: case.group,
        scales: (0..count)
            .map(|i| f64::from((size * (1.0 + 0.137 * (i % 7) as f64)) as f32))
            .collect(),
        zero_points: vec![0; count].into(),
    };
    let quant = Arc::new(Quant { scheme, min, max });
    let weight = b.weights(DType::F32, &[OUTPUTS, columns]);
    let integers = b.op(
        Quantize {
            quant,
            dtype: DType::I8,
        },
        &[weight],
    );
    b.op(Dequantize { dtype: case.dtype }, &[integers])
}

/// The types of the weights of all fully connected layers.
fn filters(case: &Case, made: &[kiln_portable::region::Region]) -> Vec<Datatype> {
    let graphs = payloads(made);
    assert_eq!(graphs.len(), 1, "{case:?}");
    let of = |op: &XnnOp| match op {
        XnnOp::FullyConnected { filter, .. } => Some(graphs[0].values[filter.index()].datatype),
        _ => None,
    };
    graphs[0]
        .nodes
        .iter()
        .filter_map(|node| of(&node.op))
        .collect()
}

#[test]
fn a_layer_by_groups_is_a_layer_for_each_group() {
    for case in &CASES {
        let graph = model(case);
        let (made, regions) = compiled(&graph);
        let is_narrow = case.range[1] < 8 && case.group % 2 == 0;
        let datatype = if is_narrow {
            Datatype::QcInt4
        } else {
            Datatype::QcInt8
        };
        let layers = case.columns as usize / case.group;
        assert_eq!(filters(case, &regions), vec![datatype; layers], "{case:?}");

        let input: Vec<usize> = [case.rows, &[case.columns]]
            .concat()
            .iter()
            .map(|&n| n as usize)
            .collect();
        let fed = vec![Tensor::from(tensor(9, case.dtype, &input))];
        let settings = kiln_eval::Options::default();
        let expected = evaluate(&graph, &fed, &mut State::new(&graph), &settings).unwrap();
        let expected = expected.outputs[0].scalars();
        let largest = expected
            .iter()
            .fold(0.0, |most, s| s.as_f64().abs().max(most));
        assert!(
            largest > 0.5,
            "{case:?}: no result is larger than {largest}"
        );
        // Sums of f32 in another order; half types are rounded at the end.
        let unit = match case.dtype {
            DType::BF16 => 8e-3,
            DType::F16 => 1e-3,
            _ => 2e-6,
        };
        let bound = unit * largest;
        let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
            continue;
        };
        let made = &device::run(&runner, &made, regions, &fed)[0];
        for (found, expected) in made.scalars().iter().zip(&expected) {
            let off = (found.as_f64() - expected.as_f64()).abs();
            assert!(off <= bound, "{case:?}: {found:?}, not {expected:?}");
        }
    }
}

/// Layers that read one tensor share the groups of its rows.
#[test]
fn groups_of_one_tensor_are_sliced_once() {
    let graph = graph(|b| {
        let x = b.input(DType::F32, dims(&[3, PLAIN.columns]));
        let of = |group| Case { group, ..PLAIN };
        let layers = [of(32), of(32), of(64)].map(|case| {
            let weight = weights(b, &case);
            b.op(Linear {}, &[x, weight])
        });
        layers.to_vec()
    });
    let (_, regions) = compiled(&graph);
    let graphs = payloads(&regions);
    let is_slice = |op: &XnnOp| matches!(op, XnnOp::Slice { .. });
    let slices = graphs[0].nodes.iter().filter(|node| is_slice(&node.op));
    assert_eq!(slices.count(), 4 + 2);
}

/// Layers of so few channels would take longer than one of floats.
#[test]
fn short_groups_are_floats() {
    let case = Case {
        columns: 120,
        group: 15,
        ..PLAIN
    };
    let (_, regions) = compiled(&model(&case));
    let found = filters(&case, &regions);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        matches!(found[0], Datatype::Fp32 | Datatype::Fp16),
        "{found:?}"
    );
}

//! Random small graphs of every operator, with inputs for which the specification defines a result.

#![allow(dead_code)]

mod making;
mod values;
mod windows;

use kiln_check::Random;
use kiln_eval::Tensor;
use kiln_tosa::dialect::table::{Dtypes, row};
use kiln_tosa::dialect::{Builder, Kind, TosaDtype, TosaGraph};
use making::Making;

pub struct Case {
    pub name: String,
    pub kind: Kind,
    pub graph: TosaGraph,
    pub inputs: Vec<Tensor>,
}

/// One case for each operator and combination of dtypes, without 8-bit floats.
pub fn all(seed: u64) -> Vec<Case> {
    let mut random = Random::new(seed);
    let mut cases = Vec::new();
    for &kind in Kind::ALL {
        const ANY: &[Dtypes] = &[Dtypes {
            columns: &[TosaDtype::I8],
            features: &[],
        }];
        let combinations = match row(kind).dtypes {
            [] => ANY,
            some => some,
        };
        for dtypes in combinations {
            let is_made = |d: &TosaDtype| !matches!(d, TosaDtype::F8E4M3 | TosaDtype::F8E5M2);
            if dtypes.columns.iter().all(is_made) {
                cases.push(case(kind, dtypes.columns, &mut random));
            }
        }
    }
    cases
}

/// Numbers as a network's inputs have them. 32-bit integers are indices.
pub fn small(dtype: TosaDtype, shape: &[usize], random: &mut Random) -> Tensor {
    let range = match dtype {
        TosaDtype::I32 => values::Range::Between(0, 1),
        _ => values::Range::Usual,
    };
    values::tensor(dtype, shape, range, random)
}

fn case(kind: Kind, dtypes: &[TosaDtype], random: &mut Random) -> Case {
    let mut making = Making {
        b: Builder::new(),
        random,
        inputs: Vec::new(),
    };
    let dtype_names: Vec<&str> = dtypes.iter().map(|d| d.name()).collect();
    let name = format!("{} {}", kind.name(), dtype_names.join(" "));
    let outputs = making
        .outputs(kind, dtypes)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    Case {
        name,
        kind,
        graph: making.b.finish(&outputs),
        inputs: making.inputs,
    }
}

//! Reductions along axes, and softmax.

use super::probe::{FLOATS, Probe, of_op};
use kiln_ir::ops::*;

pub fn reductions(probes: &mut Vec<Probe>) {
    for dtype in FLOATS {
        for f in [ReduceFn::Sum, ReduceFn::Mean, ReduceFn::Max, ReduceFn::Min] {
            for axes in [
                vec![3],
                vec![1],
                vec![0],
                vec![2, 3],
                vec![1, 3],
                vec![0, 1, 2, 3],
            ] {
                let name = format!("{f:?} along {axes:?}");
                probes.push(of_op(&name, dtype, &[2, 5, 3, 4], Reduce { f, axes }));
            }
            let name = format!("{f:?} of many");
            probes.push(of_op(&name, dtype, &[3, 137], Reduce { f, axes: vec![1] }));
            probes.push(of_op(
                &format!("{name} rows"),
                dtype,
                &[137, 3],
                Reduce { f, axes: vec![0] },
            ));
        }
        for (axis, log) in [(1, false), (3, false), (1, true), (3, true)] {
            let name = format!("softmax along {axis}, log {log}");
            probes.push(of_op(&name, dtype, &[2, 21, 3, 19], Softmax { axis, log }));
        }
    }
}

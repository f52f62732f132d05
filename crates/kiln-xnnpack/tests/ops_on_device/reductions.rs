//! Sums, means and extremes along axes.

use super::*;

#[test]
fn reductions() {
    for f in [ReduceFn::Sum, ReduceFn::Mean, ReduceFn::Max, ReduceFn::Min] {
        for axes in [
            vec![0],
            vec![1],
            vec![2],
            vec![3],
            vec![2, 3],
            vec![1, 2],
            vec![0, 2],
            vec![1, 3],
            vec![0, 1, 2, 3],
            vec![1, 2, 3],
        ] {
            check(&format!("{f:?} {axes:?}"), |b| {
                let x = b.input(DType::F32, [2, 3, 4, 5]);
                vec![b.op(
                    Reduce {
                        f,
                        axes: axes.clone(),
                    },
                    &[x],
                )]
            });
        }
        for axes in [vec![0], vec![1], vec![2], vec![1, 2]] {
            check(&format!("{f:?} {axes:?} of 3"), |b| {
                let x = b.input(DType::F32, [2, 3, 4]);
                vec![b.op(
                    Reduce {
                        f,
                        axes: axes.clone(),
                    },
                    &[x],
                )]
            });
        }
        check(&format!("{f:?} of a vector"), |b| {
            let x = b.input(DType::F32, [5]);
            vec![b.op(Reduce { f, axes: vec![0] }, &[x])]
        });
        if matches!(f, ReduceFn::Max | ReduceFn::Min) {
            check(&format!("{f:?} of f16"), |b| {
                let x = b.input(DType::F16, [2, 6]);
                vec![b.op(Reduce { f, axes: vec![1] }, &[x])]
            });
        }
    }
}

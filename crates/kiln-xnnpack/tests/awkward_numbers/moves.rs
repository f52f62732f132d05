//! Ops that move elements or interpolate between them.

use super::build::dims;
use super::probe::{FLOATS, Probe, of_op, probe};
use kiln_ir::ops::*;
use kiln_ir::{Movement, Scalar};

/// Ops that place each element elsewhere.
pub fn moves(probes: &mut Vec<Probe>) {
    for dtype in FLOATS {
        let permute = Movement::permute(&dims(&[3, 5, 7]), &[2, 0, 1]).unwrap();
        probes.push(of_op(
            "transpose",
            dtype,
            &[3, 5, 7],
            Move { movement: permute },
        ));
        let shape = [3, 5, 7].into();
        probes.push(of_op("broadcast", dtype, &[3, 1, 7], Broadcast { shape }));
        for step in [1, 2] {
            let slice = Slice {
                axis: 1,
                start: 1.into(),
                len: 2.into(),
                step,
            };
            probes.push(of_op(&format!("slice by {step}"), dtype, &[3, 5, 7], slice));
        }
        let pad = Pad {
            low: dims(&[0, 1, 2]),
            high: dims(&[1, 0, 1]),
            mode: PadMode::Constant(Scalar::Float(0.5)),
        };
        probes.push(of_op("pad", dtype, &[3, 5, 7], pad));
        probes.push(probe("concat", dtype, |b| {
            let (x, y) = (b.input(dtype, [3, 5]), b.input(dtype, [2, 5]));
            vec![b.op(Concat { axis: 0 }, &[x, y, x])]
        }));
    }
}

/// Resizes by the nearest element, and linear ones.
pub fn resizes(probes: &mut Vec<Probe>) {
    for dtype in FLOATS {
        let nearest = Resize {
            mode: ResizeMode::Nearest,
            align_corners: false,
            output: dims(&[8, 12]),
            scales: vec![None, None],
        };
        probes.push(of_op("nearest", dtype, &[1, 5, 4, 6], nearest));
        for align_corners in [false, true] {
            let linear = Resize {
                mode: ResizeMode::Linear,
                align_corners,
                output: dims(&[7, 9]),
                scales: vec![None, None],
            };
            let name = format!("linear resize, corners {align_corners}");
            probes.push(of_op(&name, dtype, &[1, 5, 4, 6], linear.clone()));
            probes.push(probe(&format!("{name}, bounded"), dtype, |b| {
                let x = b.input(dtype, [1, 5, 4, 6]);
                let y = b.op(
                    Unary {
                        f: Simple::Tanh.into(),
                    },
                    &[x],
                );
                vec![b.op(linear, &[y])]
            }));
        }
    }
}

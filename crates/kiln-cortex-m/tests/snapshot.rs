//! The files of one small project, as they are committed in `tests/snapshot`. `KILN_BLESS=1` writes what was found.
//!
//! The project has a convolution, a sum with a state that is kept, and a limit that is computed by rows.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use kiln_cortex_m::cores::Core;
use kiln_cortex_m::dialect::*;
use kiln_cortex_m::project::{Name, Port, Project};
use std::path::Path;

fn constant(name: &str, dtype: Dtype, numbers: impl Iterator<Item = u8>) -> Buffer {
    let bytes: Vec<u8> = numbers.collect();
    let elements = bytes.len() / dtype.bytes(1);
    Buffer::new(name, dtype, elements, Role::Constant(bytes.into()))
}

fn program() -> Program {
    const ALL: Activation = Activation {
        min: -128,
        max: 127,
    };
    let mut program = Program::default();
    let x = program.add(Buffer::new("x", Dtype::I8, 4 * 4 * 3, Role::Input));
    let weight = program.add(constant(
        "conv.weight",
        Dtype::I8,
        (0..54u8).map(|i| i.wrapping_mul(37)),
    ));
    let bias = program.add(constant(
        "conv.bias",
        Dtype::I32,
        [7, 1, 0, 0, 0xF0, 0xFF, 0xFF, 0xFF].into_iter(),
    ));
    let conv = program.add(Buffer::new("conv", Dtype::I8, 4 * 4 * 2, Role::Temporary));
    let zeros = program.add(Buffer::new(
        "last",
        Dtype::I8,
        32,
        Role::State(vec![0; 32].into()),
    ));
    let count = program.add(Buffer::new(
        "step",
        Dtype::I8,
        32,
        Role::State(vec![1; 32].into()),
    ));
    let sum = program.add(Buffer::new("output_0", Dtype::I8, 32, Role::Output));
    let tile = Tile { w: 1, h: 1 };
    let convolution = Conv {
        conv_params: ConvParams {
            input_offset: 128,
            output_offset: -3,
            stride: tile.clone(),
            padding: tile.clone(),
            dilation: tile,
            activation: ALL,
        },
        quant_params: PerChannel {
            multiplier: vec![1 << 30, 1_234_567_890].into(),
            shift: vec![-7, -8].into(),
        },
        input_dims: [1, 4, 4, 3].into(),
        filter_dims: [2, 3, 3, 3].into(),
        bias_dims: [1, 1, 1, 2].into(),
        bias_data: None,
        output_dims: [1, 4, 4, 2].into(),
    };
    let call = program.call(
        Function::ConvolveS8,
        convolution,
        &[Some(x), Some(weight), Some(bias), Some(conv)],
    );
    (call.layer, call.source) = (
        "conv".into(),
        "net.py:12, in forward: y = self.conv(x)".into(),
    );
    let add = Add {
        input_1_offset: 3,
        input_1_mult: 1 << 30,
        input_2_mult: 1 << 30,
        left_shift: 20,
        out_mult: 1 << 30,
        out_shift: -18,
        out_activation_min: -128,
        out_activation_max: 127,
        block_size: 32,
        ..Add::default()
    };
    for (layer, operands) in [
        ("add", [conv, zeros, sum]),
        ("counter", [zeros, count, zeros]),
    ] {
        let call = program.call(Function::ElementwiseAddS8, add.clone(), &operands.map(Some));
        (call.layer, call.source) = (
            layer.into(),
            "net.py:13, in forward: y + self.last /* kept */".into(),
        );
    }
    for row in 0..4 {
        let call = program.call(Function::ReluQ7, Relu { size: 8 }, &[Some(sum)]);
        call.views = vec![Some(View {
            first: 8 * row,
            elements: 8,
        })];
        call.layer = "relu".into();
    }
    program
}

fn port(name: &str, channels: usize, scale: f64) -> Port {
    Port {
        name: name.into(),
        index: 0,
        shape: vec![1, channels, 4, 4],
        dim_order: vec![0, 2, 3, 1],
        quantised: Some((scale, -128)),
        step: None,
        is_bool: false,
    }
}

#[test]
fn a_project_is_as_it_is_committed() {
    let core = Core::named("cortex-m4").unwrap();
    let (input, output) = (port("x", 3, 2.0 / 255.0), port("output_0", 2, 0.1));
    let name = Name::new("net").unwrap();
    let project = Project::new(name, core, program(), vec![input], vec![output]).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshot");
    // The kernels are in kiln_nn/.
    for file in project
        .files()
        .iter()
        .filter(|file| !file.path.starts_with("kiln_nn/"))
    {
        let path = folder.join(&file.path);
        if std::env::var_os("KILN_BLESS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &file.text).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            file.text == expected,
            "{} is another; KILN_BLESS=1 takes it:\n{}",
            file.path,
            file.text
        );
    }
}

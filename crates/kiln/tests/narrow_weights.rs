//! Layers of integers whose weights have 4 bits: two weights share a byte of the program, where rows have an even length.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;

use folder::Folder;
use kiln_ir::TensorData;
use kiln_target::{Role, Runs};
use kiln_testing::part::STOCK_RUNTIME;

const OUTPUTS: usize = 64;

/// A quantised layer with so many inputs, and weights of this quantisation.
fn layer(inputs: usize, scheme: &str) -> String {
    let weights = (0..OUTPUTS * inputs).map(|i| format!("{:02x}", ((i * 7 % 16) as i8 - 8) as u8));
    let weights: String = weights.collect();
    format!(
        r#"graph "forward" {{
  constant c0 "w" i8[{OUTPUTS}, {inputs}] as ({scheme} in [-8, 7]) = hex "{weights}"
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0 "x": f32[3, {inputs}]) {{
    %1: i8[{OUTPUTS}, {inputs}] as ({scheme} in [-8, 7]) = constant {{value=c0}}
    %2: f32[{OUTPUTS}, {inputs}] = dequantize %1 {{dtype=f32}}
    %3: i8[3, {inputs}] as (per_tensor 0.0625 3 in [-128, 127]) = quantize %0 {{quant=per_tensor 0.0625 3 in [-128, 127], dtype=i8}}
    %4: f32[3, {inputs}] = dequantize %3 {{dtype=f32}}
    %5: f32[3, {OUTPUTS}] = linear %4, %2 {{}}
    %6: i8[3, {OUTPUTS}] as (per_tensor 0.5 -3 in [-128, 127]) = quantize %5 {{quant=per_tensor 0.5 -3 in [-128, 127], dtype=i8}}
    %7: f32[3, {OUTPUTS}] = dequantize %6 {{dtype=f32}}
    return %7
  }}
}}
"#
    )
}

/// The bytes of the program, which gives the same integers as the graph.
fn bytes_of(inputs: usize, scheme: &str) -> u64 {
    let folder = Folder::with("m.kiln", &layer(inputs, scheme));
    let given: Vec<f32> = (0..3 * inputs)
        .map(|i| (i as f32 * 0.7).sin() * 5.0)
        .collect();
    let mut runs = Runs::default();
    let data = TensorData::from_f32(vec![3, inputs], &given);
    runs.insert(0, Role::Input, 0, data);
    runs.write(&folder.path("in.safetensors")).unwrap();
    let kiln = |arguments: &[&str]| {
        let done = folder.kiln(arguments);
        assert!(done.status.success(), "{inputs} {scheme}: {done:?}");
    };
    kiln(&[
        "run",
        "m.kiln",
        "--inputs",
        "in.safetensors",
        "--outputs",
        "golden.safetensors",
    ]);
    kiln(&["compile", "m.kiln", "-o", "m.pte"]);
    let mut runtimes = vec!["builtin"];
    runtimes.extend(STOCK_RUNTIME.find().map(|_| "executorch"));
    for runtime in runtimes {
        let golden = [
            "--inputs",
            "in.safetensors",
            "--expect",
            "golden.safetensors",
        ];
        let rule = ["--sqnr", "60", "--runtime", runtime];
        kiln(&[&["run", "m.pte"], &golden[..], &rule[..]].concat());
    }
    std::fs::metadata(folder.path("m.pte")).unwrap().len()
}

#[test]
fn two_weights_share_a_byte() {
    let scales: Vec<String> = (0..OUTPUTS)
        .map(|i| format!("{}", 0.125 * (1 + i % 3) as f64))
        .collect();
    let zeros = vec!["0"; OUTPUTS].join(", ");
    let by_channel = format!("per_channel 0 [{}] [{zeros}]", scales.join(", "));
    for scheme in ["per_tensor 0.25 0", &by_channel] {
        let even = bytes_of(256, scheme);
        assert!((8192..8192 + 3000).contains(&even), "{even} bytes");
        // The library and ExecuTorch disagree on packed rows of an odd length.
        let odd = bytes_of(255, scheme);
        assert!((16320..16320 + 3000).contains(&odd), "{odd} bytes");
    }
}

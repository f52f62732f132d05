//! Constant masks on XNNPACK: in the delegate where the innermost size is known, and a kernel elsewhere.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;

use folder::Folder;

/// A mask of channels, which hides the second of them. `N` is the number of images, `L` of places.
const MASK: &str = r#"graph "forward" {
  symbol s0 in 2..=8
  constant c0 "mask" bool[2, 1] = [true, false]
  constant c1 "hidden" f32[1, 1, 1] = [-1.0]
  input tensor "x" [0, 1, 2]
  output tensor
  block b0 (%0 "x": f32[N, 2, L]) {
    %1: bool[2, 1] = constant {value=c0}
    %2: f32[1, 1, 1] = constant {value=c1}
    %3: f32[N, 2, L] = select %1, %0, %2 {}
    %4: f32[N, 2, L] = binary %3, %3 {f=add}
    return %4
  }
}
"#;

/// The delegates and kernel calls of the program, which gives what the interpreter gives.
fn costs(images: &str, places: &str) -> (u64, usize) {
    let text = MASK
        .replace("[N, 2, L]", &format!("[{images}, 2, {places}]"))
        .replace("bool[2, 1]", "bool[1, 2, 1]");
    let folder = Folder::with("m.kiln", &text);
    let size = |text: &str| text.parse::<usize>().unwrap_or(5);
    let sizes = vec![size(images), 2, size(places)];
    let count = sizes.iter().product::<usize>();
    let values: Vec<f32> = (0..count).map(|i| i as f32 - 4.0).collect();
    let mut runs = kiln_target::Runs::default();
    let x = kiln_ir::TensorData::from_f32(sizes, &values);
    runs.insert(0, kiln_target::Role::Input, 0, x);
    runs.write(&folder.path("x.safetensors")).unwrap();
    let all: [&[&str]; 3] = [
        &[
            "run",
            "m.kiln",
            "--inputs",
            "x.safetensors",
            "--outputs",
            "y.safetensors",
        ],
        &["compile", "m.kiln", "-o", "m.pte", "--report", "r.json"],
        &[
            "run",
            "m.pte",
            "--inputs",
            "x.safetensors",
            "--expect",
            "y.safetensors",
        ],
    ];
    for arguments in all {
        let done = folder.kiln(arguments);
        assert!(done.status.success(), "{arguments:?}: {done:?}");
    }
    let report = std::fs::read_to_string(folder.path("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let method = &report["methods"][0];
    let kernels = method["kernel_calls"].as_object().unwrap().len();
    (method["delegates"].as_u64().unwrap(), kernels)
}

#[test]
fn known_last_sizes_stay_in_the_delegate() {
    assert_eq!(costs("3", "4"), (1, 0));
    assert_eq!(costs("s0", "4"), (1, 0));
    assert_eq!(costs("s0", "1"), (1, 0));
}

#[test]
fn unknown_last_sizes_are_a_kernels() {
    assert_eq!(costs("3", "s0"), (1, 1));
}

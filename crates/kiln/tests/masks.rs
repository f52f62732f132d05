//! Constant masks on XNNPACK: in the delegate, or a kernel where the innermost size is unknown, NaN would show, or the file would grow.

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
    let size = |text: &str| text.parse::<usize>().unwrap_or(5);
    compiled(&text, vec![size(images), 2, size(places)], &[])
}

/// The same for a graph with one input of these sizes, which gets numbers from -4 on. The compilation has further arguments.
fn compiled(text: &str, sizes: Vec<usize>, arguments: &[&str]) -> (u64, usize) {
    let folder = Folder::with("m.kiln", text);
    let count = sizes.iter().product::<usize>();
    let values: Vec<f32> = (0..count).map(|i| (i % 97) as f32 - 4.0).collect();
    let mut runs = kiln_target::Runs::default();
    let x = kiln_ir::TensorData::from_f32(sizes, &values);
    runs.insert(0, kiln_target::Role::Input, 0, x);
    runs.write(&folder.path("x.safetensors")).unwrap();
    let (inputs, outputs) = ("x.safetensors", "y.safetensors");
    let compile = ["compile", "m.kiln", "-o", "m.pte", "--report", "r.json"];
    let all = [
        vec!["run", "m.kiln", "--inputs", inputs, "--outputs", outputs],
        [&compile, arguments].concat(),
        vec!["run", "m.pte", "--inputs", inputs, "--expect", outputs],
    ];
    for arguments in all {
        let done = folder.kiln(&arguments);
        assert!(done.status.success(), "{arguments:?}: {done:?}");
    }
    let report = std::fs::read_to_string(folder.path("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let method = &report["methods"][0];
    let kernels = method["kernel_calls"].as_object().unwrap().len();
    (method["delegates"].as_u64().unwrap(), kernels)
}

/// A mask of half of each row, behind a line that makes `%3` of the input `%0` and of `%1`, the numbers from 0 to 3.
fn behind(line: &str) -> String {
    format!(
        r#"graph "forward" {{
  constant c0 "divisors" f32[1, 4] = [0.0, 1.0, 2.0, 3.0]
  constant c1 "mask" bool[1, 4] = [false, true, true, false]
  constant c2 "hidden" f32[1, 1] = [0.0]
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0 "x": f32[3, 4]) {{
    %1: f32[1, 4] = constant {{value=c0}}
    %2: bool[1, 4] = constant {{value=c1}}
    {line}
    %4: f32[1, 1] = constant {{value=c2}}
    %5: f32[3, 4] = select %2, %3, %4 {{}}
    %6: f32[3, 4] = binary %5, %5 {{f=add}}
    return %6
  }}
}}
"#
    )
}

#[test]
fn masks_of_made_nan_are_a_kernels() {
    let (in_delegate, in_kernel) = ((1, 0), 1);
    for line in [
        "%3: f32[3, 4] = binary %0, %1 {f=mul}",
        "%3: f32[3, 4] = unary %0 {f=tanh}",
    ] {
        assert_eq!(
            compiled(&behind(line), vec![3, 4], &[]),
            in_delegate,
            "{line}"
        );
    }
    for line in [
        "%3: f32[3, 4] = binary %0, %1 {f=div}",
        "%3: f32[3, 4] = unary %0 {f=sqrt}",
        "%3: f32[3, 4] = unary %0 {f=log}",
    ] {
        let (_, kernels) = compiled(&behind(line), vec![3, 4], &[]);
        assert_eq!(kernels, in_kernel, "{line}");
    }
    let divided = behind("%3: f32[3, 4] = binary %0, %1 {f=div}").replace("[0.0, 1.0", "[4.0, 1.0");
    assert_eq!(compiled(&divided, vec![3, 4], &[]), in_delegate);
    // The only 0 / 0 is one that the mask keeps, so the user may say that it hides no NaN.
    let computed = behind("%3: f32[3, 4] = binary %0, %0 {f=div}");
    let computed = computed.replace("[false, true, true, false]", "[true, false, false, false]");
    assert_eq!(
        compiled(&computed, vec![3, 4], &["--fast-nan"]),
        in_delegate
    );
}

/// A mask of rows, each of which is as wide as this.
fn of_rows(width: usize) -> String {
    behind("%3: f32[3, 4] = unary %0 {f=tanh}")
        .replace("[false, true, true, false]", "[true, false, true]")
        .replace("bool[1, 4]", "bool[3, 1]")
        .replace("f32[1, 4] = [0.0, 1.0, 2.0, 3.0]", "f32[1, 1] = [0.0]")
        .replace("%1: f32[1, 4]", "%1: f32[1, 1]")
        .replace("f32[3, 4]", &format!("f32[3, {width}]"))
}

#[test]
fn masks_that_would_enlarge_the_file_are_a_kernels() {
    assert_eq!(compiled(&of_rows(1_000), vec![3, 1_000], &[]), (1, 0));
    assert_eq!(compiled(&of_rows(20_000), vec![3, 20_000], &[]), (2, 1));
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

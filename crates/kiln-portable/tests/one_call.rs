//! Graphs for which the runtime has one kernel become one call of it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use kiln_portable::{Method, Options, emit};

/// The number of calls of each kernel, for a graph on `x: f32[1, 3, 4, 2]` and `y: f32[1, 5, 6, 2]`.
fn calls(lines: &[&str], results: &str) -> Vec<(String, usize)> {
    let outputs = "output tensor ".repeat(results.split(',').count());
    let text = format!(
        "graph \"forward\" {{
  input tensor \"x\" [0, 1, 2, 3]
  input tensor \"y\" [0, 1, 2, 3]
  {outputs}
  block b0 (%0: f32[1, 3, 4, 2], %1: f32[1, 5, 6, 2]) {{
    {}
    return {results}
  }}
}}
",
        lines.join("\n    ")
    );
    calls_of(&text)
}

fn calls_of(text: &str) -> Vec<(String, usize)> {
    let graph = kiln_ir::text::parse(text).unwrap();
    let emitted = emit(&[Method::new(&graph)], &Options::default()).unwrap();
    let calls = emitted.reports[0].kernel_calls.clone();
    calls.into_iter().collect()
}

fn once(kernels: &[&str]) -> Vec<(String, usize)> {
    kernels.iter().map(|k| (k.to_string(), 1)).collect()
}

#[test]
fn an_extreme_and_its_position() {
    let of = |first: &str, second: &str| {
        let (first, second) = (format!("%2: {first}"), format!("%3: {second}"));
        calls(&[&first, &second], "%2, %3")
    };
    let value = "f32[1, 1, 4, 2] = reduce %0 {f=max, axes=[1]}";
    let position = "i64[1, 1, 4, 2] = arg_reduce %0 {f=max, axis=1}";
    assert_eq!(of(value, position), once(&["aten::max.dim_max"]));
    assert_eq!(of(position, value), once(&["aten::max.dim_max"]));
    let of_least = "i64[1, 1, 4, 2] = arg_reduce %0 {f=min, axis=1}";
    let apart = once(&["aten::amax.out", "aten::argmin.out"]);
    assert_eq!(of(value, of_least), apart);
    let along = "i64[1, 3, 1, 2] = arg_reduce %0 {f=max, axis=2}";
    let apart = once(&["aten::amax.out", "aten::argmax.out"]);
    assert_eq!(of(value, along), apart);
}

#[test]
fn a_sample_of_an_image() {
    let line = "%2: f32[1, 3, 5, 6] = grid_sample %0, %1 {mode=linear, outside=zeros, align_corners=false}";
    assert_eq!(calls(&[line], "%2"), once(&["aten::grid_sampler_2d.out"]));
}

/// The kernel that changes a cache in place refuses negative indices. They are counted from the start once for all caches.
#[test]
fn places_in_several_caches() {
    let text = r#"graph "forward" {
  constant c0 "keys" f32[8, 2] = splat 0.0
  constant c1 "values" f32[8, 2] = splat 1.0
  state m0 "keys" f32[8, 2] = c0
  state m1 "values" f32[8, 2] = c1
  input tensor "x" [0, 1]
  input tensor "at" [0]
  output tensor
  block b0 (%0 "x": f32[1, 2], %1 "at": i64[1]) {
    %2: f32[8, 2] = read_state {cell=m0}
    %3: f32[8, 2] = read_state {cell=m1}
    %4: f32[8, 2] = index_put %2, %0, %1 {axis=0, accumulate=false}
    %5: f32[8, 2] = index_put %3, %0, %1 {axis=0, accumulate=false}
    %6: f32[8, 2] = binary %4, %5 {f=mul}
    return %6
  }
  update m0 = %4
  update m1 = %5
}
"#;
    let graph = kiln_ir::text::parse(text).unwrap();
    let emitted = emit(&[Method::new(&graph)], &Options::default()).unwrap();
    let called = |kernel: &str| emitted.reports[0].kernel_calls.get(kernel).copied();
    for kernel in ["aten::lt.Scalar_out", "aten::where.self_out"] {
        assert_eq!(called(kernel), Some(1), "{kernel}");
    }
    assert_eq!(called("aten::index_put_"), Some(2));
}

#[test]
fn distances_between_rows() {
    let found = calls(&["%2: f32[1, 3, 4, 4] = distances %0, %0 {p=2.0}"], "%2");
    assert_eq!(found, once(&["aten::_cdist_forward.out"]));
}

/// What is called for a look-up in a table of two rows whose integers are in this range, and the bytes of the largest constant.
fn look_up(range: &str, lines: &[&str]) -> (Vec<(String, usize)>, Option<usize>) {
    look_up_in("f32", "[0, 0]", range, lines)
}

fn look_up_in(
    dtype: &str,
    zero_points: &str,
    range: &str,
    lines: &[&str],
) -> (Vec<(String, usize)>, Option<usize>) {
    let ty = format!("i8[2, 32] as (per_channel 0 [0.5, 0.25] {zero_points} in {range})");
    let text = format!(
        "graph \"forward\" {{
  constant c0 \"table\" {ty} = splat 3
  input tensor \"at\" [0]
  output tensor
  block b0 (%0: i64[5]) {{
    %1: {ty} = constant {{value=c0}}
    {}
    %3: {dtype}[5, 32] = dequantised %1, %2 {{op=index {{axis=0, from_start=true}}, dtype={dtype}, activation=none}}
    return %3
  }}
}}
",
        lines.join("\n    ")
    );
    let graph = kiln_ir::text::parse(&text).unwrap();
    let emitted = emit(&[Method::new(&graph)], &Options::default()).unwrap();
    let calls = emitted.reports[0].kernel_calls.clone();
    let stored = emitted.program.constants.iter();
    (
        calls.into_iter().collect(),
        stored.map(|(_, data)| data.len()).max(),
    )
}

/// The kernel for bytes refuses indices that are no row's. In front of the kernel for pairs, which reads wherever an index leads, stands
/// one that refuses them; except where all indices are known to be of rows. No table of floats is stored.
#[test]
fn a_look_up_in_a_quantised_table() {
    let bytes = "quantized_decomposed::embedding_byte.out";
    let pairs = "quantized_decomposed::embedding_4bit.out";
    let check = "aten::embedding.out";
    let (abs, clamp) = ("aten::abs.out", "aten::clamp.out");
    let any = "%2: i64[5] = unary %0 {f=abs}";
    let (calls, largest) = look_up("[-128, 127]", &[any]);
    assert_eq!((calls, largest), (once(&[abs, bytes]), Some(64)));
    let (calls, largest) = look_up("[-8, 7]", &[any]);
    assert_eq!((calls, largest), (once(&[abs, check, pairs]), Some(32)));
    let known = "%2: i64[5] = unary %0 {f=clamp[0, 1]}";
    let (calls, largest) = look_up("[-8, 7]", &[known]);
    assert_eq!((calls, largest), (once(&[clamp, pairs]), Some(32)));
}

/// The kernels round to halves themselves, but for zero points, which they would read in the halves' dtype.
#[test]
fn a_look_up_of_halves() {
    let known = "%2: i64[5] = unary %0 {f=clamp[0, 1]}";
    for (range, name) in [("[-128, 127]", "byte"), ("[-8, 7]", "4bit")] {
        let kernel = |form: &str| format!("quantized_decomposed::embedding_{name}.{form}");
        for dtype in ["f16", "bf16"] {
            let (calls, _) = look_up_in(dtype, "[0, 0]", range, &[known]);
            assert_eq!(calls, once(&["aten::clamp.out", &kernel("dtype_out")]));
            let (calls, _) = look_up_in(dtype, "[1, 0]", range, &[known]);
            let apart = ["aten::_to_copy.out", "aten::clamp.out", &kernel("out")];
            assert_eq!(calls, once(&apart));
        }
    }
}

/// An embedding's rows are read by the kernel that refuses negative indices.
#[test]
fn rows_of_a_matrix() {
    for (from_start, kernel) in [
        (true, "aten::embedding.out"),
        (false, "aten::index.Tensor_out"),
    ] {
        let text = format!(
            "graph \"forward\" {{
  input tensor \"table\" [0, 1]
  input tensor \"at\" [0, 1]
  output tensor
  block b0 (%0: f32[20, 9], %1: i32[2, 3]) {{
    %2: f32[2, 3, 9] = index %0, %1 {{axis=0, from_start={from_start}}}
    return %2
  }}
}}
"
        );
        assert_eq!(calls_of(&text), once(&[kernel]));
    }
}

/// The calls for lines on `x: f32[2, 3]` and `y: f64[2, 3]`.
fn converted(lines: &[&str], result: &str) -> Vec<String> {
    let text = format!(
        "graph \"forward\" {{
  input tensor \"x\" [0, 1]
  input tensor \"y\" [0, 1]
  output tensor
  block b0 (%0: f32[2, 3], %1: f64[2, 3]) {{
    {}
    return {result}
  }}
}}
",
        lines.join("\n    ")
    );
    let calls = calls_of(&text).into_iter();
    calls
        .flat_map(|(kernel, count)| vec![kernel; count])
        .collect()
}

/// No conversion finds its elements by their indices.
#[test]
fn a_conversion_runs_along_memory() {
    let narrow = ["%2: f32[2, 3] = cast %1 {to=f32}"];
    assert_eq!(converted(&narrow, "%2"), ["aten::_to_copy.out"]);
    let wide = ["%2: f64[2, 3] = cast %0 {to=f64}"];
    assert_eq!(converted(&wide, "%2"), ["aten::cat.out"]);
}

/// A number is rounded by an addition and a subtraction if it becomes a small integer, as otherwise negative zeros and great numbers
/// would differ.
#[test]
fn a_number_is_rounded_on_its_way_to_an_integer() {
    let (to, clamp, round) = ("aten::_to_copy.out", "aten::clamp.out", "aten::round.out");
    let (add, sub) = ("aten::add.Scalar_out", "aten::sub.Scalar_out");
    let lines = |bounds: &str, end: &str| {
        [
            "%2: f64[2, 3] = unary %1 {f=round}".to_owned(),
            "%3: f32[2, 3] = cast %2 {to=f32}".to_owned(),
            format!("%4: f32[2, 3] = unary %3 {{f=clamp{bounds}}}"),
            end.to_owned(),
        ]
    };
    let called = |bounds: &str, end: &str, result: &str| {
        let lines = lines(bounds, end);
        converted(&lines.each_ref().map(String::as_str), result)
    };
    let integer = "%5: i8[2, 3] = cast %4 {to=i8}";
    let shifted = [to, to, add, clamp, sub];
    assert_eq!(called("[-128, 127]", integer, "%5"), shifted);
    let kept = [to, to, clamp, round];
    assert_eq!(called("[-128, none]", integer, "%5"), kept);
    assert_eq!(called("[-128, 9000000]", integer, "%5"), kept);
    assert_eq!(
        called("[-128, 127]", integer, "%4"),
        kept,
        "a float is read"
    );
    let behind = [
        "%2: f32[2, 3] = unary %0 {f=clamp[-8, 7]}",
        "%3: f32[2, 3] = unary %2 {f=round}",
        "%4: i8[2, 3] = cast %3 {to=i8}",
    ];
    assert_eq!(converted(&behind, "%4"), [to, add, clamp, sub]);
    assert_eq!(converted(&behind[..2], "%3"), [clamp, round]);
}

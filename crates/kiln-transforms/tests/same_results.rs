//! Passes keep the results of graphs with odd shapes, on the inputs of `kiln-check`.

use kiln_check::{Baseline, Close};
use kiln_ir::text::parse;
use kiln_ir::verify::verify;
use kiln_ir::{Graph, NodeId};
use kiln_transforms::framework::pass::{Options, run_pipeline};
use kiln_transforms::framework::target::{Placement, Target};
use kiln_transforms::passes::all_passes;

struct Everything;

impl Target for Everything {
    fn placement(&self, _: &Graph, _: NodeId) -> Placement {
        Placement::Delegate
    }
    fn prefers_decomposed(&self, _: &Graph, _: NodeId) -> bool {
        false
    }
}

/// A fixed sequence of numbers in -2..2 without a pattern by channel.
fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12345);
    let next = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 40) as f32 / (1u64 << 24) as f32 - 0.5) * 4.0
    };
    (0..count).map(next).collect()
}

/// Runs the pass on the graph; checks how often it applied, and that the graph computes the same in every situation.
fn check(pass: &str, applied: usize, close: Close, text: &str) {
    let before = parse(text).expect("it parses");
    verify(&before).expect("it is sound");
    let pass = *all_passes()
        .iter()
        .find(|p| p.name == pass)
        .expect("a pass");
    let options = Options {
        verify: true,
        ..Options::default()
    };
    let mut after = before.clone();
    let runs = run_pipeline(&mut after, &Everything, &[pass], &options).expect("still sound");
    assert_eq!(
        runs[0].report.applied.len(),
        applied,
        "{:?}",
        runs[0].report
    );
    let baselines = Baseline::all(&before);
    assert!(
        baselines.iter().any(|b| b.elements() > 0),
        "no values\n{text}"
    );
    for baseline in baselines {
        if let Err(fault) = baseline.compare(&before, &after, close) {
            panic!("{fault}\n{text}");
        }
    }
}

fn list(values: &[f32]) -> String {
    let items: Vec<String> = values.iter().map(|v| format!("{v:?}")).collect();
    format!("[{}]", items.join(", "))
}

/// A weight of at most 16 elements, then a batch normalisation of three or four channels.
fn normalised(
    weight: &str,
    count: usize,
    channels: usize,
    x: &str,
    op: &str,
    result: &str,
    with: &[usize],
) -> String {
    let statistics = |seed| numbers(channels, seed);
    let variance: Vec<f32> = statistics(21).iter().map(|v| v.abs() + 0.1).collect();
    let all = [
        numbers(channels, 22),
        statistics(23),
        variance,
        statistics(24),
        statistics(25),
    ];
    let mut text = format!(
        "graph \"g\" {{\n  constant c0 \"w\" f32{weight} = {}\n",
        list(&numbers(count, 20))
    );
    for (i, values) in all.iter().enumerate() {
        text += &format!(
            "  constant c{} \"p{i}\" f32[{channels}] = {}\n",
            i + 1,
            list(values)
        );
    }
    let rank = x.split(',').count();
    let order: Vec<String> = (0..rank).map(|i| i.to_string()).collect();
    text += &format!(
        "  input tensor \"x\" [{}]\n  output tensor\n  block b0 (%0 \"x\": f32{x}) {{\n",
        order.join(", ")
    );
    text += &format!("    %1: f32{weight} = constant {{value=c0}}\n");
    (1..6).for_each(|i| {
        text += &format!(
            "    %{}: f32[{channels}] = constant {{value=c{i}}}\n",
            i + 1
        )
    });
    let bias = if with.contains(&1) { ", %2" } else { "" };
    let parameters: String = with
        .iter()
        .filter(|&&i| i > 1)
        .map(|i| format!(", %{}", i + 1))
        .collect();
    let (name, attributes) = op.split_once(' ').expect("attributes");
    text += &format!("    %7: f32{result} = {name} %0, %1{bias} {attributes}\n");
    text += &format!(
        "    %8: f32{result} = normalize %7{parameters} {{kind=batch, eps=0.001}}\n    return %8\n  }}\n}}\n"
    );
    text
}

const CONV1: &str = "conv {stride=[2], pad_low=[1], pad_high=[0], dilation=[1], groups=1, transposed=false, output_padding=[0]}";
const DEPTHWISE: &str = "conv {stride=[1], pad_low=[0], pad_high=[0], dilation=[1], groups=2, transposed=false, output_padding=[0]}";
const TRANSPOSED: &str = "conv {stride=[2], pad_low=[0], pad_high=[0], dilation=[1], groups=2, transposed=true, output_padding=[0]}";

#[test]
fn batch_norms_fold_into_weights_of_every_layout() {
    for with in [&[2, 3][..], &[1, 2, 3], &[2, 3, 4], &[1, 2, 3, 4, 5]] {
        for text in [
            normalised("[3, 2, 2]", 12, 3, "[2, 2, 7]", CONV1, "[2, 3, 4]", with),
            normalised(
                "[4, 1, 3]",
                12,
                4,
                "[1, 2, 5]",
                DEPTHWISE,
                "[1, 4, 3]",
                with,
            ),
            // Groups of two inputs and two outputs: both axes of the weight determine the channel.
            normalised(
                "[4, 2, 2]",
                16,
                4,
                "[1, 4, 3]",
                TRANSPOSED,
                "[1, 4, 6]",
                with,
            ),
            normalised("[3, 5]", 15, 3, "[2, 5]", "linear {}", "[2, 3]", with),
        ] {
            check("fold_batch_norm", 1, Close::Rounding, &text);
        }
    }
}

#[test]
fn a_batch_norm_behind_a_linear_of_rank_3_stays() {
    let text = normalised(
        "[3, 5]",
        15,
        3,
        "[2, 3, 5]",
        "linear {}",
        "[2, 3, 3]",
        &[2, 3],
    );
    check("fold_batch_norm", 0, Close::Bits, &text);
}

fn padded(pad: &str, shape: &str, op: &str) -> String {
    format!(
        "graph \"g\" {{\n  input tensor \"x\" [0, 1, 2, 3]\n  input tensor \"w\" [0, 1, 2, 3]\n  output tensor\n  \
         block b0 (%0 \"x\": f32[1, 2, 4, 5], %1 \"w\": f32[3, 2, 3, 2]) {{\n    \
         %2: f32{shape} = pad %0 {{{pad}}}\n    {op}\n    return %3\n  }}\n}}\n"
    )
}

fn spatial(mode: &str, op: &str) -> String {
    padded(
        &format!("low=[0, 0, 1, 0], high=[0, 0, 0, 1], mode={mode}"),
        "[1, 2, 5, 6]",
        op,
    )
}

fn pool(f: &str, own: i64, ceil: bool, shape: &str) -> String {
    format!(
        "%3: f32{shape} = pool %2 {{f={f}, kernel=[3, 2], stride=[2, 1], pad_low=[{own}, 0], pad_high=[0, 0], \
         dilation=[1, 1], ceil={ceil}}}"
    )
}

#[test]
fn paddings_fuse_where_the_window_pads_alike() {
    let conv = "%3: f32[1, 3, 2, 4] = conv %2, %1 {stride=[2, 1], pad_low=[1, 0], pad_high=[0, 0], \
                dilation=[1, 2], groups=1, transposed=false, output_padding=[0, 0]}";
    let pool = |f: &str, own, ceil| pool(f, own, ceil, "[1, 2, 2, 5]");
    check(
        "fuse_pad",
        1,
        Close::Rounding,
        &spatial("constant 0.0", conv),
    );
    check("fuse_pad", 0, Close::Bits, &spatial("constant 1.0", conv));
    check("fuse_pad", 0, Close::Bits, &spatial("replicate", conv));
    check(
        "fuse_pad",
        1,
        Close::Bits,
        &spatial("constant -inf", &pool("max", 0, false)),
    );
    check(
        "fuse_pad",
        0,
        Close::Bits,
        &spatial("constant 0.0", &pool("max", 0, false)),
    );
    check(
        "fuse_pad",
        0,
        Close::Bits,
        &spatial("constant -inf", &pool("max", 0, true)),
    );
    check(
        "fuse_pad",
        0,
        Close::Bits,
        &spatial("constant -inf", &pool("max", 1, false)),
    );
    check(
        "fuse_pad",
        1,
        Close::Rounding,
        &spatial("constant 0.0", &pool("avg none", 0, false)),
    );
    check(
        "fuse_pad",
        1,
        Close::Rounding,
        &spatial("constant 0.0", &pool("avg 4", 0, false)),
    );
    check(
        "fuse_pad",
        0,
        Close::Bits,
        &spatial("constant 0.0", &pool("avg none", 1, false)),
    );
}

#[test]
fn paddings_of_channels_stay() {
    let pad = "low=[0, 1, 0, 0], high=[0, 0, 0, 0], mode=constant -inf";
    let op = pool("max", 0, false, "[1, 3, 1, 4]");
    check(
        "fuse_pad",
        0,
        Close::Bits,
        &padded(pad, "[1, 3, 4, 5]", &op),
    );
}

/// The text of a graph with a movement to `shapes[0]`, an op, and a movement to `shapes[1]`.
fn moved(shapes: [&str; 2], first: &str, op: &str, last: &str, results: &str) -> String {
    let outputs = "  output tensor\n".repeat(results.split(',').count());
    let [middle, end] = shapes;
    format!(
        "graph \"g\" {{\n  constant c0 \"\" f32[1, 1] = [1.5]\n  input tensor \"x\" [0, 1]\n{outputs}  \
         block b0 (%0 \"x\": f32[3, 5]) {{\n    %1: f32[1, 1] = constant {{value=c0}}\n    \
         %2: f32{middle} = move %0 {{movement=({first})}}\n    %3: f32{middle} = {op}\n    \
         %4: f32{end} = move %3 {{movement=({last})}}\n    return {results}\n  }}\n}}\n"
    )
}

#[test]
fn movements_meet_through_elementwise_ops() {
    let (there, back) = ("a:3 b:5 -> b a", "b:5 a:3 -> a b");
    let (exp, sub) = ("unary %2 {f=exp}", "binary %1, %2 {f=sub}");
    let shapes = ["[5, 3]", "[3, 5]"];
    check(
        "sink_moves",
        1,
        Close::Bits,
        &moved(shapes, there, exp, back, "%4"),
    );
    check(
        "sink_moves",
        1,
        Close::Bits,
        &moved(shapes, there, sub, back, "%4"),
    );
    // The movements are inverse up to the shape. A view remains, and the constant takes another rank.
    check(
        "sink_moves",
        1,
        Close::Bits,
        &moved(["[5, 3]", "[15]"], there, sub, "b:5 a:3 -> (a b)", "%4"),
    );
    // Both movements are views, which cost nothing, so nothing is gained.
    check(
        "sink_moves",
        0,
        Close::Bits,
        &moved(
            ["[15]", "[1, 15]"],
            "a:3 b:5 -> (a b)",
            exp,
            "a:15 -> 1 a",
            "%4",
        ),
    );
    // The value has another reader, and computing it twice is no gain.
    check(
        "sink_moves",
        0,
        Close::Bits,
        &moved(shapes, there, exp, back, "%4, %3"),
    );
}

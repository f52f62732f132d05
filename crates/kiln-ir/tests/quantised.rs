//! For each family, the quantisation of the result, or the reason why a quantised operand is refused.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use kiln_ir::text::parse;
use kiln_ir::verify::verify;

const WHOLE: &str = "(per_tensor 0.5 3 in [-128, 127])";
const OTHER: &str = "(per_tensor 0.25 3 in [-128, 127])";
const ROWS: &str = "(per_channel 0 [0.5, 0.25] [0, 1] in [-128, 127])";
const COLUMNS: &str = "(per_channel 1 [0.5, 0.25, 2.0] [0, 1, -1] in [-128, 127])";
const GROUPS: &str = "(per_group 2 [0.5, 0.25, 1.0, 2.0] [0, 0, 0, 0] in [-8, 7])";

/// A graph with one node, whose parameters have these types.
fn graph(params: &[String], result: &str, op: &str, attributes: &str) -> String {
    let declared: Vec<_> = (0..params.len())
        .map(|i| format!("%{i}: {}", params[i]))
        .collect();
    let operands: Vec<_> = (0..params.len()).map(|i| format!("%{i}")).collect();
    let (declared, operands) = (declared.join(", "), operands.join(", "));
    let made = params.len();
    format!(
        "graph \"q\" {{ block b0 ({declared}) {{ %{made}: {result} = {op} {operands} {{{attributes}}} return %{made} }} }}"
    )
}

fn i8(sizes: &str, quant: &str) -> String {
    match quant {
        "" => format!("i8[{sizes}]"),
        quant => format!("i8[{sizes}] as {quant}"),
    }
}

#[track_caller]
fn gives(params: &[String], op: &str, attributes: &str, result: &str) {
    let text = graph(params, result, op, attributes);
    if let Err(error) = parse(&text) {
        panic!("{text}\n{error}");
    }
}

#[track_caller]
fn refused(params: &[String], op: &str, attributes: &str, result: &str, why: &str) {
    let text = graph(params, result, op, attributes);
    let error = parse(&text).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains(why), "{text}\n{error}");
}

#[test]
fn movements_carry_the_axis_of_the_channels() {
    let x = [i8("2, 3", COLUMNS)];
    let first = "(per_channel 0 [0.5, 0.25, 2.0] [0, 1, -1] in [-128, 127])";
    let last = "(per_channel 2 [0.5, 0.25, 2.0] [0, 1, -1] in [-128, 127])";
    gives(&x, "move", "movement=(a:2 b:3 -> b a)", &i8("3, 2", first));
    gives(
        &x,
        "move",
        "movement=(a:2 b:3 -> a 1 b)",
        &i8("2, 1, 3", last),
    );
    refused(
        &x,
        "move",
        "movement=(a:2 b:3 -> (a b))",
        "i8[6]",
        "channels along axis 1",
    );
    let whole = [i8("2, 3", WHOLE)];
    gives(
        &whole,
        "move",
        "movement=(a:2 b:3 -> (a b))",
        &i8("6", WHOLE),
    );
    let groups = [i8("2, 4", GROUPS)];
    gives(
        &groups,
        "move",
        "movement=(a:2 b:4 -> a b)",
        &i8("2, 4", GROUPS),
    );
    refused(
        &groups,
        "move",
        "movement=(a:2 b:4 -> b a)",
        "i8[4, 2]",
        "groups of 2",
    );
}

#[test]
fn slices_reversals_and_joins_carry_the_channels_they_take() {
    let x = [i8("2, 3", COLUMNS)];
    let ends = "(per_channel 1 [0.5, 2.0] [0, -1] in [-128, 127])";
    let turned = "(per_channel 1 [2.0, 0.25, 0.5] [-1, 1, 0] in [-128, 127])";
    gives(
        &x,
        "slice",
        "axis=1, start=0, len=2, step=2",
        &i8("2, 2", ends),
    );
    gives(
        &x,
        "slice",
        "axis=0, start=1, len=1, step=1",
        &i8("1, 3", COLUMNS),
    );
    gives(&x, "reverse", "axes=[1]", &i8("2, 3", turned));
    let joined = "(per_channel 1 [0.5, 0.25, 2.0, 0.5, 2.0] [0, 1, -1, 0, -1] in [-128, 127])";
    gives(
        &[i8("2, 3", COLUMNS), i8("2, 2", ends)],
        "concat",
        "axis=1",
        &i8("2, 5", joined),
    );
    gives(
        &[i8("2, 3", COLUMNS), i8("2, 3", COLUMNS)],
        "concat",
        "axis=0",
        &i8("4, 3", COLUMNS),
    );
    let single = [i8("2, 1", "(per_channel 1 [0.5] [3] in [-128, 127])")];
    gives(&single, "broadcast", "shape=[2, 4]", &i8("2, 4", WHOLE));
}

#[test]
fn what_meets_is_quantised_alike() {
    let unlike = "quantised differently";
    refused(
        &[i8("2, 3", WHOLE), i8("2, 3", OTHER)],
        "concat",
        "axis=0",
        "i8[4, 3]",
        unlike,
    );
    refused(
        &[i8("2, 3", WHOLE), i8("2, 3", "")],
        "concat",
        "axis=0",
        "i8[4, 3]",
        "plain tensor meets",
    );
    refused(
        &[i8("2, 3", COLUMNS), i8("2, 3", WHOLE)],
        "concat",
        "axis=1",
        "i8[2, 6]",
        unlike,
    );
    let bits = "bool[2, 3]".to_owned();
    let select = |a: &str, b: &str| [bits.clone(), i8("2, 3", a), i8("2, 3", b)];
    gives(&select(WHOLE, WHOLE), "select", "", &i8("2, 3", WHOLE));
    gives(&select(ROWS, ROWS), "select", "", &i8("2, 3", ROWS));
    refused(&select(WHOLE, OTHER), "select", "", "i8[2, 3]", unlike);
    let pair = |a: &str, b: &str| [i8("2, 3", a), i8("2, 3", b)];
    gives(&pair(ROWS, ROWS), "compare", "f=lt", "bool[2, 3]");
    refused(&pair(WHOLE, OTHER), "compare", "f=lt", "bool[2, 3]", unlike);
    refused(
        &pair(WHOLE, ""),
        "compare",
        "f=eq",
        "bool[2, 3]",
        "plain tensor meets",
    );
}

#[test]
fn what_computes_says_so_or_is_refused() {
    let x = [i8("2, 3", COLUMNS)];
    gives(&x, "unary", "f=clamp[0.0, 6.0]", &i8("2, 3", COLUMNS));
    gives(
        &x,
        "pad",
        "low=[1, 0], high=[0, 0], mode=constant 0.5",
        &i8("3, 3", COLUMNS),
    );
    refused(
        &x,
        "pad",
        "low=[0, 1], high=[0, 0], mode=constant 0.5",
        "i8[2, 4]",
        "channels along axis 1",
    );
    gives(&x, "reduce", "f=max, axes=[0]", &i8("1, 3", COLUMNS));
    refused(
        &x,
        "reduce",
        "f=max, axes=[1]",
        "i8[2, 1]",
        "channels along axis 1",
    );
    refused(
        &x,
        "arg_reduce",
        "f=max, axis=1",
        "i64[2, 1]",
        "channels along axis 1",
    );
    gives(&x, "arg_reduce", "f=max, axis=0", "i64[1, 3]");
    gives(&x, "cast", "to=i8", "i8[2, 3]");
    refused(&x, "unary", "f=bit_not", "i8[2, 3]", "dequantize first");
    refused(
        &[x[0].clone(), x[0].clone()],
        "binary",
        "f=add",
        "i8[2, 3]",
        "dequantize first",
    );
}

#[test]
fn parameters_fit_their_tensor() {
    for (quant, fault) in [
        ("(per_tensor 0.0 3 in [-128, 127])", "a scale of 0"),
        ("(per_tensor inf 3 in [-128, 127])", "a scale of inf"),
        ("(per_tensor 0.5 3 in [-128, 128])", "does not fit i8"),
        ("(per_tensor 0.5 9 in [-8, 7])", "a zero point of 9"),
        (
            "(per_channel 1 [0.5, 0.25] [0, 1] in [-128, 127])",
            "2 parameters where 3 are needed",
        ),
        (
            "(per_channel 1 [0.5, 0.25, 2.0] [0, 1] in [-128, 127])",
            "3 scales and 2 zero points",
        ),
        (
            "(per_channel 2 [0.5] [0] in [-128, 127])",
            "channels along axis 2",
        ),
        (
            "(per_group 2 [0.5] [0] in [-128, 127])",
            "groups of 2 among 3 columns",
        ),
    ] {
        let ty = i8("2, 3", quant);
        let text = format!(
            "graph \"q\" {{ input tensor \"x\" [0, 1] output tensor block b0 (%0: {ty}) {{ return %0 }} }}"
        );
        let faults = verify(&parse(&text).unwrap()).unwrap_err();
        let found: Vec<_> = faults.iter().map(ToString::to_string).collect();
        assert!(
            found.iter().any(|f| f.contains(fault)),
            "{quant}: {found:?}"
        );
    }
}

#[test]
fn an_op_on_reals_is_rounded_once() {
    let once = |op: &str, quant: &str| format!("op={op}, quant={quant}, dtype=i8");
    let bare = OTHER.trim_matches(['(', ')']);
    let mixed = [i8("2, 3", WHOLE), "f32[2, 3]".to_string()];
    let attributes = once("binary {f=add}", bare);
    gives(&mixed, "quantised", &attributes, &i8("2, 3", OTHER));
    let weighted = [i8("4, 3", WHOLE), i8("2, 3", ROWS), "f32[2]".to_string()];
    let attributes = once("linear {}", bare);
    gives(&weighted, "quantised", &attributes, &i8("4, 2", OTHER));
    let channels = COLUMNS.trim_matches(['(', ')']);
    let one = [i8("2, 3", WHOLE)];
    let attributes = once("unary {f=tanh}", channels);
    gives(&one, "quantised", &attributes, &i8("2, 3", COLUMNS));
    let attributes = once("linear {}", bare);
    let why = "linear takes 2 to 3 operands";
    refused(&one, "quantised", &attributes, &i8("2, 3", OTHER), why);
    let attributes = once("cast {to=i32}", bare);
    let why = "computes no reals";
    refused(&one, "quantised", &attributes, &i8("2, 3", OTHER), why);
    let attributes = once("binary {f=add}", bare);
    let plain = [i8("2, 3", WHOLE), i8("2, 3", "")];
    let why = "dtypes";
    refused(&plain, "quantised", &attributes, &i8("2, 3", OTHER), why);
    let attributes = once("quantised {op=unary {f=exp}", bare);
    let why = "another family";
    refused(&one, "quantised", &attributes, &i8("2, 3", OTHER), why);
}

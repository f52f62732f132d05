//! Programs whose kernels need an op in front: distances of shifts that a range bounds, and integers that stand for numbers.

use crate::cases;
use crate::probes::Probe;
use crate::values::{COUNT, DTYPES, line, tensor};
use kiln_eval::Tensor;
use kiln_ir::DType;

/// Shifts of all special integers by all distances that a dtype has.
fn shifts(dtype: DType) -> Option<Probe> {
    let (least, greatest) = dtype.int_range()?;
    let bits = (greatest as i128 - least as i128).count_ones();
    let inputs = vec![line(dtype, &[COUNT, 1]), line(dtype, &[1, COUNT])];
    let params = [
        format!("{dtype}[{COUNT}, 1]"),
        format!("{dtype}[1, {COUNT}]"),
    ];
    let all = format!("{dtype}[{COUNT}, {COUNT}]");
    let lines = [
        format!(
            "%2: {dtype}[1, {COUNT}] = unary %1 {{f=clamp[0, {}]}}",
            bits - 1
        ),
        format!("%3: {all} = binary %0, %2 {{f=shl}}"),
        format!("%4: {all} = binary %0, %2 {{f=shr}}"),
    ];
    Some(probe(
        dtype,
        ["shl", "shr"],
        inputs,
        &params,
        &lines,
        &[3, 4],
    ))
}

/// Numbers by way of integers: with one scale for all, and with one scale for each row.
fn by_integers(dtype: DType) -> Option<Probe> {
    if dtype != DType::F32 {
        return None;
    }
    let params = [format!("f32[3, {COUNT}]")];
    let inputs = vec![tensor(dtype, &[3, COUNT])];
    let quants = [
        "per_tensor 0.1 3 in [-128, 127]",
        "per_channel 0 [0.5, 0.1, 3.0] [0, -7, 127] in [-128, 127]",
    ];
    let mut lines = Vec::new();
    for (i, quant) in quants.iter().enumerate() {
        let (integers, numbers) = (1 + 2 * i, 2 + 2 * i);
        lines.extend([
            format!(
                "%{integers}: i8[3, {COUNT}] as ({quant}) = quantize %0 {{quant={quant}, dtype=i8}}"
            ),
            format!("%{numbers}: f32[3, {COUNT}] = dequantize %{integers} {{dtype=f32}}"),
        ]);
    }
    let names = ["dequantize of a tensor", "dequantize of channels"];
    Some(probe(dtype, names, inputs, &params, &lines, &[2, 4]))
}

/// Rows of tables of all integers, with scales and zero points at the ends of what they hold. The kernel for pairs does not look
/// whether a row exists.
fn look_ups() -> Probe {
    let scales = "[1.1754944e-38, 3.4028235e38, 1.0]";
    let tables = [
        (
            256,
            format!("(per_channel 0 {scales} [-128, 127, 0] in [-128, 127])"),
        ),
        (
            16,
            format!("(per_channel 0 {scales} [-8, 7, 0] in [-8, 7])"),
        ),
    ];
    let (mut head, mut lines) = (String::new(), Vec::new());
    for (i, (levels, quant)) in tables.iter().enumerate() {
        let ty = format!("i8[3, {levels}] as {quant}");
        let row: Vec<String> = (0..*levels).map(|n| (n - levels / 2).to_string()).collect();
        let rows = [row.join(", "), row.join(", "), row.join(", ")].join(", ");
        head += &format!("  constant c{i} \"\" {ty} = [{rows}]\n");
        let (table, result) = (1 + 2 * i, 2 + 2 * i);
        let op = "{op=index {axis=0, from_start=true}, dtype=f32, activation=none}";
        lines.push(format!("%{table}: {ty} = constant {{value=c{i}}}"));
        lines.push(format!(
            "%{result}: f32[4, {levels}] = dequantised %{table}, %0 {op}"
        ));
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let text = cases::graph_text(&head, &["i64[4]"], &lines, &[2, 4]) + "}\n";
    let names = ["look-up of bytes", "look-up of pairs"];
    let inputs = vec![Tensor::new([4], vec![2i64, 0, 1, 0])];
    Probe::whole(DType::F32, names.map(String::from).to_vec(), text, inputs)
}

fn probe(
    dtype: DType,
    names: [&str; 2],
    inputs: Vec<Tensor>,
    params: &[String],
    lines: &[String],
    results: &[u32],
) -> Probe {
    let params: Vec<&str> = params.iter().map(String::as_str).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let text = cases::graph_text("", &params, &lines, results) + "}\n";
    Probe::whole(
        dtype,
        names.map(|name| format!("{name} of {dtype}")).to_vec(),
        text,
        inputs,
    )
}

/// Every probe.
pub fn all() -> Vec<Probe> {
    let of = |dtype| [shifts(dtype), by_integers(dtype)];
    let chains = DTYPES.into_iter().flat_map(of).flatten();
    chains.chain([look_ups()]).collect()
}

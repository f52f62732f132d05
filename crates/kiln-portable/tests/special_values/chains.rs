//! Programs whose kernels need an op in front: distances of shifts that a range bounds, and integers that stand for numbers.

use crate::cases;
use crate::moves::INDICES;
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

/// Rows of a table of all integers from `least` on, with scales and zero points at the ends of what they hold. One of the indices is
/// `index`: both kernels refuse those that are no row's, that for bytes by ending the process.
fn look_up(least: i64, index: i64) -> Probe {
    let (levels, greatest) = (-2 * least, -1 - least);
    let quant = format!(
        "(per_channel 0 [1.1754944e-38, 3.4028235e38, 1.0, 0.1] [{least}, {greatest}, 0, 1] in [{least}, {greatest}])"
    );
    let ty = format!("i8[4, {levels}] as {quant}");
    let integers: Vec<String> = (0..4 * levels)
        .map(|n| (n % levels + least).to_string())
        .collect();
    let head = format!("  constant c0 \"\" {ty} = [{}]\n", integers.join(", "));
    let op = "{op=index {axis=0, from_start=true}, dtype=f32, activation=none}";
    let lines = [
        format!("%1: {ty} = constant {{value=c0}}"),
        format!("%2: f32[5, {levels}] = dequantised %1, %0 {op}"),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let text = cases::graph_text(&head, &["i64[5]"], &lines, &[2]) + "}\n";
    let names = vec![format!("look-up from {least} on, with index {index}")];
    let inputs = vec![Tensor::new([5], vec![2i64, 0, 1, 3, index])];
    Probe::whole(DType::F32, names, text, inputs)
}

/// Look-ups in tables of bytes and of pairs.
fn look_ups() -> impl Iterator<Item = Probe> {
    let of = |index| [look_up(-128, index), look_up(-8, index)];
    INDICES.into_iter().flat_map(of)
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
    chains.chain(look_ups()).collect()
}

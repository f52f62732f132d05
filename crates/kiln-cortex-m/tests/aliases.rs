//! Results that take the place of an operand: the C of `kiln_nn` gives the same bits in place as beside.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use kiln_cortex_m::dialect::{Family, Function};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// A function of integers whose results may take the place of operands: the type, and its call on `a`, `b` and `out`. Of element-wise calls
/// of CMSIS-NN, every build loads elements before it stores those of the same places.
const CALLS: &[(&str, &str, &str)] = &[
    (
        "arm_elementwise_add_s8",
        "int8_t",
        "arm_elementwise_add_s8(a, b, 3, 1 << 30, 0, 5, 1 << 30, -1, 20, out, -4, 1 << 30, -18, -128, 127, N)",
    ),
    (
        "kiln_add_same_s8",
        "int8_t",
        "(kiln_add_same_s8(a, b, 3, 1 << 30, 0, 5, 1 << 30, -1, 20, out, -4, 1 << 30, -18, -128, 127, N), 0)",
    ),
    (
        "arm_elementwise_add_s16",
        "int16_t",
        "arm_elementwise_add_s16(a, b, 0, 1 << 30, 0, 0, 1 << 30, -1, 14, out, 0, 1 << 30, -12, -32768, 32767, N)",
    ),
    (
        "arm_elementwise_mul_s8",
        "int8_t",
        "arm_elementwise_mul_s8(a, b, 3, 5, out, -4, 1 << 30, -6, -128, 127, N)",
    ),
    (
        "arm_elementwise_mul_s16",
        "int16_t",
        "arm_elementwise_mul_s16(a, b, 0, 0, out, 0, 1 << 30, -14, -32768, 32767, N)",
    ),
    (
        "arm_maximum_s8",
        "int8_t",
        "arm_maximum_s8(NULL, a, &dims, b, &dims, out, &dims)",
    ),
    (
        "arm_minimum_s8",
        "int8_t",
        "arm_minimum_s8(NULL, a, &dims, b, &dims, out, &dims)",
    ),
    (
        "arm_nn_activation_s16",
        "int16_t",
        "arm_nn_activation_s16(a, out, N, 1, ARM_TANH)",
    ),
    (
        "kiln_requantize_s8_s8",
        "int8_t",
        "kiln_requantize_s8_s8(&scaling, a, out, N)",
    ),
    (
        "kiln_requantize_s16_s16",
        "int16_t",
        "kiln_requantize_s16_s16(&scaling, a, out, N)",
    ),
    (
        "kiln_table_s8",
        "int8_t",
        "kiln_table_s8(table_8, a, out, N)",
    ),
    (
        "kiln_table_s16",
        "int16_t",
        "kiln_table_s16(table_16, a, out, N)",
    ),
    (
        "kiln_table_interpolated_s16",
        "int16_t",
        "kiln_table_interpolated_s16(table_16, a, out, N)",
    ),
];

const HEAD: &str = r#"
#include "kiln_nn.h"
#include "kiln_ops.h"
#include <stdio.h>
#include <string.h>
#define N 77
static int8_t table_8[256];
static int16_t table_16[65536];
static uint32_t state = 1;
static int next(void) { state = state * 1664525u + 1013904223u; return (int)(state >> 16); }
static void fill(void *to, unsigned bytes) { for (unsigned i = 0; i < bytes; i++) { ((uint8_t *)to)[i] = (uint8_t)next(); } }
int main(void) {
    const cmsis_nn_dims dims = {1, 7, 11, 1};
    const kiln_scaling scaling = {3, 1 << 30, 0, -4, {-100, 120}};
    int wrong = 0;
    fill(table_8, sizeof table_8);
    fill(table_16, sizeof table_16);
    (void)dims; (void)scaling;
"#;

/// The functions of integers whose rows allow a result in place of an operand, but for those along an axis.
fn overwriting() -> impl Iterator<Item = Function> {
    let is_integer = |f: &Function| {
        let mut dtypes = f.row().slots.iter().flat_map(|slot| slot.dtypes);
        dtypes.all(|dtype| dtype.range().is_some())
    };
    let rows = Function::ALL.iter().copied();
    rows.filter(|f| !f.row().overwritable.is_empty())
        .filter(is_integer)
        .filter(|f| f.row().family != Family::AxisReduce)
}

/// A program that makes each call with its result beside the operands and in the place of each, and compares both.
fn comparisons() -> String {
    let mut text = HEAD.to_owned();
    for (name, ty, call) in CALLS {
        let operands = Function::named(name).unwrap().row().overwritable.len();
        for operand in ["a", "b"].into_iter().take(operands) {
            let replaced = format!(
                "{{ {ty} a[N], b[N], beside[N]; fill(a, sizeof a); fill(b, sizeof b); {{ {ty} *out = beside; {call}; }} \
                 {{ {ty} *out = {operand}; {call}; }} if (memcmp({operand}, beside, sizeof beside) != 0) \
                 {{ printf(\"{name} {operand}\\n\"); wrong++; }} }}"
            );
            writeln!(text, "    {replaced}").unwrap();
        }
    }
    text.push_str("    return wrong;\n}\n");
    text
}

/// Every integer function whose row allows it is tried with a result beside its operands, and with one in the place of each. Functions
/// along an axis are not tried here: `tests/calls` replays them in place.
#[test]
fn results_in_place_of_operands() {
    for function in overwriting() {
        let name = function.name();
        assert!(
            CALLS.iter().any(|(tried, ..)| *tried == name),
            "{name} is not tried"
        );
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("aliases");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("main.c"), comparisons()).unwrap();
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("kiln_nn");
    let sources = [
        "add_same",
        "elementwise_add",
        "elementwise_mul",
        "minimum_maximum_s8",
        "activation_s16",
        "requantize",
        "table",
    ];
    let sources = sources.map(|name| kernels.join(name).with_extension("c"));
    let status = Command::new("cc")
        .args(["-std=c99", "-O2", "-I"])
        .arg(&kernels)
        .arg("-o")
        .arg(folder.join("run"))
        .arg(folder.join("main.c"))
        .args(&sources)
        .arg("-lm")
        .status()
        .unwrap();
    assert!(status.success());
    let run = Command::new(folder.join("run")).output().unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stdout)
    );
}

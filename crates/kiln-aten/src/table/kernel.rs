//! From a kernel of the stock runtime to the ATen call that it computes.
//!
//! A kernel's key (`aten::add.out`) and positional arguments become a [`Call`] of the functional op. The arguments that
//! take the kernel's results are dropped, and c10's dtype numbers become dtypes.

use crate::call::error::{Given, ImportError, Problem};
use crate::call::{Arg, Call};
use crate::table;
use crate::table::kernel_table::KERNELS;
pub use crate::table::kernel_table::Kernel;
use kiln_ir::DType;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Every kernel that Kiln can import, by key.
pub fn kernels() -> &'static [Kernel] {
    KERNELS
}

/// The kernel with that key.
pub fn kernel(key: &str) -> Option<&'static Kernel> {
    static INDEX: OnceLock<HashMap<&'static str, &'static Kernel>> = OnceLock::new();
    let index = INDEX.get_or_init(|| KERNELS.iter().map(|k| (k.key, k)).collect());
    index.get(key).copied()
}

/// The ATen call that a kernel computes. `args` are the kernel's arguments by position; those behind its inputs are
/// ignored. `out` is the dtype of the first result's tensor, which some kernels use in place of a dtype argument.
///
/// # Errors
/// If the kernel is not known, or if arguments are missing.
pub fn kernel_call(key: &str, args: &[Arg], out: Option<DType>) -> Result<Call, ImportError> {
    let fail = |problem| ImportError {
        target: key.to_string(),
        node: "kernel call".to_string(),
        problem,
        given: Given::default(),
    };
    let kernel = kernel(key).ok_or_else(|| fail(Problem::UnknownOp))?;
    let mut named = Vec::new();
    for (i, name) in kernel.inputs().enumerate() {
        let arg = args.get(i).ok_or_else(|| fail(Problem::Missing(name)))?;
        named.push((name.to_string(), converted(name, arg)));
    }
    let takes_dtype =
        table::lookup(kernel.target).is_some_and(|entry| entry.schema.position("dtype").is_some());
    if takes_dtype
        && !kernel.inputs().any(|name| name == "dtype")
        && let Some(dtype) = out
    {
        named.push(("dtype".to_string(), Arg::DType(dtype)));
    }
    Ok(Call {
        target: kernel.target.to_string(),
        node: "kernel call".to_string(),
        args: named,
        declared: Vec::new(),
    })
}

/// The argument with the number of a dtype or memory format converted.
fn converted(name: &str, arg: &Arg) -> Arg {
    match (name, arg) {
        ("dtype" | "out_dtype" | "output_dtype", Arg::Int(code)) => code
            .as_const()
            .and_then(c10_dtype)
            .map_or(Arg::None, Arg::DType),
        ("memory_format", Arg::Int(_)) => Arg::None,
        _ => arg.clone(),
    }
}

/// The dtype whose number in c10's `ScalarType` is `code`.
pub fn c10_dtype(code: i64) -> Option<DType> {
    Some(match code {
        0 => DType::U8,
        1 => DType::I8,
        2 => DType::I16,
        3 => DType::I32,
        4 => DType::I64,
        5 => DType::F16,
        6 => DType::F32,
        7 => DType::F64,
        11 => DType::Bool,
        15 => DType::BF16,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_stand_once_and_name_arguments_of_their_ops() {
        let mut unknown = Vec::new();
        for k in KERNELS {
            assert_eq!(kernel(k.key), Some(k), "{} stands twice", k.key);
            let Some(entry) = table::lookup(k.target) else {
                unknown.push(k.target);
                continue;
            };
            for name in k.inputs() {
                assert!(entry.schema.position(name).is_some(), "{}: {name}", k.key);
            }
        }
        assert_eq!(unknown, UNKNOWN);
    }

    /// The ops of kernels that are not in the op table.
    const UNKNOWN: &[&str] = &[
        "quantized_decomposed.add.default",
        "quantized_decomposed.mixed_linear.default",
        "quantized_decomposed.mixed_mm.default",
    ];

    #[test]
    fn a_call_gets_names_and_the_dtype_of_its_result() {
        let args = [Arg::Int(4.into()), Arg::None];
        let call = kernel_call("aten::arange.out", &args, Some(DType::I32)).unwrap();
        assert_eq!(call.target, "aten.arange.default");
        assert_eq!(
            call.args,
            [
                ("end".to_string(), Arg::Int(4.into())),
                ("dtype".to_string(), Arg::DType(DType::I32))
            ]
        );
        assert!(kernel_call("aten::add.out", &args[..1], None).is_err());
    }
}

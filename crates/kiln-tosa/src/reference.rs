//! Runs a graph on the TOSA reference model, in a folder of its own.
//!
//! Only this module of the crate starts a process and opens files. `scripts/tosa-tools` installs the model.

use crate::dialect::{Tensor as Declared, TosaGraph};
use crate::evaluate::dtype_of;
use crate::file::{WriteError, write};
use bytes::Bytes;
use kiln_eval::Tensor;
use kiln_ir::DType;
use kiln_ir::tensor::TensorData;
use kiln_process::Tool;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// The name of the program.
pub const PROGRAM: Tool = Tool {
    name: "tosa_reference_model",
    variable: "KILN_TOSA_REFERENCE",
    installed: Some("tosa-tools/bin/tosa_reference_model"),
    remedy: "TOSA's reference model; `scripts/tosa-tools` installs it",
};

/// The model's verdict on a graph.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The graph is valid, and these are its outputs.
    Valid(Vec<Tensor>),
    /// The specification leaves the result open.
    Unpredictable(String),
    /// The graph breaks a rule, or the model cannot run it.
    Error(String),
}

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
pub enum ReferenceError {
    /// The graph cannot be written as a file.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A file could not be written or read, or the program not be started.
    #[error("{what}: {error}")]
    Io {
        /// The file, or the program.
        what: String,
        /// The system's error.
        error: io::Error,
    },
    /// An input or an output is of another type or size than declared.
    #[error("{0}")]
    Tensor(String),
}

/// Runs the model on a graph and its inputs. The files stay in the folder, which must exist.
///
/// # Errors
/// If a file cannot be written or read, if the program cannot be started, or if an input is of another type than
/// declared.
pub fn run(
    program: &Path,
    graph: &TosaGraph,
    inputs: &[Tensor],
    folder: &Path,
) -> Result<Verdict, ReferenceError> {
    let main = graph.main();
    let declared = |ids: &[crate::dialect::TensorId]| {
        let tensors = ids.iter().map(|&id| main.tensor(id));
        let tensors: Option<Vec<&Declared>> = tensors.collect();
        tensors.ok_or_else(|| ReferenceError::Tensor("a border tensor is not there".to_owned()))
    };
    let (ins, outs) = (declared(&main.inputs)?, declared(&main.outputs)?);
    if ins.len() != inputs.len() {
        let what = format!("{} inputs, not {}", inputs.len(), ins.len());
        return Err(ReferenceError::Tensor(what));
    }
    let file = folder.join("graph.tosa");
    let output = std::fs::File::create(&file).map_err(|error| failed(&file, error))?;
    let mut output = io::BufWriter::new(output);
    let written = write(graph)?.write_to(&mut output);
    written
        .and_then(|()| io::Write::flush(&mut output))
        .map_err(|error| failed(&file, error))?;
    for (i, (declared, input)) in ins.iter().zip(inputs).enumerate() {
        if dtype_of(declared.dtype) != Some(input.dtype()) || input.sizes() != declared.shape {
            let what = format!("{declared} is given {}{:?}", input.dtype(), input.sizes());
            return Err(ReferenceError::Tensor(what));
        }
        put(&folder.join(format!("input_{i}.npy")), &npy(input))?;
    }
    put(
        &folder.join("desc.json"),
        description(&ins, &outs).as_bytes(),
    )?;
    let status = started(program, folder)?;
    match status {
        (Some(0), _) => {
            let outputs = outs.iter().enumerate().map(|(i, declared)| {
                let path = folder.join(format!("output_{i}.npy"));
                let bytes = std::fs::read(&path).map_err(|error| failed(&path, error))?;
                from_npy(&bytes.into(), declared).map_err(ReferenceError::Tensor)
            });
            Ok(Verdict::Valid(outputs.collect::<Result<_, _>>()?))
        }
        (_, text) if text.contains("UNPREDICTABLE") => Ok(Verdict::Unpredictable(text)),
        (_, text) => Ok(Verdict::Error(text)),
    }
}

fn failed(path: &Path, error: io::Error) -> ReferenceError {
    ReferenceError::Io {
        what: path.display().to_string(),
        error,
    }
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), ReferenceError> {
    std::fs::write(path, bytes).map_err(|error| failed(path, error))
}

/// The exit status, and the model's output.
fn started(program: &Path, folder: &Path) -> Result<(Option<i32>, String), ReferenceError> {
    let output = Command::new(program)
        .args(["--test_desc=desc.json", "--tosa_level=EIGHTK"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(program, error))?;
    let mut text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stdout));
    let keep = |line: &&str| {
        let is_known = ["backward compatible", "Different TOSA spec", "#"];
        !line.trim().is_empty() && !is_known.iter().any(|known| line.contains(known))
    };
    let lines: Vec<&str> = text.lines().filter(keep).collect();
    Ok((output.status.code(), lines.join("\n")))
}

/// The test descriptor in JSON. It has the names of the graph, quoted.
fn description(inputs: &[&Declared], outputs: &[&Declared]) -> String {
    let names = |tensors: &[&Declared]| {
        let names = tensors.iter().map(|tensor| quoted(&tensor.name));
        names.collect::<Vec<_>>().join(", ")
    };
    let files = |stem: &str, n: usize| {
        let files = (0..n).map(|i| format!("\"{stem}_{i}.npy\""));
        files.collect::<Vec<_>>().join(", ")
    };
    format!(
        "{{\"tosa_file\": \"graph.tosa\", \"ifm_name\": [{}], \"ifm_file\": [{}], \"ofm_name\": [{}], \
         \"ofm_file\": [{}], \"expected_failure\": false, \"expected_return_code\": 0}}\n",
        names(inputs),
        files("input", inputs.len()),
        names(outputs),
        files("output", outputs.len()),
    )
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// NumPy's names of element types. NumPy has no bfloat16, so its elements are opaque.
const fn code(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "|b1",
        DType::U8 => "|u1",
        DType::I8 => "|i1",
        DType::I16 => "<i2",
        DType::I32 => "<i4",
        DType::I64 => "<i8",
        DType::F16 => "<f2",
        DType::BF16 => "<V2",
        DType::F32 => "<f4",
        DType::F64 => "<f8",
    }
}

const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";

/// Writes a tensor as a NumPy file, version 1.0.
fn npy(tensor: &Tensor) -> Vec<u8> {
    let sizes = tensor.sizes().iter().map(|size| format!("{size},"));
    let mut header = format!(
        "{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
        code(tensor.dtype()),
        sizes.collect::<String>()
    );
    let length = (MAGIC.len() + 2 + header.len() + 1).next_multiple_of(64);
    let padding = length - MAGIC.len() - 2 - header.len() - 1;
    header.push_str(&" ".repeat(padding));
    header.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend_from_slice(tensor.bytes());
    bytes
}

/// Reads a tensor from a NumPy file that the model wrote.
fn from_npy(bytes: &Bytes, declared: &Declared) -> Result<Tensor, String> {
    let dtype = dtype_of(declared.dtype).ok_or_else(|| format!("{declared} has no tensor"))?;
    let length = bytes.get(MAGIC.len()..MAGIC.len() + 2);
    let length: [u8; 2] = length
        .and_then(|b| b.try_into().ok())
        .ok_or_else(|| format!("the output of {declared} is cut off"))?;
    let start = MAGIC.len() + 2 + usize::from(u16::from_le_bytes(length));
    let header = bytes.get(..start).unwrap_or_default();
    let is_alike = header
        .windows(code(dtype).len())
        .any(|part| part == code(dtype).as_bytes());
    if !bytes.starts_with(MAGIC) || !is_alike {
        let header = String::from_utf8_lossy(header).into_owned();
        return Err(format!("the output of {declared} is {header}"));
    }
    let data = TensorData::new(dtype, declared.shape.clone(), bytes.slice(start..));
    let data = data.map_err(|error| format!("the output of {declared}: {error}"))?;
    Ok(Tensor::from(data))
}

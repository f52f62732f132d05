//! C projects of quantised models on the boards of QEMU: instructions, arena and flash.

use super::{archives, name};
use anyhow::{Context, Result, ensure};
use kiln::compiler::{Compiled, Job, compile};
use kiln::target::TargetName;
use kiln_cortex_m::cores::Core;
use kiln_cortex_m::{Library, measure};
use kiln_ir::{DType, Scalar, TensorData};
use kiln_target::{Options, Role, Runs, Signature, Size};
use serde_json::Value;
use std::path::Path;

/// Prints a table for each core, with one row per model. `cmsis_nn` is a checkout; without it, Kiln's own kernels run.
pub fn run(
    models: &Path,
    cores: &[TargetName],
    cmsis_nn: Option<&Path>,
    filter: Option<&str>,
) -> Result<()> {
    let kernels = if cmsis_nn.is_some() {
        "CMSIS-NN"
    } else {
        "kiln_nn"
    };
    for target in cores {
        let core = Core::named(target.name());
        let core = core.with_context(|| format!("{target} is no Cortex-M"))?;
        let library = cmsis_nn
            .map(|path| Library::build(path, Some(core)))
            .transpose()?;
        println!("\n## {target}, kernels of {kernels}\n");
        println!(
            "| model | calls | multiplications | instructions | arena | at least | scratch | flash: constants | kernels | model |"
        );
        println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
        for path in archives(models, filter)? {
            let row = row(&path, *target, library.as_ref());
            println!("{}", row.with_context(|| name(&path))?);
        }
    }
    Ok(())
}

fn row(path: &Path, target: TargetName, library: Option<&Library>) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let project = folder.path().join(name(path));
    let compiled = project_of(path, target, &project)?;
    let signature = compiled.artifact.signature("forward");
    let inputs = zeros(&signature.context("a project has inputs and outputs")?)?;
    let measured = measure(&project, library, &inputs, 1)?;
    let report = measured.report.context("a board counts instructions")?;
    let memory = &compiled.sections["memory"];
    let calls = compiled.sections["calls"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let multiplications = calls
        .iter()
        .filter_map(|call| call["multiplications"].as_u64());
    let number = |value: &Value| value.as_u64().unwrap_or(0).to_string();
    let cells = [
        name(path),
        calls.len().to_string(),
        multiplications.sum::<u64>().to_string(),
        number(&report["instructions"]),
        number(&memory["arena_bytes"]),
        number(&memory["arena_lower_bound"]),
        number(&memory["scratch_bytes"]),
        number(&report["flash"]["constants"]),
        number(&report["flash"]["kernels"]),
        number(&report["flash"]["model"]),
    ];
    Ok(format!("| {} |", cells.join(" | ")))
}

/// Compiles to a project in a folder.
fn project_of(path: &Path, target: TargetName, project: &Path) -> Result<Compiled> {
    let compiled = compile(&Job {
        target_options: Options {
            output: Some(project.join("")),
            ..Options::default()
        },
        ..Job::new(path, target)
    })?;
    compiled.artifact.write(project)?;
    Ok(compiled)
}

/// Inputs of zeros: kernels of integers take as long for any numbers.
fn zeros(signature: &Signature) -> Result<Runs> {
    let mut runs = Runs::default();
    for input in &signature.inputs {
        let sizes = input.sizes.iter().map(|size| match size {
            Size::Exactly(size) => Some(*size),
            _ => None,
        });
        let sizes: Vec<usize> = sizes
            .collect::<Option<_>>()
            .context("a size is not known")?;
        let elements = sizes.iter().product();
        let dtype = input.dtype.unwrap_or(DType::I8);
        let zeros = std::iter::repeat_n(Scalar::Int(0), elements);
        let zeros = TensorData::from_scalars(dtype, sizes, zeros);
        runs.insert(0, Role::Input, input.position, zeros);
    }
    ensure!(!signature.inputs.is_empty(), "the model has no inputs");
    Ok(runs)
}

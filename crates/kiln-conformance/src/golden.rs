//! What is expected of a case on a target.

use crate::suite::{Case, Step};
use anyhow::{Context, Result};
use kiln::target::TargetName;
use kiln_cortex_m::C_PROJECT;
use kiln_ir::TensorData;
use kiln_target::{Role, Runs};
use safetensors::SafeTensors;

/// The golden tensors of a case for artifacts of a kind, and the case with the tolerances that apply.
///
/// Delegates of XNNPACK and C projects compute in integers. Their results are within a step of those that eager PyTorch computes in
/// floats between quantisations, where a case says no other tolerance. A C project computes as CMSIS-NN does: where a case has the
/// library's own results (`RUN.cmsis.OUTPUT`), these are expected to the bit.
///
/// # Errors
/// If the file cannot be read.
pub fn golden(case: &Case, target: TargetName) -> Result<(Case, Runs)> {
    let mut golden = Runs::read(&case.golden())?;
    if target == TargetName::default() {
        return Ok((case.within_a_step(), golden));
    }
    if *target.kind() != C_PROJECT {
        return Ok((case.clone(), golden));
    }
    let mut is_library = false;
    for name in golden.others().to_vec() {
        let Some((run, output)) = place_of(&name) else {
            continue;
        };
        let step = case.out_q.get(output).copied().flatten();
        let step = step.with_context(|| format!("{name}: the index has no scale"))?;
        let expected = golden.get(run, Role::Output, output);
        let sizes = expected.with_context(|| name.clone())?.sizes().to_vec();
        let reals = reals(case, &name, step)?;
        golden.insert(
            run,
            Role::Output,
            output,
            TensorData::from_f32(sizes, &reals),
        );
        is_library = true;
    }
    let case = match is_library {
        true => case.clone(),
        false => case.within_a_step(),
    };
    Ok((case, golden))
}

/// The run and the output of a tensor of the library.
fn place_of(name: &str) -> Option<(usize, usize)> {
    let (run, rest) = name.split_once('.')?;
    let output = rest.strip_prefix("cmsis.")?;
    Some((run.parse().ok()?, output.parse().ok()?))
}

/// The reals of 8-bit integers.
fn reals(case: &Case, name: &str, step: Step) -> Result<Vec<f32>> {
    let file = std::fs::read(case.golden())?;
    let tensors = SafeTensors::deserialize(&file)?;
    let integers = tensors.tensor(name)?;
    let real = |&byte: &u8| (i64::from(byte as i8) - step.zp) as f32 * step.scale as f32;
    Ok(integers.data().iter().map(real).collect())
}

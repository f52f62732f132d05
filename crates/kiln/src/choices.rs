//! Options that do not go together, or that the target does not have.

use crate::compiler::Job;
use crate::usage::UsageError;
use kiln_ir::DType;
use kiln_target::Choice;

/// Refuses a job whose options contradict each other or its target.
///
/// # Errors
/// They do. The message names the option.
pub(crate) fn check(job: &Job) -> Result<(), UsageError> {
    let (target, options) = (job.target, &job.target_options);
    let refused = |message: String| Err(UsageError::new(message));
    if options.strict_nan && options.fast_nan {
        return refused("--strict-nan and --fast-nan are opposites; leave one out".into());
    }
    if options.float_io && !target.has(Choice::FloatIo) {
        return refused(format!(
            "--float-io is for targets with an integer border; {target} takes floats as they are"
        ));
    }
    if let Some(name) = &options.name {
        if !target.has(Choice::Name) {
            return refused(format!(
                "--name is for targets that write C projects; {target} gives its artifacts no name"
            ));
        }
        if let Err(error) = kiln_cortex_m::project::Name::new(name) {
            return refused(format!("--name {error}"));
        }
    }
    match job.precision {
        Some(to) if to != DType::F32 && job.quantisation.is_some() => refused(format!(
            "--precision {to} does not go with --quantize, whose layers have floats of 32 bits around them; leave one out"
        )),
        _ => Ok(()),
    }
}

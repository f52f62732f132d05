//! Regions: calls of delegates, or of kernels that the target brings.

use super::context::Lower;
use crate::draft::{Written, contiguous};
use crate::region::{Body, Boundary, Delegated, Region};
use kiln_ir::Id;
use kiln_pte::{Delegate, DelegateIndex, Instruction, NamedData, ValueIndex};
use kiln_transforms::framework::target::Reason;

/// Calls the region's delegate or kernels on its inputs, in the memory orders that they want, and binds its outputs.
pub(super) fn call(cx: &mut Lower<'_, '_>, region: &Region) -> Result<(), Reason> {
    let delegated = match &region.body {
        Body::Delegate(delegated) => delegated,
        Body::Kernels(calls) => return super::calls::emit(cx, region, calls),
    };
    let mut args = Vec::with_capacity(region.inputs.len() + region.outputs.len());
    for input in &region.inputs {
        args.push(cx.tensor_in_order(input.value, &input.dim_order)?);
    }
    for output in &region.outputs {
        args.push(output_tensor(cx, output)?);
    }
    let delegate = delegate(cx, delegated)?;
    let outputs: Vec<Written> = args[region.inputs.len()..]
        .iter()
        .map(|&tensor| Written {
            tensor,
            is_read: false,
        })
        .collect();
    cx.draft.push(Instruction::DelegateCall { delegate, args });
    cx.draft.note_written(outputs);
    Ok(())
}

pub(super) fn output_tensor(
    cx: &mut Lower<'_, '_>,
    output: &Boundary,
) -> Result<ValueIndex, Reason> {
    let ty = cx.graph.ty(output.value);
    let plain = output.dim_order == contiguous(ty.rank());
    let tensor = match cx.destinations[output.value.index()] {
        Some(destination) if plain => destination,
        _ => {
            let spec = cx.spec(ty.dtype, &ty.shape, output.dim_order.clone())?;
            let tensor = cx.allocate(&spec);
            cx.learn_sizes(output.value, tensor);
            tensor
        }
    };
    cx.bind_tensor(output.value, tensor);
    Ok(tensor)
}

/// The delegate of the region's blob. Calls with equal blobs share a delegate.
fn delegate(cx: &mut Lower<'_, '_>, region: &Delegated) -> Result<DelegateIndex, Reason> {
    add_named_data(cx, region)?;
    let delegate = Delegate {
        id: region.backend.to_owned(),
        blob: cx.draft.program.delegate_blobs.intern(region.blob.clone()),
        compile_specs: Vec::new(),
    };
    let delegates = &mut cx.draft.method.delegates;
    let found = delegates.iter().position(|d| *d == delegate);
    let index = found.unwrap_or_else(|| {
        delegates.push(delegate);
        cx.draft.operators += region.operators;
        delegates.len() - 1
    });
    Ok(DelegateIndex(
        u32::try_from(index).expect("a method has fewer than 2^32 delegates"),
    ))
}

fn add_named_data(cx: &mut Lower<'_, '_>, region: &Delegated) -> Result<(), Reason> {
    for (key, data) in &region.named_data {
        match cx.draft.named.get(key) {
            None => {
                let place = cx.draft.program.named_data.len();
                cx.draft.named.insert(key.clone(), place);
                cx.draft.program.named_data.push(NamedData {
                    key: key.clone(),
                    data: data.clone(),
                });
            }
            Some(&place) if cx.draft.program.named_data[place].data == *data => {}
            Some(_) => {
                return Err(Reason::new(
                    "equal keys name equal data",
                    format!("different data named {key} (a bug in Kiln)"),
                ));
            }
        }
    }
    Ok(())
}

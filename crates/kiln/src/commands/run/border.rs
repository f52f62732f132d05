//! Where an artifact's border is not the model's: floats for integers, if the artifact tells which floats these stand for, and axes in
//! another order.

use super::inputs::Inputs;
use anyhow::{Context, Result};
use kiln_ir::TensorData;
use kiln_target::{Declared, Reals, Role, Runs, Signature, Size, name};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What was converted.
#[derive(Default)]
pub struct Converted {
    /// The inputs that were quantised, by position.
    inputs: BTreeMap<usize, Reals>,
    /// The outputs that were dequantised.
    outputs: BTreeMap<usize, Reals>,
    /// The outputs whose integers are quantised reals and are compared as they are.
    integers: BTreeSet<usize>,
    /// The steps of outputs that the artifact itself dequantises.
    steps: BTreeMap<usize, f64>,
    /// The positions of numbers that the artifact does not have.
    numbers: BTreeSet<usize>,
}

impl Converted {
    /// Quantises floats that are given for integers.
    ///
    /// # Errors
    /// If the artifact's parameters fit no integers.
    pub fn inputs(&mut self, signature: &Signature, inputs: &mut Inputs) -> Result<()> {
        if signature.input_count.is_none() {
            let given = inputs.runs.all(Role::Input).map(|(_, i, _)| i);
            self.numbers.extend(given.filter(|&i| !signature.takes(i)));
        }
        let mut integers = Vec::new();
        for run in 0..inputs.count() {
            let positions: Vec<usize> = inputs.runs.positions(run, Role::Input).collect();
            for (position, declared) in paired(&positions, &signature.inputs) {
                let data = inputs.runs.get(run, Role::Input, position);
                let Some((data, reals)) = data.zip(reals_for(declared, data)) else {
                    continue;
                };
                let dtype = declared.dtype.context("it has a type")?;
                let made = reals.integers(data, dtype);
                let made = made.with_context(|| name(run, Role::Input, position))?;
                integers.push((run, position, made));
                self.inputs.insert(position, reals.clone());
            }
        }
        for (run, position, data) in integers {
            inputs.runs.insert(run, Role::Input, position, data);
        }
        Ok(())
    }

    /// Dequantises integers for which the golden tensors are floats.
    ///
    /// # Errors
    /// As [`Converted::inputs`].
    pub fn outputs(
        &mut self,
        signature: &Signature,
        results: &mut Runs,
        golden: &Runs,
    ) -> Result<()> {
        let mut floats = Vec::new();
        for declared in &signature.outputs {
            let position = declared.position;
            self.steps
                .extend(declared.step.map(|step| (position, step)));
            for run in 0..golden.count() {
                let expected = golden.get(run, Role::Output, position);
                if declared.reals.is_some() && expected.is_some_and(|e| e.dtype().is_int()) {
                    self.integers.insert(position);
                }
                let Some((expected, reals)) = expected.zip(reals_for(declared, expected)) else {
                    continue;
                };
                let Some(data) = results.get(run, Role::Output, position) else {
                    continue;
                };
                let made = reals.floats(data, expected.dtype());
                let made = made.with_context(|| name(run, Role::Output, position))?;
                floats.push((run, position, made));
                self.outputs.insert(position, reals.clone());
            }
        }
        for (run, position, data) in floats {
            results.insert(run, Role::Output, position, data);
        }
        Ok(())
    }

    /// The step of a quantised output, in what is compared: reals, or integers.
    pub fn step(&self, position: usize) -> Option<f64> {
        let of_integers = || self.integers.contains(&position).then_some(1.0);
        let scale = self.outputs.get(&position).map(|reals| reals.scale);
        let own = self.steps.get(&position).copied();
        scale.or_else(of_integers).or(own)
    }

    /// What was done, in words: a line for each tensor.
    pub fn lines(&self) -> Vec<String> {
        let of = |side: &str, done: &str, all: &BTreeMap<usize, Reals>| -> Vec<String> {
            let line = |(position, reals): (&usize, &Reals)| {
                let (scale, zero) = (reals.scale, reals.zero_point);
                format!(
                    "{side} {position} is {done} by scale {scale} and zero point {zero}, as the project's report says"
                )
            };
            all.iter().map(line).collect()
        };
        let mut lines = of("input", "quantised", &self.inputs);
        lines.extend(of("output", "dequantised", &self.outputs));
        let numbers = self.numbers.iter();
        lines.extend(numbers.map(|i| {
            format!("input {i} is not read: the project has it as a constant, or not at all")
        }));
        lines
    }

    /// The same as data; `None` if nothing was converted.
    pub fn json(&self) -> Option<Value> {
        let of = |all: &BTreeMap<usize, Reals>| -> Vec<Value> {
            let port = |(index, reals): (&usize, &Reals)| json!({"index": index, "scale": reals.scale, "zero_point": reals.zero_point});
            all.iter().map(port).collect()
        };
        let is_any = !self.inputs.is_empty() || !self.outputs.is_empty();
        is_any.then(|| json!({"inputs": of(&self.inputs), "outputs": of(&self.outputs)}))
    }
}

/// The inputs as the artifact takes them: axes in its order.
///
/// # Errors
/// If a tensor has other axes.
pub fn inward(signature: &Signature, given: &Runs) -> Result<Runs> {
    let mut taken = given.clone();
    for run in 0..given.count() {
        let positions: Vec<usize> = given.positions(run, Role::Input).collect();
        for (position, declared) in paired(&positions, &signature.inputs) {
            let data = given.get(run, Role::Input, position);
            if let Some((order, data)) = declared.order.as_ref().zip(data) {
                let made = order.inward(data);
                let made = made.with_context(|| name(run, Role::Input, position))?;
                taken.insert(run, Role::Input, position, made);
            }
        }
    }
    Ok(taken)
}

/// The outputs, and the inputs as a run left them, with axes in the model's order.
///
/// # Errors
/// As [`inward`].
pub fn outward(signature: &Signature, made: &mut Runs) -> Result<()> {
    let sides = [
        (Role::Output, &signature.outputs),
        (Role::InputAfter, &signature.inputs),
    ];
    for (role, declared) in sides {
        for run in 0..made.count() {
            for declared in declared {
                let data = made.get(run, role, declared.position);
                if let Some((order, data)) = declared.order.as_ref().zip(data) {
                    let given = order.outward(data);
                    let given = given.with_context(|| name(run, role, declared.position))?;
                    made.insert(run, role, declared.position, given);
                }
            }
        }
    }
    Ok(())
}

/// The positions that are given, with the inputs that they are for: in order where there are as many, since callers may leave out what is
/// no tensor.
fn paired<'s>(
    positions: &[usize],
    inputs: &'s [Declared],
) -> impl Iterator<Item = (usize, &'s Declared)> {
    let in_order = positions.len() == inputs.len();
    let pair = move |(i, declared): (usize, &'s Declared)| {
        let position = match in_order {
            true => *positions.get(i)?,
            false => declared.position,
        };
        Some((position, declared))
    };
    inputs
        .iter()
        .enumerate()
        .filter_map(pair)
        .collect::<Vec<_>>()
        .into_iter()
}

/// The parameters by which a float tensor of the model and an artifact's integers stand for each other.
fn reals_for<'s>(declared: &'s Declared, data: Option<&TensorData>) -> Option<&'s Reals> {
    let (data, reals) = data.zip(declared.reals.as_ref())?;
    let is_int = declared.dtype.is_some_and(|dtype| dtype.is_int());
    let sizes = reals.dim_order.in_order(data.sizes())?;
    let expected = declared.sizes.iter().map(|size| match size {
        Size::Exactly(size) => Some(*size),
        _ => None,
    });
    let fits = expected.eq(sizes.into_iter().map(Some));
    (is_int && data.dtype().is_float() && fits).then_some(reals)
}

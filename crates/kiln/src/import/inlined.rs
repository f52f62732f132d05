//! Higher-order ops that only wrap a graph. The wrapped nodes are imported as part of the caller's graph.
//!
//! The wrapped graph has a scope of names of its own. It reads the caller's values through operands, so views keep
//! sharing their storage.

use super::{Names, Walker, bind_outputs, define};
use anyhow::{Result, bail};
use kiln_aten::Arg;
use kiln_pt2 as pt2;
use kiln_pt2::Argument;

impl Walker<'_, '_> {
    /// `wrap_with_set_grad_enabled(enabled, graph, *operands)`. Gradients change no value.
    pub(super) fn wrapped_in_grad_mode(
        &mut self,
        node: &pt2::Node,
        names: &mut Names,
    ) -> Result<()> {
        self.inlined(node, names)
    }

    /// `wrap_with_autocast(device, dtype, enabled, cache, graph, *operands)`.
    ///
    /// # Errors
    /// Autocast is enabled for the CPU. The archive then lacks the casts that eager PyTorch makes.
    pub(super) fn wrapped_in_autocast(
        &mut self,
        node: &pt2::Node,
        names: &mut Names,
    ) -> Result<()> {
        let mut arguments = node.inputs.iter().map(|i| &i.arg);
        let device = arguments.next();
        let on_cpu = matches!(device, Some(Argument::String(name)) if name == "cpu");
        let disabled = matches!(arguments.nth(1), Some(Argument::Bool(false)));
        if on_cpu && !disabled {
            bail!(
                "an enabled torch.autocast is saved without its casts; save `exported.run_decompositions()`, which makes them explicit"
            );
        }
        self.inlined(node, names)
    }

    fn inlined(&mut self, node: &pt2::Node, names: &mut Names) -> Result<()> {
        let mut arguments = node.inputs.iter().map(|i| &i.arg);
        let Some(Argument::Graph(wrapped)) = arguments.find(|a| matches!(a, Argument::Graph(_)))
        else {
            bail!("a wrapper without a graph");
        };
        let mut operands = Vec::new();
        for argument in arguments {
            match self.argument(argument, names)? {
                Arg::Tensors(list) => operands.extend(list.into_iter().map(Arg::Tensor)),
                other => operands.push(other),
            }
        }
        let graph = &wrapped.graph;
        if operands.len() != graph.inputs.len() {
            bail!(
                "the wrapped graph takes {} operands, found {}",
                graph.inputs.len(),
                operands.len()
            );
        }
        let mut inner = Names::new();
        for (input, operand) in graph.inputs.iter().zip(operands) {
            if let Some(name) = input.value_name() {
                define(&mut inner, name, operand)?;
            }
        }
        self.nodes(graph, &mut inner)?;
        let results = graph
            .outputs
            .iter()
            .map(|output| self.argument(output, &inner));
        let results = results.collect::<Result<Vec<Arg>>>()?;
        bind_outputs(node, results, names)
    }
}

//! Reading, writing and viewing the program's tensors.
//!
//! A write in place updates every tensor that shares the storage. A read of a tensor whose content is unknown is
//! refused.

use crate::call::Tensor;
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::access::{get_all, put_all};
use crate::importer::variable::Variable;
use crate::importer::view::View;
use kiln_ir::ValueId;

impl Importer<'_> {
    /// A new tensor with storage of its own. The symbols in its type count as bound from now on.
    pub fn bind(&mut self, value: ValueId) -> Tensor {
        self.bind_ordered(value, None)
    }

    /// As [`Importer::bind`]. `contiguous` says whether the tensor is row-major in the exporter's memory; `None`:
    /// unknown.
    pub fn bind_ordered(&mut self, value: ValueId, contiguous: Option<bool>) -> Tensor {
        self.note_symbols(value);
        self.variables.fresh(value, contiguous)
    }

    /// True if the tensor is row-major in the exporter's memory; `None` if that is not known.
    pub(crate) fn is_contiguous(&self, t: Tensor) -> Option<bool> {
        self.variables.get(t).contiguous
    }

    /// True if the tensor is a view of another tensor.
    pub(crate) fn is_view(&self, t: Tensor) -> bool {
        self.variables.get(t).from.is_some()
    }

    /// The present value of a tensor.
    ///
    /// # Errors
    /// If an op wrote in place to a tensor that may or may not share its storage.
    pub fn current(&mut self, t: Tensor) -> Result<ValueId, Problem> {
        if self.variables.storage(t).unknown {
            return Err(Problem::unsupported(
                "reads a tensor after one that may share its memory was written in place; export with `exported.run_decompositions()` to make the program functional",
            ));
        }
        let mut chain = Vec::new();
        let mut at = t;
        while !self.variables.is_current(at) {
            chain.push(at);
            at = match self.variables.get(at).from {
                Some((parent, _)) => parent,
                None => break,
            };
        }
        for &t in chain.iter().rev() {
            let Some((parent, steps)) = self.variables.get(t).from.clone() else {
                continue;
            };
            let base = self.variables.get(parent).value;
            let value = get_all(self, base, &steps)?;
            let writes = self.variables.storage(t).writes;
            let variable = self.variables.get_mut(t);
            (variable.value, variable.writes) = (value, writes);
        }
        Ok(self.variables.get(t).value)
    }

    /// Writes `value` to the tensor in place. `value` has the tensor's type. Every tensor that shares the storage
    /// changes.
    ///
    /// # Errors
    /// If the tensor cannot be written to.
    pub fn assign(&mut self, t: Tensor, value: ValueId) -> Result<(), Problem> {
        self.current(t)?;
        let mut chain = vec![t];
        let mut new = vec![value];
        while let Some((parent, steps)) = self.variables.get(chain[chain.len() - 1]).from.clone() {
            let base = self.current(parent)?;
            let written = put_all(self, base, &steps, new[new.len() - 1])?;
            chain.push(parent);
            new.push(written);
        }
        for (&t, value) in chain.iter().zip(new) {
            self.variables.get_mut(t).value = value;
        }
        self.variables.written(&chain);
        Ok(())
    }

    /// A view of a tensor.
    pub(crate) fn bind_view(&mut self, of: Tensor, steps: Vec<View>) -> Result<Tensor, Problem> {
        if steps.is_empty() {
            return Ok(of);
        }
        let base = self.current(of)?;
        let value = get_all(self, base, &steps)?;
        let storage = self.variables.get(of).storage;
        Ok(self.variables.add(Variable {
            storage,
            value,
            writes: self.variables.storages[storage as usize].writes,
            from: Some((of, steps)),
            contiguous: None,
        }))
    }

    /// A view of a tensor, or a copy of it: a memory order decides which, and it is not known. The result gets storage
    /// of its own, a relative of the tensor's storage.
    pub(crate) fn bind_maybe_view(
        &mut self,
        of: Tensor,
        steps: Vec<View>,
    ) -> Result<Tensor, Problem> {
        let base = self.current(of)?;
        let value = get_all(self, base, &steps)?;
        let copy = self.variables.fresh(value, None);
        let (a, b) = (
            self.variables.get(of).storage,
            self.variables.get(copy).storage,
        );
        self.variables.storages[a as usize].relatives.push(b);
        self.variables.storages[b as usize].relatives.push(a);
        Ok(copy)
    }

    /// Keeps the memory order that the program declares.
    pub(crate) fn set_contiguous(&mut self, t: Tensor, contiguous: Option<bool>) {
        let variable = self.variables.get_mut(t);
        variable.contiguous = contiguous.or(variable.contiguous);
    }

    /// Makes the tensor a view of its old self, as `unsqueeze_` and similar ops do.
    pub(crate) fn rebind_view(&mut self, t: Tensor, steps: Vec<View>) -> Result<(), Problem> {
        let old = self.variables.get(t).clone();
        let before = self.variables.add(old);
        let viewed = self.bind_view(before, steps)?;
        *self.variables.get_mut(t) = self.variables.get(viewed).clone();
        Ok(())
    }
}

//! The program's tensors: variables that share storage, and what writing in place does to them.
//!
//! # Invariants
//! - A variable is the root of a storage, or a view of another variable of the same storage.
//! - A storage counts its writes; a variable whose count lags is replayed from its parent when read.
//! - Storages that may or may not be the same (a `reshape` of a tensor whose memory order is unknown) are
//!   relatives: after a write to one, reading another is refused, for its content is not known.

use crate::call::{Arg, Tensor};
use crate::error::Problem;
use crate::importer::Importer;
use crate::view::{View, get_all, put_all};
use kiln_ir::ValueId;
use std::collections::HashSet;

/// A result of an import.
#[derive(Clone, Debug)]
pub(crate) enum Return {
    /// A tensor with storage of its own.
    Value(ValueId),
    /// A list of such.
    Values(Vec<ValueId>),
    /// A view of an argument.
    View(Tensor, Vec<View>),
    /// A view of an argument or a copy of it: which, depends on memory order.
    MaybeView(Tensor, Vec<View>),
    /// A list of views.
    Views(Tensor, Vec<Vec<View>>),
    /// Not a tensor, or one that exists.
    Arg(Arg),
}

impl From<ValueId> for Return {
    fn from(value: ValueId) -> Return {
        Return::Value(value)
    }
}

/// The results of an import.
pub(crate) type Returns = Vec<Return>;

/// One result with storage of its own.
pub(crate) fn one(value: ValueId) -> Result<Returns, Problem> {
    Ok(vec![Return::Value(value)])
}

/// One result that is a view.
pub(crate) fn view(of: Tensor, steps: Vec<View>) -> Result<Returns, Problem> {
    Ok(vec![Return::View(of, steps)])
}

#[derive(Clone, Debug)]
struct Variable {
    storage: u32,
    value: ValueId,
    writes: u32,
    from: Option<(Tensor, Vec<View>)>,
    contiguous: Option<bool>,
}

#[derive(Clone, Debug, Default)]
struct Storage {
    writes: u32,
    relatives: Vec<u32>,
    unknown: bool,
}

/// All variables of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables {
    table: Vec<Variable>,
    storages: Vec<Storage>,
}

impl Variables {
    fn add(&mut self, variable: Variable) -> Tensor {
        let id = u32::try_from(self.table.len()).expect("fewer than 2^32 variables");
        self.table.push(variable);
        Tensor(id)
    }

    fn get(&self, t: Tensor) -> &Variable {
        &self.table[t.0 as usize]
    }

    fn get_mut(&mut self, t: Tensor) -> &mut Variable {
        &mut self.table[t.0 as usize]
    }

    /// The value that a variable was last known to have.
    pub(crate) fn last(&self, t: Tensor) -> ValueId {
        self.get(t).value
    }

    fn storage(&self, t: Tensor) -> &Storage {
        &self.storages[self.get(t).storage as usize]
    }

    fn is_current(&self, t: Tensor) -> bool {
        self.get(t).writes == self.storage(t).writes
    }

    fn fresh(&mut self, value: ValueId, contiguous: Option<bool>) -> Tensor {
        let storage = u32::try_from(self.storages.len()).expect("fewer than 2^32 storages");
        self.storages.push(Storage::default());
        self.add(Variable {
            storage,
            value,
            writes: 0,
            from: None,
            contiguous,
        })
    }

    /// The storages that may be the same as that one, itself included.
    fn family(&self, storage: u32) -> Vec<u32> {
        let mut found = vec![storage];
        let mut seen = HashSet::from([storage]);
        let mut next = 0;
        while let Some(&s) = found.get(next) {
            let relatives = self.storages[s as usize].relatives.iter().copied();
            found.extend(relatives.filter(|&r| seen.insert(r)));
            next += 1;
        }
        found
    }

    /// Notes a write to the storage of the chain's variables, which hold their new values.
    fn written(&mut self, chain: &[Tensor]) {
        let storage = self.get(chain[0]).storage;
        for relative in self.family(storage).into_iter().skip(1) {
            self.storages[relative as usize].unknown = true;
        }
        self.storages[storage as usize].writes += 1;
        let writes = self.storages[storage as usize].writes;
        for &t in chain {
            self.get_mut(t).writes = writes;
        }
    }
}

impl Importer<'_> {
    /// A new tensor with storage of its own. The symbols in its type become known.
    pub fn bind(&mut self, value: ValueId) -> Tensor {
        self.bind_ordered(value, None)
    }

    /// As [`Importer::bind`]; `contiguous`: whether it is row-major in the exporter's memory.
    pub fn bind_ordered(&mut self, value: ValueId, contiguous: Option<bool>) -> Tensor {
        self.note_symbols(value);
        self.variables.fresh(value, contiguous)
    }

    /// Whether the tensor is row-major in the exporter's memory.
    pub(crate) fn is_contiguous(&self, t: Tensor) -> Option<bool> {
        self.variables.get(t).contiguous
    }

    /// Whether the tensor is a view of another.
    pub(crate) fn is_view(&self, t: Tensor) -> bool {
        self.variables.get(t).from.is_some()
    }

    /// The value that a tensor has now.
    ///
    /// # Errors
    /// If a tensor that may share its storage was written in place.
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

    /// Writes `value`, which has the tensor's type, in place: every tensor that shares its storage sees it.
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

    /// A view of a tensor or a copy, depending on its memory order: a copy, unless it is written to.
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

    /// Notes the memory order that the program declares.
    pub(crate) fn set_contiguous(&mut self, t: Tensor, contiguous: Option<bool>) {
        let variable = self.variables.get_mut(t);
        variable.contiguous = contiguous.or(variable.contiguous);
    }

    /// The tensor becomes a view of what it was: `unsqueeze_` and the like.
    pub(crate) fn rebind_view(&mut self, t: Tensor, steps: Vec<View>) -> Result<(), Problem> {
        let old = self.variables.get(t).clone();
        let before = self.variables.add(old);
        let viewed = self.bind_view(before, steps)?;
        *self.variables.get_mut(t) = self.variables.get(viewed).clone();
        Ok(())
    }
}

//! The records of the program's tensors: which tensors share storage, and which recorded values are current.
//!
//! # Invariants
//! - A variable is the root of a storage, or a view of another variable of the same storage.
//! - A storage counts its writes. A variable that has seen fewer writes than its storage is read again from its parent.
//! - Two storages are relatives if they may be one storage: the memory order of a tensor was unknown when it was
//!   reshaped. After a write to one relative, the content of the others is unknown.

use crate::call::Tensor;
use crate::importer::view::View;
use kiln_ir::ValueId;
use std::collections::HashSet;

#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) storage: u32,
    pub(super) value: ValueId,
    pub(super) writes: u32,
    pub(super) from: Option<(Tensor, Vec<View>)>,
    pub(super) contiguous: Option<bool>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Storage {
    pub(super) writes: u32,
    pub(super) relatives: Vec<u32>,
    pub(super) unknown: bool,
}

/// All variables of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables {
    table: Vec<Variable>,
    pub(super) storages: Vec<Storage>,
}

impl Variables {
    pub(super) fn add(&mut self, variable: Variable) -> Tensor {
        let id = u32::try_from(self.table.len()).expect("fewer than 2^32 variables");
        self.table.push(variable);
        Tensor(id)
    }

    pub(super) fn get(&self, t: Tensor) -> &Variable {
        &self.table[t.0 as usize]
    }

    pub(super) fn get_mut(&mut self, t: Tensor) -> &mut Variable {
        &mut self.table[t.0 as usize]
    }

    /// The last recorded value of the variable.
    pub(crate) fn last(&self, t: Tensor) -> ValueId {
        self.get(t).value
    }

    pub(super) fn storage(&self, t: Tensor) -> &Storage {
        &self.storages[self.get(t).storage as usize]
    }

    pub(super) fn is_current(&self, t: Tensor) -> bool {
        self.get(t).writes == self.storage(t).writes
    }

    pub(super) fn fresh(&mut self, value: ValueId, contiguous: Option<bool>) -> Tensor {
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

    /// The relatives of a storage, itself included.
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

    /// Counts a write to the storage of the chain's variables, whose records hold their new values.
    pub(super) fn written(&mut self, chain: &[Tensor]) {
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

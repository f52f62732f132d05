//! Tensors that share memory in the archive: a write to one is seen by all.
//!
//! A family is a set of tensors whose memory overlaps. Only families with a buffer matter, since nothing else is
//! written. If one tensor covers the whole family in row-major order, it is the base, and the others are views of it.

use super::{State, StateKind, Walker};
use anyhow::{Result, anyhow, bail};
use kiln_aten::{Strided, Tensor};
use kiln_ir::graph::{CellInit, Source, StateCell};
use kiln_ir::{Builder, CellId, Place, ValueId, ops};
use kiln_pt2::{self as pt2, StoredTensor};
use kiln_transforms::analysis::constants::constant_of;
use std::collections::HashMap;
use std::sync::Arc;

/// The families of a program.
#[derive(Default)]
pub(super) struct Shared {
    /// By name of a tensor: its base, under the base's two names, and which view of the base the tensor is.
    views: HashMap<String, (Names, Strided)>,
    /// By name of a tensor: the other tensors of its family, where the family has no base.
    unfollowed: HashMap<String, Vec<String>>,
    /// The tensors of families that are bound so far, by name.
    bound: HashMap<String, Tensor>,
}

/// A tensor's names in the graph and in the archive.
#[derive(Clone, PartialEq, Eq)]
struct Names {
    name: String,
    fqn: String,
}

struct Member {
    names: Names,
    is_buffer: bool,
    stored: StoredTensor,
    /// The address of the first byte, and of the byte behind the last.
    span: (usize, usize),
}

impl Shared {
    /// Finds the families among all tensors that the program takes from the archive.
    pub(super) fn of(archive: &pt2::Archive, specs: &[pt2::InputSpec]) -> Shared {
        let mut shared = Shared::default();
        let is_buffer = |spec: &pt2::InputSpec| matches!(spec, pt2::InputSpec::Buffer { .. });
        if !specs.iter().any(is_buffer) {
            return shared;
        }
        let mut members: Vec<Member> = specs.iter().filter_map(|s| member(archive, s)).collect();
        members.sort_by_key(|m| m.span);
        let mut family: Vec<Member> = Vec::new();
        for member in members {
            let end = family.iter().map(|m| m.span.1).max();
            if end.is_some_and(|end| end <= member.span.0) {
                shared.note(std::mem::take(&mut family));
            }
            family.push(member);
        }
        shared.note(family);
        shared
    }

    fn note(&mut self, family: Vec<Member>) {
        if family.len() < 2 || !family.iter().any(|m| m.is_buffer) {
            return;
        }
        let Some(base) = base(&family) else {
            for member in &family {
                let others = family.iter().filter(|m| m.names != member.names);
                let others = others.map(|m| m.names.fqn.clone()).collect();
                self.unfollowed.insert(member.names.fqn.clone(), others);
            }
            return;
        };
        let (names, start) = (&base.names, base.stored.storage_offset());
        for member in &family {
            let view = strided(&member.stored, start);
            let entry = (names.clone(), view);
            self.views.insert(member.names.fqn.clone(), entry);
        }
    }

    /// A tensor of a family, by its name in the archive.
    pub(super) fn tensor(&self, fqn: &str) -> Option<Tensor> {
        self.bound.get(fqn).copied()
    }

    /// Refuses a write to a tensor of a family without a base.
    pub(super) fn check_write(&self, fqn: &str) -> Result<()> {
        match self.unfollowed.get(fqn) {
            None => Ok(()),
            Some(others) => bail!(
                "the program writes to {fqn}, which shares memory with {} and none covers the others; clone() them where the module registers them",
                others.join(", ")
            ),
        }
    }
}

fn member(archive: &pt2::Archive, spec: &pt2::InputSpec) -> Option<Member> {
    let (pt2::InputSpec::Parameter { name, fqn }
    | pt2::InputSpec::TensorConstant { name, fqn }
    | pt2::InputSpec::Buffer { name, fqn, .. }) = spec
    else {
        return None;
    };
    let stored = archive.tensor(fqn).ok()?;
    let bytes = stored.span();
    let start = bytes.as_ptr() as usize;
    let names = Names {
        name: name.clone(),
        fqn: fqn.clone(),
    };
    (!bytes.is_empty()).then(|| Member {
        names,
        is_buffer: matches!(spec, pt2::InputSpec::Buffer { .. }),
        span: (start, start + bytes.len()),
        stored,
    })
}

/// The row-major tensor that covers the whole family; a buffer is preferred.
fn base(family: &[Member]) -> Option<&Member> {
    let start = family.iter().map(|m| m.span.0).min()?;
    let end = family.iter().map(|m| m.span.1).max()?;
    let dtype = family.first()?.stored.dtype();
    let fits = |m: &Member| m.stored.dtype() == dtype && strided(&m.stored, 0).is_distinct();
    if !family.iter().all(fits) {
        return None;
    }
    let covers = |m: &&Member| m.span == (start, end) && m.stored.is_contiguous();
    let bases = || family.iter().filter(covers);
    bases().find(|m| m.is_buffer).or_else(|| bases().next())
}

fn strided(stored: &StoredTensor, start: usize) -> Strided {
    Strided {
        sizes: stored.sizes().to_vec(),
        strides: stored.strides().to_vec(),
        offset: stored.storage_offset() - start,
    }
}

impl Walker<'_, '_> {
    /// The tensor of a parameter, constant or buffer.
    pub(super) fn stored(&mut self, name: &str, fqn: &str, is_buffer: bool) -> Result<Tensor> {
        if let Some(tensor) = self.shared.tensor(fqn) {
            return Ok(tensor);
        }
        let tensor = match self.shared.views.get(fqn).cloned() {
            None => return self.own(name, fqn, is_buffer),
            Some((base, _)) if base.fqn == fqn => self.own(name, fqn, true)?,
            Some((base, view)) => {
                let base = self.stored(&base.name, &base.fqn, true)?;
                self.cx.bind_strided(base, &view)?
            }
        };
        self.shared.bound.insert(fqn.to_owned(), tensor);
        Ok(tensor)
    }

    fn own(&mut self, name: &str, fqn: &str, is_buffer: bool) -> Result<Tensor> {
        let (constant, stored) = self.weight(name, fqn)?;
        if !is_buffer {
            return Ok(self.cx.bind_ordered(constant, Some(true)));
        }
        let (initial, kind) = match self.kept.contains(fqn) {
            true => {
                // A tensor whose memory has another order of axes is a constant behind a movement. A cell has its content as it is read.
                let content = match self.cx.graph().as_constant(constant) {
                    Some(_) => stored,
                    None => {
                        let moved = constant_of(self.cx.graph(), constant);
                        let moved = moved.ok_or_else(|| anyhow!("{fqn} has no known content"))?;
                        self.cx.rewriter().add_constant(fqn, moved)
                    }
                };
                let (cell, read) = self.cell(fqn, constant, CellInit::Constant(content))?;
                (read, StateKind::Kept(cell))
            }
            false => (constant, StateKind::Buffer),
        };
        let tensor = self.cx.bind_ordered(initial, Some(true));
        self.state.push(State {
            name: fqn.to_owned(),
            tensor,
            initial,
            kind,
        });
        Ok(tensor)
    }

    /// The cell of a buffer, and its content before the call. `like` has its type.
    fn cell(&mut self, fqn: &str, like: ValueId, init: CellInit) -> Result<(CellId, ValueId)> {
        let ty = self.cx.graph().ty(like).clone();
        let root = self.cx.graph().root();
        let rewriter = self.cx.rewriter();
        let name: Arc<str> = fqn.into();
        let cell = rewriter.add_cell(StateCell {
            name: name.clone(),
            ty,
            init,
        });
        let source = rewriter.add_source(Source {
            node: name.clone(),
            target: "".into(),
            module: "".into(),
            line: "".into(),
        });
        rewriter.set_sources([source]);
        let read = rewriter.value(Place::Start(root), ops::ReadState { cell }, &[])?;
        rewriter.name_value(read, fqn);
        Ok((cell, read))
    }
}

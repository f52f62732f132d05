//! The contents of state cells between calls.

use crate::error::Cause;
use crate::tensor::Tensor;
use kiln_ir::arena::Id;
use kiln_ir::graph::CellInit;
use kiln_ir::{CellId, Graph};

/// The contents of the cells. A cell that starts as an input has a content during a call only.
#[derive(Clone, Debug, Default)]
pub struct State {
    cells: Vec<Option<Tensor>>,
}

impl State {
    /// The initial contents of all cells of a graph.
    pub fn new(graph: &Graph) -> State {
        let mut state = State::default();
        for (id, cell) in graph.cells() {
            if let CellInit::Constant(constant) = cell.init {
                let content = Tensor::from(&graph.constant(constant).data);
                state.set(id, content.with_quant(cell.ty.quant.clone()));
            }
        }
        state
    }

    /// The content of a cell.
    pub fn get(&self, cell: CellId) -> Option<&Tensor> {
        self.cells.get(cell.index())?.as_ref()
    }

    /// Sets the content of a cell. Cells of several methods with one name are one cell; a caller that runs several
    /// methods has to copy the content.
    pub fn set(&mut self, cell: CellId, content: Tensor) {
        if self.cells.len() <= cell.index() {
            self.cells.resize(cell.index() + 1, None);
        }
        self.cells[cell.index()] = Some(content);
    }

    pub(crate) fn read(&self, graph: &Graph, cell: CellId) -> Result<Tensor, Cause> {
        self.get(cell).cloned().ok_or_else(|| Cause::State {
            name: graph.cell(cell).name.to_string(),
            why: "it holds nothing; make the state with State::new of this graph".into(),
        })
    }
}

//! The rules of buffers, and of the order in which calls use them.

use super::{Fault, place};
use crate::dialect::{Access, BufferId, Call, Dtype, Parameters, Program, Role, Slot, Step, View};
use rustc_hash::FxHashSet;

pub(super) fn check(program: &Program, faults: &mut Vec<Fault>) {
    let mut names = FxHashSet::default();
    for buffer in &program.buffers {
        let mut fault = |rule: String| {
            faults.push(Fault {
                place: format!("buffer {}", buffer.name),
                rule,
            });
        };
        if !names.insert(&buffer.name) {
            fault("another buffer has its name".into());
        }
        if let Role::Constant(bytes) | Role::State(bytes) = &buffer.role
            && bytes.len() != buffer.bytes()
        {
            fault(format!("{} bytes, not {}", bytes.len(), buffer.bytes()));
        }
        if buffer.dtype == Dtype::I4 && buffer.constant().is_none() {
            fault("4-bit integers that are no constant".into());
        }
    }
    order(program, faults);
}

/// The part of a buffer that is written so far.
#[derive(Clone, Default)]
struct Written {
    /// Contiguous parts, apart from each other, in order.
    views: Vec<View>,
    /// The number of elements in parts with gaps. Each is taken to be written once; together they make up the buffer.
    counted: usize,
}

impl Written {
    fn add(&mut self, view: View) {
        let touches = |other: &View| other.first <= view.end() && view.first <= other.end();
        let (met, apart): (Vec<View>, Vec<View>) = self.views.iter().partition(|v| touches(v));
        let first = met.iter().map(|v| v.first).fold(view.first, usize::min);
        let end = met.iter().map(|v| v.end()).fold(view.end(), usize::max);
        self.views = apart;
        let elements = end - first;
        self.views.push(View { first, elements });
        self.views.sort_unstable();
    }

    /// The part of a buffer of this many elements that both branches have written. Of parts with gaps, only those from before the
    /// branch are surely the same.
    fn of_both(&self, other: &Written, before: &Written, elements: usize) -> Written {
        let all = View { first: 0, elements };
        if self.has(all, elements) {
            return other.clone();
        }
        if other.has(all, elements) {
            return self.clone();
        }
        let common = |a: &View, b: &View| {
            let (first, end) = (a.first.max(b.first), a.end().min(b.end()));
            let elements = end.saturating_sub(first);
            (elements > 0).then_some(View { first, elements })
        };
        let pairs = self.views.iter();
        let pairs = pairs.flat_map(|a| other.views.iter().filter_map(move |b| common(a, b)));
        Written {
            views: pairs.collect(),
            counted: before.counted,
        }
    }

    /// Whether all elements of a view are written, in a buffer of this many.
    fn has(&self, view: View, elements: usize) -> bool {
        let covers = |v: &View| v.first <= view.first && view.end() <= v.end();
        view.elements == 0 || self.counted >= elements || self.views.iter().any(covers)
    }
}

/// Each buffer is written before it is read.
fn order(program: &Program, faults: &mut Vec<Fault>) {
    let whole = |elements: usize| View { first: 0, elements };
    let is_given = |role: &Role| !matches!(role, Role::Output | Role::Temporary);
    let mut written = vec![Written::default(); program.buffers.len()];
    for (buffer, written) in program.buffers.iter().zip(&mut written) {
        if is_given(&buffer.role) {
            written.add(whole(buffer.elements));
        }
    }
    let mut steps = Order {
        program,
        written,
        faults,
    };
    steps.check(&program.steps());
    let Order {
        written, faults, ..
    } = steps;
    for id in program.outputs() {
        let (buffer, written) = (&program.buffers[id.index()], &written[id.index()]);
        if !written.has(whole(buffer.elements), buffer.elements) {
            let found = written.counted + written.views.iter().map(|v| v.elements).sum::<usize>();
            faults.push(Fault {
                place: format!("buffer {}", buffer.name),
                rule: format!("{found} of its {} elements are written", buffer.elements),
            });
        }
    }
}

/// What is written when calls are made, and what they read too early.
struct Order<'c> {
    program: &'c Program,
    written: Vec<Written>,
    faults: &'c mut Vec<Fault>,
}

impl Order<'_> {
    fn check(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Call(number) => self.call(*number),
                Step::If {
                    condition,
                    then,
                    otherwise,
                } => {
                    self.decision(*condition);
                    let before = self.written.clone();
                    self.check(then);
                    let one = std::mem::replace(&mut self.written, before.clone());
                    self.check(otherwise);
                    // What only one of them writes is not written behind them.
                    let both = self.written.iter_mut().zip(one.iter().zip(&before));
                    for (buffer, (written, (one, before))) in self.program.buffers.iter().zip(both)
                    {
                        *written = one.of_both(written, before, buffer.elements);
                    }
                }
                Step::While {
                    condition,
                    test,
                    body,
                } => {
                    self.check(test);
                    self.decision(*condition);
                    let before = self.written.clone();
                    self.check(body);
                    self.written = before;
                }
            }
        }
    }

    /// A byte that decides is written.
    fn decision(&mut self, condition: BufferId) {
        let all = View {
            first: 0,
            elements: 1,
        };
        if !self.written[condition.index()].has(all, 1) {
            let name = self.program.name_of(condition);
            self.faults.push(Fault {
                place: format!("buffer {name}"),
                rule: "it decides before it is written".into(),
            });
        }
    }

    fn call(&mut self, i: usize) {
        let (program, written) = (self.program, &mut self.written);
        let call = &program.calls[i];
        let whole = |elements: usize| View { first: 0, elements };
        let mut fault = |rule: String| {
            self.faults.push(Fault {
                place: place(i, call),
                rule,
            })
        };
        let slots = call.function.row().slots.iter().zip(&call.buffers);
        let used: Vec<_> = slots
            .enumerate()
            .filter_map(|(place, (slot, id))| Some((place, slot, (*id)?)))
            .collect();
        for &(place, slot, id) in &used {
            let Some(buffer) = program.buffer(id) else {
                fault(format!("there is no buffer {id:?}"));
                continue;
            };
            let view = call.view(place).unwrap_or(whole(buffer.elements));
            if needs(call, slot) && !written[id.index()].has(view, buffer.elements) {
                fault(format!("{} is read before it is written", buffer.name));
            }
            if slot.access.writes() && buffer.constant().is_some() {
                fault(format!("{} is written, and is a constant", buffer.name));
            }
        }
        for &(place, slot, id) in &used {
            let Some(view) = program.used(call, place) else {
                continue;
            };
            match slot.access {
                Access::Read => {}
                Access::Write | Access::Update => written[id.index()].add(view),
                Access::Part => written[id.index()].counted += part(program, call),
            }
        }
    }
}

/// Whether a call reads what is in the buffer of a slot.
fn needs(call: &Call, slot: &Slot) -> bool {
    let keeps_cells = || match call.function.row().slot("buffers.hidden_state") {
        Some(place) => call.buffers.get(place).is_some_and(Option::is_some),
        None => true,
    };
    match &call.parameters {
        // Without a hidden state from before, the cells begin with 0.
        Parameters::Lstm(_) if slot.name == "buffers.cell_state" => keeps_cells(),
        _ => slot.access.reads(),
    }
}

/// The elements of the part that a call writes: those that strides visit, or those of its first buffer.
fn part(program: &Program, call: &Call) -> usize {
    if let Parameters::Copy(copy) = &call.parameters {
        return copy.strides.elements();
    }
    program.used(call, 0).map_or(0, |view| view.elements)
}

//! The evaluator: computes what a program's calls compute, by the arithmetic of the library, bit for bit.
//!
//! Each file has one area. It computes the results of a function, not the way to them: columns, blocks and routes do not change
//! bits. 32-bit accumulators wrap. Where one build of the library reads other operands than another (kernel sums on MVE), the
//! evaluator does so for that build.

mod activation;
mod arguments;
mod axis;
mod convolution;
mod data;
mod depthwise;
mod elementwise;
mod float;
mod fully_connected;
mod indexing;
mod lstm;
mod movement;
mod pool;
mod resize;
mod softmax;
mod stage;
mod strided;
mod svdf;
mod table;
mod transposed;

use crate::dialect::{BufferId, Build, Call, Parameters, Program, Role, Runner};
use crate::verify::{Verified, place};
use arguments::Arguments;
pub use data::Data;
pub(crate) use table::requantised_bytes;

/// Why a program gives no outputs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluateError {
    /// Another number of inputs.
    #[error("{found} inputs, not {expected}")]
    Count {
        /// How many there are.
        found: usize,
        /// How many the program has.
        expected: usize,
    },
    /// An input of another type or size.
    #[error("input {name} is {found}, not {expected}")]
    Type {
        /// The buffer.
        name: String,
        /// Its type and size.
        found: String,
        /// The buffer's.
        expected: String,
    },
    /// A function refuses an operand. The run ends with its status.
    #[error("{call}: an index is out of range, or a divisor is 0")]
    Refused {
        /// The call.
        call: String,
    },
}

/// The outputs of one run, in order. State has its first contents.
///
/// # Errors
/// If the inputs are not those of the program.
pub fn evaluate(verified: &Verified<'_>, inputs: &[Data]) -> Result<Vec<Data>, EvaluateError> {
    Runs::new(verified).run(inputs)
}

/// Runs of a program, one after another on the same state.
#[derive(Clone, Debug)]
pub struct Runs<'p> {
    program: &'p Program,
    build: Build,
    memory: Vec<Data>,
}

impl<'p> Runs<'p> {
    /// A program before its first run.
    pub fn new(verified: &Verified<'p>) -> Runs<'p> {
        let program = verified.program();
        let memory = program.buffers.iter().map(|buffer| match &buffer.role {
            Role::Constant(bytes) | Role::State(bytes) => {
                Data::of_bytes(buffer.dtype, buffer.elements, bytes)
            }
            Role::Input | Role::Updated | Role::Output | Role::Temporary => {
                Data::zeros(buffer.dtype, buffer.elements)
            }
        });
        Runs {
            program,
            build: verified.build(),
            memory: memory.collect(),
        }
    }

    /// The outputs of the next run, in order.
    ///
    /// # Errors
    /// If the inputs are not those of the program.
    pub fn run(&mut self, inputs: &[Data]) -> Result<Vec<Data>, EvaluateError> {
        let ids = self.program.inputs();
        if ids.len() != inputs.len() {
            let (found, expected) = (inputs.len(), ids.len());
            return Err(EvaluateError::Count { found, expected });
        }
        for (id, input) in ids.into_iter().zip(inputs) {
            self.set(id, input)?;
        }
        self.run_steps(&self.program.steps())?;
        let outputs = self.program.outputs().into_iter();
        Ok(outputs.map(|id| self.buffer(id).clone()).collect())
    }

    /// What a buffer holds.
    pub fn buffer(&self, id: BufferId) -> &Data {
        &self.memory[id.index()]
    }

    fn set(&mut self, id: BufferId, input: &Data) -> Result<(), EvaluateError> {
        let held = &mut self.memory[id.index()];
        if (held.dtype(), held.len()) != (input.dtype(), input.len()) {
            let shown = |data: &Data| format!("{}[{}]", data.dtype(), data.len());
            return Err(EvaluateError::Type {
                name: self.program.name_of(id),
                found: shown(input),
                expected: shown(held),
            });
        }
        held.clone_from(input);
        Ok(())
    }

    /// Makes a call. `None` if its function refuses an operand.
    fn make(&mut self, call: &Call) -> Option<()> {
        let parts = call.buffers.iter().enumerate().map(|(place, id)| {
            let held = &self.memory[(*id)?.index()];
            Some(held.part(call.view(place)?))
        });
        let parts: Vec<Option<Data>> = parts.collect();
        let held = parts.iter().zip(&call.buffers);
        let held = held.map(|(part, id)| {
            let whole = || id.map(|id| &self.memory[id.index()]);
            part.as_ref().or_else(whole)
        });
        let results = results(call, held.collect(), self.build)?;
        for ((place, id), result) in written(call).zip(results) {
            let held = &mut self.memory[id.index()];
            match call.view(place) {
                None => *held = result,
                Some(view) => held.replace(view.first, &result),
            }
        }
        Some(())
    }
}

impl Runner for Runs<'_> {
    type Error = EvaluateError;

    fn call(&mut self, number: usize) -> Result<(), EvaluateError> {
        let call = &self.program.calls[number];
        self.make(call).ok_or_else(|| EvaluateError::Refused {
            call: place(number, call),
        })
    }

    fn holds(&self, condition: BufferId) -> bool {
        self.buffer(condition).integers().first() != Some(&0)
    }
}

/// The slots that a call writes and that are no null pointers: their places, and their buffers.
pub(crate) fn written(call: &Call) -> impl Iterator<Item = (usize, BufferId)> + '_ {
    let slots = call.function.row().slots.iter().zip(&call.buffers);
    let written = slots
        .enumerate()
        .filter(|(_, (slot, _))| slot.access.writes());
    written.filter_map(|(place, (_, id))| Some((place, (*id)?)))
}

/// The results of a call for these contents of its slots, in the order of [`written`]. `None` if its function refuses an operand.
pub(crate) fn results(call: &Call, held: Vec<Option<&Data>>, build: Build) -> Option<Vec<Data>> {
    let row = call.function.row();
    let results = compute(call, &Arguments::new(row, held), build)?;
    let expected = written(call).count();
    assert_eq!(expected, results.len(), "{} gives what it writes", row.name);
    Some(results)
}

/// The results of a call, in the order of [`written`]. `None` if its function refuses an operand.
fn compute(call: &Call, arguments: &Arguments<'_>, build: Build) -> Option<Vec<Data>> {
    let function = call.function;
    Some(match &call.parameters {
        Parameters::Conv(conv) => vec![convolution::convolved(conv, arguments)],
        Parameters::Depthwise(conv) => vec![depthwise::convolved(conv, arguments)],
        Parameters::TransposeConv(conv) => vec![transposed::convolved(conv, arguments)],
        Parameters::FullyConnected(of) => vec![fully_connected::connected(of, arguments, build)],
        Parameters::BatchMatmul(product) => vec![fully_connected::product(product, arguments)],
        Parameters::VectorSum(sum) => vec![fully_connected::sums(sum, arguments)],
        Parameters::Add(add) => vec![elementwise::sum(add, arguments)],
        Parameters::Mul(mul) => vec![elementwise::product(mul, arguments)],
        Parameters::MinMax(dims) => vec![elementwise::extreme(function, dims, arguments)],
        Parameters::Pool(pool) => vec![pool::pooled(function, pool, arguments)],
        Parameters::Softmax(softmax) => vec![softmax::fixed(softmax, arguments)],
        Parameters::SoftmaxTable(softmax) => vec![softmax::of_tables(softmax, arguments)],
        Parameters::Relu(_) => vec![activation::limited(function, arguments)],
        Parameters::Gate(gate) => vec![activation::gated(gate, arguments)],
        Parameters::Pad(pad) => vec![movement::padded(pad, arguments)],
        Parameters::Transpose(transpose) => vec![movement::transposed(transpose, arguments)],
        Parameters::Concat(concat) => vec![movement::concatenated(function, concat, arguments)],
        Parameters::Reshape(_) => vec![arguments.data("input").clone()],
        Parameters::Lstm(lstm) => lstm::sequences(&lstm.params, arguments),
        Parameters::Svdf(svdf) => svdf::step(svdf, arguments, build),
        Parameters::Requantise(of) => vec![table::requantised(&of.scaling, arguments)],
        Parameters::Table(_) => vec![table::looked_up(function, arguments)],
        Parameters::Broadcast(of) => vec![strided::computed(function, of, arguments)],
        Parameters::BroadcastMinMax(of) => vec![strided::extreme(function, &of.strides, arguments)],
        Parameters::AxisSum(of) => vec![axis::sums(of, arguments)],
        Parameters::AxisMean(of) => vec![axis::means(of, arguments)],
        Parameters::AxisArgmax(of) => vec![axis::greatest(function, of, arguments)],
        Parameters::AxisSoftmax(of) => vec![axis::softmax(of, arguments)],
        Parameters::CountedPool(pool) => vec![pool::counted(pool, arguments)],
        Parameters::DilatedPool(pool) => vec![pool::dilated(pool, arguments)],
        Parameters::Copy(copy) => vec![strided::copied(copy, arguments)],
        Parameters::Border(border) => vec![indexing::bordered(border, arguments)],
        Parameters::Resize(resize) => vec![resize::resized(resize, arguments)?],
        Parameters::Gather(gather) => vec![indexing::blocks(gather, arguments)?],
        Parameters::GatherElements(gather) => vec![indexing::elements(gather, arguments)?],
        Parameters::Map(_) => vec![float::mapped(function, arguments)],
        Parameters::Clamp(of) => vec![float::clamped(of, arguments)],
        Parameters::LeakyRelu(of) => vec![float::leaky_relu(of, arguments)],
        Parameters::Elu(of) => vec![float::elu(of, arguments)],
        Parameters::Softplus(of) => vec![float::softplus(of, arguments)],
        Parameters::Pairs(of) => vec![float::computed(function, &of.strides, arguments)],
        Parameters::Compare(of) => vec![float::compared(of, arguments)],
        Parameters::Select(of) => vec![float::selected(of, arguments)],
        Parameters::Integers(of) => vec![float::integers(of, arguments)?],
        Parameters::Scatter(of) => vec![indexing::scattered(of, arguments)?],
        Parameters::Cast(of) => vec![float::cast(of, arguments)],
        Parameters::Quantise(of) => vec![float::quantised(of, arguments)],
        Parameters::Dequantise(of) => vec![float::dequantised(of, arguments)],
        Parameters::FloatMatmul(of) => vec![float::product(of, arguments)],
        Parameters::FloatConv(of) => vec![float::convolved(function, of, arguments)],
        Parameters::FloatMaxPool(of) => vec![float::greatest_of_windows(of, arguments)],
        Parameters::FloatAvgPool(of) => vec![float::averages(of, arguments)],
        Parameters::AxisReduce(of) => vec![float::reduced(function, of, arguments)],
        Parameters::Norm(of) => vec![float::standardised(of, arguments)],
        Parameters::TopK(of) => float::ordered(of, arguments),
    })
}

//! The verifier: lists every rule that a program breaks.
//!
//! What it checks:
//! 1. Buffers: names are unique, constants and state have as many bytes as their elements, 4-bit integers are constants.
//! 2. Order: a buffer is written before it is read, outputs are written, constants are not.
//! 3. Calls: parameters are those of the function's family, required buffers are there, with the type and the size of the row, and the
//!    build has the function.
//! 4. Overlap: a call writes to no other buffer that it has, except where its row allows it.
//! 5. Parameters: the rules of the family. A call that passes gets a status of 0 on the build, reads and writes only its buffers, and
//!    computes what the evaluator does. What the library computes wrongly, or reads beyond a buffer for, is refused too.
//!
//! ```
//! use kiln_cortex_m::dialect::{Build, Program, Relu, Function};
//! use kiln_cortex_m::verify::verify;
//!
//! let mut program = Program::default();
//! program.call(Function::ReluQ7, Relu { size: 3 }, &[None]);
//! let faults = verify(&program, Build::Dsp).expect_err("there is no buffer");
//! assert_eq!(faults[0].to_string(), "call 0 (arm_relu_q7): data is a null pointer");
//! ```

mod buffers;
mod convolution;
mod elementwise;
mod floats;
mod flow;
mod fully_connected;
mod indexing;
mod kernels;
mod memory;
mod movement;
mod pool;
mod recurrent;
mod rules;

use crate::dialect::{Build, Call, Parameters, Program};
use rules::Rules;

/// A rule that is broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {rule}")]
pub struct Fault {
    /// The buffer or the call.
    pub place: String,
    /// What was found, and what is allowed.
    pub rule: String,
}

/// A program that breaks no rule on a build. Only the verifier makes one.
#[derive(Clone, Copy, Debug)]
pub struct Verified<'p> {
    program: &'p Program,
    build: Build,
}

impl<'p> Verified<'p> {
    /// The program.
    pub const fn program(&self) -> &'p Program {
        self.program
    }

    /// The build.
    pub const fn build(&self) -> Build {
        self.build
    }
}

/// Checks a program for a build of the library.
///
/// # Errors
/// All faults.
pub fn verify(program: &Program, build: Build) -> Result<Verified<'_>, Vec<Fault>> {
    let mut faults = Vec::new();
    flow::check(program, &mut faults);
    if !faults.is_empty() {
        return Err(faults);
    }
    memory::check(program, &mut faults);
    for (i, call) in program.calls.iter().enumerate() {
        let found = faults_of(program, call, build);
        faults.extend(found.into_iter().map(|rule| Fault {
            place: place(i, call),
            rule,
        }));
    }
    match faults.is_empty() {
        true => Ok(Verified { program, build }),
        false => Err(faults),
    }
}

/// The rules that a call breaks on a build, apart from those of the order of calls.
pub(crate) fn faults_of(program: &Program, call: &Call, build: Build) -> Vec<String> {
    let mut found = Vec::new();
    check_call(program, call, build, &mut found);
    found
}

/// A call in words, for the user.
pub(crate) fn place(i: usize, call: &Call) -> String {
    let layer = if call.layer.is_empty() {
        String::new()
    } else {
        format!(", {}", call.layer)
    };
    format!("call {i} ({}{layer})", call.function.name())
}

fn check_call(program: &Program, call: &Call, build: Build, found: &mut Vec<String>) {
    let row = call.function.row();
    if row.family != call.parameters.family() {
        return found.push(format!(
            "parameters of {:?}, not {:?}",
            call.parameters.family(),
            row.family
        ));
    }
    if !row.builds.has(build) {
        found.push(format!("the {build} build does not have it"));
    }
    let value = call.parameters.value();
    let mut rules = Rules {
        program,
        call,
        value: &value,
        build,
        found,
    };
    // The families' rules compute with sizes, so these come first.
    if rules.sizes(&value, "") && rules.buffers() {
        check_parameters(&mut rules, &call.parameters);
    }
}

fn check_parameters(rules: &mut Rules<'_>, parameters: &Parameters) {
    match parameters {
        Parameters::Conv(conv) => rules.conv(conv),
        Parameters::Depthwise(conv) => rules.depthwise(conv),
        Parameters::TransposeConv(conv) => rules.transpose_conv(conv),
        Parameters::FullyConnected(layer) => rules.fully_connected(layer),
        Parameters::BatchMatmul(product) => rules.batch_matmul(product),
        Parameters::VectorSum(sum) => rules.vector_sum(sum),
        Parameters::Add(add) => rules.add(add),
        Parameters::Mul(mul) => rules.mul(mul),
        Parameters::MinMax(dims) => rules.min_max(dims),
        Parameters::Pool(pool) => rules.pool(pool),
        Parameters::Softmax(softmax) => rules.softmax(softmax),
        Parameters::SoftmaxTable(softmax) => rules.factor("mult", softmax.mult, softmax.shift),
        Parameters::Relu(relu) => rules.relu(relu),
        Parameters::Gate(gate) => rules.gate_shift("left_shift", gate.left_shift),
        Parameters::Pad(pad) => rules.pad(pad),
        Parameters::Transpose(transpose) => rules.transpose(transpose),
        Parameters::Concat(concat) => rules.concat(concat),
        Parameters::Lstm(lstm) => rules.lstm(&lstm.params),
        Parameters::Svdf(svdf) => rules.svdf(svdf),
        Parameters::Requantise(of) => rules.scaling(&of.scaling),
        Parameters::Broadcast(of) => rules.broadcast(of),
        Parameters::BroadcastMinMax(of) => rules.operands_of(&of.strides),
        Parameters::AxisSum(of) => rules.scaling(&of.scaling),
        Parameters::AxisMean(of) => rules.mean(of),
        Parameters::AxisArgmax(of) => rules.axis(of.n),
        Parameters::AxisSoftmax(of) => rules.axis_softmax(of),
        Parameters::CountedPool(pool) => rules.counted_pool(pool),
        Parameters::DilatedPool(pool) => rules.dilated_pool(pool),
        Parameters::Resize(resize) => rules.resize(resize),
        Parameters::Copy(copy) => rules.copy(copy),
        Parameters::Border(border) => rules.border(border),
        Parameters::Gather(gather) => rules.gather(gather),
        Parameters::GatherElements(gather) => rules.gather_elements(gather),
        Parameters::Reshape(_)
        | Parameters::Table(_)
        | Parameters::Map(_)
        | Parameters::Clamp(_)
        | Parameters::LeakyRelu(_)
        | Parameters::Elu(_)
        | Parameters::Softplus(_)
        | Parameters::Dequantise(_)
        | Parameters::Norm(_) => {}
        Parameters::Pairs(of) => rules.operands_of(&of.strides),
        Parameters::Compare(of) => rules.compare(of),
        Parameters::Select(of) => rules.select(of),
        Parameters::Integers(of) => rules.integers(of),
        Parameters::Scatter(of) => rules.scatter(of),
        Parameters::Cast(of) => rules.cast(of),
        Parameters::Quantise(of) => rules.quantise(of),
        Parameters::FloatMatmul(of) => rules.float_matmul(of),
        Parameters::FloatConv(of) => rules.float_conv(of),
        Parameters::FloatMaxPool(of) => rules.float_max_pool(of),
        Parameters::FloatAvgPool(of) => rules.float_avg_pool(of),
        Parameters::AxisReduce(of) => rules.axis_reduce(of.n),
        Parameters::TopK(of) => rules.top_k(of),
    }
}

#[cfg(test)]
mod tests;

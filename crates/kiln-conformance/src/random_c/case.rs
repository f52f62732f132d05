//! A network that is compiled and evaluated.

use super::trial;
use crate::random::found::Found;
use kiln_check::{
    Close, Random, Side, Situation, Sizes, Values, difference, guarded, inputs, network, run,
    shrink,
};
use kiln_cortex_m::cores::Core;
use kiln_cortex_m::project::{Name, Project};
use kiln_cortex_m::{CompiledProject, CortexM, NewProject, Workshop, compile_observed, pipeline};
use kiln_eval::Tensor;
use kiln_ir::graph::OutputSpec;
use kiln_ir::verify::verify;
use kiln_ir::{Graph, Op, Rewriter, TensorData, ValueId};
use kiln_target::{
    About, Artifact, AtModelBorder, Error, Executor, Loading, Measured, Options, Role, Runs,
};
use kiln_transforms::framework::pass::run_pipeline;
use std::cell::{Cell, RefCell};

/// For what a network is compiled, and how.
#[derive(Clone)]
pub struct Choice {
    pub core: &'static Core,
    options: Options,
    name: String,
}

impl Choice {
    /// Of a seed, with one of these cores.
    pub fn of(seed: u64, cores: &[&'static Core]) -> Choice {
        let mut random = Random::new(!seed);
        let core = *random.pick(cores);
        let options = Options {
            float_io: random.chance(20),
            // Less than most arenas: as many chains by rows as there can be.
            arena: random.chance(25).then(|| random.below(2048) as u64),
            ..Options::default()
        };
        Choice {
            core,
            options,
            name: format!("net{seed}"),
        }
    }
}

/// Why a network is not compared.
pub enum Stop {
    /// It does not compile, for this reason.
    Refused(String),
    /// What is wrong with it.
    Wrong(String),
}

/// A network with its project, and what runs of it give.
#[derive(Clone)]
pub struct Case {
    /// The graph behind the pipeline.
    pub graph: Graph,
    pub project: Project,
    /// The chains that are computed by rows.
    pub chains: usize,
    pub runs: Vec<Run>,
    pub choice: Choice,
}

/// A run of a project.
#[derive(Clone)]
pub struct Run {
    situation: Situation,
    /// The inputs at the model's border.
    pub model_inputs: Vec<Tensor>,
    /// The inputs at the project's border.
    pub inputs: Vec<TensorData>,
    /// The outputs of the evaluator at the project's border; `None` where a function refuses an operand.
    pub outputs: Option<Vec<TensorData>>,
    /// The outputs at the model's border.
    pub model_outputs: Vec<Tensor>,
}

impl Run {
    /// Whether the results are compared with the graph's meaning.
    pub fn is_bounded(&self) -> bool {
        self.situation.values != Values::Special
    }
}

/// What was compared, and found to be equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// The runs of which elements were compared.
    pub runs: u64,
    pub elements: u64,
}

impl Compared {
    /// That of a run.
    pub fn of_run(elements: u64) -> Compared {
        let runs = u64::from(elements > 0);
        Compared { runs, elements }
    }

    /// Adds what was compared besides.
    pub fn add(&mut self, other: Compared) {
        self.runs += other.runs;
        self.elements += other.elements;
    }
}

/// The inputs of runs. A NaN or an infinity may become any integer, so of these only bits are compared.
const SITUATIONS: [(Values, u64); 4] = [
    (Values::Noise, 1),
    (Values::Noise, 2),
    (Values::Finite, 3),
    (Values::Special, 4),
];

impl Case {
    /// That of a seed.
    ///
    /// # Errors
    /// If the network is refused, or is wrong.
    pub fn of_seed(seed: u64, choice: &Choice) -> Result<Case, Stop> {
        let mut graph = network(seed);
        let broken =
            |what: &str, faults: &dyn std::fmt::Debug| Stop::Wrong(format!("{what}: {faults:?}"));
        verify(&graph).map_err(|faults| broken("the generator's graph is broken", &faults))?;
        let target = CortexM { core: choice.core };
        let ran = run_pipeline(&mut graph, &target, pipeline(), &Default::default());
        ran.map_err(|fault| broken("the pipeline breaks the graph", &fault.faults))?;
        Case::of_graph(graph, choice)
    }

    /// That of a graph that went through the pipeline.
    ///
    /// # Errors
    /// If it is refused, or is wrong.
    pub fn of_graph(graph: Graph, choice: &Choice) -> Result<Case, Stop> {
        Case::observed(graph, choice, &[])
    }

    /// As [`Case::of_graph`], with the program's integers of some values as further results.
    ///
    /// # Errors
    /// As those of [`Case::of_graph`].
    pub fn observed(mut graph: Graph, choice: &Choice, values: &[ValueId]) -> Result<Case, Stop> {
        let name = Name::new(&choice.name).map_err(Stop::Wrong)?;
        let compiled = compile_observed(&graph, name, choice.core, &choice.options, values);
        let compiled = compiled.map_err(|error| {
            let error = match error {
                kiln_target::CompileError::Part { error, .. }
                | kiln_target::CompileError::Unsupported(error) => {
                    format!("{:#}", anyhow::Error::from(error))
                }
            };
            // The lowering's own programs keep to the rules.
            match error.contains("the program does not compile") || error.contains("breaks a rule")
            {
                true => Stop::Wrong(error),
                false => Stop::Refused(error),
            }
        })?;
        add_results(&mut graph, values);
        let runs = runs(&graph, &compiled)?;
        let CompiledProject {
            project, chains, ..
        } = compiled;
        Ok(Case {
            graph,
            project,
            chains,
            runs,
            choice: choice.clone(),
        })
    }

    /// Whether some node computes with integers.
    pub fn is_quantised(&self) -> bool {
        let nodes = self.graph.nodes_in(self.graph.root());
        let computes = |op: &Op| {
            !matches!(
                op,
                Op::Quantize(_) | Op::Dequantize(_) | Op::Constant(_) | Op::Move(_)
            )
        };
        nodes.into_iter().any(|(_, node)| {
            let is_quantised = |&v| self.graph.ty(v).quant.is_some();
            computes(&node.op) && node.results.iter().any(is_quantised)
        })
    }

    /// What was compared with the graph's meaning.
    ///
    /// # Errors
    /// If an element is missing, or is beyond the bounds of fixed-point arithmetic.
    pub fn beyond_bound(&self) -> Result<Compared, String> {
        let mut all = Compared::default();
        for one in &self.runs {
            if one.outputs.is_none() || !one.is_bounded() {
                continue;
            }
            let Ok(mut expected) = run(&self.graph, &one.model_inputs) else {
                continue;
            };
            expected.truncate(self.graph.block(self.graph.root()).results.len());
            let side = |ran| Side {
                graph: &self.graph,
                ran,
            };
            let counts = [&expected, &one.model_outputs].map(Vec::len);
            if counts[0] != counts[1] {
                return Err(format!("{} outputs in place of {}", counts[1], counts[0]));
            }
            let (old, new) = (side(&expected), side(&one.model_outputs));
            // Where many errors add up, hardly any run meets their greatest sum.
            if let Some(found) = difference(old, new, &one.model_inputs, Close::FixedPoint)
                && !self.follows_stepwise()
            {
                let core = self.choice.core.name;
                return Err(format!(
                    "beyond the bound: on {core}, {}, {found}",
                    one.situation
                ));
            }
            let elements = expected.iter().map(|t| t.len() as u64);
            all.add(Compared::of_run(elements.sum()));
        }
        Ok(all)
    }

    /// A failure with the smallest region that shows one of the same kind.
    pub fn cut_down(&self, text: &str, workshop: &Workshop) -> Found {
        let key = key_of(text);
        // A compilation of C takes a third of a second.
        let is_compiled = key != BEYOND && key != BEYOND_KERNEL;
        let left = Cell::new(if is_compiled { 150 } else { 3000 });
        let fault_of = |part: &Graph| {
            left.set(left.get() - 1);
            if left.get() < 0 || verify(part).is_err() {
                return None;
            }
            let found = guarded(|| self.fault(part, &key, workshop)).ok().flatten();
            found.filter(|text| key_of(text) == key)
        };
        let region = shrink(&self.graph, &[], &|part| fault_of(part).is_some());
        left.set(1);
        let text = fault_of(&region).unwrap_or_else(|| text.to_owned());
        Found {
            text,
            region: region.into(),
            command: format!(
                "kiln compile FILE -o OUT/ --target {}{}",
                self.choice.core.name,
                if self.choice.options.float_io {
                    " --float-io"
                } else {
                    ""
                }
            ),
            key,
        }
    }

    /// What is wrong with a part of the graph.
    fn fault(&self, part: &Graph, key: &str, workshop: &Workshop) -> Option<String> {
        let case = match Case::of_graph(part.clone(), &self.choice) {
            Ok(case) => case,
            Err(Stop::Wrong(text)) => return Some(text),
            Err(Stop::Refused(_)) => return None,
        };
        match key {
            BEYOND => case.beyond_bound().err(),
            BEYOND_KERNEL => case.beyond_kernels().err(),
            _ => trial::run_together(&[&case], workshop).remove(0).err(),
        }
    }
}

/// Makes values further results of a graph.
fn add_results(graph: &mut Graph, values: &[ValueId]) {
    let root = graph.root();
    let mut results = graph.block(root).results.to_vec();
    results.extend(values);
    let mut rewriter = Rewriter::new(graph);
    let outputs = &mut rewriter.signature().outputs;
    outputs.resize(results.len(), OutputSpec::TENSOR);
    rewriter.set_results(root, results);
}

/// The key of failures of the bound.
const BEYOND: &str = "beyond the bound";

/// The key of failures of one op by itself.
pub const BEYOND_KERNEL: &str = "beyond the kernel";

/// What failures of the same kind share.
pub fn key_of(text: &str) -> String {
    text.split([':', ';']).next().unwrap_or_default().to_owned()
}

/// Runs a project on the evaluator.
fn runs(graph: &Graph, compiled: &CompiledProject) -> Result<Vec<Run>, Stop> {
    let artifact = NewProject::new(compiled.project.clone());
    let mut all = Vec::new();
    for (values, seed) in SITUATIONS {
        let situation = Situation {
            sizes: Sizes::Hint,
            values,
        };
        if let Some(model_inputs) = inputs(graph, situation, seed) {
            all.push(evaluated(
                graph,
                compiled,
                &artifact,
                situation,
                model_inputs,
            )?);
        }
    }
    Ok(all)
}

fn evaluated(
    graph: &Graph,
    compiled: &CompiledProject,
    artifact: &NewProject,
    situation: Situation,
    model_inputs: Vec<Tensor>,
) -> Result<Run, Stop> {
    let mut given = Runs::default();
    for (i, tensor) in model_inputs.iter().enumerate() {
        given.insert(0, Role::Input, i, TensorData::from(tensor.clone()));
    }
    let wrong = |error: Error| Stop::Wrong(format!("the evaluator fails: {error}"));
    let crossed = RefCell::default();
    let inner = artifact.load("", &Loading::default()).map_err(wrong)?;
    let noted = Noted {
        inner,
        crossed: &crossed,
    };
    let mut executor = AtModelBorder {
        graph,
        border: &compiled.border,
        artifact: Box::new(noted),
    };
    let ran = executor.run(&given, 1, None);
    drop(executor);
    let Crossed { given, made } = crossed.into_inner();
    let tensor = |runs: &Runs, role, i| runs.get(0, role, i).cloned();
    let inputs =
        (0..compiled.project.inputs().count()).filter_map(|i| tensor(&given, Role::Input, i));
    let outputs = made.map(|made| {
        let ports = compiled.project.outputs();
        ports
            .filter_map(|(port, _)| tensor(&made, Role::Output, port.index))
            .collect()
    });
    let model_outputs = match (&outputs, ran) {
        (None, _) => Vec::new(),
        (Some(_), Err(error)) => return Err(wrong(error)),
        (Some(_), Ok(ran)) => {
            let count = graph.block(graph.root()).results.len();
            let found = (0..count).filter_map(|i| tensor(&ran.results, Role::Output, i));
            found.map(Tensor::from).collect()
        }
    };
    Ok(Run {
        situation,
        inputs: inputs.collect(),
        outputs,
        model_inputs,
        model_outputs,
    })
}

/// What crossed the project's border.
#[derive(Default)]
struct Crossed {
    given: Runs,
    /// `None` if the evaluator refused an operand.
    made: Option<Runs>,
}

/// An executor that notes what it takes and gives.
struct Noted<'a> {
    inner: Box<dyn Executor + 'a>,
    crossed: &'a RefCell<Crossed>,
}

impl Executor for Noted<'_> {
    fn about(&self) -> About {
        self.inner.about()
    }

    fn run(
        &mut self,
        inputs: &Runs,
        runs: usize,
        repeat: Option<usize>,
    ) -> Result<Measured, Error> {
        let mut crossed = self.crossed.borrow_mut();
        crossed.given = inputs.clone();
        let measured = self.inner.run(inputs, runs, repeat)?;
        crossed.made = Some(measured.results.clone());
        Ok(measured)
    }
}

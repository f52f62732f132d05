//! The quantisation of a model of floats before all passes: `compile --quantize`, and `quantize`.

use crate::commands::run::inputs::{Origin, of_graph};
use crate::compiler::{PassOptions, run_passes};
use crate::counted::counted;
use crate::evaluator::tensor_inputs;
use crate::model::Model;
use crate::target::TargetName;
use crate::usage::UsageError;
use anyhow::{Context, Result, bail};
use kiln_eval::Tensor;
use kiln_ir::{Graph, Op};
use kiln_quantiser::{
    Mode, Nearest, Quantised, Ranges, Scope, quantise_dynamically, quantise_nearest,
};
use kiln_target::operands::described;
use kiln_target::{CompileTarget, Integers, Role, Runs, is_of_quantised_model, progress};
use kiln_transforms::decompose::attention;
use kiln_transforms::passes::{clean, fold_batch_norm};
use std::path::{Path, PathBuf};

/// How a model is quantised, and by which samples.
#[derive(Clone, Debug)]
pub struct Quantisation {
    /// The command that asks for it.
    pub asked: Asked,
    /// The numbers.
    pub mode: Mode,
    /// Inputs of runs, whose ranges are those of activations. A method without any takes its archive's own sample inputs.
    pub samples: Vec<Samples>,
}

/// The command that asks for a quantisation, whose options messages name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// `kiln compile`, `kiln explain` and what calls them.
    Compile,
    /// `kiln quantize`.
    Quantize,
}

impl Asked {
    /// The option that gives the mode.
    fn option(self, mode: Mode) -> String {
        match self {
            Asked::Compile => format!("--quantize {}", mode.name()),
            Asked::Quantize => format!("--scheme {}", scheme(mode)),
        }
    }

    /// The option that gives samples.
    fn samples(self) -> &'static str {
        match self {
            Asked::Compile => "--samples",
            Asked::Quantize => "--data",
        }
    }

    /// What messages begin with.
    fn name(self) -> &'static str {
        match self {
            Asked::Compile => "--quantize",
            Asked::Quantize => "quantize",
        }
    }
}

/// The name of a mode as `kiln quantize` has it.
pub fn scheme(mode: Mode) -> &'static str {
    match mode {
        Mode::Static => "static",
        Mode::Dynamic => "dynamic",
        Mode::FourBit => "w4",
        Mode::Weights => "w8",
        Mode::Wide => "a16w8",
    }
}

/// Inputs of runs of a method.
#[derive(Clone, Debug)]
pub struct Samples {
    /// The method; `None` for all that have none of their own.
    pub method: Option<String>,
    /// The inputs.
    pub runs: Runs,
    /// The file that they are from, if any.
    pub path: Option<PathBuf>,
}

/// A file of samples, with the name of its method if the user gives one.
pub type SamplesFile = (Option<String>, PathBuf);

/// What a quantisation did.
pub struct Done {
    /// What was quantised.
    pub quantised: Quantised,
    /// The numbers of layers, activations and tables, in words.
    pub note: String,
    /// What the user has to know.
    pub warnings: Vec<String>,
}

impl Quantisation {
    /// A quantisation with the samples in files.
    ///
    /// # Errors
    /// The mode takes no samples, they cannot be read, or a method has two files.
    pub fn with(mode: Mode, samples: &[SamplesFile]) -> Result<Quantisation> {
        if let Some((_, path)) = samples.first().filter(|_| !mode.takes_samples()) {
            let message = format!(
                "the samples in {} change nothing: {} finds ranges when running; leave them out, or quantise to int8",
                path.display(),
                mode.name()
            );
            return Err(UsageError::new(message).into());
        }
        let named = samples.iter().map(|(method, _)| method).enumerate();
        for (i, method) in named {
            if samples[..i].iter().any(|(other, _)| other == method) {
                let of = method.as_deref().unwrap_or("all methods");
                let message =
                    format!("--samples for {of} is given twice; put all samples into one file");
                return Err(UsageError::new(message).into());
            }
        }
        let read = |(method, path): &SamplesFile| {
            Ok(Samples {
                method: method.clone(),
                runs: Runs::read(path)?,
                path: Some(path.clone()),
            })
        };
        let samples = samples.iter().map(read).collect::<Result<_>>()?;
        Ok(Quantisation {
            asked: Asked::Compile,
            mode,
            samples,
        })
    }

    /// The files of samples.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.samples
            .iter()
            .filter_map(|samples| samples.path.as_deref())
    }

    /// Refuses samples for a method that the program does not have.
    ///
    /// # Errors
    /// There are such.
    pub fn check_methods<'a>(&self, methods: impl Iterator<Item = &'a str> + Clone) -> Result<()> {
        let named = self.samples.iter().filter_map(|s| s.method.as_deref());
        for name in named {
            if !methods.clone().any(|method| method == name) {
                let known: Vec<&str> = methods.collect();
                let message = format!(
                    "samples are for the method {name}; the program has {}",
                    known.join(", ")
                );
                return Err(UsageError::new(message).into());
            }
        }
        Ok(())
    }

    /// The samples of a method, if any are given.
    fn samples_of(&self, method: &str) -> Option<&Samples> {
        let of = |name: Option<&str>| self.samples.iter().find(|s| s.method.as_deref() == name);
        of(Some(method)).or_else(|| of(None))
    }

    /// Quantises a graph.
    ///
    /// # Errors
    /// The graph is quantised already, the target does not compute in such integers, there are no samples, or the graph does not run
    /// on them.
    pub fn apply(
        &self,
        graph: &mut Graph,
        target: &dyn CompileTarget,
        name: TargetName,
        (method, model): (&str, &Model),
    ) -> Result<Done> {
        self.check(graph, name)?;
        // Batch norms belong to the weights in front of them.
        let passes = [clean::PASS, fold_batch_norm::PASS, clean::PASS];
        run_passes(graph, target, &passes, &PassOptions::default())?;
        let scope = match name.integers() {
            Integers::All => Scope::All,
            Integers::Nothing | Integers::LayersAndRows => Scope::Layers,
        };
        if self.mode.takes_samples() && scope == Scope::All {
            // Its products and its softmax are integers on their own.
            attention(graph);
        }
        kiln_quantiser::prepare(graph);
        run_passes(graph, target, &[clean::PASS], &PassOptions::default())?;
        let (mut warnings, mut shown) = (Vec::new(), String::new());
        let done = match self.mode {
            Mode::Static | Mode::Wide => {
                let Observed {
                    ranges,
                    samples,
                    text,
                } = self.observe(graph, method, model)?;
                let name = self.asked.name();
                warnings.extend(ranges.zero_inputs(graph).iter().map(|input| {
                    format!(
                        "{name}: input {input} is 0 in all samples, so that ranges behind it are those of nothing; give samples like \
                         what the device will see"
                    )
                }));
                warnings.extend(lost(graph, &ranges, name));
                let _stage = progress::stage("trying ranges".to_string());
                let nearest = quantise_nearest(graph, &ranges, &samples, scope, self.mode)?;
                shown = text + &distance(&nearest, samples.len());
                nearest.quantised
            }
            mode => quantise_dynamically(graph, mode),
        };
        if done.layers == 0 && done.tables == 0 && done.activations == 0 {
            warnings.push(format!(
                "{} quantises nothing: {}",
                self.asked.option(self.mode),
                match (done.left, self.asked) {
                    (0, _) => "the model has no layers with weights".to_string(),
                    (_, asked) => {
                        let some = match self.mode.takes_samples() {
                            true => "layers in branches or loops",
                            false => "grouped, transposed and three-dimensional convolutions",
                        };
                        let instead = match asked {
                            Asked::Compile => "--precision f32 makes f32 of half types",
                            Asked::Quantize => "export the model in f32",
                        };
                        format!(
                            "{some}, and layers with computed weights or with weights of other types than f32 stay as they are; {instead}"
                        )
                    }
                }
            ));
        }
        if name.integers() == Integers::Nothing {
            warnings.push(format!(
                "{}: {name} computes layers in floats, which rounding as in integers makes neither smaller nor faster; choose a target of integers, \
                 or leave the model in floats",
                self.asked.name()
            ));
        }
        Ok(Done {
            quantised: done,
            note: format!("{}: {}{shown}", self.asked.name(), text(self.mode, done)),
            warnings,
        })
    }

    /// Refuses a graph or a target that the mode is not for.
    fn check(&self, graph: &Graph, name: TargetName) -> Result<()> {
        let option = self.asked.option(self.mode);
        if !self.mode.takes_samples() && name.integers() != Integers::LayersAndRows {
            let what = match self.mode {
                Mode::Weights => "has weights of integers beside floats",
                _ => "rounds rows when running",
            };
            let remedy = match name.integers() {
                Integers::Nothing => "choose target xnnpack".to_owned(),
                _ => {
                    let (remedy, samples) = (self.asked.option(Mode::Static), self.asked.samples());
                    format!("give {remedy} with {samples}")
                }
            };
            let message =
                format!("{option} {what}, which {name} does not compute in integers; {remedy}");
            return Err(UsageError::new(message).into());
        }
        if self.mode == Mode::Wide && name.integers() != Integers::All {
            let remedy = match name.integers() {
                Integers::Nothing => "choose a target of integers".to_owned(),
                _ => format!("give {}", self.asked.option(Mode::Static)),
            };
            let message = format!(
                "{option} has activations of 16 bits, which {name} does not compute in integers; {remedy}"
            );
            return Err(UsageError::new(message).into());
        }
        if is_of_quantised_model(graph) {
            let remedy = match self.asked {
                Asked::Compile => "leave the option out",
                Asked::Quantize => "compile it as it is",
            };
            bail!(
                "{} is for models in floats, and this one is quantised; {remedy}",
                self.asked.name()
            );
        }
        if let (true, Some(kernel)) = (self.mode.takes_samples(), foreign(graph)) {
            bail!(
                "{option} runs the model on samples, and {kernel} is a kernel that only your runtime has; give {}, which needs \
                 no samples",
                self.asked.option(Mode::Dynamic)
            );
        }
        Ok(())
    }

    /// Finds the ranges of a method's values.
    fn observe(&self, graph: &Graph, method: &str, model: &Model) -> Result<Observed> {
        let found;
        let (samples, path) = match self.samples_of(method) {
            Some(samples) => (&samples.runs, samples.path.as_deref()),
            None => {
                found = of_graph(model, graph)?;
                if found.origin == Origin::Noise {
                    bail!(
                        "{} needs samples of the inputs, and the archive has none; give {} FILE.safetensors with \
                         tensors <sample>.in.<position>",
                        self.asked.option(self.mode),
                        self.asked.samples()
                    );
                }
                (&found.runs, None)
            }
        };
        let count = samples.count();
        let _stage = progress::stage(format!("finding ranges on {}", counted(count, "sample")));
        let inputs: Result<Vec<Vec<Tensor>>, _> = (0..count)
            .map(|run| tensor_inputs(graph, samples, run))
            .collect();
        check_surplus(graph, samples, path)?;
        let inputs = match path {
            Some(path) => inputs.with_context(|| path.display().to_string())?,
            None => inputs?,
        };
        let ranges = Ranges::observe(graph, inputs.iter().cloned()).with_context(|| {
            let option = self.asked.option(self.mode);
            path.map_or(option.clone(), |path| {
                format!("{option}: {}", path.display())
            })
        })?;
        let samples = counted(count, "sample");
        let text = match (self.samples_of(method), path) {
            (Some(_), Some(path)) => format!("; ranges of {samples} of {}", path.display()),
            (Some(_), None) => format!("; ranges of {samples}"),
            (None, _) => format!(
                "; ranges of {samples} that the archive has, which the model was exported with ({} gives others)",
                self.asked.samples()
            ),
        };
        Ok(Observed {
            ranges,
            samples: inputs,
            text,
        })
    }
}

/// What samples show of a method.
struct Observed {
    ranges: Ranges,
    samples: Vec<Vec<Tensor>>,
    /// What the samples are, in words.
    text: String,
}

/// The distance from the floats on the samples, in words.
fn distance(nearest: &Nearest, count: usize) -> String {
    let done = nearest.quantised;
    let Some(noise) = nearest.noise.filter(|_| done.activations + done.layers > 0) else {
        return String::new();
    };
    let ends = match nearest.quantised.clamped {
        0 => "",
        _ => ", without their outliers",
    };
    let ratio = -10.0 * noise.log10();
    let samples = match nearest.samples {
        tried if tried < count => format!("{tried} of them"),
        1 => "it".to_string(),
        _ => "them".to_string(),
    };
    format!("{ends}; {ratio:.1} dB from floats on {samples}")
}

/// Refuses samples of inputs that the method does not have.
fn check_surplus(graph: &Graph, samples: &Runs, path: Option<&Path>) -> Result<()> {
    let count = graph.signature.inputs.len();
    let mut all = samples.all(Role::Input);
    match (all.find(|&(_, position, _)| position >= count), path) {
        (Some((run, position, _)), Some(path)) => bail!(
            "{}: there is a tensor {}, but the method has {}, counted from 0",
            path.display(),
            kiln_target::name(run, Role::Input, position),
            counted(count, "input")
        ),
        _ => Ok(()),
    }
}

/// A warning of results that had no number in any sample.
fn lost(graph: &Graph, ranges: &Ranges, name: &str) -> Option<String> {
    let first = ranges.lost(graph).next()?;
    Some(format!(
        "{name}: the results of {} are NaN or infinite in all samples (first: {}), so they stay in floats; give samples \
         on which the model computes numbers",
        counted(ranges.lost(graph).count(), "node"),
        described(graph, first),
    ))
}

/// The name of a kernel of the user's, if the graph calls one.
fn foreign(graph: &Graph) -> Option<String> {
    let mut nodes = graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
    nodes.find_map(|(_, node)| match &node.op {
        Op::Foreign(op) => Some(op.kernel.0.clone()),
        _ => None,
    })
}

fn text(mode: Mode, done: Quantised) -> String {
    let layers = counted(done.layers, "layer");
    let mut parts = vec![match mode {
        Mode::Static => format!("{layers} with weights of 8 bits"),
        Mode::Dynamic => format!("{layers} with weights of 8 bits, rows rounded when running"),
        Mode::Weights => format!("{layers} with weights of 8 bits beside floats"),
        Mode::Wide => format!("{layers} with weights of 8 bits beside activations of 16"),
        Mode::FourBit => format!(
            "{layers} with weights of 4 bits in groups of 32, or of 8 bits where rows do not fit groups"
        ),
    }];
    if done.activations > 0 {
        let bits = if mode == Mode::Wide { 16 } else { 8 };
        let activations = counted(done.activations, "activation");
        parts.push(format!("{activations} rounded to {bits} bits"));
    }
    if done.tables > 0 {
        parts.push(format!(
            "{} with rows of 8 bits",
            counted(done.tables, "table")
        ));
    }
    if done.left > 0 {
        parts.push(format!("{} in floats", counted(done.left, "layer")));
    }
    parts.join("; ")
}

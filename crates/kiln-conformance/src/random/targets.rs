//! The targets whose pipelines random graphs go through.

use kiln::compiler::TargetOptions;
use kiln::target::{CompileTarget, TargetName};
use kiln_check::Random;
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::passes::all_passes;

/// The columns of the table: [`FAKE`], then [`REAL`].
pub const FAKE: &str = "fake";

/// One core of each generation stands for Ethos-U: cores of one generation differ in sizes alone.
const REAL: [&str; 6] = [
    "xnnpack",
    "portable",
    "tosa-fp",
    "tosa-int",
    "ethos-u55-128",
    "ethos-u85-256",
];

/// A target of this build, and its name.
pub struct Real {
    /// As `--target` has it.
    pub name: &'static str,
    /// The target.
    pub target: Box<dyn CompileTarget>,
}

/// Every target with a pipeline of its own.
pub fn real_targets() -> Vec<Real> {
    let create = |name: &'static str| {
        let parsed: TargetName = name.parse().expect("the name of a target");
        let target = parsed.create(&TargetOptions::default());
        Real { name, target }
    };
    REAL.into_iter().map(create).collect()
}

/// The columns of the table: names, and the passes of each.
pub fn columns() -> Vec<(&'static str, &'static [Pass])> {
    let real = real_targets();
    let real = real.iter().map(|r| (r.name, r.target.pipeline()));
    std::iter::once((FAKE, all_passes())).chain(real).collect()
}

/// What a fake target lacks: a few of what passes can express by other ops. No float division that rounds:
/// in parts it is off by one where the rounded quotient is whole, as its rule says.
pub fn fake_words(random: &mut Random) -> Vec<&'static str> {
    const NAMES: [&str; 37] = [
        "softmax",
        "softmax.log",
        "softmax.inner",
        "normalize",
        "normalize.layer",
        "normalize.rms",
        "normalize.group",
        "normalize.batch",
        "attention",
        "unary.gelu",
        "unary.silu",
        "unary.mish",
        "unary.hardswish",
        "unary.elu",
        "unary.leaky_relu",
        "unary.softplus",
        "unary.log_sigmoid",
        "unary.expm1",
        "unary.log1p",
        "unary.erfinv",
        "unary.rsqrt",
        "unary.reciprocal",
        "binary.pow",
        "binary.prelu",
        "pool",
        "pool.1d",
        "adaptive_pool",
        "conv.1d",
        "conv.transposed",
        "matmul",
        "linear",
        "reduce.mean",
        "reduce.prod",
        "resize",
        "scan",
        "pad",
        "slice_update",
    ];
    let mut words = Vec::new();
    for list in ["none", "prefers", "kernel"] {
        words.push(list);
        for _ in 0..random.below(6) {
            words.push(*random.pick(&NAMES));
        }
    }
    if random.chance(50) {
        words.extend(["copies", "joins"]);
    }
    words
}

//! The targets whose pipelines random graphs go through.

use kiln_check::Random;
use kiln_cortex_m::CortexM;
use kiln_cortex_m::cores;
use kiln_ethos::{Core, EthosU};
use kiln_portable::Portable;
use kiln_tosa::Tosa;
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::framework::target::Target;
use kiln_transforms::passes::all_passes;
use kiln_xnnpack::{Options, Xnnpack};

/// The first column of the table; the real targets follow.
pub const FAKE: &str = "fake";

/// A core of the first family and one of the last: cores of one family differ in sizes alone.
const CORES: [Core; 2] = [Core::ALL[2], Core::ALL[7]];

/// The Cortex-M: others differ in scratch memory, and in the functions of one family that are called.
const CORTEX_M: &str = "cortex-m4";

/// The targets whose programs run.
pub const PROGRAMS: [&str; 2] = ["xnnpack", CORTEX_M];

/// A target of this build.
pub struct Real {
    /// As `--target` has it.
    pub name: &'static str,
    /// As passes see it.
    pub target: Box<dyn Target>,
    /// Its passes, in order.
    pub pipeline: &'static [Pass],
}

/// Every target with a pipeline of its own. XNNPACK's copies of weights fit no cache here, so that steps of small
/// recurrences become blocks too.
pub fn real_targets() -> Vec<Real> {
    let xnnpack = Xnnpack::new(Options {
        cached_bytes: 0,
        ..Options::default()
    });
    let real = |name, target: Box<dyn Target>, pipeline| Real {
        name,
        target,
        pipeline,
    };
    let mut all = vec![
        real("xnnpack", Box::new(xnnpack), kiln_xnnpack::pipeline()),
        real("portable", Box::new(Portable), kiln_portable::pipeline()),
        real("tosa-fp", Box::<Tosa>::default(), kiln_tosa::pipeline()),
        real(
            "tosa-int",
            Box::<Tosa>::default(),
            kiln_tosa::integer_pipeline(),
        ),
    ];
    all.extend(CORES.map(|core| {
        let target = Box::new(EthosU::new(core));
        real(core.name(), target, kiln_tosa::integer_pipeline())
    }));
    let core = cores::Core::named(CORTEX_M).expect("the core is listed");
    let target = Box::new(CortexM { core });
    all.push(real(core.name, target, kiln_cortex_m::pipeline()));
    all
}

/// The columns of the table: names, and the passes of each.
pub fn columns() -> Vec<(&'static str, &'static [Pass])> {
    let real = real_targets().into_iter().map(|r| (r.name, r.pipeline));
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

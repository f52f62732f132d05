//! `conformance random`: random graphs through every pass alone, passes in random orders, the pipelines of all targets,
//! and, for a share of them, a compiled program on the builtin runtime.
//!
//! Each pass is checked against the graph before it ([`kiln_check::check_passes`]); a failure is traced to
//! one rule, cut down, and printed as text that `kiln opt` loads. Failures of one rule count as one; none is let off.
//! What was applied is counted by rule and target ([`coverage`]). Where a rule was applied too rarely, its patterns are planted
//! in further graphs; if that does not help, the run fails. It also fails if too little was compared ([`compared`]).
//! `--seed` and `--count` cut large runs into parts. `--quantised` has graphs with integers alone.

mod compared;
mod coverage;
pub(crate) mod found;
pub(crate) mod program;
mod targets;
pub(crate) mod turns;
mod unreachable;

use anyhow::Result;
use clap::Args;
use found::{Found, Tally, count};
use kiln_check::{
    Baseline, Checked, FakeTarget, Plant, Random, Recipe, check_passes_from, generate, guarded,
    network, planted, plants,
};
use kiln_ir::verify::verify;
use kiln_ir::{Graph, Op};
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::framework::target::Target;
use kiln_transforms::passes::{
    all_passes, centred_weights, fold_dequantised, fold_quantised, live_scales, quantize_nan,
    raise_quantisation, saturate_quantize, signed_integers, widen_integers,
};
use program::check_program;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use targets::{FAKE, PROGRAMS, Real, fake_words, real_targets};
use turns::in_turn;

/// How many graphs, and which.
#[derive(Args)]
pub struct Arguments {
    /// How many graphs.
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// The first graph's seed; the others follow.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Of 100 graphs, how many are compiled and run on the builtin runtime too.
    #[arg(long, default_value_t = 10)]
    compiled: u64,
    /// Graphs with integers only: networks that are quantised, and patterns for passes on integers. Only the rules of these
    /// passes have a minimum of applications.
    #[arg(long)]
    quantised: bool,
    /// Where to write failing regions, each into a file of its own.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// Runs the graphs.
///
/// # Errors
/// If one of them fails, too little was compared, or a rule was applied too rarely.
pub fn run_random(arguments: &Arguments) -> Result<()> {
    let tally = Tally::default();
    let terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let end = arguments.seed.saturating_add(arguments.count);
    let examine = |seed| {
        let checked = guarded(|| check(seed, arguments, &tally));
        let checked = checked.unwrap_or_else(|panic| Err(Found::of_panic(&panic)));
        if let Err(found) = checked {
            tally.failures.note(seed, found);
        }
        let done = count(&tally.graphs);
        if terminal && done.is_multiple_of(64) {
            eprint!("\r{done}/{}", arguments.count);
        }
    };
    in_turn(arguments.seed..end, examine);
    for round in rounds(end) {
        let is_rare = |plant: &Plant| {
            let Plant { pass, rule, .. } = plant;
            let has_minimum = !arguments.quantised || is_on_integers(pass);
            has_minimum && !tally.coverage.is_reached(pass, rule, arguments.count)
        };
        // Chosen ahead of the round, so that a run does not depend on which check ends first.
        let wanted: Vec<u64> = round
            .filter_map(|seed| plant_of(seed).filter(|plant| is_rare(plant)).map(|_| seed))
            .collect();
        in_turn(wanted.into_iter(), examine);
    }
    if terminal {
        eprintln!();
    }
    tally.report(arguments)
}

/// How often a pattern is planted again for a rule that a target still lacks. The rarest are applied there once in some
/// hundreds of their patterns.
const MORE_OF_EACH: u64 = 2000;

/// How often each pattern is planted before it is looked at again which rules are rare.
const OF_EACH_PER_ROUND: u64 = 8;

/// The seeds that follow one, in rounds of which each has every pattern [`OF_EACH_PER_ROUND`] times.
fn rounds(from: u64) -> impl Iterator<Item = Range<u64>> {
    let length = 2 * OF_EACH_PER_ROUND * plants().count() as u64;
    let starts =
        (0..MORE_OF_EACH / OF_EACH_PER_ROUND).map(move |n| from.saturating_add(n * length));
    starts.map(move |start| start..start.saturating_add(length))
}

/// The pattern in the graph of a seed: every second has one, one rule after the other.
fn plant_of(seed: u64) -> Option<&'static Plant> {
    let round = usize::try_from(seed / 2).unwrap_or(0) % plants().count();
    plants().nth(round).filter(|_| seed.is_multiple_of(2))
}

/// Everything that is tried on the graph of a seed: one in which a pattern is planted for a rule goes through all
/// pipelines, one that grew by chance through one of them, and each pass by itself.
///
/// # Errors
/// With the first that is wrong.
fn check(seed: u64, arguments: &Arguments, tally: &Tally) -> Result<(), Found> {
    let mut random = Random::new(!seed);
    let (graph, plant) = graph_of(seed, arguments.quantised, &mut random)?;
    let nodes = graph.node_count() as u64;
    tally.nodes.fetch_add(nodes, Ordering::Relaxed);
    let quantised = u64::from(has_integers(&graph));
    tally.quantised.fetch_add(quantised, Ordering::Relaxed);
    let mut real = real_targets();
    let known = guarded(|| Baseline::all(&graph));
    let known = known.map_err(|panic| Found::of_interpreter(&graph, &panic))?;
    tally.compared.graph(&known);
    let case = Case {
        known,
        graph,
        tally,
    };
    match plant {
        Some(plant) => case.on_fake(plant, &mut random)?,
        None => {
            case.passes_alone(&real, &mut random)?;
            let chosen = random.below(real.len());
            let stays = |i: usize| i == chosen || (arguments.quantised && i == 0);
            real = (real.into_iter().enumerate())
                .filter_map(|(i, target)| stays(i).then_some(target))
                .collect();
        }
    }
    for target in &real {
        let lowered = case.pipeline(target)?;
        if PROGRAMS.contains(&target.name) && random.chance(arguments.compiled) {
            check_program(&lowered, target.name, tally)?;
        }
    }
    Ok(())
}

/// The graph of a seed, with the pattern that is planted in it. If only `quantised` ones are wanted, a network takes the place of a
/// graph without integers.
///
/// # Errors
/// If the verifier refuses it.
fn graph_of(
    seed: u64,
    quantised: bool,
    random: &mut Random,
) -> Result<(Graph, Option<&'static Plant>), Found> {
    let mut plant = plant_of(seed);
    let mut graph = match plant {
        Some(plant) => planted(seed, plant),
        None if quantised => network(seed),
        None if random.chance(75) => generate(seed, &Recipe::ANY),
        None => generate(seed, &Recipe::DENSE),
    };
    if quantised && plant.is_some() && !has_integers(&graph) {
        (graph, plant) = (network(seed), None);
    }
    match verify(&graph) {
        Ok(()) => Ok((graph, plant)),
        Err(faults) => {
            let text = format!("the generator's graph is broken: {faults:?}");
            let key = "generator".into();
            let (region, command) = (graph.into(), String::new());
            Err(Found {
                key,
                text,
                region,
                command,
            })
        }
    }
}

/// True for the passes whose rules are about integers.
fn is_on_integers(pass: &str) -> bool {
    const PASSES: [Pass; 9] = [
        raise_quantisation::PASS,
        signed_integers::PASS,
        live_scales::PASS,
        centred_weights::PASS,
        fold_quantised::PASS,
        fold_dequantised::PASS,
        widen_integers::PASS,
        quantize_nan::PASS,
        saturate_quantize::PASS,
    ];
    PASSES.iter().any(|p| p.name == pass)
}

/// A graph under check, with what it gives.
struct Case<'c> {
    graph: Graph,
    known: Vec<Baseline>,
    tally: &'c Tally,
}

impl Case<'_> {
    /// The pass that a pattern is for, on a fake target that lacks what the rule needs to be lacking, and others.
    fn on_fake(&self, plant: &Plant, random: &mut Random) -> Result<(), Found> {
        let Some(pass) = all_passes().iter().find(|p| p.name == plant.pass) else {
            // A target's own pass runs with its target.
            return Ok(());
        };
        let mut words: Vec<&str> = plant.lacks.split_whitespace().collect();
        if random.chance(30) {
            words.extend(fake_words(random));
        }
        let fake = FakeTarget::parse(words.iter().copied());
        let name = format!("{FAKE}: {}", words.join(" "));
        self.check(&fake, FAKE, &name, &[*pass])?;
        let others = any_order(random);
        self.check(&fake, FAKE, &name, &others).map(|_| ())
    }

    /// Every pass by itself, and passes in a random order; each on a fake target or on a real one.
    fn passes_alone(&self, real: &[Real], random: &mut Random) -> Result<(), Found> {
        let words = fake_words(random);
        let fake = FakeTarget::parse(words.iter().copied());
        let name = format!("{FAKE}: {}", words.join(" "));
        let check = |passes: &[Pass], random: &mut Random| {
            if random.chance(50) {
                return self.check(&fake, FAKE, &name, passes);
            }
            let Real { name, target, .. } = random.pick(real);
            self.check(&**target, "", name, passes)
        };
        for pass in all_passes() {
            check(std::slice::from_ref(pass), random)?;
        }
        check(&any_order(random), random).map(|_| ())
    }

    /// The pipeline of a target, and what it makes.
    fn pipeline(&self, real: &Real) -> Result<Graph, Found> {
        self.check(&*real.target, real.name, real.name, real.pipeline)
    }

    /// Runs passes under check, and counts what they apply in a column of the table, if there is one of that name.
    fn check(
        &self,
        target: &dyn Target,
        column: &str,
        name: &str,
        passes: &[Pass],
    ) -> Result<Graph, Found> {
        let mut graph = self.graph.clone();
        let checked = check_passes_from(&mut graph, target, passes, None, Some(&self.known))
            .map_err(|failure| Found::of_failure(failure, name))?;
        let Checked { runs, compared } = checked;
        self.tally.compared.add(compared);
        // What nothing compares is not checked.
        if compared.is_blind() {
            return Ok(graph);
        }
        match self.tally.coverage.add(column, &runs) {
            None => Ok(graph),
            Some(rule) => {
                let text = format!("no pass lists the rule {rule}");
                Err(Found::without_region("unlisted", text))
            }
        }
    }
}

/// Some passes, in any order, some of them again.
fn any_order(random: &mut Random) -> Vec<Pass> {
    let all = all_passes();
    let count = 2 + random.below(2 * all.len());
    (0..count).map(|_| *random.pick(all)).collect()
}

/// True for a graph with quantised values, or with values that are quantised while running.
fn has_integers(graph: &Graph) -> bool {
    let mut nodes = graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
    kiln_target::has_quantised(graph)
        || nodes.any(|(_, node)| matches!(node.op, Op::FakeQuantize(_)))
}

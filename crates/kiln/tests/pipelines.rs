//! The order of passes in the pipelines of all targets.

use kiln::target::TargetName;
use kiln_target::Options;
use kiln_transforms::passes::{NEVER_AFTER, PRECEDES};

/// The pipeline of each target, as names of passes.
fn pipelines() -> Vec<(TargetName, Vec<&'static str>)> {
    let names = |target: &TargetName| {
        let created = target.create(&Options::default());
        let passes = created.pipeline().iter();
        (*target, passes.map(|pass| pass.name).collect())
    };
    TargetName::all().iter().map(names).collect()
}

#[test]
fn passes_stand_in_an_order_with_reasons() {
    let pipelines = pipelines();
    let pairs = PRECEDES.iter();
    let pairs =
        pairs.flat_map(|&(first, seconds, why)| seconds.iter().map(move |&s| (first, s, why)));
    for (first, second, why) in pairs {
        let mut seen = 0;
        for (target, pipeline) in &pipelines {
            let at = |name: &str| pipeline.iter().position(|pass| *pass == name);
            if let (Some(a), Some(b)) = (at(first), at(second)) {
                assert!(a < b, "{target}: {second} is in front of {first}: {why}");
                seen += 1;
            }
        }
        assert!(seen > 0, "no pipeline has both {first} and {second}");
    }
    for &(first, second, why) in NEVER_AFTER {
        let mut seen = 0;
        for (target, pipeline) in &pipelines {
            let last = pipeline.iter().rposition(|pass| *pass == first);
            let begin = pipeline.iter().position(|pass| *pass == second);
            if let (Some(last), Some(begin)) = (last, begin) {
                assert!(last < begin, "{target}: {first} after {second}: {why}");
                seen += 1;
            }
        }
        assert!(seen > 0, "no pipeline has both {first} and {second}");
    }
}

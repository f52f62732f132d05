//! Streamed programs: their arenas, and that they give the bits of the programs that they come from.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod models;

use kiln_cortex_m::dialect::*;
use kiln_cortex_m::evaluate::{Data, evaluate};
use kiln_cortex_m::plan::{Machine, plan};
use kiln_cortex_m::stream::{Streamed, Wish, stream};
use kiln_cortex_m::verify::verify;
use models::*;

fn inputs(program: &Program, random: &mut Random) -> Vec<Data> {
    let of = |id: BufferId| Data::I8(random.bytes(program.buffers[id.index()].elements));
    program.inputs().into_iter().map(of).collect()
}

/// The streamed program and the one that it comes from give the same bits, each with memory of its own for each buffer, and in the arena.
fn same_bits(program: &Program, streamed: &Streamed, build: Build) {
    let verified = verify(program, build).unwrap();
    let after = verify(&streamed.program, build).unwrap();
    let inputs = inputs(program, &mut Random(7));
    let expected = evaluate(&verified, &inputs).unwrap();
    assert!(
        evaluate(&after, &inputs).unwrap() == expected,
        "the evaluator gives other bits"
    );
    let mut machine = Machine::new(after, &streamed.plan);
    assert!(
        machine.run(&inputs).unwrap() == expected,
        "the arena gives other bits"
    );
    assert!(
        machine.run(&inputs).unwrap() == expected,
        "a second run gives other bits"
    );
    assert_eq!(
        program.multiplications(),
        streamed.program.multiplications()
    );
}

#[test]
fn figures() {
    let models: [(&str, fn(Build) -> Program); 5] = [
        ("ds_cnn", ds_cnn),
        ("resnet8", resnet8),
        ("mobilenet_v1", mobilenet_v1),
        ("autoencoder", autoencoder),
        ("mobilenet_v2", mobilenet_v2),
    ];
    for (name, model) in models {
        for build in [Build::Dsp, Build::Mve] {
            let program = model(build);
            let verified = verify(&program, build).unwrap();
            let t0 = std::time::Instant::now();
            let before = plan(&verified).unwrap();
            let t1 = std::time::Instant::now();
            let streamed = stream(&program, build, Wish::default()).unwrap();
            let t2 = std::time::Instant::now();
            println!(
                "{name} {build}: {} calls, {} mults, {} (bound {}) -> {} (bound {}), {} calls, {} parts; {:?} {:?}",
                program.calls.len(),
                program.multiplications(),
                before.arena_bytes,
                before.lower_bound,
                streamed.plan.arena_bytes,
                streamed.plan.lower_bound,
                streamed.program.calls.len(),
                kiln_cortex_m::stream::roll::roll(&streamed.program).len(),
                t1 - t0,
                t2 - t1
            );
            for chain in &streamed.chains {
                println!("    {chain:?}");
            }
            same_bits(&program, &streamed, build);
        }
    }
}

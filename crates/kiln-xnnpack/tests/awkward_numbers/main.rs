//! NaN and infinities in everything that a delegate runs: the stock runtime gives them where the interpreter does. Each is
//! put at many places, alone and beside others, since a kernel that computes several elements at once may lose it at one
//! place only. Finite results beside them are as near to the interpreter's as rounding and the kernels' formulas
//! explain (`losses`).

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

#[path = "../build/mod.rs"]
mod build;
#[path = "../device/mod.rs"]
mod device;
#[path = "../losses/mod.rs"]
mod losses;

mod compare;
mod elementwise;
mod formulas;
mod moves;
mod probe;
mod products;
mod reductions;
mod windows;

use compare::{Compared, compare};
use kiln_ir::DType;
use kiln_xnnpack::Options;
use probe::Probe;

fn all_probes() -> Vec<Probe> {
    let mut probes = Vec::new();
    for family in [
        elementwise::functions,
        elementwise::pairs,
        elementwise::masks,
        moves::moves,
        moves::resizes,
        reductions::reductions,
        windows::pools,
        windows::behind_layers,
        windows::first_layers,
        windows::others,
        products::layers,
        products::others,
        products::on_rows,
    ] {
        family(&mut probes);
    }
    probes
}

/// What is wrong with a probe. NaN and infinities differ exactly where the target says that they do; numbers never differ. Kernels that
/// multiply in f16 (AVX512-FP16) keep the NaN that those for other processors lose.
fn fault(probe: &Probe, compared: &Compared, is_known: bool) -> Option<String> {
    let is_native = probe.dtype == DType::F16 && kiln_xnnpack::adds_up_in_f16();
    let may_agree = is_native && probe.has_products();
    let few = |all: &[String]| format!("{} times: {}", all.len(), all[0]);
    if compared.numbers == 0 {
        return Some("no number was compared".to_owned());
    }
    if !compared.values.is_empty() {
        return Some(few(&compared.values));
    }
    match (compared.kinds.is_empty(), is_known) {
        (true, true) if !may_agree => Some("nothing differs any more".to_owned()),
        (false, false) => Some(few(&compared.kinds)),
        _ => None,
    }
}

fn check(probes: &[Probe], options: &Options) {
    let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
        return;
    };
    assert!(!probes.is_empty());
    let mut wrong = Vec::new();
    for probe in probes {
        let compared = compare(probe, &runner, options);
        let is_known = probe.is_known(options);
        assert!(!is_known || !options.strict_nan, "{}", probe.name);
        if let Some(fault) = fault(probe, &compared, is_known) {
            wrong.push(format!("{} {}: {fault}", probe.name, probe.dtype));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn special_numbers_stay_by_default() {
    check(&all_probes(), &Options::default());
}

/// A mask changes no kind of number but where it hides a NaN.
#[test]
fn masks_lose_no_nan_that_they_keep() {
    let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
        return;
    };
    let mut probes = Vec::new();
    elementwise::masks(&mut probes);
    let mut hidden = 0;
    for probe in &probes {
        let compared = compare(probe, &runner, &Options::default());
        for difference in &compared.kinds {
            let name = &probe.name;
            assert!(difference.contains(" is NaN, not "), "{name}: {difference}");
        }
        hidden += compared.kinds.len();
    }
    assert!(hidden > 100, "{hidden} NaN were hidden");
}

/// The programs that `--strict-nan` changes. All others are those of the test above.
#[test]
fn special_numbers_stay_strictly() {
    let strict = Options {
        strict_nan: true,
        ..Options::default()
    };
    let mut probes = all_probes();
    probes.retain(|p| p.is_known(&strict) || p.program(&strict) != p.program(&Options::default()));
    check(&probes, &strict);
}

/// The programs that `--fast-nan` changes: what differs is said. Not all that is said differs, since other nodes may hide it.
#[test]
fn special_numbers_differ_without_guards_only_as_is_said() {
    let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
        return;
    };
    let fast = Options {
        fast_nan: true,
        ..Options::default()
    };
    let mut probes = all_probes();
    // Halves are computed in the same operators.
    probes.retain(|p| p.dtype == DType::F32);
    probes.retain(|p| p.program(&fast) != p.program(&Options::default()));
    let (mut silent, mut differing) = (Vec::new(), 0);
    for probe in &probes {
        let compared = compare(probe, &runner, &fast);
        let is_known = probe.is_known(&fast);
        differing += usize::from(!compared.kinds.is_empty());
        if !compared.values.is_empty() || !compared.kinds.is_empty() && !is_known {
            let fault = fault(probe, &compared, is_known);
            silent.push(format!("{} {}: {fault:?}", probe.name, probe.dtype));
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
    assert!(differing > 10, "{differing} of {} differ", probes.len());
}

//! Every operator on integers, with random scales, zero points and sizes: the evaluator's bits are those of the stock runtime. Results that are
//! floats lie within the roundings of f32.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod dynamic;
mod layers;
mod pointwise;
mod probe;
mod windows;

use kiln_ir::Scalar;
use kiln_testing::part::STOCK_RUNTIME;
use probe::{Numbers, Probe};

/// The number of payloads of each kind.
const COUNT: u64 = 48;

/// What makes a payload of random numbers.
type Make = fn(&mut Numbers) -> Probe;

/// Compares `COUNT` payloads of each kind. What the evaluator refuses has ratios of scales beyond the library's range, where its
/// kernels overflow.
fn compare(kinds: &[(&str, Make)]) {
    let Some(runner) = STOCK_RUNTIME.find() else {
        return;
    };
    let mut faults = Vec::new();
    for &(kind, make) in kinds {
        let (mut elements, mut differing, mut refused) = (0, 0, 0);
        for seed in 1..=COUNT {
            let probe = make(&mut Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1));
            let (found, expected) = (probe.evaluated(), probe.on_device(&runner));
            match (found, expected) {
                (Ok(found), Ok(expected)) => {
                    for (ours, theirs) in found.iter().zip(&expected) {
                        assert_eq!(ours.sizes(), theirs.sizes(), "{kind}: {}", probe.name);
                        let bounds = probe.bounds.len();
                        assert!(
                            bounds == 0 || bounds == ours.len(),
                            "{kind}: {bounds} bounds"
                        );
                        elements += ours.len();
                        let pairs = ours.scalars().into_iter().zip(theirs.scalars());
                        let is_unlike = |(i, (a, b)): &(usize, (Scalar, Scalar))| {
                            let bound = probe.bounds.get(*i).copied().unwrap_or(0.0);
                            let apart = (a.as_f64() - b.as_f64()).abs();
                            a != b && (apart > bound || apart.is_nan())
                        };
                        let pairs = pairs.enumerate();
                        let unlike: Vec<_> =
                            pairs.filter(is_unlike).map(|(_, pair)| pair).collect();
                        differing += unlike.len();
                        if let Some((a, b)) = unlike.first() {
                            let (n, of) = (unlike.len(), ours.len());
                            faults.push(format!(
                                "{kind}, seed {seed}: {a:?} for {b:?}, {n} of {of}: {}",
                                probe.name
                            ));
                        }
                    }
                }
                (Err(_), _) if probe.bounds.is_empty() => refused += 1,
                (found, expected) => faults.push(format!(
                    "{kind}, seed {seed}: {found:?} for {expected:?}: {}",
                    probe.name
                )),
            }
        }
        println!("{kind}: {elements} elements, {differing} differ, {refused} payloads refused");
        if elements == 0 || 4 * refused > COUNT {
            faults.push(format!(
                "{kind}: {elements} elements compared, {refused} refused"
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

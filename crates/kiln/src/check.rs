//! `--verify`: a graph before and after, on awkward inputs.

use anyhow::{Context, Result, bail};
use kiln_eval::Tensor;
use kiln_ir::{DType, Graph, Scalar, SymbolId, TensorData};

/// Values at which kernels differ, among ordinary ones.
const AWKWARD: [f64; 12] = [
    0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, -7.25, 100.0, -100.0, 1e-6, 1e4,
];

/// Evaluates both graphs on the same inputs: seeded noise, and noise sprinkled with awkward values.
///
/// # Errors
/// If an output differs, or one graph fails where the other does not.
pub fn same_results(before: &Graph, after: &Graph) -> Result<()> {
    for round in 0..2u64 {
        let inputs = sample_inputs(before, round + 1, round == 1)?;
        let (old, new) = (
            crate::compiler::outputs_of(before, &inputs),
            crate::compiler::outputs_of(after, &inputs),
        );
        let (old, new) = match (old, new) {
            (Ok(old), Ok(new)) => (old, new),
            (Err(_), Err(_)) => continue,
            (Ok(_), Err(error)) => bail!("the new graph fails: {error}"),
            (Err(error), Ok(_)) => bail!("only the old graph fails: {error}"),
        };
        for (i, (a, b)) in old.into_iter().zip(new).enumerate() {
            let (a, b) = (TensorData::from(a), TensorData::from(b));
            if let Some(difference) = difference(&b, &a) {
                bail!("output {i} differs: {difference}");
            }
        }
    }
    Ok(())
}

/// A difference beyond what reordering of sums may cause, relative to the largest element.
fn difference(got: &TensorData, golden: &TensorData) -> Option<String> {
    if got.dtype() != golden.dtype() || got.sizes() != golden.sizes() {
        return Some(format!("found {got:?}, expected {golden:?}"));
    }
    let largest = golden
        .scalars()
        .map(|s| s.as_f64().abs())
        .filter(|v| v.is_finite())
        .fold(0.0, f64::max);
    let unit = match golden.dtype() {
        DType::F16 => 5e-3,
        DType::BF16 => 3e-2,
        DType::F32 => 1e-4,
        _ => 1e-9,
    };
    let bound = unit * largest.max(1e-3);
    got.scalars()
        .zip(golden.scalars())
        .enumerate()
        .find_map(|(i, (a, b))| {
            let (a, b) = (a.as_f64(), b.as_f64());
            let same = a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= bound;
            (!same).then(|| format!("element {i}: found {a}, expected {b}"))
        })
}

/// Bytes beyond which an input is not made up: sizes in a file cost its author nothing.
const MAX_NOISE_BYTES: usize = 1 << 30;

/// How many elements to draw for sizes.
fn drawn(dtype: DType, sizes: &[usize]) -> Result<usize> {
    let count = sizes
        .iter()
        .try_fold(1usize, |n, &size| n.checked_mul(size));
    count
        .filter(|n| {
            n.checked_mul(dtype.size())
                .is_some_and(|bytes| bytes <= MAX_NOISE_BYTES)
        })
        .with_context(|| {
            format!("an input of sizes {sizes:?} is too large to make up; give --inputs")
        })
}

/// Inputs for the root's parameters: symbols take small values within their ranges.
///
/// # Errors
/// If one has more than a GiB.
pub fn sample_inputs(graph: &Graph, seed: u64, awkward: bool) -> Result<Vec<Tensor>> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let size_of = |id: SymbolId| {
        let symbol = graph.symbols.get(id);
        let wanted = symbol.hint.unwrap_or(4).max(symbol.min);
        Some(symbol.max.map_or(wanted, |m| wanted.min(m)))
    };
    let params = &graph.block(graph.root()).params;
    params
        .iter()
        .map(|&param| {
            let ty = graph.ty(param);
            let sizes: Vec<usize> = ty
                .shape
                .iter()
                .map(|d| {
                    d.evaluate(&size_of)
                        .and_then(|v| usize::try_from(v).ok())
                        .unwrap_or(1)
                })
                .collect();
            let count = drawn(ty.dtype, &sizes)?;
            let values = (0..count).map(|_| random.scalar(ty.dtype, awkward));
            Ok(Tensor::from(TensorData::from_scalars(
                ty.dtype, sizes, values,
            )))
        })
        .collect()
}

/// Seeded noise.
///
/// # Errors
/// If it has more than a GiB.
pub fn noise(dtype: DType, sizes: Vec<usize>, seed: u64) -> Result<TensorData> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let count = drawn(dtype, &sizes)?;
    Ok(TensorData::from_scalars(
        dtype,
        sizes,
        (0..count).map(|_| random.scalar(dtype, false)),
    ))
}

/// SplitMix64: seeded, so that a failure repeats.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// About normal for floats; small for integers, so that they serve as indices too.
    fn scalar(&mut self, dtype: DType, awkward: bool) -> Scalar {
        match dtype {
            DType::Bool => Scalar::Bool(self.next() & 1 == 1),
            _ if dtype.is_int() => Scalar::Int((self.next() % 2) as i64),
            _ if awkward && self.next().is_multiple_of(4) => {
                Scalar::Float(AWKWARD[(self.next() % 12) as usize])
            }
            _ => Scalar::Float((0..12).map(|_| self.unit()).sum::<f64>() - 6.0),
        }
    }
}

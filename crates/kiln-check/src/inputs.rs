//! Inputs on which graphs are compared: ordinary ones, and those on which kernels differ.

use crate::random::Random;
use kiln_eval::Tensor;
use kiln_ir::{DType, Graph, Scalar, SymbolId, TensorData};

/// The kind of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// About normally distributed floats. Integers are 0 and 1, so that they can be indices.
    Noise,
    /// Zeros of both signs, multiples of a quarter, small numbers, and large ones whose cubes stay finite.
    Finite,
    /// Noise with some NaN and infinities. Integers include the extremes of their type.
    Special,
}

/// The sizes of symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// The sizes at export.
    Hint,
    /// The least size that each symbol allows.
    Least,
    /// The greatest sizes, as far as inputs stay below a limit on their elements.
    Greatest,
    /// The same size for all symbols whose ranges allow it.
    Alike,
}

/// A situation: sizes and values of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    /// Sizes of symbolic dims.
    pub sizes: Sizes,
    /// Kind of values.
    pub values: Values,
}

impl std::fmt::Display for Situation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sizes = match self.sizes {
            Sizes::Hint => "traced sizes",
            Sizes::Least => "least sizes",
            Sizes::Greatest => "greatest sizes",
            Sizes::Alike => "sizes alike",
        };
        let values = match self.values {
            Values::Noise => "noise",
            Values::Finite => "signed zeros, large and small numbers",
            Values::Special => "NaN and infinities",
        };
        write!(f, "inputs of {values}, {sizes}")
    }
}

/// The limit on elements of all inputs together. Beyond it the greatest sizes are halved.
pub const MAX_ELEMENTS: i64 = 1 << 22;

/// The situations in which graphs are compared. Those that differ by sizes only apply if an input has a symbol.
pub fn situations(graph: &Graph) -> Vec<Situation> {
    let all = [
        (Sizes::Hint, Values::Noise),
        (Sizes::Hint, Values::Finite),
        (Sizes::Hint, Values::Special),
        (Sizes::Least, Values::Finite),
        (Sizes::Greatest, Values::Noise),
        (Sizes::Alike, Values::Finite),
    ];
    let count = if has_symbols(graph) { all.len() } else { 3 };
    all[..count]
        .iter()
        .map(|&(sizes, values)| Situation { sizes, values })
        .collect()
}

fn has_symbols(graph: &Graph) -> bool {
    let params = &graph.block(graph.root()).params;
    params
        .iter()
        .any(|&p| graph.ty(p).shape.as_static().is_none())
}

/// The limit on the bytes of tensors that are generated together. A file can state any size at no cost to its author.
const MAX_BYTES: usize = 1 << 30;

/// Checks the sum of tensors' bytes before one of them is generated.
///
/// # Errors
/// The position of the first tensor that exceeds the limit, with those before it.
fn check_bytes<'s>(tensors: impl Iterator<Item = (DType, &'s [usize])>) -> Result<(), usize> {
    let mut left = MAX_BYTES;
    for (position, (dtype, sizes)) in tensors.enumerate() {
        let mut sizes = sizes.iter();
        let bytes = sizes.try_fold(dtype.size(), |n, &size| n.checked_mul(size));
        let rest = bytes.and_then(|bytes| left.checked_sub(bytes));
        left = rest.ok_or(position)?;
    }
    Ok(())
}

/// Inputs for the root's parameters; `None` if they would exceed the limit, or no sizes satisfy the shapes.
pub fn inputs(graph: &Graph, situation: Situation, seed: u64) -> Option<Vec<Tensor>> {
    let sizes = sizes(graph, situation.sizes)?;
    let mut random = Random::new(seed);
    let params = &graph.block(graph.root()).params;
    let dtypes = params.iter().map(|&param| graph.ty(param).dtype);
    let types: Vec<(DType, Vec<usize>)> = dtypes.zip(sizes).collect();
    check_bytes(
        types
            .iter()
            .map(|(dtype, sizes)| (*dtype, sizes.as_slice())),
    )
    .ok()?;
    let made = types
        .into_iter()
        .map(|(dtype, sizes)| made_up(&mut random, dtype, sizes, situation.values));
    Some(made.map(Tensor::from).collect())
}

/// A tensor to generate.
#[derive(Clone, Debug)]
pub struct Noise {
    /// Its dtype.
    pub dtype: DType,
    /// Its sizes.
    pub sizes: Vec<usize>,
    /// Decides its numbers.
    pub seed: u64,
}

/// Tensors of noise.
///
/// # Errors
/// The position of the first tensor that exceeds the limit on bytes, with those before it.
pub fn noise(tensors: Vec<Noise>) -> Result<Vec<TensorData>, usize> {
    check_bytes(tensors.iter().map(|t| (t.dtype, t.sizes.as_slice())))?;
    let made = tensors.into_iter().map(|Noise { dtype, sizes, seed }| {
        made_up(&mut Random::new(seed), dtype, sizes, Values::Noise)
    });
    Ok(made.collect())
}

fn made_up(random: &mut Random, dtype: DType, sizes: Vec<usize>, values: Values) -> TensorData {
    let count = sizes.iter().product();
    let values = (0..count).map(|_| scalar(random, dtype, values));
    TensorData::from_scalars(dtype, sizes, values)
}

/// The sizes of the parameters.
fn sizes(graph: &Graph, how: Sizes) -> Option<Vec<Vec<usize>>> {
    let mut limit = i64::MAX;
    loop {
        let found = sizes_within(graph, how, limit)?;
        let elements = found
            .iter()
            .map(|s| s.iter().try_fold(1i64, |n, &d| n.checked_mul(d as i64)))
            .try_fold(0i64, |n, e| n.checked_add(e?));
        match elements {
            Some(n) if n <= MAX_ELEMENTS || how != Sizes::Greatest => return Some(found),
            None if how != Sizes::Greatest => return None,
            _ if limit == 1 => return None,
            _ => limit = limit.min(1 << 24) / 2,
        }
    }
}

fn sizes_within(graph: &Graph, how: Sizes, limit: i64) -> Option<Vec<Vec<usize>>> {
    let value = |id: SymbolId| {
        let symbol = graph.symbols.get(id);
        let hint = symbol.hint.unwrap_or(4).max(symbol.min);
        let wanted = match how {
            Sizes::Hint => hint,
            Sizes::Least => symbol.min,
            Sizes::Greatest => symbol.max.unwrap_or(hint.saturating_mul(4)).min(limit),
            Sizes::Alike => 4,
        };
        let wanted = wanted.max(symbol.min);
        Some(symbol.max.map_or(wanted, |m| wanted.min(m)))
    };
    let params = &graph.block(graph.root()).params;
    let sizes = |&param| {
        let shape = &graph.ty(param).shape;
        shape
            .iter()
            .map(|d| usize::try_from(d.evaluate(&value)?).ok())
            .collect()
    };
    params.iter().map(sizes).collect()
}

/// Finite numbers on which kernels differ.
const FINITE: [f64; 14] = [
    0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, -7.25, 20.0, -20.0, 1e-6, -1e-4, 1e4, -3e3,
];

const SPECIAL: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

fn scalar(random: &mut Random, dtype: DType, values: Values) -> Scalar {
    match (dtype, values) {
        (DType::Bool, _) => Scalar::Bool(random.chance(50)),
        (_, Values::Noise) if dtype.is_int() => Scalar::Int(random.between(0, 1)),
        (_, Values::Finite) if dtype.is_int() => Scalar::Int(integer(random, dtype, -1, 3)),
        (_, Values::Special) if dtype.is_int() => extreme(random, dtype),
        (_, Values::Finite) if random.chance(60) => {
            let value = *random.pick(&FINITE);
            // The cube of the greatest one would overflow.
            let most = if dtype == DType::F16 { 30.0 } else { f64::MAX };
            Scalar::Float(value.clamp(-most, most))
        }
        (_, Values::Special) if random.chance(12) => Scalar::Float(*random.pick(&SPECIAL)),
        _ => Scalar::Float(random.normal()),
    }
}

fn integer(random: &mut Random, dtype: DType, least: i64, greatest: i64) -> i64 {
    let (min, max) = dtype.int_range().expect("an integer type");
    random.between(least.max(min), greatest.min(max))
}

fn extreme(random: &mut Random, dtype: DType) -> Scalar {
    let (min, max) = dtype.int_range().expect("an integer type");
    let values = [min, max, 0, 1, 2, max / 2];
    Scalar::Int(*random.pick(&values))
}

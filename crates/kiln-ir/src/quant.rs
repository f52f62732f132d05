//! Quantisations: the reals that the integers of a tensor represent.

use crate::dim::{Dim, Symbols};
use crate::dtype::DType;
use crate::types::Shape;
use std::sync::Arc;

/// A quantisation: how integers represent reals, `real = scale * (integer - zero_point)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Quant {
    /// The elements that share a scale and zero point.
    pub scheme: QuantScheme,
    /// The least integer in use. The range may be narrower than that of the dtype: -8 for 4 bits in i8.
    pub min: i64,
    /// The greatest integer in use.
    pub max: i64,
}

/// The granularity of a quantisation.
#[derive(Clone, Debug, PartialEq)]
pub enum QuantScheme {
    /// All elements share one scale and zero point.
    PerTensor {
        /// The scale; positive and finite.
        scale: f64,
        /// The zero point; within `min..=max`.
        zero_point: i64,
    },
    /// Each index along `axis` has its own scale and zero point.
    PerChannel {
        /// The axis.
        axis: usize,
        /// One scale per index; positive and finite.
        scales: Arc<[f64]>,
        /// One zero point per index.
        zero_points: Arc<[i64]>,
    },
    /// Each run of `group` elements along the last axis of a matrix has its own scale and zero point.
    PerGroup {
        /// The number of elements per run.
        group: usize,
        /// The scales, row-major `[rows, columns / group]`.
        scales: Arc<[f64]>,
        /// The zero points, in the order of `scales`.
        zero_points: Arc<[i64]>,
    },
}

impl QuantScheme {
    /// Which elements share a scale, in words for users.
    pub fn in_words(&self) -> String {
        match self {
            QuantScheme::PerTensor { .. } => "one scale".into(),
            QuantScheme::PerChannel { axis, .. } => format!("scales along axis {axis}"),
            QuantScheme::PerGroup { group, .. } => format!("scales in groups of {group}"),
        }
    }

    /// The scales in order.
    pub fn scales(&self) -> &[f64] {
        match self {
            QuantScheme::PerTensor { scale, .. } => std::slice::from_ref(scale),
            QuantScheme::PerChannel { scales, .. } | QuantScheme::PerGroup { scales, .. } => scales,
        }
    }

    /// The zero points in order.
    pub fn zero_points(&self) -> &[i64] {
        match self {
            QuantScheme::PerTensor { zero_point, .. } => std::slice::from_ref(zero_point),
            QuantScheme::PerChannel { zero_points, .. }
            | QuantScheme::PerGroup { zero_points, .. } => zero_points,
        }
    }

    /// The same scales with other zero points, in the order of theirs.
    #[must_use]
    pub fn map_zero_points(&self, other: impl Fn(i64) -> i64) -> QuantScheme {
        let others = |points: &[i64]| points.iter().map(|&point| other(point)).collect();
        match self {
            QuantScheme::PerTensor { scale, zero_point } => QuantScheme::PerTensor {
                scale: *scale,
                zero_point: other(*zero_point),
            },
            QuantScheme::PerChannel {
                axis,
                scales,
                zero_points,
            } => QuantScheme::PerChannel {
                axis: *axis,
                scales: scales.clone(),
                zero_points: others(zero_points),
            },
            QuantScheme::PerGroup {
                group,
                scales,
                zero_points,
            } => QuantScheme::PerGroup {
                group: *group,
                scales: scales.clone(),
                zero_points: others(zero_points),
            },
        }
    }

    /// Parameters by channel along `axis`, of which only those at `places` are kept.
    pub(crate) fn channels(&self, axis: usize, places: impl Iterator<Item = usize>) -> QuantScheme {
        let (scales, zero_points) = (self.scales(), self.zero_points());
        let (scales, zero_points): (Vec<f64>, Vec<i64>) =
            places.map(|i| (scales[i], zero_points[i])).unzip();
        QuantScheme::PerChannel {
            axis,
            scales: scales.into(),
            zero_points: zero_points.into(),
        }
    }
}

impl Quant {
    /// The same range with another scheme.
    pub fn with_scheme(&self, scheme: QuantScheme) -> Quant {
        Quant { scheme, ..*self }
    }

    /// Checks that the range fits the dtype, that the parameters satisfy their documents, and that their number matches
    /// the shape, as far as its sizes are known.
    ///
    /// # Errors
    /// The first condition that is violated.
    pub fn check(&self, dtype: DType, shape: &Shape, symbols: &Symbols) -> Result<(), String> {
        let (min, max) = (self.min, self.max);
        let Some((least, greatest)) = dtype.int_range() else {
            return Err(format!("{dtype} is no integer type"));
        };
        if min < least || max > greatest || min > max {
            return Err(format!("the range {min}..={max} does not fit {dtype}"));
        }
        let (scales, zero_points) = (self.scheme.scales(), self.scheme.zero_points());
        if let Some(scale) = scales.iter().find(|s| !s.is_finite() || **s <= 0.0) {
            return Err(format!("a scale of {scale}; it is positive and finite"));
        }
        if let Some(zero) = zero_points.iter().find(|z| !(min..=max).contains(z)) {
            return Err(format!("a zero point of {zero} outside of {min}..={max}"));
        }
        if scales.len() != zero_points.len() {
            let (scales, zeros) = (scales.len(), zero_points.len());
            return Err(format!("{scales} scales and {zeros} zero points"));
        }
        self.check_count(scales.len(), shape, symbols)
    }

    fn check_count(&self, count: usize, shape: &Shape, symbols: &Symbols) -> Result<(), String> {
        let needed = match &self.scheme {
            QuantScheme::PerTensor { .. } => return Ok(()),
            QuantScheme::PerChannel { axis, .. } => match shape.get(*axis) {
                Some(size) => size.clone(),
                None => return Err(format!("channels along axis {axis} of {shape:?}")),
            },
            QuantScheme::PerGroup { group, .. } => {
                let group = i64::try_from(*group).ok().filter(|&g| g > 0);
                let (Some(group), [rows, columns]) = (group, shape.as_slice()) else {
                    return Err(format!("groups of {group:?} in {shape:?}, not of a matrix"));
                };
                if symbols.equal(&columns.modulo(&group.into()), &0.into()) == Some(false) {
                    return Err(format!("groups of {group} among {columns} columns"));
                }
                rows * columns.floor_div(&group.into())
            }
        };
        let found = Dim::constant(i64::try_from(count).unwrap_or(i64::MAX));
        match symbols.equal(&found, &needed) {
            Some(false) => Err(format!("{count} parameters where {needed} are needed")),
            _ => Ok(()),
        }
    }
}

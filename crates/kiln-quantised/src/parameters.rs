//! The scale and the zero point of each element of a tensor.

use crate::step::Step;
use kiln_ir::types::{Quant, QuantScheme};

/// Parameters that are not those of a tensor of such sizes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// The tensor has no such axis.
    #[error("quantisation parameters along axis {axis}, which sizes {sizes:?} do not have")]
    Axis {
        /// The axis of the parameters.
        axis: usize,
        /// The tensor's sizes.
        sizes: Vec<usize>,
    },
    /// Groups are of matrices.
    #[error("groups of a tensor of sizes {0:?}, not of a matrix")]
    NotAMatrix(Vec<usize>),
    /// A row is not a whole number of groups.
    #[error("groups of {group} among {columns} columns")]
    Groups {
        /// The columns of a group.
        group: usize,
        /// The columns of the matrix.
        columns: usize,
    },
    /// Too few parameters, or too many.
    #[error("{scales} scales and {zero_points} zero points, but {needed} of each are needed")]
    Count {
        /// The scales that there are.
        scales: usize,
        /// The zero points that there are.
        zero_points: usize,
        /// As many as the sizes ask for.
        needed: usize,
    },
}

/// The parameters of a quantised tensor by the position of an element, in row-major order.
#[derive(Clone, Copy, Debug)]
pub struct Parameters<'q> {
    scales: &'q [f64],
    zero_points: &'q [i64],
    /// Elements in a row that share parameters.
    run: usize,
}

impl<'q> Parameters<'q> {
    /// The parameters of a tensor of these sizes.
    ///
    /// # Errors
    /// If there are not as many parameters as the sizes ask for.
    pub fn of(quant: &'q Quant, sizes: &[usize]) -> Result<Parameters<'q>, Misfit> {
        let (needed, run) = match &quant.scheme {
            QuantScheme::PerTensor { .. } => (1, usize::MAX),
            QuantScheme::PerChannel { axis, .. } => match sizes.get(*axis) {
                Some(&channels) => (channels, sizes[axis + 1..].iter().product()),
                None => {
                    return Err(Misfit::Axis {
                        axis: *axis,
                        sizes: sizes.to_vec(),
                    });
                }
            },
            QuantScheme::PerGroup { group, .. } => {
                let &[rows, columns] = sizes else {
                    return Err(Misfit::NotAMatrix(sizes.to_vec()));
                };
                if *group == 0 || columns % group != 0 {
                    return Err(Misfit::Groups {
                        group: *group,
                        columns,
                    });
                }
                (rows * (columns / group), *group)
            }
        };
        let (scales, zero_points) = (quant.scheme.scales(), quant.scheme.zero_points());
        if scales.len() != needed || zero_points.len() != needed {
            return Err(Misfit::Count {
                scales: scales.len(),
                zero_points: zero_points.len(),
                needed,
            });
        }
        Ok(Parameters {
            scales,
            zero_points,
            run,
        })
    }

    /// The scale and the zero point of an element.
    #[inline]
    pub fn at(&self, element: usize) -> (f64, i64) {
        let at = element / self.run % self.scales.len();
        (self.scales[at], self.zero_points[at])
    }

    /// The reals for which integers stand, in f64: `(integer - zero_point) * scale`, rounded once.
    pub fn reals(&self, integers: impl IntoIterator<Item = i64>) -> Vec<f64> {
        let real = |(element, integer): (usize, i64)| {
            let (scale, zero_point) = self.at(element);
            (i128::from(integer) - i128::from(zero_point)) as f64 * scale
        };
        integers.into_iter().enumerate().map(real).collect()
    }
}

/// A weight that no integer kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotByChannel {
    /// Channels have zero points of their own.
    #[error("a weight with several zero points")]
    ZeroPoints,
    /// The scales are not one, and not one by output channel.
    #[error("a weight whose scales are not by output channel")]
    Scales,
}

/// The scales of a weight by output channel, and its zero point: the form that integer kernels take.
///
/// XNNPACK (`qc8w`, `qc4w`) and CMSIS-NN's convolutions take weights about 0 only. TOSA and CMSIS-NN's fully connected layers
/// (`filter_offset`) take one zero point.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightScales {
    /// A scale for each output channel.
    pub scales: Vec<f64>,
    /// The zero point of all channels.
    pub zero_point: i32,
}

impl WeightScales {
    /// The scales of a weight with so many output channels, which lie along an axis: one scale is repeated.
    ///
    /// # Errors
    /// If zero points differ, or if there is neither one scale nor one for each output channel.
    pub fn of(
        scheme: &QuantScheme,
        axis: usize,
        outputs: usize,
    ) -> Result<WeightScales, NotByChannel> {
        let zero_points = scheme.zero_points();
        if zero_points.windows(2).any(|pair| pair[0] != pair[1]) {
            return Err(NotByChannel::ZeroPoints);
        }
        let scales = match scheme {
            QuantScheme::PerTensor { scale, .. } => vec![*scale; outputs],
            QuantScheme::PerChannel {
                axis: own, scales, ..
            } if *own == axis && scales.len() == outputs => scales.to_vec(),
            QuantScheme::PerChannel { .. } | QuantScheme::PerGroup { .. } => {
                return Err(NotByChannel::Scales);
            }
        };
        Ok(WeightScales {
            scales,
            zero_point: zero_points.first().copied().unwrap_or(0) as i32,
        })
    }

    /// The real of one unit of each channel's sum of products with such an input: `input.scale * scale`.
    pub fn of_sums(&self, input: Step) -> Vec<f64> {
        self.scales.iter().map(|s| s * input.scale).collect()
    }

    /// The factor that brings each channel's sums to the steps of a result: `input.scale * scale / result.scale`, in f64. As
    /// [`Multiplier`](crate::multiplier::Multiplier)s they are what CMSIS-NN's convolutions take by channel.
    pub fn factors(&self, input: Step, result: Step) -> Vec<f64> {
        let sums = self.of_sums(input).into_iter();
        sums.map(|unit| unit / result.scale).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multiplier::Multiplier;

    fn quant(scheme: QuantScheme) -> Quant {
        Quant {
            scheme,
            min: -128,
            max: 127,
        }
    }

    fn by_channel(axis: usize, scales: &[f64], zero_points: &[i64]) -> QuantScheme {
        QuantScheme::PerChannel {
            axis,
            scales: scales.into(),
            zero_points: zero_points.into(),
        }
    }

    #[test]
    fn elements_have_the_parameters_of_their_channel_or_group() {
        let channels = quant(by_channel(1, &[1.0, 0.5], &[0, 10]));
        let found = Parameters::of(&channels, &[2, 2, 1]).expect("they fit");
        assert_eq!(found.reals([1, 12, 3, -30]), [1.0, 1.0, 3.0, -20.0]);
        let groups = quant(QuantScheme::PerGroup {
            group: 2,
            scales: [1.0, 2.0].into(),
            zero_points: [0, 1].into(),
        });
        let found = Parameters::of(&groups, &[1, 4]).expect("they fit");
        assert_eq!(found.reals([1, 2, 3, 4]), [1.0, 2.0, 4.0, 6.0]);
        let whole = quant(QuantScheme::PerTensor {
            scale: 0.25,
            zero_point: -128,
        });
        let found = Parameters::of(&whole, &[]).expect("they fit");
        assert_eq!(found.reals([127, i64::MIN]), [63.75, -2f64.powi(61)]);
        assert!(Parameters::of(&groups, &[1, 5]).is_err());
        assert!(Parameters::of(&groups, &[2, 4]).is_err());
        assert!(Parameters::of(&groups, &[4]).is_err());
        assert!(Parameters::of(&channels, &[2]).is_err());
    }

    #[test]
    fn no_channels_have_no_parameters() {
        let none = quant(by_channel(0, &[], &[]));
        let found = Parameters::of(&none, &[0, 3]).expect("they fit");
        assert!(found.reals([]).is_empty());
        let weight = WeightScales::of(&none.scheme, 0, 0).expect("no channels");
        assert_eq!((weight.scales.len(), weight.zero_point), (0, 0));
    }

    #[test]
    fn weights_have_scales_by_output_channel_and_one_zero_point() {
        let input = Step {
            scale: 0.02,
            zero_point: 5,
        };
        let result = Step {
            scale: 0.1,
            zero_point: -3,
        };
        let scheme = by_channel(1, &[0.5, 0.0], &[0, 0]);
        let weight = WeightScales::of(&scheme, 1, 2).expect("two channels");
        assert_eq!(weight.of_sums(input), [0.01, 0.0]);
        let factors = weight.factors(input, result);
        let made: Vec<Multiplier> = factors
            .into_iter()
            .map(Multiplier::of)
            .collect::<Result<_, _>>()
            .expect("in range");
        assert_eq!(made[1], Multiplier::ZERO);
        assert!((made[0].real() - 0.1).abs() < 1e-10);
        assert_eq!(WeightScales::of(&scheme, 0, 2), Err(NotByChannel::Scales));
        assert_eq!(WeightScales::of(&scheme, 1, 3), Err(NotByChannel::Scales));
        let several = by_channel(0, &[1.0, 1.0], &[0, 1]);
        assert_eq!(
            WeightScales::of(&several, 0, 2),
            Err(NotByChannel::ZeroPoints)
        );
        let whole = QuantScheme::PerTensor {
            scale: 0.5,
            zero_point: 7,
        };
        let weight = WeightScales::of(&whole, 0, 3).expect("one scale");
        assert_eq!((weight.scales, weight.zero_point), (vec![0.5; 3], 7));
    }
}

//! The rules of pools.

use super::rules::Rules;
use crate::dialect::{Dims, Dtype, Function, Pool};

impl Rules<'_> {
    /// The sum of a window fits 32 bits, even if each element is as far from the zero point as its type allows.
    pub fn sum_of_window(&mut self, input: &'static str, window: &Dims) {
        let (low, high) = self.dtype(input).and_then(Dtype::range).unwrap_or((0, 0));
        let area = i64::from(window.h) * i64::from(window.w);
        let sum = area.saturating_mul(high - low);
        self.rule(sum <= i32::MAX.into(), || {
            format!("a sum of {area} elements exceeds 32 bits")
        });
    }

    /// `arm_avgpool_*`, `arm_max_pool_*`.
    pub fn pool(&mut self, pool: &Pool) {
        if matches!(
            self.call.function,
            Function::AvgpoolS8 | Function::AvgpoolS16
        ) {
            self.sum_of_window("input_data", &pool.filter_dims);
        }
        self.range("output_data", &pool.pool_params.activation);
        self.pool_windows(pool);
    }

    /// Every window has an element of the input.
    pub fn pool_windows(&mut self, pool: &Pool) {
        let (params, input, filter, output) = (
            &pool.pool_params,
            &pool.input_dims,
            &pool.filter_dims,
            &pool.output_dims,
        );
        self.rule(input.n >= 1, || "there is no batch".to_owned());
        self.equal("batches of the output", output.n, input.n);
        self.equal("channels of the output", output.c, input.c);
        if !self.windows(&params.stride, &params.padding) {
            return;
        }
        let axes = [
            (
                "height",
                input.h,
                filter.h,
                output.h,
                params.stride.h,
                params.padding.h,
            ),
            (
                "width",
                input.w,
                filter.w,
                output.w,
                params.stride.w,
                params.padding.w,
            ),
        ];
        for (name, input, window, output, stride, padding) in axes {
            let last = i64::from(output - 1) * i64::from(stride) - i64::from(padding);
            let is_within = padding < window && last < i64::from(input);
            self.rule(output == 0 || is_within, || {
                format!(
                    "along the {name} a window of {window} lies outside of the input: {output} windows, \
                     {stride} apart, a padding of {padding}, an input of {input}"
                )
            });
        }
    }
}

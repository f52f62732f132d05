//! The rules of Kiln's own kernels.

use super::rules::Rules;
use crate::dialect::{
    AxisMean, AxisSoftmax, Broadcast, Copy, CountedPool, DilatedPool, Dtype, Function, MAX_RANK,
    PerAxis, Pool, Resize, Scaling, Strides,
};
use crate::evaluate::Data;

impl Rules<'_> {
    /// `kiln_requantize_*`, `kiln_sum_*`.
    pub fn scaling(&mut self, scaling: &Scaling) {
        self.factor("the result", scaling.multiplier, scaling.shift);
        self.output_offset(scaling.output_offset);
        self.range("output", &scaling.activation);
    }

    /// The axis has an element, as the kernel reads the first.
    pub fn axis(&mut self, n: i32) {
        self.rule(n >= 1, || format!("an axis of {n}"));
    }

    /// `kiln_softmax_*`.
    pub fn axis_softmax(&mut self, of: &AxisSoftmax) {
        self.axis(of.n);
        self.softmax(&of.row());
    }

    /// `kiln_mean_s8`: twice what is left of a sum fits 32 bits.
    pub fn mean(&mut self, of: &AxisMean) {
        self.rule((1..=1 << 22).contains(&of.n), || {
            format!("a mean of {}; it is of 1 to 2^22", of.n)
        });
        self.zero_point(of.mean.zero_point);
        self.range("output", &of.mean.activation);
    }

    /// A zero point of the result's type.
    fn zero_point(&mut self, zero_point: i32) {
        let range = self.dtype("output").and_then(Dtype::range);
        let (low, high) = range.unwrap_or((0, 0));
        self.rule((low..=high).contains(&zero_point.into()), || {
            format!("a zero point of {zero_point}")
        });
    }

    /// `kiln_add_*` and those of its kind.
    pub fn broadcast(&mut self, of: &Broadcast) {
        let operands = &of.operands;
        let takes_factors = matches!(
            self.function(),
            Function::KilnAddS8 | Function::KilnAddS16 | Function::KilnSubS8 | Function::KilnSubS16
        );
        if takes_factors {
            self.factor("the first", operands.multiplier_1, operands.shift_1);
            self.factor("the second", operands.multiplier_2, operands.shift_2);
            let most = if self.dtype("output") == Some(Dtype::I16) {
                14
            } else {
                22
            };
            self.rule((0..=most).contains(&operands.left_shift), || {
                format!("left_shift is {}; it is 0 to {most}", operands.left_shift)
            });
        }
        let zero_point = self
            .dtype("output")
            .and_then(Dtype::range)
            .map_or(0, |(low, _)| low);
        for offset in [operands.offset_1, operands.offset_2] {
            self.rule(
                (zero_point + 1..=-zero_point).contains(&offset.into()),
                || {
                    format!(
                        "an offset of {offset}; it is {} to {}",
                        zero_point + 1,
                        -zero_point
                    )
                },
            );
        }
        self.factor("the result", operands.multiplier, operands.shift);
        self.output_offset(operands.output_offset);
        self.range("output", &operands.activation);
        self.operands_of(&of.strides);
    }

    /// Both operands of a broadcast result begin with their buffers.
    pub fn operands_of(&mut self, strides: &Strides) {
        if self.axes(strides) {
            self.reach("input_1", strides, &strides.strides_1, 0);
            self.reach("input_2", strides, &strides.strides_2, 0);
        }
    }

    /// `kiln_copy`.
    pub fn copy(&mut self, copy: &Copy) {
        self.moved(copy.element_size);
        if !self.axes(&copy.strides) {
            return;
        }
        self.reach(
            "input",
            &copy.strides,
            &copy.strides.strides_1,
            copy.input_first,
        );
        self.reach(
            "output",
            &copy.strides,
            &copy.strides.strides_2,
            copy.output_first,
        );
        let mut axes = copy.strides.sizes.0.iter().zip(&copy.strides.strides_2.0);
        let repeated = axes.any(|(&size, &stride)| size > 1 && stride == 0);
        self.rule(!repeated, || {
            "an element of the output is written again and again".to_owned()
        });
    }

    /// Input and output have elements of one type, which has this size.
    pub fn moved(&mut self, element_size: i32) {
        let dtypes = [self.dtype("input"), self.dtype("output")];
        self.rule(dtypes[0] == dtypes[1], || {
            "input and output are of different types".to_owned()
        });
        let size = dtypes[0].map_or(0, |dtype| dtype.bytes(1) as i32);
        self.equal("bytes of an element", element_size, size);
    }

    /// All lists have a number for each axis, and there are no more axes than a struct has room for. Returns whether that holds.
    pub fn axes(&mut self, strides: &Strides) -> bool {
        let lists = [&strides.sizes, &strides.strides_1, &strides.strides_2];
        let fits = lists
            .iter()
            .all(|list| list.0.len() as i64 == i64::from(strides.rank));
        let is_rank = (1..=MAX_RANK as i32).contains(&strides.rank);
        let are_sizes = strides.sizes.0.iter().all(|&size| size >= 0);
        self.rule(fits && is_rank, || {
            format!(
                "{} axes; there are 1 to {MAX_RANK}, and lists are as long",
                strides.rank
            )
        });
        self.rule(are_sizes, || format!("sizes of {:?}", strides.sizes.0));
        fits && is_rank && are_sizes
    }

    /// No stride leads out of a buffer.
    pub fn reach(&mut self, slot: &str, strides: &Strides, steps: &PerAxis, first: i32) {
        if strides.elements() == 0 {
            return;
        }
        let ends = strides
            .sizes
            .0
            .iter()
            .zip(&steps.0)
            .map(|(&size, &step)| i64::from(size - 1) * i64::from(step));
        let (mut least, mut greatest) = (i64::from(first), i64::from(first));
        for end in ends {
            least += end.min(0);
            greatest += end.max(0);
        }
        let elements = self.used(slot).map_or(0, |view| view.elements as i64);
        self.rule(0 <= least && greatest < elements, || {
            format!("{slot} is visited from {least} to {greatest}; it has {elements} elements")
        });
    }

    /// `kiln_avg_pool_*`: every window has a divisor above 0.
    pub fn counted_pool(&mut self, pool: &CountedPool) {
        let average = &pool.average;
        self.zero_point(average.zero_point);
        self.rule(average.divisor >= 0, || {
            format!("a divisor of {}", average.divisor)
        });
        let same = Pool {
            pool_params: pool.params.clone(),
            input_dims: pool.input_dims.clone(),
            filter_dims: pool.filter_dims.clone(),
            output_dims: pool.output_dims.clone(),
        };
        // Halves are found by twice what is left, which is below the divisor.
        self.rule(average.divisor <= 1 << 30, || {
            format!("a divisor of {}", average.divisor)
        });
        self.range("output", &pool.params.activation);
        self.pool_windows(&same);
        self.sum_of_window("input", &pool.filter_dims);
    }

    /// `kiln_resize_*`.
    pub fn resize(&mut self, of: &Resize) {
        self.scaling(&of.scaling);
        let (from, to) = (&of.input_dims, &of.output_dims);
        self.equal("batches", from.n, to.n);
        self.equal("channels", from.c, to.c);
        let axes = [
            ("rows", of.row_taps, from.h),
            ("columns", of.column_taps, from.w),
        ];
        for (slot, taps, size) in axes {
            self.rule((1..=size).contains(&taps), || {
                format!("{taps} neighbours of {size} {slot}")
            });
            let Some(Data::I32(table)) = self.constant(slot) else {
                continue;
            };
            let firsts = table.chunks(usize::try_from(taps).unwrap_or(0) + 1);
            let outside = firsts
                .map(|row| row[0])
                .find(|&first| first < 0 || first > size - taps);
            if let Some(first) = outside {
                self.found
                    .push(format!("{taps} {slot} from {first} on, of {size}"));
            }
        }
    }

    /// `kiln_max_pool_*`.
    pub fn dilated_pool(&mut self, pool: &DilatedPool) {
        let dilation = &pool.dilation;
        self.rule(dilation.w >= 1 && dilation.h >= 1, || {
            format!("a dilation of {} x {}", dilation.h, dilation.w)
        });
        self.range("output", &pool.params.activation);
        self.rule(pool.input_dims.n >= 1, || "there is no batch".to_owned());
        self.equal(
            "batches of the output",
            pool.output_dims.n,
            pool.input_dims.n,
        );
        self.equal(
            "channels of the output",
            pool.output_dims.c,
            pool.input_dims.c,
        );
        self.windows(&pool.params.stride, &pool.params.padding);
    }
}

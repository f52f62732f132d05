//! The rules of kernels of floats and of plain integers.

use super::rules::Rules;
use crate::dialect::{
    Cast, Compare, Dims, FloatAvgPool, FloatConv, FloatMatmul, FloatMaxPool, Function, Integers,
    PerAxis, Quantise, Select, Strides, Tile, TopK, Windows,
};

/// The greatest padding and the greatest dilation for which the arithmetic of windows has room.
const MOST: i32 = i16::MAX as i32;

impl Rules<'_> {
    /// `kiln_compare_*`.
    pub fn compare(&mut self, of: &Compare) {
        self.operands_of(&of.strides);
    }

    /// `kiln_integers_*`.
    pub fn integers(&mut self, of: &Integers) {
        self.operands_of(&of.strides);
    }

    /// `kiln_select`.
    pub fn select(&mut self, select: &Select) {
        let dtypes = ["input_1", "input_2", "output"].map(|slot| self.dtype(slot));
        self.rule(dtypes[0] == dtypes[1] && dtypes[0] == dtypes[2], || {
            "operands and output are of different types".to_owned()
        });
        let size = dtypes[0].map_or(0, |dtype| dtype.bytes(1) as i32);
        self.equal("bytes of an element", select.element_size, size);
        self.operands_of(&select.strides);
        let condition = &select.condition_strides;
        self.rule(condition.sizes == select.strides.sizes, || {
            "the condition is of another size".to_owned()
        });
        if self.axes(condition) {
            self.reach("condition", condition, &condition.strides_1, 0);
        }
    }

    /// `kiln_cast`.
    pub fn cast(&mut self, cast: &Cast) {
        for (slot, named) in [("input", cast.from), ("output", cast.to)] {
            self.rule(self.dtype(slot) == Some(named.dtype()), || {
                format!("{slot} is called {named:?}, and is not")
            });
        }
    }

    /// `kiln_quantize_*`.
    pub fn quantise(&mut self, quantise: &Quantise) {
        self.range("output", &quantise.activation);
    }

    /// `kiln_matmul_f32`.
    pub fn float_matmul(&mut self, product: &FloatMatmul) {
        let (m, batches) = (&product.matrices, &product.batches);
        let sizes = [m.rows, m.depth, m.columns];
        self.rule(sizes.iter().all(|&size| size >= 0), || {
            format!("sizes of {sizes:?}")
        });
        if !self.axes(batches) || sizes.iter().any(|&size| size < 0) {
            return;
        }
        let with = |list: &PerAxis, two: [i32; 2]| PerAxis([list.0.as_slice(), &two].concat());
        let all = |rows: i32, columns: i32| Strides {
            rank: batches.rank + 2,
            sizes: with(&batches.sizes, [rows, columns]),
            strides_1: with(&batches.strides_1, [m.lhs_row, m.lhs_column]),
            strides_2: with(&batches.strides_2, [m.rhs_row, m.rhs_column]),
        };
        let (lhs, rhs) = (all(m.rows, m.depth), all(m.depth, m.columns));
        self.reach("lhs", &lhs, &lhs.strides_1, 0);
        self.reach("rhs", &rhs, &rhs.strides_2, 0);
    }

    /// `kiln_convolve_f32`, `kiln_depthwise_conv_f32`.
    pub fn float_conv(&mut self, conv: &FloatConv) {
        let of = &conv.convolution;
        let (input, filter, output) = (&conv.input_dims, &conv.filter_dims, &conv.output_dims);
        for (name, tile) in [
            ("stride", &of.stride),
            ("dilation", &of.dilation),
            ("upscale", &of.upscale),
        ] {
            self.positive(name, tile);
        }
        let padding = &of.padding;
        let is_padding = [padding.w, padding.h]
            .iter()
            .all(|padding| padding.abs() <= MOST);
        self.rule(is_padding, || {
            format!("a padding of {} x {}", padding.h, padding.w)
        });
        self.equal("batches of the output", output.n, input.n);
        if self.function() == Function::KilnDepthwiseConvF32 {
            self.equal("the first size of the kernel", filter.n, 1);
            self.equal("channels of the kernel", filter.c, output.c);
            self.divides("channels of the output", output.c, input.c);
        } else {
            self.equal("outputs of the kernel", filter.n, output.c);
            self.divides("channels of the input", input.c, filter.c);
            let groups = if filter.c > 0 { input.c / filter.c } else { 0 };
            self.divides("channels of the output", output.c, groups);
        }
    }

    /// A number is a multiple of another one, which is not 0.
    fn divides(&mut self, what: &str, number: i32, by: i32) {
        self.rule(by > 0 && number % by == 0, || {
            format!("{what}: {number}, which is no multiple of {by}")
        });
    }

    fn positive(&mut self, name: &str, tile: &Tile) {
        let fits = [tile.w, tile.h]
            .iter()
            .all(|size| (1..=MOST).contains(size));
        self.rule(fits, || format!("a {name} of {} x {}", tile.h, tile.w));
    }

    fn pool_of(&mut self, windows: &Windows, input: &Dims, output: &Dims) {
        self.positive("stride", &windows.stride);
        self.positive("dilation", &windows.dilation);
        let padding = &windows.padding;
        self.rule(
            (0..=MOST).contains(&padding.w) && (0..=MOST).contains(&padding.h),
            || format!("a padding of {} x {}", padding.h, padding.w),
        );
        self.equal("batches of the output", output.n, input.n);
        self.equal("channels of the output", output.c, input.c);
    }

    /// `kiln_max_pool_f32`.
    pub fn float_max_pool(&mut self, pool: &FloatMaxPool) {
        self.pool_of(&pool.windows, &pool.input_dims, &pool.output_dims);
    }

    /// `kiln_avg_pool_f32`.
    pub fn float_avg_pool(&mut self, pool: &FloatAvgPool) {
        self.pool_of(&pool.windows, &pool.input_dims, &pool.output_dims);
        let dilation = &pool.windows.dilation;
        self.rule((dilation.w, dilation.h) == (1, 1), || {
            format!("a dilation of {} x {}", dilation.h, dilation.w)
        });
    }

    /// Functions along an axis. Some read its first element, or have no result without one.
    pub fn axis_reduce(&mut self, n: i32) {
        let takes_none = matches!(
            self.function(),
            Function::KilnSumF32
                | Function::KilnMeanF32
                | Function::KilnProdF32
                | Function::KilnSumS32
                | Function::KilnSumS64
                | Function::KilnCumprodF32
                | Function::KilnCumprodS32
                | Function::KilnCumprodS64
                | Function::KilnCummaxF32
                | Function::KilnCummaxS32
                | Function::KilnCummaxS64
                | Function::KilnCumminF32
                | Function::KilnCumminS32
                | Function::KilnCumminS64
                | Function::KilnProdS32
                | Function::KilnProdS64
                | Function::KilnCumsumF32
                | Function::KilnCumsumS32
                | Function::KilnCumsumS64
        );
        if !takes_none {
            self.axis(n);
        }
    }

    /// `kiln_top_k_f32`.
    pub fn top_k(&mut self, of: &TopK) {
        self.rule((0..=of.n).contains(&of.k), || {
            format!("{} of {} elements", of.k, of.n)
        });
    }
}

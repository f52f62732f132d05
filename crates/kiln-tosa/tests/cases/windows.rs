//! Operators with windows, and products.

use super::making::{Making, One};
use super::values::Range;
use kiln_tosa::dialect::{AvgPool, Conv, MatMul, MaxPool, TosaDtype, TosaOp, TransposeConv};

impl Making<'_> {
    fn window(&mut self) -> ([usize; 2], [usize; 2], [[usize; 2]; 2], Vec<usize>) {
        let mut pick = |n| 1 + self.random.below(n);
        let (kernel, stride) = ([pick(3), pick(3)], [pick(2), pick(2)]);
        let (n, c, positions) = (pick(2), pick(3), [pick(3), pick(3)]);
        let mut pad = [[0; 2]; 2];
        let mut shape = vec![n, 0, 0, c];
        for i in 0..2 {
            let span = (positions[i] - 1) * stride[i] + kernel[i];
            let most = (kernel[i] - 1).min((span - 1) / 2);
            pad[i] = [self.random.below(most + 1), self.random.below(most + 1)];
            shape[i + 1] = span - pad[i][0] - pad[i][1];
        }
        (kernel, stride, pad, shape)
    }

    pub(super) fn avg_pool(&mut self, d: &[TosaDtype]) -> One {
        let (kernel, stride, pad, shape) = self.window();
        let pool = AvgPool {
            kernel,
            stride,
            pad,
            acc: d[1],
            input_zp: self.zero_point(d[0]),
            output_zp: self.zero_point(d[0]),
        };
        let operand = self.input(d[0], &shape, Range::Usual);
        self.b.op(TosaOp::AvgPool2d(pool), &[operand])
    }

    pub(super) fn max_pool(&mut self, x: TosaDtype) -> One {
        let (kernel, stride, pad, shape) = self.window();
        let pool = MaxPool {
            kernel,
            stride,
            pad,
            nan_mode: self.nan_mode(),
        };
        let operand = self.input(x, &shape, Range::Full);
        self.b.op(TosaOp::MaxPool2d(pool), &[operand])
    }

    fn weighted(&mut self, op: TosaOp, d: &[TosaDtype], shapes: [&[usize]; 2], oc: usize) -> One {
        // The specification leaves the product of padding and infinity open, so floats are finite.
        let range = if d[0].is_float() {
            Range::Usual
        } else {
            Range::Full
        };
        let operand = self.input(d[0], shapes[0], range);
        let weight = self.constant(d[1], shapes[1], range)?;
        let channels = if self.random.chance(30) { 1 } else { oc };
        let bias = self.constant(d[2], &[channels], Range::Between(-1000, 1000))?;
        self.b.op(op, &[operand, weight, bias])
    }

    fn conv<const N: usize>(&mut self, d: &[TosaDtype]) -> (Conv<N>, [usize; N], [usize; N]) {
        let mut conv = Conv::new(d[3]);
        (conv.input_zp, conv.weight_zp) = (self.zero_point(d[0]), self.zero_point(d[1]));
        let (mut sizes, mut kernel) = ([0; N], [0; N]);
        for i in 0..N {
            conv.stride[i] = 1 + self.random.below(2);
            conv.dilation[i] = 1 + self.random.below(2);
            kernel[i] = 1 + self.random.below(3);
            let span = (kernel[i] - 1) * conv.dilation[i] + 1;
            let padded = self.random.below(3) * conv.stride[i] + span;
            let pad = self.random.below(padded.min(4));
            let before = self.random.below(pad + 1);
            conv.pad[i] = [before, pad - before];
            sizes[i] = padded - pad;
        }
        (conv, sizes, kernel)
    }

    pub(super) fn conv2d(&mut self, d: &[TosaDtype]) -> One {
        let (conv, size, kernel) = self.conv::<2>(d);
        let [ic, oc] = [1 + self.random.below(3), 1 + self.random.below(3)];
        let shapes = [[2, size[0], size[1], ic], [oc, kernel[0], kernel[1], ic]];
        self.weighted(TosaOp::Conv2d(conv), d, [&shapes[0], &shapes[1]], oc)
    }

    pub(super) fn conv3d(&mut self, d: &[TosaDtype]) -> One {
        let (conv, size, kernel) = self.conv::<3>(d);
        let [ic, oc] = [1 + self.random.below(2), 1 + self.random.below(2)];
        let input = [1, size[0], size[1], size[2], ic];
        let weight = [oc, kernel[0], kernel[1], kernel[2], ic];
        self.weighted(TosaOp::Conv3d(conv), d, [&input, &weight], oc)
    }

    pub(super) fn depthwise(&mut self, d: &[TosaDtype]) -> One {
        let (conv, size, kernel) = self.conv::<2>(d);
        let [c, m] = [1 + self.random.below(3), 1 + self.random.below(3)];
        let shapes = [[1, size[0], size[1], c], [kernel[0], kernel[1], c, m]];
        let op = TosaOp::DepthwiseConv2d(conv);
        self.weighted(op, d, [&shapes[0], &shapes[1]], c * m)
    }

    pub(super) fn transpose_conv(&mut self, d: &[TosaDtype]) -> One {
        let kernel = [2 + self.random.below(2), 2 + self.random.below(2)];
        let conv = TransposeConv {
            out_pad: [0, 1].map(|_| [0, 1].map(|_| self.random.between(-1, 2) as i32)),
            stride: [1 + self.random.below(3), 1 + self.random.below(3)],
            acc: d[3],
            input_zp: self.zero_point(d[0]),
            weight_zp: self.zero_point(d[1]),
            local_bound: self.random.chance(50),
        };
        let [ic, oc] = [1 + self.random.below(3), 1 + self.random.below(3)];
        let input = [1, 2 + self.random.below(2), 2 + self.random.below(2), ic];
        let weight = [oc, kernel[0], kernel[1], ic];
        self.weighted(TosaOp::TransposeConv2d(conv), d, [&input, &weight], oc)
    }

    pub(super) fn product(&mut self, d: &[TosaDtype]) -> One {
        let [n, h, c, w] = [0; 4].map(|_| 1 + self.random.below(4));
        let a = self.input(d[0], &[n, h, c], Range::Full);
        let b = self.input(d[0], &[n, c, w], Range::Full);
        let op = MatMul {
            a_zp: self.zero_point(d[0]),
            b_zp: self.zero_point(d[0]),
            to: d[1],
        };
        self.b.op(TosaOp::MatMul(op), &[a, b])
    }
}

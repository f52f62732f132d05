//! The limits of level 8K.

use crate::dialect::{Conv, Resize, TensorType, TosaOp};

/// The most axes of a tensor.
pub(super) const MAX_RANK: usize = 6;
/// The greatest size of windows, paddings and transforms.
const MAX_KERNEL: usize = 8192;
/// The greatest stride.
const MAX_STRIDE: usize = 8192;
/// The greatest factor by which an image is enlarged.
const MAX_SCALE: i64 = 256;
/// A tensor has fewer elements than two to the power of this.
const MAX_LOG2_SIZE: u32 = 31;
/// The greatest depth of nested branches and loops.
pub(super) const MAX_NESTING: usize = 6;
/// The most tensors of a list.
pub(super) const MAX_TENSOR_LIST_SIZE: usize = 64;

/// The limits that a tensor exceeds.
pub(super) fn of_tensor(ty: &TensorType, found: &mut Vec<String>) {
    if ty.shape.len() > MAX_RANK {
        found.push(format!("{ty} has more than {MAX_RANK} axes"));
    }
    if ty.shape.contains(&0) {
        found.push(format!("{ty} has no elements; sizes are 1 at least"));
    }
    let elements = ty.shape.iter().try_fold(1usize, |n, &s| n.checked_mul(s));
    if elements.is_none_or(|n| n >= 1 << MAX_LOG2_SIZE) {
        found.push(format!("{ty} has 2^{MAX_LOG2_SIZE} elements or more"));
    }
}

/// The limits that an operator's attributes exceed.
pub(super) fn of_op(op: &TosaOp, operands: &[TensorType], found: &mut Vec<String>) {
    let mut limits = Limits { found };
    match op {
        TosaOp::AvgPool2d(a) => limits.pool(a.kernel, a.stride, a.pad),
        TosaOp::MaxPool2d(a) => limits.pool(a.kernel, a.stride, a.pad),
        TosaOp::Conv2d(a) => limits.conv(a, &operands[1].shape[1..3]),
        TosaOp::DepthwiseConv2d(a) => limits.conv(a, &operands[1].shape[..2]),
        TosaOp::Conv3d(a) => limits.conv(a, &operands[1].shape[1..4]),
        TosaOp::TransposeConv2d(a) => {
            limits.kernel("the kernel", &operands[1].shape[1..3]);
            limits.stride(&a.stride);
            let pads = a.out_pad.iter().flatten().map(|&p| p.max(0) as usize);
            limits.kernel("out_pad", &pads.collect::<Vec<_>>());
        }
        TosaOp::Fft2d { .. } | TosaOp::Rfft2d { .. } => {
            limits.kernel("the transform", &operands[0].shape[1..]);
        }
        TosaOp::Resize(resize) => limits.scale(resize),
        _ => {}
    }
    let is_list = matches!(
        op,
        TosaOp::Concat { .. } | TosaOp::Custom(_) | TosaOp::CondIf(_) | TosaOp::WhileLoop(_)
    );
    if is_list && operands.len() > MAX_TENSOR_LIST_SIZE {
        limits.found.push(format!(
            "{} operands, more than {MAX_TENSOR_LIST_SIZE}",
            operands.len()
        ));
    }
}

struct Limits<'f> {
    found: &'f mut Vec<String>,
}

impl Limits<'_> {
    fn kernel(&mut self, what: &str, sizes: &[usize]) {
        if sizes.iter().any(|&s| s > MAX_KERNEL) {
            self.found
                .push(format!("{what} is {sizes:?}, above {MAX_KERNEL}"));
        }
    }

    fn stride(&mut self, strides: &[usize]) {
        if strides.iter().any(|&s| s > MAX_STRIDE) {
            self.found
                .push(format!("the stride is {strides:?}, above {MAX_STRIDE}"));
        }
    }

    fn pool(&mut self, kernel: [usize; 2], stride: [usize; 2], pad: [[usize; 2]; 2]) {
        self.kernel("the window", &kernel);
        self.stride(&stride);
        self.kernel("the padding", &pad.concat());
    }

    fn conv<const N: usize>(&mut self, conv: &Conv<N>, kernel: &[usize]) {
        let spans = kernel.iter().zip(conv.dilation);
        let spans: Vec<usize> = spans.map(|(k, d)| k.saturating_mul(d)).collect();
        self.kernel("the kernel times the dilation", &spans);
        self.stride(&conv.stride);
        self.kernel("the padding", &conv.pad.concat());
    }

    fn scale(&mut self, resize: &Resize) {
        for (n, d) in resize.scale_n.into_iter().zip(resize.scale_d) {
            if i64::from(n) > MAX_SCALE * i64::from(d) {
                self.found
                    .push(format!("the scale is {n}/{d}, above {MAX_SCALE}"));
            }
        }
    }
}

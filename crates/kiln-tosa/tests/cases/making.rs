//! Makes operators with random attributes and operands.

use super::values::{self, Range};
use kiln_check::Random;
use kiln_eval::Tensor;
use kiln_ir::Scalar;
use kiln_tosa::dialect::{
    ArgMax, Builder, Clamp, CondIf, Custom, Kind, Misfit, NanMode, Negate, Pad, Rescale, Resize,
    ResizeMode, Rounding, Slice, TensorId, TosaDtype, TosaOp, Variable, WhileLoop,
};

pub struct Making<'r> {
    pub b: Builder,
    pub random: &'r mut Random,
    pub inputs: Vec<Tensor>,
}

pub(super) type One = Result<TensorId, Misfit>;

impl Making<'_> {
    pub fn outputs(&mut self, kind: Kind, d: &[TosaDtype]) -> Result<Vec<TensorId>, Misfit> {
        let x = d[0];
        let one = match kind {
            Kind::Fft2d => {
                let operands = [self.operand(x, &[1, 4, 2]), self.operand(x, &[1, 4, 2])];
                let op = TosaOp::Fft2d {
                    inverse: self.random.chance(50),
                    local_bound: false,
                };
                return Ok(self.b.ops(op, &operands)?.to_vec());
            }
            Kind::Rfft2d => {
                let operand = self.operand(x, &[2, 2, 8]);
                let op = TosaOp::Rfft2d { local_bound: true };
                return Ok(self.b.ops(op, &[operand])?.to_vec());
            }
            Kind::ArgMax => self.arg_max(x),
            Kind::AvgPool2d => self.avg_pool(d),
            Kind::MaxPool2d => self.max_pool(x),
            Kind::Conv2d => self.conv2d(d),
            Kind::Conv3d => self.conv3d(d),
            Kind::DepthwiseConv2d => self.depthwise(d),
            Kind::TransposeConv2d => self.transpose_conv(d),
            Kind::MatMul => self.product(d),
            Kind::Clamp => self.clamp(x),
            Kind::Table => self.table(x),
            Kind::Rescale => self.rescale(d),
            Kind::Resize => self.resize(d),
            Kind::Gather | Kind::Scatter => self.indexed(kind, x),
            Kind::Concat | Kind::Pad | Kind::Reshape | Kind::Reverse => self.moved(kind, x),
            Kind::Slice | Kind::Tile | Kind::Transpose => self.moved(kind, x),
            Kind::ReduceAll | Kind::ReduceAny | Kind::ReduceMax => self.reduced(kind, x),
            Kind::ReduceMin | Kind::ReduceProduct | Kind::ReduceSum => self.reduced(kind, x),
            Kind::Select => self.select(x),
            Kind::Negate => self.negate(x),
            Kind::Cast => {
                let operand = self.anything(x, Range::Full);
                self.b.op(TosaOp::Cast { to: d[1] }, &[operand])
            }
            Kind::Const => {
                let shape = self.shape(0);
                self.constant(x, &shape, Range::Full)
            }
            Kind::CondIf => self.branch(),
            Kind::WhileLoop => self.looped(),
            Kind::Variable | Kind::VariableRead | Kind::VariableWrite => self.variable(x),
            Kind::Custom => self.custom(x),
            _ => match binary(kind, self.random) {
                Some((op, left, right)) => self.binary(op, x, left, right),
                None => self.unary(kind, x),
            },
        };
        Ok(vec![one?])
    }

    /// Sizes of 1 to 4.
    fn shape(&mut self, least_rank: usize) -> Vec<usize> {
        let rank = least_rank + self.random.below(5 - least_rank);
        (0..rank).map(|_| 1 + self.random.below(4)).collect()
    }

    pub(super) fn input(&mut self, dtype: TosaDtype, shape: &[usize], range: Range) -> TensorId {
        let tensor = values::tensor(dtype, shape, range, self.random);
        self.inputs.push(tensor);
        self.b.input("input", dtype, shape)
    }

    pub(super) fn operand(&mut self, dtype: TosaDtype, shape: &[usize]) -> TensorId {
        self.input(dtype, shape, Range::Usual)
    }

    fn anything(&mut self, dtype: TosaDtype, range: Range) -> TensorId {
        let shape = self.shape(0);
        self.input(dtype, &shape, range)
    }

    pub(super) fn constant(&mut self, dtype: TosaDtype, shape: &[usize], range: Range) -> One {
        let n = shape.iter().product();
        if dtype.is_float() {
            let numbers: Vec<f64> = (0..n).map(|_| values::float(range, self.random)).collect();
            return self.b.floats(dtype, shape, &numbers);
        }
        let numbers = (0..n).map(|_| values::integer(dtype, range, self.random));
        let numbers: Vec<i64> = numbers.collect();
        self.b.integers(dtype, shape, &numbers)
    }

    pub(super) fn nan_mode(&mut self) -> NanMode {
        *self.random.pick(&[NanMode::Propagate, NanMode::Ignore])
    }

    pub(super) fn zero_point(&mut self, dtype: TosaDtype) -> i32 {
        match dtype {
            TosaDtype::I8 => self.random.between(-128, 127) as i32,
            _ => 0,
        }
    }

    fn arg_max(&mut self, x: TosaDtype) -> One {
        let shape = self.shape(1);
        let axis = self.random.below(shape.len());
        let nan_mode = self.nan_mode();
        let operand = self.input(x, &shape, Range::Full);
        self.b
            .op(TosaOp::ArgMax(ArgMax { axis, nan_mode }), &[operand])
    }

    fn clamp(&mut self, x: TosaDtype) -> One {
        let scalar = |n: i64| match x.is_float() {
            true => Scalar::Float(n as f64 / 64.0),
            false => Scalar::Int(n),
        };
        let clamp = Clamp {
            min: scalar(self.random.between(-128, 0)),
            max: scalar(self.random.between(0, 127)),
            nan_mode: self.nan_mode(),
        };
        let operand = self.anything(x, Range::Full);
        self.b.op(TosaOp::Clamp(clamp), &[operand])
    }

    fn table(&mut self, x: TosaDtype) -> One {
        let n = if x == TosaDtype::I8 { 256 } else { 513 };
        let entries = (0..n).map(|_| values::integer(x, Range::Usual, self.random));
        let bytes: Vec<u8> = match x {
            TosaDtype::I8 => entries.map(|e| e as u8).collect(),
            _ => entries.flat_map(|e| (e as i16).to_le_bytes()).collect(),
        };
        let table = bytes::Bytes::from(bytes).into();
        let operand = self.anything(x, Range::Full);
        self.b.op(TosaOp::Table { table }, &[operand])
    }

    fn negate(&mut self, x: TosaDtype) -> One {
        let op = TosaOp::Negate(Negate {
            input_zp: self.zero_point(x),
            output_zp: self.zero_point(x),
        });
        let range = match x {
            TosaDtype::I32 => Range::Usual,
            _ => Range::Full,
        };
        let operand = self.anything(x, range);
        self.b.op(op, &[operand])
    }

    fn rescale(&mut self, d: &[TosaDtype]) -> One {
        let shape = self.shape(1);
        let scale32 = d[0] != TosaDtype::I48 && self.random.chance(70);
        let per_channel = self.random.chance(50);
        let n = if per_channel {
            shape[shape.len() - 1]
        } else {
            1
        };
        let bits = if scale32 { 31 } else { 15 };
        let multipliers =
            (0..n).map(|_| self.random.between(1 << (bits - 1), (1 << bits) - 1) as i32);
        let multiplier = multipliers.collect();
        // Results have at most 24 bits.
        let least = (bits + d[0].bits() as i64 - 24).max(d[0].bits() as i64 + 1);
        let shift = (0..n).map(|_| self.random.between(least.min(62), (least + 3).min(62)) as i8);
        let unsigned = |making: &mut Self, i: usize| {
            let other = d[1 - i];
            matches!(d[i], TosaDtype::I8 | TosaDtype::I16)
                && matches!(other, TosaDtype::I8 | TosaDtype::I16)
                && making.random.chance(25)
        };
        let mut rescale = Rescale {
            scale32,
            per_channel,
            ..Rescale::new(d[1], multiplier, shift.collect())
        };
        if scale32 && self.random.chance(30) {
            rescale.rounding = Rounding::Double;
        }
        rescale.input_unsigned = unsigned(self, 0);
        rescale.output_unsigned = !rescale.input_unsigned && unsigned(self, 1);
        rescale.input_zp = self.zero_point(d[0]) + if rescale.input_unsigned { 128 } else { 0 };
        rescale.output_zp = self.zero_point(d[1]) + if rescale.output_unsigned { 128 } else { 0 };
        if d[0] != TosaDtype::I8 {
            rescale.input_zp = 0;
        }
        if d[1] != TosaDtype::I8 {
            rescale.output_zp = 0;
        }
        let operand = self.input(d[0], &shape, Range::Usual);
        self.b.op(TosaOp::Rescale(rescale), &[operand])
    }

    fn resize(&mut self, d: &[TosaDtype]) -> One {
        let is_wider = d[0] != d[1];
        let is_bilinear = is_wider || (d[0].is_float() && self.random.chance(50));
        let mode = match is_bilinear {
            true => ResizeMode::Bilinear,
            false => ResizeMode::Nearest,
        };
        let (mut resize, mut shape) = (
            Resize {
                mode,
                scale_n: [0; 2],
                scale_d: [0; 2],
                offset: [0; 2],
                border: [0; 2],
            },
            vec![1, 0, 0, 2],
        );
        for i in 0..2 {
            let (n, d) = (self.random.between(1, 5), self.random.between(1, 3));
            let size = 2 + self.random.below(3);
            let offset = self.random.between(-n + 1, n - 1);
            let room = (size as i64 - 1) * n - offset;
            let mut border = n - 1;
            while (room + border) % d != 0 {
                border -= 1;
            }
            let numbers = [n, d, offset, border].map(|x| x as i32);
            [
                resize.scale_n[i],
                resize.scale_d[i],
                resize.offset[i],
                resize.border[i],
            ] = numbers;
            shape[i + 1] = size;
        }
        let operand = self.input(d[0], &shape, Range::Usual);
        self.b.op(TosaOp::Resize(resize), &[operand])
    }

    fn indexed(&mut self, kind: Kind, x: TosaDtype) -> One {
        let [n, c] = [1 + self.random.below(2), 1 + self.random.below(3)];
        let (k, w) = (4 + self.random.below(2), 1 + self.random.below(3));
        let values = self.operand(x, &[n, k, c]);
        let rows =
            (0..n).flat_map(|_| self.random.order(k).into_iter().take(w).collect::<Vec<_>>());
        let rows: Vec<i32> = rows.map(|row| row as i32).collect();
        self.inputs.push(Tensor::new([n, w], rows));
        let indices = self.b.input("indices", TosaDtype::I32, &[n, w]);
        if kind == Kind::Gather {
            return self.b.op(TosaOp::Gather, &[values, indices]);
        }
        let input = self.operand(x, &[n, w, c]);
        self.b.op(TosaOp::Scatter, &[values, indices, input])
    }

    fn moved(&mut self, kind: Kind, x: TosaDtype) -> One {
        let mut shape = self.shape(1);
        let rank = shape.len();
        let axis = self.random.below(rank);
        let operand = self.input(x, &shape, Range::Full);
        let op = match kind {
            Kind::Concat => {
                shape[axis] = 2;
                let rest = [self.operand(x, &shape), self.operand(x, &shape)];
                let operands = [operand, rest[0], rest[1]];
                return self.b.op(TosaOp::Concat { axis }, &operands);
            }
            Kind::Pad => TosaOp::Pad(Pad {
                padding: (0..rank)
                    .map(|_| [0, 1].map(|_| self.random.below(3)))
                    .collect(),
                value: match x {
                    TosaDtype::Bool => Scalar::Bool(true),
                    _ if x.is_float() => Scalar::Float(-1.5),
                    _ => Scalar::Int(-7),
                },
            }),
            Kind::Reshape => {
                let mut flat = vec![shape.iter().product()];
                flat.resize(1 + self.random.below(3), 1);
                TosaOp::Reshape { shape: flat }
            }
            Kind::Reverse => TosaOp::Reverse { axis },
            Kind::Slice => {
                let start: Vec<usize> = shape.iter().map(|&s| self.random.below(s)).collect();
                let sizes = shape.iter().zip(&start);
                let size = sizes.map(|(s, start)| 1 + self.random.below(s - start));
                TosaOp::Slice(Slice {
                    size: size.collect(),
                    start,
                })
            }
            Kind::Tile => TosaOp::Tile {
                multiples: (0..rank).map(|_| 1 + self.random.below(3)).collect(),
            },
            _ => TosaOp::Transpose {
                perms: self.random.order(rank),
            },
        };
        self.b.op(op, &[operand])
    }

    fn reduced(&mut self, kind: Kind, x: TosaDtype) -> One {
        let shape = self.shape(1);
        let axis = self.random.below(shape.len());
        let nan_mode = self.nan_mode();
        let (op, range) = match kind {
            Kind::ReduceAll => (TosaOp::ReduceAll { axis }, Range::Full),
            Kind::ReduceAny => (TosaOp::ReduceAny { axis }, Range::Full),
            Kind::ReduceMax => (TosaOp::ReduceMax { axis, nan_mode }, Range::Full),
            Kind::ReduceMin => (TosaOp::ReduceMin { axis, nan_mode }, Range::Full),
            Kind::ReduceProduct => (TosaOp::ReduceProduct { axis }, Range::Usual),
            _ => (
                TosaOp::ReduceSum { axis },
                Range::Between(-1 << 20, 1 << 20),
            ),
        };
        let operand = self.input(x, &shape, range);
        self.b.op(op, &[operand])
    }

    /// Shapes that broadcast.
    fn broadcast<const N: usize>(&mut self) -> [Vec<usize>; N] {
        let shape = self.shape(0);
        [0; N].map(|_| {
            let repeated = shape
                .iter()
                .map(|&s| if self.random.chance(25) { 1 } else { s });
            repeated.collect()
        })
    }

    fn select(&mut self, x: TosaDtype) -> One {
        let [condition, a, b] = self.broadcast();
        let operands = [
            self.operand(TosaDtype::Bool, &condition),
            self.operand(x, &a),
            self.operand(x, &b),
        ];
        self.b.op(TosaOp::Select, &operands)
    }

    fn binary(&mut self, op: TosaOp, x: TosaDtype, left: Range, right: Range) -> One {
        let [a, b] = self.broadcast();
        let right = match right {
            // A shift is smaller than the number of bits of the dtype.
            Range::Between(0, _) => Range::Between(0, x.bits() as i64 - 1),
            other => other,
        };
        let left = self.input(x, &a, left);
        let right = match self.random.chance(30) && x != TosaDtype::Bool {
            true => self.constant(x, &b, right)?,
            false => self.input(x, &b, right),
        };
        self.b.op(op, &[left, right])
    }

    fn unary(&mut self, kind: Kind, x: TosaDtype) -> One {
        let (op, range) = match kind {
            Kind::Erf => (TosaOp::Erf, Range::Full),
            Kind::Sigmoid => (TosaOp::Sigmoid, Range::Full),
            Kind::Tanh => (TosaOp::Tanh, Range::Full),
            Kind::Abs => (TosaOp::Abs, Range::Usual),
            Kind::BitwiseNot => (TosaOp::BitwiseNot, Range::Full),
            Kind::Ceil => (TosaOp::Ceil, Range::Full),
            Kind::Clz => (TosaOp::Clz, Range::Full),
            Kind::Cos => (TosaOp::Cos, Range::Usual),
            Kind::Exp => (TosaOp::Exp, Range::Full),
            Kind::Floor => (TosaOp::Floor, Range::Full),
            Kind::Log => (TosaOp::Log, Range::Positive),
            Kind::LogicalNot => (TosaOp::LogicalNot, Range::Full),
            Kind::Reciprocal => (TosaOp::Reciprocal, Range::Positive),
            Kind::Rsqrt => (TosaOp::Rsqrt, Range::Positive),
            Kind::Sin => (TosaOp::Sin, Range::Usual),
            Kind::Identity => (TosaOp::Identity, Range::Full),
            _ => unreachable!("{kind} is made elsewhere"),
        };
        let operand = self.anything(x, range);
        self.b.op(op, &[operand])
    }

    fn branch(&mut self) -> One {
        let condition = self.operand(TosaDtype::Bool, &[1]);
        let x = self.operand(TosaDtype::I32, &[2, 3]);
        let arm = |b: &mut Builder, op: TosaOp| {
            let x = b.input("x", TosaDtype::I32, &[2, 3]);
            Ok::<_, Misfit>(vec![b.op(op, &[x, x])?])
        };
        let then = self.b.region("main_then", |b| arm(b, TosaOp::Add))?;
        let otherwise = self.b.region("main_else", |b| arm(b, TosaOp::Sub))?;
        self.b
            .op(TosaOp::CondIf(CondIf { then, otherwise }), &[condition, x])
    }

    fn looped(&mut self) -> One {
        let x = self.input(TosaDtype::I32, &[1], Range::Between(-5, 5));
        let cond = self.b.region("main_cond", |b| {
            let i = b.input("i", TosaDtype::I32, &[1]);
            let limit = b.integers(TosaDtype::I32, &[1], &[5])?;
            Ok::<_, Misfit>(vec![b.op(TosaOp::Greater, &[limit, i])?])
        })?;
        let body = self.b.region("main_body", |b| {
            let i = b.input("i", TosaDtype::I32, &[1]);
            let step = b.integers(TosaDtype::I32, &[1], &[2])?;
            Ok::<_, Misfit>(vec![b.op(TosaOp::Add, &[i, step])?])
        })?;
        self.b.op(TosaOp::WhileLoop(WhileLoop { cond, body }), &[x])
    }

    fn variable(&mut self, dtype: TosaDtype) -> One {
        let shape = vec![2, 3];
        let bytes = vec![0; 6 * dtype.bits() / 8];
        let variable = Variable {
            name: "state".to_owned(),
            dtype,
            shape: shape.clone(),
            initial: Some(bytes::Bytes::from(bytes).into()),
        };
        self.b.ops(TosaOp::Variable(variable), &[])?;
        let operand = self.operand(dtype, &shape);
        let name = "state".to_owned();
        let write = TosaOp::VariableWrite { name: name.clone() };
        self.b.ops(write, &[operand])?;
        self.b.op(TosaOp::VariableRead { name, dtype, shape }, &[])
    }

    fn custom(&mut self, dtype: TosaDtype) -> One {
        let operand = self.operand(dtype, &[2]);
        let custom = Custom {
            operator: "twice".to_owned(),
            domain: "tests".to_owned(),
            attributes: vec![1, 2, 3],
            results: vec![(dtype, vec![2])],
        };
        self.b.op(TosaOp::Custom(custom), &[operand])
    }
}

/// An operator of two operands, and the range of their elements.
fn binary(kind: Kind, random: &mut Random) -> Option<(TosaOp, Range, Range)> {
    let nan_mode = *random.pick(&[NanMode::Propagate, NanMode::Ignore]);
    let bits = Range::Between(0, 31);
    let round = random.chance(50);
    Some(match kind {
        Kind::Add => (TosaOp::Add, Range::Usual, Range::Usual),
        Kind::Sub => (TosaOp::Sub, Range::Usual, Range::Usual),
        Kind::ArithmeticRightShift => (TosaOp::ArithmeticRightShift { round }, Range::Full, bits),
        Kind::BitwiseAnd => (TosaOp::BitwiseAnd, Range::Full, Range::Full),
        Kind::BitwiseOr => (TosaOp::BitwiseOr, Range::Full, Range::Full),
        Kind::BitwiseXor => (TosaOp::BitwiseXor, Range::Full, Range::Full),
        Kind::IntDiv => (TosaOp::IntDiv, Range::Usual, Range::NotZero),
        Kind::LogicalAnd => (TosaOp::LogicalAnd, Range::Full, Range::Full),
        Kind::LogicalLeftShift => (TosaOp::LogicalLeftShift, Range::Full, bits),
        Kind::LogicalRightShift => (TosaOp::LogicalRightShift, Range::Full, bits),
        Kind::LogicalOr => (TosaOp::LogicalOr, Range::Full, Range::Full),
        Kind::LogicalXor => (TosaOp::LogicalXor, Range::Full, Range::Full),
        Kind::Maximum => (TosaOp::Maximum { nan_mode }, Range::Full, Range::Full),
        Kind::Minimum => (TosaOp::Minimum { nan_mode }, Range::Full, Range::Full),
        Kind::Mul => (
            TosaOp::Mul { shift: 0 },
            Range::Between(-100, 100),
            Range::Between(-100, 100),
        ),
        Kind::Pow => (TosaOp::Pow, Range::Positive, Range::Usual),
        Kind::Equal => (TosaOp::Equal, Range::Between(-2, 2), Range::Between(-2, 2)),
        Kind::Greater => (
            TosaOp::Greater,
            Range::Between(-2, 2),
            Range::Between(-2, 2),
        ),
        Kind::GreaterEqual => (
            TosaOp::GreaterEqual,
            Range::Between(-2, 2),
            Range::Between(-2, 2),
        ),
        _ => return None,
    })
}

//! Python numbers: sizes, arithmetic on sizes, and numbers read from tensors.
//!
//! An int is a dim as long as it is an expression of symbols. Any other int becomes a new symbol, which a node binds.
//! Floats and bools that are not known are rank-0 values.

use crate::call::error::Problem;
use crate::call::{Arg, Number, NumberKind};
use crate::importer::Importer;
use crate::importer::arguments::{Args, Operand};
use crate::importer::build::axis;
use crate::importer::returns::{Return, Returns};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, BindSymbol, CompareFn, Simple};
use kiln_ir::{Builder, DType, Dim, Op, Scalar, Symbol, SymbolId, ValueId};

/// The greatest power of a size that becomes a polynomial.
const MAX_POWER: i64 = 8;

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        sym_size,
        &["aten.sym_size.int(self, dim)", "aten.size.int(self, dim)"],
    ),
    Row::new(
        sym_numel,
        &["aten.sym_numel.default(self)", "aten.numel.default(self)"],
    ),
    Row::new(
        |cx, a| arithmetic(cx, a, Function::Add),
        &["_operator.add(a, b)"],
    ),
    Row::new(
        |cx, a| arithmetic(cx, a, Function::Sub),
        &["_operator.sub(a, b)"],
    ),
    Row::new(
        |cx, a| arithmetic(cx, a, Function::Mul),
        &["_operator.mul(a, b)"],
    ),
    Row::new(
        |cx, a| arithmetic(cx, a, Function::FloorDiv),
        &["_operator.floordiv(a, b)"],
    ),
    Row::new(
        |cx, a| arithmetic(cx, a, Function::Mod),
        &["_operator.mod(a, b)"],
    ),
    Row::new(
        |cx, a| arithmetic(cx, a, Function::Pow),
        &["_operator.pow(a, b)", "math.pow(a, b)"],
    ),
    Row::new(
        |cx, a| arithmetic(cx, a, Function::TrueDiv),
        &["_operator.truediv(a, b)"],
    ),
    Row::new(
        |cx, a| arithmetic(cx, a, Function::Max),
        &["torch.sym_max(a, b)", "builtins.max(a, b)"],
    ),
    Row::new(
        |cx, a| arithmetic(cx, a, Function::Min),
        &["torch.sym_min(a, b)", "builtins.min(a, b)"],
    ),
    Row::new(negate, &["_operator.neg(a)"]),
    Row::new(identity, &["_operator.pos(a)"]),
    Row::new(sum, &["torch.sym_sum(args)"]),
    Row::new(
        |cx, a| compare(cx, a, CompareFn::Eq),
        &["_operator.eq(a, b)"],
    ),
    Row::new(
        |cx, a| compare(cx, a, CompareFn::Ne),
        &["_operator.ne(a, b)"],
    ),
    Row::new(
        |cx, a| compare(cx, a, CompareFn::Lt),
        &["_operator.lt(a, b)"],
    ),
    Row::new(
        |cx, a| compare(cx, a, CompareFn::Le),
        &["_operator.le(a, b)"],
    ),
    Row::new(
        |cx, a| compare(cx, a, CompareFn::Gt),
        &["_operator.gt(a, b)"],
    ),
    Row::new(
        |cx, a| compare(cx, a, CompareFn::Ge),
        &["_operator.ge(a, b)"],
    ),
    Row::new(
        |cx, a| logic(cx, a, BinaryFn::BitAnd),
        &["_operator.and_(a, b)"],
    ),
    Row::new(
        |cx, a| logic(cx, a, BinaryFn::BitOr),
        &["_operator.or_(a, b)"],
    ),
    Row::new(not, &["torch.sym_not(a)", "_operator.not_(a)"]),
    Row::new(choose, &["torch.sym_ite(b, t, f)"]),
    Row::new(to_float, &["torch.sym_float(a)"]),
    Row::new(
        |cx, a| to_int(cx, a, Simple::Trunc),
        &["torch.sym_int(a)", "math.trunc(a)"],
    ),
    Row::new(|cx, a| to_int(cx, a, Simple::Floor), &["math.floor(a)"]),
    Row::new(|cx, a| to_int(cx, a, Simple::Ceil), &["math.ceil(a)"]),
    Row::new(
        |cx, a| to_int(cx, a, Simple::Round),
        &["builtins.round(a)", "_operator.round(a)"],
    ),
    Row::new(
        |cx, a| float_function(cx, a, Simple::Sqrt),
        &["torch._sym_sqrt(a)", "math.sqrt(a)"],
    ),
    Row::new(
        |cx, a| float_function(cx, a, Simple::Exp),
        &["torch._sym_exp(a)", "math.exp(a)"],
    ),
    Row::new(
        |cx, a| float_function(cx, a, Simple::Log),
        &["torch._sym_log(a)"],
    ),
    Row::new(
        |cx, a| float_function(cx, a, Simple::Log2),
        &["torch._sym_log2(a)", "math.log2(a)"],
    ),
    Row::new(
        |cx, a| float_function(cx, a, Simple::Sin),
        &["torch._sym_sin(a)", "math.sin(a)"],
    ),
    Row::new(
        |cx, a| float_function(cx, a, Simple::Cos),
        &["torch._sym_cos(a)", "math.cos(a)"],
    ),
    Row::new(
        item,
        &[
            "aten.item.default(self)",
            "aten._local_scalar_dense.default(self)",
        ],
    ),
];

#[derive(Clone, Copy, PartialEq)]
enum Function {
    Add,
    Sub,
    Mul,
    FloorDiv,
    Mod,
    Pow,
    TrueDiv,
    Max,
    Min,
}

fn number(result: Arg) -> Result<Returns, Problem> {
    Ok(vec![Return::Arg(result)])
}

fn running(value: ValueId, kind: NumberKind) -> Result<Returns, Problem> {
    number(Arg::Number(Number { value, kind }))
}

fn sym_size(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let at = axis(a.int("dim")?, cx.rank(x))?;
    if cx.rank(x) == 0 {
        return Err(Problem::unsupported("the size of an axis of a scalar"));
    }
    number(Arg::Int(cx.size(x, at)?))
}

fn sym_numel(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    number(Arg::Int(cx.shape(a.tensor("self")?).elements()))
}

/// The operand as an int, if it is one.
fn as_dim(operand: &Operand) -> Option<Dim> {
    match operand {
        Operand::Known(Scalar::Int(i)) => Some(Dim::constant(*i)),
        Operand::Known(Scalar::Bool(b)) => Some(Dim::constant(i64::from(*b))),
        Operand::Symbolic(d) => Some(d.clone()),
        Operand::Known(Scalar::Float(_)) | Operand::Running(_) | Operand::Tensor(_) => None,
    }
}

fn as_known(operand: &Operand) -> Option<Scalar> {
    match operand {
        Operand::Known(s) => Some(*s),
        _ => None,
    }
}

/// True if the operand is an int or a bool, known or not.
fn is_int(operand: &Operand) -> bool {
    match operand {
        Operand::Known(s) => !matches!(s, Scalar::Float(_)),
        Operand::Symbolic(_) => true,
        Operand::Running(n) => n.kind != NumberKind::Float,
        Operand::Tensor(_) => false,
    }
}

/// The number as a rank-0 value of that dtype.
fn value(cx: &mut Importer<'_>, operand: &Operand, dtype: DType) -> Result<ValueId, Problem> {
    cx.materialise(operand, dtype, 0)
}

fn int_result(cx: &mut Importer<'_>, a: &Args<'_>, v: ValueId) -> Result<Returns, Problem> {
    number(Arg::Int(cx.int_of(v, a.declared_int())?))
}

impl Importer<'_> {
    /// A rank-0 number, truncated to an int: the expression that the program declares for it, or a symbol that is bound
    /// to it.
    pub(crate) fn int_of(&mut self, v: ValueId, declared: Option<&Dim>) -> Result<Dim, Problem> {
        if let Some(known) = declared.filter(|d| self.is_bound(d)) {
            return Ok(known.clone());
        }
        let symbol = match declared.and_then(|d| self.as_unbound(d)) {
            Some(symbol) => symbol,
            None => fresh(self),
        };
        let v = self.cast(v, DType::I64)?;
        self.results(BindSymbol { symbol }, &[v])?;
        self.bind_symbol(symbol);
        Ok(Dim::symbol(symbol))
    }
}

fn fresh(cx: &mut Importer<'_>) -> SymbolId {
    let name = (0..)
        .map(|i| format!("item{i}"))
        .find(|name| cx.symbols().find(name).is_none())
        .expect("some name is free");
    cx.rewriter().add_symbol(Symbol {
        name,
        min: i64::MIN,
        max: None,
        hint: None,
    })
}

fn arithmetic(cx: &mut Importer<'_>, a: &Args<'_>, f: Function) -> Result<Returns, Problem> {
    let (x, y) = (a.operand("a")?, a.operand("b")?);
    if let (Some(x), Some(y)) = (as_dim(&x), as_dim(&y))
        && let Some(result) = of_dims(cx, f, &x, &y)
    {
        return number(Arg::Int(result));
    }
    if let (Some(x), Some(y)) = (as_known(&x), as_known(&y)) {
        return number(Arg::Float(of_floats(f, x.as_f64(), y.as_f64())));
    }
    let int = is_int(&x) && is_int(&y) && !matches!(f, Function::TrueDiv | Function::Pow);
    let dtype = if int { DType::I64 } else { DType::F64 };
    let (x, y) = (value(cx, &x, dtype)?, value(cx, &y, dtype)?);
    let result = cx.binary(binary_fn(f), x, y)?;
    if int {
        int_result(cx, a, result)
    } else {
        running(result, NumberKind::Float)
    }
}

fn of_dims(cx: &Importer<'_>, f: Function, x: &Dim, y: &Dim) -> Option<Dim> {
    Some(match f {
        Function::Add => x + y,
        Function::Sub => x - y,
        Function::Mul => x * y,
        Function::FloorDiv if !y.is(0) => x.floor_div(y),
        Function::Mod if !y.is(0) => x.modulo(y),
        Function::Pow => {
            let power = y.as_const().filter(|p| (0..=MAX_POWER).contains(p))?;
            (0..power).map(|_| x.clone()).product()
        }
        Function::Max => cx.symbols().greater(x, y),
        Function::Min => cx.symbols().lesser(x, y),
        Function::FloorDiv | Function::Mod | Function::TrueDiv => return None,
    })
}

fn of_floats(f: Function, x: f64, y: f64) -> f64 {
    match f {
        Function::Add => x + y,
        Function::Sub => x - y,
        Function::Mul => x * y,
        Function::FloorDiv => (x / y).floor(),
        Function::Mod => x - y * (x / y).floor(),
        Function::Pow => x.powf(y),
        Function::TrueDiv => x / y,
        Function::Max => x.max(y),
        Function::Min => x.min(y),
    }
}

fn binary_fn(f: Function) -> BinaryFn {
    match f {
        Function::Add => BinaryFn::Add,
        Function::Sub => BinaryFn::Sub,
        Function::Mul => BinaryFn::Mul,
        Function::FloorDiv => BinaryFn::FloorDiv,
        Function::Mod => BinaryFn::Remainder,
        Function::Pow => BinaryFn::Pow,
        Function::TrueDiv => BinaryFn::Div,
        Function::Max => BinaryFn::Max,
        Function::Min => BinaryFn::Min,
    }
}

fn negate(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.operand("a")?;
    if let Some(d) = as_dim(&x) {
        return number(Arg::Int(-d));
    }
    if let Some(s) = as_known(&x) {
        return number(Arg::Float(-s.as_f64()));
    }
    let v = value(cx, &x, DType::F64)?;
    running(cx.unary(Simple::Neg, v)?, NumberKind::Float)
}

fn identity(_: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    number(a.arg("a")?.clone())
}

fn sum(_: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    number(Arg::Int(a.dims("args")?.into_iter().sum()))
}

/// The truth of a relation, if the ranges of the symbols decide it.
fn decided(cx: &Importer<'_>, f: CompareFn, x: &Dim, y: &Dim) -> Option<bool> {
    let symbols = cx.symbols();
    match f {
        CompareFn::Eq => symbols.equal(x, y),
        CompareFn::Ne => symbols.equal(x, y).map(|b| !b),
        CompareFn::Le => symbols.less_equal(x, y),
        CompareFn::Ge => symbols.less_equal(y, x),
        CompareFn::Lt => symbols.less_equal(y, x).map(|b| !b),
        CompareFn::Gt => symbols.less_equal(x, y).map(|b| !b),
    }
}

fn compare(cx: &mut Importer<'_>, a: &Args<'_>, f: CompareFn) -> Result<Returns, Problem> {
    let (x, y) = (a.operand("a")?, a.operand("b")?);
    if let (Some(x), Some(y)) = (as_dim(&x), as_dim(&y))
        && let Some(known) = decided(cx, f, &x, &y)
    {
        return number(Arg::Bool(known));
    }
    if let (Some(x), Some(y)) = (as_known(&x), as_known(&y)) {
        return number(Arg::Bool(holds(f, x.as_f64(), y.as_f64())));
    }
    let dtype = if is_int(&x) && is_int(&y) {
        DType::I64
    } else {
        DType::F64
    };
    let (x, y) = (value(cx, &x, dtype)?, value(cx, &y, dtype)?);
    running(cx.compare(f, x, y)?, NumberKind::Bool)
}

fn holds(f: CompareFn, x: f64, y: f64) -> bool {
    match f {
        CompareFn::Eq => x == y,
        CompareFn::Ne => x != y,
        CompareFn::Lt => x < y,
        CompareFn::Le => x <= y,
        CompareFn::Gt => x > y,
        CompareFn::Ge => x >= y,
    }
}

fn logic(cx: &mut Importer<'_>, a: &Args<'_>, f: BinaryFn) -> Result<Returns, Problem> {
    let (x, y) = (a.operand("a")?, a.operand("b")?);
    if let (Some(Scalar::Bool(x)), Some(Scalar::Bool(y))) = (as_known(&x), as_known(&y)) {
        let result = if f == BinaryFn::BitAnd { x & y } else { x | y };
        return number(Arg::Bool(result));
    }
    let (x, y) = (value(cx, &x, DType::Bool)?, value(cx, &y, DType::Bool)?);
    running(cx.binary(f, x, y)?, NumberKind::Bool)
}

fn not(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.operand("a")?;
    if let Some(Scalar::Bool(b)) = as_known(&x) {
        return number(Arg::Bool(!b));
    }
    let v = value(cx, &x, DType::Bool)?;
    running(cx.unary(Simple::BitNot, v)?, NumberKind::Bool)
}

fn choose(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (condition, t, f) = (a.operand("b")?, a.operand("t")?, a.operand("f")?);
    if let Some(known) = as_known(&condition) {
        let name = if known.as_i64() != 0 { "t" } else { "f" };
        return number(a.arg(name)?.clone());
    }
    let int = is_int(&t) && is_int(&f);
    let dtype = if int { DType::I64 } else { DType::F64 };
    let condition = value(cx, &condition, DType::Bool)?;
    let (t, f) = (value(cx, &t, dtype)?, value(cx, &f, dtype)?);
    let result = cx.select(condition, t, f)?;
    if int {
        int_result(cx, a, result)
    } else {
        running(result, NumberKind::Float)
    }
}

fn to_float(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.operand("a")?;
    if let Some(s) = as_known(&x) {
        return number(Arg::Float(s.as_f64()));
    }
    running(value(cx, &x, DType::F64)?, NumberKind::Float)
}

fn to_int(cx: &mut Importer<'_>, a: &Args<'_>, f: Simple) -> Result<Returns, Problem> {
    let x = a.operand("a")?;
    if let Some(d) = as_dim(&x) {
        return number(Arg::Int(d));
    }
    if let Some(s) = as_known(&x) {
        let rounded = match f {
            Simple::Floor => s.as_f64().floor(),
            Simple::Ceil => s.as_f64().ceil(),
            Simple::Round => s.as_f64().round_ties_even(),
            _ => s.as_f64().trunc(),
        };
        return number(Arg::Int(Dim::constant(rounded as i64)));
    }
    let v = value(cx, &x, DType::F64)?;
    let rounded = cx.unary(f, v)?;
    int_result(cx, a, rounded)
}

fn float_function(cx: &mut Importer<'_>, a: &Args<'_>, f: Simple) -> Result<Returns, Problem> {
    let x = a.operand("a")?;
    let v = value(cx, &x, DType::F64)?;
    running(cx.unary(f, v)?, NumberKind::Float)
}

/// The only element of a tensor. A constant's element is a known number; the value of a size is that size.
fn item(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    if let Some(known) = cx.graph().as_splat(x) {
        return number(match known {
            Scalar::Bool(b) => Arg::Bool(b),
            Scalar::Int(i) => Arg::Int(Dim::constant(i)),
            Scalar::Float(f) => Arg::Float(f),
        });
    }
    if let Some(Op::DimValue(size)) = cx.graph().producer_op(x) {
        let dim = size.dim.clone();
        return number(Arg::Int(dim));
    }
    let x = cx.reshape(x, &[])?;
    match cx.dtype(x) {
        DType::Bool => running(x, NumberKind::Bool),
        dtype if dtype.is_float() => running(cx.cast(x, DType::F64)?, NumberKind::Float),
        _ => int_result(cx, a, x),
    }
}

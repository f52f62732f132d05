//! Expands the inverse error function to Giles' approximation in single precision (M. Giles, "Approximating the erfinv
//! function", GPU Computing Gems, 2011): two polynomials in `w = -log((1 - x) (1 + x))`.
//!
//! ```kiln
//! decompose none unary.erfinv
//! graph "erfinv" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[3] = unary %0 {f=erfinv}
//!     return %1
//!   }
//! }
//! ---
//! graph "erfinv" {
//!   constant c0 "" f32[1] = [1.0]
//!   constant c1 "" f32[1] = [2.5]
//!   constant c2 "" f32[1] = [2.810226362726098e-8]
//!   constant c3 "" f32[1] = [3.432739390518691e-7]
//!   constant c4 "" f32[1] = [-3.523387704262859e-6]
//!   constant c5 "" f32[1] = [-4.391506536194356e-6]
//!   constant c6 "" f32[1] = [0.00021858086984138936]
//!   constant c7 "" f32[1] = [-0.001253725029528141]
//!   constant c8 "" f32[1] = [-0.004177681636065245]
//!   constant c9 "" f32[1] = [0.24664072692394257]
//!   constant c10 "" f32[1] = [1.5014094114303589]
//!   constant c11 "" f32[1] = [3.0]
//!   constant c12 "" f32[1] = [-0.0002002142573473975]
//!   constant c13 "" f32[1] = [0.0001009505576803349]
//!   constant c14 "" f32[1] = [0.0013493432197719812]
//!   constant c15 "" f32[1] = [-0.003673428436741233]
//!   constant c16 "" f32[1] = [0.005739507731050253]
//!   constant c17 "" f32[1] = [-0.007622461300343275]
//!   constant c18 "" f32[1] = [0.00943887047469616]
//!   constant c19 "" f32[1] = [1.0016740560531616]
//!   constant c20 "" f32[1] = [2.832976818084717]
//!   constant c21 "" f32[1] = [5.0]
//!   constant c22 "" f32[1] = [1.0]
//!   constant c23 "" f32[1] = [inf]
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[1] = constant {value=c0}
//!     %2: f32[3] = binary %1, %0 {f=sub}
//!     %3: f32[3] = binary %1, %0 {f=add}
//!     %4: f32[3] = binary %2, %3 {f=mul}
//!     %5: f32[3] = unary %4 {f=log}
//!     %6: f32[3] = unary %5 {f=neg}
//!     %7: f32[1] = constant {value=c1}
//!     %8: f32[3] = binary %6, %7 {f=sub}
//!     %9: f32[1] = constant {value=c2}
//!     %10: f32[3] = binary %9, %8 {f=mul}
//!     %11: f32[1] = constant {value=c3}
//!     %12: f32[3] = binary %10, %11 {f=add}
//!     %13: f32[3] = binary %12, %8 {f=mul}
//!     %14: f32[1] = constant {value=c4}
//!     %15: f32[3] = binary %13, %14 {f=add}
//!     %16: f32[3] = binary %15, %8 {f=mul}
//!     %17: f32[1] = constant {value=c5}
//!     %18: f32[3] = binary %16, %17 {f=add}
//!     %19: f32[3] = binary %18, %8 {f=mul}
//!     %20: f32[1] = constant {value=c6}
//!     %21: f32[3] = binary %19, %20 {f=add}
//!     %22: f32[3] = binary %21, %8 {f=mul}
//!     %23: f32[1] = constant {value=c7}
//!     %24: f32[3] = binary %22, %23 {f=add}
//!     %25: f32[3] = binary %24, %8 {f=mul}
//!     %26: f32[1] = constant {value=c8}
//!     %27: f32[3] = binary %25, %26 {f=add}
//!     %28: f32[3] = binary %27, %8 {f=mul}
//!     %29: f32[1] = constant {value=c9}
//!     %30: f32[3] = binary %28, %29 {f=add}
//!     %31: f32[3] = binary %30, %8 {f=mul}
//!     %32: f32[1] = constant {value=c10}
//!     %33: f32[3] = binary %31, %32 {f=add}
//!     %34: f32[3] = unary %6 {f=sqrt}
//!     %35: f32[1] = constant {value=c11}
//!     %36: f32[3] = binary %34, %35 {f=sub}
//!     %37: f32[1] = constant {value=c12}
//!     %38: f32[3] = binary %37, %36 {f=mul}
//!     %39: f32[1] = constant {value=c13}
//!     %40: f32[3] = binary %38, %39 {f=add}
//!     %41: f32[3] = binary %40, %36 {f=mul}
//!     %42: f32[1] = constant {value=c14}
//!     %43: f32[3] = binary %41, %42 {f=add}
//!     %44: f32[3] = binary %43, %36 {f=mul}
//!     %45: f32[1] = constant {value=c15}
//!     %46: f32[3] = binary %44, %45 {f=add}
//!     %47: f32[3] = binary %46, %36 {f=mul}
//!     %48: f32[1] = constant {value=c16}
//!     %49: f32[3] = binary %47, %48 {f=add}
//!     %50: f32[3] = binary %49, %36 {f=mul}
//!     %51: f32[1] = constant {value=c17}
//!     %52: f32[3] = binary %50, %51 {f=add}
//!     %53: f32[3] = binary %52, %36 {f=mul}
//!     %54: f32[1] = constant {value=c18}
//!     %55: f32[3] = binary %53, %54 {f=add}
//!     %56: f32[3] = binary %55, %36 {f=mul}
//!     %57: f32[1] = constant {value=c19}
//!     %58: f32[3] = binary %56, %57 {f=add}
//!     %59: f32[3] = binary %58, %36 {f=mul}
//!     %60: f32[1] = constant {value=c20}
//!     %61: f32[3] = binary %59, %60 {f=add}
//!     %62: f32[1] = constant {value=c21}
//!     %63: bool[3] = compare %6, %62 {f=lt}
//!     %64: f32[3] = select %63, %33, %61 {}
//!     %65: f32[3] = unary %0 {f=abs}
//!     %66: f32[1] = constant {value=c22}
//!     %67: bool[3] = compare %65, %66 {f=eq}
//!     %68: f32[1] = constant {value=c23}
//!     %69: f32[3] = select %67, %68, %64 {}
//!     %70: f32[3] = binary %69, %0 {f=mul}
//!     return %70
//!   }
//! }
//! ```

use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::ops::{BinaryFn, CompareFn, Simple};
use kiln_ir::{Builder, DType, ValueId};

guards! {
    /// The polynomials approximate in single precision.
    SINGLE;
}

/// The coefficients for `w` below 5, in powers of `w - 2.5`, lowest power first.
const CENTRAL: [f64; 9] = [
    1.50140941,
    0.246640727,
    -0.00417768164,
    -0.00125372503,
    0.00021858087,
    -4.39150654e-06,
    -3.5233877e-06,
    3.43273939e-07,
    2.81022636e-08,
];

/// The coefficients for other `w`, in powers of `sqrt(w) - 3`, lowest power first.
const TAIL: [f64; 9] = [
    2.83297682,
    1.00167406,
    0.00943887047,
    -0.0076224613,
    0.00573950773,
    -0.00367342844,
    0.00134934322,
    0.000100950558,
    -0.000200214257,
];

/// `erfinv(x)` for f32.
pub fn emit(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    if !SINGLE.holds(emitter.ty(x).dtype == DType::F32) {
        let found = emitter.ty(x).dtype.to_string();
        return Err(Reason::new(
            "erfinv is approximated in single precision",
            found,
        ));
    }
    let one = emitter.scalar_like(1.0, x);
    let below = emitter.binary(BinaryFn::Sub, one, x)?;
    let above = emitter.binary(BinaryFn::Add, one, x)?;
    let product = emitter.binary(BinaryFn::Mul, below, above)?;
    let log = emitter.unary(Simple::Log, product)?;
    let w = emitter.unary(Simple::Neg, log)?;
    let near = emitter.with(BinaryFn::Sub, w, 2.5)?;
    let near = emitter.polynomial(near, &CENTRAL)?;
    let root = emitter.unary(Simple::Sqrt, w)?;
    let far = emitter.with(BinaryFn::Sub, root, 3.0)?;
    let far = emitter.polynomial(far, &TAIL)?;
    let is_near = emitter.compare_with(CompareFn::Lt, w, 5.0)?;
    let factor = emitter.select(is_near, near, far)?;
    let size = emitter.unary(Simple::Abs, x)?;
    let is_edge = emitter.compare_with(CompareFn::Eq, size, 1.0)?;
    let infinite = emitter.scalar_like(f64::INFINITY, x);
    let factor = emitter.select(is_edge, infinite, factor)?;
    emitter.binary(BinaryFn::Mul, factor, x)
}

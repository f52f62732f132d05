//! The choice of a kernel's instance by a dtype.

/// Runs the body with `$T` the element type of a dtype.
macro_rules! with_element {
    ($dtype:expr, $T:ident, $body:expr) => {{
        use kiln_ir::DType as D;
        match $dtype {
            D::Bool => {
                type $T = bool;
                $body
            }
            D::U8 => {
                type $T = u8;
                $body
            }
            D::I8 => {
                type $T = i8;
                $body
            }
            D::I16 => {
                type $T = i16;
                $body
            }
            D::I32 => {
                type $T = i32;
                $body
            }
            D::I64 => {
                type $T = i64;
                $body
            }
            D::F16 => {
                type $T = half::f16;
                $body
            }
            D::BF16 => {
                type $T = half::bf16;
                $body
            }
            D::F32 => {
                type $T = f32;
                $body
            }
            D::F64 => {
                type $T = f64;
                $body
            }
        }
    }};
}

/// As `with_element!`, for all dtypes but bool; the body gives a `Result`.
macro_rules! with_number {
    ($dtype:expr, $T:ident, $body:expr) => {{
        use kiln_ir::DType as D;
        match $dtype {
            D::Bool => $crate::error::misfit!("bool is no number"),
            D::U8 => {
                type $T = u8;
                $body
            }
            D::I8 => {
                type $T = i8;
                $body
            }
            D::I16 => {
                type $T = i16;
                $body
            }
            D::I32 => {
                type $T = i32;
                $body
            }
            D::I64 => {
                type $T = i64;
                $body
            }
            D::F16 => {
                type $T = half::f16;
                $body
            }
            D::BF16 => {
                type $T = half::bf16;
                $body
            }
            D::F32 => {
                type $T = f32;
                $body
            }
            D::F64 => {
                type $T = f64;
                $body
            }
        }
    }};
}

/// As `with_number!`, for floats.
macro_rules! with_float {
    ($dtype:expr, $T:ident, $body:expr) => {{
        use kiln_ir::DType as D;
        match $dtype {
            D::F16 => {
                type $T = half::f16;
                $body
            }
            D::BF16 => {
                type $T = half::bf16;
                $body
            }
            D::F32 => {
                type $T = f32;
                $body
            }
            D::F64 => {
                type $T = f64;
                $body
            }
            D::Bool | D::U8 | D::I8 | D::I16 | D::I32 | D::I64 => {
                $crate::error::misfit!("takes floats, found {}", $dtype)
            }
        }
    }};
}

/// As `with_number!`, for integers.
macro_rules! with_int {
    ($dtype:expr, $T:ident, $body:expr) => {{
        use kiln_ir::DType as D;
        match $dtype {
            D::U8 => {
                type $T = u8;
                $body
            }
            D::I8 => {
                type $T = i8;
                $body
            }
            D::I16 => {
                type $T = i16;
                $body
            }
            D::I32 => {
                type $T = i32;
                $body
            }
            D::I64 => {
                type $T = i64;
                $body
            }
            D::Bool | D::F16 | D::BF16 | D::F32 | D::F64 => {
                $crate::error::misfit!("takes integers, found {}", $dtype)
            }
        }
    }};
}

/// As `with_element!`, with `$W` any element type of that size: for kernels that only move bits.
macro_rules! with_word {
    ($dtype:expr, $W:ident, $body:expr) => {
        match $dtype.size() {
            1 => {
                type $W = u8;
                $body
            }
            2 => {
                type $W = i16;
                $body
            }
            4 => {
                type $W = i32;
                $body
            }
            _ => {
                type $W = i64;
                $body
            }
        }
    };
}

pub(crate) use {with_element, with_float, with_int, with_number, with_word};

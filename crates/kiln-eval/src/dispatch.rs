//! Chooses the instance of a generic kernel for a dtype.

/// Runs the body with `$T` set to the element type of a dtype, if the dtype is listed. Other dtypes have arms of their
/// own.
macro_rules! with_one_of {
    ([$($kind:ident $ty:ty),*] $dtype:expr, $T:ident, $body:expr $(, $others:pat => $otherwise:expr)?) => {{
        use kiln_ir::DType as D;
        match $dtype {
            $(D::$kind => {
                type $T = $ty;
                $body
            })*
            $($others => $otherwise,)?
        }
    }};
}

/// Runs the body with `$T` set to the element type of a dtype.
macro_rules! with_element {
    ($dtype:expr, $T:ident, $body:expr) => {
        $crate::dispatch::with_one_of!(
            [Bool bool, U8 u8, I8 i8, I16 i16, I32 i32, I64 i64, F16 half::f16, BF16 half::bf16, F32 f32, F64 f64]
            $dtype, $T, $body
        )
    };
}

/// As `with_element!`, for all dtypes but bool. The body must give a `Result`.
macro_rules! with_number {
    ($dtype:expr, $T:ident, $body:expr) => {
        $crate::dispatch::with_one_of!(
            [U8 u8, I8 i8, I16 i16, I32 i32, I64 i64, F16 half::f16, BF16 half::bf16, F32 f32, F64 f64]
            $dtype, $T, $body,
            kiln_ir::DType::Bool => $crate::error::misfit!("takes numbers, found bool")
        )
    };
}

/// As `with_number!`, for floats.
macro_rules! with_float {
    ($dtype:expr, $T:ident, $body:expr) => {
        $crate::dispatch::with_one_of!(
            [F16 half::f16, BF16 half::bf16, F32 f32, F64 f64]
            $dtype, $T, $body,
            other => $crate::error::misfit!("takes floats, found {}", other)
        )
    };
}

/// As `with_number!`, for integers.
macro_rules! with_int {
    ($dtype:expr, $T:ident, $body:expr) => {
        $crate::dispatch::with_one_of!(
            [U8 u8, I8 i8, I16 i16, I32 i32, I64 i64]
            $dtype, $T, $body,
            other => $crate::error::misfit!("takes integers, found {}", other)
        )
    };
}

/// As `with_element!`, with `$W` set to an element type of the same size. For kernels that only move bits.
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

pub(crate) use {with_element, with_float, with_int, with_number, with_one_of, with_word};

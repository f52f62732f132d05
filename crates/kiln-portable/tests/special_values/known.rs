//! What is known of special values on the stock runtime.

/// Kernels that no probe calls, and why.
pub const UNREACHED: &[(&str, &str)] = &[(
    "aten::sym_size.int",
    "a primitive op of the runtime, not a kernel",
)];

/// What the builtin runtime computes otherwise than the stock one, by the beginning of its name, and what the stock kernel does.
pub const DIFFERENT: &[(&str, &str)] = &[
    (
        "binary %0, %1 {f=floor_div}",
        "div.out_mode gives an infinity with the dividend's sign for a division by zero",
    ),
    (
        "binary %1, %0 {f=floor_div}",
        "div.out_mode gives an infinity with the dividend's sign for a division by zero",
    ),
    (
        "binary %0, %1 {f=pow}",
        "pow.Tensor_Scalar_out gives infinity for the root of minus infinity",
    ),
    (
        "binary %0, %1 {f=remainder} to f64",
        "remainder computes f64 in f32",
    ),
    (
        "binary %1, %0 {f=remainder} to f64",
        "remainder computes f64 in f32",
    ),
    ("unary %0 {f=abs}", "abs leaves the sign of a zero"),
    (
        "unary %0 {f=leaky_relu",
        "leaky_relu takes the slope in the half type",
    ),
    (
        "reduce %0 {f=sum, axes=[1]} to f64",
        "sum adds up f64 in f32",
    ),
    (
        "reduce %0 {f=sum, axes=[1]} to i",
        "sum adds up integers in f32",
    ),
    ("reduce %0 {f=prod", "products overflow in another order"),
    (
        "softmax %0 {axis=1, log=true}",
        "log_softmax subtracts in another order",
    ),
    (
        "normalize",
        "layer norms sum squares in f32, which overflow, in another order",
    ),
    ("top_k", "topk gives any of equal elements"),
    (
        "case convolutions",
        "sums in another order, and padding is skipped, not multiplied",
    ),
    (
        "case pools",
        "max_pool2d passes over NaN, and sums are in another order",
    ),
    ("case products", "sums in another order"),
    (
        "case reductions",
        "sums and products overflow in another order",
    ),
    (
        "case samples",
        "grid_sampler_2d at places that are no finite numbers; special_values.md",
    ),
];

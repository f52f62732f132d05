//! How long operators take, for estimates.

/// Rates in nanoseconds, of one core.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// A multiply-add, where the products of a layer reach the core's peak.
    pub product: f64,
    /// The same for integers of 8 bits and fewer.
    pub integer_product: f64,
    /// A multiply-add of a convolution whose groups have one channel, up to [`Rates::few_taps`].
    pub depthwise: f64,
    /// The same with larger windows, for which there is no kernel of their own.
    pub large_depthwise: f64,
    /// The same of integers.
    pub large_integer_depthwise: f64,
    /// The most taps at the rate of [`Rates::depthwise`].
    pub few_taps: f64,
    /// A multiply-add of a transposed convolution.
    pub transposed: f64,
    /// A multiply-add of a kernel beside delegates.
    pub kernel_product: f64,
    /// A byte of weights, which a product with few rows reads from memory.
    pub weight_byte: f64,
    /// An element of arithmetic, comparisons, copies and movements.
    pub element: f64,
    /// An element of a function by polynomials or tables.
    pub function: f64,
    /// An element of a softmax.
    pub softmax: f64,
    /// An element of a normalisation.
    pub norm: f64,
    /// A tap of a pool, for each element of the result.
    pub tap: f64,
    /// The time of a kernel beside delegates, in times of the operator of the same function.
    pub kernel: f64,
}

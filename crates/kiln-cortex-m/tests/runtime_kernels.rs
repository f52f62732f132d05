//! The `cortex_m::*` kernels on the builtin runtime: what they compute, and that they refuse what a file may have in place of arguments.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln_cortex_m::Kernels;
use kiln_eval::Tensor;
use kiln_pte::runtime::{Argument, Kernels as _, Stored};

fn stored(data: Tensor, dim_order: &[usize]) -> Argument {
    let mut sizes = vec![0; dim_order.len()];
    for (&axis, &size) in dim_order.iter().zip(data.sizes()) {
        sizes[axis] = size;
    }
    Argument::Tensor(Stored {
        data,
        sizes,
        dim_order: dim_order.to_vec(),
    })
}

fn bytes(sizes: &[usize], values: Vec<i8>) -> Argument {
    let order: Vec<usize> = (0..sizes.len()).collect();
    stored(Tensor::new(sizes.to_vec(), values), &order)
}

fn words(values: Vec<i32>) -> Argument {
    stored(Tensor::new([values.len()], values), &[0])
}

/// An image of height, width and channels, channels last.
fn image([h, w, c]: [usize; 3], values: Vec<i8>) -> Argument {
    stored(Tensor::new([1, h, w, c], values), &[0, 2, 3, 1])
}

fn call(kernel: &str, arguments: &[Argument]) -> Result<Vec<i8>, String> {
    let made = Kernels.call(&format!("cortex_m::{kernel}.out"), arguments);
    made.unwrap()
        .map(|tensor| tensor.elements::<i8>().unwrap().to_vec())
}

fn ints(values: &[i64]) -> Argument {
    Argument::Ints(values.to_vec())
}

/// A factor of one, as multiplier and shift.
const ONE: [i64; 2] = [1 << 30, 1];

fn int(value: i64) -> Argument {
    Argument::Int(value)
}

/// A valid call: the kernel, its arguments, and its result.
type Valid = (&'static str, Vec<Argument>, Vec<i8>);

fn scratch() -> Argument {
    stored(Tensor::new([0], Vec::<u8>::new()), &[0])
}

/// Two channels with the factor one: multipliers and shifts.
fn ones() -> [Argument; 2] {
    [words(vec![1 << 30; 2]), words(vec![1; 2])]
}

fn convolutions() -> Vec<Valid> {
    let [multipliers, shifts] = ones();
    let conv = vec![
        image([1, 2, 2], vec![1, 2, 3, 4]),
        bytes(&[2, 1, 1, 2], vec![1, 1, 1, -1]),
        words(vec![10, 0]),
        ints(&[1, 1]),
        ints(&[0, 0]),
        ints(&[1, 1]),
        int(0),
        int(5),
        multipliers,
        shifts,
        int(-128),
        int(127),
        scratch(),
        image([1, 2, 2], vec![0; 4]),
    ];
    let [multipliers, shifts] = ones();
    let depthwise = vec![
        image([1, 2, 2], vec![1, 2, 3, 4]),
        bytes(&[1, 1, 2, 2], vec![1, 2, 1, 2]),
        Argument::None,
        ints(&[1, 1]),
        ints(&[0, 0]),
        ints(&[1, 1]),
        int(1),
        int(0),
        int(0),
        multipliers,
        shifts,
        int(-128),
        int(127),
        scratch(),
        image([1, 1, 2], vec![0; 2]),
    ];
    vec![
        ("quantized_conv2d", conv, vec![18, 4, 22, 4]),
        ("quantized_depthwise_conv2d", depthwise, vec![4, 12]),
    ]
}

fn products_of_matrices() -> Vec<Valid> {
    let linear = vec![
        bytes(&[1, 3], vec![1, 2, 3]),
        bytes(&[2, 3], vec![1, 0, 0, 1, 1, 1]),
        words(vec![0, 1]),
        Argument::None,
        int(1),
        int(0),
        int(0),
        ints(&[ONE[0]]),
        ints(&[ONE[1]]),
        int(127),
        int(-128),
        bytes(&[1, 2], vec![0; 2]),
    ];
    let products = vec![
        bytes(&[1, 1, 2], vec![1, 2]),
        int(0),
        bytes(&[1, 2, 2], vec![1, 0, 1, 1]),
        int(0),
        int(0),
        int(ONE[0]),
        int(ONE[1]),
        scratch(),
        bytes(&[1, 1, 2], vec![0; 2]),
    ];
    vec![
        ("quantized_linear", linear, vec![2, 10]),
        ("quantized_batch_matmul", products, vec![1, 3]),
    ]
}

fn average_pool(is_ceil: bool) -> Valid {
    let arguments = vec![
        image([1, 3, 1], vec![1, 4, 9]),
        ints(&[1, 2]),
        ints(&[1, 1]),
        ints(&[0, 0]),
        Argument::Bool(is_ceil),
        int(0),
        int(ONE[0]),
        int(ONE[1]),
        scratch(),
        image([1, 2, 1], vec![0; 2]),
    ];
    ("quantized_avg_pool2d", arguments, vec![3, 7])
}

fn max_pool() -> Valid {
    let greatest = vec![
        image([1, 3, 1], vec![1, 4, 9]),
        ints(&[1, 2]),
        ints(&[1, 1]),
        ints(&[0, 0]),
        ints(&[1, 1]),
        Argument::Bool(false),
        int(3),
        int(3),
        int(-128),
        int(8),
        image([1, 2, 1], vec![0; 2]),
    ];
    ("quantized_max_pool2d", greatest, vec![4, 8])
}

fn pairs_of_elements() -> Vec<Valid> {
    // Both operands have the factor one half of a step twice as large; the second is repeated for each place.
    let half = [1 << 30, 0];
    let sum = vec![
        image([1, 2, 2], vec![1, 2, 3, 4]),
        int(0),
        int(half[0]),
        int(half[1]),
        bytes(&[1, 2, 1, 1], vec![10, 20]),
        int(0),
        int(-half[0]),
        int(half[1]),
        int(0),
        int(1 << 30),
        int(-18),
        int(-128),
        int(127),
        image([1, 2, 2], vec![0; 4]),
    ];
    let product = vec![
        bytes(&[3], vec![2, 3, 4]),
        int(1),
        bytes(&[3], vec![5, 6, 100]),
        int(0),
        int(0),
        int(ONE[0]),
        int(ONE[1]),
        bytes(&[3], vec![0; 3]),
    ];
    let quotient = vec![
        bytes(&[3], vec![7, 7, 7]),
        int(0),
        bytes(&[3], vec![2, 0, 1]),
        int(0),
        int(1),
        Argument::Double(1.0),
        bytes(&[3], vec![0; 3]),
    ];
    let least = vec![
        bytes(&[2, 2], vec![1, 2, 3, 4]),
        bytes(&[1, 2], vec![3, 1]),
        bytes(&[2, 2], vec![0; 4]),
    ];
    vec![
        ("quantized_add", sum, vec![-9, -18, -7, -16]),
        ("quantized_mul", product, vec![5, 12, 127]),
        // Halves are rounded away from 0, and 0 is what a divisor of 0 gives.
        ("quantized_div", quotient, vec![5, 1, 8]),
        ("minimum", least, vec![1, 1, 3, 1]),
    ]
}

fn tables_and_moves() -> Vec<Valid> {
    let table: Vec<i8> = (0..256).map(|i| (127 - i) as i8).collect();
    let looked_up = vec![
        bytes(&[3], vec![-128, 0, 127]),
        bytes(&[256], table),
        bytes(&[3], vec![0; 3]),
    ];
    let border = vec![
        image([1, 2, 1], vec![1, 2]),
        ints(&[0, 1, 0, 0]),
        ints(&[0, 0, 1, 0]),
        int(9),
        image([2, 3, 1], vec![0; 6]),
    ];
    let transposed = vec![
        bytes(&[2, 3], vec![1, 2, 3, 4, 5, 6]),
        ints(&[1, 0]),
        bytes(&[3, 2], vec![0; 6]),
    ];
    let rows = vec![
        bytes(&[1, 2], vec![5, 5]),
        int(-1),
        int(0),
        int(-128),
        int(1 << 30),
        int(20),
        int(-248),
        bytes(&[1, 2], vec![0; 2]),
    ];
    vec![
        ("quantized_activation", looked_up, vec![127, -1, -128]),
        ("pad", border, vec![9, 9, 9, 1, 2, 9]),
        ("transpose", transposed, vec![1, 4, 2, 5, 3, 6]),
        ("softmax", rows, vec![0, 0]),
    ]
}

/// A valid call of each kernel.
fn calls() -> Vec<Valid> {
    [
        convolutions(),
        products_of_matrices(),
        vec![average_pool(false), max_pool()],
        pairs_of_elements(),
        tables_and_moves(),
    ]
    .concat()
}

#[test]
fn kernels_compute_as_the_library_does() {
    for (kernel, arguments, expected) in calls() {
        assert_eq!(call(kernel, &arguments), Ok(expected), "{kernel}");
    }
}

#[test]
fn floats_become_integers_and_back() {
    let floats = |values: Vec<f32>| stored(Tensor::new([values.len()], values), &[0]);
    let step = |x: Argument, out: Argument| {
        let range = [int(1), int(-128), int(127), int(1)];
        let mut all = vec![x, Argument::Double(0.5)];
        all.extend(range);
        all.push(out);
        all
    };
    let given = vec![0.25, 0.75, 1e30, -1e30, f32::NAN];
    let quantised = call(
        "quantize_per_tensor",
        &step(floats(given), bytes(&[5], vec![0; 5])),
    );
    assert_eq!(quantised, Ok(vec![1, 3, 127, -128, 1]));
    let arguments = step(bytes(&[2], vec![3, -128]), floats(vec![0.0; 2]));
    let made = Kernels.call("cortex_m::dequantize_per_tensor.out", &arguments);
    let made = made.unwrap().unwrap();
    assert_eq!(made.elements::<f32>().unwrap(), [1.0, -64.5]);
}

#[test]
fn other_kernels_are_not_of_the_library() {
    assert!(Kernels.call("aten::add.out", &[]).is_none());
    assert!(
        Kernels
            .call("cortex_m::quantized_conv3d.out", &[])
            .is_none()
    );
}

/// What a file may have in place of an argument.
fn others() -> Vec<Argument> {
    vec![
        Argument::None,
        int(0),
        int(i64::from(i32::MIN)),
        int(i64::from(i32::MAX)),
        int(i64::MIN),
        Argument::Double(f64::NAN),
        Argument::Double(0.0),
        Argument::Bool(true),
        ints(&[]),
        ints(&[0, 0]),
        ints(&[-1, 3]),
        ints(&[i64::from(i32::MAX), i64::from(i32::MAX)]),
        ints(&[2, 2, 2, 2]),
        ints(&[i64::MAX]),
        bytes(&[0], Vec::new()),
        bytes(&[1, 2, 2, 1], vec![1; 4]),
        bytes(&[2, 2, 2], vec![1; 8]),
        image([2, 2, 2], vec![1; 8]),
        words(vec![i32::MIN, i32::MAX]),
        words(vec![1; 3]),
        stored(Tensor::new([2], vec![1.0f32, f32::NAN]), &[0]),
        stored(Tensor::new([2], vec![true, false]), &[0]),
    ]
}

#[test]
fn arguments_of_any_kind_are_taken_or_refused() {
    let mut refused = 0;
    for (kernel, arguments, _) in calls() {
        for count in 0..arguments.len() {
            assert!(
                call(kernel, &arguments[..count]).is_err(),
                "{kernel} of {count}"
            );
        }
        for place in 0..arguments.len() {
            for other in others() {
                let mut changed = arguments.clone();
                changed[place] = other;
                let key = format!("cortex_m::{kernel}.out");
                refused += usize::from(Kernels.call(&key, &changed).unwrap().is_err());
            }
        }
    }
    assert!(refused > 1_000, "{refused} are refused");
}

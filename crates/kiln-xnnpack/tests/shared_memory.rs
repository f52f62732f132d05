//! Values that share memory with others (parts of joins, views for delegates) are not overwritten.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod build;
mod device;

use kiln_check::check_elsewhere;
use kiln_eval::Tensor;
use kiln_ir::{DType, Graph, TensorData};
use kiln_xnnpack::{Options, compile};

/// Delegates write the parts of a join of rank 7, which runs outside of delegates. Then a kernel changes one part. It could
/// do so in place if the part had no other reader.
const PART_OF_A_JOIN: &str = r#"graph "part" {
  constant c0 "" f32[2, 8] = splat 100.0
  input tensor "x" [0, 1]
  input tensor "y" [0, 1]
  input tensor "i" [0]
  output tensor
  output tensor
  block b0 (%0 "x": f32[4, 8], %1 "y": f32[4, 8], %2 "i": i64[2]) {
    %3: f32[4, 8] = unary %0 {f=tanh}
    %4: f32[4, 8] = unary %1 {f=sigmoid}
    %5: f32[1, 1, 1, 1, 1, 4, 8] = move %3 {movement=(a:4 b:8 -> 1 1 1 1 1 a b)}
    %6: f32[1, 1, 1, 1, 1, 4, 8] = move %4 {movement=(a:4 b:8 -> 1 1 1 1 1 a b)}
    %7: f32[2, 1, 1, 1, 1, 4, 8] = concat %5, %6 {axis=0}
    %8: f32[2, 8] = constant {value=c0}
    %9: f32[4, 8] = index_put %3, %8, %2 {axis=0, accumulate=false}
    return %7, %9
  }
}"#;

/// Blocks read slices of a kernel's result, which another kernel changes between the slices and the blocks.
const VIEWS_OF_WHAT_CHANGES: &str = r#"graph "views" {
  constant c0 "" f32[2, 8] = splat 100.0
  constant c1 "" f32[8, 8] = splat 0.125
  input tensor "x" [0, 1]
  input tensor "y" [0, 1]
  input tensor "i" [0]
  output tensor
  output tensor
  block b0 (%0 "x": f32[4, 8], %1 "y": f32[4, 8], %2 "i": i64[2]) {
    %3: f32[8, 8] = constant {value=c1}
    %4: f32[4, 8] = scan %0 {f=sum, axis=0}
    %5: f32[1, 8] = slice %4 {axis=0, start=0, len=1, step=1}
    %6: f32[1, 8] = slice %4 {axis=0, start=1, len=1, step=1}
    %7: f32[2, 8] = constant {value=c0}
    %8: f32[4, 8] = index_put %4, %7, %2 {axis=0, accumulate=false}
    %9: f32[1, 8] = linear %5, %3 {}
    %10: f32[1, 8] = unary %9 {f=tanh}
    %11: f32[1, 8] = linear %6, %3 {}
    %12: f32[1, 8] = unary %11 {f=tanh}
    %13: f32[2, 8] = concat %10, %12 {axis=0}
    return %13, %8
  }
}"#;

fn inputs() -> Vec<Tensor> {
    let rows = |seed| Tensor::from(build::tensor(seed, DType::F32, &[4, 8]));
    let index = [0i64, 1].map(kiln_ir::Scalar::Int);
    let index = TensorData::from_scalars(DType::I64, vec![2], index);
    vec![rows(1), rows(2), Tensor::from(index)]
}

#[test]
fn what_shares_memory_stays_as_it_was() {
    let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
        return;
    };
    let options = Options {
        cached_bytes: 0,
        ..Options::default()
    };
    for text in [PART_OF_A_JOIN, VIEWS_OF_WHAT_CHANGES] {
        let graph: Graph = kiln_ir::text::parse(text).unwrap();
        let regions = compile(&graph, &options).unwrap();
        let found = device::run(&runner, &graph, regions, &inputs());
        check_elsewhere(&graph, &inputs(), &found)
            .unwrap_or_else(|e| panic!("{}: {e}", graph.name));
    }
}

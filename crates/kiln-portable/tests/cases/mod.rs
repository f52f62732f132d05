//! Graphs of every family, and inputs for them.

mod embedding;
mod windows;

use kiln_eval::Tensor;
use kiln_ir::tensor::TensorData;
use kiln_ir::{DType, Dim, Graph, Scalar};

/// A graph, and the sizes of its symbols in each run.
pub struct Case {
    pub name: &'static str,
    pub text: String,
    /// For each run, symbols by name with their values.
    pub runs: Vec<Vec<(&'static str, i64)>>,
}

impl Case {
    pub fn graph(&self) -> Graph {
        let graph = kiln_ir::text::parse(&self.text)
            .unwrap_or_else(|e| panic!("{}: {e:?}\n{}", self.name, self.text));
        assert_eq!(kiln_ir::verify::verify(&graph), Ok(()), "{}", self.name);
        graph
    }
}

/// The text of a graph of one block, from its declarations, the types of its parameters, its lines and its results.
pub fn graph_text(head: &str, params: &[&str], lines: &[&str], results: &[u32]) -> String {
    let mut text = format!("graph \"forward\" {{\n{head}");
    for (i, param) in params.iter().enumerate() {
        let inside = &param[param.find('[').unwrap()..param.find(']').unwrap()];
        let rank = if inside.len() == 1 {
            0
        } else {
            inside.split(',').count()
        };
        let order: Vec<String> = (0..rank).map(|a| a.to_string()).collect();
        text += &format!("  input tensor \"x{i}\" [{}]\n", order.join(", "));
    }
    text += &"  output tensor\n".repeat(results.len());
    let declared: Vec<String> = params
        .iter()
        .enumerate()
        .map(|(i, p)| format!("%{i}: {p}"))
        .collect();
    text += &format!("  block b0 ({}) {{\n", declared.join(", "));
    lines.iter().for_each(|l| text += &format!("    {l}\n"));
    let results: Vec<String> = results.iter().map(|r| format!("%{r}")).collect();
    text + &format!("    return {}\n  }}\n", results.join(", "))
}

fn case(name: &'static str, head: &str, params: &[&str], lines: &[&str], results: &[u32]) -> Case {
    Case {
        name,
        text: graph_text(head, params, lines, results) + "}\n",
        runs: vec![vec![], vec![]],
    }
}

/// Pseudo-random numbers, the same for each seed. They are small, so that sums are exact in every dtype.
fn numbers(dtype: DType, count: usize, seed: u64) -> Vec<Scalar> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as i64
    };
    (0..count)
        .map(|_| match dtype {
            DType::Bool => Scalar::Bool(next() % 2 == 0),
            DType::U8 => Scalar::Int(next() % 7),
            _ if dtype.is_int() => Scalar::Int(next() % 4),
            _ => Scalar::Float((next() % 65 - 32) as f64 / 8.0),
        })
        .collect()
}

/// Inputs for a graph with the given sizes. Integers lie in 0..4, so that they are valid indices.
pub fn inputs_of(graph: &Graph, sizes: &[(&str, i64)], seed: u64) -> Vec<Tensor> {
    let value = |dim: &Dim| {
        let of = |s| {
            let name = &graph.symbols.get(s).name;
            sizes.iter().find(|(n, _)| n == name).map(|&(_, v)| v)
        };
        usize::try_from(dim.evaluate(&of).unwrap()).unwrap()
    };
    let params = graph.block(graph.root()).params.iter().enumerate();
    params
        .map(|(i, &param)| {
            let ty = graph.ty(param);
            let sizes: Vec<usize> = ty.shape.iter().map(value).collect();
            let count = sizes.iter().product();
            let elements = numbers(ty.dtype, count, seed * 31 + i as u64 + 1);
            Tensor::from(&TensorData::from_scalars(ty.dtype, sizes, elements))
        })
        .collect()
}

/// Every case.
pub fn all() -> Vec<Case> {
    let mut cases = elementwise();
    cases.extend(moving());
    cases.extend(folding());
    cases.extend(windows::windows());
    cases.extend(windows::indexing());
    cases.extend(windows::samples());
    cases.extend(embedding::tables());
    cases.push(embedding::from_the_end());
    cases.extend(distances());
    cases.extend(sizes());
    cases.extend(empty());
    cases.extend(state());
    cases.extend(control());
    cases
}

fn elementwise() -> Vec<Case> {
    let unary = |name, f: &str, dtype: &str| {
        let line = format!("%1: {dtype}[2, 3] = unary %0 {{f={f}}}");
        case(name, "", &[&format!("{dtype}[2, 3]")], &[&line], &[1])
    };
    let binary = |name, f: &str, dtype: &str| {
        let ty = format!("{dtype}[2, 3]");
        let line = format!("%2: {ty} = binary %0, %1 {{f={f}}}");
        case(name, "", &[&ty, &format!("{dtype}[2, 1]")], &[&line], &[2])
    };
    vec![
        unary("sign", "sign", "f32"),
        unary("square", "square", "i32"),
        unary("clamp", "clamp[-1.5, 2]", "f16"),
        unary("relu", "clamp[0, none]", "f32"),
        unary("clamp_beyond_u8", "clamp[-5, 3]", "u8"),
        unary("clamp_beyond_i8", "clamp[-300, 1]", "i8"),
        unary("clamp_beyond_i32", "clamp[none, 1099511627776]", "i32"),
        unary("gelu_tanh", "gelu_tanh", "f32"),
        unary("bit_not", "bit_not", "bool"),
        binary("add", "add", "i64"),
        binary("atan2", "atan2", "f64"),
        binary("max", "max", "u8"),
        case(
            "remainder_of_negatives",
            "  constant c0 \"\" i64[1] = [-4]\n  constant c1 \"\" i64[1] = [3]\n",
            &["i64[6]"],
            &[
                "%1: i64[1] = constant {value=c0}",
                "%2: i64[1] = constant {value=c1}",
                "%3: i64[6] = binary %0, %1 {f=add}",
                "%4: i64[6] = binary %3, %2 {f=remainder}",
                "%5: i64[6] = binary %3, %2 {f=floor_div}",
                "%6: i64[6] = binary %3, %2 {f=pow}",
            ],
            &[3, 4, 5, 6],
        ),
        case(
            "scalars",
            "  constant c0 \"\" f32[1, 1] = [2.5]\n",
            &["f32[2, 3]"],
            &[
                "%1: f32[1, 1] = constant {value=c0}",
                "%2: f32[2, 3] = binary %1, %0 {f=sub}",
                "%3: f32[2, 3] = binary %0, %1 {f=div}",
                "%4: bool[2, 3] = compare %1, %0 {f=lt}",
                "%5: f32[2, 3] = select %4, %2, %3 {}",
            ],
            &[2, 3, 4, 5],
        ),
        case(
            "repetition_is_read_in_place",
            "",
            &["f32[1, 3]", "f32[2, 1]"],
            &[
                "%2: f32[2, 3] = broadcast %0 {shape=[2, 3]}",
                "%3: f32[2, 3] = broadcast %1 {shape=[2, 3]}",
                "%4: f32[2, 3] = binary %2, %3 {f=mul}",
                "%5: f32[2, 3] = unary %2 {f=exp}",
            ],
            &[4, 5],
        ),
        case(
            "rounded_to_integers",
            "  constant c0 \"huge\" f64[1, 1] = [1e300]\n  constant c1 \"large\" f32[1, 1] = [3e6]\n",
            &["f64[3, 40]", "f32[3, 40]"],
            &[
                "%2: f64[3, 40] = unary %0 {f=round}",
                "%3: f32[3, 40] = cast %2 {to=f32}",
                "%4: f32[3, 40] = unary %3 {f=clamp[-3, 2]}",
                "%5: i8[3, 40] = cast %4 {to=i8}",
                "%6: f32[3, 40] = unary %1 {f=clamp[-3, 2]}",
                "%7: f32[3, 40] = unary %6 {f=round}",
                "%8: i64[3, 40] = cast %7 {to=i64}",
                "%9: f64[1, 1] = constant {value=c0}",
                "%10: f64[3, 40] = binary %0, %9 {f=mul}",
                "%11: f64[3, 40] = unary %10 {f=round}",
                "%12: f64[3, 40] = unary %11 {f=clamp[-128, 127]}",
                "%13: i8[3, 40] = cast %12 {to=i8}",
                "%14: f32[1, 1] = constant {value=c1}",
                "%15: f32[3, 40] = binary %1, %14 {f=mul}",
                "%16: f32[3, 40] = unary %15 {f=round}",
                "%17: f32[3, 40] = unary %16 {f=clamp[0, 255]}",
                "%18: u8[3, 40] = cast %17 {to=u8}",
                "%19: f32[3, 40] = unary %1 {f=round}",
                "%20: f64[3, 40] = cast %1 {to=f64}",
            ],
            &[5, 8, 13, 18, 19, 20],
        ),
    ]
}

fn moving() -> Vec<Case> {
    vec![
        case(
            "movements",
            "",
            &["f32[3, 4, 5]"],
            &[
                "%1: f32[2, 15, 2] = move %0 {movement=(a:3 (b:2 c:2) d:5 -> c (a d) b)}",
                "%2: f32[12, 5] = move %0 {movement=(a:3 b:4 c:5 -> (a b) c)}",
                "%3: f32[12, 5] = unary %2 {f=neg}",
                "%4: f32[3, 4, 5] = reverse %0 {axes=[0, 2]}",
                "%5: f32[3, 2, 5] = slice %4 {axis=1, start=1, len=2, step=2}",
                "%6: f32[3, 6, 5] = concat %5, %0 {axis=1}",
            ],
            &[1, 3, 5, 6],
        ),
        case(
            "paddings",
            "",
            &["f32[1, 2, 4, 5]"],
            &[
                "%1: f32[1, 4, 4, 8] = pad %0 {low=[0, 1, 0, 2], high=[0, 1, 0, 1], mode=circular}",
                "%2: f32[1, 2, 5, 8] = pad %0 {low=[0, 0, 1, 2], high=[0, 0, 0, 1], mode=reflect}",
                "%3: f32[1, 5, 4, 5] = pad %0 {low=[0, 2, 0, 0], high=[0, 1, 0, 0], mode=replicate}",
                "%4: f32[1, 2, 4, 6] = pad %0 {low=[0, 0, 0, 0], high=[0, 0, 0, 1], mode=constant 1.5}",
            ],
            &[1, 2, 3, 4],
        ),
    ]
}

fn folding() -> Vec<Case> {
    vec![
        case(
            "reductions",
            "",
            &["f32[3, 4, 5]", "bool[3, 4]"],
            &[
                "%2: f32[1, 4, 1] = reduce %0 {f=sum, axes=[0, 2]}",
                "%3: f32[3, 1, 1] = reduce %0 {f=max, axes=[1, 2]}",
                "%4: f32[3, 1, 5] = reduce %0 {f=mean, axes=[1]}",
                "%5: bool[3, 1] = reduce %1 {f=all, axes=[1]}",
                "%6: bool[1, 4] = reduce %1 {f=any, axes=[0]}",
                "%7: f32[1, 4, 1] = reduce %0 {f=prod, axes=[0, 2]}",
                "%8: i64[3, 1, 5] = arg_reduce %0 {f=min, axis=1}",
                "%9: f32[3, 4, 5] = scan %0 {f=sum, axis=1}",
                "%10: f32[3, 4, 5] = reduce %0 {f=sum, axes=[]}",
            ],
            &[2, 3, 4, 5, 6, 7, 8, 9, 10],
        ),
        case(
            "extremes_and_positions",
            "",
            &["f32[3, 4, 5]", "i64[3, 4]"],
            &[
                "%2: f32[3, 1, 5] = reduce %0 {f=max, axes=[1]}",
                "%3: i64[3, 1, 5] = arg_reduce %0 {f=max, axis=1}",
                "%4: i64[1, 4] = arg_reduce %1 {f=min, axis=0}",
                "%5: i64[1, 4] = reduce %1 {f=min, axes=[0]}",
                "%6: i64[3, 4, 1] = arg_reduce %0 {f=max, axis=2}",
            ],
            &[2, 3, 4, 5, 6],
        ),
        case(
            "products",
            "",
            &[
                "f32[2, 1, 3, 4]",
                "f32[1, 5, 4, 2]",
                "f32[4]",
                "f32[3, 4]",
                "f32[3]",
            ],
            &[
                "%5: f32[2, 5, 3, 2] = matmul %0, %1 {}",
                "%6: f32[3] = linear %2, %3, %4 {}",
                "%7: f32[2, 1, 3, 3] = linear %0, %3 {}",
                "%8: f32[3, 4] = softmax %3 {axis=0, log=false}",
                "%9: f32[3, 4] = normalize %3 {kind=layer 1, eps=1e-05}",
                "%10: f32[2, 1, 3, 4] = normalize %0 {kind=group 1, eps=1e-05}",
            ],
            &[5, 6, 7, 8, 9, 10],
        ),
        case(
            "orders",
            "",
            &["f32[3, 7]"],
            &[
                "%1: f32[3, 2], %2: i64[3, 2] = top_k %0 {axis=1, k=2, largest=true}",
                "%3: f32[3, 7], %4: i64[3, 7] = sort %0 {axis=1, descending=false}",
            ],
            &[1, 3],
        ),
    ]
}

fn sizes() -> Vec<Case> {
    let dynamic = |name, head: &str, params: &[&str], lines: &[&str], results: &[u32], runs| Case {
        runs,
        ..case(name, head, params, lines, results)
    };
    vec![
        dynamic(
            "views_of_open_sizes",
            "  symbol s0 in 2..=8\n  symbol s1 in 2..=5\n",
            &["f32[s0, s1, 6]"],
            &[
                "%1: f32[s0*s1, 6] = move %0 {movement=(a:{s0} b:{s1} c:6 -> (a b) c)}",
                "%2: f32[s0*s1, 6] = softmax %1 {axis=1, log=false}",
                "%3: f32[s1, 6*s0] = move %0 {movement=(a:{s0} b:{s1} c:6 -> b (a c))}",
                "%4: i64[] = dim_value {dim=s0*s1 + floordiv(3*s0, 2) - mod(s1, 3)}",
                "%5: f32[s1, s0, 6] = move %0 {movement=(a:{s0} b:{s1} c:6 -> b a c)}",
            ],
            &[2, 3, 4, 5],
            vec![
                vec![("s0", 3), ("s1", 4)],
                vec![("s0", 2), ("s1", 2)],
                vec![("s0", 8), ("s1", 5)],
            ],
        ),
        dynamic(
            "sizes_that_follow",
            "  symbol s0 in 2..=8\n",
            &["f32[2*s0 + 1, 4]"],
            &[
                "%1: f32[s0 + 1, 4] = slice %0 {axis=0, start=s0, len=s0 + 1, step=1}",
                "%2: f32[s0] = iota {len=s0, dtype=f32}",
                "%3: f32[2*s0 + 1, 4] = binary %0, %0 {f=add}",
            ],
            &[1, 2, 3],
            vec![vec![("s0", 3)], vec![("s0", 8)], vec![("s0", 2)]],
        ),
        dynamic(
            "counted_when_running",
            "  symbol s0 in 0..=8\n  symbol u0 in 0..\n",
            &["f32[s0, 4]"],
            &[
                "%1: i64[u0, 2] = non_zero %0 {count=u0}",
                "%2: f32[u0, 2] = cast %1 {to=f32}",
                "%3: f32[1, 2] = reduce %2 {f=sum, axes=[0]}",
            ],
            &[1, 3],
            vec![vec![("s0", 3)], vec![("s0", 7)]],
        ),
    ]
}

/// Graphs in which a size of 0 makes tensors or sums empty.
fn empty() -> Vec<Case> {
    let open = |name, params: &[&str], lines: &[&str], results: &[u32]| Case {
        runs: vec![vec![("s0", 3)], vec![("s0", 0)], vec![("s0", 2)]],
        ..case(name, "  symbol s0 in 0..=4\n", params, lines, results)
    };
    vec![
        open(
            "products_of_nothing",
            &[
                "f32[2, s0]",
                "f32[s0, 3]",
                "f32[3]",
                "i32[5, 2, s0]",
                "i32[5, s0, 3]",
            ],
            &[
                "%5: f32[2, 3] = matmul %0, %1 {}",
                "%6: f32[3, s0] = move %1 {movement=(a:{s0} b:3 -> b a)}",
                "%7: f32[2, 3] = linear %0, %6 {}",
                "%8: f32[2, 3] = linear %0, %6, %2 {}",
                "%9: i32[5, 2, 3] = matmul %3, %4 {}",
            ],
            &[5, 7, 8, 9],
        ),
        open(
            "extremes_of_nothing",
            &["f32[s0, 4]", "bool[s0, 4]"],
            &[
                "%2: f32[s0, 1] = reduce %0 {f=max, axes=[1]}",
                "%3: f32[s0, 1] = reduce %0 {f=min, axes=[1]}",
                "%4: bool[1, 4] = reduce %1 {f=all, axes=[0]}",
                "%5: bool[s0, 1] = reduce %1 {f=all, axes=[1]}",
                "%6: bool[1, 4] = reduce %1 {f=any, axes=[0]}",
                "%7: i64[s0, 1] = arg_reduce %0 {f=max, axis=1}",
                "%8: f32[1, 4] = reduce %0 {f=sum, axes=[0]}",
                "%9: f32[1, 4] = reduce %0 {f=prod, axes=[0]}",
            ],
            &[2, 3, 4, 5, 6, 7, 8, 9],
        ),
        open(
            "joins_of_nothing",
            &["f32[s0, 4]", "bool[2, s0, 3]"],
            &[
                "%2: f32[s0, 8] = concat %0, %0 {axis=1}",
                "%3: f32[2*s0, 4] = concat %0, %0 {axis=0}",
                "%4: bool[4, s0, 3] = concat %1, %1 {axis=0}",
                "%5: f32[1, 8] = reduce %2 {f=sum, axes=[0]}",
            ],
            &[2, 3, 4, 5],
        ),
        open(
            "softmax_of_nothing",
            &["f32[s0, 4]", "f32[4, s0]"],
            &[
                "%2: f32[s0, 4] = softmax %0 {axis=0, log=true}",
                "%3: f32[s0, 4] = softmax %0 {axis=1, log=true}",
                "%4: f32[4, s0] = softmax %1 {axis=0, log=true}",
                "%5: f32[4, s0] = softmax %1 {axis=1, log=true}",
                "%6: f32[s0, 4] = softmax %0 {axis=0, log=false}",
            ],
            &[2, 3, 4, 5, 6],
        ),
    ]
}

fn state() -> Vec<Case> {
    let two = "  constant c0 \"\" f32[2] = [5.0, 6.0]\n  constant c1 \"\" f32[2] = [1.0, 2.0]\n  state m0 \"a\" f32[2] = c0\n  state m1 \"b\" f32[2] = c1\n";
    let updated =
        |name, head: &str, params: &[&str], lines: &[&str], results: &[u32], updates: &str| Case {
            name,
            text: graph_text(head, params, lines, results) + updates + "}\n",
            runs: vec![vec![]; 4],
        };
    vec![
        updated(
            "swap",
            two,
            &["f32[2]"],
            &[
                "%1: f32[2] = read_state {cell=m0}",
                "%2: f32[2] = read_state {cell=m1}",
                "%3: f32[2] = binary %1, %0 {f=mul}",
            ],
            &[3, 2, 1],
            "  update m0 = %2\n  update m1 = %1\n",
        ),
        updated(
            "one_value_for_two_cells",
            two,
            &["f32[2]"],
            &[
                "%1: f32[2] = read_state {cell=m0}",
                "%2: f32[2] = binary %1, %0 {f=add}",
                "%3: f32[2] = read_state {cell=m1}",
            ],
            &[3, 1],
            "  update m0 = %2\n  update m1 = %2\n",
        ),
        updated(
            "cache",
            "  constant c0 \"\" f32[1, 2, 6, 3] = splat 0.5\n  state m0 \"k\" f32[1, 2, 6, 3] = c0\n",
            &["f32[1, 2, 1, 3]", "i64[1]"],
            &[
                "%2: f32[1, 2, 6, 3] = read_state {cell=m0}",
                "%3: f32[1, 2, 6, 3] = index_put %2, %0, %1 {axis=2, accumulate=false}",
                "%4: f32[1, 2, 6, 3] = binary %3, %3 {f=add}",
            ],
            &[4],
            "  update m0 = %3\n",
        ),
        updated(
            "changed_input",
            "  state m0 \"x0\" f32[2, 3] = input 0\n",
            &["f32[2, 3]", "f32[1, 3]"],
            &[
                "%2: f32[2, 3] = slice_update %0, %1 {axis=0, start=1, step=1}",
                "%3: f32[1, 3] = reduce %2 {f=sum, axes=[0]}",
            ],
            &[3],
            "  update m0 = %2\n",
        ),
        updated(
            "old_content_goes_out",
            two,
            &["f32[2]"],
            &[
                "%1: f32[2] = read_state {cell=m0}",
                "%2: f32[2] = unary %1 {f=neg}",
            ],
            &[1, 2],
            "  update m0 = %2\n",
        ),
    ]
}

fn control() -> Vec<Case> {
    let text = |body: &str| format!("graph \"forward\" {{\n{body}}}\n");
    vec![
        Case {
            name: "branch",
            text: text(BRANCH),
            runs: vec![vec![]; 6],
        },
        Case {
            name: "fibonacci",
            text: text(FIBONACCI),
            runs: vec![vec![]; 4],
        },
        Case {
            name: "branch_in_loop",
            text: text(BRANCH_IN_LOOP),
            runs: vec![vec![]; 4],
        },
    ]
}

const BRANCH: &str = r#"  input tensor "c" []
  input tensor "x" [0, 1]
  input tensor "y" [0, 1]
  output tensor
  output tensor
  output tensor
  block b1 (%0: f32[2, 3], %1: f32[2, 3]) {
    %2: f32[2, 3] = binary %0, %1 {f=add}
    %3: f32[2, 3] = unary %2 {f=exp}
    return %3, %0
  }
  block b2 (%4: f32[2, 3], %5: f32[2, 3]) {
    %6: f32[2, 3] = binary %4, %5 {f=sub}
    return %6, %6
  }
  block b0 (%7: bool[], %8: f32[2, 3], %9: f32[2, 3]) {
    %10: f32[2, 3], %11: f32[2, 3] = if %7, %8, %9 {then=b1, otherwise=b2}
    %12: f32[2, 3] = binary %10, %8 {f=mul}
    return %12, %10, %11
  }
"#;

const FIBONACCI: &str = r#"  constant c0 "" i64[] = [1]
  input tensor "n" []
  input tensor "x" [0]
  input tensor "y" [0]
  output tensor
  output tensor
  output tensor
  block b1 (%0: i64[], %1: f32[3], %2: f32[3], %3: i64[]) {
    %4: bool[] = compare %0, %3 {f=lt}
    return %4
  }
  block b2 (%5: i64[], %6: f32[3], %7: f32[3], %8: i64[]) {
    %9: i64[] = constant {value=c0}
    %10: i64[] = binary %5, %9 {f=add}
    %11: f32[3] = binary %6, %7 {f=add}
    return %10, %7, %11
  }
  block b0 (%12: i64[], %13: f32[3], %14: f32[3]) {
    %15: i64[] = constant {value=c0}
    %16: i64[], %17: f32[3], %18: f32[3] = while %15, %13, %14, %12 {condition=b1, body=b2, carried=3}
    %19: f32[3] = binary %17, %14 {f=mul}
    return %16, %19, %18
  }
"#;

const BRANCH_IN_LOOP: &str = r#"  constant c0 "" i64[] = [0]
  constant c1 "" i64[] = [1]
  constant c2 "" i64[] = [5]
  constant c3 "" f32[1] = [0.5]
  input tensor "x" [0]
  output tensor
  output tensor
  block b1 (%0: i64[], %1: f32[3]) {
    %2: i64[] = constant {value=c2}
    %3: bool[] = compare %0, %2 {f=lt}
    return %3
  }
  block b2 (%4: f32[3]) {
    %5: f32[1] = constant {value=c3}
    %6: f32[3] = binary %4, %5 {f=mul}
    return %6
  }
  block b3 (%7: f32[3]) {
    %8: f32[3] = unary %7 {f=neg}
    %9: f32[3] = binary %8, %7 {f=sub}
    return %9
  }
  block b4 (%10: i64[], %11: f32[3]) {
    %12: i64[] = constant {value=c1}
    %13: i64[] = binary %10, %12 {f=add}
    %14: i64[] = binary %13, %12 {f=bit_and}
    %15: bool[] = compare %14, %12 {f=eq}
    %16: f32[3] = if %15, %11 {then=b2, otherwise=b3}
    return %13, %16
  }
  block b0 (%17: f32[3]) {
    %18: i64[] = constant {value=c0}
    %19: i64[], %20: f32[3] = while %18, %17 {condition=b1, body=b4, carried=2}
    return %20, %17
  }
"#;

fn distances() -> Vec<Case> {
    vec![case(
        "distances",
        "",
        &["f32[2, 3, 4]", "f32[2, 5, 4]", "f64[2, 3]", "f64[1, 3]"],
        &[
            "%4: f32[2, 3, 5] = distances %0, %1 {p=0.0}",
            "%5: f32[2, 3, 5] = distances %0, %1 {p=1.0}",
            "%6: f32[2, 3, 5] = distances %0, %1 {p=2.0}",
            "%7: f32[2, 3, 5] = distances %0, %1 {p=3.0}",
            "%8: f64[2, 1] = distances %2, %3 {p=2.0}",
        ],
        &[4, 5, 6, 7, 8],
    )]
}

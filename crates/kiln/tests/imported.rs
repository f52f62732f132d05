//! Small archives with features of exports other than plain calls. `archives/make.py` writes them.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln::evaluator::run_graph;
use kiln::import::import_archive;
use kiln::model::Model;
use kiln_check::{Ran, Side, difference_elsewhere};
use kiln_eval::Tensor;
use kiln_ir::{Op, TensorData};
use kiln_pt2::Archive;
use kiln_target::{Role, Runs};
use kiln_testing::corpus::Corpus;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveWriter};
use std::io::Write;
use std::path::PathBuf;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/archives")
        .join(name)
}

/// The results of the first call are PyTorch's, as near as the graph's sensitivity to rounding explains. The results of
/// later calls, whose state is exact in these archives, are equal.
fn check(name: &str) {
    let path = file(&format!("{name}.pt2"));
    let graph = Model::open(&path).unwrap().graph(&path, "forward").unwrap();
    let golden = Runs::read(&file(&format!("{name}.safetensors"))).unwrap();
    let found = run_graph(&graph, &golden, golden.count()).unwrap();
    let of = |runs: &Runs, run: usize, role: Role| -> Ran {
        let tensors = golden.positions(run, role);
        let tensors = tensors.map(|i| Tensor::from(runs.get(run, role, i).unwrap()));
        tensors.collect()
    };
    for run in 0..golden.count() {
        let [ours, theirs] = [&found, &golden].map(|runs| of(runs, run, Role::Output));
        assert!(!theirs.is_empty(), "{name} run {run}");
        if run > 0 {
            assert_eq!(ours, theirs, "{name} run {run}");
            continue;
        }
        let own = Side {
            graph: &graph,
            ran: &ours,
        };
        let apart = difference_elsewhere(own, &theirs, &of(&golden, run, Role::Input));
        assert_eq!(apart, None, "{name}");
    }
}

#[test]
fn long_recurrences_give_what_pytorch_gives() {
    check("long");
}

#[test]
fn branches_and_state_are_named_by_what_they_are() {
    check("branch");
    let path = file("branch.pt2");
    let graph = Model::open(&path).unwrap().graph(&path, "forward").unwrap();
    let names = |op: &str| -> Vec<String> {
        let nodes = graph
            .blocks()
            .flat_map(|(block, _)| graph.nodes_in(block).map(|(id, _)| id));
        let of_op = nodes.filter(|&id| graph.node(id).op.name() == op);
        let named = of_op.flat_map(|id| kiln_transforms::framework::pass::names(&graph, id));
        named.collect()
    };
    assert_eq!(names("if"), ["cond"]);
    assert_eq!(names("read_state"), ["total"]);
}

/// The archive of a branch whose blocks take a buffer in place of the input. The program writes the buffer behind the branch.
fn branch_on_a_buffer() -> Archive {
    let bytes = std::fs::read(file("branch.pt2")).unwrap();
    let zip = ZipArchive::from_slice(&bytes).unwrap();
    let mut made = ZipArchiveWriter::new(Vec::new());
    for record in zip.entries() {
        let record = record.unwrap();
        let name = String::from_utf8(record.file_path().as_bytes().to_vec()).unwrap();
        let entry = zip.get_entry(record.wayfinder()).unwrap();
        let mut data = entry.data().to_vec();
        if name.ends_with("models/model.json") {
            let mut program: serde_json::Value = serde_json::from_slice(&data).unwrap();
            let nodes = program["graph_module"]["graph"]["nodes"].as_array_mut();
            let is_cond =
                |node: &&mut serde_json::Value| node["target"] == "torch.ops.higher_order.cond";
            let cond = nodes.unwrap().iter_mut().find(is_cond).unwrap();
            let operands = &mut cond["inputs"][3]["arg"]["as_tensors"];
            assert_eq!(operands[0]["name"], "x");
            operands[0]["name"] = "b_total".into();
            data = serde_json::to_vec(&program).unwrap();
        }
        let file = made
            .new_file(&name)
            .compression_method(CompressionMethod::STORE);
        let (mut entry, config) = file.start().unwrap();
        let mut writer = config.wrap(&mut entry);
        writer.write_all(&data).unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    Archive::from_bytes(made.finish().unwrap().into()).unwrap()
}

/// A branch reads what the buffer holds, and not what it held at the export.
#[test]
fn a_branch_reads_the_buffer_as_it_is() {
    let archive = branch_on_a_buffer();
    let graph = import_archive(&archive, "forward", Default::default()).unwrap();
    let x = TensorData::from_f32(vec![2, 3], &[1.0; 6]);
    let mut inputs = Runs::default();
    (0..2).for_each(|run| {
        inputs.insert(run, Role::Input, 0, x.clone());
    });
    let found = run_graph(&graph, &inputs, 2).unwrap();
    let of = |run: usize| -> Vec<f64> {
        let output = found.get(run, Role::Output, 0).unwrap();
        output.scalars().map(|x| x.as_f64()).collect()
    };
    // `total` is 0 at first, and then what the first run left: half of its output. Weights and bias are those of `yes`.
    let tensor = |name: &str| -> Vec<f64> {
        let bytes = archive.tensor(name).unwrap().to_contiguous();
        let (numbers, _) = bytes.as_chunks::<4>();
        numbers
            .iter()
            .map(|b| f64::from(f32::from_le_bytes(*b)))
            .collect()
    };
    let (weight, bias) = (tensor("yes.weight"), tensor("yes.bias"));
    let mut total = vec![0.0; 6];
    for run in 0..2 {
        let layer = |i: usize| {
            let row = &total[i / 3 * 3..][..3];
            let products = row.iter().zip(&weight[i % 3 * 3..]).map(|(a, b)| a * b);
            (products.sum::<f64>() + bias[i % 3]).max(0.0)
        };
        let next: Vec<f64> = (0..6).map(|i| total[i] + layer(i)).collect();
        total = next;
        for (found, total) in of(run).iter().zip(&total) {
            assert!(
                (found - 2.0 * total).abs() < 1e-6,
                "run {run}: {found} and {}",
                2.0 * total
            );
        }
    }
}

/// A weight that is dequantised for a branch is known in the branch.
#[test]
fn dequantised_weights_are_known_in_branches() {
    let Some(case) = Corpus::open()
        .unwrap()
        .suite("tosa_int")
        .unwrap()
        .case("cond_conv1d_branches")
        .cloned()
    else {
        return;
    };
    let path = case.file("pt2");
    let graph = Model::open(&path).unwrap().graph(&path, "forward").unwrap();
    let branch = graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
    let branch = branch
        .map(|(_, node)| node)
        .find(|node| matches!(node.op, Op::If(_)));
    // The condition, and the image.
    assert_eq!(branch.unwrap().operands.len(), 2);
}

#[test]
fn graphs_that_only_switch_modes_are_read_in_place() {
    check("wrapped");
}

#[test]
fn tensors_that_wrap_others_are_read_as_what_they_wrap() {
    check("subclasses");
    check("pairs");
}

#[test]
fn complex_constants_are_read_as_their_parts() {
    check("rotary");
}

#[test]
fn buffers_that_share_memory_see_what_each_is_given() {
    check("cache");
}

#[test]
fn a_write_to_memory_that_no_buffer_covers_is_refused() {
    let path = file("overlapping.pt2");
    let error = Model::open(&path).unwrap().graph(&path, "forward");
    let message = format!("{:#}", error.unwrap_err());
    assert!(message.contains("shares memory with b"), "{message}");
}

#[test]
fn autocast_is_refused_with_what_to_do() {
    let path = file("autocast.pt2");
    let error = Model::open(&path).unwrap().graph(&path, "forward");
    let message = format!("{:#}", error.unwrap_err());
    assert!(message.contains("run_decompositions"), "{message}");
}

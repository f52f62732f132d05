//! C projects, from the archive to what a compiler's program computes.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod trial;

use kiln::compiler::{Compiled, Job, compile};
use kiln_ir::{DType, Scalar, TensorData};
use kiln_target::{Declared, Loading, Role, Runs, Size};
use kiln_testing::corpus::Corpus;
use kiln_testing::part;
use kiln_testing::place::Place;
use std::path::Path;
use std::process::Command;
use trial::Trial;

/// Of the suite of operators, every so many cases are built.
const STEP: usize = 5;

fn compiled(archive: &Path, target: &str) -> anyhow::Result<Compiled> {
    compile(&Job::new(archive, target.parse().unwrap()))
}

/// Inputs of two runs, as the project takes them: integers of all sizes, or floats around 0.
fn inputs(compiled: &Compiled) -> Runs {
    let mut state = 1u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        i64::from(state >> 24) - 128
    };
    let mut runs = Runs::default();
    let signature = compiled.artifact.signature("forward").unwrap();
    for run in 0..2 {
        for input in &signature.inputs {
            let sizes = input.sizes.iter().map(|size| match size {
                Size::Exactly(size) => *size,
                other => panic!("{other:?}"),
            });
            let (sizes, dtype) = (sizes.collect::<Vec<_>>(), input.dtype.unwrap());
            let elements = sizes.iter().product::<usize>();
            let scalar = |number: i64| match dtype {
                DType::F32 => Scalar::Float(number as f64 / 32.0),
                _ => Scalar::Int(number),
            };
            let data =
                TensorData::from_scalars(dtype, sizes, (0..elements).map(|_| scalar(next())));
            runs.insert(run, Role::Input, input.position, data);
        }
    }
    runs
}

/// The inputs, and what the evaluator gives for them, as users give both.
fn evaluated(compiled: &Compiled) -> Runs {
    let mut golden = inputs(compiled);
    let mut evaluator = compiled
        .artifact
        .load("forward", &Loading::default())
        .unwrap();
    let made = evaluator
        .run(&golden, golden.count(), None)
        .unwrap()
        .results;
    for (run, position, data) in made.all(Role::Output) {
        golden.insert(run, Role::Output, position, data.clone());
    }
    let signature = compiled.artifact.signature("forward").unwrap();
    let mut given = golden.clone();
    for (role, all) in [
        (Role::Input, &signature.inputs),
        (Role::Output, &signature.outputs),
    ] {
        for (run, position, data) in golden.all(role) {
            let mut all = all.iter();
            let declared: Option<&Declared> = all.find(|declared| declared.position == position);
            if let Some(order) = &declared.unwrap().order {
                given.insert(run, role, position, order.outward(data).unwrap());
            }
        }
    }
    given
}

/// What outside checks compile with.
const STRICT: &str = "cc -Wall -Wextra -Werror -Wconversion -Wshadow -Wstrict-prototypes -fsanitize=address,undefined \
                      -fno-sanitize-recover=all";

/// Writes the project to a folder, and runs it there with poisoned memory: it computes what the evaluator does, to the bit.
fn check(name: &str, compiled: &Compiled, runtime: &str) {
    let place = Path::new("c_projects").join(runtime).join(name);
    let place = Place::of(&place).unwrap();
    let (project, golden) = (
        place.path().join("net"),
        place.path().join("golden.safetensors"),
    );
    compiled.artifact.write(&project).unwrap();
    evaluated(compiled).write(&golden).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    let command = command
        .arg("run")
        .arg(&project)
        .arg("--expect")
        .arg(&golden);
    let exact = [
        "--rtol",
        "0",
        "--atol",
        "0",
        "--poison",
        "--runtime",
        runtime,
    ];
    let output = command.args(exact).env("CC", STRICT).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {said}");
}

#[test]
fn programs_of_a_compiler_compute_what_the_evaluator_does() {
    let corpus = Corpus::open().unwrap();
    let operators = corpus.suite("cortex_m").unwrap().cases;
    let models = corpus.suite("quantised_cm").unwrap().cases;
    let cases: Vec<_> = operators.into_iter().step_by(STEP).chain(models).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let checked = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let order = std::sync::atomic::Ordering::Relaxed;
                while let Some(case) = cases.get(next.fetch_add(1, order)) {
                    // What does not compile is the conformance tables' business.
                    if let Ok(compiled) = compiled(&case.file("pt2"), "host-c") {
                        check(&case.name, &compiled, "builtin");
                        checked.fetch_add(1, order);
                    }
                }
            });
        }
    });
    let checked = checked.into_inner();
    println!("{checked} of {} cases", cases.len());
    assert!(
        checked * 10 >= cases.len() * 8,
        "{checked} of {} cases",
        cases.len()
    );
}

#[test]
fn boards_compute_what_the_evaluator_does() {
    let (Some(_), Some(_)) = (part::ARM_GCC.find(), part::QEMU_ARM.find()) else {
        return;
    };
    let models = Corpus::open().unwrap().suite("quantised_cm").unwrap().cases;
    let ds_cnn = models.iter().find(|case| case.name == "ds_cnn").unwrap();
    for target in ["cortex-m0", "cortex-m33", "cortex-m55"] {
        let compiled = compiled(&ds_cnn.file("pt2"), target).unwrap();
        check(target, &compiled, "qemu");
    }
}

#[test]
fn a_project_is_a_folder_of_its_own() {
    let trial = Trial::new();
    let path = |name: &str| trial.folder.path().join(name);
    let models = Corpus::open().unwrap().suite("quantised_cm").unwrap().cases;
    let model = models
        .iter()
        .find(|case| case.name == "deep_autoencoder")
        .unwrap();
    trial.write("model.pt2", &std::fs::read(model.file("pt2")).unwrap());
    let compile = |more: &[&str]| {
        let all = [&["compile", "model.pt2", "--target", "cortex-m4"], more].concat();
        trial.kiln(&all)
    };
    let said = |more: &[&str], status: i32| {
        let output = compile(more);
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let done = |more: &[&str]| drop(said(more, 0));
    let summary = said(&["-o", "My net/", "--report", "report.json"], 0);
    let parts = [
        " bytes of source text, called My_net (--name)",
        " bytes of constants, ",
    ];
    for part in parts {
        assert!(summary.contains(part), "no {part:?} in {summary}");
    }
    // Every limit that is exceeded names the nodes.
    let limited = said(&["-o", "small/", "--max-kernel-calls", "3"], 1);
    let of_node = "\n  linear_9, quantize_per_tensor_10 [kernel]: 1 call (";
    assert!(limited.contains(of_node), "{limited}");
    assert!(!path("small").exists());
    let read = |name: &str| std::fs::read_to_string(path(name)).unwrap();
    assert_eq!(read("My net/report.json"), read("report.json"));
    assert!(read("My net/My_net.h").contains("#define MY_NET_ARENA_BYTES"));
    let run = trial.kiln(&["run", "My net/", "--json"]);
    assert!(run.status.success(), "{run:?}");
    let inspected = trial.kiln(&["inspect", "My net", "--json"]);
    let inspected: serde_json::Value = serde_json::from_slice(&inspected.stdout).unwrap();
    assert_eq!(inspected["project"]["name"], "My_net");
    // Another project takes its place, and nothing of the older one stays.
    done(&["-o", "My net", "--name", "other"]);
    assert!(!path("My net/My_net.h").exists());
    // What the user wrote stays, and is named.
    trial.write("My net/main.c", b"int main(void) { return 0; }");
    let refused = said(&["-o", "My net/"], 1);
    assert!(
        refused.contains("holds main.c, which is not of the project; move it away"),
        "{refused}"
    );
    std::fs::remove_file(path("My net/main.c")).unwrap();
    std::fs::create_dir(path("My net/build")).unwrap();
    let refused = said(&["-o", "My net/"], 1);
    assert!(
        refused.contains("holds build, which is not of the project; move it away"),
        "{refused}"
    );
    std::fs::remove_dir(path("My net/build")).unwrap();
    for here in [".", "./"] {
        let refused = said(&["-o", here], 1);
        assert!(refused.contains("it is the current folder"), "{refused}");
    }
    // A change that keeps the size is one too.
    let other = read("My net/other.c");
    trial.write("My net/other.c", other.replace("call", "CALL").as_bytes());
    let refused = said(&["-o", "My net/"], 1);
    assert!(
        refused.contains("other.c has changed since Kiln wrote it; move it away"),
        "{refused}"
    );
    trial.write("My net/other.c", other.as_bytes());
    done(&["-o", "My net/"]);
    std::fs::create_dir(path("mine")).unwrap();
    trial.write("mine/diary", b"dear");
    let refused = said(&["-o", "mine/"], 1);
    assert!(
        refused.contains("no project of Kiln's: it holds diary"),
        "{refused}"
    );
    assert!(said(&["-o", "new"], 1).contains("end it in /"));
    assert!(said(&["-o", "new/", "--name", "a-b"], 2).contains("no C identifier"));
    assert!(said(&["-o", "new/", "--name", "NULL"], 2).contains("standard library"));
    done(&["-o", "printf/"]);
    assert!(path("printf/model_printf.h").exists());
    let over = said(&["-o", "new/", "--max-arena", "10"], 1);
    for part in [
        "the smallest arena found has 768 bytes, the budget is 10",
        "the most is held there: 768 bytes at call 0 of 10, arm_fully_connected_s8 of linear",
        "  input x: 640 bytes of i8[640]",
        "what to do: allow 768 bytes",
    ] {
        assert!(over.contains(part), "no {part:?} in\n{over}");
    }
    assert!(!path("new").exists());
}

/// A disk that takes no more leaves the folder as it was, and nothing beside it.
#[cfg(target_os = "linux")]
#[test]
fn a_write_that_fails_leaves_nothing() {
    let model = model("ds_cnn");
    for before in [false, true] {
        let trial = Trial::new();
        if before {
            let made = ["compile", &model, "--target", "cortex-m4", "-o", "net/"];
            assert!(trial.kiln(&made).status.success());
        }
        let files = || {
            let list = Command::new("find")
                .arg(trial.folder.path())
                .output()
                .unwrap();
            String::from_utf8(list.stdout).unwrap()
        };
        let found = files();
        let limited = "trap '' XFSZ; ulimit -f 20; exec \"$0\" compile \"$1\" --target cortex-m4 -o net/ --report r.json";
        let ended = Command::new("bash")
            .args(["-c", limited, env!("CARGO_BIN_EXE_kiln"), &model])
            .current_dir(trial.folder.path())
            .output()
            .unwrap();
        assert_eq!(ended.status.code(), Some(1), "{ended:?}");
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(
            said.starts_with("error: cannot write net/: File too large"),
            "{said}"
        );
        assert_eq!(files(), found);
    }
}

/// Names that look like those of kernels, of their files and of their headers build all the same.
#[test]
fn names_like_those_of_kernels_build() {
    let model = model("deep_autoencoder");
    let trial = Trial::new();
    for name in [
        "nn", "ops", "relu", "internal", "window", "kiln_net", "size",
    ] {
        let folder = format!("{name}/");
        let arguments = ["compile", &model, "--target", "host-c", "-o", &folder];
        let made = trial.kiln(&arguments);
        assert!(made.status.success(), "{made:?}");
        assert!(
            trial
                .folder
                .path()
                .join(format!("{name}/{name}.h"))
                .exists()
        );
        let run = Command::new(env!("CARGO_BIN_EXE_kiln"))
            .args(["run", &folder])
            .current_dir(trial.folder.path())
            .env("CC", STRICT)
            .output()
            .unwrap();
        assert!(
            run.status.success(),
            "{name}: {}",
            String::from_utf8_lossy(&run.stderr)
        );
    }
}

/// The path of a model of the corpus.
fn model(name: &str) -> String {
    case("quantised_cm", name)
}

/// The path of an archive of a suite.
fn case(suite: &str, name: &str) -> String {
    let cases = Corpus::open().unwrap().suite(suite).unwrap();
    cases
        .case(name)
        .unwrap()
        .file("pt2")
        .to_str()
        .unwrap()
        .to_owned()
}

/// Golden outputs of the model are floats. They are compared with a project that takes and gives integers, in steps, here and in QEMU.
#[test]
fn floats_are_compared_with_integers() {
    let model = model("ds_cnn");
    let golden = model.replace(".pt2", ".safetensors");
    let trial = Trial::new();
    let made = ["compile", &model, "--target", "cortex-m4", "-o", "net/"];
    assert!(trial.kiln(&made).status.success());
    let mut runtimes = vec!["builtin"];
    if let (Some(_), Some(_)) = (part::ARM_GCC.find(), part::QEMU_ARM.find()) {
        runtimes.push("qemu");
    }
    for runtime in runtimes {
        let run = |more: &[&str]| {
            let all = [
                &["run", "net/", "--expect", &golden, "--runtime", runtime],
                more,
            ]
            .concat();
            let output = Command::new(env!("CARGO_BIN_EXE_kiln"))
                .args(all)
                .current_dir(trial.folder.path())
                .output()
                .unwrap();
            let text = |bytes| String::from_utf8(bytes).unwrap();
            (
                output.status.code(),
                text(output.stdout),
                text(output.stderr),
            )
        };
        let (status, _, said) = run(&["--sqnr", "30"]);
        assert_eq!(status, Some(0), "{said}");
        for part in [
            "with the kernels of kiln_nn",
            "input 0 is quantised by scale 0.0078",
            "output 0 is dequantised by scale 0.0205",
            "2.00 steps of 0.0205",
        ] {
            assert!(said.contains(part), "no {part:?} in\n{said}");
        }
        // Over its layers, the model sums up to two steps, and one is allowed.
        let (status, json, _) = run(&["--json"]);
        assert_eq!(status, Some(3));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        if runtime == "qemu" {
            assert_eq!(json["kernels"], "kiln_nn");
        }
        assert_eq!(json["converted"]["inputs"][0]["zero_point"], 0);
        let steps = json["outputs"][0]["steps"].as_f64().unwrap();
        assert!((1.99..2.01).contains(&steps), "{json}");
    }
}

/// Where a project has the axes of floats in another order, users give and get them in the model's.
#[test]
fn floats_have_the_model_s_order_of_axes() {
    let trial = Trial::new();
    for (suite, name) in [
        ("transpose_counts", "up_groupnorm_channels_last_fp"),
        ("dynamic", "channels_last_input"),
    ] {
        let model = case(suite, name);
        let golden = model.replace(".pt2", ".safetensors");
        let made = ["compile", &model, "--target", "host-c", "-o", "net/"];
        assert!(trial.kiln(&made).status.success());
        let io = trial.kiln(&["inspect", "net/", "--json"]);
        let io: serde_json::Value = serde_json::from_slice(&io.stdout).unwrap();
        let order = &io["io"]["inputs"][0]["dim_order"];
        assert_eq!(*order, serde_json::json!([0, 2, 3, 1]), "{name}");
        let run = trial.kiln(&["run", "net/", "--expect", &golden]);
        assert!(run.status.success(), "{name}: {run:?}");
        // What is written is what is compared.
        let (runs, outputs) = (["run", "net/", "--inputs", &golden], "made.safetensors");
        let run = trial.kiln(&[&runs[..], &["--outputs", outputs]].concat());
        assert!(run.status.success(), "{name}: {run:?}");
        let made = Runs::read(&trial.folder.path().join(outputs)).unwrap();
        let golden = Runs::read(Path::new(&golden)).unwrap();
        for (run, position, data) in golden.all(Role::Output) {
            let made = made.get(run, Role::Output, position).unwrap();
            assert_eq!(made.sizes(), data.sizes(), "{name}");
        }
        assert!(trial.kiln(&["run", "net/"]).status.success());
    }
    // Sizes in the project's order are refused.
    let golden = trial.folder.path().join("permuted.safetensors");
    let mut permuted = Runs::default();
    let zeros = TensorData::from_f32(vec![1, 5, 6, 3], &[0.0; 90]);
    permuted.insert(0, Role::Input, 0, zeros);
    permuted.write(&golden).unwrap();
    let said = trial.refuses(
        &["run", "net/", "--inputs", "permuted.safetensors"],
        "an order",
    );
    assert!(
        said.contains("found sizes [1, 5, 6, 3], expected [1, 3, 5, 6]"),
        "{said}"
    );
}

/// A golden has the numbers that the export made constant. A project has no inputs for them.
#[test]
fn numbers_beside_the_inputs_are_not_read() {
    let trial = Trial::new();
    let model = case("dynamic", "constant_int_float_bool_inputs");
    let made = ["compile", &model, "--target", "host-c", "-o", "net/"];
    assert!(trial.kiln(&made).status.success());
    let golden = model.replace(".pt2", ".safetensors");
    let run = trial.kiln(&["run", "net/", "--expect", &golden]);
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.success(), "{said}");
    assert!(said.contains("input 1 is not read"), "{said}");
    // What is no number was meant for an input.
    let path = trial.folder.path().join("surplus.safetensors");
    let mut surplus = Runs::read(Path::new(&golden)).unwrap();
    surplus.insert(0, Role::Input, 4, TensorData::from_f32(vec![1], &[0.0]));
    surplus.write(&path).unwrap();
    let said = trial.refuses(
        &["run", "net/", "--inputs", "surplus.safetensors"],
        "a tensor more",
    );
    assert!(
        said.contains("a tensor 0.in.4 of sizes [1], but the project has no input 4; it has 0 ("),
        "{said}"
    );
}

/// Floats that a project or a program dequantises itself are judged by steps as well.
#[test]
fn dequantised_floats_are_compared_in_steps() {
    let model = model("ds_cnn");
    let golden = model.replace(".pt2", ".safetensors");
    let trial = Trial::new();
    for (output, more) in [("net/", &["--float-io"][..]), ("net.pte", &[])] {
        let made = ["compile", &model, "--target", "cortex-m4", "-o", output];
        let made = trial.kiln(&[&made, more].concat());
        assert!(made.status.success(), "{made:?}");
        let run = trial.kiln(&["run", output, "--expect", &golden, "--json"]);
        assert_eq!(run.status.code(), Some(3), "{run:?}");
        let json: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        assert!(json["converted"].is_null(), "{json}");
        let steps = json["outputs"][0]["steps"].as_f64().unwrap();
        assert!((1.99..2.01).contains(&steps), "{output}: {json}");
    }
}

/// On this machine, CMSIS-NN lacks the instructions of a core with the DSP extension.
#[test]
fn cmsis_nn_of_the_environment_is_for_cores_that_it_fits() {
    let trial = Trial::new();
    let model = model("ds_cnn");
    let made = ["compile", &model, "--target", "cortex-m4", "-o", "net/"];
    assert!(trial.kiln(&made).status.success());
    let run = Command::new(env!("CARGO_BIN_EXE_kiln"))
        .args(["run", "net/"])
        .current_dir(trial.folder.path())
        .env("CMSIS_NN_PATH", "nowhere")
        .output()
        .unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.success(), "{said}");
    assert!(
        said.contains("kiln_nn (CMSIS_NN_PATH counts with --runtime qemu"),
        "{said}"
    );
    let said = trial.refuses(&["run", "net/", "--cmsis-nn", "nowhere"], "a library");
    assert!(said.contains("the project is for cortex-m4"), "{said}");
}

/// A folder that has no CMSIS-NN is named.
#[test]
fn a_folder_without_cmsis_nn_is_refused() {
    let trial = Trial::new();
    let made = [
        "compile",
        &model("ds_cnn"),
        "--target",
        "host-c",
        "-o",
        "net/",
    ];
    assert!(trial.kiln(&made).status.success());
    let said = trial.refuses(&["run", "net/", "--cmsis-nn", "nowhere"], "no library");
    assert!(
        said.contains("nowhere/Source has no sources of CMSIS-NN"),
        "{said}"
    );
}

//! Ops of the user's libraries become calls of the kernels that the user registers with the runtime.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;

use folder::Folder;
use serde_json::Value;

const DEFAULTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/defaults.pt2");
const CUSTOM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/custom.pt2");

/// A call with an argument of each kind, as text.
const TEXT: &str = r#"graph "forward" {
  input tensor "x" [0, 1]
  input tensor "y" [0]
  output tensor
  output tensor
  block b0 (%0 "x": f32[3, 4], %1 "y": f32[2]) {
    %2: f32[3], %3: i64[2, 2] = foreign %0, %1, %0 {kernel="mine::all.out", arguments=[tensor, tensors 2, none, int 3, ints [1, 2], float 0.5, true, "a \"text\"", dtype f32], results=[f32 [3], i64 [2, 2]]}
    return %2, %3
  }
}
"#;

fn refused(folder: &Folder, arguments: &[&str]) -> String {
    let output = folder.kiln(arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn ops_of_a_namespace_are_calls_of_its_kernels() {
    let folder = Folder::with("nothing", "");
    let said = refused(&folder, &["compile", CUSTOM, "-o", "m.pte"]);
    assert!(said.contains("compile with --custom-op mine"), "{said}");
    assert!(!folder.path("m.pte").exists());

    let compile = ["compile", CUSTOM, "-o", "m.pte", "--custom-op", "mine"];
    let made = folder.kiln(&compile);
    assert!(made.status.success(), "{made:?}");
    let inspected = folder.kiln(&["inspect", "m.pte", "--json"]);
    let document: Value = serde_json::from_slice(&inspected.stdout).unwrap();
    let calls = &document["methods"][0]["kernel_calls"];
    assert_eq!(calls["mine::twice.out"], 1, "{calls}");
    assert_eq!(calls["mine::split.out"], 1, "{calls}");

    // Kiln's runtime has none of them.
    let said = refused(&folder, &["run", "m.pte"]);
    assert!(
        said.contains("there is no kernel mine::twice.out"),
        "{said}"
    );
    let other = [
        "compile",
        CUSTOM,
        "-o",
        "m.tosa",
        "--target",
        "tosa-fp",
        "--custom-op",
        "mine",
    ];
    assert!(refused(&folder, &other).contains("mine::"));
}

/// A schema that the model's op does not have would be a kernel that reads other arguments than it is given.
#[test]
fn a_schema_of_another_op_is_refused() {
    let folder = Folder::with("nothing", "");
    for (schema, says) in [
        (
            "mine::twice(int x) -> Tensor",
            "the schema's `int x` is a tensor in the model",
        ),
        (
            "mine::twice(Tensor x) -> (Tensor, Tensor)",
            "the schema has 2 results, and the model's op gives 1",
        ),
    ] {
        let custom = ["--custom-op", schema, "--custom-op", "mine"];
        let compile = ["compile", CUSTOM, "-o", "m.pte"];
        let said = refused(&folder, &[&compile[..], &custom].concat());
        assert!(said.contains(says), "{schema}: {said}");
        assert!(!folder.path("m.pte").exists());
    }
    let number = [
        "compile",
        CUSTOM,
        "-o",
        "m.pte",
        "--custom-op",
        "mine::twice(Tensor x) -> int",
    ];
    let output = folder.kiln(&number);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

/// The arguments of each call of a kernel but tensors, in words.
fn arguments(program: &kiln_pte::Program) -> Vec<Vec<String>> {
    let method = &program.methods[0];
    let value = |index: &kiln_pte::ValueIndex| match &method.values[index.index()] {
        kiln_pte::Value::Tensor(_) => "tensor".to_owned(),
        kiln_pte::Value::IntList(items) => {
            let items = items.iter().map(|item| match method.values[item.index()] {
                kiln_pte::Value::Int(int) => int.to_string(),
                ref other => other.kind().to_owned(),
            });
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        kiln_pte::Value::Double(number) => number.to_string(),
        other => other.kind().to_owned(),
    };
    let calls = method.instructions.iter().filter_map(|call| match call {
        kiln_pte::Instruction::KernelCall { args, .. } => Some(args.iter().map(value).collect()),
        _ => None,
    });
    calls.collect()
}

/// PyTorch leaves arguments at their defaults out of archives, also those that a model gives.
#[test]
fn a_schema_tells_the_arguments_that_archives_leave_out() {
    let folder = Folder::with("nothing", "");
    let compile = |custom: &str| {
        let made = folder.kiln(&["compile", DEFAULTS, "-o", "m.pte", "--custom-op", custom]);
        assert!(made.status.success(), "{made:?}");
        let program = kiln_pte::read(std::fs::read(folder.path("m.pte")).unwrap().into());
        (
            arguments(&program.unwrap()),
            String::from_utf8(made.stderr).unwrap(),
        )
    };
    let (calls, said) = compile("mine");
    assert!(
        said.contains("mine::sized.out: arguments at their defaults"),
        "{said}"
    );
    assert_eq!(calls[1][..2], ["tensor", "[2, 3]"], "{calls:?}");

    let schema =
        "mine::sized(Tensor x, float by=2.0, *, bool? flag=None, int[] sizes=[1]) -> Tensor";
    let (calls, said) = compile(schema);
    assert!(!said.contains("note: "), "{said}");
    assert_eq!(calls.len(), 2);
    // The result stands for what the kernel returns and for what it writes to.
    assert_eq!(calls[0], ["tensor", "2", "None", "[1]", "tensor", "tensor"]);
    assert_eq!(
        calls[1],
        ["tensor", "2", "None", "[2, 3]", "tensor", "tensor"]
    );

    let narrow = "mine::sized(Tensor x, float by=2.0) -> Tensor";
    let said = refused(
        &folder,
        &["compile", DEFAULTS, "-o", "n.pte", "--custom-op", narrow],
    );
    assert!(said.contains("sizes"), "{said}");
    let malformed = folder.kiln(&[
        "compile",
        DEFAULTS,
        "-o",
        "n.pte",
        "--custom-op",
        "mine::sized",
    ]);
    assert_eq!(malformed.status.code(), Some(2), "{malformed:?}");
    assert!(!folder.path("n.pte").exists());
}

#[test]
fn every_kind_of_argument_is_text_and_is_called() {
    let folder = Folder::with("m.kiln", TEXT);
    let printed = folder.kiln(&["opt", "m.kiln", "--passes", "clean"]);
    assert!(printed.status.success(), "{printed:?}");
    let printed = String::from_utf8(printed.stdout).unwrap();
    let call = TEXT.lines().find(|line| line.contains("mine::")).unwrap();
    assert!(printed.contains(call), "{printed}");
    let made = folder.kiln(&["compile", "m.kiln", "-o", "m.pte"]);
    assert!(made.status.success(), "{made:?}");

    for (from, to, why) in [
        (
            "tensors 2",
            "tensors 3",
            "the arguments take 4 tensors, found 3",
        ),
        ("mine::all.out", "all", "is not the name of a kernel"),
    ] {
        std::fs::write(folder.path("n.kiln"), TEXT.replace(from, to)).unwrap();
        let said = refused(&folder, &["compile", "n.kiln", "-o", "n.pte"]);
        assert!(said.contains(why), "{said}");
    }
}

//! Ops of the user's libraries become calls of the kernels that the user registers with the runtime.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;

use folder::Folder;
use serde_json::Value;

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
    assert!(said.contains("give --custom-op mine"), "{said}");
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
    assert!(refused(&folder, &other).contains("foreign"));
}

#[test]
fn every_kind_of_argument_is_text_and_is_called() {
    let folder = Folder::with("m.kiln", TEXT);
    let printed = folder.kiln(&["opt", "m.kiln", "--passes", "clean"]);
    assert!(printed.status.success(), "{printed:?}");
    let printed = String::from_utf8(printed.stdout).unwrap();
    let call = TEXT.lines().find(|line| line.contains("foreign")).unwrap();
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

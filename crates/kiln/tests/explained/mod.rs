//! A model of which a delegate takes all but a look-up, in a folder of its own.

use crate::folder::Folder as Trial;

pub const MODEL: &str = r#"graph "forward" {
  constant c0 "table" f32[5, 4] = splat 0.5
  constant c1 "w" f32[4, 4] = splat 0.25
  input tensor "ids" [0]
  output tensor
  source l0 "embedding" "aten.embedding.default" "tokens" "model.py:7 in forward: x = self.tokens(ids)"
  source l1 "linear" "aten.linear.default" "head" ""
  source l2 "exp" "aten.exp.default" "head" ""
  block b0 (%0 "ids": i64[3]) {
    %1: f32[5, 4] = constant {value=c0}
    %2: f32[4, 4] = constant {value=c1}
    %3: f32[3, 4] = index %1, %0 {axis=0, from_start=false} @ l0
    %4: f32[3, 4] = linear %3, %2 {} @ l1
    %5: f32[3, 4] = unary %4 {f=exp} @ l2
    %6: f32[4, 3] = move %5 {movement=(a:3 b:4 -> b a)} @ l2
    return %6
  }
}
"#;

impl Trial {
    pub fn new() -> Trial {
        Trial::with("model.kiln", MODEL)
    }

    pub fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.kiln(arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

/// The page of the model.
pub fn page(trial: &Trial) -> String {
    trial.stdout(&["explain", "model.kiln", "--html", "page.html"]);
    std::fs::read_to_string(trial.path("page.html")).unwrap()
}

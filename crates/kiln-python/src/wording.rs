//! Messages that name options and tensors of the command line, in the words of Python: `--dim n==8` is `sizes={'n': 8}` there.

use regex_lite::{Captures, Regex};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::LazyLock;

/// How tensors and options are written in messages, and the same in a call. The more closely described come first.
const ARGUMENTS: [(&str, &str); 17] = [
    (
        r"run (\d+) has no tensor \d+\.in\.\d+ for input (.+?); add it",
        "input $2 of run $1 is no tensor; give one",
    ),
    (r"tensor \d+\.in\.\d+ of input", "input"),
    (r"tensor (\d+)\.in\.(\d+)", "input $2 of run $1"),
    (r"--dim (\w+)==(\w+)", "sizes={'$1': $2}"),
    (r"--dim (\w+)(?:<=|=)(\w+)", "bounds={'$1': $2}"),
    (r"--dim\b", "sizes"),
    (r"--(quantize) (int8-dynamic|int8|int4)\b", "$1='$2'"),
    (r"--(precision) (bf16|f16|f32)\b", "$1='$2'"),
    (r"--(half) (native|f32)\b", "$1='$2'"),
    (r"--(target) ([a-z]+(?:-[a-z0-9]+)+|xnnpack)", "$1='$2'"),
    (r"--samples(?: FILE\.safetensors)?", "data"),
    (r"--custom-op (\w+)", "custom_ops=['$1']"),
    (r"--fast-nan\b", "fast_nan=True"),
    (r"--strict-nan\b", "strict_nan=True"),
    (r"--float-io\b", "float_io=True"),
    (r"--json\b", "report"),
    (r"--(quantize|precision|half|target|name|verify)\b", "$1"),
];

static PATTERNS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let compiled = |(pattern, argument)| {
        let regex = Regex::new(pattern).expect("the pattern is valid");
        (regex, argument)
    };
    ARGUMENTS.into_iter().map(compiled).collect()
});

/// A text with arguments of Python in place of options. What stands within a path or a name stays: `exports/a--fast-nan.pt2`.
pub fn in_python(text: &str) -> String {
    let mut text = text.to_owned();
    for (regex, argument) in PATTERNS.iter() {
        let replaced = regex.replace_all(&text, |found: &Captures<'_>| {
            let whole = found.get(0).expect("the match itself");
            let before = text[..whole.start()].chars().next_back();
            let mut words = String::new();
            match before.is_none_or(|c| c.is_whitespace() || "(>;,\"'`".contains(c)) {
                true => found.expand(argument, &mut words),
                false => words.push_str(whole.as_str()),
            }
            words
        });
        if let Cow::Owned(replaced) = replaced {
            text = replaced;
        }
    }
    text
}

/// The sentences of a report in the words of Python. What has no space is a name.
pub fn report_in_python(report: &mut Value) {
    match report {
        Value::String(text) if text.contains(' ') => *text = in_python(text),
        Value::Array(items) => items.iter_mut().for_each(report_in_python),
        Value::Object(fields) => fields.values_mut().for_each(report_in_python),
        _ => {}
    }
}

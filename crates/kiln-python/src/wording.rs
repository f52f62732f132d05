//! Messages that name options and tensors of the command line, in the words of Python: `--dim n==8` is `sizes={'n': 8}` there.

use regex_lite::Regex;
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

/// A text with arguments of Python in place of options. Quotes are single ones, so that a JSON string stays one.
pub fn in_python(text: &str) -> String {
    let mut text = text.to_owned();
    for (regex, argument) in PATTERNS.iter() {
        if let std::borrow::Cow::Owned(replaced) = regex.replace_all(&text, *argument) {
            text = replaced;
        }
    }
    text
}

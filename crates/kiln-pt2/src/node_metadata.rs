//! The provenance of a node: its modules and the user's source lines. All other metadata is skipped.

use std::fmt;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::tagged::Key;

/// The most frames of a stack trace that are kept. These are the innermost ones.
pub const MAX_FRAMES: usize = 4;

/// The provenance of a node.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct NodeMetadata {
    /// The calls of modules in which the op ran, from the root to the innermost. Empty if they are not known.
    pub modules: Vec<ModuleCall>,
    /// The user's frames that led to the op, outermost first. Frames within torch are left out.
    pub frames: Vec<Frame>,
}

/// A call of a module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ModuleCall {
    /// The module, without regard to its path: `L__self__` and its path, or a number. A module with two paths may have one key.
    pub key: String,
    /// Which of the module's calls this is, from 0.
    pub number: u32,
    /// The path from the root module, such as `layers.0.attn`; empty for the root.
    pub path: String,
    /// The qualified type, such as `torch.nn.modules.linear.Linear`.
    pub type_name: String,
}

/// A line of the user's source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The file name without folders.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The function, for example `forward`.
    pub function: String,
    /// The source line without its indentation; may be empty.
    pub code: String,
}

impl NodeMetadata {
    /// The innermost module that executed the op.
    pub fn module(&self) -> Option<&ModuleCall> {
        self.modules.last()
    }
}

/// Reads the calls `key,path,type` of a stack that is joined with `;`. A stack with anything else is not known.
fn module_calls(stack: &str) -> Vec<ModuleCall> {
    let calls: Option<Vec<ModuleCall>> = stack.split(';').map(ModuleCall::parse).collect();
    calls.unwrap_or_default()
}

impl ModuleCall {
    /// Reads `key,path,type`. The path may contain any text, but the type has no comma.
    fn parse(text: &str) -> Option<ModuleCall> {
        let (key, path_and_type) = text.split_once(',')?;
        let (path, type_name) = path_and_type.rsplit_once(',')?;
        // The exporter writes a placeholder for ops that it added. It has the same text in all three places.
        if key == path && path == type_name {
            return None;
        }
        let numbered = key.rsplit_once('@');
        let numbered = numbered.and_then(|(key, number)| Some((key, number.parse().ok()?)));
        let (key, number) = numbered.unwrap_or((key, 0));
        Some(ModuleCall {
            key: key.to_owned(),
            number,
            path: path.to_owned(),
            type_name: type_name.to_owned(),
        })
    }
}

/// Prints `key,path,type`, with the number behind the key from the second call on.
impl fmt::Display for ModuleCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            key,
            number,
            path,
            type_name,
        } = self;
        match number {
            0 => write!(f, "{key},{path},{type_name}"),
            number => write!(f, "{key}@{number},{path},{type_name}"),
        }
    }
}

/// The innermost frames of a Python traceback, without those of torch.
fn user_frames(trace: &str) -> Vec<Frame> {
    let mut frames = Vec::new();
    // Starts from the innermost frame, so that a long trace costs no more than the kept frames.
    for (start, _) in trace.rmatch_indices("File \"") {
        if !starts_a_line(trace, start) {
            continue;
        }
        frames.extend(parse_frame(&trace[start..]));
        if frames.len() == MAX_FRAMES {
            break;
        }
    }
    frames.reverse();
    frames
}

fn starts_a_line(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches(' ');
    before.is_empty() || before.ends_with('\n')
}

/// Parses `File "path", line 18, in forward` and the source line that follows.
fn parse_frame(text: &str) -> Option<Frame> {
    let mut lines = text.lines();
    let head = lines.next()?.strip_prefix("File \"")?;
    let (path, rest) = head.split_once("\", line ")?;
    if is_torch_internal(path) {
        return None;
    }
    let (line, function) = rest.split_once(", in ").unwrap_or((rest, ""));
    Some(Frame {
        file: path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned(),
        line: line.parse().ok()?,
        function: function.to_owned(),
        code: lines.next().map_or("", str::trim).to_owned(),
    })
}

/// True for files of the torch package (not those of other packages, such as torchvision), and for code that torch
/// generated for the bodies of branches and loops.
fn is_torch_internal(path: &str) -> bool {
    if path.starts_with("<eval_with_key>") {
        return true;
    }
    let path = path
        .rsplit_once("-packages/")
        .map_or(path, |(_, inside)| inside);
    path.starts_with("torch/")
}

impl<'de> Deserialize<'de> for NodeMetadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Metadata;
        impl<'de> Visitor<'de> for Metadata {
            type Value = NodeMetadata;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("node metadata, an object of strings")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NodeMetadata, A::Error> {
                let mut metadata = NodeMetadata::default();
                while let Some(key) = map.next_key::<Key>()? {
                    match &*key.0 {
                        "nn_module_stack" => {
                            metadata.modules = module_calls(&map.next_value::<Key>()?.0)
                        }
                        "stack_trace" => metadata.frames = user_frames(&map.next_value::<Key>()?.0),
                        _ => map.next_value::<IgnoredAny>().map(|_| ())?,
                    }
                }
                Ok(metadata)
            }
        }
        deserializer.deserialize_map(Metadata)
    }
}

impl Serialize for NodeMetadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if !self.frames.is_empty() {
            let lines: Vec<String> = self.frames.iter().map(Frame::to_string).collect();
            map.serialize_entry("stack_trace", &lines.join("\n"))?;
        }
        if !self.modules.is_empty() {
            let calls: Vec<String> = self.modules.iter().map(ModuleCall::to_string).collect();
            map.serialize_entry("nn_module_stack", &calls.join(";"))?;
        }
        map.end()
    }
}

/// Prints as in a Python traceback.
impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            function,
            code,
        } = self;
        write!(
            f,
            "  File \"{file}\", line {line}, in {function}\n    {code}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_user_frames_are_kept() {
        let trace = concat!(
            "  File \"/usr/lib/python3/site-packages/torch/_dynamo/functional_export.py\", line 243, in forward\n",
            "    res = self._export_root(*args, **kwargs)\n          ^^^^\n",
            "  File \"/home/me/model.py\", line 72, in forward\n    return self.net(x)\n           ~~~~~~~~^^^\n",
            "  File \"/home/me/net.py\", line 5, in forward\n    y = \"File \\\"x\\\"\"\n",
            "  File \"<eval_with_key>.155\", line 13, in forward\n    cond = torch.ops.higher_order.cond(p)\n",
        );
        let frames = user_frames(trace);
        let shown: Vec<_> = frames
            .iter()
            .map(|f| (f.file.as_str(), f.line, f.code.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                ("model.py", 72, "return self.net(x)"),
                ("net.py", 5, "y = \"File \\\"x\\\"\"")
            ]
        );
    }

    #[test]
    fn the_calls_of_modules_are_read_and_printed_back() {
        let stack = "L__self__,,__main__.M;L__self__l@12,l.0,torch.nn.modules.linear.Linear";
        let calls = module_calls(stack);
        let shown: Vec<_> = calls
            .iter()
            .map(|call| (call.key.as_str(), call.number, call.path.as_str()))
            .collect();
        assert_eq!(shown, [("L__self__", 0, ""), ("L__self__l", 12, "l.0")]);
        let printed: Vec<String> = calls.iter().map(ModuleCall::to_string).collect();
        assert_eq!(printed.join(";"), stack);
        assert_eq!(calls[1].type_name, "torch.nn.modules.linear.Linear");
    }

    #[test]
    fn a_stack_that_is_none_is_not_known() {
        for stack in ["_empty,_empty,_empty", "nonsense", ""] {
            assert_eq!(module_calls(stack), [], "{stack}");
        }
    }
}

//! The description of a project in its `report.json`: all that is needed to build it, to run it, and to write another in its
//! place.

use crate::cores::Core;
use crate::dialect::{BufferId, Dtype, Role};
use crate::project::{File, Name, Port, Project, calls_json, io_json, is_identifier, memory_json};
use kiln_ir::DType;
use kiln_target::{Activations, Declared, DimOrder, Error, Reals, Signature, Size};
use serde_json::{Map, Value, json};
use std::path::Path;

/// The file.
pub(super) const FILE: &str = "report.json";

/// A project, as its report describes it.
#[derive(Clone, Debug)]
pub(super) struct Manifest {
    pub name: Name,
    pub core: &'static Core,
    /// The other files.
    pub files: Vec<Written>,
    pub inputs: Vec<Crossing>,
    pub outputs: Vec<Crossing>,
    /// The functions that are called, in order, with the layer and its source.
    pub calls: Vec<Layer>,
    /// The whole report.
    report: Map<String, Value>,
}

/// A file as it was written.
#[derive(Clone, Debug)]
pub(super) struct Written {
    /// Its path in the folder, with slashes.
    pub path: String,
    bytes: u64,
    /// The hash of its content. Projects of earlier versions have none.
    hash: Option<String>,
}

impl Written {
    fn of(file: &File) -> Written {
        Written {
            path: file.path.clone(),
            bytes: file.text.len() as u64,
            hash: Some(hash(file.text.as_bytes())),
        }
    }

    /// Whether the file at a path still has this content.
    pub fn is_in(&self, path: &Path) -> bool {
        let is_plain = path.symlink_metadata().is_ok_and(|found| found.is_file());
        let content = is_plain.then(|| std::fs::read(path).ok()).flatten();
        content.is_some_and(|content| {
            let is_same = |known: &String| *known == hash(&content);
            content.len() as u64 == self.bytes && self.hash.as_ref().is_none_or(is_same)
        })
    }
}

/// Half of the hash of a content, which is enough to see a change.
fn hash(content: &[u8]) -> String {
    blake3::hash(content).to_hex()[..32].to_owned()
}

/// A tensor that crosses the border.
#[derive(Clone, Debug)]
pub(super) struct Crossing {
    pub name: String,
    pub index: usize,
    pub dtype: DType,
    /// Sizes in the order of memory.
    pub sizes: Vec<usize>,
    /// The model's axes in the order of memory.
    order: DimOrder,
    /// The reals that its integers stand for, if the model quantises it.
    pub reals: Option<Reals>,
    /// The step of floats that are dequantised last.
    pub step: Option<f64>,
    /// Whether it is an input that a run changes.
    pub is_updated: bool,
}

/// A call.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub function: String,
    pub layer: String,
    pub source: String,
    /// Whether the call lies in a branch or a loop.
    pub is_decided: bool,
}

impl Crossing {
    /// Its size in memory.
    pub fn bytes(&self) -> usize {
        let elements = self
            .sizes
            .iter()
            .fold(1usize, |product, &size| product.saturating_mul(size));
        elements.saturating_mul(self.dtype.size())
    }

    fn declared(&self) -> Declared {
        Declared {
            position: self.index,
            name: Some(self.name.clone()),
            dtype: Some(self.dtype),
            text: format!("{}: {}{:?}", self.name, self.dtype.name(), self.sizes),
            sizes: self.sizes.iter().map(|&n| Size::Exactly(n)).collect(),
            order: (self.reals.is_none() && !self.order.is_plain()).then(|| self.order.clone()),
            room: None,
            reals: self.reals.clone(),
            step: self.step,
        }
    }
}

/// The driver's type for a buffer's elements.
const fn dtype_of(dtype: Dtype) -> DType {
    match dtype {
        Dtype::I4 | Dtype::I8 => DType::I8,
        Dtype::U8 => DType::U8,
        Dtype::I16 => DType::I16,
        Dtype::I32 => DType::I32,
        Dtype::I64 => DType::I64,
        Dtype::F32 => DType::F32,
        Dtype::F16 => DType::F16,
        Dtype::Bf16 => DType::BF16,
    }
}

/// The driver's type for an input or an output.
pub(super) fn crossing_dtype(project: &Project, port: &Port, id: BufferId) -> DType {
    match port.is_bool {
        true => DType::Bool,
        false => dtype_of(project.program().buffers[id.index()].dtype),
    }
}

impl Manifest {
    /// The description of a new project.
    pub fn of(project: &Project, files: &[File]) -> Manifest {
        let crossing = |(port, id): (&Port, BufferId)| Crossing {
            name: port.name.clone(),
            index: port.index,
            dtype: crossing_dtype(project, port, id),
            sizes: port.memory_shape(),
            order: DimOrder(port.dim_order.clone()),
            reals: port.quantised.map(|(scale, zero_point)| Reals {
                scale,
                zero_point,
                dim_order: DimOrder(port.dim_order.clone()),
            }),
            step: port.step,
            is_updated: project.program().buffers[id.index()].role == Role::Updated,
        };
        let flows = &project.program().flows;
        let is_decided = |at: usize| flows.iter().any(|flow| flow.calls().contains(&at));
        let calls = project
            .program()
            .calls
            .iter()
            .enumerate()
            .map(|(at, call)| Layer {
                is_decided: is_decided(at),
                function: call.function.name().to_owned(),
                layer: call.layer.clone(),
                source: call.source.clone(),
            });
        let files = files.iter().map(Written::of);
        let mut manifest = Manifest {
            name: project.name().clone(),
            core: project.core(),
            files: files.collect(),
            inputs: project.inputs().map(crossing).collect(),
            outputs: project.outputs().map(crossing).collect(),
            calls: calls.collect(),
            report: Map::new(),
        };
        let section = manifest.section();
        manifest.report = Map::from_iter([
            ("target".to_owned(), project.core().name.into()),
            ("size".to_owned(), manifest.size().into()),
            ("project".to_owned(), section),
            ("io".to_owned(), io_json(project)),
            ("memory".to_owned(), memory_json(project)),
            ("calls".to_owned(), calls_json(project)),
        ]);
        manifest
    }

    /// The bytes of all files but the report.
    pub fn size(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// The section that tells a project's report from others.
    pub fn section(&self) -> Value {
        let files = self
            .files
            .iter()
            .map(|file| json!({"path": file.path, "bytes": file.bytes, "hash": file.hash}));
        json!({"name": self.name.as_str(), "core": self.core.name, "files": files.collect::<Vec<_>>()})
    }

    /// The report.
    pub fn json(&self) -> Value {
        Value::Object(self.report.clone())
    }

    /// The sections that only reports of projects have.
    pub fn sections(&self) -> Map<String, Value> {
        let names = ["project", "io", "memory", "calls"].into_iter();
        let section = |name: &str| self.report.get(name).cloned().unwrap_or_default();
        names.map(|name| (name.to_owned(), section(name))).collect()
    }

    /// The report as `kiln inspect` shows it.
    pub fn inspected(&self) -> Value {
        let head = [
            ("kind", Value::from("C project")),
            ("target", self.core.name.into()),
            ("bytes", self.size().into()),
        ];
        let head = head
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        Value::Object(head.chain(self.sections()).collect())
    }

    /// In which numbers the functions compute.
    pub fn activations(&self) -> Activations {
        let rounds = |layer: &Layer| layer.function.starts_with("kiln_quantize_");
        let stands_for_reals = |crossing: &Crossing| crossing.declared().reals.is_some();
        let mut crossings = self.inputs.iter().chain(&self.outputs);
        match self.calls.iter().any(rounds) || crossings.any(stands_for_reals) {
            true => Activations::Integers,
            false => Activations::F32,
        }
    }

    /// The tensors that cross the border.
    pub fn signature(&self) -> Signature {
        Signature {
            inputs: self.inputs.iter().map(Crossing::declared).collect(),
            outputs: self.outputs.iter().map(Crossing::declared).collect(),
            input_count: None,
            has_fixed_sizes: true,
            keeps_positions: true,
        }
    }

    /// Reads a report.
    ///
    /// # Errors
    /// If it is not that of a project.
    pub fn read(text: &[u8]) -> Result<Manifest, Error> {
        let report: Map<String, Value> = serde_json::from_slice(text).map_err(Error::of)?;
        let section = report.get("project").unwrap_or(&Value::Null);
        let wrong = |what: &str| Error::new(format!("{FILE} has no {what} of a project"));
        let name = section["name"]
            .as_str()
            .and_then(|name| Name::new(name).ok());
        let core = section["core"].as_str().and_then(Core::named);
        let files = list(&section["files"], |file| {
            let path = file["path"].as_str().filter(|path| is_inside(path))?;
            Some(Written {
                path: path.to_owned(),
                bytes: file["bytes"].as_u64()?,
                hash: file["hash"].as_str().map(str::to_owned),
            })
        });
        let io = report.get("io").unwrap_or(&Value::Null);
        let calls = list(report.get("calls").unwrap_or(&Value::Null), |call| {
            let text = |key: &str| call[key].as_str().map(str::to_owned);
            let function = text("function").filter(|name| is_identifier(name))?;
            Some(Layer {
                function,
                layer: text("layer")?,
                source: text("source")?,
                is_decided: call["decided"] == true,
            })
        });
        Ok(Manifest {
            name: name.ok_or_else(|| wrong("name"))?,
            core: core.ok_or_else(|| wrong("core"))?,
            files: files.ok_or_else(|| wrong("files"))?,
            inputs: list(&io["inputs"], crossing).ok_or_else(|| wrong("inputs"))?,
            outputs: list(&io["outputs"], crossing).ok_or_else(|| wrong("outputs"))?,
            calls: calls.ok_or_else(|| wrong("calls"))?,
            report,
        })
    }
}

/// Whether a path stays in its folder.
fn is_inside(path: &str) -> bool {
    let mut parts = std::path::Path::new(path).components();
    parts.all(|part| matches!(part, std::path::Component::Normal(_)))
}

fn list<T>(value: &Value, read: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    value.as_array()?.iter().map(read).collect()
}

fn crossing(port: &Value) -> Option<Crossing> {
    let number = |value: &Value| usize::try_from(value.as_u64()?).ok();
    let shape = list(&port["shape"], number)?;
    let axis = |value: &Value| u8::try_from(value.as_u64()?).ok();
    let order = DimOrder(list(&port["dim_order"], axis)?);
    Some(Crossing {
        name: port["name"].as_str()?.to_owned(),
        index: number(&port["index"])?,
        dtype: DType::from_name(port["dtype"].as_str()?)?,
        sizes: order.in_order(&shape)?,
        reals: reals(port, &order),
        step: positive(&port["step"]),
        is_updated: port["updated"] == true,
        order,
    })
}

/// The reals that a port's integers stand for; `None` if they stand for themselves.
fn reals(port: &Value, order: &DimOrder) -> Option<Reals> {
    Some(Reals {
        scale: positive(&port["scale"])?,
        zero_point: port["zero_point"].as_i64()?,
        dim_order: order.clone(),
    })
}

/// The distance of neighbours.
fn positive(value: &Value) -> Option<f64> {
    let found = value.as_f64();
    found.filter(|step| *step > 0.0 && step.is_finite())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn report() -> Value {
        json!({
            "project": {"name": "net", "core": "cortex-m4", "files": [{"path": "kiln_nn/copy.c", "bytes": 3}]},
            "io": {
                "inputs": [{"name": "x", "index": 1, "dtype": "i16", "shape": [1, 3, 5], "dim_order": [0, 2, 1]}],
                "outputs": [],
            },
            "calls": [{"function": "kiln_copy", "layer": "x", "source": ""}],
        })
    }

    fn read(report: &Value) -> Result<Manifest, String> {
        Manifest::read(report.to_string().as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_report_describes_a_project() {
        let manifest = read(&report()).unwrap();
        assert_eq!(
            (manifest.name.as_str(), manifest.core.name),
            ("net", "cortex-m4")
        );
        assert_eq!(manifest.inputs[0].sizes, [1, 5, 3]);
        let position = manifest.signature().inputs[0].position;
        assert_eq!((manifest.inputs[0].bytes(), position), (30, 1));
        assert_eq!(manifest.size(), 3);
    }

    /// The texts of a report reach a compiler, so names must be identifiers, and paths must stay in the folder.
    #[test]
    fn other_reports_are_refused() {
        for (pointer, value) in [
            ("/project/name", json!("net; rm")),
            ("/project/core", json!("z80")),
            ("/project/files/0/path", json!("../main.c")),
            ("/project/files/0/path", json!("/main.c")),
            ("/calls/0/function", json!("f()\\n#include")),
            ("/io/inputs/0/shape/0", json!(-1)),
            ("/io/inputs/0/dim_order/2", json!(3)),
            ("/io/inputs/0/dtype", json!("i5")),
            ("/io/outputs", json!(null)),
        ] {
            let mut changed = report();
            *changed.pointer_mut(pointer).unwrap() = value;
            let error = read(&changed).unwrap_err();
            assert!(error.contains("report.json has no"), "{pointer}: {error}");
        }
        assert!(read(&json!({"target": "tosa-fp"})).is_err());
        assert!(Manifest::read(b"{").is_err());
    }
}

//! Payloads of few operators on integers, and their results on the evaluator and on the stock runtime.

use bytes::Bytes;
use kiln_eval::Tensor;
use kiln_ir::{DType, TensorData};
use kiln_pte::{
    ArenaSlot, Delegate, DelegateIndex, Instruction, Method, NamedData, Program, ScalarType,
    TensorStorage, TensorValue, Value,
};
use kiln_target::{Role, Runs};
use kiln_xnnpack::execute;
use kiln_xnnpack::payload::{
    self, Clamp, ConstantData, ConstantIndex, Datatype, External, Quant, Scales, UnaryOp, ValueId,
    XnnGraph, XnnNode, XnnOp, XnnValue,
};
use std::path::Path;
use std::process::Command;

/// Pseudo-random numbers.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A number of `low..high`, with evenly spread logarithms; sometimes a power of two or a few hundredths, with which results lie in the
    /// middle of integers.
    pub fn scale(&mut self, low: f32, high: f32) -> f32 {
        let share = self.below(1 << 20) as f32 / (1 << 20) as f32;
        let drawn = low * (high / low).powf(share);
        let round = match self.below(4) {
            0 => drawn.log2().floor().exp2(),
            1 => (drawn * 100.0).floor() / 100.0,
            _ => drawn,
        };
        if round >= low { round } else { drawn }
    }

    /// A range of reals; sometimes of two neighbouring integers.
    pub fn clamp(&mut self, quant: &Quant) -> Clamp {
        let Quant::PerTensor { scale, zero_point } = *quant else {
            panic!("one scale");
        };
        let real = |integer: i32| (integer - zero_point) as f32 * scale;
        let least = self.below(200) as i32 - 100;
        let width = if self.below(3) == 0 {
            1
        } else {
            1 + self.below(60) as i32
        };
        let [min, max] = [least, least + width].map(real);
        match self.below(4) {
            0 => Clamp {
                min,
                max: f32::INFINITY,
            },
            1 => Clamp {
                min: f32::NEG_INFINITY,
                max,
            },
            _ => Clamp { min, max },
        }
    }

    /// Integers of a type, the ends often.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count)
            .map(|_| match self.below(16) {
                0 => [0, 127, 128, 255][self.below(4) as usize],
                _ => self.next() as u8,
            })
            .collect()
    }

    /// The quantisation of an 8-bit tensor whose zero point is anywhere, often at an end.
    pub fn quant(&mut self, datatype: Datatype, scale: f32) -> Quant {
        let least = if datatype == Datatype::QInt8 { -128 } else { 0 };
        let zero_point = match self.below(8) {
            0 => least,
            1 => least + 255,
            _ => least + self.below(256) as i32,
        };
        Quant::PerTensor { scale, zero_point }
    }
}

/// A payload that is being built, with the inputs of one run.
#[derive(Default)]
pub struct Probe {
    pub name: String,
    graph: XnnGraph,
    named: Vec<NamedData>,
    inputs: Vec<TensorData>,
    outputs: Vec<TensorData>,
    /// How far each element of the results may lie from the evaluator's; without any, both are equal.
    pub bounds: Vec<f64>,
}

fn dtype(datatype: Datatype) -> DType {
    match datatype {
        Datatype::QInt8 | Datatype::QcInt8 => DType::I8,
        Datatype::QUInt8 => DType::U8,
        Datatype::Fp32 => DType::F32,
        _ => DType::I32,
    }
}

fn zeros(datatype: Datatype, dims: &[u32]) -> TensorData {
    let sizes: Vec<usize> = dims.iter().map(|&n| n as usize).collect();
    let bytes = vec![0; sizes.iter().product::<usize>() * dtype(datatype).size()];
    TensorData::new(dtype(datatype), sizes, bytes.into()).unwrap()
}

impl Probe {
    pub fn new(name: String) -> Probe {
        Probe {
            name,
            ..Probe::default()
        }
    }

    fn external(
        &mut self,
        datatype: Datatype,
        quant: Option<Quant>,
        dims: &[u32],
        input: bool,
    ) -> ValueId {
        let external = External {
            position: self.graph.num_externs,
            input,
            output: !input,
        };
        self.graph.num_externs += 1;
        self.graph.add_value(XnnValue {
            quant,
            external: Some(external),
            ..XnnValue::internal(datatype, dims.to_vec())
        })
    }

    pub fn input(
        &mut self,
        datatype: Datatype,
        quant: Option<Quant>,
        dims: &[u32],
        bytes: Vec<u8>,
    ) -> ValueId {
        let sizes = dims.iter().map(|&n| n as usize).collect();
        let data = TensorData::new(dtype(datatype), sizes, bytes.into()).unwrap();
        self.inputs.push(data);
        self.external(datatype, quant, dims, true)
    }

    pub fn output(&mut self, datatype: Datatype, quant: Option<Quant>, dims: &[u32]) -> ValueId {
        self.outputs.push(zeros(datatype, dims));
        self.external(datatype, quant, dims, false)
    }

    pub fn constant(
        &mut self,
        datatype: Datatype,
        quant: Quant,
        dims: &[u32],
        bytes: Vec<u8>,
    ) -> ValueId {
        let constant = Some(self.data(bytes));
        self.graph.add_value(XnnValue {
            quant: Some(quant),
            constant,
            ..XnnValue::internal(datatype, dims.to_vec())
        })
    }

    /// A constant of f32.
    pub fn floats(&mut self, dims: &[u32], floats: &[f32]) -> ValueId {
        let bytes = floats.iter().flat_map(|x| x.to_le_bytes()).collect();
        let constant = Some(self.data(bytes));
        self.graph.add_value(XnnValue {
            constant,
            ..XnnValue::internal(Datatype::Fp32, dims.to_vec())
        })
    }

    /// Data beside the payload.
    pub fn data(&mut self, bytes: Vec<u8>) -> ConstantIndex {
        let key = format!("c{}", self.named.len());
        let data = Bytes::from(bytes);
        self.named.push(NamedData {
            key: key.clone(),
            data: data.into(),
        });
        self.graph.add_constant(ConstantData::Named(key))
    }

    /// The integers of a tensor, whose last `axes` dims share parameters that are chosen when running.
    pub fn quantised_rows(&mut self, input: ValueId, dims: &[u32], axes: i32) -> ValueId {
        let quant = Quant::PerTokenDynamic {
            num_nonbatch_dims: axes,
        };
        let output = self.graph.add_value(XnnValue {
            quant: Some(quant),
            ..XnnValue::internal(Datatype::QdInt8, dims.to_vec())
        });
        let (op, flags) = (UnaryOp::Convert, 0);
        let convert = XnnOp::Unary {
            op,
            input,
            output,
            flags,
        };
        self.push(convert, None);
        output
    }

    pub fn push(&mut self, op: XnnOp, clamp: Option<payload::Clamp>) {
        self.graph.nodes.push(XnnNode {
            clamp,
            ..XnnNode::new(op)
        });
    }

    /// The results of the evaluator.
    pub fn evaluated(&self) -> Result<Vec<Tensor>, String> {
        let blob = payload::write(&self.graph).unwrap();
        let named = |key: &str| {
            let found = self.named.iter().find(|n| n.key == key)?;
            Some(found.data.bytes().clone())
        };
        let inputs: Vec<Tensor> = self.inputs.iter().map(Tensor::from).collect();
        execute(&blob, &named, &inputs).map_err(|e| e.to_string())
    }

    /// The results of the stock runtime; its messages if it refuses the payload.
    pub fn on_device(&self, runner: &Path) -> Result<Vec<Tensor>, String> {
        let directory = tempfile::tempdir().unwrap();
        let [pte, fed, out] =
            ["p.pte", "in.safetensors", "out.safetensors"].map(|name| directory.path().join(name));
        kiln_pte::write_file(&self.program(), &pte).unwrap();
        let mut runs = Runs::default();
        for (i, input) in self.inputs.iter().enumerate() {
            runs.insert(0, Role::Input, i, input.clone());
        }
        runs.write(&fed).unwrap();
        let mut command = Command::new(runner);
        command
            .arg(&pte)
            .arg("--in")
            .arg(&fed)
            .arg("--out")
            .arg(&out);
        let done = command.output().unwrap();
        if !done.status.success() {
            return Err(String::from_utf8_lossy(&done.stderr).into_owned());
        }
        let written = Runs::read(&out).unwrap();
        let read = |i| Tensor::from(written.get(0, Role::Output, i).unwrap().clone());
        Ok((0..self.outputs.len()).map(read).collect())
    }

    /// A program that calls the payload once.
    fn program(&self) -> Program {
        let mut program = Program {
            named_data: self.named.clone(),
            ..Program::default()
        };
        let blob = program
            .delegate_blobs
            .intern(payload::write(&self.graph).unwrap());
        let mut method = Method {
            name: "forward".into(),
            ..Method::default()
        };
        let mut end = 0;
        for value in &self.graph.values {
            let Some(external) = value.external else {
                continue;
            };
            let storage = TensorStorage::Planned(ArenaSlot {
                arena: 0,
                offset: end,
            });
            // The library reads beyond the end of tensors.
            end += (value.nbytes().unwrap() + 256).next_multiple_of(64);
            let ty = scalar_type(value.datatype);
            let tensor = TensorValue::contiguous(ty, value.dims.clone(), storage);
            let id = method.add_value(Value::Tensor(tensor));
            let list = if external.input {
                &mut method.inputs
            } else {
                &mut method.outputs
            };
            list.push(id);
        }
        method.arena_sizes = vec![end];
        method.delegates.push(Delegate {
            id: "XnnpackBackend".into(),
            blob,
            compile_specs: Vec::new(),
        });
        method.instructions.push(Instruction::DelegateCall {
            delegate: DelegateIndex(0),
            args: [method.inputs.clone(), method.outputs.clone()].concat(),
        });
        program.methods.push(method);
        program
    }
}

fn scalar_type(datatype: Datatype) -> ScalarType {
    match datatype {
        Datatype::QInt8 => ScalarType::I8,
        Datatype::QUInt8 => ScalarType::U8,
        Datatype::Fp32 => ScalarType::F32,
        _ => ScalarType::I32,
    }
}

/// Scales by channel.
pub fn by_channel(scales: Vec<f32>, channel_dim: i32) -> Quant {
    Quant::PerChannel {
        scales: Scales::Inline(scales),
        channel_dim,
    }
}

//! Constants become parameters, buffers and constants of the archive.

use crate::archive::{Role, Stored};
use crate::call::Call;
use crate::error::Unwritten;
use crate::tensors::{scalar_type, stored};
use crate::writer::Writer;
use kiln_ir::graph::Constant;
use kiln_ir::{Quant, QuantScheme, Scalar, TensorData, ValueId};
use kiln_pt2::{Argument, ExportedProgram, InputSpec};
use rustc_hash::{FxHashMap, FxHashSet};

/// The number of bytes from which a constant of one number is a call of `full`.
const LONG_BYTES: usize = 1024;

/// The tensors of the archive so far.
pub(crate) struct Constants {
    pub(crate) stored: Vec<Stored>,
    /// Where tensors of the graph are in `stored`.
    places: FxHashMap<String, usize>,
    /// The roles of the original program's tensors, by their names.
    roles: FxHashMap<String, Role>,
    taken: FxHashSet<String>,
    /// The modules on the way to tensors.
    modules: FxHashSet<String>,
    /// The constants that differ, by their names.
    distinct: FxHashMap<String, Vec<ValueId>>,
    /// Parameters of quantisations that were stored, by their bytes and dtype.
    known: FxHashMap<(Vec<u8>, kiln_ir::DType), String>,
}

/// The tensors of the parameters of a quantisation by channel or group.
pub(crate) struct Parameters {
    pub(crate) scales: String,
    pub(crate) zero_points: String,
}

impl Constants {
    /// None so far.
    pub(crate) fn of(original: &ExportedProgram) -> Constants {
        let role = |spec: &InputSpec| match spec {
            InputSpec::Parameter { fqn, .. } => Some((fqn.clone(), Role::Parameter)),
            InputSpec::Buffer {
                fqn, persistent, ..
            } => {
                let role = if *persistent {
                    Role::Buffer
                } else {
                    Role::Temporary
                };
                Some((fqn.clone(), role))
            }
            InputSpec::TensorConstant { fqn, .. } => Some((fqn.clone(), Role::Constant)),
            _ => None,
        };
        let specs = original.signature.input_specs.iter();
        let roles: FxHashMap<String, Role> = specs.filter_map(role).collect();
        let dots = |name: &String| -> Vec<String> {
            let all = name.match_indices('.');
            all.map(|(at, _)| name[..at].to_owned()).collect()
        };
        let modules = roles.keys().flat_map(dots).collect();
        Constants {
            stored: Vec::new(),
            places: FxHashMap::default(),
            roles,
            taken: FxHashSet::default(),
            modules,
            distinct: FxHashMap::default(),
            known: FxHashMap::default(),
        }
    }

    /// The role of a tensor in the original program.
    pub(crate) fn role(&self, fqn: &str) -> Option<Role> {
        self.roles.get(fqn).copied()
    }

    /// A name for a tensor of the archive that no other has. A tensor is no module, so no name leads through another one: the names of
    /// the original program come first.
    fn fqn(&mut self, wanted: &str) -> String {
        let mut wanted = match wanted {
            "" => "literal".to_owned(),
            wanted => wanted.to_owned(),
        };
        let is_tensor = |name: &str| self.taken.contains(name) || self.roles.contains_key(name);
        let dots = wanted.match_indices('.').map(|(at, _)| at);
        let through: Vec<usize> = dots.filter(|&at| is_tensor(&wanted[..at])).collect();
        for at in through {
            wanted.replace_range(at..=at, "_");
        }
        let is_own = self.roles.contains_key(&wanted);
        let mut name = wanted.clone();
        let mut number = 0;
        while self.taken.contains(&name)
            || !is_own && (self.roles.contains_key(&name) || self.modules.contains(&name))
            || is_own && number > 0 && self.roles.contains_key(&name)
        {
            number += 1;
            name = format!("{wanted}_{number}");
        }
        self.admit(&name);
        name
    }

    /// Takes a name, and the modules on the way to it.
    fn admit(&mut self, name: &str) {
        for (at, _) in name.match_indices('.') {
            self.modules.insert(name[..at].to_owned());
        }
        self.taken.insert(name.to_owned());
    }
}

impl Writer<'_> {
    /// The first constant that this one equals in name, type and content; the value itself if it is none. The steps of a recurrent layer
    /// have each a constant of the same weight.
    pub(crate) fn first_equal(&mut self, value: ValueId) -> ValueId {
        let graph = self.graph;
        let Some(constant) = graph.as_constant(value) else {
            return value;
        };
        let name = constant.name.to_string();
        let others = self.constants.distinct.entry(name).or_default();
        let is_equal = |&other: &ValueId| {
            graph
                .as_constant(other)
                .is_some_and(|other| other.ty == constant.ty && other.data == constant.data)
        };
        let found = others.iter().copied().find(is_equal);
        found.unwrap_or_else(|| {
            others.push(value);
            value
        })
    }

    /// The name of a constant's tensor.
    pub(crate) fn constant(&mut self, value: ValueId) -> Result<String, Unwritten> {
        let Some(constant) = self.graph.as_constant(value) else {
            return Err(Unwritten::new("no constant"));
        };
        let known = self.constants.roles.get(&*constant.name).copied();
        let is_long = constant.data.content().len() >= LONG_BYTES;
        if is_long
            && known.is_none()
            && constant.ty.quant.is_none()
            && let Some(number) = constant.data.as_splat()
        {
            return Ok(self.full(&constant.data, number));
        }
        let is_float = constant.data.dtype().is_float();
        let role = match known {
            // Parameters of integers are buffers: they have no gradient.
            Some(Role::Parameter) if !is_float => Role::Buffer,
            Some(role) => role,
            None => Role::Constant,
        };
        // A tensor of the model keeps its name, whatever characters that has.
        let wanted = match known {
            Some(_) => constant.name.to_string(),
            None => path(constant),
        };
        self.add(&wanted, &constant.data, role)
    }

    fn full(&mut self, data: &TensorData, number: Scalar) -> String {
        let sizes: Vec<i64> = data.sizes().iter().map(|&n| n as i64).collect();
        let call = Call::new("aten.full.default")
            .arg("size", sizes.as_slice())
            .arg("fill_value", literal(number))
            .keyword("dtype", scalar_type(data.dtype()));
        self.emit(call, &data.tensor_type())
    }

    /// Stores a tensor, and gives its name in the graph.
    pub(crate) fn add(
        &mut self,
        wanted: &str,
        data: &TensorData,
        role: Role,
    ) -> Result<String, Unwritten> {
        let fqn = self.constants.fqn(wanted);
        let prefix = match role {
            Role::Parameter => "p",
            Role::Buffer | Role::Temporary => "b",
            Role::Constant => "c",
        };
        let name = self.names.unique(&format!("{prefix}_{fqn}"));
        self.declare(&name, &data.tensor_type(), None);
        let tensor = stored(data)?;
        if role == Role::Parameter
            && let Some(meta) = self.out.tensor_values.get_mut(&name)
        {
            meta.requires_grad = tensor.dtype().is_differentiable();
        }
        let place = self.constants.stored.len();
        self.constants.places.insert(name.clone(), place);
        self.constants.stored.push(Stored {
            fqn,
            name: name.clone(),
            tensor,
            role,
        });
        Ok(name)
    }

    /// True for a parameter of floats.
    pub(crate) fn has_gradient(&self, tensor: &str) -> bool {
        let meta = self.out.tensor_values.get(tensor);
        meta.is_some_and(|meta| meta.requires_grad)
    }

    /// The tensors of scales and zero points of a quantisation, in this shape. `beside` names the constant that has it.
    pub(crate) fn parameters(
        &mut self,
        quant: &Quant,
        sizes: &[usize],
        beside: &str,
    ) -> Result<Parameters, Unwritten> {
        let scales = quant.scheme.scales();
        // Scales of f32 are what quantisers write; others would be rounded.
        let fits = scales.iter().all(|&scale| f64::from(scale as f32) == scale);
        let dtype = if fits {
            kiln_ir::DType::F32
        } else {
            kiln_ir::DType::F64
        };
        let scales = scales.iter().map(|&scale| Scalar::Float(scale));
        let scales = TensorData::from_scalars(dtype, sizes.to_vec(), scales);
        let zero_points = quant
            .scheme
            .zero_points()
            .iter()
            .map(|&zero| Scalar::Int(zero));
        let zero_points =
            TensorData::from_scalars(kiln_ir::DType::I64, sizes.to_vec(), zero_points);
        Ok(Parameters {
            scales: self.shared(&format!("{beside}_scale"), scales)?,
            zero_points: self.shared(&format!("{beside}_zero_point"), zero_points)?,
        })
    }

    /// The name in the archive of a tensor of the graph, or its name in the graph.
    pub(crate) fn path_of(&self, tensor: &str) -> String {
        let place = self.constants.places.get(tensor);
        let found = place.map(|&place| self.constants.stored[place].fqn.as_str());
        found.unwrap_or(tensor).to_owned()
    }

    /// Stores a tensor that may be there already.
    fn shared(&mut self, wanted: &str, data: TensorData) -> Result<String, Unwritten> {
        let mut key = data.bytes().to_vec();
        key.extend(data.sizes().iter().flat_map(|&n| n.to_le_bytes()));
        let key = (key, data.dtype());
        if let Some(name) = self.constants.known.get(&key) {
            return Ok(name.clone());
        }
        let name = self.add(wanted, &data, Role::Buffer)?;
        self.constants.known.insert(key, name.clone());
        Ok(name)
    }
}

/// The name in the archive of a constant. The importer's names of literals have other characters than modules.
fn path(constant: &Constant) -> String {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let path: String = constant
        .name
        .chars()
        .map(|c| if is_fit(c) { c } else { '_' })
        .collect();
    path.trim_matches('.').to_owned()
}

/// The sizes of the tensors of a quantisation's parameters, for integers of these sizes.
pub(crate) fn parameter_sizes(quant: &Quant, rows: usize) -> Vec<usize> {
    let count = quant.scheme.scales().len();
    match quant.scheme {
        QuantScheme::PerGroup { .. } => vec![rows, count / rows.max(1)],
        QuantScheme::PerTensor { .. } | QuantScheme::PerChannel { .. } => vec![count],
    }
}

/// A number as an argument.
pub(crate) fn literal(number: Scalar) -> Argument {
    match number {
        Scalar::Bool(flag) => Argument::Bool(flag),
        Scalar::Int(number) => Argument::Int(number),
        Scalar::Float(number) => Argument::Float(number),
    }
}

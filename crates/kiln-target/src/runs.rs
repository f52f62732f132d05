//! Runs of tensors in `.safetensors` files: `<run>.in.<i>`, `<run>.out.<i>`, `<run>.in_after.<i>`, `<run>.float.<i>`.

use crate::error::{Error, Explain};
use bytes::Bytes;
use kiln_ir::{DType, TensorData};
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

/// The role of a tensor in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// An input.
    Input,
    /// An output.
    Output,
    /// An input as a run left it.
    InputAfter,
    /// An output of the model as it was in floats, before it was quantised.
    Float,
}

impl Role {
    fn text(self) -> &'static str {
        match self {
            Role::Input => "in",
            Role::Output => "out",
            Role::InputAfter => "in_after",
            Role::Float => "float",
        }
    }
}

impl FromStr for Role {
    type Err = ();
    fn from_str(text: &str) -> Result<Role, ()> {
        [Role::Input, Role::Output, Role::InputAfter, Role::Float]
            .into_iter()
            .find(|role| role.text() == text)
            .ok_or(())
    }
}

/// The tensors of several runs, by run, role and position.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    tensors: BTreeMap<(usize, Role, usize), TensorData>,
    others: Vec<String>,
    /// The least number of runs.
    reserved: usize,
}

impl Runs {
    /// Reads a file. Tensors with other roles are noted in `others` and skipped.
    ///
    /// # Errors
    /// The file cannot be read, is not a safetensors file, or holds a tensor whose name or dtype Kiln does not
    /// know.
    pub fn read(path: &Path) -> Result<Runs, Error> {
        let file = std::fs::read(path).explain(|| format!("cannot read {}", path.display()))?;
        let parsed = SafeTensors::deserialize(&file)
            .explain(|| format!("{} is not a whole .safetensors file", path.display()))?;
        let mut runs = Runs::default();
        for (name, view) in parsed.iter() {
            let key = match parse_name(name) {
                Some((run, Ok(role), position)) => (run, role, position),
                Some((_, Err(()), _)) => {
                    runs.others.push(name.to_owned());
                    continue;
                }
                None => {
                    return Err(Error::new(format!(
                        "{}: a tensor is called {name:?}; expected <run>.in.<i>, <run>.out.<i>, <run>.in_after.<i> or \
                         <run>.float.<i>, as 0.out.0",
                        path.display()
                    )));
                }
            };
            let dtype = from_safetensors(view.dtype());
            if dtype.is_none() && key.1 == Role::Float {
                runs.others.push(name.to_owned());
                continue;
            }
            let Some(dtype) = dtype else {
                return Err(Error::new(format!(
                    "{}: tensor {name} has dtype {:?}, which Kiln does not have",
                    path.display(),
                    view.dtype()
                )));
            };
            let data = TensorData::new(
                dtype,
                view.shape().to_vec(),
                Bytes::copy_from_slice(view.data()),
            )
            .explain(|| format!("{}: tensor {name}", path.display()))?;
            runs.tensors.insert(key, data);
        }
        runs.others.sort();
        runs.check_order().explain(|| path.display().to_string())?;
        Ok(runs)
    }

    /// Writes a file, whole or not at all.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let views: Result<Vec<_>, Error> = self
            .tensors
            .iter()
            .map(|((run, role, i), data)| {
                let view = TensorView::new(
                    to_safetensors(data.dtype()),
                    data.sizes().to_vec(),
                    data.bytes(),
                )
                .map_err(Error::of)?;
                Ok((name(*run, *role, *i), view))
            })
            .collect();
        let bytes = serialize(views?, None).explain(|| "cannot serialise the tensors".into())?;
        kiln_files::write(path, &bytes).explain(|| format!("cannot write {}", path.display()))
    }

    /// Adds a tensor.
    pub fn insert(&mut self, run: usize, role: Role, position: usize, data: TensorData) {
        self.tensors.insert((run, role, position), data);
    }

    /// The tensor of a run, role and position.
    pub fn get(&self, run: usize, role: Role, position: usize) -> Option<&TensorData> {
        self.tensors.get(&(run, role, position))
    }

    /// The number of runs: the greatest run number plus one, or what was [reserved](Runs::reserve).
    pub fn count(&self) -> usize {
        let last = self.numbers().last();
        last.map_or(0, |run| run + 1).max(self.reserved)
    }

    /// The numbers of the runs, in order. What a model gave before it was quantised makes no run.
    fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        let of_runs = self
            .tensors
            .keys()
            .filter(|(_, role, _)| *role != Role::Float);
        of_runs.map(|&(run, ..)| run)
    }

    /// Makes at least so many runs, of which some may have no tensors.
    pub fn reserve(&mut self, count: usize) {
        self.reserved = self.reserved.max(count);
    }

    /// The positions that have a tensor of this role in a run.
    pub fn positions(&self, run: usize, role: Role) -> impl Iterator<Item = usize> + '_ {
        self.tensors
            .range((run, role, 0)..=(run, role, usize::MAX))
            .map(|((_, _, i), _)| *i)
    }

    /// All tensors of a role, with run and position.
    pub fn all(&self, role: Role) -> impl Iterator<Item = (usize, usize, &TensorData)> {
        let of_role = move |(&(run, r, i), data)| (r == role).then_some((run, i, data));
        self.tensors.iter().filter_map(of_role)
    }

    /// Keeps the tensors for which `is_kept` is true.
    pub fn retain(&mut self, mut is_kept: impl FnMut(usize, Role, usize, &TensorData) -> bool) {
        self.tensors
            .retain(|&(run, role, i), data| is_kept(run, role, i, data));
    }

    /// Refuses a gap in the run numbers: the missing run would execute without inputs.
    fn check_order(&self) -> Result<(), Error> {
        let mut next = 0;
        for run in self.numbers() {
            if run > next {
                let message = format!(
                    "run {run} has tensors, but run {next} has none; number runs from 0 on"
                );
                return Err(Error::new(message));
            }
            next = run + 1;
        }
        Ok(())
    }

    /// Names of tensors with other roles, such as `0.cmsis.0`.
    pub fn others(&self) -> &[String] {
        &self.others
    }
}

/// The name of a tensor in a file.
pub fn name(run: usize, role: Role, position: usize) -> String {
    format!("{run}.{}.{position}", role.text())
}

type Named = (usize, Result<Role, ()>, usize);

/// The run, role and position that a name states. Each has one spelling: no sign, no leading zero.
fn parse_name(name: &str) -> Option<Named> {
    let number = |text: &str| {
        let value: usize = text.parse().ok()?;
        (value.to_string() == text).then_some(value)
    };
    let mut parts = name.split('.');
    let (run, role, position) = (parts.next()?, parts.next()?, parts.next()?);
    let named = (number(run)?, role.parse(), number(position)?);
    parts.next().is_none().then_some(named)
}

fn from_safetensors(dtype: Dtype) -> Option<DType> {
    Some(match dtype {
        Dtype::BOOL => DType::Bool,
        Dtype::U8 => DType::U8,
        Dtype::I8 => DType::I8,
        Dtype::I16 => DType::I16,
        Dtype::I32 => DType::I32,
        Dtype::I64 => DType::I64,
        Dtype::F16 => DType::F16,
        Dtype::BF16 => DType::BF16,
        Dtype::F32 => DType::F32,
        Dtype::F64 => DType::F64,
        _ => return None,
    })
}

fn to_safetensors(dtype: DType) -> Dtype {
    match dtype {
        DType::Bool => Dtype::BOOL,
        DType::U8 => Dtype::U8,
        DType::I8 => Dtype::I8,
        DType::I16 => Dtype::I16,
        DType::I32 => Dtype::I32,
        DType::I64 => Dtype::I64,
        DType::F16 => Dtype::F16,
        DType::BF16 => Dtype::BF16,
        DType::F32 => Dtype::F32,
        DType::F64 => Dtype::F64,
    }
}

//! Schemas: an op's argument names, their order and defaults, parsed from `ns.op.overload(a, b=1, *, c)`.

use crate::call::Arg;
use crate::call::error::Problem;
use kiln_ir::Dim;

/// A parameter of an op.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// The default: the argument of a call that leaves the parameter out. `None`: a call must give the argument.
    pub default: Option<Arg>,
}

/// The schema of one overload.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// The full name: `aten.add.Tensor`.
    pub target: &'static str,
    /// The parameters: positional ones in order, then keyword-only ones.
    pub parameters: Vec<Parameter>,
    /// The number of parameters that may be given by position.
    pub positional: usize,
}

impl Schema {
    /// Parses `target(name, name=default, *, name=default)`; `None` if it is malformed.
    pub fn parse(text: &'static str) -> Option<Schema> {
        let (target, rest) = text.split_once('(')?;
        let list = rest.strip_suffix(')')?;
        let mut schema = Schema {
            target,
            parameters: Vec::new(),
            positional: 0,
        };
        let mut keyword_only = false;
        for item in list.split(", ").filter(|s| !s.is_empty()) {
            if item == "*" {
                keyword_only = true;
                continue;
            }
            schema.parameters.push(parameter(item)?);
            schema.positional += usize::from(!keyword_only);
        }
        Some(schema)
    }

    /// The index of the parameter called `name`.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|p| p.name == name)
    }

    /// The arguments of a call in the order of the parameters, with defaults filled in.
    ///
    /// # Errors
    /// If an argument is missing, is not in the schema, or is given twice.
    pub fn bind(&self, args: &[(String, Arg)]) -> Result<Vec<Arg>, Problem> {
        let mut bound: Vec<Option<Arg>> = vec![None; self.parameters.len()];
        for (index, (name, arg)) in args.iter().enumerate() {
            let slot = if name.is_empty() {
                Some(index).filter(|&i| i < self.positional)
            } else {
                self.position(name)
            };
            match slot {
                Some(slot) if bound[slot].is_none() => bound[slot] = Some(arg.clone()),
                _ => return Err(Problem::Surplus(name.clone())),
            }
        }
        bound
            .into_iter()
            .zip(&self.parameters)
            .map(|(arg, p)| arg.or(p.default.clone()).ok_or(Problem::Missing(p.name)))
            .collect()
    }
}

fn parameter(item: &'static str) -> Option<Parameter> {
    match item.split_once('=') {
        None => Some(Parameter {
            name: item,
            default: None,
        }),
        Some((name, value)) => Some(Parameter {
            name,
            default: Some(default(value)?),
        }),
    }
}

fn default(text: &str) -> Option<Arg> {
    match text {
        "None" => Some(Arg::None),
        "True" => Some(Arg::Bool(true)),
        "False" => Some(Arg::Bool(false)),
        "[]" => Some(Arg::Ints(Vec::new())),
        _ => {
            if let Some(word) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
                return Some(Arg::Str(word.into()));
            }
            if let Ok(int) = text.parse::<i64>() {
                return Some(Arg::Int(Dim::constant(int)));
            }
            text.parse::<f64>().ok().map(Arg::Float)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_fill_in_and_names_find_their_place() {
        let schema = Schema::parse("aten.add.Tensor(self, other, *, alpha=1)").unwrap();
        let args = [
            (String::new(), Arg::Float(1.0)),
            ("other".to_string(), Arg::Bool(true)),
        ];
        assert_eq!(
            schema.bind(&args).unwrap(),
            [Arg::Float(1.0), Arg::Bool(true), Arg::Int(1.into())]
        );
        assert_eq!(schema.bind(&args[..1]), Err(Problem::Missing("other")));
        let twice = [args[0].clone(), ("self".to_string(), Arg::None)];
        assert_eq!(schema.bind(&twice), Err(Problem::Surplus("self".into())));
    }
}

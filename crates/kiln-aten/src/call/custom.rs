//! Ops of the user's own libraries, which become calls of kernels. The user names a namespace, or gives an op's schema.

use crate::call::Arg;
use crate::call::error::Problem;
use kiln_ir::Dim;

/// The ops that are calls of the user's kernels.
#[derive(Clone, Debug, PartialEq, std::default::Default)]
pub struct CustomOps {
    namespaces: Vec<String>,
    schemas: Vec<OpSchema>,
}

/// The schema of one overload, as PyTorch registers it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OpSchema {
    /// The full name: `mine.twice.default`.
    target: String,
    parameters: Vec<Parameter>,
    /// The number of parameters that may be given by position.
    positional: usize,
    /// The number of tensors that the op gives, if the schema tells it.
    results: Option<usize>,
}

#[derive(Clone, Debug, PartialEq)]
struct Parameter {
    name: String,
    /// The type without the mark that None may be given.
    ty: String,
    is_optional: bool,
    /// What stands for an argument that a call leaves out.
    default: Default,
}

#[derive(Clone, Debug, PartialEq)]
enum Default {
    /// A call gives the argument.
    None,
    Known(Arg),
    /// A text that is no number, bool or string of its type, such as a device.
    Unread(String),
}

impl CustomOps {
    /// Reads namespaces (`mine`) and schemas (`mine::twice(Tensor x, float by=2.0) -> Tensor`).
    ///
    /// # Errors
    /// A schema is malformed, or an op in it writes to its argument.
    pub fn parse<'t>(texts: impl IntoIterator<Item = &'t str>) -> Result<CustomOps, String> {
        let texts: Vec<&str> = texts.into_iter().collect();
        let mut ops = CustomOps::default();
        for text in &texts {
            if text.contains('(') {
                let namespace = text.split_once("::").map_or("", |(namespace, _)| namespace);
                match OpSchema::parse(text) {
                    Ok(schema) => ops.schemas.push(schema),
                    // Python gives the schemas of all ops of a namespace, of which the model has a few.
                    Err(_) if texts.contains(&namespace) => {}
                    Err(why) => return Err(format!("{text}: {why}")),
                }
            } else if is_name(text) {
                ops.namespaces.push((*text).to_owned());
            } else {
                return Err(format!(
                    "{text}: expected a namespace, or a schema such as \"mine::twice(Tensor x, float by=2.0) -> Tensor\""
                ));
            }
        }
        Ok(ops)
    }

    /// True if an op, `namespace.op.overload`, is one of them.
    pub fn holds(&self, target: &str) -> bool {
        let found = target.split_once('.').map(|(namespace, _)| namespace);
        let by_namespace =
            found.is_some_and(|found| self.namespaces.iter().any(|own| own == found));
        by_namespace || self.schema(target).is_some()
    }

    /// True if the schema of the op whose results this kernel writes is known.
    pub fn tells_arguments_of(&self, kernel: &str) -> bool {
        let mut kernels = self
            .schemas
            .iter()
            .filter_map(|schema| self::kernel(&schema.target));
        kernels.any(|own| own == kernel)
    }

    /// The schema of an op, if it was given.
    pub(crate) fn schema(&self, target: &str) -> Option<&OpSchema> {
        self.schemas.iter().find(|schema| schema.target == target)
    }
}

/// The kernel that writes the results of an op: `ns.op.default` is `ns::op.out`, `ns.op.Scalar` is `ns::op.Scalar_out`.
pub(crate) fn kernel(target: &str) -> Option<String> {
    let (namespace, rest) = target.split_once('.')?;
    Some(match rest.split_once('.') {
        None | Some((_, "default")) => {
            let op = rest.split('.').next()?;
            format!("{namespace}::{op}.out")
        }
        Some((op, overload)) => format!("{namespace}::{op}.{overload}_out"),
    })
}

impl OpSchema {
    fn parse(text: &str) -> Result<OpSchema, String> {
        let (name, rest) = text.split_once('(').unwrap_or((text, ""));
        let named = name.trim().split_once("::");
        let (namespace, op) = named.ok_or("expected a name as namespace::op")?;
        let (op, overload) = op.split_once('.').unwrap_or((op, "default"));
        if ![namespace, op, overload].into_iter().all(is_name) {
            return Err(format!("{} is not a name as namespace::op", name.trim()));
        }
        let mut schema = OpSchema {
            target: format!("{namespace}.{op}.{overload}"),
            parameters: Vec::new(),
            positional: 0,
            results: None,
        };
        let (items, behind) = items(rest)?;
        schema.results = results(behind)?;
        let mut is_keyword = false;
        for item in items {
            if item == "*" {
                is_keyword = true;
                continue;
            }
            schema.parameters.push(Parameter::parse(item)?);
            schema.positional += usize::from(!is_keyword);
        }
        Ok(schema)
    }

    /// Refuses a call that gives another number of tensors.
    pub(crate) fn check_results(&self, given: usize) -> Result<(), Problem> {
        match self.results {
            Some(declared) if declared != given => {
                let results = match declared {
                    1 => "1 result".to_owned(),
                    n => format!("{n} results"),
                };
                Err(Problem::unsupported(format!(
                    "the schema has {results}, and the model's op gives {given}; give the schema that PyTorch has of the op"
                )))
            }
            _ => Ok(()),
        }
    }

    /// The arguments of a call in the order of the parameters, with defaults filled in.
    pub(crate) fn bind(&self, given: &[(String, Arg)]) -> Result<Vec<(String, Arg)>, Problem> {
        let mut bound: Vec<Option<Arg>> = vec![None; self.parameters.len()];
        for (index, (name, arg)) in given.iter().enumerate() {
            let named = self.parameters.iter().position(|own| own.name == *name);
            let slot = match name.is_empty() {
                true => Some(index).filter(|&index| index < self.positional),
                false => named,
            };
            let free = slot.filter(|&slot| bound[slot].is_none());
            let slot = free.ok_or_else(|| Problem::Surplus(name.clone()))?;
            bound[slot] = Some(self.parameters[slot].converted(arg)?);
        }
        let arguments = bound.into_iter().zip(&self.parameters).map(|(arg, own)| {
            let name = &own.name;
            let default = || match &own.default {
                Default::Known(arg) => Ok(arg.clone()),
                Default::None => Err("and its schema no default for it".to_owned()),
                Default::Unread(text) => Err(format!("and `{text}` is no default that Kiln reads")),
            };
            let missing =
                |why| Problem::unsupported(format!("the call has no argument `{name}`, {why}"));
            let arg = arg.map_or_else(|| default().map_err(missing), Ok)?;
            Ok((name.clone(), arg))
        });
        arguments.collect()
    }
}

impl Parameter {
    /// Parses `type name` or `type name=default`.
    fn parse(item: &str) -> Result<Parameter, String> {
        let (declared, default) = match item.split_once('=') {
            Some((declared, default)) => (declared, Some(default.trim())),
            None => (item, None),
        };
        let parts = declared.trim().rsplit_once(' ');
        let (ty, name) = parts.ok_or_else(|| format!("`{item}` is not a type and a name"))?;
        if ty.contains('!') {
            return Err(format!(
                "it writes to its argument `{name}`; give the op a form without writes"
            ));
        }
        let (ty, is_optional) = match ty.strip_suffix('?') {
            Some(ty) => (ty, true),
            None => (ty, false),
        };
        let default = default.map_or(Default::None, |text| match constant(ty, text) {
            Some(arg) => Default::Known(arg),
            None => Default::Unread(text.to_owned()),
        });
        Ok(Parameter {
            name: name.to_owned(),
            ty: ty.to_owned(),
            is_optional,
            default,
        })
    }

    /// The argument as a kernel gets it: of the declared type, where PyTorch takes another for it.
    fn converted(&self, arg: &Arg) -> Result<Arg, Problem> {
        let (base, list) = match self.ty.split_once('[') {
            Some((base, rest)) => (base.trim_end_matches('?'), rest.strip_suffix(']')),
            None => (self.ty.as_str(), None),
        };
        let found = match arg {
            Arg::None => self.is_optional.then_some(Arg::None),
            arg => match list {
                Some(count) => as_list(base, count.parse().ok(), arg),
                None => as_one(base, arg),
            },
        };
        found.ok_or_else(|| {
            let (ty, name) = (&self.ty, &self.name);
            let mark = if self.is_optional { "?" } else { "" };
            Problem::unsupported(format!(
                "the schema's `{ty}{mark} {name}` is {} in the model; give the schema that PyTorch has of the op",
                arg.describe()
            ))
        })
    }
}

/// An argument of a type that is no list. Of types that Kiln does not read, such as a device, any is.
fn as_one(ty: &str, arg: &Arg) -> Option<Arg> {
    let is_it = match ty {
        "Tensor" => matches!(arg, Arg::Tensor(_) | Arg::Complex { .. } | Arg::Wrapper(_)),
        "int" | "SymInt" => matches!(arg, Arg::Int(_) | Arg::Number(_)),
        "float" => match arg {
            Arg::Int(dim) => return Some(dim.as_const().map_or(arg.clone(), float)),
            _ => matches!(arg, Arg::Float(_) | Arg::Number(_)),
        },
        "bool" => matches!(arg, Arg::Bool(_) | Arg::Number(_)),
        "str" => matches!(arg, Arg::Str(_)),
        "Scalar" => {
            matches!(
                arg,
                Arg::Int(_) | Arg::Float(_) | Arg::Bool(_) | Arg::Number(_)
            )
        }
        _ => true,
    };
    is_it.then(|| arg.clone())
}

/// An argument of a list type, of so many elements if the type says so: one number stands for all of these then.
fn as_list(base: &str, count: Option<usize>, arg: &Arg) -> Option<Arg> {
    // An exporter without the schema writes any empty list as one of ints.
    let is_empty = matches!(arg, Arg::Ints(ints) if ints.is_empty());
    match (base, arg) {
        ("Tensor", _) if is_empty => Some(Arg::Tensors(Vec::new())),
        ("float", _) if is_empty => Some(Arg::Floats(Vec::new())),
        ("bool", _) if is_empty => Some(Arg::Bools(Vec::new())),
        ("Tensor", Arg::Tensors(_) | Arg::OptionalTensors(_))
        | ("int" | "SymInt", Arg::Ints(_))
        | ("float", Arg::Floats(_))
        | ("bool", Arg::Bools(_)) => Some(arg.clone()),
        ("int" | "SymInt", Arg::Int(dim)) => Some(Arg::Ints(vec![dim.clone(); count?])),
        ("float", Arg::Float(number)) => Some(Arg::Floats(vec![*number; count?])),
        ("float", Arg::Ints(ints)) => {
            let ints = ints.iter().map(|dim| Some(dim.as_const()? as f64));
            Some(Arg::Floats(ints.collect::<Option<_>>()?))
        }
        ("Tensor" | "int" | "SymInt" | "float" | "bool", _) => None,
        _ => Some(arg.clone()),
    }
}

fn float(int: i64) -> Arg {
    Arg::Float(int as f64)
}

/// A default of this type.
fn constant(ty: &str, text: &str) -> Option<Arg> {
    let int = |text: &str| Some(Dim::constant(text.trim().parse().ok()?));
    let list = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    Some(match (ty.split('[').next()?, ty.contains('[')) {
        _ if text == "None" => Arg::None,
        ("float", false) => Arg::Float(text.parse().ok()?),
        ("int" | "SymInt", false) => Arg::Int(int(text)?),
        ("bool", false) => Arg::Bool(match text {
            "True" => true,
            "False" => false,
            _ => return None,
        }),
        ("str", false) => {
            // An escape is not read: the kernel would get it as it is.
            let quote = text.chars().next().filter(|first| "'\"".contains(*first))?;
            if text.contains('\\') {
                return None;
            }
            Arg::Str(text.strip_prefix(quote)?.strip_suffix(quote)?.to_owned())
        }
        ("Scalar", false) => match int(text) {
            Some(int) => Arg::Int(int),
            None => Arg::Float(text.parse().ok()?),
        },
        ("int" | "SymInt", true) => match (list, ty.split(['[', ']']).nth(1)?.parse::<usize>()) {
            (Some(list), _) => {
                let items = list.split(',').filter(|item| !item.trim().is_empty());
                Arg::Ints(items.map(int).collect::<Option<_>>()?)
            }
            // One number stands for a list of that many.
            (None, Ok(count)) => Arg::Ints(vec![int(text)?; count]),
            (None, Err(_)) => return None,
        },
        _ => return None,
    })
}

/// The number of tensors in the results that a schema declares behind its parameters, if it tells one.
///
/// # Errors
/// There is no arrow, or a result is no tensor, so that no kernel could write it.
fn results(text: &str) -> Result<Option<usize>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let declared = text.trim().strip_prefix("->").map(str::trim);
    let declared = declared.filter(|declared| !declared.is_empty());
    let declared = declared.ok_or("expected `-> Tensor` behind the parameters")?;
    let several = declared
        .strip_prefix('(')
        .map(|rest| items(rest))
        .transpose()?;
    let types = several.map_or(vec![declared], |(types, _)| types);
    let mut count = Some(types.len());
    for ty in &types {
        // Behind the type are its alias, as in `Tensor(a)`, and a name.
        let end = ty.find(|c: char| !c.is_ascii_alphanumeric());
        let (base, rest) = ty.split_at(end.unwrap_or(ty.len()));
        if base != "Tensor" {
            return Err(format!("its result is `{ty}`; kernels give tensors"));
        }
        // The model tells how many a list has, and whether an optional one is there.
        if rest.contains(['[', '?']) {
            count = None;
        }
    }
    Ok(count)
}

/// The parameters of a list that ends with its closing bracket, and what is behind that.
fn items(list: &str) -> Result<(Vec<&str>, &str), String> {
    let (mut items, mut start, mut depth, mut quote) = (Vec::new(), 0, 0, None);
    let mut is_escaped = false;
    for (at, c) in list.char_indices() {
        match (quote, c) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(open), _) => quote = Some(open).filter(|&open| open != c),
            (None, '\'' | '"') => quote = Some(c),
            (None, '[' | '(') => depth += 1,
            (None, ',' | ')') if depth == 0 => {
                items.push(list[start..at].trim());
                start = at + 1;
                if c == ')' {
                    items.retain(|item| !item.is_empty());
                    return Ok((items, &list[at + 1..]));
                }
            }
            (None, ']' | ')') => depth -= 1,
            _ => {}
        }
    }
    Err("the list of parameters has no end".to_owned())
}

fn is_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !text.is_empty() && text.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::call::Tensor;

    fn bound(schema: &str, given: &[(&str, Arg)]) -> Result<Vec<Arg>, Problem> {
        let schema = OpSchema::parse(schema).unwrap();
        let given = given
            .iter()
            .map(|(name, arg)| ((*name).to_owned(), arg.clone()));
        let bound = schema.bind(&given.collect::<Vec<_>>())?;
        Ok(bound.into_iter().map(|(_, arg)| arg).collect())
    }

    /// Any tensor.
    fn tensor() -> Arg {
        Arg::Tensor(Tensor(0))
    }

    fn int(value: i64) -> Arg {
        Arg::Int(Dim::constant(value))
    }

    #[test]
    fn defaults_take_the_places_of_what_archives_leave_out() {
        let schema = "mine::op(Tensor x, float a=2., int[2] p=1, *, str? m=None, int[] d=[1, 2], str how='a, b', Scalar s=3) -> (Tensor, Tensor)";
        let ints = |ints: &[i64]| Arg::Ints(ints.iter().map(|&i| Dim::constant(i)).collect());
        let rest = [Arg::None, ints(&[1, 2]), Arg::Str("a, b".into()), int(3)];
        let all = bound(schema, &[("x", tensor())]).unwrap();
        let first = [tensor(), Arg::Float(2.0), ints(&[1, 1])];
        assert_eq!(all, [&first[..], &rest[..]].concat());
        // An integer for a float, and one behind those that are left out.
        let given = [("x", tensor()), ("a", int(5)), ("s", int(4))];
        let all = bound(schema, &given).unwrap();
        assert_eq!((&all[1], &all[6]), (&Arg::Float(5.0), &int(4)));
    }

    #[test]
    fn calls_that_a_schema_does_not_have_are_refused() {
        let schema = "mine::op(Tensor x, *, int n) -> Tensor";
        let missing = bound(schema, &[("x", tensor())]).unwrap_err();
        assert!(missing.to_string().contains("no argument `n`"), "{missing}");
        let unread = "mine::op(Tensor x, Device d=cpu) -> Tensor";
        let unread = bound(unread, &[("x", tensor())]).unwrap_err();
        assert!(
            unread.to_string().contains("`cpu` is no default"),
            "{unread}"
        );
        let escaped = r#"mine::op(Tensor x, str m="a\"b", int n=2) -> Tensor"#;
        let known = [("x", tensor()), ("m", Arg::Str("c".into()))];
        let all = bound(escaped, &known).unwrap();
        assert_eq!(all[1..], [Arg::Str("c".into()), int(2)]);
        assert!(bound(escaped, &known[..1]).is_err());
        let other = [("x", tensor()), ("n", int(1)), ("y", int(1))];
        assert_eq!(bound(schema, &other), Err(Problem::Surplus("y".into())));
        let by_position = [("", tensor()), ("", int(1))];
        assert!(bound(schema, &by_position).is_err());
    }

    #[test]
    fn arguments_have_the_types_of_the_schema() {
        let schema = "mine::op(Tensor x, int? n=None, int[] d=[1]) -> Tensor";
        let given = |ty: &str, arg: &Arg| {
            let schema = format!("mine::op({ty} x) -> Tensor");
            bound(&schema, &[("x", arg.clone())]).is_ok()
        };
        let args = [
            tensor(),
            int(1),
            Arg::Float(1.0),
            Arg::Bool(true),
            Arg::Str("a".into()),
            Arg::None,
        ];
        for (ty, takes) in [
            ("Tensor", [true, false, false, false, false, false]),
            ("Tensor?", [true, false, false, false, false, true]),
            ("int", [false, true, false, false, false, false]),
            ("int[2]", [false, true, false, false, false, false]),
            ("float[1]?", [false, false, true, false, false, true]),
            ("float", [false, true, true, false, false, false]),
            ("bool", [false, false, false, true, false, false]),
            ("str?", [false, false, false, false, true, true]),
            ("Scalar", [false, true, true, true, false, false]),
            ("Tensor[]", [false; 6]),
            ("SymInt[]", [false; 6]),
            ("Device", [true, true, true, true, true, false]),
        ] {
            assert_eq!(args.each_ref().map(|arg| given(ty, arg)), takes, "{ty}");
        }
        let wrong = bound(schema, &[("x", tensor()), ("n", Arg::Float(1.0))]).unwrap_err();
        let said = "the schema's `int? n` is the float 1.0 in the model";
        assert!(wrong.to_string().contains(said), "{wrong}");
        let lists = "mine::op(float[] a, Tensor[] b, int[2] c, float[2] d)";
        let empty = || Arg::Ints(Vec::new());
        let given = [
            ("a", empty()),
            ("b", empty()),
            ("c", int(3)),
            ("d", Arg::Float(0.5)),
        ];
        let own = [
            Arg::Floats(Vec::new()),
            Arg::Tensors(Vec::new()),
            Arg::Ints(vec![Dim::constant(3); 2]),
            Arg::Floats(vec![0.5; 2]),
        ];
        assert_eq!(bound(lists, &given).unwrap(), own);
    }

    #[test]
    fn results_are_as_many_tensors_as_the_schema_has() {
        let check = |results: &str, given| {
            let schema = OpSchema::parse(&format!("mine::op(Tensor x){results}"));
            schema.unwrap().check_results(given).is_ok()
        };
        assert!(check(" -> Tensor", 1) && !check(" -> Tensor", 2));
        assert!(check(" -> (Tensor a, Tensor)", 2) && !check(" -> (Tensor, Tensor)", 1));
        assert!(check("", 3) && check(" -> Tensor[]", 3) && !check(" -> ()", 1));
        assert!(check(" -> Tensor(a)", 1) && check(" -> (Tensor(a), Tensor(b -> *))", 2));
        assert!(check(" -> Tensor(a)[]", 3) && check(" -> Tensor?", 1));
        for (results, says) in [
            (" -> int", "its result is `int`"),
            (" -> (Tensor[], int)", "its result is `int`"),
            (" Tensor", "expected `-> Tensor`"),
            (" ->", "expected `-> Tensor`"),
        ] {
            let refused = OpSchema::parse(&format!("mine::op(Tensor x){results}")).unwrap_err();
            assert!(refused.contains(says), "{refused}");
        }
    }

    #[test]
    fn texts_are_namespaces_or_schemas() {
        let ops = CustomOps::parse(["mine", "other::one.Scalar(Tensor x) -> Tensor"]).unwrap();
        let held = [
            "mine.any.default",
            "other.one.Scalar",
            "other.one.default",
            "mines.a.default",
        ];
        assert_eq!(held.map(|op| ops.holds(op)), [true, true, false, false]);
        assert!(ops.tells_arguments_of("other::one.Scalar_out"));
        assert!(!ops.tells_arguments_of("mine::any.out"));
        assert!(CustomOps::parse(["mine::op(...) -> Tensor", "mine"]).is_ok());
        for (text, why) in [
            ("mine::op(...) -> Tensor", "not a type and a name"),
            ("mine::op", "expected a namespace"),
            ("mine.op(Tensor x)", "namespace::op"),
            ("mine::op(Tensor x", "has no end"),
            ("mine::op(x)", "not a type and a name"),
            (
                "mine::op(Tensor(a!) x) -> Tensor",
                "writes to its argument `x`",
            ),
        ] {
            let found = CustomOps::parse([text]).unwrap_err();
            assert!(found.contains(why), "{text}: {found}");
        }
    }
}

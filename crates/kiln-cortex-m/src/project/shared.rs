//! Constant structs that several calls are given: each is defined once.

use super::Project;
use super::arguments::Written;
use super::literal::WIDTH;
use super::name::Names;
use super::symbols::Symbols;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// A constant struct.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Constant {
    /// Its C type.
    pub ty: &'static str,
    /// Its members with their values, as an initialiser has them.
    pub members: Vec<String>,
}

impl Constant {
    /// The definition under this name, indented.
    pub fn definition(&self, name: &str, indent: usize) -> String {
        definition(
            &format!("static const {} {name}", self.ty),
            &self.members,
            indent,
        )
    }
}

/// The definition of a struct: in one line, or with a line for each member.
pub(super) fn definition(head: &str, members: &[String], indent: usize) -> String {
    let line = format!("{head} = {{{}}};", members.join(", "));
    match indent + line.len() <= WIDTH {
        true => line,
        false => {
            let members = members.iter().map(|member| format!("    {member},\n"));
            format!("{head} = {{\n{}}};", members.collect::<String>())
        }
    }
}

/// The structs that would be written more than once, with their names.
#[derive(Debug, Default)]
pub(super) struct Shared(IndexMap<Constant, String, FxBuildHasher>);

impl Shared {
    /// The shared structs of these calls, which have their numbers.
    pub fn of(project: &Project, symbols: &Symbols<'_>, calls: &[(usize, Written)]) -> Shared {
        let mut found = IndexMap::<&Constant, (String, usize), FxBuildHasher>::default();
        for (at, written) in calls {
            let layer = project.program.calls[*at].layer.as_str();
            for (argument, constant) in written.constants() {
                let name = || match layer {
                    "" => argument.to_owned(),
                    layer => format!("{layer}_{argument}"),
                };
                found.entry(constant).or_insert_with(|| (name(), 0)).1 += 1;
            }
        }
        let mut names = Names::without(symbols.taken());
        let repeated = found.into_iter().filter(|(_, (_, count))| *count > 1);
        Shared(
            repeated
                .map(|(constant, (name, _))| (constant.clone(), names.unique(&name)))
                .collect(),
        )
    }

    /// The name of a struct, if it is shared.
    pub fn name(&self, constant: &Constant) -> Option<&str> {
        self.0.get(constant).map(String::as_str)
    }

    /// The definitions.
    pub fn definitions(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let all = self
            .0
            .iter()
            .map(|(constant, name)| constant.definition(name, 0) + "\n");
        format!(
            "\n/* What several calls are given. */\n{}",
            all.collect::<String>()
        )
    }
}

//! Names in C.

use super::reserved;
use rustc_hash::FxHashSet;
use std::fmt;
use std::path::Path;

/// The name of a model in C: a prefix of its functions and files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    /// A name that the user gave.
    ///
    /// # Errors
    /// If it is no C identifier, in words for the user.
    pub fn new(text: &str) -> Result<Name, String> {
        if !is_identifier(text) {
            let rule = "made of letters, digits and underscores, and does not begin with a digit";
            return Err(format!(
                "{text:?} is no C identifier, which is {rule}; give another name, such as {}",
                safe(&identifier(text))
            ));
        }
        let why = if reserved::is_keyword(text) {
            "is a keyword of C or C++".to_owned()
        } else if is_of_compiler(text) {
            "belongs to the compiler: it begins with two underscores, or with one and a capital"
                .to_owned()
        } else if reserved::is_header(text) {
            format!("is the name of a header of C: {text}.h would hide it")
        } else if reserved::is_target(text) {
            "is a target that CMake makes itself".to_owned()
        } else if reserved::is_standard(text) {
            "is a name of C's standard library".to_owned()
        } else if let Some(kernel) = reserved::of_kernels(text) {
            format!("is how names of the kernels begin, such as {kernel}")
        } else {
            return Ok(Name(text.to_owned()));
        };
        Err(format!(
            "{text:?} {why}; give another name, such as {}",
            safe(text)
        ))
    }

    /// The name of a project in this folder: the folder's name, made an identifier.
    pub fn of_folder(folder: &Path) -> Name {
        let resolved = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let text = resolved.file_name().unwrap_or_default().to_string_lossy();
        let text = identifier(&text);
        Name::new(&text).unwrap_or_else(|_| Name(safe(&text)))
    }

    /// The name as macros have it, in upper case.
    pub fn upper(&self) -> String {
        self.0.to_ascii_uppercase()
    }

    /// The name as functions and files have it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a text is an identifier of C; it may be a keyword.
pub fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
    chars.next().is_some_and(starts) && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether C reserves a name for compilers and their libraries.
fn is_of_compiler(text: &str) -> bool {
    let second = text.strip_prefix('_').and_then(|rest| rest.chars().next());
    second.is_some_and(|c| c == '_' || c.is_ascii_uppercase())
}

/// A name like this text that C does not reserve.
fn safe(text: &str) -> String {
    format!("model_{}", text.trim_start_matches('_'))
        .trim_matches('_')
        .into()
}

/// The text with one underscore for each run of characters that no identifier has. It may be empty, or begin with a digit.
fn identifier(text: &str) -> String {
    let mut made = String::new();
    for c in text.chars() {
        match c.is_ascii_alphanumeric() {
            true => made.push(c),
            false if made.ends_with('_') || made.is_empty() => {}
            false => made.push('_'),
        }
    }
    made.trim_end_matches('_').to_owned()
}

/// Names, of which each is given out once.
#[derive(Debug, Default)]
pub(super) struct Names(FxHashSet<String>);

impl Names {
    /// A store that gives out none of these names.
    pub fn without<'a>(taken: impl IntoIterator<Item = &'a str>) -> Names {
        Names(taken.into_iter().map(str::to_owned).collect())
    }

    /// A name like this text. It has a number behind it if the name is taken.
    pub fn unique(&mut self, text: &str) -> String {
        let mut wanted = identifier(text).to_ascii_lowercase();
        if wanted.is_empty() || wanted.starts_with(|c: char| c.is_ascii_digit()) {
            wanted.insert_str(0, if wanted.is_empty() { "data" } else { "data_" });
        }
        let mut numbered = (2..).map(|n| format!("{wanted}_{n}"));
        let mut name = wanted.clone();
        while reserved::is_keyword(&name)
            || reserved::is_standard(&name)
            || !self.0.insert(name.clone())
        {
            name = numbered.next().expect("there are more numbers");
        }
        name
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn names_are_identifiers() {
        for right in [
            "ds_cnn2", "net", "_net", "kiln_net", "relu", "army", "nn", "mains", "int4",
        ] {
            assert_eq!(Name::new(right).unwrap().as_str(), right);
        }
        let why = |text: &str| Name::new(text).unwrap_err();
        for wrong in ["", "2d", "a-b", "é", "a b"] {
            assert!(why(wrong).contains("no C identifier"), "{wrong}");
        }
        for (names, reason) in [
            ("int inline class _Bool true restrict", "a keyword"),
            ("__net _Net", "belongs to the compiler"),
            ("String errno stdint MATH", "a header of C"),
            (
                "NULL printf memcpy main uint8_t INT32_MAX uintptr_t sinf size_t",
                "standard library",
            ),
            (
                "kiln arm ARM cmsis_nn kiln_nn arm_convolve_s8",
                "names of the kernels begin",
            ),
        ] {
            for name in names.split(' ') {
                assert!(why(name).contains(reason), "{name}: {}", why(name));
                // What is advised is taken.
                let (_, advised) = why(name)
                    .split_once("such as model_")
                    .map(|(a, b)| (a.to_owned(), b.to_owned()))
                    .unwrap();
                assert!(Name::new(&format!("model_{advised}")).is_ok(), "{advised}");
            }
        }
    }

    #[test]
    fn names_of_folders_are_made_safe() {
        let of = |folder: &str| Name::of_folder(Path::new(folder)).0;
        for (folder, name) in [
            ("out/DS-CNN 2/", "DS_CNN_2"),
            ("out/f_convT", "f_convT"),
            ("/2d", "model_2d"),
            ("int", "model_int"),
            ("math", "model_math"),
            ("NULL", "model_NULL"),
            ("out/printf/", "model_printf"),
            ("arm", "model_arm"),
            ("kiln_nn", "model_kiln_nn"),
            ("_Bool", "Bool"),
            ("/", "model"),
        ] {
            assert_eq!(of(folder), name, "{folder}");
            assert!(Name::new(&of(folder)).is_ok(), "{folder}");
        }
    }

    #[test]
    fn names_are_given_out_once() {
        let mut names = Names::without(["ctx"]);
        let made = ["x", "X.", "ctx", "int", "3", "", "x"].map(|text| names.unique(text));
        assert_eq!(
            made,
            ["x", "x_2", "ctx_2", "int_2", "data_3", "data", "x_3"]
        );
    }
}

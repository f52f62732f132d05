//! Names in C.

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
        let mut chars = text.chars();
        let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
        let is_identifier = chars.next().is_some_and(starts)
            && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_identifier || is_keyword(text) {
            let rule = "letters, digits and underscores, and no keyword";
            return Err(format!("{text:?} is no C identifier: {rule}"));
        }
        match is_header(text) {
            true => Err(format!(
                "{text:?} is the name of a header of C: {text}.h would hide it"
            )),
            false => Ok(Name(text.to_owned())),
        }
    }

    /// The name of a project in this folder: the folder's name made an identifier.
    pub fn of_folder(folder: &Path) -> Name {
        let resolved = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let text = resolved.file_name().unwrap_or_default().to_string_lossy();
        let text = identifier(&text);
        Name::new(&text).unwrap_or_else(|_| Name(format!("model_{text}").trim_matches('_').into()))
    }

    /// As macros have it.
    pub fn upper(&self) -> String {
        self.0.to_ascii_uppercase()
    }

    /// As functions and files have it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text with one underscore for what an identifier cannot have. It may be empty or begin with a digit.
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

/// Names that are given out, each once.
#[derive(Debug, Default)]
pub(super) struct Names(FxHashSet<String>);

impl Names {
    /// None of these names is given out.
    pub fn without<'a>(taken: impl IntoIterator<Item = &'a str>) -> Names {
        Names(taken.into_iter().map(str::to_owned).collect())
    }

    /// A name like a text, with a number behind it if it is taken.
    pub fn unique(&mut self, text: &str) -> String {
        let mut wanted = identifier(text).to_ascii_lowercase();
        if wanted.is_empty() || wanted.starts_with(|c: char| c.is_ascii_digit()) {
            wanted.insert_str(0, if wanted.is_empty() { "data" } else { "data_" });
        }
        let mut numbered = (2..).map(|n| format!("{wanted}_{n}"));
        let mut name = wanted.clone();
        while is_keyword(&name) || !self.0.insert(name.clone()) {
            name = numbered.next().expect("there are more numbers");
        }
        name
    }
}

/// Whether C or C++ has a meaning for a word.
fn is_keyword(word: &str) -> bool {
    const KEYWORDS: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const \
        constexpr continue decltype default delete do double else enum explicit export extern false float for friend \
        goto if inline int long main mutable namespace new noexcept not not_eq nullptr operator or or_eq private \
        protected public register requires restrict return short signed sizeof static struct switch template this \
        throw true try typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while xor \
        xor_eq";
    KEYWORDS.split(' ').any(|keyword| keyword == word)
}

/// Whether C has a header of this name, which one of a project would hide.
fn is_header(word: &str) -> bool {
    const HEADERS: &str = "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg \
        stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype";
    let word = word.to_ascii_lowercase();
    HEADERS.split(' ').any(|header| header == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers() {
        assert!(Name::new("ds_cnn2").is_ok());
        for wrong in ["", "2d", "a-b", "int", "é", "String"] {
            assert!(Name::new(wrong).is_err(), "{wrong}");
        }
        let of = |folder: &str| Name::of_folder(Path::new(folder)).0;
        assert_eq!(of("out/DS-CNN 2/"), "DS_CNN_2");
        assert_eq!(of("out/f_convT"), "f_convT");
        assert_eq!(of("/2d"), "model_2d");
        assert_eq!(of("int"), "model_int");
        assert_eq!(of("math"), "model_math");
        assert_eq!(of("/"), "model");
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

//! Names of values in the archive, as FX gives them: words that Python takes for variables, each once.

use rustc_hash::{FxHashMap, FxHashSet};

/// Python's keywords that a name of an op or an input could be.
const KEYWORDS: [&str; 16] = [
    "and", "as", "assert", "class", "def", "del", "for", "from", "if", "in", "is", "lambda", "not",
    "or", "pass", "return",
];

/// The names in use.
#[derive(Default)]
pub(crate) struct Names {
    taken: FxHashSet<String>,
    /// The last number behind a word.
    numbers: FxHashMap<String, usize>,
}

impl Names {
    /// Takes a name as it is.
    pub(crate) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// A new name that begins with this word.
    pub(crate) fn unique(&mut self, word: &str) -> String {
        let word = identifier(word);
        if self.taken.insert(word.clone()) {
            return word;
        }
        let number = self.numbers.entry(word.clone()).or_default();
        loop {
            *number += 1;
            let name = format!("{word}_{number}");
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// The text with everything replaced that no variable of Python has.
fn identifier(text: &str) -> String {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut word: String = text
        .chars()
        .map(|c| if is_fit(c) { c } else { '_' })
        .collect();
    if word.is_empty()
        || word.starts_with(|c: char| c.is_ascii_digit())
        || KEYWORDS.contains(&word.as_str())
    {
        word.insert(0, '_');
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_variables_and_occur_once() {
        let mut names = Names::default();
        names.reserve("x");
        let given = ["x", "x", "0.weight", "", "if", "x_1"].map(|word| names.unique(word));
        assert_eq!(given, ["x_1", "x_2", "_0_weight", "_", "_if", "x_1_1"]);
    }
}

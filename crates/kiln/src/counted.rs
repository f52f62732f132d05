//! Counted nouns for messages.

/// `1 delegate`, `2 delegates`, `2 passes`, `2 copies`.
pub fn counted(count: usize, noun: &str) -> String {
    match noun.strip_suffix("py") {
        _ if count == 1 => format!("1 {noun}"),
        Some(stem) => format!("{count} {stem}pies"),
        None if noun.ends_with('s') => format!("{count} {noun}es"),
        None => format!("{count} {noun}s"),
    }
}

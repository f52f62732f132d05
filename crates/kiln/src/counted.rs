//! Counted nouns for messages.

/// `1 delegate`, `2 delegates`, `2 passes`.
pub fn counted(count: usize, noun: &str) -> String {
    let plural = match count {
        1 => "",
        _ if noun.ends_with('s') => "es",
        _ => "s",
    };
    format!("{count} {noun}{plural}")
}

//! Numbers of things in words.

/// `1 delegate`, `2 delegates`.
pub fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

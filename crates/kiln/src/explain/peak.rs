//! Which buffers hold the most bytes of an arena, and at which call.

use kiln_target::{Arena, Block, BlockKind};

/// The number of buffers that are listed; the others are counted.
const MAX_BLOCKS: usize = 12;

/// The call at which the most bytes are held; `None` without calls.
pub fn call_text(arena: &Arena) -> Option<String> {
    let (call, bytes) = arena.peak()?;
    let of = arena.calls.len();
    let text = arena.calls[call].text();
    Some(format!("{bytes} bytes at call {call} of {of}, {text}"))
}

/// What is held at that call, a line each, the most first.
pub fn lines(arena: &Arena) -> Vec<String> {
    let Some((call, _)) = arena.peak() else {
        return Vec::new();
    };
    let held = arena.at(call);
    let shown = held.iter().take(MAX_BLOCKS);
    let mut lines: Vec<String> = shown
        .map(|(block, bytes)| line(arena, block, bytes.end - bytes.start))
        .collect();
    if held.len() > MAX_BLOCKS {
        lines.push(format!("and {} more", held.len() - MAX_BLOCKS));
    }
    lines
}

fn line(arena: &Arena, block: &Block, bytes: u64) -> String {
    let kind = match block.kind {
        BlockKind::Value | BlockKind::Scratch => String::new(),
        kind => format!("{} ", kind.name()),
    };
    let made = match (block.kind, block.maker) {
        (BlockKind::Scratch, _) | (_, None) => String::new(),
        (_, Some(call)) => format!(", made by {}", arena.calls[call].text()),
    };
    let (name, text) = (&block.name, &block.text);
    match block.kind {
        BlockKind::Scratch => format!("{name}: {bytes} bytes"),
        _ => format!("{kind}{name}: {bytes} bytes of {text}{made}"),
    }
}

/// What makes an arena smaller.
pub fn advice(arena: &Arena) -> String {
    let held = arena.peak().map(|(call, _)| arena.at(call));
    let held = held.unwrap_or_default();
    let largest = held.first().map(|(block, _)| block.kind);
    let less = match largest {
        Some(BlockKind::Input) => "a smaller input",
        Some(BlockKind::State) => "less state",
        _ => "a smaller input, fewer channels, or a larger stride before it",
    };
    let floats = match held.iter().any(|(block, _)| block.text.starts_with("f32")) {
        true => "; floats take four bytes an element, and kiln explain says what to quantise",
        false => "",
    };
    let bytes = arena.bytes;
    format!("allow {bytes} bytes, or give the model less to hold at this call: {less}{floats}")
}

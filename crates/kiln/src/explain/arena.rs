//! The picture of an arena: calls from left to right, bytes from bottom to top, and a shape for each buffer where it lies.
//!
//! A buffer that calls use by parts has steps, since it holds only what is written already and read later. Names are as large as their
//! shapes allow. `arena.js` gives all text one size on the screen, whatever the width and the zoom, so that names of small buffers
//! appear as the picture grows. Numbers are rounded to hundredths of a unit, and the
//! picture is the same for the same arena.

use super::peak;
use kiln_target::{Arena, Block, BlockKind, Span};
use std::fmt::Write;
use std::ops::Range;

/// The part of the picture for the calls and for the bytes, and the room around it: on the left for sizes, below for the names of calls.
const WIDTH: f64 = 1400.0;
const HEIGHT: f64 = 640.0;
const LEFT: f64 = 90.0;
const TOP: f64 = 34.0;
const RIGHT: f64 = 24.0;
const BOTTOM: f64 = 170.0;

/// The smallest and the largest text.
const FONTS: Range<f64> = 0.3..14.0;

/// A letter's width in parts of its height.
const LETTER: f64 = 0.56;

/// The most letters of a call's name, at the largest text below the shapes.
const MAX_LETTERS: usize = 22;

/// The lines that are drawn for sizes, about.
const TICKS: u64 = 8;

/// The picture as an element of a page, which is hidden at first.
pub fn picture(arena: &Arena, method: usize) -> String {
    let drawing = Drawing::of(arena);
    let (width, height) = (LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM);
    let mut svg = format!(
        "<svg class=\"arena\" data-method=\"{method}\" hidden xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" \
         aria-label=\"the arena over the calls\" viewBox=\"0 0 {} {}\" \
         data-plot=\"{} {} {} {}\" data-peak=\"{}\">\n",
        number(width),
        number(height),
        number(LEFT),
        number(TOP),
        number(LEFT + WIDTH),
        number(TOP + HEIGHT),
        escaped(&peak_text(arena))
    );
    svg += &drawing.axes();
    for (i, block) in arena.blocks.iter().enumerate() {
        svg += &drawing.block(i, block);
    }
    svg += &drawing.bounds();
    svg + "</svg>\n"
}

/// The call at which the most is held, and what is held there.
fn peak_text(arena: &Arena) -> String {
    let Some(call) = peak::call_text(arena) else {
        return "nothing is called".into();
    };
    format!("{call}\n{}", peak::lines(arena).join("\n"))
}

struct Drawing<'a> {
    arena: &'a Arena,
    /// The bytes that the height stands for.
    bytes: u64,
}

impl Drawing<'_> {
    fn of(arena: &Arena) -> Drawing<'_> {
        Drawing {
            arena,
            bytes: arena.bytes.max(arena.lower_bound).max(1),
        }
    }

    /// The left border of a call.
    fn x(&self, call: usize) -> f64 {
        LEFT + WIDTH * call as f64 / self.arena.calls.len().max(1) as f64
    }

    fn y(&self, offset: u64) -> f64 {
        TOP + HEIGHT * (1.0 - offset as f64 / self.bytes as f64)
    }

    fn axes(&self) -> String {
        let mut text = String::new();
        let (right, bottom) = (LEFT + WIDTH, TOP + HEIGHT);
        let step = tick(self.bytes);
        for offset in (0..=self.bytes).step_by(step as usize) {
            let y = self.y(offset);
            let _ = writeln!(
                text,
                "<line class=\"tick\" x1=\"{}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\"/><text class=\"axis bytes\" font-size=\"11\" x=\"{}\" y=\"{y}\" \
                 text-anchor=\"end\" dominant-baseline=\"central\">{offset}</text>",
                number(LEFT),
                number(right),
                number(LEFT - 6.0),
                y = number(y),
            );
        }
        let font = (WIDTH / self.arena.calls.len().max(1) as f64 * 0.8).min(11.0);
        for (at, call) in self.arena.calls.iter().enumerate() {
            let (x, y) = ((self.x(at) + self.x(at + 1)) / 2.0, bottom + 6.0);
            let name = match call.layer.is_empty() {
                true => &call.function,
                false => &call.layer,
            };
            let _ = writeln!(
                text,
                "<text class=\"axis call\" font-size=\"{}\" text-anchor=\"end\" dominant-baseline=\"central\" transform=\"translate({} {}) rotate(-90)\">{}\
                 <title>{}</title></text>",
                number(font),
                number(x),
                number(y),
                escaped(&shortened(&format!("{at} {name}"), MAX_LETTERS)),
                escaped(&format!("call {at}: {}", call.text())),
            );
        }
        text
    }

    /// The lines of the arena's size and of the lower bound, and the call at which the most is held.
    fn bounds(&self) -> String {
        let arena = self.arena;
        let line = |class: &str, offset: u64| {
            format!(
                "<line class=\"{class}\" x1=\"{}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\"/>\n",
                number(LEFT),
                number(LEFT + WIDTH),
                y = number(self.y(offset))
            )
        };
        let mut text = line("size", arena.bytes) + &line("bound", arena.lower_bound);
        let peak = arena.peak();
        if let Some((call, _)) = peak {
            let (x, end) = (self.x(call), self.x(call + 1));
            let _ = writeln!(
                text,
                "<rect class=\"peak\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                number(x),
                number(TOP),
                number(end - x),
                number(HEIGHT)
            );
        }
        let size = format!(
            "arena {} bytes (line), lower bound of these calls {} (dashes)",
            arena.bytes, arena.lower_bound
        );
        let at = peak.map(|(call, bytes)| format!("most held: {bytes} at call {call}"));
        for (line, y) in std::iter::once(size).chain(at).zip([14, 29]) {
            let x = number(LEFT);
            let _ = writeln!(
                text,
                "<text class=\"title\" font-size=\"12\" x=\"{x}\" y=\"{y}\">{line}</text>"
            );
        }
        text
    }

    fn block(&self, at: usize, block: &Block) -> String {
        let Some(largest) = self.largest(&block.spans) else {
            return String::new();
        };
        let shape = match block.spans.as_slice() {
            [span] => self.rectangle(span),
            spans => self.steps(spans),
        };
        let about = self.about(block);
        format!(
            "<g class=\"block {}\" data-block=\"{at}\"{}><title>{}</title>{shape}{}</g>\n",
            block.kind.name(),
            self.fill(block),
            escaped(&about),
            self.label(&block.name, largest)
        )
    }

    /// The colour of a value: neighbours differ.
    fn fill(&self, block: &Block) -> String {
        match (block.kind, block.maker) {
            (BlockKind::Value, Some(call)) => {
                format!(" style=\"--hue:{}\"", (call * 67 + 130) % 360)
            }
            _ => String::new(),
        }
    }

    fn about(&self, block: &Block) -> String {
        let calls = block.spans.first().zip(block.spans.last());
        let calls = calls.map(|(first, last)| (first.calls.start, last.calls.end - 1));
        let bytes = block.spans.iter().map(|span| &span.bytes);
        let from = bytes.clone().map(|bytes| bytes.start).min().unwrap_or(0);
        let to = bytes.map(|bytes| bytes.end).max().unwrap_or(0);
        let (first, last) = calls.unwrap_or_default();
        let mut text = format!(
            "{} {}: {}\nbytes {from} to {to} of the arena, calls {first} to {last}",
            block.kind.name(),
            block.name,
            block.text
        );
        if let Some(call) = block.maker {
            let _ = write!(text, "\nmade by {}", self.arena.calls[call].text());
        }
        text
    }

    fn corners(&self, span: &Span) -> [f64; 4] {
        let (x, end) = (self.x(span.calls.start), self.x(span.calls.end));
        let (top, bottom) = (self.y(span.bytes.end), self.y(span.bytes.start));
        [x, top, end, bottom]
    }

    fn rectangle(&self, span: &Span) -> String {
        let [x, top, end, bottom] = self.corners(span);
        format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            number(x),
            number(top),
            number(end - x),
            number(bottom - top)
        )
    }

    /// The outline of spans that follow each other; those behind a gap have an outline of their own.
    fn steps(&self, spans: &[Span]) -> String {
        let mut path = String::new();
        for run in spans.chunk_by(|a, b| a.calls.end == b.calls.start) {
            let corners = run.iter().map(|span| self.corners(span));
            let corners: Vec<[f64; 4]> = corners.collect();
            let _ = write!(path, "M{} {}", number(corners[0][0]), number(corners[0][3]));
            for [x, top, end, _] in &corners {
                let _ = write!(path, "L{} {}H{}", number(*x), number(*top), number(*end));
            }
            for [x, _, end, bottom] in corners.iter().rev() {
                let _ = write!(path, "L{} {}H{}", number(*end), number(*bottom), number(*x));
            }
            path.push('Z');
        }
        format!("<path d=\"{path}\"/>")
    }

    /// The span with the most room for a name.
    fn largest<'s>(&self, spans: &'s [Span]) -> Option<&'s Span> {
        let room = |span: &&Span| (span.bytes.end - span.bytes.start) * span.calls.len() as u64;
        spans.iter().max_by_key(room)
    }

    /// The name in its span, along the longer side.
    fn label(&self, name: &str, span: &Span) -> String {
        let [x, top, end, bottom] = self.corners(span);
        let (width, height) = (end - x, bottom - top);
        let letters = name.chars().count().max(1) as f64 * LETTER;
        let lying = (width * 0.94 / letters).min(height * 0.8);
        let standing = (height * 0.94 / letters).min(width * 0.8);
        let font = lying.max(standing).min(FONTS.end);
        if font < FONTS.start {
            return String::new();
        }
        let at = format!(
            "{} {}",
            number((x + end) / 2.0),
            number((top + bottom) / 2.0)
        );
        let turn = if lying >= standing.min(FONTS.end) {
            ""
        } else {
            " rotate(-90)"
        };
        format!(
            "<text font-size=\"{}\" data-lying=\"{}\" data-standing=\"{}\" data-at=\"{at}\" text-anchor=\"middle\" \
             dominant-baseline=\"central\" transform=\"translate({at}){turn}\">{}</text>",
            number(font),
            number(lying),
            number(standing),
            escaped(name)
        )
    }
}

/// A round number of bytes between two lines.
fn tick(bytes: u64) -> u64 {
    let least = bytes.div_ceil(TICKS).max(1);
    let power = 10u64.pow(least.ilog10());
    let found = [1, 2, 5, 10].into_iter().find(|n| n * power >= least);
    found.unwrap_or(10) * power
}

fn number(x: f64) -> String {
    let text = format!("{x:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn shortened(text: &str, most: usize) -> String {
    match text.chars().count() <= most {
        true => text.to_owned(),
        false => text
            .chars()
            .take(most.saturating_sub(1))
            .chain(['…'])
            .collect(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;
    use kiln_target::ArenaCall;

    fn block(name: &str, kind: BlockKind, spans: &[(Range<usize>, Range<u64>)]) -> Block {
        let span = |(calls, bytes): &(Range<usize>, Range<u64>)| Span {
            calls: calls.clone(),
            bytes: bytes.clone(),
        };
        Block {
            name: name.into(),
            text: "i8[64]".into(),
            kind,
            maker: (kind == BlockKind::Value).then_some(0),
            spans: spans.iter().map(span).collect(),
        }
    }

    /// So many values in a chain, each of 64 bytes and held for two calls.
    fn chain(count: usize) -> Arena {
        let call = |i: usize| ArenaCall {
            function: "arm_relu_q7".into(),
            layer: format!("layer<{i}>"),
            source: String::new(),
        };
        let value = |i: usize| {
            let first = 64 * (i as u64 % 2);
            block(
                &format!("v{i}"),
                BlockKind::Value,
                &[(i..(i + 2).min(count), first..first + 64)],
            )
        };
        Arena {
            bytes: 128,
            lower_bound: 120,
            calls: (0..count).map(call).collect(),
            blocks: (0..count).map(value).collect(),
        }
    }

    /// The values of an attribute.
    fn all(svg: &str, attribute: &str) -> Vec<f64> {
        let mark = format!(" {attribute}=\"");
        let parts = svg.split(mark.as_str()).skip(1);
        parts
            .map(|part| part.split('"').next().unwrap().parse().unwrap())
            .collect()
    }

    #[test]
    fn every_buffer_has_a_shape_and_a_name() {
        for count in [1, 10, 500] {
            let svg = picture(&chain(count), 0);
            assert_eq!(svg.matches("<g class=\"block").count(), count);
            assert_eq!(svg.matches("<rect").count(), count + 1, "and the peak");
            for i in 0..count {
                assert!(svg.contains(&format!(">v{i}</text>")), "{count}: v{i}");
            }
            assert!(
                svg.contains("arena 128 bytes (line), lower bound of these calls 120 (dashes)")
            );
            assert!(!svg.contains("layer<"), "names are escaped");
            // No name is larger than the room of two calls.
            let room = WIDTH / count as f64 * 2.0;
            let (_, blocks) = svg.split_once("<g class=").unwrap();
            let (blocks, _) = blocks.split_once("<line class=\"size\"").unwrap();
            let fonts = all(blocks, "font-size");
            assert!(
                fonts.iter().all(|&f| f <= room.min(FONTS.end)),
                "{count}: {fonts:?}"
            );
        }
        assert!(picture(&Arena::default(), 0).contains("nothing is called"));
    }

    /// A buffer that is written in two parts has steps: at call 0 its lower half, at call 1 all, at call 2 its upper half.
    #[test]
    fn a_buffer_that_is_used_by_parts_has_steps() {
        let arena = Arena {
            bytes: 64,
            blocks: vec![block(
                "rows",
                BlockKind::Value,
                &[(0..1, 0..32), (1..2, 0..64), (2..3, 32..64)],
            )],
            ..chain(3)
        };
        let svg = picture(&arena, 0);
        let width = WIDTH / 3.0;
        let x = |call: usize| number(LEFT + width * call as f64);
        let y = |bytes: f64| number(TOP + HEIGHT * (1.0 - bytes / 120.0));
        let upper = format!(
            "M{x0} {low}L{x0} {half}H{x1}L{x1} {full}H{x2}L{x2} {full}H{x3}",
            x0 = x(0),
            x1 = x(1),
            x2 = x(2),
            x3 = x(3),
            low = y(0.0),
            half = y(32.0),
            full = y(64.0),
        );
        assert!(svg.contains(&upper), "{svg}\n{upper}");
        assert!(
            svg.contains("bytes 0 to 64 of the arena, calls 0 to 2"),
            "{svg}"
        );
    }

    #[test]
    fn lines_are_at_round_numbers() {
        assert_eq!(
            [1, 8, 9_600, 28_144, 270_880].map(tick),
            [1, 1, 2_000, 5_000, 50_000]
        );
    }
}

//! The flash of the parts of a program, from the linker's map.

use serde_json::{Map, Value};
use std::path::Path;

/// The bytes of code and of constants by part. `part_of` gives the part of an object by its path; objects without a part do not
/// count.
pub(super) fn of_map<'p>(map: &str, part_of: impl Fn(&Path) -> Option<&'p str>) -> Value {
    let mut parts = Map::new();
    // What comes before are sections that the linker left out.
    let (_, kept) = map
        .split_once("Linker script and memory map")
        .unwrap_or(("", map));
    let mut section = "";
    for line in kept.lines() {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if words.first().is_some_and(|word| word.starts_with('.')) {
            section = words.remove(0);
        }
        // A long name of a section stands in a line of its own.
        let [_, size, file] = words[..] else { continue };
        let is_flash = section.starts_with(".text") || section.starts_with(".rodata");
        let size = size
            .strip_prefix("0x")
            .and_then(|hex| u64::from_str_radix(hex, 16).ok());
        if let (true, Some(size), Some(part)) = (is_flash, size, part_of(Path::new(file))) {
            let sum = parts.get(part).and_then(Value::as_u64).unwrap_or(0);
            parts.insert(part.to_owned(), (sum + size).into());
        }
    }
    parts.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_that_are_kept_count_by_their_object() {
        let map = "Discarded input sections\n\n .text.a 0x0 0x40 a.o\n\nLinker script and memory map\n\n\
                   .text           0x00000000      0x100\n .text.b        0x00000010       0x20 b.o\n \
                   .text.a_long_name_of_a_function\n                0x00000030       0x08 b.o\n \
                   .rodata.c      0x00000040       0x04 c.o\n .data.c        0x20000000       0x04 c.o\n \
                   .text.d        0x00000050       0x10 d.o\n";
        let part_of = |object: &Path| match object.to_str()? {
            "b.o" => Some("kernels"),
            "c.o" => Some("constants"),
            _ => None,
        };
        let found = of_map(map, part_of);
        assert_eq!(found, serde_json::json!({"kernels": 0x28, "constants": 4}));
    }
}

//! The encoder of flatbuffers, from front to back: tables, then strings, then data, whose bytes are only laid out here.
//!
//! An offset points forward, so a table comes before what it refers to, and the bytes of constants can be streamed at
//! the end.

use super::IDENTIFIER;
use indexmap::IndexMap;

/// The value of a field.
pub(super) enum Field {
    /// One byte: a bool, or the tag of a union.
    Byte(u8),
    /// Four bytes: a number, or an enum.
    Word(u32),
    /// A table.
    Table(Table),
    /// A string. Equal strings are stored once.
    String(String),
    /// A vector of numbers.
    Words(Vec<u32>),
    /// A vector of a few bytes, aligned to 8.
    Bytes(Vec<u8>),
    /// A vector of strings.
    Strings(Vec<String>),
    /// A vector of tables.
    Tables(Vec<Table>),
    /// Data whose bytes are written later, by its number.
    Data(usize),
}

/// A table: its fields by slot.
#[derive(Default)]
pub(super) struct Table(Vec<Option<Field>>);

impl Table {
    /// Sets the field of a slot.
    pub fn with(mut self, slot: usize, field: Field) -> Self {
        if self.0.len() <= slot {
            self.0.resize_with(slot + 1, || None);
        }
        self.0[slot] = Some(field);
        self
    }

    /// Sets a bool. False is the default and stays absent.
    pub fn flag(self, slot: usize, set: bool) -> Self {
        if set {
            self.with(slot, Field::Byte(1))
        } else {
            self
        }
    }

    /// Sets a number. 0 is the default and stays absent.
    pub fn number(self, slot: usize, number: u32) -> Self {
        if number == 0 {
            self
        } else {
            self.with(slot, Field::Word(number))
        }
    }
}

/// The bytes before the data.
#[derive(Default)]
pub(super) struct Encoder {
    bytes: Vec<u8>,
    /// The tables that share each vtable.
    vtables: IndexMap<Vec<u16>, Vec<usize>>,
    /// The positions that refer to each string.
    strings: IndexMap<String, Vec<usize>>,
    /// The positions that refer to data, with its number.
    data: Vec<(usize, usize)>,
}

/// A table, a string or a vector that is still to be written, with the position of its offset.
type Pending = Vec<(usize, Field)>;

/// The alignment of data, in bytes.
pub(super) const ALIGNMENT: usize = 8;
const WORD: usize = 4;

impl Encoder {
    /// The bytes of the tables and strings under a root, and the positions that refer to data.
    pub fn encode(root: Table) -> (Vec<u8>, Vec<(usize, usize)>) {
        let mut encoder = Encoder::default();
        encoder.bytes.extend([0; WORD]);
        encoder.bytes.extend(IDENTIFIER);
        let start = encoder.table(root);
        encoder.bytes[..WORD].copy_from_slice(&(start as u32).to_le_bytes());
        encoder.all_vtables();
        encoder.all_strings();
        (encoder.bytes, encoder.data)
    }

    /// Writes zeros, so that `ahead` more bytes end at a multiple of the alignment.
    fn align(&mut self, alignment: usize, ahead: usize) {
        let end = (self.bytes.len() + ahead).next_multiple_of(alignment);
        self.bytes.resize(end - ahead, 0);
    }

    fn word(&mut self, word: u32) {
        self.bytes.extend(word.to_le_bytes());
    }

    /// Makes the offset at a position point to the end.
    fn refer(&mut self, place: usize) {
        let distance = (self.bytes.len() - place) as u32;
        self.bytes[place..place + WORD].copy_from_slice(&distance.to_le_bytes());
    }

    /// Writes a table and what it refers to, and gives its position.
    fn table(&mut self, table: Table) -> usize {
        let offsets = field_offsets(&table);
        self.align(WORD, 0);
        let start = self.bytes.len();
        self.bytes.resize(start + usize::from(offsets[1]), 0);
        let mut pending = Pending::new();
        for (i, field) in table.0.into_iter().enumerate() {
            let place = start + usize::from(offsets[i + 2]);
            match field {
                None => {}
                Some(Field::Byte(byte)) => self.bytes[place] = byte,
                Some(Field::Word(word)) => {
                    self.bytes[place..place + WORD].copy_from_slice(&word.to_le_bytes());
                }
                Some(other) => pending.push((place, other)),
            }
        }
        self.vtables.entry(offsets).or_default().push(start);
        self.children(pending);
        start
    }

    fn children(&mut self, pending: Pending) {
        for (place, field) in pending {
            match field {
                Field::Byte(_) | Field::Word(_) => unreachable!("these are in the table itself"),
                Field::Table(table) => {
                    let start = self.table(table);
                    let distance = (start - place) as u32;
                    self.bytes[place..place + WORD].copy_from_slice(&distance.to_le_bytes());
                }
                Field::String(text) => self.strings.entry(text).or_default().push(place),
                Field::Words(words) => {
                    self.vector(place, WORD, words.len());
                    words.into_iter().for_each(|word| self.word(word));
                }
                Field::Bytes(bytes) => {
                    self.vector(place, ALIGNMENT, bytes.len());
                    self.bytes.extend(bytes);
                }
                Field::Strings(texts) => {
                    let first = self.slots(place, texts.len());
                    for (i, text) in texts.into_iter().enumerate() {
                        self.strings.entry(text).or_default().push(first + i * WORD);
                    }
                }
                Field::Tables(tables) => {
                    let first = self.slots(place, tables.len());
                    let places = (0..).map(|i| first + i * WORD);
                    let tables = tables.into_iter().map(Field::Table);
                    self.children(places.zip(tables).collect());
                }
                Field::Data(number) => self.data.push((place, number)),
            }
        }
    }

    /// Begins a vector. The offset at a position points to it.
    fn vector(&mut self, place: usize, alignment: usize, len: usize) {
        self.align(alignment, WORD);
        self.refer(place);
        self.word(len as u32);
    }

    /// A vector of offsets that are still 0. Gives the position of the first.
    fn slots(&mut self, place: usize, len: usize) -> usize {
        self.vector(place, WORD, len);
        let first = self.bytes.len();
        self.bytes.resize(first + len * WORD, 0);
        first
    }

    /// The vtables follow their tables: planus does not find one that comes before its table.
    fn all_vtables(&mut self) {
        for (entries, tables) in std::mem::take(&mut self.vtables) {
            self.align(2, 0);
            for table in tables {
                let back = table as i64 - self.bytes.len() as i64;
                self.bytes[table..table + WORD].copy_from_slice(&(back as i32).to_le_bytes());
            }
            let bytes = entries.iter().flat_map(|entry| entry.to_le_bytes());
            self.bytes.extend(bytes);
        }
    }

    fn all_strings(&mut self) {
        for (text, places) in std::mem::take(&mut self.strings) {
            self.align(WORD, 0);
            for place in places {
                self.refer(place);
            }
            self.word(text.len() as u32);
            self.bytes.extend(text.as_bytes());
            self.bytes.push(0);
        }
    }
}

/// The entries of a table's vtable: the lengths of the vtable and of the table, then the position of each field. Fields
/// of four bytes come before those of one.
fn field_offsets(table: &Table) -> Vec<u16> {
    let mut entries = vec![0; table.0.len() + 2];
    let mut at = WORD as u16;
    for is_byte in [false, true] {
        for (i, field) in table.0.iter().enumerate() {
            match field {
                Some(field) if matches!(field, Field::Byte(_)) == is_byte => {
                    entries[i + 2] = at;
                    at += if is_byte { 1 } else { WORD as u16 };
                }
                _ => {}
            }
        }
    }
    entries[0] = 2 * entries.len() as u16;
    entries[1] = at;
    entries
}

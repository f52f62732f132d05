//! The text form of problems and plans: one buffer per line, `id,lower,upper,size[,alignment][,offset]`. The first line
//! names the columns.
//!
//! The columns may have any order. A live range is `[lower, upper)`. An empty alignment is 1. An empty offset leaves
//! the buffer free, any other pins it. Fields are not quoted, so an id has no comma or line break. Blank lines, a byte
//! order mark and carriage returns are ignored.

use std::collections::HashSet;
use std::fmt::Write;

use thiserror::Error;

use crate::{Buffer, Problem};

/// The columns of a problem file, in the order in which they are written.
const COLUMNS: [&str; 6] = ["id", "lower", "upper", "size", "alignment", "offset"];
/// The number of [`COLUMNS`] that are required.
const NEEDED: usize = 4;

/// Why a problem file does not parse, and where. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CsvError {
    /// All lines are blank.
    #[error(
        "line 1: the file is empty; its first line names the columns: id,lower,upper,size[,alignment][,offset]"
    )]
    Empty,
    /// The header has an unknown column.
    #[error(
        "line {line}, column {column}: `{name}` is no column; the columns are id, lower, upper, size, alignment, offset"
    )]
    UnknownColumn {
        /// The line of the header.
        line: usize,
        /// The field, counted from 1.
        column: usize,
        /// The name in the field.
        name: String,
    },
    /// The header has a column twice.
    #[error("line {line}, column {column}: `{name}` is named twice; name each column once")]
    RepeatedColumn {
        /// The line of the header.
        line: usize,
        /// The field, counted from 1.
        column: usize,
        /// The column.
        name: &'static str,
    },
    /// The header lacks a required column.
    #[error(
        "line {line}: there is no column `{name}`; the first line must name id, lower, upper and size"
    )]
    MissingColumn {
        /// The line of the header.
        line: usize,
        /// The column.
        name: &'static str,
    },
    /// A line has another number of fields than the header.
    #[error("line {line}: {found} fields, where the first line names {expected}")]
    Fields {
        /// The line.
        line: usize,
        /// The number of its fields.
        found: usize,
        /// The number of the header's fields.
        expected: usize,
    },
    /// A field is no number.
    #[error(
        "line {line}, column `{column}`: found `{found}`; a whole number from 0 to 2^64 - 1 belongs here"
    )]
    Number {
        /// The line.
        line: usize,
        /// The column.
        column: &'static str,
        /// The field, shortened if it is long.
        found: String,
    },
    /// A live range ends before it starts.
    #[error("line {line}, column `upper`: {upper} lies before lower = {lower}")]
    Backwards {
        /// The line.
        line: usize,
        /// Its `lower`.
        lower: u64,
        /// Its `upper`.
        upper: u64,
    },
    /// An alignment is zero.
    #[error("line {line}, column `alignment`: 0 is no alignment; give 1 where any offset will do")]
    ZeroAlignment {
        /// The line.
        line: usize,
    },
    /// Two buffers have one id, by which plans tell them apart.
    #[error("line {line}, column `id`: there is a buffer {id} already")]
    Repeated {
        /// The line of the second.
        line: usize,
        /// The id.
        id: String,
    },
    /// A pin is no multiple of the alignment.
    #[error("line {line}, column `offset`: {offset} is no multiple of the alignment {alignment}")]
    CrookedPin {
        /// The line.
        line: usize,
        /// Its `offset`.
        offset: u64,
        /// Its `alignment`.
        alignment: u64,
    },
}

/// Reads a problem, without a capacity. Takes memory linear in `text`.
///
/// # Errors
/// The first line that does not parse; see [`CsvError`].
///
/// ```
/// let problem = kiln_plan::read_csv("id,lower,upper,size\na,0,2,64\nb,1,3,32\n").unwrap();
/// assert_eq!(problem.buffers[1].id, "b");
/// let error = kiln_plan::read_csv("id,lower,upper,size\na,0,2,lots\n").unwrap_err();
/// assert_eq!(error.to_string(), "line 2, column `size`: found `lots`; a whole number from 0 to 2^64 - 1 belongs here");
/// ```
pub fn read_csv(text: &str) -> Result<Problem, CsvError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty());
    let (line, first) = lines.next().ok_or(CsvError::Empty)?;
    let header = Header::read(line, first)?;
    let mut ids = HashSet::new();
    let buffers = lines.map(|(line, text)| {
        let buffer = header.buffer(line, text)?;
        let id = buffer.id.clone();
        match ids.insert(id.clone()) {
            true => Ok(buffer),
            false => Err(CsvError::Repeated { line, id }),
        }
    });
    Ok(Problem::new(buffers.collect::<Result<_, _>>()?))
}

/// Writes `problem` such that [`read_csv`] gives it back. With `offsets`, in the order of the problem, every buffer is
/// pinned at its offset. Commas and line breaks in an id become `_`.
pub fn write_csv(problem: &Problem, offsets: Option<&[u64]>) -> String {
    let aligned = problem.buffers.iter().any(|b| b.alignment != 1);
    let pinned = offsets.is_some() || problem.buffers.iter().any(|b| b.pin.is_some());
    let mut text = COLUMNS[..NEEDED].join(",");
    text.push_str(if aligned { ",alignment" } else { "" });
    text.push_str(if pinned { ",offset\n" } else { "\n" });
    for (i, b) in problem.buffers.iter().enumerate() {
        let at = offsets
            .and_then(|offsets| offsets.get(i))
            .copied()
            .or(b.pin);
        text.push_str(&b.id.replace([',', '\n', '\r'], "_"));
        for number in [b.lower, b.upper, b.size]
            .into_iter()
            .chain(aligned.then_some(b.alignment))
        {
            write!(text, ",{number}").expect("a string takes all that is written");
        }
        if pinned {
            text.push(',');
            text.push_str(&at.map(|at| at.to_string()).unwrap_or_default());
        }
        text.push('\n');
    }
    text
}

/// The mapping of columns to the fields of a line.
struct Header {
    fields: usize,
    /// For each column in [`COLUMNS`], its field.
    at: [Option<usize>; COLUMNS.len()],
}

impl Header {
    fn read(line: usize, text: &str) -> Result<Self, CsvError> {
        let mut header = Header {
            fields: 0,
            at: [None; COLUMNS.len()],
        };
        for (at, name) in text.split(',').map(str::trim).enumerate() {
            let known = COLUMNS.iter().position(|column| *column == name);
            let Some(known) = known else {
                return Err(CsvError::UnknownColumn {
                    line,
                    column: at + 1,
                    name: shortened(name),
                });
            };
            if header.at[known].replace(at).is_some() {
                return Err(CsvError::RepeatedColumn {
                    line,
                    column: at + 1,
                    name: COLUMNS[known],
                });
            }
            header.fields += 1;
        }
        match (0..NEEDED).find(|&i| header.at[i].is_none()) {
            Some(missing) => Err(CsvError::MissingColumn {
                line,
                name: COLUMNS[missing],
            }),
            None => Ok(header),
        }
    }

    fn buffer(&self, line: usize, text: &str) -> Result<Buffer, CsvError> {
        let found = text.split(',').count();
        if found != self.fields {
            return Err(CsvError::Fields {
                line,
                found,
                expected: self.fields,
            });
        }
        let mut cells = [""; COLUMNS.len()];
        for (at, field) in text.split(',').enumerate() {
            if let Some(column) = self.at.iter().position(|&place| place == Some(at)) {
                cells[column] = field.trim();
            }
        }
        let number = |column: usize| number(line, COLUMNS[column], cells[column]);
        let optional = |column: usize| {
            if cells[column].is_empty() {
                Ok(None)
            } else {
                number(column).map(Some)
            }
        };
        let (lower, upper, size) = (number(1)?, number(2)?, number(3)?);
        let (alignment, pin) = (optional(4)?.unwrap_or(1), optional(5)?);
        let buffer = Buffer {
            id: cells[0].to_owned(),
            lower,
            upper,
            size,
            alignment,
            pin,
        };
        sound(line, &buffer).map(|()| buffer)
    }
}

fn number(line: usize, column: &'static str, field: &str) -> Result<u64, CsvError> {
    let digits = !field.is_empty() && field.bytes().all(|b| b.is_ascii_digit());
    let value = if digits { field.parse().ok() } else { None };
    value.ok_or_else(|| CsvError::Number {
        line,
        column,
        found: shortened(field),
    })
}

fn sound(line: usize, b: &Buffer) -> Result<(), CsvError> {
    let &Buffer {
        lower,
        upper,
        alignment,
        pin,
        ..
    } = b;
    if upper < lower {
        return Err(CsvError::Backwards { line, lower, upper });
    }
    if alignment == 0 {
        return Err(CsvError::ZeroAlignment { line });
    }
    match pin {
        Some(offset) if offset % alignment != 0 => Err(CsvError::CrookedPin {
            line,
            offset,
            alignment,
        }),
        _ => Ok(()),
    }
}

/// The start of `text`, short enough for a message.
fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

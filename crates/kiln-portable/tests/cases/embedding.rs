//! Look-ups in quantised tables: bytes and pairs of integers, by row and by group, with and without zero points.

use super::{Case, case};

/// A table of 4 rows and 8 columns.
struct Table {
    name: &'static str,
    dtype: &'static str,
    quant: &'static str,
    /// The least integer. Each other one is a step of 3 further, within the range.
    least: i64,
    levels: i64,
}

const BY_ROW: &str = "(per_channel 0 [0.5, 0.25, 0.1, 3.0] [0, 0, 0, 0] in [-128, 127])";
const FROM_ZERO_POINTS: &str =
    "(per_channel 0 [0.5, 0.25, 0.1, 3.0] [5, 0, 127, -128] in [-128, 127])";
const UNSIGNED: &str = "(per_channel 0 [0.5, 0.25, 0.1, 3.0] [128, 0, 255, 7] in [0, 255])";
const ONE_SCALE: &str = "(per_tensor 0.1 -3 in [-128, 127])";
const GROUPS: &str = "(per_group 4 [0.5, 0.25, 0.1, 3.0, 1.0, 2.0, 0.7, 0.3] [0, 1, 2, 3, -4, -5, -6, -7] in [-128, 127])";
const PAIRS: &str = "(per_channel 0 [0.5, 0.25, 0.1, 3.0] [0, 0, 0, 0] in [-8, 7])";
const PAIRS_BY_GROUP: &str = "(per_group 4 [0.5, 0.25, 0.1, 3.0, 1.0, 2.0, 0.7, 0.3] [0, 1, 2, 3, -4, -5, -6, -7] in [-8, 7])";

const TABLES: [Table; 7] = [
    table("bytes_by_row", "i8", BY_ROW, -128, 256),
    table("bytes_from_zero_points", "i8", FROM_ZERO_POINTS, -128, 256),
    table("unsigned_bytes", "u8", UNSIGNED, 0, 256),
    table("bytes_of_one_scale", "i8", ONE_SCALE, -128, 256),
    table("bytes_by_group", "i8", GROUPS, -128, 256),
    table("pairs_by_row", "i8", PAIRS, -8, 16),
    table("pairs_by_group", "i8", PAIRS_BY_GROUP, -8, 16),
];

const fn table(
    name: &'static str,
    dtype: &'static str,
    quant: &'static str,
    least: i64,
    levels: i64,
) -> Table {
    Table {
        name,
        dtype,
        quant,
        least,
        levels,
    }
}

impl Table {
    fn ty(&self) -> String {
        format!("{}[4, 8] as {}", self.dtype, self.quant)
    }

    fn head(&self) -> String {
        let integer = |i: i64| (self.least + i * 11 % self.levels).to_string();
        let integers: Vec<String> = (0..32).map(integer).collect();
        format!(
            "  constant c0 \"\" {} = [{}]\n",
            self.ty(),
            integers.join(", ")
        )
    }

    /// Look-ups by indices of several ranks, whose rows are of several dtypes.
    fn case(&self) -> Case {
        let look_up = |result: &str, index: u32, from_start: bool, dtype: &str| {
            format!(
                "{result} = dequantised %4, %{index} {{op=index {{axis=0, from_start={from_start}}}, dtype={dtype}, activation=none}}"
            )
        };
        let lines = [
            format!("%4: {} = constant {{value=c0}}", self.ty()),
            look_up("%5: f32[3, 8]", 0, true, "f32"),
            look_up("%6: f32[2, 2, 8]", 1, false, "f32"),
            look_up("%7: f16[1, 2, 3, 8]", 2, true, "f16"),
            look_up("%8: bf16[s0, 8]", 3, true, "bf16"),
        ];
        let head = format!("  symbol s0 in 0..=5\n{}", self.head());
        let params = ["i64[3]", "i32[2, 2]", "i64[1, 2, 3]", "i32[s0]"];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        Case {
            runs: [3, 0, 5].map(|n| vec![("s0", n)]).to_vec(),
            ..case(self.name, &head, &params, &lines, &[5, 6, 7, 8])
        }
    }
}

pub fn tables() -> Vec<Case> {
    TABLES.iter().map(Table::case).collect()
}

/// The table counts negative indices from its end, though the kernel refuses them.
pub fn from_the_end() -> Case {
    let table = &TABLES[0];
    let lines = [
        format!("%1: {} = constant {{value=c0}}", table.ty()),
        "%2: i64[3] = constant {value=c1}".into(),
        "%3: i64[3] = binary %0, %2 {f=sub}".into(),
        "%4: f32[3, 8] = dequantised %1, %3 {op=index {axis=0, from_start=false}, dtype=f32, activation=none}".into(),
    ];
    let head = format!("{}  constant c1 \"\" i64[3] = [4, 3, 1]\n", table.head());
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    case("rows_from_the_end", &head, &["i64[3]"], &lines, &[4])
}

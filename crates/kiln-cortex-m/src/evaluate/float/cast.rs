//! Elements of another type: `cast.c`.

use super::super::arguments::Arguments;
use super::super::data::Data;
use crate::dialect::{Cast, ElementType};

/// The integer toward 0. A float out of range gives the least integer of 64 bits, or of 32.
fn whole(x: f32, to: ElementType) -> i64 {
    let (end, least) = match to {
        ElementType::U8 | ElementType::S64 => (9_223_372_036_854_775_808.0, i64::MIN),
        _ => (2_147_483_648.0, i64::from(i32::MIN)),
    };
    if (-end..end).contains(&x) {
        x as i64
    } else {
        least
    }
}

pub fn cast(of: &Cast, arguments: &Arguments<'_>) -> Data {
    let dtype = of.to.dtype();
    let truth = |is: bool| i64::from(is);
    match (arguments.data("input"), of.to) {
        (Data::F32(x), ElementType::F32) => Data::F32(x.clone()),
        (Data::F32(x), ElementType::Bool) => {
            Data::U8(x.iter().map(|&x| u8::from(x != 0.0)).collect())
        }
        (Data::F32(x), to) => {
            let all: Vec<i64> = x.iter().map(|&x| whole(x, to)).collect();
            Data::of_integers(dtype, &all)
        }
        (x, ElementType::F32) => Data::F32(x.integers().iter().map(|&x| x as f32).collect()),
        (x, ElementType::Bool) => {
            let all: Vec<i64> = x.integers().iter().map(|&x| truth(x != 0)).collect();
            Data::of_integers(dtype, &all)
        }
        (x, _) => Data::of_integers(dtype, &x.integers()),
    }
}

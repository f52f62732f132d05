//! Compares the arithmetic of CMSIS-NN with recorded results of the library (`data/cmsis_nn.txt`).

use kiln_quantised::cmsis;
use kiln_quantised::gemmlowp::{divide_by_power_of_two, doubling_high_multiply};
use kiln_quantised::multiplier::Multiplier;
use kiln_quantised::table::balanced;
use std::collections::BTreeMap;

fn by(multiplier: i64, shift: i64) -> Multiplier {
    Multiplier {
        multiplier: multiplier as i32,
        shift: shift as i32,
    }
}

#[test]
fn results_are_the_librarys() {
    let mut checked: BTreeMap<&str, usize> = BTreeMap::new();
    let mut differing = 0;
    let text = include_str!("data/cmsis_nn.txt");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split(' ');
        let name = words.next().expect("a function");
        let numbers: Vec<i64> = words.map(|w| w.parse().expect("a number")).collect();
        let a = numbers[0] as i32;
        let (found, expected) = match (name, numbers.as_slice()) {
            ("requantize", &[_, m, s, twice, once]) => {
                differing += usize::from(twice != once);
                assert_eq!(
                    i64::from(cmsis::requantize_once(a, by(m, s))),
                    once,
                    "{line}"
                );
                (cmsis::requantize(a, by(m, s)), twice)
            }
            ("s64", &[value, m, s, result]) => (cmsis::requantize_wide(value, by(m, s)), result),
            ("dhm", &[_, b, result]) => (doubling_high_multiply(a, b as i32), result),
            ("dhm_no_sat", &[_, b, result]) => {
                (cmsis::doubling_high_multiply_up(a, b as i32), result)
            }
            ("dbp2", &[_, exponent, result]) => {
                (divide_by_power_of_two(a, exponent as u32), result)
            }
            ("exp_on_negative", &[_, result]) => (cmsis::exp_of_negative(a), result),
            ("one_over_one_plus_x", &[_, result]) => (cmsis::one_over_one_plus(a), result),
            _ => panic!("{line}"),
        };
        assert_eq!(i64::from(found), expected, "{line}");
        *checked.entry(name).or_default() += 1;
    }
    assert!(differing > 100, "{differing} rows tell the roundings apart");
    assert_eq!(checked.len(), 7, "{checked:?}");
    assert!(checked.values().all(|&count| count >= 150), "{checked:?}");
}

/// The tables that CMSIS-NN's own test gives to the 16-bit softmax (`data/softmax_s16.txt`).
#[test]
fn tables_of_a_softmax_are_the_librarys() {
    let text = include_str!("data/softmax_s16.txt");
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let mut expected = || -> Vec<i16> {
        let line = lines.next().expect("a table");
        let numbers = line.split(' ').map(|word| word.parse().expect("a number"));
        numbers.collect()
    };
    let exp = balanced(-10.0, 0.0, |x| f64::from(x).exp() as f32);
    assert_eq!(exp, expected());
    assert_eq!(balanced(0.0, 1.0, |x| 1.0 / (1.0 + x)), expected());
}

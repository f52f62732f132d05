//! Compares XNNPACK's dynamic quantisation with recorded results of the library's function (`data/xnnpack_qd8.txt`, from
//! its header compiled by GCC).

use kiln_quantised::xnnpack::{Dynamic, dynamic};

#[test]
fn parameters_are_the_librarys() {
    let text = include_str!("data/xnnpack_qd8.txt");
    let mut checked = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let float = |at: usize| {
            f32::from_bits(u32::from_str_radix(words[at], 16).expect("the bits of a float"))
        };
        let expected = Dynamic {
            inverse: float(2),
            zero_point: words[3].parse().expect("an integer"),
        };
        assert_eq!(dynamic(float(0), float(1)), expected, "{line}");
        checked += 1;
    }
    assert_eq!(checked, 300);
}

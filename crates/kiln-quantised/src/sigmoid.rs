//! The sigmoid and the tangent of 16-bit integers, as CMSIS-NN interpolates them (`arm_nn_activation_s16.c`).
//!
//! Both read one table of the sigmoid, since `tanh(x) = 2 * sigmoid(2 * x) - 1` and both are symmetric. The integer stands for
//! `integer * 2^(left_shift - 12)`: an input in Q3.12 has the shift 0. The result is in Q0.15.

/// `sigmoid(i / 24)` in units of `2^-16`, as the library has it (`arm_nntables.c`): a sixth of the entries is one step above the nearest
/// integer, so they cannot be computed.
#[rustfmt::skip]
const SIGMOID: [u16; 256] = [
    32768, 33451, 34133, 34813, 35493, 36169, 36843, 37513, 38180, 38841, 39498, 40149, 40794, 41432, 42064, 42688,
    43304, 43912, 44511, 45102, 45683, 46255, 46817, 47369, 47911, 48443, 48964, 49475, 49975, 50464, 50942, 51409,
    51865, 52311, 52745, 53169, 53581, 53983, 54374, 54755, 55125, 55485, 55834, 56174, 56503, 56823, 57133, 57433,
    57724, 58007, 58280, 58544, 58800, 59048, 59288, 59519, 59743, 59959, 60168, 60370, 60565, 60753, 60935, 61110,
    61279, 61441, 61599, 61750, 61896, 62036, 62172, 62302, 62428, 62549, 62666, 62778, 62886, 62990, 63090, 63186,
    63279, 63368, 63454, 63536, 63615, 63691, 63765, 63835, 63903, 63968, 64030, 64090, 64148, 64204, 64257, 64308,
    64357, 64405, 64450, 64494, 64536, 64576, 64614, 64652, 64687, 64721, 64754, 64786, 64816, 64845, 64873, 64900,
    64926, 64950, 64974, 64997, 65019, 65039, 65060, 65079, 65097, 65115, 65132, 65149, 65164, 65179, 65194, 65208,
    65221, 65234, 65246, 65258, 65269, 65280, 65291, 65301, 65310, 65319, 65328, 65337, 65345, 65352, 65360, 65367,
    65374, 65381, 65387, 65393, 65399, 65404, 65410, 65415, 65420, 65425, 65429, 65433, 65438, 65442, 65445, 65449,
    65453, 65456, 65459, 65462, 65465, 65468, 65471, 65474, 65476, 65479, 65481, 65483, 65485, 65488, 65489, 65491,
    65493, 65495, 65497, 65498, 65500, 65501, 65503, 65504, 65505, 65507, 65508, 65509, 65510, 65511, 65512, 65513,
    65514, 65515, 65516, 65517, 65517, 65518, 65519, 65520, 65520, 65521, 65522, 65522, 65523, 65523, 65524, 65524,
    65525, 65525, 65526, 65526, 65526, 65527, 65527, 65528, 65528, 65528, 65529, 65529, 65529, 65529, 65530, 65530,
    65530, 65530, 65531, 65531, 65531, 65531, 65531, 65532, 65532, 65532, 65532, 65532, 65532, 65533, 65533, 65533,
    65533, 65533, 65533, 65533, 65533, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65535,
];

/// `sigmoid(x)`: `arm_nn_activation_s16` with `ARM_SIGMOID`. The shift is from -31 to 14.
pub fn sigmoid(x: i16, left_shift: i32) -> i16 {
    let x = scaled(x, left_shift);
    let found = interpolated(x.unsigned_abs(), 9, 0x7FFF << 10);
    let turned = match x >= 0 {
        true => found.wrapping_add(1 << 9),
        false => (1u32 << 25).wrapping_sub(found).wrapping_add((1 << 9) - 1),
    };
    (turned >> 10) as i16
}

/// `tanh(x)`: `arm_nn_activation_s16` with `ARM_TANH`. The shift is from -31 to 14.
pub fn tanh(x: i16, left_shift: i32) -> i16 {
    let x = scaled(x, left_shift);
    let found = interpolated(x.unsigned_abs(), 8, 0xFFFF << 8);
    let turned = match x >= 0 {
        true => found.wrapping_sub(1 << 23).wrapping_add(1 << 7),
        false => (1u32 << 23).wrapping_sub(found).wrapping_add((1 << 7) - 1),
    };
    (turned >> 8) as i16
}

/// The integer in steps of the table: three times as fine as `2^-12`, ties up.
fn scaled(x: i16, left_shift: i32) -> i32 {
    let right = (-left_shift).max(0) as u32;
    let factor = 3i32.wrapping_shl(left_shift.max(0) as u32);
    let half = match right {
        0 => 0,
        right => 1i32.wrapping_shl(right - 1),
    };
    i32::from(x).wrapping_mul(factor).wrapping_add(half) >> right.min(31)
}

/// The table at `x / 2^shift`, interpolated, in units of `2^-(16 + shift)`; what lies behind the table is `most`.
fn interpolated(x: u32, shift: u32, most: u32) -> u32 {
    let place = (x >> shift) as usize;
    if place >= SIGMOID.len() - 1 {
        return most;
    }
    let [here, next] = [place, place + 1].map(|i| u32::from(SIGMOID[i]));
    (here << shift) + (x & ((1 << shift) - 1)) * (next - here)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chord of the table is off by an eighth of its length squared times the curvature, and its ends by a step of `2^-16`.
    #[test]
    fn results_are_near_the_functions() {
        for left_shift in [-2, 0, 1, 3] {
            for x in i16::MIN..=i16::MAX {
                let real = f64::from(x) * f64::from(left_shift - 12).exp2();
                // Shifts to the right round the argument to a third of 2^-12.
                let argument = f64::from(-12).exp2() / 6.0;
                let chord = (1.0 / 24.0f64).powi(2) / 8.0 * 0.0963;
                let unit = f64::from(-15).exp2();
                let found = f64::from(sigmoid(x, left_shift)) * unit;
                let exact = 1.0 / (1.0 + (-real).exp());
                assert!(
                    (found - exact).abs() <= chord + argument / 4.0 + 1.5 * unit,
                    "{x}"
                );
                let found = f64::from(tanh(x, left_shift)) * unit;
                assert!(
                    (found - real.tanh()).abs() <= 2.0 * chord + argument + 2.5 * unit,
                    "{x}"
                );
            }
        }
    }

    #[test]
    fn ends_saturate() {
        assert_eq!([sigmoid(i16::MAX, 3), sigmoid(i16::MIN, 3)], [32_767, 1]);
        assert_eq!([tanh(i16::MAX, 3), tanh(i16::MIN, 3)], [32_767, -32_767]);
        assert_eq!([sigmoid(0, 0), tanh(0, 0)], [16_384, 0]);
    }
}

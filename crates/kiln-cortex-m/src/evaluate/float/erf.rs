//! The error function, its inverse function, and the GELU: `erf.c`, `erfinv.c`.

use super::exponential::exp;
use super::logarithm::log;
use super::polynomial;

fn erf_of(x: f32) -> f32 {
    let (size, z) = (x.abs(), x * x);
    if size > 0.921_875 {
        let p = -1.728_534_7e-5 * size + 3.831_971_26e-4;
        let q = -3.883_964_38e-3 * size + 2.425_462_19e-2;
        let p = p * z + q;
        let p = p * size - 1.067_778_77e-1;
        let p = p * size - 6.348_466_87e-1;
        let p = p * size - 1.287_175_12e-1;
        let p = p * size - size;
        let result = if size > 4.0 { 1.0 } else { 1.0 - exp(p) };
        return result.copysign(x);
    }
    let p = polynomial(
        z,
        &[
            -5.967_617_03e-4,
            4.991_194_23e-3,
            -2.676_813_49e-2,
            1.128_199_25e-1,
            -3.761_253_36e-1,
            1.283_791_66e-1,
        ],
    );
    p * x + x
}

pub fn erf(x: f32) -> f32 {
    if x.is_nan() { x } else { erf_of(x) }
}

pub fn gelu(x: f32) -> f32 {
    x * 0.5 * (1.0 + erf_of(x * 0.707_106_781))
}

pub fn erfinv(x: f32) -> f32 {
    let size = x.abs();
    if size == 1.0 {
        return f32::INFINITY.copysign(x);
    }
    if size > 1.0 || size.is_nan() {
        return f32::NAN;
    }
    let w = -log((1.0 - x) * (1.0 + x));
    let p = if w < 5.0 {
        polynomial(
            w - 2.5,
            &[
                2.810_226_36e-8,
                3.432_739_39e-7,
                -3.523_387_7e-6,
                -4.391_506_54e-6,
                0.000_218_580_87,
                -0.001_253_725_03,
                -0.004_177_681_64,
                0.246_640_727,
                1.501_409_41,
            ],
        )
    } else {
        polynomial(
            w.sqrt() - 3.0,
            &[
                -0.000_200_214_257,
                0.000_100_950_558,
                0.001_349_343_22,
                -0.003_673_428_44,
                0.005_739_507_73,
                -0.007_622_461_3,
                0.009_438_870_47,
                1.001_674_06,
                2.832_976_82,
            ],
        )
    };
    p * x
}

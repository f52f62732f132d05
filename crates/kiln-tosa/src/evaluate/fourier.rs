//! Fourier transforms of `[n, h, w]`, axis by axis.

use std::f64::consts::TAU;

/// A complex number.
type Complex = (f64, f64);

/// Transforms rows of `size` elements, which are `step` apart, from each of the starts.
fn along(elements: &mut [Complex], starts: &[usize], size: usize, step: usize, sign: f64) {
    let turns: Vec<Complex> = (0..size)
        .map(|i| {
            let angle = sign * TAU * i as f64 / size as f64;
            (angle.cos(), angle.sin())
        })
        .collect();
    for &start in starts {
        let line: Vec<Complex> = (0..size).map(|i| elements[start + i * step]).collect();
        for out in 0..size {
            let mut sum = (0.0, 0.0);
            for (i, &(real, imaginary)) in line.iter().enumerate() {
                let (cos, sin) = turns[i * out % size];
                sum.0 += real * cos + imaginary * sin;
                sum.1 += imaginary * cos - real * sin;
            }
            elements[start + out * step] = sum;
        }
    }
}

/// The transform of real and imaginary part. The inverse has no factor.
pub(super) fn transformed(
    parts: [&[f64]; 2],
    shape: &[usize],
    inverse: bool,
) -> (Vec<f64>, Vec<f64>) {
    let [n, h, w] = [0, 1, 2].map(|i| shape[i]);
    let sign = if inverse { -1.0 } else { 1.0 };
    let pairs = parts[0].iter().zip(parts[1]);
    let mut elements: Vec<Complex> = pairs.map(|(&a, &b)| (a, b)).collect();
    let rows: Vec<usize> = (0..n * h).map(|row| row * w).collect();
    along(&mut elements, &rows, w, 1, sign);
    let columns: Vec<usize> = (0..n)
        .flat_map(|n| (0..w).map(move |x| n * h * w + x))
        .collect();
    along(&mut elements, &columns, h, w, sign);
    elements.into_iter().unzip()
}

/// The first half of the columns, and the one behind it.
pub(super) fn halved(part: &[f64], w: usize) -> Vec<f64> {
    let rows = part.chunks(w);
    rows.flat_map(|row| row[..w / 2 + 1].iter().copied())
        .collect()
}

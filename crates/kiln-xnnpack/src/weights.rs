//! Constants as a delegate needs them: moved, converted and padded at compile time, and named by content.

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine};
use half::{bf16, f16};
use kiln_ir::{Content, DType, Movement, Scalar, TensorData};
use kiln_transforms::framework::target::Reason;

/// The most elements to which a number or a constant is repeated. The repetition becomes a constant of the program, and
/// the sizes of a graph alone may ask for any amount.
pub(crate) const MAX_REPEATED: u64 = 1 << 18;

/// Refuses a constant of more elements than `most`, before it is written out.
pub(crate) fn check_elements(
    what: &str,
    most: u64,
    sizes: impl IntoIterator<Item = i64>,
) -> Result<(), Reason> {
    let mut sizes = sizes.into_iter();
    let count = sizes.try_fold(1u64, |n, size| n.checked_mul(u64::try_from(size).ok()?));
    match count {
        Some(count) if count <= most => Ok(()),
        found => Err(Reason::new(
            format!("{what} has at most {most} elements"),
            found.map_or("2^64 or more".to_owned(), |count| count.to_string()),
        )),
    }
}

/// The name of these bytes in a program. Equal bytes that are derived in the same way have equal names.
///
/// The runtime's cache of packed weights takes equal names for equal bytes in all programs of a process. A name has 114 bits of a digest:
/// two of 2^40 contents have the same name with a probability of 2^-35. With its length and its end it fills six words. Weights in groups
/// are thousands of constants, each named in the payload and in the program.
pub(crate) fn key(content: &Content) -> String {
    let mut name = BASE64_URL_SAFE_NO_PAD.encode(content.key().as_bytes());
    name.truncate(NAME_LENGTH);
    name
}

/// The characters of a name, 6 bits each.
const NAME_LENGTH: usize = 19;

/// The tensor under other sizes, with its axes permuted first.
pub(crate) fn permuted(data: &TensorData, axes: &[usize], sizes: &[usize]) -> Option<TensorData> {
    let shape: Vec<kiln_ir::Dim> = data.sizes().iter().map(|&n| (n as i64).into()).collect();
    let movement = Movement::permute(&shape, axes).ok()?;
    data.moved(&movement)?.reshaped(sizes.to_vec()).ok()
}

/// The elements repeated along dims of size 1. `None` if that does not give the sizes.
pub(crate) fn repeated(data: &TensorData, sizes: &[usize]) -> Option<TensorData> {
    let from = data.sizes();
    let fits = from.len() == sizes.len() && from.iter().zip(sizes).all(|(a, b)| a == b || *a == 1);
    if !fits {
        return None;
    }
    if from == sizes {
        return Some(data.clone());
    }
    let element = data.dtype().size();
    let count: usize = sizes.iter().product();
    let mut bytes = Vec::with_capacity(count * element);
    for index in 0..count {
        let (mut rest, mut at, mut stride) = (index, 0, 1);
        for (&a, &b) in from.iter().zip(sizes).rev() {
            at += if a == 1 { 0 } else { rest % b * stride };
            rest /= b;
            stride *= a;
        }
        bytes.extend_from_slice(data.bytes().get(at * element..(at + 1) * element)?);
    }
    TensorData::new(data.dtype(), sizes.to_vec(), bytes.into()).ok()
}

/// The elements in another dtype.
pub(crate) fn cast(data: &TensorData, to: DType) -> TensorData {
    if data.dtype() == to {
        return data.clone();
    }
    if let Some(converted) = data.converted(to) {
        return converted;
    }
    TensorData::from_scalars(to, data.sizes().to_vec(), data.scalars())
}

/// How much of the largest weight the rounding of a bf16 weight to f16 may take: less than a hundredth of what bf16 itself leaves open.
const NEGLIGIBLE: f32 = 1.0 / (1 << 17) as f32;

/// Weights for a product in f32. The library takes them as f32 and as f16, which it expands when it loads a program. So weights of f32 become
/// f16 if that keeps each of them. Weights of bf16 become f16, unless some are too large for it, or so small beside the others that their
/// rounding would count.
pub(crate) fn for_singles(data: &TensorData) -> TensorData {
    match data.dtype() {
        DType::F32 if is_kept_by_f16(data) => cast(data, DType::F16),
        DType::BF16 if is_near_in_f16(data) => cast(data, DType::F16),
        DType::BF16 => cast(data, DType::F32),
        _ => data.clone(),
    }
}

/// The bytes of [`for_singles`].
pub(crate) fn bytes_for_singles(data: &TensorData) -> usize {
    let bytes = data.content().len();
    match data.dtype() {
        DType::F32 if is_kept_by_f16(data) => bytes / 2,
        DType::BF16 if !is_near_in_f16(data) => bytes * 2,
        _ => bytes,
    }
}

/// True if each weight of f32 has the same bits after a conversion to f16 and back.
fn is_kept_by_f16(data: &TensorData) -> bool {
    let mut pieces = data.content().pieces();
    while let Some(piece) = pieces.next() {
        let is_kept = |bytes: &[u8; 4]| {
            let weight = f32::from_le_bytes(*bytes);
            f16::from_f32_const(weight).to_f32_const().to_bits() == weight.to_bits()
        };
        if !piece.as_chunks().0.iter().all(is_kept) {
            return false;
        }
    }
    true
}

/// True if the rounding of weights of bf16 to f16 is negligible.
fn is_near_in_f16(data: &TensorData) -> bool {
    let (mut largest, mut farthest) = (0.0f32, 0.0f32);
    let mut pieces = data.content().pieces();
    while let Some(piece) = pieces.next() {
        for half in piece.as_chunks().0 {
            let weight = bf16::from_le_bytes(*half).to_f32();
            let apart = (f16::from_f32_const(weight).to_f32_const() - weight).abs();
            largest = largest.max(weight.abs());
            farthest = farthest.max(if apart.is_nan() { f32::INFINITY } else { apart });
        }
    }
    farthest.is_finite() && farthest <= largest * NEGLIGIBLE
}

/// Rows and columns of f32 weights `[1, height, width, channels]`, each tap times its share. `None` if a row or column
/// is out of range.
pub(crate) fn part(
    filter: &TensorData,
    start: [u32; 2],
    taps: [u32; 2],
    shares: &[f32],
) -> Option<TensorData> {
    let &[_, height, width, channels] = filter.sizes() else {
        return None;
    };
    let [y, x, rows, columns] = [start[0], start[1], taps[0], taps[1]].map(|n| n as usize);
    if y + rows > height || x + columns > width || shares.len() != rows * columns {
        return None;
    }
    let mut bytes = Vec::with_capacity(rows * columns * channels * 4);
    for (i, share) in shares.iter().enumerate() {
        let at = ((y + i / columns) * width + x + i % columns) * channels * 4;
        let tap = filter.bytes().get(at..at + channels * 4)?;
        let scaled = tap.chunks_exact(4).map(|b| {
            let weight = f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            (weight * share).to_le_bytes()
        });
        bytes.extend(scaled.flatten());
    }
    TensorData::new(DType::F32, vec![1, rows, columns, channels], bytes.into()).ok()
}

/// Neighbouring columns of a matrix. `None` for another tensor, or beyond its last column.
pub(crate) fn columns(matrix: &TensorData, start: usize, len: usize) -> Option<TensorData> {
    let &[rows, columns] = matrix.sizes() else {
        return None;
    };
    let (row, part) = (columns * matrix.dtype().size(), len * matrix.dtype().size());
    let start = start * matrix.dtype().size();
    let mut bytes = Vec::with_capacity(rows * part);
    for row in matrix.bytes().chunks_exact(row) {
        bytes.extend_from_slice(row.get(start..start + part)?);
    }
    TensorData::new(matrix.dtype(), vec![rows, len], bytes.into()).ok()
}

/// Weights `[1, height, width, channels]`, extended by rows and columns of zeros at the end. `None` for weights of
/// another form.
pub(crate) fn filled(filter: &TensorData, taps: [u32; 2]) -> Option<TensorData> {
    let &[1, height, width, channels] = filter.sizes() else {
        return None;
    };
    let [rows, columns] = taps.map(|n| n as usize);
    if rows < height || columns < width {
        return None;
    }
    let tap = channels * filter.dtype().size();
    let mut bytes = vec![0; rows * columns * tap];
    for (y, row) in filter.bytes().chunks_exact(width * tap).enumerate() {
        bytes[y * columns * tap..][..row.len()].copy_from_slice(row);
    }
    let sizes = vec![1, rows, columns, channels];
    TensorData::new(filter.dtype(), sizes, bytes.into()).ok()
}

/// A vector of integers.
pub(crate) fn integers(elements: &[i32]) -> TensorData {
    let scalars = elements.iter().map(|&n| Scalar::Int(n.into()));
    TensorData::from_scalars(DType::I32, vec![elements.len()], scalars)
}

/// A tensor with one number.
pub(crate) fn splat(dtype: DType, sizes: &[usize], value: f64) -> TensorData {
    TensorData::splat(dtype, sizes.to_vec(), Scalar::Float(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fill_whole_words_and_follow_contents() {
        let name = |number| key(TensorData::from_f32(vec![1], &[number]).content());
        assert_eq!(name(1.0), name(1.0));
        assert_ne!(name(1.0), name(2.0));
        // With the length in front and the end behind.
        assert_eq!((4 + name(1.0).len() + 1) % 4, 0);
    }

    #[test]
    fn kernels_turn_round() {
        let data = TensorData::from_f32(vec![1, 2, 3], &[0., 1., 2., 3., 4., 5.]);
        let turned = permuted(&data, &[0, 2, 1], &[3, 2]).unwrap();
        assert_eq!(
            turned,
            TensorData::from_f32(vec![3, 2], &[0., 3., 1., 4., 2., 5.])
        );
    }

    #[test]
    fn a_part_is_some_taps_by_their_shares() {
        let data = TensorData::from_f32(vec![1, 2, 2, 2], &[1., 2., 3., 4., 5., 6., 7., 8.]);
        let column = part(&data, [0, 1], [2, 1], &[0.5, 1.0]).unwrap();
        let expected = TensorData::from_f32(vec![1, 2, 1, 2], &[1.5, 2., 7., 8.]);
        assert_eq!(column, expected);
        assert_eq!(part(&data, [1, 0], [2, 1], &[1.0, 1.0]), None);
    }

    #[test]
    fn weights_are_filled_with_zeros() {
        let data = TensorData::from_f32(vec![1, 2, 1, 2], &[1., 2., 3., 4.]);
        let expected = TensorData::from_f32(vec![1, 2, 2, 2], &[1., 2., 0., 0., 3., 4., 0., 0.]);
        assert_eq!(filled(&data, [2, 2]), Some(expected));
        assert_eq!(filled(&data, [1, 3]), None);
    }

    #[test]
    fn a_view_keeps_the_bytes() {
        let data = TensorData::from_f32(vec![2, 3], &[0.; 6]);
        let view = permuted(&data, &[0, 1], &[6]).unwrap();
        assert_eq!(view.bytes().as_ptr(), data.bytes().as_ptr());
    }

    fn held(dtype: DType, weights: &[f64]) -> DType {
        let scalars = weights.iter().map(|&w| Scalar::Float(w));
        let data = TensorData::from_scalars(dtype, vec![weights.len()], scalars);
        let held = for_singles(&data);
        assert_eq!(bytes_for_singles(&data), held.bytes().len());
        held.dtype()
    }

    fn kept(weights: &[f64]) -> DType {
        held(DType::BF16, weights)
    }

    #[test]
    fn weights_of_f32_become_f16_where_that_keeps_all() {
        let held = |weights: &[f64]| held(DType::F32, weights);
        assert_eq!(held(&[-128.0, 127.0, 0.0, -0.0, 2048.0]), DType::F16);
        assert_eq!(held(&[65504.0, (-24.0f64).exp2()]), DType::F16);
        assert_eq!(held(&[0.5, 2049.0]), DType::F32);
        assert_eq!(held(&[0.5, 65536.0]), DType::F32);
        assert_eq!(held(&[0.5, (-25.0f64).exp2()]), DType::F32);
        assert_eq!(held(&[0.1]), DType::F32);
    }

    #[test]
    fn weights_of_bf16_become_f16_where_that_is_close() {
        assert_eq!(kept(&[0.5, -3.0, 0.0]), DType::F16);
        // Rounded by up to 2^-25, beside 0.5.
        assert_eq!(kept(&[0.5, 1.3e-7]), DType::F16);
    }

    #[test]
    fn weights_of_bf16_become_f32_where_f16_has_no_such_numbers() {
        assert_eq!(kept(&[1e-7, 1.3e-7]), DType::F32);
        assert_eq!(kept(&[0.5, 1e6]), DType::F32);
        assert_eq!(kept(&[0.5, f64::NAN]), DType::F32);
        assert_eq!(kept(&[0.5, f64::INFINITY]), DType::F32);
    }
}

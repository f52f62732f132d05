//! Two integers of 4 bits in a byte.
//!
//! | format | order | integers | a row of an odd length |
//! |---|---|---|---|
//! | TOSA `i4` | low first | two's complement | goes on in the same byte |
//! | CMSIS-NN `s4` (`arm_nn_mat_mult_nt_t_s4.c`, `arm_depthwise_conv_s4.c`) | low first | two's complement | goes on in the same byte |
//! | XNNPACK `qcint4`, `qbint4` (`src/reference/packing.cc`: element `n * columns + k`, in the transposed layout `k * rows + n`) | low first | 0 to 15 about 8, or two's complement about 0 | goes on in the same byte |
//! | ExecuTorch's XNNPACK payload (`XNNCompiler.cpp`, `convert_to_qc4w`) | low first | 0 to 15 about 8 | has a last nibble of 8 |
//! | ExecuTorch's embeddings (`kernels/quantized/cpu/embeddingxb.cpp`) | high first | 0 to 15 about 8 | is refused |
//!
//! The third and the fourth row disagree on rows of an odd length: ExecuTorch pads them, the library reads on without
//! padding. `qbint4` takes only rows of whole groups, of a multiple of 32 elements. Integers about 8 differ from two's
//! complement in the sign bit of each nibble: [`turned`].

/// Which nibble of a byte comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The lower 4 bits.
    LowFirst,
    /// The upper 4 bits.
    HighFirst,
}

/// Integers from -8 to 7 as bytes in two's complement, without padding between rows. An integer beyond keeps its lower 4 bits. The last
/// byte of an odd count has 0 in its other nibble.
///
/// ```
/// use kiln_quantised::int4::{Order, pack, unpack};
/// assert_eq!(pack(&[1, -1, 7], Order::LowFirst), [0xF1, 0x07]);
/// assert_eq!(unpack(&[0xF1, 0x07], 3, Order::LowFirst), Some(vec![1, -1, 7]));
/// ```
pub fn pack(integers: &[i8], order: Order) -> Vec<u8> {
    let nibble = |n: i8| n as u8 & 0xF;
    let byte = |pair: &[i8]| {
        let (first, second) = (nibble(pair[0]), pair.get(1).map_or(0, |&n| nibble(n)));
        match order {
            Order::LowFirst => first | second << 4,
            Order::HighFirst => first << 4 | second,
        }
    };
    integers.chunks(2).map(byte).collect()
}

/// The first `count` integers of packed bytes; `None` if there are not exactly as many bytes as they take.
pub fn unpack(bytes: &[u8], count: usize, order: Order) -> Option<Vec<i8>> {
    if bytes.len() != count.div_ceil(2) {
        return None;
    }
    let low = |byte: u8| (byte << 4) as i8 >> 4;
    let high = |byte: u8| byte as i8 >> 4;
    let pair = |&byte: &u8| match order {
        Order::LowFirst => [low(byte), high(byte)],
        Order::HighFirst => [high(byte), low(byte)],
    };
    Some(bytes.iter().flat_map(pair).take(count).collect())
}

/// Integers from 0 to 15 about 8 for integers from -8 to 7 in two's complement, or the other way: the sign bit of each nibble is
/// turned. The unused nibble of an odd count becomes 8, which stands for 0.
pub fn turned(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|byte| byte ^ 0x88).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The element `k` of row `n` as XNNPACK's packing of `qcint4` weights reads it (`pack_qs8_qc4w_gemm_goi_w`), with the zero
    /// point 8 or 0; CMSIS-NN reads the same nibbles as the latter.
    fn read(bytes: &[u8], columns: usize, (n, k): (usize, usize), zero_point: i8) -> i8 {
        let offset = n * columns + k;
        let byte = bytes[offset >> 1];
        let nibble = (if offset & 1 == 1 {
            byte >> 4
        } else {
            byte & 0xF
        }) as i8;
        match zero_point {
            0 => (nibble ^ 8) - 8,
            _ => nibble - zero_point,
        }
    }

    proptest! {
        #[test]
        fn kernels_read_the_integers(rows in 1usize..5, columns in 1usize..8, all in proptest::collection::vec(-8i8..8, 28)) {
            let integers = &all[..rows * columns];
            let packed = pack(integers, Order::LowFirst);
            let about_8 = turned(&packed);
            for (i, &integer) in integers.iter().enumerate() {
                let place = (i / columns, i % columns);
                prop_assert_eq!(read(&packed, columns, place, 0), integer);
                prop_assert_eq!(read(&about_8, columns, place, 8), integer);
            }
        }

        #[test]
        fn integers_come_back(integers in proptest::collection::vec(-8i8..8, 0..40), high in any::<bool>()) {
            let order = if high { Order::HighFirst } else { Order::LowFirst };
            let packed = pack(&integers, order);
            prop_assert_eq!(unpack(&packed, integers.len(), order), Some(integers.clone()));
            prop_assert_eq!(unpack(&packed, integers.len() + 2, order), None);
            let raised: Vec<i8> = integers.iter().map(|n| n + 8).collect();
            if integers.len() % 2 == 0 {
                prop_assert_eq!(turned(&packed), pack(&raised, order));
            }
        }
    }
}

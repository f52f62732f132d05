//! Two integers of 4 bits in a byte, in two's complement from -8 to 7.
//!
//! The order of the nibbles is the format's; a last byte of an odd count has 0 in its other nibble. Formats that store
//! integers from 0 to 15 instead have the sign bit turned: that is [`turned`].

/// Which nibble of a byte comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The lower 4 bits: CMSIS-NN (across the whole tensor, rows are not padded), XNNPACK, TOSA.
    LowFirst,
    /// The upper 4 bits: ExecuTorch's embeddings.
    HighFirst,
}

/// Integers from -8 to 7 as bytes; of others the lower 4 bits.
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

/// So many integers of packed bytes; `None` if the bytes are not as many as they take.
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

/// Bytes whose integers are from 0 to 15 with a zero point of 8, as integers from -8 to 7, or the other way.
pub fn turned(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|byte| byte ^ 0x88).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
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

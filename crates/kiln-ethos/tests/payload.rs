//! Payloads: a round trip, a golden payload, and damaged payloads.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use bytes::Bytes;
use kiln_ethos::payload::{Data, Payload, Slot, read, write};
use proptest::prelude::*;

fn small() -> Payload {
    Payload {
        commands: Data::Here(Bytes::from_static(b"COP1\x01\x02\x03")),
        weights: Data::Here(Bytes::new()),
        scratch_bytes: 0x0102_0304,
        inputs: vec![Slot {
            dims: [1, 1, 1, 2, 3, 4],
            element_bytes: 1,
            offset: 16,
            region: 1,
        }],
        outputs: Vec::new(),
    }
}

/// A block as the backend's reader expects it: a name, the number of bytes, and the padded bytes.
fn block(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut block = name.as_bytes().to_vec();
    block.resize(16, 0);
    block.extend((bytes.len() as u32).to_le_bytes());
    block.resize(32, 0);
    block.extend(bytes);
    block.resize(block.len().next_multiple_of(16), 0);
    block
}

#[test]
fn blocks_stand_as_the_backend_reads_them() {
    let words = [1, 1, 1, 1, 2, 3, 4, 1, 16, 1];
    let inputs: Vec<u8> = words.into_iter().flat_map(i32::to_le_bytes).collect();
    let blocks = [
        block("vela_bin_stream", &[]),
        block("cmd_data", b"COP1\x01\x02\x03"),
        block("weight_data", &[]),
        block("scratch_size", &[4, 3, 2, 1]),
        block("inputs", &inputs),
        block("outputs", &[0; 4]),
        block("vela_end_stream", &[]),
    ];
    assert_eq!(write(&small()).unwrap(), blocks.concat());
}

#[test]
fn hostile_bytes_are_refused() {
    let good = write(&small()).unwrap();
    let refused = |bytes: Vec<u8>| read(&Bytes::from(bytes)).unwrap_err().to_string();
    for length in 0..good.len() {
        assert!(!refused(good[..length].to_vec()).is_empty());
    }
    assert!(refused([&good[..], &[0; 16]].concat()).contains("behind its end"));
    let twice = [&good[..32], &block("scratch_size", &[0; 4]), &good[32..]].concat();
    assert!(refused(twice).contains("twice"));
    let unknown = [&good[..32], &block("surprise", &[]), &good[32..]].concat();
    assert!(refused(unknown).contains("surprise"));
    let mut huge = good.to_vec();
    huge[32 + 16..32 + 20].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(refused(huge).contains("cut off"));
    let mut other = good.to_vec();
    other[64] = b'X';
    assert!(refused(other).contains("COP1"));
}

fn any_data(start: &'static [u8]) -> impl Strategy<Value = Data> {
    let here = prop::collection::vec(any::<u8>(), 0..200)
        .prop_map(move |rest| Data::Here([start, &rest].concat().into()));
    let named = "[0-9a-f]{64}".prop_map(Data::Named);
    prop_oneof![here, named]
}

fn any_slots() -> impl Strategy<Value = Vec<Slot>> {
    let slot = (any::<[i32; 6]>(), any::<[i32; 3]>()).prop_map(|(dims, rest)| Slot {
        dims,
        element_bytes: rest[0],
        offset: rest[1],
        region: rest[2],
    });
    prop::collection::vec(slot, 0..5)
}

proptest! {
    #[test]
    fn what_is_written_reads_the_same(
        commands in any_data(b"COP2"),
        weights in any_data(b""),
        scratch_bytes in any::<u32>(),
        inputs in any_slots(),
        outputs in any_slots(),
    ) {
        let payload = Payload { commands, weights, scratch_bytes, inputs, outputs };
        let bytes = write(&payload).unwrap();
        prop_assert_eq!(bytes.len() % 16, 0);
        prop_assert_eq!(read(&bytes), Ok(payload));
    }

    #[test]
    fn a_changed_byte_is_no_panic(at in 0usize..1000, byte in any::<u8>()) {
        let mut bytes = write(&small()).unwrap().to_vec();
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(payload) = read(&Bytes::from(bytes)) {
            prop_assert_eq!(read(&write(&payload).unwrap()), Ok(payload));
        }
    }
}

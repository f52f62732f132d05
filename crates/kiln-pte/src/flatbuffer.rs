//! Finishing flatbuffers with a file identifier, for every format of ours that has one.

/// The bytes of a flatbuffer with this root and identifier, its root offset at byte 0 and the identifier at byte 4.
///
/// Alignment inside holds for scalars of up to 8 bytes. (planus 1.3 has a `finish` with identifier, but puts it before
/// the root offset.)
pub fn finish<T>(root: impl planus::WriteAsOffset<T>, identifier: [u8; 4]) -> Vec<u8> {
    /// The identifier, and as much again to keep what follows aligned.
    const INSERTED: usize = 8;
    let mut builder = planus::Builder::new();
    let plain = builder.finish(root, None);
    let (offset, rest) = plain
        .split_first_chunk::<4>()
        .expect("a flatbuffer starts with its root offset");
    let mut finished = Vec::with_capacity(plain.len() + INSERTED);
    finished.extend((u32::from_le_bytes(*offset) + INSERTED as u32).to_le_bytes());
    finished.extend(identifier);
    finished.extend([0; INSERTED - 4]);
    finished.extend(rest);
    finished
}

//! Pickles: read as data, in the three places where an archive may have one.

use bytes::Bytes;
use kiln_pt2::Archive;
use rawzip::{CompressionMethod, ZipArchiveWriter};
use std::io::Write;

const PROGRAM: &[u8] = br#"{"graph_module": {"graph": {"inputs": [], "outputs": [], "nodes": [], "tensor_values": {}},
    "signature": {"input_specs": [], "output_specs": []}, "module_call_graph": []}, "schema_version": {"major": 8, "minor": 20}}"#;

/// Reads `data` as the pickle of an archive's state dict and sample inputs. The storages `0` and `a` have 16 and 8 bytes.
pub fn law(data: &[u8]) {
    let torch = zip_of(&[
        ("archive/data.pkl", data),
        ("archive/byteorder", b"little"),
        ("archive/data/0", &[7; 16]),
        ("archive/data/a", &[1; 8]),
    ]);
    let archive = zip_of(&[
        ("serialized_exported_program.json", PROGRAM),
        ("serialized_state_dict.pt", &torch),
        ("serialized_constants.pt", b""),
    ]);
    super::archive::law(&archive);
    let inputs = zip_of(&[
        ("serialized_exported_program.json", PROGRAM),
        ("serialized_example_inputs.pt", &torch),
    ]);
    let archive =
        Archive::from_bytes(Bytes::from(inputs)).expect("pickles of inputs are read late");
    super::archive::read_all(&archive);
}

fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipArchiveWriter::new(Vec::new());
    for (name, data) in entries {
        let file = archive
            .new_file(name)
            .compression_method(CompressionMethod::STORE);
        let (mut entry, config) = file.start().expect("a vector takes all that is written");
        let mut writer = config.wrap(&mut entry);
        writer
            .write_all(data)
            .expect("a vector takes all that is written");
        let (_, descriptor) = writer.finish().expect("a vector takes all that is written");
        entry
            .finish(descriptor)
            .expect("a vector takes all that is written");
    }
    archive
        .finish()
        .expect("a vector takes all that is written")
}

//! Damaged and malicious archives are refused with an error, without panic or hang, and with bounded memory.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod corpus_files;

use std::io::Write;
use std::path::PathBuf;

use bytes::Bytes;
use corpus_files::archives_of;
use kiln_pt2::{Archive, ErrorKind, ExportedProgram, Payload, SymExpr, TreeSpec};
use proptest::prelude::*;
use rawzip::{CompressionMethod, ZipArchiveWriter};

/// Reads everything in the archive, ignoring errors.
fn exercise(data: &[u8]) -> Option<Archive> {
    let archive = Archive::from_bytes(Bytes::copy_from_slice(data)).ok()?;
    let _ = (
        archive.program(),
        archive.sample_inputs(),
        archive.verify_checksums(),
    );
    for name in archive.tensor_names() {
        if let Ok(Payload::Tensor(tensor)) = archive.payload(name) {
            tensor.to_contiguous();
            tensor.permuted_dense();
        }
    }
    Some(archive)
}

/// One archive of each form, and a few with many features.
fn samples() -> Vec<PathBuf> {
    let mut chosen: Vec<PathBuf> = Vec::new();
    for version in ["2_5_1", "2_7_1", "2_8_0", "2_9_1", "2_15_0"] {
        let of_version =
            |path: &PathBuf| path.to_string_lossy().ends_with(&format!("t{version}.pt2"));
        chosen.extend(
            archives_of("archives")
                .into_iter()
                .filter(of_version)
                .take(2),
        );
    }
    chosen.extend(archives_of("dynamic").into_iter().step_by(12));
    chosen
}

#[test]
fn truncated_archives_are_refused() {
    for path in samples() {
        let whole = std::fs::read(&path).unwrap();
        for percent in 0..100 {
            let cut = &whole[..whole.len() * percent / 100];
            assert!(exercise(cut).is_none(), "{} at {percent} %", path.display());
        }
        let tail = whole.len().saturating_sub(200);
        for end in tail..whole.len() {
            assert!(
                exercise(&whole[..end]).is_none(),
                "{} at byte {end}",
                path.display()
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn damaged_archives_do_not_panic(
        which in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let samples = samples();
        prop_assume!(!samples.is_empty());
        let mut data = std::fs::read(which.get(&samples)).unwrap();
        for (at, byte) in edits {
            let at = at.index(data.len());
            data[at] = byte;
        }
        exercise(&data);
    }

    #[test]
    fn random_text_does_not_panic(text in "[-+*/%<>=!&|~(),'. a-zA-Z0-9_]{0,60}") {
        let _ = SymExpr::parse(&text);
        let _ = TreeSpec::parse(&text);
        let _ = ExportedProgram::parse(text.as_bytes());
    }

    #[test]
    fn random_pickles_do_not_panic(body in prop::collection::vec(pickle_piece(), 0..60)) {
        let pickle: Vec<u8> = body.concat();
        exercise(&legacy_with_pickle(&pickle));
    }
}

/// Opcodes with operands, so that random sequences are not refused at once.
fn pickle_piece() -> impl Strategy<Value = Vec<u8>> {
    let fixed: Vec<&[u8]> = vec![
        b"\x80\x02",
        b"(",
        b".",
        b"N",
        b"\x88",
        b"\x89",
        b"K\x03",
        b"M\x01\x02",
        b"J\xff\xff\xff\xff",
        b"\x8a\x02\xff\xff",
        b"G?\xf0\0\0\0\0\0\0",
        b")",
        b"}",
        b"]",
        b"t",
        b"\x85",
        b"\x86",
        b"\x87",
        b"a",
        b"e",
        b"s",
        b"u",
        b"Q",
        b"R",
        b"b",
        b"\x81",
        b"q\x00",
        b"h\x00",
        b"q\x01",
        b"h\x01",
        b"X\x01\0\0\0a",
        b"X\x07\0\0\0storage",
        b"ctorch\nFloatStorage\n",
        b"ctorch._utils\n_rebuild_tensor_v2\n",
        b"ctorch._tensor\n_rebuild_from_type_v2\n",
        b"ccollections\nOrderedDict\n",
    ];
    prop_oneof![9 => prop::sample::select(fixed).prop_map(<[u8]>::to_vec), 1 => any::<u8>().prop_map(|byte| vec![byte])]
}

const PROGRAM: &str = r#"{"graph_module": {"graph": {"inputs": [], "outputs": [], "nodes": [], "tensor_values": {}},
    "signature": {"input_specs": [], "output_specs": []}, "module_call_graph": []}, "schema_version": {"major": 8, "minor": 20}}"#;

fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut archive = ZipArchiveWriter::new(&mut out);
    for (name, data) in entries {
        let (mut entry, config) = archive
            .new_file(*name)
            .compression_method(CompressionMethod::STORE)
            .start()
            .unwrap();
        let mut writer = config.wrap(&mut entry);
        writer.write_all(data).unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    out
}

/// A torch 2.5 archive, whose state dict and example inputs are this pickle.
fn legacy_with_pickle(pickle: &[u8]) -> Vec<u8> {
    let torch = zip_of(&[
        ("archive/data.pkl", pickle),
        ("archive/byteorder", b"little"),
        ("archive/data/a", &[0; 16]),
    ]);
    zip_of(&[
        ("serialized_exported_program.json", PROGRAM.as_bytes()),
        ("serialized_example_inputs.pt", &torch),
        ("serialized_constants.pt", b""),
    ])
}

fn refusal(data: Vec<u8>) -> ErrorKind {
    Archive::from_bytes(data.into())
        .expect_err("accepted")
        .kind()
        .clone()
}

#[test]
fn compressed_entries_are_refused() {
    let mut data = zip_of(&[("m/models/model.json", PROGRAM.as_bytes())]);
    compress(&mut data);
    assert!(
        matches!(refusal(data), ErrorKind::Unsupported(message) if message.contains("compressed"))
    );
}

/// Marks the first entry as compressed.
fn compress(data: &mut [u8]) {
    // The compression method is at byte 10 of the central header.
    let central = data
        .windows(4)
        .position(|window| window == b"PK\x01\x02")
        .unwrap();
    data[central + 10] = 8;
}

#[test]
fn duplicate_and_overlapping_entries_are_refused() {
    let twice = zip_of(&[("m/a", b"x"), ("m/a", b"y")]);
    assert!(matches!(refusal(twice), ErrorKind::Zip(message) if message.contains("two entries")));
    let mut overlapping = zip_of(&[("m/aa", b"xxxxxxxx"), ("m/ab", b"yyyyyyyy")]);
    let central = overlapping
        .windows(4)
        .position(|window| window == b"PK\x01\x02")
        .unwrap();
    // Enlarges both sizes of the first entry, so that it overlaps the second one.
    overlapping[central + 20] = 60;
    overlapping[central + 24] = 60;
    assert!(
        matches!(refusal(overlapping), ErrorKind::Zip(message) if message.contains("overlaps"))
    );
}

#[test]
fn other_files_are_named_for_what_they_are() {
    let torch_save = zip_of(&[("a/data.pkl", b"N.")]);
    assert!(
        matches!(refusal(torch_save), ErrorKind::NotAnExport(message) if message.contains("torch.save"))
    );
    let script = zip_of(&[("a/data.pkl", b"N."), ("a/code/m.py", b"")]);
    assert!(
        matches!(refusal(script), ErrorKind::NotAnExport(message) if message.contains("TorchScript"))
    );
    let mut packed = zip_of(&[("a/code/m.py", b"")]);
    compress(&mut packed);
    assert!(
        matches!(refusal(packed), ErrorKind::NotAnExport(message) if message.contains("TorchScript"))
    );
    assert!(matches!(refusal(b"hello".to_vec()), ErrorKind::Zip(_)));
    assert!(matches!(refusal(Vec::new()), ErrorKind::Zip(_)));
    let newer = zip_of(&[
        ("a/archive_format", b"pt2"),
        ("a/archive_version", b"1"),
        ("a/models/model.json", b"{}"),
    ]);
    assert!(
        matches!(refusal(newer), ErrorKind::Unsupported(message) if message.contains("found `1`"))
    );
}

#[test]
fn a_newer_schema_is_named_when_it_does_not_parse() {
    let newer = |graph: &str| {
        PROGRAM
            .replace("\"major\": 8", "\"major\": 9")
            .replace("\"nodes\": []", graph)
    };
    assert!(ExportedProgram::parse(newer("\"nodes\": []").as_bytes()).is_ok());
    let error = ExportedProgram::parse(newer("\"nodes\": 7").as_bytes()).unwrap_err();
    assert!(error.to_string().contains("schema 9.20"), "{error}");
    let older = PROGRAM.replace("\"major\": 8", "\"major\": 6");
    assert!(matches!(
        ExportedProgram::parse(older.as_bytes()).unwrap_err().kind(),
        ErrorKind::Unsupported(_)
    ));
}

#[test]
fn deeply_nested_json_is_refused() {
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(ExportedProgram::parse(nested.as_bytes()).is_err());
    let graph = r#"{"target": "t", "inputs": [{"name": "", "arg": {"as_graph": {"name": "g", "graph": {"inputs": [], "outputs": [], "nodes": ["#;
    let bomb = PROGRAM.replace(
        "\"nodes\": [",
        &format!("\"nodes\": [{}", graph.repeat(10_000)),
    );
    assert!(ExportedProgram::parse(bomb.as_bytes()).is_err());
}

#[test]
fn repeated_and_cyclic_containers_cost_no_more_than_the_budget() {
    // Each tuple holds the one before twice, 60 times: 2^60 empty tuples in 200 bytes.
    let mut doubling = b"\x80\x02)".to_vec();
    doubling.extend((0..60u8).flat_map(|i| [b'q', i, b'h', i, 0x86]));
    doubling.push(b'.');
    let cyclic = b"\x80\x02]q\x00(h\x00h\x00e.".to_vec();
    for pickle in [doubling, cyclic] {
        let archive = Archive::from_bytes(legacy_with_pickle(&pickle).into()).unwrap();
        assert!(matches!(
            archive.sample_inputs().unwrap_err().kind(),
            ErrorKind::Limit(_)
        ));
    }
}

#[test]
fn unknown_calls_are_refused_by_name() {
    let archive =
        Archive::from_bytes(legacy_with_pickle(b"cos\nsystem\nX\x02\0\0\0ls\x85R.").into())
            .unwrap();
    let error = archive.sample_inputs().unwrap_err();
    assert!(error.to_string().contains("os.system"), "{error}");
}

#[test]
fn a_storage_that_is_too_short_is_refused() {
    // The 16 bytes of `data/a` hold four floats, but not five.
    let tensor = |count: u8| {
        let mut pickle = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\0aX\x03\0\0\0cpu".to_vec();
        pickle.extend([
            b'K', count, b't', b'Q', b'K', 0, b'K', count, 0x85, b'K', 1, 0x85, 0x89, b'}', b't',
            b'R', b'.',
        ]);
        Archive::from_bytes(legacy_with_pickle(&pickle).into())
            .unwrap()
            .sample_inputs()
    };
    assert!(tensor(4).is_ok());
    assert!(matches!(
        tensor(5).unwrap_err().kind(),
        ErrorKind::Tensor(_)
    ));
}

/// An archive with one weight `w` of this type and shape, whose file is empty.
fn weight_without_bytes(dtype: u32, sizes: &str) -> Archive {
    let config = format!(
        r#"{{"config": {{"w": {{"path_name": "weight_0", "is_param": true, "use_pickle": false, "tensor_meta": {{
        "dtype": {dtype}, "sizes": {sizes}, "requires_grad": true, "device": {{"type": "cpu", "index": null}},
        "strides": [], "storage_offset": {{"as_int": 0}}, "layout": 7}}}}}}}}"#
    );
    let data = zip_of(&[
        ("m/archive_format", b"pt2"),
        ("m/models/model.json", PROGRAM.as_bytes()),
        ("m/data/weights/weight_0", b""),
        (
            "m/data/weights/model_weights_config.json",
            config.as_bytes(),
        ),
    ]);
    Archive::from_bytes(data.into()).unwrap()
}

#[test]
fn tensors_without_storage_are_zeros_up_to_a_cap() {
    let zeros = weight_without_bytes(7, r#"[{"as_int": 2}, {"as_int": 3}]"#)
        .tensor("w")
        .unwrap();
    assert_eq!((zeros.sizes(), zeros.strides()), (&[2, 3][..], &[3, 1][..]));
    assert_eq!(zeros.to_contiguous(), [0; 24][..]);
    let huge = weight_without_bytes(7, r#"[{"as_int": 1099511627776}]"#)
        .tensor("w")
        .unwrap_err();
    assert!(matches!(huge.kind(), ErrorKind::Limit(_)), "{huge}");
    let unknown = weight_without_bytes(99, r#"[{"as_int": 1}]"#)
        .tensor("w")
        .unwrap_err();
    assert!(unknown.to_string().contains("99"), "{unknown}");
    let negative = weight_without_bytes(7, r#"[{"as_int": -1}]"#)
        .tensor("w")
        .unwrap_err();
    assert!(
        matches!(negative.kind(), ErrorKind::Tensor(_)),
        "{negative}"
    );
}

/// What stands in front of a subclass's attributes in a pickle. `utR` stands behind them.
const WRAPPER: &[u8] =
    b"ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._utils\n_rebuild_wrapper_subclass\n\
                         ctorchao.quantization\nIntxUnpackedToInt8Tensor\n)}(";

/// An archive with this pickle of a state dict.
fn pickled(pickle: &[u8]) -> Archive {
    let torch = zip_of(&[
        ("archive/data.pkl", pickle),
        ("archive/data/a", &[1, 2, 3, 4]),
    ]);
    let data = zip_of(&[
        ("serialized_exported_program.json", PROGRAM.as_bytes()),
        ("serialized_state_dict.pt", &torch),
    ]);
    Archive::from_bytes(data.into()).unwrap()
}

/// An archive whose tensor `w` is wrapped so many times.
fn wrapped(times: usize) -> Archive {
    let tensor = "ctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nCharStorage\nX\x01\0\0\0aX\x03\0\0\0cpuK\x04tQK\0K\x04\u{85}K\x01\u{85}\u{89}}tR";
    let mut pickle = b"\x80\x02}X\x01\0\0\0w".to_vec();
    pickle.extend([WRAPPER, b"X\x05\0\0\0qdata"].concat().repeat(times));
    pickle.extend(tensor.chars().map(|c| c as u8));
    pickle.extend(b"X\x05\0\0\0dtypectorch\nfloat32\nutR".repeat(times));
    pickle.extend(b"s.");
    pickled(&pickle)
}

#[test]
fn a_tensor_subclass_gives_its_inner_tensors() {
    for (times, attribute) in [
        (1, "qdata"),
        (2, "qdata.qdata"),
        (4, "qdata.qdata.qdata.qdata"),
    ] {
        let archive = wrapped(times);
        let Payload::Subclass(subclass) = archive.payload("w").unwrap() else {
            panic!("not a subclass")
        };
        assert_eq!(
            subclass.type_name,
            "torchao.quantization.IntxUnpackedToInt8Tensor"
        );
        assert_eq!(subclass.inner.keys().collect::<Vec<_>>(), [attribute]);
        assert_eq!(subclass.inner[attribute].to_contiguous(), [1, 2, 3, 4][..]);
        let error = archive.tensor("w").unwrap_err().to_string();
        assert!(
            error.contains("IntxUnpackedToInt8Tensor") && error.contains("run_decompositions"),
            "{error}"
        );
    }
}

#[test]
fn tensor_subclasses_nest_four_deep() {
    for times in [5, 100] {
        let error = wrapped(times).payload("w").unwrap_err().to_string();
        assert!(error.contains("nest too deep"), "{error}");
    }
}

/// Three subclasses around each other, each of which repeats the next a thousand times: a billion in all.
#[test]
fn repeated_subclasses_are_counted() {
    let mut pickle = [b"\x80\x02}X\x01\0\0\x000", WRAPPER, b"utRq\0s"].concat();
    for level in 1..4u8 {
        pickle.extend(format!("X\x01\0\0\0{level}").bytes());
        pickle.extend(WRAPPER);
        for i in 0..1000 {
            pickle.extend(format!("X\x03\0\0\0{i:03}h").bytes());
            pickle.push(level - 1);
        }
        pickle.extend([b'u', b't', b'R', b'q', level, b's']);
    }
    pickle.push(b'.');
    let error = pickled(&pickle).payload("3").unwrap_err().to_string();
    assert!(error.contains("too many tensors"), "{error}");
}

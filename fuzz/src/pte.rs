//! ExecuTorch programs: what is read obeys the rules, and its copy reads the same.

use bytes::Bytes;

/// Reads, checks, writes and reads again. Programs are compared as they print, since a NaN is never itself.
pub fn law(data: &[u8]) {
    let program = match kiln_pte::read(Bytes::copy_from_slice(data)) {
        Ok(program) => program,
        Err(error) => return super::refused(error),
    };
    kiln_pte::check(&program).expect("what was read obeys the rules");
    let mut file = Vec::new();
    kiln_pte::write(&program, &mut file).expect("what obeys the rules is written");
    let again = kiln_pte::read(file.into()).expect("what was written is read");
    assert!(
        program == again || format!("{program:?}") == format!("{again:?}"),
        "a program changes as it is copied"
    );
}

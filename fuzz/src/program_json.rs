//! A program as JSON: what is read and written reads and writes the same from then on.

use kiln_pt2::ExportedProgram;

/// Parses `data`; writes what it got, twice.
pub fn law(data: &[u8]) {
    let program = match ExportedProgram::parse(data) {
        Ok(program) => program,
        Err(error) => return super::refused(error),
    };
    let Ok(written) = program.to_json() else {
        return;
    };
    let again = ExportedProgram::parse(&written).expect("what was written reads");
    assert!(
        written == again.to_json().expect("and writes"),
        "a program changes as it is copied"
    );
}

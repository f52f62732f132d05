//! `payloads_of FOLDER FILE.pte...` writes the delegates' payloads of some programs into a folder, as seeds.

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args_os().skip(1).map(PathBuf::from);
    let folder = paths.next().ok_or("which folder?")?;
    for path in paths {
        let program = kiln_pte::read(std::fs::read(&path)?.into())?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let delegates = program
            .methods
            .iter()
            .flat_map(|method| method.delegates_with_blobs(&program));
        for (i, (_, blob)) in delegates.enumerate() {
            if let Some(blob) = blob {
                std::fs::write(folder.join(format!("{stem}.{i}")), blob)?;
            }
        }
    }
    Ok(())
}

//! A suite as a `.tar.xz` file, which is unpacked once for each content.

use lzma_rust2::{XzOptions, XzReader, XzWriter};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Level 9: its dictionary of 64 MiB holds a whole suite, so data that cases share is stored once.
const LEVEL: u32 = 9;

/// A fast level, for estimating sizes.
const QUICK: u32 = 1;

/// Writes files of a folder to a `.tar.xz`, sorted by name. Equal files give equal bytes.
///
/// # Errors
/// If a file cannot be read, or `archive` cannot be written.
pub fn pack(folder: &Path, names: &[String], archive: &Path) -> io::Result<()> {
    let file = BufWriter::new(File::create(archive)?);
    write(folder, names, file, LEVEL)?.flush()
}

/// An estimate of the bytes that [`pack`] would write, for files that share nothing with others.
///
/// # Errors
/// If a file cannot be read.
pub fn packed_size(folder: &Path, names: &[String]) -> io::Result<usize> {
    Ok(write(folder, names, Vec::new(), QUICK)?.len())
}

fn write<W: Write>(folder: &Path, names: &[String], into: W, level: u32) -> io::Result<W> {
    let mut tar = tar::Builder::new(XzWriter::new(into, XzOptions::with_preset(level))?);
    for name in names {
        let data = std::fs::read(folder.join(name))?;
        let mut header = tar::Header::new_gnu();
        header.set_size(data.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(0);
        tar.append_data(&mut header, name, data.as_slice())?;
    }
    tar.into_inner()?.finish()
}

/// The folder below `target/corpus` with the files of an archive. Unpacks them if this content has not been unpacked
/// before.
///
/// Several processes may do this at once: each unpacks into its own folder, and the first to finish renames it.
///
/// # Errors
/// If the archive cannot be read or unpacked.
pub fn unpacked(archive: &Path) -> io::Result<PathBuf> {
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    let suite = name.split('.').next().unwrap_or_default();
    let digest = blake3::hash(&std::fs::read(archive)?).to_hex();
    let all = crate::target_folder().join("corpus");
    let folder = all.join(&digest[..16]).join(suite);
    if folder.is_dir() {
        return Ok(folder);
    }
    std::fs::create_dir_all(&all)?;
    let scratch = tempfile::tempdir_in(&all)?;
    let files = XzReader::new(BufReader::new(File::open(archive)?), false);
    tar::Archive::new(files).unpack(scratch.path().join(suite))?;
    let named = std::fs::rename(scratch.path(), all.join(&digest[..16]));
    if folder.is_dir() {
        return Ok(folder);
    }
    named.map(|()| folder)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn files_come_back_as_they_were() {
        let scratch = tempfile::tempdir().unwrap();
        let names = ["a.txt", "b.bin"].map(String::from);
        std::fs::write(scratch.path().join("a.txt"), "text").unwrap();
        let noise: Vec<u8> = (0..100_000u32)
            .map(|i| (i.wrapping_mul(i) >> 7) as u8)
            .collect();
        std::fs::write(scratch.path().join("b.bin"), &noise).unwrap();
        let archives = ["one", "two"].map(|name| scratch.path().join(format!("{name}.tar.xz")));
        for archive in &archives {
            pack(scratch.path(), &names, archive).unwrap();
        }
        let bytes = archives.each_ref().map(|path| std::fs::read(path).unwrap());
        assert_eq!(bytes[0], bytes[1]);
        let folder = unpacked(&archives[0]).unwrap();
        assert!(folder.ends_with("one"));
        assert_eq!(std::fs::read(folder.join("b.bin")).unwrap(), noise);
        assert_eq!(unpacked(&archives[0]).unwrap(), folder);
        std::fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    }

    #[test]
    fn what_is_cut_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::write(scratch.path().join("a.txt"), "a text that is cut").unwrap();
        let archive = scratch.path().join("cut.tar.xz");
        pack(scratch.path(), &["a.txt".into()], &archive).unwrap();
        let whole = std::fs::read(&archive).unwrap();
        std::fs::write(&archive, &whole[..whole.len() / 2]).unwrap();
        assert!(unpacked(&archive).is_err());
    }
}

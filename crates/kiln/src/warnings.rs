//! Warnings of the driver about a compilation that succeeded. A target has warnings of its own.

use crate::target::{FORMATS, TargetName};
use kiln_target::Kind;
use std::path::Path;

/// The warning about a file name whose extension belongs to another format, or to none that Kiln writes.
pub(crate) fn of_name(output: &Path, kind: &Kind, target: TargetName) -> Option<String> {
    let ending = output.extension()?;
    let named = FORMATS.iter().map(|format| format.kind());
    let named = named
        .filter(|named| *named != kind)
        .find(|named| ending == named.extension);
    let Some(named) = named else {
        return of_unknown(output, kind, target);
    };
    let (file, is, other) = (output.display(), kind.name, without_article(named.name));
    let remedy = match kind.extension {
        // The slash at the end asked for a folder.
        "" if named == TargetName::default().kind() => "leave the last / of -o out for one".into(),
        "" => format!("{} for one", makers(named)?),
        ending => format!("{} for one, or end -o in .{ending}", makers(named)?),
    };
    Some(format!(
        "{file} is {is}, as --target {target} makes them, and no {other}; {remedy}"
    ))
}

/// The warning about an extension that Kiln does not know. A folder may have any.
fn of_unknown(output: &Path, kind: &Kind, target: TargetName) -> Option<String> {
    let extension = kind.extension;
    let ending = output.extension()?;
    // A .bin claims no format.
    let is_named = ending == extension || ending == "bin";
    if extension.is_empty() || is_named || !output.is_file() {
        return None;
    }
    let (file, is, ending) = (output.display(), kind.name, ending.display());
    Some(format!(
        "{file} is {is}, as --target {target} makes them, whatever .{ending} says; end -o in .{extension}"
    ))
}

fn without_article(name: &str) -> &str {
    name.split_once(' ').map_or(name, |(_, noun)| noun)
}

/// The option that asks for artifacts of a format; `None` if no target makes them.
fn makers(kind: &Kind) -> Option<String> {
    if TargetName::default().kind() == kind {
        return Some("leave --target out".into());
    }
    let all = TargetName::all().iter();
    let makers = all.filter(|t| t.kind() == kind).map(|t| t.name());
    let makers: Vec<&str> = makers.collect();
    (!makers.is_empty()).then(|| format!("give --target {}", makers.join(" or ")))
}

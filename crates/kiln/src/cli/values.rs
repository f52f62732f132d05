//! The values of options that no other part of Kiln reads.

use kiln_transforms::framework::pass::StopAfter;
use std::path::PathBuf;

/// A path, or stdout for `-`.
pub(super) fn or_stdout(path: PathBuf) -> PathBuf {
    match path.as_os_str() == "-" {
        true => PathBuf::from(crate::output::STDOUT),
        false => path,
    }
}

pub(super) fn parse_method(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => {
            Ok((name.into(), path.into()))
        }
        _ => Err("expected NAME=OTHER.pt2".into()),
    }
}

pub(super) fn parse_amount(text: &str) -> Result<f64, String> {
    let parsed = text.parse().ok();
    parsed
        .filter(|v: &f64| v.is_finite() && *v >= 0.0)
        .ok_or_else(|| "expected a finite number, 0 or more".into())
}

pub(super) fn parse_decibels(text: &str) -> Result<f64, String> {
    let parsed = text.parse().ok();
    parsed
        .filter(|v: &f64| v.is_finite())
        .ok_or_else(|| "expected a finite number".into())
}

pub(super) fn parse_positive(text: &str) -> Result<usize, String> {
    let parsed = text.parse().ok();
    parsed
        .filter(|&n| n > 0)
        .ok_or_else(|| "expected a whole number, 1 or more".into())
}

pub(super) fn parse_bytes(text: &str) -> Result<u64, String> {
    let parsed = text.parse::<u64>();
    parsed.map_err(|_| "expected a number of bytes, as 8192".into())
}

pub(super) fn parse_stop(text: &str) -> Result<StopAfter, String> {
    let (pass, application) = match text.split_once(':') {
        None => (text, None),
        Some((pass, n)) => (
            pass,
            Some(n.parse().map_err(|_| "expected PASS or PASS:N")?),
        ),
    };
    Ok(StopAfter {
        pass: pass.into(),
        application,
    })
}

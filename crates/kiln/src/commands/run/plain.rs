//! Outputs that say nothing: zero everywhere, the same number everywhere, NaN or infinite. They often come of inputs or weights that are none, and
//! agree with golden tensors made in the same way.

use crate::counted::counted;
use kiln_ir::TensorData;
use kiln_target::{Role, Runs};
use serde_json::{Value, json};

/// What is said of a tensor; `None` for one that tells something.
fn said(data: &TensorData) -> Option<String> {
    let count = data.elements();
    let is_any = |is: fn(f64) -> bool| data.scalars().filter(|s| is(s.as_f64())).count();
    let (nan, infinite) = (is_any(f64::is_nan), is_any(f64::is_infinite));
    if nan > 0 {
        return Some(match nan == count {
            true => "NaN everywhere".to_owned(),
            false => format!("NaN in {} of {count}", counted(nan, "element")),
        });
    }
    if infinite > 0 && infinite == count {
        return Some("infinite everywhere".to_owned());
    }
    let first = data.scalars().next()?;
    let is_plain = count > 1 && data.scalars().all(|s| s.as_f64() == first.as_f64());
    is_plain.then(|| match first.as_f64() {
        0.0 => "0 everywhere".to_owned(),
        number => format!("{number} everywhere"),
    })
}

fn all(results: &Runs) -> impl Iterator<Item = (usize, usize, String)> {
    let outputs = results.all(Role::Output);
    outputs.filter_map(|(run, position, data)| Some((run, position, said(data)?)))
}

/// A line for each such output.
pub fn lines(results: &Runs) -> Vec<String> {
    let line = |(run, position, what)| format!("note: run {run} output {position} is {what}");
    all(results).map(line).collect()
}

/// The same as data.
pub fn rows(results: &Runs) -> Vec<Value> {
    let row = |(run, position, what)| json!({"run": run, "index": position, "is": what});
    all(results).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f32]) -> Option<String> {
        said(&TensorData::from_f32(vec![values.len()], values))
    }

    #[test]
    fn outputs_without_news_are_named() {
        let nan = f32::NAN;
        assert_eq!(of(&[0.0, -0.0]).as_deref(), Some("0 everywhere"));
        assert_eq!(of(&[2.5, 2.5]).as_deref(), Some("2.5 everywhere"));
        assert_eq!(of(&[nan, nan]).as_deref(), Some("NaN everywhere"));
        assert_eq!(of(&[nan, 1.0]).as_deref(), Some("NaN in 1 element of 2"));
        let infinite = [f32::INFINITY, f32::NEG_INFINITY];
        assert_eq!(of(&infinite).as_deref(), Some("infinite everywhere"));
    }

    #[test]
    fn other_outputs_are_not() {
        assert_eq!(of(&[0.0, 1.0]), None);
        assert_eq!(of(&[0.0]), None);
        assert_eq!(of(&[f32::INFINITY, 1.0]), None);
        assert_eq!(of(&[]), None);
    }
}

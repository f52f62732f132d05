//! All that an import refuses, in one error: ops that no table has, and calls of known ops that cannot be expressed.

use super::source::describe;
use super::unknown::UnknownOps;
use anyhow::{Result, bail};
use kiln_aten::{ImportError, Problem};
use kiln_pt2 as pt2;
use serde::Serialize;
use std::fmt::{self, Display};

/// Said of several calls: those behind a refused one are tried on stand-ins for its results.
const LATER: &str = "calls are refused (later ones may follow from earlier ones)";

/// The number of calls that the error names; it counts the others.
const MAX_CALLS: usize = 24;

/// What an import refuses, as an error, and for the report of a compilation that it ends.
#[derive(Debug, Serialize)]
pub struct Refusals {
    #[serde(flatten)]
    unknown: UnknownOps,
    refused_calls: Vec<RefusedCall>,
}

#[derive(Debug, Serialize)]
struct RefusedCall {
    /// The op's name with its overload.
    op: String,
    /// The node, with the user's line.
    node: String,
    /// Why the call is refused, and what to do.
    reason: String,
    /// The arguments of the call.
    given: String,
}

impl Refusals {
    pub(super) fn new(unknown: UnknownOps) -> Refusals {
        Refusals {
            unknown,
            refused_calls: Vec::new(),
        }
    }

    /// Adds a call, unless its op is listed as unknown.
    pub(super) fn add(&mut self, node: &pt2::Node, error: &ImportError) {
        if error.problem == Problem::UnknownOp && self.unknown.holds(&error.target) {
            return;
        }
        self.refused_calls.push(RefusedCall {
            op: error.target.clone(),
            node: describe(node),
            reason: error.problem.to_string(),
            given: error.given.to_string(),
        });
    }

    /// How the import ended. What ends it behind a refused call may follow from the stand-ins of the call's results.
    ///
    /// # Errors
    /// All refusals, if there are any; otherwise what ended the import.
    pub(super) fn or(self, imported: Result<()>) -> Result<()> {
        if self.unknown.is_empty() && self.refused_calls.is_empty() {
            return imported;
        }
        bail!(self)
    }
}

impl Display for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = &self.refused_calls[..];
        match (self.unknown.is_empty(), calls) {
            (true, [call]) => return call.fmt(f),
            (true, _) => write!(f, "{} {LATER}", calls.len())?,
            (false, []) => return self.unknown.fmt(f),
            (false, [_]) => write!(f, "{}\na call is refused", self.unknown)?,
            (false, _) => write!(f, "{}\n{} {LATER}", self.unknown, calls.len())?,
        }
        for call in calls.iter().take(MAX_CALLS) {
            write!(f, "\n  {call}")?;
        }
        match calls.len().saturating_sub(MAX_CALLS) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

impl Display for RefusedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RefusedCall {
            op,
            node,
            reason,
            given,
        } = self;
        write!(f, "{node}: {op}: {reason}{given}")
    }
}

impl std::error::Error for Refusals {}

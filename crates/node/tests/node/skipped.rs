//! Reports skipped tests.

use std::io::Write;

/// Writes `skipped: <test>: <why>` to stderr, past the test harness, which hides what passing tests print with
/// `eprintln!`.
pub(crate) fn skipped(test: &str, why: &str) {
    // One write, so that lines of parallel tests do not mix. A closed stderr is no failure.
    let _ = std::io::stderr().write_all(format!("skipped: {test}: {why}\n").as_bytes());
}

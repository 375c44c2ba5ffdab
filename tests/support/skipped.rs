//! Says that a test was skipped, where everybody sees it.

use std::io::Write;

/// Writes `skipped: <test>: <why>` to standard error. `eprintln!` would not do: the test harness keeps what passing tests
/// print to itself.
pub fn skipped(test: &str, why: &str) {
    // One write, so that the lines of tests that run side by side do not mix. A closed stderr is no failure.
    let _ = std::io::stderr().write_all(format!("skipped: {test}: {why}\n").as_bytes());
}

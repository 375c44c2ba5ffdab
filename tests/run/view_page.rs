//! The page of `lmthing view` in headless Chromium, driven by `tests/run/view/check.mjs`.

use crate::pages::{check, printed};

/// Arguments of `generate.mjs`, one run each.
const RUNS: [&[&str]; 7] =
    [&["full"], &["hostile"], &["started"], &["waiting"], &["wide"], &["steps", "999"], &["many", "10000"]];

#[test]
fn the_page_works_in_chromium() {
    check("the_page_works_in_chromium", "view/check.mjs", |folder| {
        for run in RUNS {
            let name = run[0];
            folder.write(&format!("{name}.jsonl"), &printed("view/generate.mjs", run));
            let outcome = folder.run(&format!("view {name}.jsonl -o {name}.html"));
            assert_eq!(outcome.code, 0, "{outcome:?}");
        }
    });
}

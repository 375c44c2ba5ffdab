//! The page of `lmthing eval --format html`: in headless Chromium, driven by `tests/run/eval_page/check.mjs`, and what it computes,
//! in `model.mjs`.

use lmthing_store::trace::page;

use crate::pages::{check, printed};

/// Arguments of `generate.mjs`, one page each.
const PAGES: [&[&str]; 5] = [&["small"], &["hostile"], &["two"], &["models"], &["many", "1000"]];

#[test]
fn the_page_of_evals_works_in_chromium() {
    check("the_page_of_evals_works_in_chromium", "eval_page/check.mjs", |folder| {
        for arguments in PAGES {
            let name = arguments[0];
            let json = printed("eval_page/generate.mjs", arguments);
            folder.write(&format!("{name}.html"), &page::fill(lmthing_runtime::EVAL, name, &json).unwrap());
        }
    });
}

#[test]
fn rows_are_ordered_filtered_and_joined_with_the_baseline() {
    printed("eval_page/model.mjs", &[]);
}

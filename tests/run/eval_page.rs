//! The page of `lmthing eval --format html`: in headless Chromium, driven by `tests/run/eval_page/check.mjs`, and what it computes,
//! in `model.mjs`.

use lmthing_store::trace::page;
use serde_json::{Value, json};

use crate::{
    pages::{check, printed},
    support::Folder,
};

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

#[test]
fn the_command_prints_a_page_with_its_data() {
    let prompt = "
import { z } from 'zod';
export const input = z.object({ question: z.string() });
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'Four </script>' }];
export default ({ $ }, { question }) => { $`${question}`; };
";
    let eval = "
export const file = './sum.lmt.mjs';
export const rows = [{ question: '2+2?', expected: 'Four' }];
export const scores = { right: ({ text, row }) => text.includes(row.expected) };
";
    let folder = Folder::new(&[("sum.lmt.mjs", prompt), ("sum.eval.lmt.mjs", eval)]);
    let outcome = folder.run("eval --format html");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stdout.contains("<title>sum.eval.lmt.mjs – lmthing</title>"), "{outcome:?}");
    let (_, rest) = outcome.stdout.split_once("id=\"data\">").unwrap();
    let data: Value = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    let line = &data["evals"][0]["lines"][0];
    assert_eq!((&data["ok"], &line["text"]), (&json!(true), &json!("Four </script>")));
    assert_eq!(line["columns"].as_object().unwrap().get("expected"), Some(&json!("Four")));
}

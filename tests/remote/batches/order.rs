//! Prompts of a row that begin in another order when the row runs again.

use super::{Dialect, Lab};
use crate::rows::results_in;

/// A row asks for `A` and `B` at once. `page` is slow for the one that `ORDER` says for this run of the row.
const ASKS: &str = "
import fs from 'node:fs';
import { runPrompt } from 'lmthing';
export const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const id = { type: 'object', properties: { id: { type: 'string' } } };
export default async ({ $ }, { n }) => {
  const runs = `runs-${n}`;
  fs.appendFileSync(runs, '.');
  const slow = ORDER[fs.readFileSync(runs, 'utf8').length - 1];
  const page = (x) => new Promise((resolve) => setTimeout(() => resolve(x), x === slow ? 150 : 10));
  const all = await Promise.all(['A', 'B'].map(async (x) => {
    const text = await page(x);
    const { result } = await runPrompt(({ $, defTool }) => {
      TOOL
      $`row ${n} TEXT`;
    }, { model: 'MODEL' });
    return `${x}=${await result.text}`;
  }));
  $`${all.join(' ')}.`;
};
";

const ROWS: usize = 2;

/// `text` is what the prompts ask, and `tool` what they define.
fn lab(kind: &str, (text, tool): (&str, &str), order: &str) -> Lab {
    let lab = Lab::new(Dialect::OpenAi, ROWS, kind);
    let asks = ASKS.replace("MODEL", lab.server.model()).replace("ORDER", order);
    lab.folder.write("p.lmt.mjs", &asks.replace("TEXT", text).replace("TOOL", tool));
    lab
}

fn texts(lab: &Lab) -> Vec<String> {
    let text = |result: &serde_json::Value| result["text"].as_str().unwrap_or_default().to_owned();
    results_in(&lab.folder, "out.jsonl").iter().map(text).collect()
}

fn expected(ending: &str) -> Vec<String> {
    (1..=ROWS).map(|n| format!("A=row {n} A{ending} B=row {n} B{ending}.")).collect()
}

#[test]
fn each_prompt_gets_the_answer_to_its_text() {
    for order in ["['A', 'B', 'A']", "['B', 'A', 'A']", "['A', 'A', 'B']"] {
        let lab = lab("plain", ("${text}", ""), order);
        let outcome = lab.map("");
        assert_eq!((outcome.code, texts(&lab)), (0, expected("")), "{order}: {outcome:?}");
        assert_eq!(lab.sizes(), [2 * ROWS, ROWS], "nothing is asked twice");
    }
}

#[test]
fn a_command_that_continues_gives_each_prompt_its_answer() {
    let lab = lab("plain", ("${text}", ""), "['A', 'B', 'A', 'B']");
    while lab.sizes().len() < 2 {
        assert_eq!(lab.map("--no-wait").code, 0);
    }
    assert_eq!(lab.map("").code, 0);
    assert_eq!((texts(&lab), lab.sizes()), (expected(""), vec![2 * ROWS, ROWS]));
}

#[test]
fn prompts_with_tools_get_the_answers_to_their_texts() {
    let tool = "defTool('look', 'Looks.', id, ({ id }) => `seen ${text}`);";
    let lab = lab("plain", ("${text} tool", tool), "['A', 'B', 'B', 'B']");
    let outcome = lab.map("");
    assert_eq!((outcome.code, texts(&lab)), (0, expected(" tool")), "{outcome:?}");
    assert_eq!(lab.sizes(), [2 * ROWS, 2 * ROWS, ROWS]);
}

/// Another order and other texts at once.
#[test]
fn no_prompt_gets_an_answer_that_may_be_of_another() {
    let text = "${text} ${text === 'A' ? process.hrtime.bigint() : ''}";
    for order in ["['A', 'B']", "['B', 'A']"] {
        let lab = lab("plain", (text, ""), order);
        let outcome = lab.map("");
        assert_eq!(outcome.code, 1, "{outcome:?}");
        let error = results_in(&lab.folder, "out.jsonl")[0]["error"].clone();
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.contains("began in another order"), "{error}");
        assert!(error.to_string().contains("`input`"), "{error}");
    }
}

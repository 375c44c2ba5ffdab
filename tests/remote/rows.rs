//! A prompt file for rows, and results of `lmthing map`.

use std::fs;

use serde_json::Value;

use crate::support::Folder;

/// Answers with its input, writes a line for each run, and fails for the name `bad`.
pub(crate) const ECHO: &str = "
import { z } from 'zod';
import fs from 'node:fs';
export const input = z.object({ name: z.string(), count: z.number().int().optional(), wait: z.number().optional() });
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'done' }];
export default async ({ $ }, { name, count, wait = 0 }) => {
  fs.appendFileSync('runs.log', name + '\\n');
  if (wait) await new Promise((resolve) => setTimeout(resolve, wait));
  if (name === 'bad' && !fs.existsSync('mended')) throw new Error(`no luck with ${name}`);
  $`${name} ${count}`;
};
";

/// A folder with the file and these rows.
pub(crate) fn echo(rows: &[&str]) -> Folder {
    Folder::new(&[("p.lmt.mjs", ECHO), ("rows.jsonl", &lines(rows))])
}

/// A row for each name.
pub(crate) fn lines(names: &[&str]) -> String {
    names.iter().map(|name| format!("{{\"name\":\"{name}\"}}\n")).collect()
}

/// Parses lines of JSON.
pub(crate) fn results(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The results in a file.
pub(crate) fn results_in(folder: &Folder, name: &str) -> Vec<Value> {
    results(&fs::read_to_string(folder.path(name)).unwrap())
}

/// The numbers of the rows.
pub(crate) fn numbers(results: &[Value]) -> Vec<u64> {
    results.iter().map(|result| result["row"].as_u64().unwrap()).collect()
}

/// The names in the order in which they ran.
pub(crate) fn runs(folder: &Folder) -> Vec<String> {
    folder.lines("runs.log")
}

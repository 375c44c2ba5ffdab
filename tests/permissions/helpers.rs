//! A restricted prompt file that makes attempts, and their outcomes.

use std::os::unix::fs::symlink;

use crate::support::{Folder, Outcome};

/// Prints a line for each attempt: `name: value`, or the error with the option that would permit it.
pub(crate) const TRY: &str = "
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { execFileSync, spawnSync } from 'node:child_process';
import net from 'node:net';
import dns from 'node:dns';
import { createOpenAI } from 'lmthing';
const require = createRequire(import.meta.url);
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'Done.' }];
const words = (error) => {
  const found = /--allow-[a-z]+/.exec(error.message)?.[0] ?? '';
  return `${error.name} ${error.name === 'PermissionError' ? (error.message.includes('no --allow option') ? 'never' : found) : error.message}`;
};
const attempt = async (name, work) => {
  try { console.log(`${name}: ${String(await work()).trim()}`); } catch (error) { console.log(`${name}: ${words(error)}`); }
};
export default async ({ $ }) => {
  BODY
  $`go`;
};
";

/// A folder with a prompt file in `own`, files outside of it, and keys.
pub(crate) fn folder(body: &str) -> Folder {
    let folder = Folder::new(&[
        ("own/p.lmt.mjs", &TRY.replace("BODY", body)),
        ("own/data.txt", "own data"),
        ("own/sub/helper.mjs", "export default 'helper';"),
        ("node_modules/pack/package.json", r#"{"name":"pack","type":"module","exports":"./index.js"}"#),
        ("node_modules/pack/index.js", "export default 'package';"),
        ("out/secret.txt", "outside"),
        ("out/code.mjs", "export default 'outside code';"),
        ("out/code.cjs", "module.exports = 'outside code';"),
        ("out/data.json", "\"outside data\""),
        (".env", "OPENAI_API_KEY=sk-of-env-file-1234567890\nTONE=soft\n"),
    ]);
    symlink(folder.path("out"), folder.path("own/link")).unwrap();
    symlink(folder.path("out/not-there.txt"), folder.path("own/dangling")).unwrap();
    folder
}

/// Runs the attempts.
pub(crate) fn tried(folder: &Folder, options: &str) -> Outcome {
    let mut command = folder.command(&format!("run {options} own/p.lmt.mjs"));
    command.env("ANTHROPIC_API_KEY", "sk-ant-of-process-1234567890").env("PLAIN", "plain").env_remove("OPENAI_API_KEY");
    Outcome::of(&mut command)
}

pub(crate) fn lines(folder: &Folder, options: &str) -> Vec<String> {
    let outcome = tried(folder, options);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    for key in ["of-env-file", "of-process"] {
        assert!(!outcome.stdout.contains(key) && !outcome.stderr.contains(key), "{outcome:?}");
    }
    outcome.stdout.lines().map(|line| line.trim_end().to_owned()).filter(|line| line != "Done.").collect()
}

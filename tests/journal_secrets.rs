//! Secrets never get into a journal, and a run that needs one to go on says so.
#![allow(clippy::unwrap_used, reason = "the helpers of tests fail as tests do")]

mod journal_support;
mod run_support;

use journal_support::{USUAL, holds, ran};
use run_support::{Ended, Folder};
use serde_json::json;

const SECRET: &str = "sk-lab-7d1f0a9b3c5e42";

fn run(folder: &Folder, arguments: &str, more: &[&str]) -> Ended {
    let mut command = folder.command(arguments);
    let ended = Ended::from(command.args(more).env("LAB_API_KEY", SECRET).output().unwrap());
    assert_eq!(ended.code, 0, "{ended:?}");
    ended
}

#[test]
fn secrets_are_replaced_wherever_they_come_up() {
    let source = "
const key = process.env.LAB_API_KEY;
const halves = [key.slice(0, 9), key.slice(9)];
const call = (toolName, args = {}) => ({ type: 'tool-call', toolName, args });
export const config = { model: 'mock' };
export const mock = [
  // Said in pieces.
  { type: 'text', text: 'the key is ' + halves[0] }, { type: 'text', text: halves[1] + ' it is' },
  call('use', { key, header: `Bearer ${key}` }), call('fail'), { type: 'text', text: 'end' },
];
export default ({ $, defSystem, defTool, defState, def }) => {
  const [, remember] = defState('mine', 'nothing');
  def('KEY', key);
  defSystem('rules', `Use ${key}.`);
  defTool('use', `takes ${key}`, { type: 'object' }, (args) => { remember({ inner: [key] }); return { key, url: `https://a:${key}@b.example/` }; });
  defTool('fail', 'f', { type: 'object' }, () => { throw new Error(`no: ${encodeURIComponent(key)}`); });
  $`Here: ${key} and ${btoa('user:' + key)}`;
};";
    let folder = Folder::of(source);
    let ended = run(&folder, "run --journal p.lmt.mjs", &[]);
    let journal = folder.path(USUAL);
    assert!(!holds(&journal, SECRET) && !holds(&journal, "7d1f0a9b3c5e42"), "{ended:?}");
    assert!(holds(&journal, "[redacted]") && holds(&journal, "it holds a secret"), "{ended:?}");
    assert!(ended.stderr.contains("\"mine\" cannot be stored in the journal: it holds a secret"), "{ended:?}");
    let events = ran(&folder, "runs export last").events();
    assert!(events.iter().any(|event| event["delta"] == "the key is [redacted] it is"), "{events:?}");
}

#[test]
fn an_input_with_a_secret_cannot_be_gone_on_with() {
    let source = "
import { z } from 'zod';
export const input = z.object({ text: z.string(), n: z.number().default(3) });
export const config = { model: 'mock' };
export const mock = [{ type: 'tool-call', toolName: 't', args: {} }, { type: 'text', text: 'end' }];
export default ({ $, defTool }, { text }) => { defTool('t', 't', z.object({}), () => 'ok'); $`${text}`; };";
    let folder = Folder::of(source);
    let limited = |words: &[&str]| {
        let mut command = folder.command("run --journal --max-steps 1 p.lmt.mjs");
        Ended::from(command.args(words).env("LAB_API_KEY", SECRET).output().unwrap())
    };
    let ended = limited(&[&format!("use {SECRET}")]);
    assert_eq!(ended.code, 4, "{ended:?}");
    assert!(ended.stderr.contains("this run cannot be resumed: its input holds a secret"), "{ended:?}");
    assert!(!holds(&folder.path(USUAL), SECRET));
    let resumed = folder.run("resume last");
    assert!(resumed.code == 1 && resumed.stderr.contains("its input holds a secret"), "{resumed:?}");
    // Any other is kept whole, texts of files with it.
    folder.write("note.txt", "from a file");
    let ended = limited(&["@note.txt"]);
    assert!(ended.code == 4 && !ended.stderr.contains("cannot be resumed"), "{ended:?}");
    let object = ran(&folder, "runs show last --json").object();
    assert_eq!(object["started"]["input"]["text"], json!("from a file"), "{object}");
    std::fs::remove_file(folder.path("note.txt")).unwrap();
    assert_eq!(ran(&folder, "resume last").stdout, "end\n");
}

//! Secrets are never stored in a journal. A run that needs one to be resumed reports that.

use serde_json::json;

use crate::{
    helpers::{USUAL, holds, ran},
    support::{Folder, Outcome},
};

const SECRET: &str = "sk-lab-7d1f0a9b3c5e42";

fn run(folder: &Folder, arguments: &str, more: &[&str]) -> Outcome {
    let mut command = folder.command(arguments);
    let outcome = Outcome::of(command.args(more).env("LAB_API_KEY", SECRET));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    outcome
}

#[test]
fn secrets_are_replaced_wherever_they_come_up() {
    let source = "
const key = process.env.LAB_API_KEY;
const halves = [key.slice(0, 9), key.slice(9)];
const call = (toolName, args = {}) => ({ type: 'tool-call', toolName, args });
export const config = { model: 'mock' };
export const mock = [
  // Streamed in two pieces.
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
    let outcome = run(&folder, "run --journal p.lmt.mjs", &[]);
    let journal = folder.path(USUAL);
    assert!(!holds(&journal, SECRET) && !holds(&journal, "7d1f0a9b3c5e42"), "{outcome:?}");
    assert!(holds(&journal, "[redacted]") && holds(&journal, "it holds a secret"), "{outcome:?}");
    assert!(outcome.stderr.contains("\"mine\" cannot be stored in the journal: it holds a secret"), "{outcome:?}");
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
        Outcome::of(command.args(words).env("LAB_API_KEY", SECRET))
    };
    let outcome = limited(&[&format!("use {SECRET}")]);
    assert_eq!(outcome.code, 4, "{outcome:?}");
    assert!(outcome.stderr.contains("this run cannot be resumed: its input holds a secret"), "{outcome:?}");
    assert!(!holds(&folder.path(USUAL), SECRET));
    let resumed = folder.run("resume last");
    assert!(resumed.code == 1 && resumed.stderr.contains("its input holds a secret"), "{resumed:?}");
    // Other text is stored whole, with the contents of files.
    folder.write("note.txt", "from a file");
    let outcome = limited(&["@note.txt"]);
    assert!(outcome.code == 4 && !outcome.stderr.contains("cannot be resumed"), "{outcome:?}");
    let object = ran(&folder, "runs show last --json").object();
    assert_eq!(object["started"]["input"]["text"], json!("from a file"), "{object}");
    std::fs::remove_file(folder.path("note.txt")).unwrap();
    assert_eq!(ran(&folder, "resume last").stdout, "end\n");
}

/// A key with characters that the encodings change.
const ODD: &str = "sk-Lab/7d1f0a9b+3c5e42_8b6dKq";

/// Every encoding that docs/reference/errors.md names: its name, the JavaScript that encodes, and what is shown of the
/// result.
const CODINGS: [(&str, &str, &str); 38] = [
    ("as it is", "key", "[redacted]"),
    ("in capitals", "key.toUpperCase()", "[redacted]"),
    ("hex", "hex(key)", "[redacted]"),
    ("hex in capitals", "'<' + hex('id:' + key).toUpperCase() + '>'", "<[redacted]>"),
    ("a dump", "inspect(Buffer.from(key))", "<Buffer [redacted]>"),
    ("a dump with colons", "hex(key).replace(/..(?=.)/g, '$&:')", "[redacted]"),
    ("base32", "base32(key)", "[redacted]"),
    ("base32 of more", "'\"' + base32('me:' + key + ':you') + '\"'", "\"[redacted]\""),
    ("base32 in small letters", "base32('x' + key).toLowerCase()", "[redacted]"),
    ("base64", "btoa(key)", "[redacted]"),
    ("base64 of more", "btoa('me:' + key + ':you')", "[redacted]"),
    ("base64 for URLs", "Buffer.from('a' + key).toString('base64url')", "[redacted]"),
    ("base64 in lines", "btoa('user:' + key + key).replace(/.{16}/g, '$&\\r\\n') + ' end'", "[redacted] end"),
    ("base64 twice", "btoa(btoa(key))", "[redacted]"),
    ("base64 twice of more", "btoa('a' + btoa('me:' + key) + 'b')", "[redacted]"),
    ("percent", "each((code) => '%' + hex(code))", "[redacted]"),
    ("percent where needed", "encodeURIComponent(key)", "[redacted]"),
    ("percent twice", "encodeURIComponent(encodeURIComponent(key))", "[redacted]"),
    ("JSON", "each((code) => '\\\\u00' + hex(code))", "[redacted]"),
    ("JSON in JSON", "JSON.stringify(each((code) => '\\\\u00' + hex(code)))", "\"[redacted]\""),
    ("JavaScript", "each((code) => '\\\\x' + hex(code))", "[redacted]"),
    ("JavaScript, long", "each((code) => '\\\\u{' + hex(code) + '}')", "[redacted]"),
    ("HTML", "each((code) => '&#' + code.charCodeAt() + ';')", "[redacted]"),
    ("HTML in hex", "each((code) => '&#x' + hex(code) + ';')", "[redacted]"),
    ("HTML names", "key.replace('/', '&sol;').replace('+', '&plus;').replace('_', '&lowbar;')", "[redacted]"),
    ("HTML of percent", "encodeURIComponent(key).replaceAll('%', '&#37;')", "[redacted]"),
    ("a line end", "key.slice(0, 11) + '\\n    ' + key.slice(11) + ' end'", "[redacted] end"),
    ("line ends", "each((code) => code + '\\r\\n') + 'end'", "[redacted]"),
    ("an escaped line end", "JSON.stringify(key.slice(0, 11) + '\\n' + key.slice(11))", "\"[redacted]\""),
    ("zero-width spaces", "each((code) => code + '\\u200b')", "[redacted]\u{200b}"),
    ("soft hyphens", "each((code) => '\\u00ad' + code)", "\u{ad}[redacted]"),
    ("colours", "key.slice(0, 6) + '\\x1b[31m' + key.slice(6)", "[redacted]"),
    ("a long beginning", "key.slice(0, 12) + ' is wrong'", "[redacted] is wrong"),
    ("a marked beginning", "key.slice(0, 8) + '****' + key.slice(-4)", "[redacted]****6dKq"),
    ("a beginning before dots", "key.slice(0, 9) + '...'", "[redacted]..."),
    ("a long end", "'ends in ' + key.slice(-12)", "ends in [redacted]"),
    ("a marked end", "'sk-\u{2026}' + key.slice(-8)", "sk-\u{2026}[redacted]"),
    ("what is no secret", "'sk-Lab is a key of 29 letters'", "sk-Lab is a key of 29 letters"),
];

const HELPERS: &str = "
import { z } from 'zod';
import { inspect } from 'node:util';
const key = process.env.LAB_API_KEY;
const hex = (text) => Buffer.from(text).toString('hex');
const each = (write) => [...key].map(write).join('');
const base32 = (text) => {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = bits.match(/.{1,5}/g).map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[parseInt(five.padEnd(5, '0'), 2)]);
  return letters.join('').padEnd(Math.ceil(letters.length / 8) * 8, '=');
};
export const config = { model: 'mock' };
";

/// Model-written code calls `say`, which throws, and prints the error.
fn leaky(texts: &[&str]) -> String {
    let code = "for (let at = 0; at < COUNT; at++) { try { await say({ at }); } catch (e) { console.log((e as Error).message); } } return 1;";
    let code = code.replace("COUNT", &texts.len().to_string());
    format!(
        "{HELPERS}export const mock = [{{ type: 'tool-call', toolName: 'runToolCode', args: {{ code: {} }} }},
           {{ type: 'text', text: 'end' }}];
         const texts = () => [{}];
         export default ({{ $, defFunction }}) => {{
           defFunction('say', 'Says.', z.object({{ at: z.number() }}), ({{ at }}) => {{ throw new Error(at + ' ' + texts()[at]); }});
           $`go`;
         }};\n",
        json!(code),
        texts.join(",\n")
    )
}

fn with_key(folder: &Folder, arguments: &str, key: &str) -> Outcome {
    let outcome = Outcome::of(folder.command(arguments).env("LAB_API_KEY", key));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    outcome
}

#[test]
fn code_that_a_model_writes_prints_no_key() {
    let folder = Folder::of(&leaky(&["`refused ${key}`", "key"]));
    for arguments in ["run", "run -v", "run -q", "run -f json", "run -f events", "run --journal=j.db"] {
        let outcome = with_key(&folder, &format!("{arguments} p.lmt.mjs"), SECRET);
        for line in ["[sandbox] 0 refused [redacted]\n", "[sandbox] 1 [redacted]\n"] {
            assert!(outcome.stderr.contains(line), "{arguments}: {outcome:?}");
        }
        assert!(!format!("{outcome:?}").contains("7d1f0a9b"), "{arguments}: {outcome:?}");
    }
    for arguments in
        ["runs export last --journal=j.db", "view last --journal=j.db -o -", "runs show last --journal=j.db"]
    {
        let outcome = with_key(&folder, arguments, SECRET);
        assert!(!format!("{outcome:?}").contains("7d1f0a9b"), "{arguments}: {outcome:?}");
    }
}

#[test]
fn keys_are_found_in_every_coding_that_is_promised() {
    let texts: Vec<&str> = CODINGS.iter().map(|(_, text, _)| *text).collect();
    let folder = Folder::of(&leaky(&texts));
    let outcome = with_key(&folder, "run p.lmt.mjs", ODD);
    for (number, (name, text, shown)) in CODINGS.iter().enumerate() {
        let line = format!("[sandbox] {number} {shown}\n");
        assert!(outcome.stderr.contains(&line), "{name}, {text}: {line:?} in {}", outcome.stderr);
    }
}

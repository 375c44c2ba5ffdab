//! Files as input (`z.file()`) and in messages: what the prompt receives, what goes over the wire, and what is refused
//! before a request.

use std::fs;

use serde_json::{Value, json};

use super::helpers::{serve, turn};
use crate::support::{Folder, Outcome};

/// Two answers, so that a run with `--max-steps 1` is unfinished.
const LOOK: &str = r"
import { z } from 'zod';
export const config = { model: process.env.LOOK_MODEL ?? 'mock' };
export const mock = [{ type: 'tool-call', toolName: 'wait', args: {} }, { type: 'text', text: 'A dot.' }];
export const input = z.object({
  photo: z.file().max(1000).mime(['image/png', 'audio/wav', '']).describe('The picture'),
  more: z.array(z.file()).default([]),
  note: z.instanceof(Blob).optional(),
  place: z.object({ map: z.file() }).optional(),
});
export default async ({ $, defTool, defMessage }, { photo, more, note, place }) => {
  const all = [photo, ...more, note, place?.map].filter(Boolean);
  const bytes = await Promise.all(all.map(async (file) => (await file.bytes()).length));
  console.log(all.map((/** @type {any} */ file) => [file instanceof File, file.name, file.type, file.size].join(' ')).join(', '), bytes.join());
  defTool('wait', 'Waits.', z.object({}), () => 'ok');
  $`Look at ${photo} and ${more}.`;
  if (note) defMessage('user', [note, 'Thanks.']);
};
";

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe";
const WAV: &[u8] = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\xff";

fn folder() -> Folder {
    let folder = Folder::new(&[("look.lmt.mjs", LOOK), ("notes.md", "# Tides\n")]);
    for (name, bytes) in
        [("cat.png", PNG), ("a.wav", WAV), ("odd.bin", b"\x01\x02"), ("big.png", &[PNG, &[0; 1000]].concat())]
    {
        fs::write(folder.path(name), bytes).unwrap();
    }
    folder
}

fn run(folder: &Folder, arguments: &[&str], input: &str) -> Outcome {
    Outcome::with_input(folder.command("run").args(arguments), input)
}

#[test]
fn a_path_behind_an_at_sign_is_a_file() {
    let folder = folder();
    let resource = json!({ "type": "resource", "resource": { "uri": "file:///x/a%20b.md", "text": "é" } });
    let png = json!({ "type": "resource", "resource": { "uri": "p", "mimeType": "image/png", "blob": "iVBORw==" } });
    let cases: [(&[&str], &str, &str); 7] = [
        (&["look.lmt.mjs", "@cat.png"], "", "true cat.png image/png 18 18"),
        (
            &["look.lmt.mjs", "--photo", "@./a.wav", "--more", "@cat.png", "--more=@notes.md", "--note", "@notes.md"],
            "",
            "true a.wav audio/wav 22, true cat.png image/png 18, true notes.md text/markdown 8, true notes.md text/markdown 8 22,18,8,8",
        ),
        (&["look.lmt.mjs", "@odd.bin"], "", "true odd.bin  2 2"),
        (
            &["look.lmt.mjs", "@cat.png", "--place.map", "@a.wav"],
            "",
            "true cat.png image/png 18, true a.wav audio/wav 22 18,22",
        ),
        (
            &["--input", r#"{"photo":"@cat.png","more":["@a.wav"],"place":{"map":"@a.wav"}}"#, "look.lmt.mjs"],
            "",
            "true cat.png image/png 18, true a.wav audio/wav 22, true a.wav audio/wav 22 18,22,22",
        ),
        (
            &["look.lmt.mjs", "@cat.png", "--more", r#"["@a.wav","@cat.png"]"#],
            "",
            "true cat.png image/png 18, true a.wav audio/wav 22, true cat.png image/png 18 18,22,18",
        ),
        (
            &["--input", "-", "look.lmt.mjs"],
            &json!({ "photo": png, "note": resource }).to_string(),
            "true p image/png 4, true a b.md text/markdown 2 4,2",
        ),
    ];
    for (arguments, input, expected) in cases {
        let outcome = run(&folder, arguments, input);
        assert_eq!(outcome.code, 0, "{arguments:?}: {outcome:?}");
        assert_eq!(outcome.stdout.lines().next(), Some(expected), "{arguments:?}");
    }
}

#[test]
fn what_is_no_file_is_wrong_usage() {
    let folder = folder();
    let cases: [(&[&str], &str, &[&str]); 8] = [
        (&["look.lmt.mjs", "cat.png"], "", &["--photo: expected a file, got 'cat.png'", "--photo @cat.png"]),
        (&["look.lmt.mjs", "--photo", "-"], "", &["--photo: expected a file, got '-'", "--photo @/dev/stdin"]),
        (&["look.lmt.mjs", "@dog.png"], "", &["--photo: cannot read the file dog.png: there is no such file"]),
        (&["look.lmt.mjs", "@."], "", &["--photo: cannot read the file .: it is a directory"]),
        (&["look.lmt.mjs", "@big.png"], "", &["--photo: Too big", "got the file big.png"]),
        (&["look.lmt.mjs", "@notes.md"], "", &["--photo: ", "got the file notes.md"]),
        (&["--input", "-", "look.lmt.mjs"], r#"{"photo":"@cat.png"}"#, &["--photo: expected a file, got '@cat.png'"]),
        (
            &["--input", "-", "look.lmt.mjs"],
            r#"{"photo":{"type":"resource","resource":{"uri":"/etc/passwd"}}}"#,
            &["--photo: expected a file, got {", "hint: a file is given by its path behind @"],
        ),
    ];
    for (arguments, input, parts) in cases {
        let outcome = run(&folder, arguments, input);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{arguments:?}: {outcome:?}");
        parts.iter().for_each(|part| assert!(outcome.stderr.contains(part), "{part}: {}", outcome.stderr));
    }
    let help = folder.run("run look.lmt.mjs --help").stdout;
    assert!(help.contains("--photo @<file>    The picture [image/png or audio/wav"), "{help}");
    assert!(help.contains("--more @<file>...  [default: []]"), "{help}");
    let check = folder.run("check look.lmt.mjs");
    assert_eq!(check.code, 0, "{check:?}");
    assert!(check.stdout.contains("the first render was left out"), "{check:?}");
}

#[test]
fn schemas_of_files_may_have_more_checks() {
    let folder = folder();
    folder.write(
        "p.lmt.mjs",
        "import { z } from 'zod';
         export const config = { model: 'mock' };
         export const mock = [{ type: 'text', text: 'Seen.' }];
         export const input = z.object({
           photo: z.instanceof(Blob).refine((blob) => blob.size < 20, 'too big').describe('It').meta({ a: 1 }),
           more: z.array(z.instanceof(File).superRefine(() => {})).default([]),
           pair: z.tuple([z.string(), z.file()]).optional(),
           both: z.file().and(z.instanceof(Blob)).optional(),
           jpeg: z.file().mime('image/jpeg').optional(),
         });
         export default async ({ $ }, { photo, more, pair, both }) => {
           console.log([photo, ...more, pair?.[1], both].filter(Boolean).map((/** @type {any} */ file) => file.name).join());
           $`See ${photo}`;
         };",
    );
    let all = ["p.lmt.mjs", "@cat.png", "--more", "@notes.md", "--pair", r#"["a","@cat.png"]"#, "--both", "@notes.md"];
    let outcome = run(&folder, &all, "");
    assert_eq!(
        (outcome.code, outcome.stdout.lines().next()),
        (0, Some("cat.png,notes.md,cat.png,notes.md")),
        "{outcome:?}"
    );
    for (arguments, expected) in [
        (["--photo", "@a.wav"], "--photo: too big, got the file a.wav (audio/wav, 22 bytes)"),
        (
            ["@cat.png", "--jpeg=@cat.png"],
            "--jpeg: expected \"image/jpeg\", got the file cat.png (image/png, 18 bytes)",
        ),
        (["@cat.png", r#"--pair=["a","b"]"#], "--pair[1]: expected a file, got 'b'"),
    ] {
        let outcome = run(&folder, &["p.lmt.mjs", arguments[0], arguments[1]], "");
        assert!(outcome.code == 2 && outcome.stderr.contains(expected), "{expected}: {outcome:?}");
    }
    let wrong = r#"{"photo":{"type":"resource","resource":{"uri":"a","blob":"@@"}}}"#;
    let outcome = run(&folder, &["--input", "-", "p.lmt.mjs"], wrong);
    assert!(outcome.stderr.contains("got a resource whose blob is not base64"), "{outcome:?}");
    let check = Outcome::of(folder.command("check").args(["--input", r#"{"photo":"@cat.png"}"#, "p.lmt.mjs"]));
    assert!(check.code == 0 && check.stderr.contains("cat.png"), "{check:?}");
}

#[test]
fn only_the_named_file_can_be_read() {
    let source = LOOK.replace("$`Look", "const { readFileSync } = await import('node:fs'); try { readFileSync(process.env.OUT); } catch (error) { console.log(error.name); }\n$`Look");
    let folder = folder();
    folder.write("in/look.lmt.mjs", &source);
    let mut command = folder.command("run --restrict --allow-env=OUT,LOOK_MODEL in/look.lmt.mjs @cat.png");
    let outcome = Outcome::of(command.env("OUT", folder.path("cat.png")));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stdout.starts_with("true cat.png image/png 18 18\nPermissionError\n"), "{outcome:?}");
}

#[test]
fn a_resumed_run_has_the_file_as_it_was() {
    let folder = folder();
    fs::write(folder.path("wide.png"), [PNG, &[7; 300_000]].concat()).unwrap();
    let first = folder.run("run --journal --max-steps 1 look.lmt.mjs @cat.png --more @wide.png");
    assert_eq!(first.code, 4, "{first:?}");
    // The base64 of a file is stored once, although input, request and conversation have it.
    let size = fs::metadata(folder.path(".lmthing/journal.db")).unwrap().len();
    assert!(size < 700_000, "{size}");
    for name in ["cat.png", "wide.png"] {
        fs::remove_file(folder.path(name)).unwrap();
    }
    let resumed = folder.run("resume last");
    assert_eq!(resumed.code, 0, "{resumed:?}");
    let files = "true cat.png image/png 18, true wide.png image/png 300018 18,300018\nA dot.\n";
    assert!(resumed.stdout.contains(files), "{resumed:?}");
    let forked = folder.run("resume last --from 0");
    assert!(forked.stdout.contains(files), "{forked:?}");
    let shown = folder.run("runs show last").stdout;
    let input =
        r#"{"more":["[file wide.png, image/png, 300018 bytes]"],"photo":"[file cat.png, image/png, 18 bytes]"}"#;
    assert!(shown.contains(input), "{shown}");
}

fn asked(folder: &Folder, model: &str, arguments: &str) -> (Vec<Value>, Outcome) {
    let (base, requests) = serve(|_| turn(&["Seen."], false, None));
    let mut command = folder.bare_command(&format!("run look.lmt.mjs {arguments}"));
    command.env("LAB_API_TYPE", "openai").env("LAB_API_BASE", &base).env("LOOK_MODEL", model);
    for name in ["ANTHROPIC", "OPENAI", "GOOGLE_GENERATIVE_AI"] {
        command.env(format!("{name}_API_KEY"), "sk-0123456789abcdef").env(format!("{name}_BASE_URL"), &base);
    }
    let outcome = Outcome::of(&mut command);
    let requests = requests.lock().unwrap().clone();
    (requests, outcome)
}

#[test]
fn files_are_parts_at_their_place() {
    let folder = folder();
    let (requests, outcome) = asked(&folder, "lab:m", "@cat.png --more @a.wav --note @notes.md");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let (look, thanks) = (&requests[0]["messages"][0]["content"], &requests[0]["messages"][1]["content"]);
    assert_eq!(
        *look,
        json!([
            { "type": "text", "text": "Look at " },
            { "type": "image_url", "image_url": { "url": "data:image/png;base64,iVBORw0KGgoAAAANSUhEUv/+" } },
            { "type": "text", "text": " and " },
            { "type": "input_audio", "input_audio": { "data": "UklGRiQAAABXQVZFZm10IBAAAAAB/w==", "format": "wav" } },
            { "type": "text", "text": "." },
        ])
    );
    assert_eq!(thanks[0]["text"], "<file name=\"notes.md\">\n# Tides\n</file>");
    assert_eq!(thanks[1]["text"], "Thanks.");
}

#[test]
fn refused_files_are_found_before_a_request() {
    let folder = folder();
    for (model, arguments, parts) in [
        (
            "anthropic:claude-sonnet-4-5",
            "@a.wav",
            ["a.wav: Anthropic does not take audio/wav", "it takes pictures (PNG"],
        ),
        ("openai:gpt-5", "@a.wav", ["a.wav: The Responses API does not take audio/wav", "openai.chat"]),
        (
            "google:gemini-2.5-pro",
            "@odd.bin",
            ["odd.bin: Google does not take files of an unknown kind", "sound, video"],
        ),
        ("lab:m", "@odd.bin", ["odd.bin: The chat completions API does not take", "an unknown kind"]),
    ] {
        let (requests, outcome) = asked(&folder, model, arguments);
        assert_eq!((outcome.code, requests.len()), (2, 0), "{model}: {outcome:?}");
        parts.iter().for_each(|part| assert!(outcome.stderr.contains(part), "{part}: {}", outcome.stderr));
    }
}

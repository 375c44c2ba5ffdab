//! `export const input`: command-line input, the value that the prompt function receives, and errors. The unit tests
//! of `src/input` cover how arguments are parsed.

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use crate::support::{Folder, Outcome};

const WEATHER: &str = r"
import { z } from 'zod';
export const description = 'Says how the weather will be';
export const config = { model: 'mock' };
export const mock = [{ type: 'tool-call', toolName: 'look', args: {} }, { type: 'text', text: 'done' }];
export const input = z.object({
  city: z.string().describe('Which city'),
  days: z.number().int().min(1).default(3),
  tags: z.array(z.string()).optional(),
  loud: z.boolean().default(false),
  when: z.date().refine((day) => day.getFullYear() > 1900, 'expected date after 1900').nullable().optional(),
  big: z.bigint().optional(),
  size: z.string().transform((text) => text.length).optional(),
  address: z.object({ street: z.string(), zip: z.string().regex(/^\d+$/).optional() }).optional(),
}).refine((value) => value.city !== 'Nowhere', { message: 'there is no weather', path: ['city'] });
let first;
export default async ({ defTool, defState, $ }, input, ...rest) => {
  const shown = (key, value) => (typeof value === 'bigint' ? `${value}n` : value);
  if (!first) console.log(JSON.stringify(input, shown), input.when instanceof Date, rest.length, process.argv.length);
  if (first && first !== input) console.log('another input');
  first = input;
  defTool('look', 'Looks.', {}, () => 'sky');
  $`go`;
};
";

const OWN_ARGUMENTS: &str = r"
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'done' }];
export default ({ $ }, ...rest) => { console.log(JSON.stringify(process.argv.slice(2)), rest.length); $`go`; };
";

/// A folder with `w.lmt.mjs`, `own.lmt.mjs` and other files.
struct Files(Folder);

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        Files(Folder::new(&[files, &[("w.lmt.mjs", WEATHER), ("own.lmt.mjs", OWN_ARGUMENTS)]].concat()))
    }

    fn run(&self, arguments: &[&str], input: &str) -> Outcome {
        Outcome::with_input(self.0.command("run").args(arguments).env_remove("OPENAI_API_KEY"), input)
    }

    /// What the prompt function of `w.lmt.mjs` received; the run must succeed.
    fn got(&self, arguments: &[&str], input: &str) -> String {
        let outcome = self.run(arguments, input);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{arguments:?}: {}", outcome.stdout);
        let (first, rest) = outcome.stdout.split_once('\n').expect("a line");
        assert_eq!(rest, "done\n", "{arguments:?}");
        first.to_owned()
    }

    /// The error of wrong usage, without the usage line that follows it.
    fn refused(&self, arguments: &[&str], input: &str) -> String {
        let outcome = self.run(arguments, input);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{arguments:?}: {}", outcome.stderr);
        assert!(outcome.stderr.contains("\nUsage: lmthing run "), "{arguments:?}: {}", outcome.stderr);
        let error = outcome.stderr.strip_prefix("Error: ").and_then(|text| text.split("\n\nUsage").next());
        error.expect("an error").to_owned()
    }
}

#[test]
fn the_function_gets_the_validated_value_on_every_run() {
    let folder = Files::new(&[("notes.md", "# Notes\n"), ("all.json", r#"{"city":"Oslo","days":9}"#)]);
    let cases: &[(&[&str], &str, &str)] = &[
        (&["w.lmt.mjs", "Rome"], "", r#"{"city":"Rome","days":3,"loud":false} false 0 3"#),
        (
            &["w.lmt.mjs", "Rome", "--days", "5", "--tags", "a", "--tags", "b", "--loud"],
            "",
            r#"{"city":"Rome","days":5,"tags":["a","b"],"loud":true} false 0 10"#,
        ),
        (
            &["w.lmt.mjs", "--city=@notes.md", "--when=2026-01-31", "--big=12345678901234567890", "--size", "four"],
            "",
            r##"{"city":"# Notes\n","days":3,"loud":false,"when":"2026-01-31T00:00:00.000Z","big":"12345678901234567890n","size":4} true 0 7"##,
        ),
        (&["w.lmt.mjs", "x", "--when", "null"], "", r#"{"city":"x","days":3,"loud":false,"when":null} false 0 5"#),
        (&["w.lmt.mjs"], "Rome\n", r#"{"city":"Rome\n","days":3,"loud":false} false 0 2"#),
        (&["w.lmt.mjs", "-"], "Rome", r#"{"city":"Rome","days":3,"loud":false} false 0 3"#),
        (
            &["--input", "@all.json", "w.lmt.mjs", "--days", "1"],
            "",
            r#"{"city":"Oslo","days":1,"loud":false} false 0 4"#,
        ),
        (
            &["--input=-", "w.lmt.mjs"],
            r#"{"city":"Oslo","more":1}"#,
            r#"{"city":"Oslo","days":3,"loud":false} false 0 2"#,
        ),
        (
            &["--input", r#"{"city":"Oslo","address":{"street":"@notes.md"}}"#, "w.lmt.mjs", "--address.zip", "12"],
            "",
            r##"{"city":"Oslo","days":3,"loud":false,"address":{"street":"# Notes\n","zip":"12"}} false 0 4"##,
        ),
    ];
    for (words, piped, expected) in cases {
        assert_eq!(folder.got(words, piped), *expected, "{words:?}");
    }
}

#[test]
fn wrong_input_is_wrong_usage() {
    let folder = Files::new(&[("bad.json", "{\"city\": ")]);
    let cases: &[(&[&str], &str)] = &[
        (&["w.lmt.mjs"], "missing required input: --city <string> (standard input is empty)"),
        (&["w.lmt.mjs", "x", "--days", "many"], "--days: expected an integer (a whole number), got 'many'"),
        (&["w.lmt.mjs", "x", "--days", "0"], "--days: Too small: expected number to be >=1, got 0"),
        (&["w.lmt.mjs", "x", "--dayz", "1"], "unknown option --dayz"),
        (&["w.lmt.mjs", "x", "--record", "y"], "unknown option --record"),
        (&["w.lmt.mjs", "x", "y"], "unexpected word 'y': one bare word is expected"),
        (&["w.lmt.mjs", "Nowhere"], "--city: there is no weather, got 'Nowhere'"),
        (&["w.lmt.mjs", "x", "--when", "soon"], "--when: expected a date such as 2026-01-31, or null, got 'soon'"),
        (&["w.lmt.mjs", "x", "--when", "1800-01-01"], "--when: expected date after 1900, got '1800-01-01'"),
        (&["w.lmt.mjs", "x", "--big", "1.5"], "--big: expected an integer (a whole number), got '1.5'"),
        (
            &["w.lmt.mjs", "x", "--address", r#"{"street":"s","zip":"x"}"#],
            "--address.zip: Invalid string: must match pattern /^\\d+$/, got 'x'",
        ),
        (&["w.lmt.mjs", "@none.txt"], "--city: cannot read the file none.txt: there is no such file or folder"),
        (
            &["--input", "@bad.json", "w.lmt.mjs"],
            "--input @bad.json: expected the whole input as a JSON object, got '{\"city\":', which is not JSON: EOF while parsing a \
             value at line 1 column 9",
        ),
        (
            &["--input", r#"{"city":5,"days":0}"#, "w.lmt.mjs"],
            "the input does not fit:\n  --city: expected string, got 5\n  --days: Too small: \
             expected number to be >=1, got 0",
        ),
        (&["--input", r#"{"city":"x","address":{}}"#, "w.lmt.mjs"], "--address.street: expected string, got nothing"),
        (&["--input", "{}", "own.lmt.mjs"], "--input: own.lmt.mjs takes no input"),
    ];
    for (words, expected) in cases {
        assert_eq!(folder.refused(words, ""), *expected, "{words:?}");
    }
}

#[test]
fn help_runs_nothing_and_needs_no_key() {
    let described = "export const description = 'Only told.';\nexport const config = { model: 'openai:gpt-4o' };\n\
                     export default () => { console.log('ran'); };";
    let folder = Files::new(&[("d.lmt.mjs", described)]);
    for words in [&["w.lmt.mjs", "--help"][..], &["w.lmt.mjs", "Rome", "-h"], &["w.lmt.mjs", "--days", "x", "--help"]] {
        let shown = folder.run(words, "");
        assert_eq!((shown.code, shown.stderr.as_str()), (0, ""), "{words:?}");
        let begin = "Says how the weather will be\n\nUsage: lmthing run w.lmt.mjs <city> [OPTIONS]\n\nOptions:\n";
        assert!(shown.stdout.starts_with(begin), "{}", shown.stdout);
        assert!(shown.stdout.contains("  --city <string>             Which city [required]\n"), "{}", shown.stdout);
        assert!(shown.stdout.contains("  --days <integer>            [at least 1, default: 3]\n"), "{}", shown.stdout);
    }
    let shown = folder.run(&["d.lmt.mjs", "--help"], "");
    assert_eq!((shown.code, shown.stdout.lines().next()), (0, Some("Only told.")));
    // What the file does when it is loaded costs nothing, and changes nothing.
    let loads = "import { runPrompt } from 'lmthing';\nimport { z } from 'zod';\nimport fs from 'node:fs';\nconsole.log('loaded');\n\
                 const { result } = await runPrompt(({ $ }) => { $`Hi.`; }, { model: 'openai:gpt-4o' });\nawait result.text;\n";
    let rest = "export const input = z.object({ city: z.string() });\nexport const config = { model: 'mock' };\n\
                export const mock = [];\nexport default () => {};";
    let folder = Files::new(&[
        ("asks.lmt.mjs", &format!("{loads}{rest}")),
        ("writes.lmt.mjs", &format!("{loads}fs.writeFileSync('written', '');\n{rest}")),
        ("waits.lmt.mjs", &format!("{loads}await new Promise((go) => setTimeout(go, 60_000));\n{rest}")),
    ]);
    for (file, arguments) in [("asks", "<city>"), ("writes", "[--] [ARGUMENTS]..."), ("waits", "[--] [ARGUMENTS]...")] {
        let shown = folder.run(&[&format!("{file}.lmt.mjs"), "--help"], "");
        let usage = format!("Usage: lmthing run {file}.lmt.mjs {arguments}\n");
        assert!(shown.code == 0 && shown.stdout.starts_with(&usage) && shown.stderr.is_empty(), "{shown:?}");
    }
    assert!(!folder.0.path("written").exists());
    // Neither an input nor a description: the file does not run either.
    for words in [&["own.lmt.mjs", "--help"][..], &["own.lmt.mjs", "a", "-h", "--yes"]] {
        let shown = folder.run(words, "");
        let expected = "Usage: lmthing run own.lmt.mjs [--] [ARGUMENTS]...\n\nArguments that begin with dashes stand \
                        behind --.\n\nOptions:\n  -h, --help  Print this help\n";
        assert_eq!((shown.code, shown.stdout.as_str(), shown.stderr.as_str()), (0, expected, ""), "{words:?}");
    }
}

#[test]
fn a_file_without_input_gets_its_arguments_in_argv() {
    let folder = Files::new(&[]);
    for (words, expected) in [
        (&["a", "--days", "5"][..], r#"["a","--days","5"] 0"#),
        (&["--", "--model", "x"], r#"["--model","x"] 0"#),
        (&["--city", "x", "-x", "-5"], r#"["--city","x","-x","-5"] 0"#),
        (&["-vv"], r#"["-vv"] 0"#),
        (&["a", "--", "--restrict"], r#"["a","--","--restrict"] 0"#),
        (&["a", "--", "-h"], r#"["a","--","-h"] 0"#),
    ] {
        let shown = folder.run(&[&["own.lmt.mjs"], words].concat(), "text");
        assert_eq!(
            (shown.code, shown.stdout.as_str()),
            (0, format!("{expected}\ndone\n").as_str()),
            "{}",
            shown.stderr
        );
    }
}

#[test]
fn options_of_run_behind_a_file_without_input_are_refused() {
    let folder = Files::new(&[]);
    for option in ["--restrict", "--max-steps", "--yes", "--max-cost", "--allow-net=example.com", "--record", "-q"] {
        let name = option.split('=').next().unwrap();
        let shown = folder.run(&["own.lmt.mjs", "a", option, "2"], "");
        assert_eq!((shown.code, shown.stdout.as_str()), (2, ""), "{option}: {}", shown.stderr);
        let expected = format!("Error: {name} is an option of lmthing run, and stands behind the file\n\nUsage: ");
        assert!(shown.stderr.starts_with(&expected), "{}", shown.stderr);
        let ways = [format!("lmthing run {name} … FILE"), format!("lmthing run own.lmt.mjs -- {option}")];
        assert!(ways.iter().all(|way| shown.stderr.contains(way)), "{}", shown.stderr);
    }
    let shown = folder.run(&["own.lmt.mjs", "--journla"], "");
    assert_eq!((shown.code, shown.stdout.as_str()), (2, ""), "{}", shown.stderr);
    assert!(shown.stderr.starts_with("Error: unknown option --journla\n"), "{}", shown.stderr);
    assert!(shown.stderr.contains("did you mean --journal?"), "{}", shown.stderr);
}

#[test]
#[cfg(unix)]
fn an_argument_that_is_not_utf8_is_wrong_usage() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Files::new(&[]);
    for file in ["w.lmt.mjs", "own.lmt.mjs"] {
        let words = [b"--city=Rome".as_slice(), b"caf\xe9"].map(std::ffi::OsStr::from_bytes);
        let outcome = Outcome::of(folder.0.command("run").arg(file).args(words));
        let expected = r#"cannot read the word "caf\xE9" behind the file: it is not UTF-8 text"#;
        assert!(outcome.code == 2 && outcome.stderr.contains(expected), "{outcome:?}");
        assert!(outcome.stdout.is_empty(), "{outcome:?}");
    }
}

#[test]
fn exports_that_are_none_are_faults_of_the_file() {
    let file = |exports: &str| {
        format!(
            "import {{ z }} from 'zod';\nexport const config = {{ model: 'mock' }};\nexport const mock = [];\n\
             {exports};\nexport default ({{ $ }}) => {{ $`go`; }};"
        )
    };
    for (exports, expected) in [
        (
            "export const input = z.string()",
            "Error: the export input of f.lmt.mjs must be a schema of an object, got a schema whose type is string\n",
        ),
        (
            "export const input = { city: z.string() }",
            "Error: TypeError: the export input of f.lmt.mjs must be a zod schema or a JSON Schema object, ",
        ),
        (
            "export const input = 5",
            "Error: TypeError: the export input of f.lmt.mjs must be a zod schema or a JSON Schema object, got a number",
        ),
        ("export const description = 5", "Error: the export description of f.lmt.mjs must be a string, got a number\n"),
        (
            "export const input = z.object({}).refine(() => new Promise(() => {}))",
            "Error: the check of the input waits for a promise that nothing can settle any more\n",
        ),
        ("export const input = z.object({}).refine(() => { throw new Error('boom'); })", "Error: boom\n"),
    ] {
        let folder = Files::new(&[("f.lmt.mjs", &file(exports))]);
        let shown = folder.run(&["f.lmt.mjs"], "");
        assert_eq!((shown.code, shown.stdout.as_str()), (1, ""), "{exports}");
        assert!(shown.stderr.starts_with(expected), "{}", shown.stderr);
    }
}

#[test]
fn json_schema_is_as_good_as_zod() {
    let file = "export const config = { model: 'mock' };\nexport const mock = [{ type: 'text', text: 'done' }];\n\
                export const input = { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer', \
                default: 3 }, where: { type: 'object', properties: { zip: { type: 'string', pattern: '^[0-9]+$' } } }, \
                counts: { type: 'object', additionalProperties: { type: 'integer' } } }, \
                required: ['city'] };\nexport default ({ $ }, input) => { console.log(JSON.stringify(input)); $`go`; };";
    let folder = Files::new(&[("j.lmt.mjs", file)]);
    assert_eq!(
        folder.got(&["j.lmt.mjs", "Rome", "--where.zip=5"], ""),
        r#"{"where":{"zip":"5"},"city":"Rome","days":3}"#
    );
    // As `JSON.parse` does it.
    assert_eq!(
        folder.got(&["j.lmt.mjs", "Rome", "--counts.__proto__", "3"], ""),
        r#"{"counts":{"__proto__":3},"city":"Rome","days":3}"#
    );
    assert_eq!(
        folder.refused(&["j.lmt.mjs", "Rome", "--days", "x"], ""),
        "--days: expected an integer (a whole number), got 'x'"
    );
    assert_eq!(
        folder.refused(&["j.lmt.mjs", "Rome", "--where.zip=x"], ""),
        "--where.zip: Invalid string: must match pattern /^[0-9]+$/, got 'x'"
    );
    assert_eq!(
        folder.refused(&["--input", r#"{"days":1}"#, "j.lmt.mjs"], ""),
        "missing required input: --city <string> (standard input is empty)"
    );
}

#[test]
fn a_pipe_that_stays_open_is_not_waited_for_without_need() {
    let folder = Files::new(&[]);
    let begin = Instant::now();
    for (words, code) in [(&["w.lmt.mjs", "Rome"][..], 0), (&["w.lmt.mjs", "--help"], 0), (&["w.lmt.mjs", "x", "y"], 2)]
    {
        let mut command = folder.0.command("run");
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("it runs");
        let open = child.stdin.take();
        assert_eq!(child.wait().expect("it ends").code(), Some(code), "{words:?}");
        drop(open);
    }
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_schema_that_refers_to_itself_in_many_places_is_read_at_once() {
    let properties = ('a'..='z').map(|name| format!("{name}: node")).collect::<Vec<_>>().join(", ");
    let file = format!(
        "export const config = {{ model: 'mock' }};\nexport const mock = [{{ type: 'text', text: 'done' }}];\n\
         const node = {{ $ref: '#/$defs/node' }};\nexport const input = {{ type: 'object', properties: {{ root: node }}, \
         $defs: {{ node: {{ type: 'object', properties: {{ name: {{ type: 'string' }}, {properties} }} }} }} }};\n\
         export default ({{ $ }}, input) => {{ console.log(JSON.stringify(input)); $`go`; }};"
    );
    let folder = Files::new(&[("r.lmt.mjs", &file)]);
    let begin = Instant::now();
    assert_eq!(folder.got(&["r.lmt.mjs", "--root.z.name", "x"], ""), r#"{"root":{"z":{"name":"x"}}}"#);
    assert!(begin.elapsed() < Duration::from_secs(10));
}

#[test]
fn required_properties_may_be_declared_in_a_subschema() {
    let file = "export const config = { model: 'mock' };\nexport const mock = [{ type: 'text', text: 'done' }];\n\
                export const input = { type: 'object', allOf: [{ type: 'object', properties: { city: { type: 'string' } } }], \
                required: ['city'] };\nexport default ({ $ }, input) => { console.log(JSON.stringify(input)); $`go`; };";
    let folder = Files::new(&[("a.lmt.mjs", file)]);
    assert_eq!(folder.got(&["a.lmt.mjs", "Rome"], ""), r#"{"city":"Rome"}"#);
}

#[test]
fn the_matching_branch_of_a_union_is_used() {
    let file = "import { z } from 'zod';\nexport const config = { model: 'mock' };\n\
                export const mock = [{ type: 'text', text: 'done' }];\nexport const input = z.object({\n\
                q: z.union([z.object({ kind: z.literal('d'), at: z.date() }), z.object({ kind: z.literal('s'), at: z.string() })]).optional(),\n\
                big: z.union([z.number(), z.bigint()]).optional() });\n\
                export default ({ $ }, { q, big }) => { console.log(typeof q?.at, typeof big); $`go`; };";
    let folder = Files::new(&[("u.lmt.mjs", file)]);
    assert_eq!(folder.got(&["u.lmt.mjs", r#"--q={"kind":"s","at":"2026-01-31"}"#], ""), "string undefined");
    assert_eq!(folder.got(&["u.lmt.mjs", r#"--q={"kind":"d","at":"2026-01-31"}"#, "--big", "5"], ""), "object number");
    let file = "export const config = { model: 'mock' };\nexport const mock = [{ type: 'text', text: 'done' }];\n\
                export const input = { type: 'object', properties: { a: { type: 'string' } }, anyOf: [{ $ref: '#' }] };\n\
                export default ({ $ }) => { $`go`; };";
    folder.0.write("s.lmt.mjs", file);
    assert_ne!(folder.run(&["s.lmt.mjs", "--a", "x"], "").code, 101);
}

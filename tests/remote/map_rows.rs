//! `lmthing map` (docs/reference/map.md): rows in every format, and errors of invalid rows.

use std::{
    fs,
    io::Write,
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    rows::{ECHO, echo, lines, numbers, results},
    support::{Folder, Outcome},
};

const TYPED: &str = "
export const input = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    days: { type: 'integer', minimum: 1, default: 3 },
    share: { type: 'number' },
    open: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    at: { type: 'object', properties: { x: { type: 'number' } } },
    note: { type: ['string', 'null'] },
  },
  required: ['name'],
};
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'ok' }];
export default async ({ $ }, input) => { $`${JSON.stringify(input)}`; };
";

const TEXTS: &str = "
export const input = { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } } };
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'ok' }];
export default async ({ $ }, { text }) => { $`${text}`; };
";

fn inputs(outcome: &Outcome) -> Vec<Value> {
    results(&outcome.stdout).into_iter().map(|mut result| result["input"].take()).collect()
}

#[test]
fn cells_become_what_the_schema_asks() {
    let table = "\u{feff}name,days,share,open,tags,at.x,note,\r\n\
                 \"Rome, \"\"the\"\" city\r\nof hills\",2, 0.5 ,TRUE,\"[\"\"a\"\",\"\"b\"\"]\",1.5,null,x\r\n\
                 @file,,,0,one,,,\r\n\
                 \r\n\
                 ,1,,,,,-,\r\n";
    let folder = Folder::new(&[("p.lmt.mjs", TYPED), ("rows.csv", table)]);
    let outcome = folder.run("map p.lmt.mjs --input rows.csv");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(
        inputs(&outcome),
        [
            json!({ "name": "Rome, \"the\" city\r\nof hills", "days": 2, "share": 0.5, "open": true, "tags": ["a", "b"],
                    "at": { "x": 1.5 }, "note": null }),
            json!({ "name": "@file", "open": false, "tags": ["one"] }),
            json!({ "name": "", "days": 1, "note": "-" }),
        ]
    );
}

#[test]
fn a_row_that_native_work_holds_ends_with_its_time() {
    let script = "
export const input = { type: 'object', properties: { stuck: { type: 'boolean' } }, required: ['stuck'] };
export const config = { model: 'mock' LIMITS };
export const mock = [{ type: 'text', text: 'done' }];
export default async ({ $ }, { stuck }) => {
  if (stuck) process.getBuiltinModule('node:crypto').pbkdf2Sync('a', 'b', 2e9, 64, 'sha512');
  $`Go.`;
};
";
    let rows = "{\"stuck\":false}\n{\"stuck\":true}\n{\"stuck\":false}\n";
    let of_row = script.replace("LIMITS", ", limits: { time: '1s' }");
    let folder =
        Folder::new(&[("row.lmt.mjs", &of_row), ("p.lmt.mjs", &script.replace("LIMITS", "")), ("rows.jsonl", rows)]);
    let began = Instant::now();
    let outcome = folder.run("map row.lmt.mjs --input rows.jsonl --jobs 1");
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    let found = results(&outcome.stdout);
    assert_eq!((outcome.code != 0, numbers(&found)), (true, vec![1, 2, 3]), "{outcome:?}");
    assert_eq!((&found[0]["text"], &found[2]["text"]), (&json!("done"), &json!("done")), "{found:?}");
    assert_eq!((&found[1]["error"]["code"], &found[1]["error"]["kind"]), (&json!(4), &json!("limit")), "{found:?}");
    let began = Instant::now();
    let outcome = folder.run("map p.lmt.mjs --input rows.jsonl --timeout 1s");
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    assert_eq!(outcome.code, 4, "{outcome:?}");
    assert!(outcome.stderr.contains("time limit of 1 s"), "{outcome:?}");
}

#[test]
fn rows_next_to_a_blocked_one_begin_once_and_those_behind_it_do_not_wait() {
    let script = "
import { appendFileSync } from 'node:fs';
import { execSync } from 'node:child_process';
export const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'done' }];
export default async ({ $ }, { n }) => {
  appendFileSync('begun.txt', `${n}\n`);
  if (n === 4) execSync('sleep 4');
  await new Promise((resolve) => setTimeout(resolve, 100));
  appendFileSync('ended.txt', `${n}\n`);
  $`Go.`;
};
";
    let rows: String = (1..=40).map(|n| format!("{{\"n\":{n}}}\n")).collect();
    let folder = Folder::new(&[("p.lmt.mjs", script), ("rows.jsonl", &rows)]);
    let outcome = folder.run("map p.lmt.mjs --input rows.jsonl --jobs 6");
    assert_eq!((outcome.code, results(&outcome.stdout).len()), (0, 40), "{outcome:?}");
    let lines = |name: &str| -> Vec<u32> {
        let text = fs::read_to_string(folder.path(name)).unwrap();
        text.lines().map(|line| line.parse().unwrap()).collect()
    };
    let mut begun = lines("begun.txt");
    begun.sort_unstable();
    assert_eq!(begun, (1..=40).collect::<Vec<u32>>());
    // With a second thread, only rows that had begun on the blocked one wait for it.
    if std::thread::available_parallelism().map_or(1, usize::from) > 1 {
        let ended = lines("ended.txt");
        let place = ended.iter().position(|row| *row == 4).unwrap();
        assert!(place >= 10, "{ended:?}");
    }
}

#[test]
fn rows_come_from_anywhere() {
    let folder = Folder::new(&[
        ("p.lmt.mjs", ECHO),
        ("rows.tsv", "name\tcount\na, b\t1\n"),
        ("semi.csv", "name;count\na, b;1\n"),
        ("rows.jsonl", "\u{feff}{\"name\":\"a, b\",\"count\":1}\r\n\n"),
        ("rows.txt", "{\"name\":\"a, b\",\"count\":1}"),
    ]);
    for rows in ["rows.tsv", "semi.csv", "rows.jsonl", "rows.txt"] {
        let outcome = folder.run(&format!("map p.lmt.mjs --input {rows}"));
        assert_eq!(
            (outcome.code, inputs(&outcome)),
            (0, vec![json!({ "name": "a, b", "count": 1 })]),
            "{rows}: {outcome:?}"
        );
    }
    for text in ["name\tcount\na, b\t1\n", "name,count\n\"a, b\",1\n", "{\"name\":\"a, b\",\"count\":1}\n"] {
        let mut child = folder.command("map p.lmt.mjs --input -").stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let outcome = Outcome::from(child.wait_with_output().unwrap());
        assert_eq!((outcome.code, inputs(&outcome)), (0, vec![json!({ "name": "a, b", "count": 1 })]), "{outcome:?}");
    }
}

#[test]
fn files_are_rows() {
    let source = TYPED
        .replace("required: ['name']", "required: ['path', 'name']")
        .replace("properties: {\n    name", "properties: {\n    path: { type: 'string' },\n    name");
    let folder = Folder::new(&[("p.lmt.mjs", &source), ("docs/b.md", "B"), ("docs/in/a.md", "A"), ("docs/c.txt", "C")]);
    folder.write("docs/.hidden.md", "no");
    let outcome = folder.run("map p.lmt.mjs --each docs/**/*.md --set name=text");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let expected = [json!({ "path": "docs/b.md", "name": "B" }), json!({ "path": "docs/in/a.md", "name": "A" })];
    assert_eq!(inputs(&outcome), expected);
    let outcome = folder.run("map p.lmt.mjs --each docs/*.pdf");
    assert!(outcome.code == 2 && outcome.stderr.contains("--each docs/*.pdf: no file is named so"), "{outcome:?}");
}

#[test]
fn columns_may_have_other_names() {
    let folder = Folder::new(&[("p.lmt.mjs", ECHO), ("rows.csv", "town,Count,name\nRome,1,x\n")]);
    let outcome = folder.run("map p.lmt.mjs --input rows.csv --set name=town");
    assert_eq!((outcome.code, inputs(&outcome)), (0, vec![json!({ "name": "Rome", "count": 1 })]), "{outcome:?}");
    assert!(outcome.stderr.contains("the file takes nothing from the column name"), "{outcome:?}");
    folder.write("rows.jsonl", r#"{"town":"Rome"}"#);
    let outcome = folder.run("map p.lmt.mjs --input rows.jsonl --set name=town");
    assert_eq!(inputs(&outcome), [json!({ "name": "Rome" })], "{outcome:?}");
}

#[test]
fn invalid_rows_are_reported_and_do_not_affect_others() {
    let folder = Folder::new(&[("p.lmt.mjs", ECHO), ("rows.csv", "name,count\na,1\nb,many\nc\nd,1.5\ne,5\n")]);
    let outcome = folder.run("map p.lmt.mjs --input rows.csv");
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let found = results(&outcome.stdout);
    assert_eq!(numbers(&found), [1, 2, 3, 4, 5]);
    let errors: Vec<_> = found.iter().map(|result| result["error"]["message"].as_str().unwrap_or("")).collect();
    assert_eq!(errors[1], "count: expected an integer (a whole number), got 'many'");
    assert_eq!(errors[2], "the row has 1 cell, and the header 2 (line 4)");
    assert!(errors[0].is_empty() && errors[3].starts_with("count: expected an integer"), "{errors:?}");
    assert_eq!(
        (&found[1]["error"]["kind"], &found[1]["input"]),
        (&json!("input"), &json!({ "name": "b", "count": "many" }))
    );
    assert_eq!(crate::rows::runs(&folder).len(), 2, "wrong rows are not run");
    let jsonl = "{\"name\":\"a\"}\n[1]\n{\"name\":\n{\"name\":5}\n";
    folder.write("rows.jsonl", jsonl);
    let outcome = folder.run("map p.lmt.mjs --input rows.jsonl");
    for words in ["line 2 is no JSON object, but an array", "line 3 is not JSON", "name: expected string, got 5"] {
        assert!(outcome.stdout.contains(words), "{words}: {outcome:?}");
    }
}

#[test]
fn a_quote_that_is_never_closed_swallows_nothing() {
    let folder = Folder::new(&[("p.lmt.mjs", ECHO)]);
    for (rows, line) in [
        ("name,count\na,1\n\nb,\"2\nc,3\nd,4\n", 4),
        ("name,count\r\n\"a\r\nb\",1\r\n\"c,3\r\nd,4", 4),
        ("name,count\na,\"", 2),
        ("name,count\na,\"1\"\"\n.", 2),
        ("\"name,count\na,1\n", 1),
    ] {
        folder.write("rows.csv", rows);
        let outcome = folder.run("map p.lmt.mjs --input rows.csv -o out.jsonl");
        let words = format!("rows.csv: a cell in line {line} begins with a quote that is never closed");
        assert!(outcome.code == 2 && outcome.stderr.contains(&words), "{rows:?}: {outcome:?}");
    }
    assert!(crate::rows::runs(&folder).is_empty() && !folder.path("out.jsonl").exists());
    // Looks like an end mark, but is a value.
    for rows in ["name,count\n.,1\n\"a\"\"\n.\",2\n", "name\na\n.\n", "name\r\n\"\"\"\"\r\n\".\""] {
        folder.write("rows.csv", rows);
        let outcome = folder.run("map p.lmt.mjs --input rows.csv");
        assert_eq!((outcome.code, inputs(&outcome).len()), (0, 2), "{rows:?}: {outcome:?}");
    }
}

#[test]
fn rows_are_named_by_their_lines() {
    let folder = Folder::new(&[("p.lmt.mjs", ECHO)]);
    for rows in
        ["name,count\n\"a\nb\",1\n\nc\nd,1\n", "name,count\r\n\"a\r\nb\",1\r\n\r\nc\r\nd,1", "name,count\na,1\n\n\nc"]
    {
        folder.write("rows.csv", rows);
        let outcome = folder.run("map p.lmt.mjs --input rows.csv");
        assert!(outcome.stdout.contains("the row has 1 cell, and the header 2 (line 5)"), "{rows:?}: {outcome:?}");
    }
}

#[test]
fn invalid_tables_are_wrong_usage() {
    let folder = echo(&["a"]);
    for (name, text) in [
        ("missing.csv", "town,count\nRome,1\n"),
        ("twice.csv", "name,count,name\na,1,b\n"),
        ("same.csv", "name,Name\na,b\n"),
        ("empty.csv", ""),
        ("array.json", "[{\"name\":\"a\"}]"),
        ("all.csv", "name,count\na,x\nb,y\n"),
        (
            "none.lmt.mjs",
            "export const config = { model: 'mock' };\nexport const mock = [];\nexport default () => {};\n",
        ),
    ] {
        folder.write(name, text);
    }
    fs::write(folder.path("wide.csv"), [0xff, 0xfe, b'n', 0]).unwrap();
    for (arguments, code, words) in [
        (
            "p.lmt.mjs --input missing.csv",
            2,
            "no column gives name, which the file requires; the columns are town, count",
        ),
        ("p.lmt.mjs --input missing.csv", 2, "--set name=town"),
        ("p.lmt.mjs --input twice.csv", 2, "the column name is there twice"),
        ("p.lmt.mjs --input same.csv", 2, "the columns name and Name both give name"),
        ("p.lmt.mjs --input empty.csv", 2, "there is no header"),
        ("p.lmt.mjs --input array.json", 2, "jq -c '.[]'"),
        ("p.lmt.mjs --input wide.csv", 2, "UTF-16"),
        (
            "p.lmt.mjs --input all.csv",
            2,
            "none of the 2 rows of all.csv fits what the file takes: row 1: count: expected",
        ),
        ("p.lmt.mjs --input rows.jsonl --set nam=x", 2, "did you mean name=x?"),
        ("p.lmt.mjs --input missing.csv --set name=twon", 2, "did you mean name=town?"),
        ("p.lmt.mjs --input rows.jsno", 2, "cannot read the rows"),
        ("p.lmt.mjs", 2, "--input"),
        ("p.lmt.mjs --input rows.jsonl --each x", 2, "cannot be used with"),
        ("p.lmt.mjs --input rows.jsonl --set x", 2, "expected PROPERTY=COLUMN"),
        ("p.lmt.mjs --input rows.jsonl --max-errors x", 2, "a share of them such as 5%"),
        ("p.lmt.mjs --input rows.jsonl --jobs 0", 2, "a whole number from 1 on"),
        ("none.lmt.mjs --input rows.jsonl", 1, "takes no input"),
        ("gone.lmt.mjs --input rows.jsonl", 1, "cannot find the file gone.lmt.mjs"),
    ] {
        let outcome = folder.run(&format!("map {arguments}"));
        assert!(outcome.code == code && outcome.stderr.contains(words), "{arguments}: {outcome:?}");
    }
    assert!(crate::rows::runs(&folder).is_empty());
    assert_eq!(folder.run("map p.lmt.mjs --input all.csv -o out.jsonl").code, 2);
    assert!(!folder.path("out.jsonl").exists() && !folder.path("out.jsonl.lmthing").exists(), "no file is left");
}

#[test]
fn no_rows_are_no_failure() {
    let folder = Folder::new(&[("p.lmt.mjs", ECHO), ("rows.csv", "name\n"), ("rows.jsonl", "")]);
    for rows in ["rows.csv", "rows.jsonl"] {
        let outcome = folder.run(&format!("map p.lmt.mjs --input {rows} -o out.jsonl --fresh"));
        assert!(outcome.code == 0 && outcome.stderr.contains("0 rows"), "{outcome:?}");
        assert_eq!(fs::read_to_string(folder.path("out.jsonl")).unwrap(), "");
    }
}

#[test]
fn a_sample_is_spread_and_the_same() {
    let names: Vec<String> = (1..=10).map(|number| format!("n{number}")).collect();
    let folder = echo(&[]);
    folder.write("rows.jsonl", &lines(&names.iter().map(String::as_str).collect::<Vec<_>>()));
    for _ in 0..2 {
        let outcome = folder.run("map p.lmt.mjs --input rows.jsonl --sample 3");
        assert_eq!((outcome.code, numbers(&results(&outcome.stdout))), (0, vec![1, 5, 8]), "{outcome:?}");
    }
}

#[test]
fn what_is_read_is_not_written() {
    let prompt = ECHO.replacen('\n', "\nimport { greeting } from './greet.mjs';\nglobalThis.greeting = greeting;\n", 1);
    let greet = "export const greeting = 'hello';\n";
    let folder = Folder::new(&[("p.lmt.mjs", &prompt), ("greet.mjs", greet), ("rows.csv", "name\na\n")]);
    folder.write("texts/a.txt", "one");
    folder.write("t.lmt.mjs", TEXTS);
    for (arguments, name) in [
        ("p.lmt.mjs --input rows.csv --fresh -o greet.mjs", "greet.mjs"),
        ("p.lmt.mjs --input rows.csv --fresh -o ./p.lmt.mjs", "p.lmt.mjs"),
        ("p.lmt.mjs --input rows.csv --fresh -o rows.csv -f csv", "rows.csv"),
        ("t.lmt.mjs --each texts/*.txt --fresh -o texts/a.txt", "texts/a.txt"),
        ("t.lmt.mjs --each texts/*.txt -o texts/results.txt", "texts/results.txt"),
    ] {
        let before = fs::read_to_string(folder.path(name)).ok();
        let outcome = folder.run(&format!("map {arguments}"));
        assert_eq!(outcome.code, 2, "{arguments}: {outcome:?}");
        assert!(outcome.stderr.contains("name another file"), "{arguments}: {outcome:?}");
        assert_eq!(fs::read_to_string(folder.path(name)).ok(), before, "{arguments}");
    }
}

#[test]
fn a_limit_on_cost_needs_a_known_price() {
    let prompt = ECHO.replace("model: 'mock'", "model: 'lab:tide'");
    let folder = Folder::new(&[("p.lmt.mjs", &prompt), ("rows.csv", "name\na\n")]);
    let mut command = folder.command("map p.lmt.mjs --input rows.csv -o out.jsonl --max-cost 1");
    command.env("LAB_API_BASE", "http://lab.invalid").env("LAB_API_TYPE", "openai").env("LAB_API_KEY", "k");
    let outcome = Outcome::of(&mut command);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert!(outcome.stderr.contains("lab:tide"), "{outcome:?}");
    assert!(!folder.path("out.jsonl").exists());
}

#[test]
fn a_row_that_does_not_fit_is_shown_with_its_line() {
    let folder = Folder::new(&[("p.lmt.mjs", ECHO), ("rows.csv", "name,count\n\"a\nb\",1\n\nc,many\n")]);
    let outcome = folder.run("map p.lmt.mjs --input rows.csv");
    assert!(outcome.stderr.contains("'many' (row 2, line 5)"), "{outcome:?}");
    folder.write("all.csv", "name,count\n\"a\nb\",x\n");
    let outcome = folder.run("map p.lmt.mjs --input all.csv");
    assert!(outcome.stderr.contains("got 'x' (line 2)"), "{outcome:?}");
}

#[test]
fn a_warning_is_cut() {
    let tool = "defTool('fail', 'F', z.object({}), () => { throw new Error('y'.repeat(13_000)); });";
    let prompt = ECHO
        .replace("({ $ }, {", "({ $, defTool }, {")
        .replace("fs.appendFileSync", &format!("{tool}\n  fs.appendFileSync"))
        .replace("mock = [", "mock = [{ type: 'tool-call', toolName: 'fail', args: {} }, ");
    let folder = Folder::new(&[("p.lmt.mjs", &prompt), ("rows.csv", "name\na\n")]);
    let outcome = folder.run("map p.lmt.mjs --input rows.csv");
    assert!(outcome.stderr.contains("yyy… (") && outcome.stderr.len() < 6_000, "{}", outcome.stderr.len());
}

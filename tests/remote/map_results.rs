//! `lmthing map` (docs/reference/map.md): results, their order and file; resuming; limits; the effect of a bad row on
//! others.

use std::{fs, thread, time::Duration};

use serde_json::json;

use crate::{
    rows::{ECHO, echo, lines, numbers, results, results_in, runs},
    support::{Folder, Outcome, Running},
};

const MAP: &str = "map p.lmt.mjs --input rows.jsonl";

#[test]
fn results_are_in_the_order_of_rows() {
    let folder = echo(&[]);
    let rows = "{\"name\":\"slow\",\"wait\":600}\n{\"name\":\"b\"}\n{\"name\":\"c\"}\n";
    folder.write("rows.jsonl", rows);
    let outcome = folder.run(MAP);
    assert_eq!((outcome.code, numbers(&results(&outcome.stdout))), (0, vec![1, 2, 3]), "{outcome:?}");
    let first = &results(&outcome.stdout)[0];
    assert_eq!((&first["input"], &first["text"]), (&json!({ "name": "slow", "wait": 600 }), &json!("done")));
    assert_eq!((&first["finishReason"], &first["cost"], first.get("error")), (&json!("stop"), &json!(0.0), None));
    assert!(first["durationMs"].as_u64().unwrap() >= 600 && first["usage"].is_object());
    assert!(outcome.stderr.contains("3 rows: 3 done"), "{outcome:?}");
    let outcome = folder.run(&format!("{MAP} --unordered"));
    assert_eq!(numbers(&results(&outcome.stdout)).last(), Some(&1), "{outcome:?}");
    let outcome = folder.run(&format!("{MAP} --jobs 1 --unordered -q"));
    assert_eq!((numbers(&results(&outcome.stdout)), outcome.stderr.as_str()), (vec![1, 2, 3], ""));
}

#[test]
fn an_output_is_written_in_place_of_text() {
    let folder = Folder::of(
        "export const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
         export const output = { type: 'object', properties: { twice: { type: 'number' } }, required: ['twice'] };
         export const config = { model: 'mock' };
         export const mock = [{ type: 'text', text: '{\"twice\":4}' }];
         export default ({ $ }, { n }) => { console.log('prints'); $`${n}`; };",
    );
    folder.write("rows.jsonl", "{\"n\":2}\n");
    let outcome = folder.run(MAP);
    let result = &results(&outcome.stdout)[0];
    assert_eq!((&result["output"], result.get("text")), (&json!({ "twice": 4 }), None), "{outcome:?}");
    assert!(outcome.stderr.contains("row 1 | prints"), "{outcome:?}");
    folder.write("mock.json", r#"[{ "type": "text", "text": "{\"twice\":6}" }]"#);
    let outcome = folder.run(&format!("{MAP} --mock mock.json"));
    assert_eq!(results(&outcome.stdout)[0]["output"], json!({ "twice": 6 }), "{outcome:?}");
}

#[test]
fn a_bad_row_harms_no_other() {
    let source = "
export const input = { type: 'object', properties: { kind: { type: 'string' } } };
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'ok' }];
globalThis.count = (globalThis.count ?? 0) + 1;
export default async ({ $ }, { kind }) => {
  const deeper = () => deeper() + 1;
  if (kind === 'throw') throw new Error('thrown');
  if (kind === 'later') setTimeout(() => { throw new Error('thrown later'); });
  if (kind === 'rejected') Promise.reject(new Error('rejected'));
  if (kind === 'exit') process.exit(7);
  if (kind === 'deep') deeper();
  if (kind === 'loop') while (true) ;
  if (kind === 'stuck') await new Promise(() => {});
  if (kind === 'memory') { const all = []; while (true) all.push(new Array(1e6).fill(0)); }
  $`${kind} ${globalThis.count}`;
  if (kind === 'later') await new Promise((resolve) => setTimeout(resolve, 1000));
};
";
    let kinds = ["throw", "fine", "later", "rejected", "exit", "fine", "deep", "loop", "stuck", "memory", "fine"];
    let rows: String = kinds.iter().map(|kind| format!("{{\"kind\":\"{kind}\"}}\n")).collect();
    let folder = Folder::new(&[("p.lmt.mjs", source), ("rows.jsonl", &rows)]);
    let outcome = folder.run(MAP);
    let found = results(&outcome.stdout);
    assert_eq!((outcome.code, found.len()), (1, kinds.len()), "{outcome:?}");
    for (kind, result) in kinds.iter().zip(&found) {
        assert_eq!(result.get("error").is_none(), *kind == "fine", "{kind}: {result}");
    }
    assert_eq!(found[4]["error"]["code"], 7);
    assert!(outcome.stderr.contains("1 × script: thrown (row 1)"), "{outcome:?}");
    assert!(found[7]["error"]["message"].as_str().unwrap().contains("endless loop"), "{}", found[7]);
}

#[test]
fn the_same_command_resumes() {
    let folder = echo(&["a", "bad", "c"]);
    let map = format!("{MAP} -o out.jsonl");
    let outcome = folder.run(&map);
    assert!(outcome.code == 1 && outcome.stdout.is_empty(), "{outcome:?}");
    assert!(outcome.stderr.contains("The same command again runs the rows that failed"), "{outcome:?}");
    folder.write("mended", "");
    folder.write("rows.jsonl", &lines(&["new", "a", "bad", "c"]));
    let outcome = folder.run(&map);
    assert!(outcome.code == 0 && outcome.stderr.contains("2 done, 2 done before"), "{outcome:?}");
    let found = results_in(&folder, "out.jsonl");
    assert_eq!(numbers(&found), [1, 2, 3, 4]);
    let names: Vec<_> = found.iter().map(|result| result["input"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["new", "a", "bad", "c"]);
    let mut noted = runs(&folder);
    noted.sort();
    assert_eq!(noted, ["a", "bad", "bad", "c", "new"]);
    let outcome = folder.run(&format!("{map} --fresh"));
    assert!(outcome.stderr.contains("4 rows: 4 done;"), "{outcome:?}");
}

#[test]
fn another_file_runs_all_rows_again() {
    let folder = echo(&["a", "b"]);
    folder.write(
        "p.lmt.mjs",
        &ECHO
            .replace("`${name} ${count}`", "`${name} ${word}`")
            .replace("import fs", "import { word } from './word.mjs';\nimport fs"),
    );
    folder.write("word.mjs", "export const word = 'one';");
    let map = format!("{MAP} -o out.jsonl");
    assert_eq!(folder.run(&map).code, 0);
    let before = fs::read_to_string(folder.path("out.jsonl")).unwrap();
    folder.write("word.mjs", "export const word = 'two';");
    let outcome = folder.run(&map);
    assert!(
        outcome.code == 0 && outcome.stderr.contains("p.lmt.mjs has changed since out.jsonl was written"),
        "{outcome:?}"
    );
    assert_eq!((runs(&folder).len(), fs::read_to_string(folder.path("out.jsonl.before")).unwrap()), (4, before));
}

#[test]
fn foreign_files_are_not_overwritten() {
    let folder = echo(&["a"]);
    folder.write("out.jsonl", "precious\n");
    let outcome = folder.run(&format!("{MAP} -o out.jsonl"));
    assert!(outcome.code == 2 && outcome.stderr.contains("was not written by lmthing map"), "{outcome:?}");
    assert_eq!(fs::read_to_string(folder.path("out.jsonl")).unwrap(), "precious\n");
    assert!(runs(&folder).is_empty() && !folder.path("out.jsonl.lmthing").exists());
    assert_eq!(folder.run(&format!("{MAP} -o out.jsonl --fresh")).code, 0);
}

#[test]
fn a_line_that_was_half_written_is_mended() {
    let folder = echo(&["a", "b", "c"]);
    let map = format!("{MAP} -o out.jsonl");
    assert_eq!(folder.run(&map).code, 0);
    let text = fs::read_to_string(folder.path("out.jsonl")).unwrap();
    folder.write("out.jsonl", &text[..text.len() - 10]);
    let outcome = folder.run(&map);
    assert!(outcome.stderr.contains("1 done, 2 done before"), "{outcome:?}");
    assert_eq!(numbers(&results_in(&folder, "out.jsonl")), [1, 2, 3]);
}

/// Rows that take a moment, of which the first takes long.
fn slow_rows(count: usize) -> String {
    let wait = |row: usize| if row == 1 { 3000 } else { 20 };
    (1..=count).map(|row| format!("{{\"name\":\"n{row}\",\"wait\":{}}}\n", wait(row))).collect()
}

#[cfg(unix)]
#[test]
fn a_kill_loses_no_finished_row() {
    let folder = echo(&[]);
    folder.write("rows.jsonl", &slow_rows(200));
    let map = format!("{MAP} -o out.jsonl --jobs 4");
    let running = Running::of(&mut folder.command(&map));
    while runs(&folder).len() < 30 {
        thread::sleep(Duration::from_millis(5));
    }
    running.signal("KILL");
    drop(running);
    let begun = runs(&folder).len();
    let outcome = folder.run(&map);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(numbers(&results_in(&folder, "out.jsonl")), (1..=200).collect::<Vec<_>>());
    // Only rows that were running are run again.
    assert!(runs(&folder).len() <= 200 + 4, "{begun} {}", runs(&folder).len());
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_finished_rows() {
    let folder = echo(&[]);
    folder.write("rows.jsonl", &slow_rows(2000));
    let map = format!("{MAP} -o out.jsonl --jobs 4");
    let running = Running::of(&mut folder.command(&map));
    while runs(&folder).len() < 30 {
        thread::sleep(Duration::from_millis(5));
    }
    running.signal("INT");
    let outcome = running.end();
    assert_eq!(outcome.code, 130, "{outcome:?}");
    assert!(
        outcome.stderr.contains("not run") && outcome.stderr.contains("The same command again runs the rest"),
        "{outcome:?}"
    );
    let found = numbers(&results_in(&folder, "out.jsonl"));
    assert!(found.len() > 20 && found.is_sorted(), "{found:?}");
}

#[test]
fn limits_hold_for_all_rows() {
    let names: Vec<String> = (0..20).map(|number| format!("n{number}")).collect();
    let folder = echo(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let map = format!("{MAP} -o out.jsonl");
    let outcome = folder.run(&format!("{map} --max-steps 7"));
    assert!(outcome.code == 4 && outcome.stderr.contains("--max-steps"), "{outcome:?}");
    let found = results_in(&folder, "out.jsonl");
    assert!(found.len() == 7 && found.iter().all(|result| result.get("error").is_none()), "{found:?}");
    let outcome = folder.run(&map);
    assert!(outcome.code == 0 && outcome.stderr.contains("13 done, 7 done before"), "{outcome:?}");
    folder.write("rows.jsonl", &slow_rows(50));
    let outcome = folder.run(&format!("{MAP} --timeout 300ms --jobs 2"));
    assert!(outcome.code == 4 && outcome.stderr.contains("--timeout"), "{outcome:?}");
}

#[test]
fn failures_end_it_or_are_tried_again() {
    let folder = echo(&["bad"; 10]);
    let outcome = folder.run(&format!("{MAP} --max-errors 2 --jobs 1"));
    assert!(
        outcome.code == 1 && outcome.stderr.contains("3 rows failed, and --max-errors allows no more"),
        "{outcome:?}"
    );
    assert_eq!(results(&outcome.stdout).len(), 3);
    let outcome = folder.run(&format!("{MAP} --max-errors 50% --jobs 1"));
    assert_eq!(results(&outcome.stdout).len(), 6, "{outcome:?}");
    let folder = echo(&["a", "bad"]);
    let outcome = folder.run(&format!("{MAP} --retries 2 -v"));
    assert_eq!((outcome.code, runs(&folder).len()), (1, 4), "{outcome:?}");
    assert!(outcome.stderr.contains("row 2: failed, once more (script: no luck with bad)"), "{outcome:?}");
}

#[test]
fn results_are_a_table_for_spreadsheets() {
    let folder = echo(&["a,b", "=1+1", "bad"]);
    let table = |text: &str| -> Vec<String> {
        // Without the time.
        text.split("\r\n").map(|line| line.split(',').take(6).collect::<Vec<_>>().join(",")).collect()
    };
    let outcome = folder.run(&format!("{MAP} -f csv"));
    let lines = table(&outcome.stdout);
    assert_eq!(lines[0], "row,name,count,wait,text,finishReason", "{outcome:?}");
    assert_eq!((lines[1].as_str(), lines[2].as_str()), ("1,\"a,b\",,,done", "2,'=1+1,,,done,stop"), "{outcome:?}");
    assert!(outcome.stdout.contains("no luck with bad"), "{outcome:?}");
    let map = format!("{MAP} -f csv -o out.csv");
    assert_eq!(folder.run(&map).code, 1);
    assert_eq!(table(&fs::read_to_string(folder.path("out.csv")).unwrap()), lines);
    folder.write("mended", "");
    let outcome = folder.run(&map);
    assert!(outcome.code == 0 && outcome.stderr.contains("1 done, 2 done before"), "{outcome:?}");
    assert_eq!(fs::read_to_string(folder.path("out.csv")).unwrap().lines().count(), 4);
}

#[test]
fn calls_that_need_approval_are_denied() {
    let folder = Folder::of(
        "export const input = { type: 'object', properties: { n: { type: 'number' } } };
         export const config = { model: 'mock' };
         export const mock = [{ type: 'tool-call', toolCallId: '1', toolName: 'rm', args: {} }, { type: 'text', text: 'ok' }];
         import fs from 'node:fs';
         export default ({ $, defTool }) => {
           defTool('rm', 'Removes.', { type: 'object' }, () => { fs.appendFileSync('removed', 'x'); return 'gone'; }, { needsApproval: true });
           $`go`;
         };",
    );
    folder.write("rows.jsonl", "{\"n\":2}\n");
    assert_eq!(folder.run(MAP).code, 0);
    assert!(!folder.path("removed").exists());
    assert_eq!(folder.run(&format!("{MAP} --approve rm")).code, 0);
    assert!(folder.path("removed").exists());
    let outcome = folder.run(&format!("{MAP} --approve rm --restrict"));
    assert!(outcome.code == 0 || outcome.code == 1, "{outcome:?}");
    assert_eq!(fs::read_to_string(folder.path("removed")).unwrap(), "x", "restricted");
}

#[test]
fn the_process_belongs_to_no_row() {
    let folder = Folder::of(
        "import fs from 'node:fs';
         export const input = { type: 'object', properties: { name: { type: 'string' } } };
         export const config = { model: 'mock' };
         export const mock = [{ type: 'text', text: 'ok' }];
         process.on('SIGINT', () => {});
         export default ({ $ }, { name }) => { if (name === 'a') process.chdir('/'); fs.readFileSync('rows.jsonl'); $`x`; };",
    );
    folder.write("rows.jsonl", &lines(&["a", "b", "c"]));
    let outcome = folder.run(&format!("{MAP} --jobs 1 -o out.jsonl"));
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let results = results_in(&folder, "out.jsonl");
    let message = results[0]["error"]["message"].as_str().unwrap();
    assert!(message.contains("process.chdir('/') is refused"), "{message}");
    assert_eq!((&results[1]["text"], &results[2]["text"]), (&json!("ok"), &json!("ok")));
}

#[test]
fn results_of_removed_rows_stay() {
    let folder = echo(&["a", "b"]);
    let command = format!("{MAP} -o out.jsonl");
    assert_eq!(folder.run(&command).code, 0);
    for (rows, before) in [("c", "out.jsonl.before"), ("d", "out.jsonl.before2")] {
        let as_it_was = fs::read_to_string(folder.path("out.jsonl")).unwrap();
        folder.write("rows.jsonl", &lines(&[rows]));
        let outcome = folder.run(&command);
        assert!(outcome.code == 0 && outcome.stderr.contains(before), "{outcome:?}");
        assert_eq!(fs::read_to_string(folder.path(before)).unwrap(), as_it_was);
        assert_eq!(results_in(&folder, "out.jsonl").len(), 1);
    }
}

#[cfg(unix)]
#[test]
fn only_a_file_of_its_own_is_written_over() {
    let folder = echo(&["a"]);
    rustix::fs::mknodat(rustix::fs::CWD, folder.path("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    fs::create_dir(folder.path("folder")).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path("lost")).unwrap();
    for (out, what) in [
        ("pipe", "it is no regular file"),
        ("folder", "it is a folder"),
        ("lost", "it is a link that leads nowhere"),
        ("rows.jsonl", "the command reads it"),
        ("p.lmt.mjs", "the command reads it"),
        ("imported-later.mjs", "it has the name of a module"),
    ] {
        let outcome = folder.run(&format!("{MAP} --fresh -o {out}"));
        assert!(outcome.code == 2 && outcome.stderr.contains(what), "{out}: {outcome:?}");
    }
    fs::write(folder.path("target.jsonl"), "").unwrap();
    std::os::unix::fs::symlink("target.jsonl", folder.path("link.jsonl")).unwrap();
    assert_eq!(folder.run(&format!("{MAP} -o link.jsonl")).code, 0);
    assert!(folder.path("link.jsonl").is_symlink());
    assert_eq!(results_in(&folder, "target.jsonl").len(), 1);
}

#[test]
fn keys_are_redacted_except_in_answers() {
    const KEY: &str = "sk-lab-7d1f0a9b3c5e42";
    let prompt = |output: &str| {
        format!(
            "import {{ z }} from 'zod';
            const key = process.env.LAB_API_KEY;
            export const input = z.object({{ name: z.string() }});
            {output}
            export const config = {{ model: 'mock' }};
            export const mock = [{{ type: 'text', text: JSON.stringify({{ said: `it is ${{key}}` }}) }}];
            export default ({{ $ }}, {{ name }}) => {{
              console.log(key);
              if (name === 'bad') throw new Error(`no luck with ${{key}}`);
              $`${{name}}`;
            }};"
        )
    };
    let data = prompt("export const output = z.object({ said: z.string() });");
    let folder =
        Folder::new(&[("text.lmt.mjs", &prompt("")), ("data.lmt.mjs", &data), ("rows.jsonl", &lines(&["a", "bad"]))]);
    let run = |file: &str| {
        let mut command = folder.command(&format!("map {file} --input rows.jsonl"));
        Outcome::of(command.env("LAB_API_KEY", KEY))
    };
    let (text, data) = (run("text.lmt.mjs"), run("data.lmt.mjs"));
    // As with `run -f json` (docs/reference/events.md).
    assert_eq!(results(&text.stdout)[0]["text"], json!({ "said": format!("it is {KEY}") }).to_string());
    assert_eq!(results(&data.stdout)[0]["output"], json!({ "said": "it is [redacted]" }));
    for outcome in [text, data] {
        let message = results(&outcome.stdout)[1]["error"]["message"].as_str().unwrap().to_owned();
        assert_eq!(message.lines().next(), Some("no luck with [redacted]"));
        assert!(outcome.stderr.contains("[redacted]") && !outcome.stderr.contains(KEY), "{}", outcome.stderr);
    }
}

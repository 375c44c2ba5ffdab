//! Where `lmthing check` and `lmthing run` report an error: its causes, circles of imports, JSON.

use crate::{
    findings::Finding,
    support::{Folder, Outcome},
};

const HEAD: &str = "export const config = { model: 'mock' }; export const mock = [{ type: 'text', text: 'x' }];";

fn prompt(imports: &str, body: &str) -> String {
    format!("{imports}\n{HEAD}\nexport default ({{ $ }}) => {{ $`x`;\n{body}\n}};\n")
}

/// The only finding of `check` for `p.lmt.mjs`, and what `run` prints.
fn checked_and_run(files: &[(&str, &str)]) -> (Finding, Outcome, String) {
    let folder = Folder::new(files);
    let checked = folder.run("check --format json p.lmt.mjs");
    let [finding] = &Finding::all(&checked)[..] else { panic!("one finding is due: {checked:?}") };
    let ran = folder.run("run p.lmt.mjs");
    (finding.clone(), checked, ran.stderr)
}

fn at(finding: &Finding) -> String {
    format!("{}:{}:{} {}", finding.file, finding.line, finding.column, finding.code)
}

#[test]
fn an_error_is_where_it_is_made_and_its_cause_where_that_arose() {
    let read = "export const read = (text) => {\n  try {\n    return JSON.parse(text);\n  } catch (cause) {\n    \
                throw new Error(text, { cause });\n  }\n};\nexport class Wrapped extends Error {}\n";
    let body = "try { read('{'); } catch (cause) {\n  throw new Wrapped(`cannot ${config.model}`, { cause });\n}";
    let source = prompt("import { read, Wrapped } from './read.mjs';", body);
    let (finding, checked, ran) = checked_and_run(&[("p.lmt.mjs", &source), ("read.mjs", read)]);
    assert_eq!(at(&finding), "p.lmt.mjs:5:13 render");
    assert!(finding.message.starts_with("cannot mock (caused by: { (caused by: Expected"), "{finding:?}");
    let related = checked.object()["diagnostics"][0]["related"].clone();
    let places: Vec<String> = related
        .as_array()
        .unwrap()
        .iter()
        .map(|place| format!("{}:{}:{}", place["file"].as_str().unwrap(), place["line"], place["column"]))
        .collect();
    assert_eq!(places, ["read.mjs:5:15", "read.mjs:3:17"]);
    for place in ["p.lmt.mjs:5:13", "read.mjs:5:15", "read.mjs:3:17"] {
        assert!(ran.contains(place), "{place}: {ran}");
    }
}

#[test]
fn files_that_import_each_other_are_named() {
    let b = "import { a } from './a.mjs';\nexport const b = a + 1;\n";
    let files = |b: &str, a: &str| {
        let source = prompt("import { a } from './a.mjs';", "a;");
        checked_and_run(&[("p.lmt.mjs", &source), ("a.mjs", a), ("b.mjs", b), ("c.mjs", "export * from './b.mjs';")])
    };
    let two = "files import each other: b.mjs imports a.mjs, and a.mjs imports b.mjs";
    let a = "import { b } from './b.mjs';\nexport const a = b + 1;\n";
    let alias = b.replace("{ a }", "{ a as mine }").replace("= a", "= mine");
    let namespace = b.replace("{ a }", "* as all").replace("= a", "= all.a");
    for (b, name) in [(b, "'a'"), (&*alias, "'mine'"), (&*namespace, "'a'")] {
        let (finding, _, ran) = files(b, a);
        assert_eq!(at(&finding), "b.mjs:2:18 load");
        for text in [&finding.message, &ran] {
            assert!(text.contains(&format!("{name} has no value yet, as {two}")), "{text}");
        }
    }
    let three = "b.mjs imports a.mjs, and a.mjs imports c.mjs, and c.mjs imports b.mjs";
    let (finding, ..) = files(b, &a.replace("./b", "./c"));
    assert!(finding.message.contains(three), "{finding:?}");
    let own = Folder::of(&prompt("", "const read = () => late; read(); const late = 1; late;")).run("run p.lmt.mjs");
    assert!(own.stderr.contains("hint: it is read before the line that declares it has run"), "{own:?}");
}

#[test]
fn json_is_wrong_at_the_same_place_in_check_and_run() {
    for (json, place) in [("{\n  \"é\": [1, 2,],\n}", "2:13"), ("{\"é\": x}", "1:7"), ("{\"a\": 1\n", "1:8")] {
        let source = prompt("import data from './d.json';", "data;");
        let (finding, _, ran) = checked_and_run(&[("p.lmt.mjs", &source), ("d.json", json)]);
        assert_eq!(at(&finding), format!("d.json:{place} import"), "{json}");
        assert!(ran.contains(&format!("d.json:{place}")), "{json}: {ran}");
    }
}

#[test]
fn a_render_that_is_left_out_is_one_line() {
    let input = "import { z } from 'zod'; export const input = z.object({ a: z.string(), n: z.number().default(1).refine(() => false, 'odd') });";
    let outcome = Folder::of(&prompt(input, "")).run("check p.lmt.mjs");
    let title = outcome.stdout.lines().next().unwrap();
    assert!(title.starts_with("note[input]: the first render was left out: ") && title.contains("--a"), "{outcome:?}");
    assert!(outcome.stdout.lines().nth(1).unwrap().trim_start().starts_with("-->"), "{outcome:?}");
}

//! Which files `lmthing mcp` serves, their names and descriptions, and errors of files that do not load.

use std::{os::unix::fs::symlink, time::Instant};

use serde_json::json;

use crate::{
    client::Client,
    served::{running, saying, tool, wait_for_tools},
    support::Folder,
};

#[test]
fn a_file_is_served_once_and_under_a_name_that_clients_take() {
    let long = format!("{}.lmt.mjs", "long-".repeat(20));
    let folder = Folder::new(&[
        ("p/my prompt größe.lmt.mjs", ""),
        ("p/a/same.lmt.mjs", ""),
        ("p/b/same.lmt.ts", ""),
        ("p/-dash.lmt.mjs", ""),
        (&format!("p/{long}"), ""),
        ("p/.hidden/h.lmt.mjs", ""),
        ("p/node_modules/n/n.lmt.mjs", ""),
        ("p/x.test.lmt.mjs", ""),
        ("elsewhere/far.lmt.mjs", ""),
    ]);
    let served = ["p/my prompt größe.lmt.mjs", "p/a/same.lmt.mjs", "p/-dash.lmt.mjs", "elsewhere/far.lmt.mjs"];
    served.iter().for_each(|name| folder.write(name, &saying(name)));
    folder.write(&format!("p/{long}"), &saying("long"));
    folder.write("p/b/same.lmt.ts", &saying("typed").replace("({ $ })", "({ $ }: any)"));
    symlink(folder.path("elsewhere"), folder.path("linked")).unwrap();
    let mut client = Client::connect(&folder, "mcp p p/a/same.lmt.mjs p/../p linked p/a");
    let tools = client.tools();
    let [dash, one, other, far, long, odd] = tools.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
        panic!("{tools:?}")
    };
    assert_eq!([dash, one, other, far, odd], ["-dash", "a_same", "b_same", "far", "my_prompt_gr_e"]);
    assert!(long.len() == 64 && long.starts_with("long-long-"), "{long}");
    for (name, text) in [(dash, "p/-dash.lmt.mjs"), (one, "p/a/same.lmt.mjs"), (other, "typed"), (long, "long")] {
        assert_eq!(client.text(name, json!({})), text);
    }
}

#[test]
fn inputs_are_described_as_json_has_them() {
    let folder = Folder::new(&[
        ("plain.lmt.mjs", &running("export const input = { properties: { a: { type: 'number' } } };", "")),
        ("none.lmt.mjs", &running("export const output = { type: 'string' };", "")),
        (
            "zod.lmt.mjs",
            &running(
                "import { z } from 'zod';\n\
                 export const input = z.object({ at: z.date(), n: z.array(z.bigint()), odd: z.number().default(1) });\n\
                 export const output = z.object({ n: z.string().transform((text) => Number(text)), m: z.number().default(2) });",
                "if (!(input.at instanceof Date) || typeof input.n[0] !== 'bigint') throw new Error(typeof input.n[0]);",
            ),
        ),
    ]);
    folder.write(
        "zod.lmt.mjs",
        &std::fs::read_to_string(folder.path("zod.lmt.mjs")).unwrap().replace("'done'", "'{\"n\":\"7\"}'"),
    );
    let mut client = Client::connect(&folder, "mcp .");
    let plain = json!({ "properties": { "a": { "type": "number" } }, "type": "object" });
    assert_eq!(tool(&mut client, "plain")["inputSchema"], plain);
    let none = tool(&mut client, "none");
    let nothing = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    assert_eq!((&none["inputSchema"], &none["outputSchema"]), (&nothing, &json!(null)));
    let zod = tool(&mut client, "zod");
    let input = &zod["inputSchema"];
    assert_eq!(input["properties"]["at"], json!({ "type": "string", "format": "date-time" }));
    assert_eq!(input["properties"]["n"], json!({ "type": "array", "items": { "type": "integer" } }));
    assert_eq!(input["required"], json!(["at", "n"]));
    assert_eq!(zod["outputSchema"]["required"], json!(["n", "m"]), "what comes out, not what the model writes");
    let result = client.call("zod", json!({ "at": "2026-01-31T10:00:00Z", "n": [5] }));
    assert_eq!(result["structuredContent"], json!({ "n": 7, "m": 2 }), "{result}");
}

#[test]
fn nothing_to_serve_is_an_error() {
    let folder = Folder::new(&[("x.test.lmt.mjs", ""), ("notes.md", ""), ("p.lmt.mjs", ""), ("empty/notes.md", "")]);
    for (arguments, message, hint) in [
        ("mcp nowhere", "there is no file or folder nowhere", ""),
        ("mcp empty", "there is no prompt file in empty", "the name of a prompt file ends in .lmt.mjs, .lmt.js,"),
        ("mcp p.lmt.js", "there is no file or folder p.lmt.js", "p.lmt.mjs"),
        ("mcp notes.md", "notes.md is not a prompt file: its name must end in", "can be served"),
        ("mcp x.test.lmt.mjs", "x.test.lmt.mjs holds tests", "lmthing test x.test.lmt.mjs"),
    ] {
        let outcome = folder.run(arguments);
        assert_eq!(outcome.code, 1, "{arguments}: {outcome:?}");
        assert_eq!(outcome.stdout, "", "{arguments}");
        assert!(outcome.stderr.contains(message) && outcome.stderr.contains(hint), "{arguments}: {outcome:?}");
    }
}

#[test]
fn broken_files_are_named_and_the_others_served() {
    let broken = [
        ("throws", "throw new Error(`key ${process.env.OPENAI_API_KEY}`);", "key [redacted] (p/throws.lmt.mjs:3:"),
        ("exits", "process.exit(4);", "it calls process.exit(4)"),
        ("aborts", "process.abort();", "its process was ended by SIGABRT"),
        ("lost", "import './gone.mjs';", "gone.mjs'"),
        ("syntax", "const;", "p/syntax.lmt.mjs:3:"),
        ("late", "await new Promise(() => {});", "never"),
        ("input", "export const input = { type: 'string' };", "the export input of input.lmt.mjs must be"),
        ("output", "export const output = 5;", "the export output of output.lmt.mjs must be"),
        ("description", "export const description = 5;", "the export description of description.lmt.mjs must be"),
    ];
    let folder = Folder::new(&[("p/fine.lmt.mjs", &saying("fine")), ("p/model.lmt.mjs", "export default () => {};")]);
    for (name, line, _) in broken {
        folder.write(&format!("p/{name}.lmt.mjs"), &running(line, ""));
    }
    let mut command = folder.command("mcp p");
    let mut client = Client::start(command.env("OPENAI_API_KEY", "sk-not-for-anybody-to-see"));
    client.ask("initialize", crate::client::hello("2025-06-18"));
    wait_for_tools(&mut client, &["fine"]);
    for (name, _, words) in broken {
        client.wait_for_stderr(&format!("p/{name}.lmt.mjs is not served: "));
        client.wait_for_stderr(words);
    }
    client.wait_for_stderr("model.lmt.mjs does not export config");
    assert_eq!(client.text("fine", json!({})), "fine");
    let printed = client.close().stderr;
    assert_eq!(printed.matches("is not served").count(), broken.len() + 1, "each once: {printed}");
    assert!(!printed.contains("sk-not-for"), "{printed}");
}

#[test]
fn a_file_that_never_loads_does_not_delay_others() {
    let folder = Folder::new(&[
        ("fine.lmt.mjs", &saying("fine")),
        ("loop.lmt.mjs", &running("for (;;);", "")),
        ("stuck.lmt.mjs", &running("Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);", "")),
    ]);
    let start = Instant::now();
    let mut client = Client::connect(&folder, "mcp .");
    assert_eq!(client.tools(), ["fine"]);
    assert!(start.elapsed().as_secs() < 9, "{:?}", start.elapsed());
    for name in ["loop", "stuck"] {
        client.wait_for_stderr(&format!("{name}.lmt.mjs is not served: loading the file did not end within 10 s"));
    }
    folder.write("loop.lmt.mjs", &saying("mended"));
    client.wait_for_stderr("loop.lmt.mjs is served again");
    wait_for_tools(&mut client, &["fine", "loop"]);
}

#[test]
fn a_restricted_server_describes_and_calls_with_these_rights_only() {
    let read =
        |path: &str| format!("import {{ readFileSync }} from 'node:fs';\nconst text = readFileSync('{path}', 'utf8');");
    let folder = Folder::new(&[
        ("p/own.txt", "own"),
        ("out/secret.txt", "secret"),
        ("p/inside.lmt.mjs", &running(&read("p/own.txt"), "if (text !== 'own') throw new Error('no');")),
        ("p/outside.lmt.mjs", &running(&read("out/secret.txt"), "")),
        (
            "p/tries.lmt.mjs",
            &running("import { readFileSync } from 'node:fs';", "readFileSync('out/secret.txt', 'utf8');"),
        ),
    ]);
    let mut client = Client::connect(&folder, "mcp --restrict p");
    client.wait_for_stderr("p/outside.lmt.mjs is not served: PermissionError");
    assert_eq!(client.tools(), ["inside", "tries"]);
    assert_eq!(client.text("inside", json!({})), "done");
    let why = crate::served::failure(&mut client, "tries", json!({}));
    assert!(why.contains("PermissionError") && why.contains("--allow-read"), "{why}");
    let mut client = Client::connect(&folder, "mcp --allow-read=out p");
    wait_for_tools(&mut client, &["inside", "outside", "tries"]);
    assert_eq!(client.text("tries", json!({})), "done");
}

//! `lmthing lsp`: findings as one types, and what is known of a place in the text.

use serde_json::{Value, json};

use crate::support::{Folder, LspClient, uri};

/// A pair of UTF-16 units stands before the mistake.
const WRONG: &str = "export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'Hello' }];
export default async ({ $, def }) => { '💶'; def.nothing(); $`go`; };
";

const RIGHT: &str = "export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'Hello' }];
export default async ({ $, def }) => { $`go`; };
";

fn codes(findings: &[Value]) -> Vec<&str> {
    findings.iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

fn at(uri: &str, line: u32, character: u32) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } })
}

#[test]
fn findings_follow_the_text() {
    let folder = Folder::new(&[]);
    let mut client = LspClient::ready(&folder, &[]);
    // Never saved; a space and a letter that is not ASCII.
    let file = uri(&folder.path("größe a.lmt.mjs"));
    client.open(&file, WRONG);
    let found = client.findings(&file, Some(1));
    let range = json!({ "start": { "line": 2, "character": 49 }, "end": { "line": 2, "character": 56 } });
    let [finding] = &found[..] else { panic!("{found:#?}") };
    assert_eq!((&finding["range"], &finding["severity"]), (&range, &json!(1)), "{finding}");
    assert_eq!((&finding["source"], &finding["code"]), (&json!("lmthing"), &json!("TS2339")), "{finding}");
    // Part of the text is replaced, twice.
    let edit = |start, end, text| {
        let at = |character: u32| json!({ "line": 2, "character": character });
        json!({ "range": { "start": at(start), "end": at(end) }, "text": text })
    };
    client.edit(&file, 2, json!([edit(49, 58, ""), edit(45, 49, "")]));
    assert_eq!(client.findings(&file, Some(2)), Vec::<Value>::new());
    client.change(&file, 3, &WRONG.replace('\n', "\r\n"));
    assert_eq!(client.findings(&file, Some(3))[0]["range"], range);
    client.close(&file);
    assert_eq!(client.findings(&file, None), Vec::<Value>::new());
    assert_eq!(std::fs::read_dir(folder.path("")).unwrap().count(), 0);
}

#[test]
fn unsaved_text_of_an_imported_file_counts() {
    let folder = Folder::new(&[("helper.mjs", "export const a = 1;\n"), ("notes.mjs", "const x: = 1;")]);
    let mut client = LspClient::ready(&folder, &[]);
    let (file, helper, notes) =
        (uri(&folder.path("p.lmt.mjs")), uri(&folder.path("helper.mjs")), uri(&folder.path("notes.mjs")));
    client.open(
        &file,
        &RIGHT
            .replace("$`go`", "$`${b}`")
            .replace("export const config", "import { b } from './helper.mjs';\nexport const config"),
    );
    assert_eq!(codes(&client.findings(&file, Some(1))), ["TS2305"]);
    client.open(&helper, "export const b = 1;\n");
    assert_eq!(client.findings(&file, Some(1)), Vec::<Value>::new());
    // Findings of a file that is no prompt file come from the checks of those that import it.
    client.change(&helper, 2, "export const b = 1;\nb.none();\n");
    assert_eq!(codes(&client.findings(&helper, Some(2))), ["TS2339"]);
    client.open(&notes, "const x: = 1;");
    // The disk counts again.
    client.close(&helper);
    assert_eq!(client.findings(&helper, None), Vec::<Value>::new());
    assert_eq!(codes(&client.findings(&file, Some(1))), ["TS2305"]);
    folder.write("helper.mjs", "export const b = 1;\nb.none();\n");
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": helper, "type": 2 }] }));
    assert_eq!(codes(&client.findings(&helper, None)), ["TS2339"]);
    client.close(&file);
    assert_eq!(client.findings(&helper, None), Vec::<Value>::new());
    let published = client.seen("textDocument/publishDiagnostics");
    assert!(published.iter().all(|message| message["params"]["uri"] != notes.as_str()), "{published:#?}");
}

#[test]
fn a_document_of_two_addresses_counts_until_both_are_closed() {
    let folder = Folder::new(&[]);
    let mut client = LspClient::ready(&folder, &[]);
    let file = uri(&folder.path("p.lmt.mjs"));
    let encoded = file.replace("p.lmt.mjs", "%70.lmt.mjs");
    client.open(&file, RIGHT);
    assert_eq!(client.findings(&file, Some(1)), Vec::<Value>::new());
    client.open(&encoded, WRONG);
    assert_eq!(codes(&client.findings(&encoded, Some(1))), ["TS2339"]);
    client.change(&file, 2, WRONG);
    assert_eq!(codes(&client.findings(&file, Some(2))), ["TS2339"]);
    client.change(&file, 3, RIGHT);
    assert_eq!(client.findings(&file, Some(3)), Vec::<Value>::new());
    client.close(&encoded);
    assert_eq!(client.findings(&encoded, None), Vec::<Value>::new());
    // The text that is still open, and its own findings.
    assert_eq!(client.findings(&file, Some(3)), Vec::<Value>::new());
    let ran = client.command("lmthing.runMock", &file);
    assert_eq!((&ran["exitCode"], &ran["stdout"]), (&json!(0), &json!("Hello\n")), "{ran}");
    client.close(&file);
    assert_eq!(client.command("lmthing.runMock", &file)["exitCode"], 1);
}

#[test]
fn an_endless_loop_stops_nothing() {
    let folder = Folder::new(&[]);
    let mut client = LspClient::ready(&folder, &[]);
    let (endless, other) = (uri(&folder.path("endless.lmt.mjs")), uri(&folder.path("other.lmt.mjs")));
    client.open(&endless, &format!("for (;;) {{}}\n{WRONG}"));
    client.open(&other, WRONG);
    assert_eq!(codes(&client.findings(&other, Some(1))), ["TS2339"]);
    // What the type check finds does not wait for the render.
    client.change(&endless, 2, &format!("for (;;) {{}}\n{WRONG}"));
    assert_eq!(codes(&client.findings(&endless, Some(2))), ["TS2339"]);
    client.change(&endless, 3, RIGHT);
    assert_eq!(client.findings(&endless, Some(3)), Vec::<Value>::new());
}

#[test]
fn fixes_correct_what_was_found() {
    let folder = Folder::new(&[]);
    let mut client = LspClient::ready(&folder, &[]);
    let file = uri(&folder.path("p.lmt.mjs"));
    let text =
        RIGHT.replace("def }", "defTol }").replace("$`go`", "$`go ${z}`").replace("'mock'", "'openai:gpt-6.1-so'");
    client.open(&file, &text);
    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 0 } });
    let params = json!({ "textDocument": { "uri": file }, "range": whole, "context": { "diagnostics": [] } });
    let fixes = client.request("textDocument/codeAction", params);
    let mut edits: Vec<(String, Value)> = Vec::new();
    for fix in fixes.as_array().unwrap() {
        assert_eq!(fix["kind"], "quickfix");
        let edit = &fix["edit"]["changes"][&file][0];
        edits.push((edit["newText"].as_str().unwrap().to_owned(), edit["range"].clone()));
    }
    edits.sort_by_key(|(text, _)| text.clone());
    let place = |line: u32, start: u32, end: u32| json!({ "start": { "line": line, "character": start }, "end": { "line": line, "character": end } });
    let expected = [
        ("defTool".to_owned(), place(2, 27, 33)),
        ("import { z } from 'zod';\n".to_owned(), place(0, 0, 0)),
        ("openai:gpt-6.1-sol".to_owned(), place(0, 32, 49)),
    ];
    assert_eq!(edits, expected);
}

#[test]
fn a_hover_says_what_a_call_renders_to() {
    let folder = Folder::new(&[]);
    let mut client = LspClient::ready(&folder, &[]);
    let file = uri(&folder.path("p.lmt.mjs"));
    let text = "import { z } from 'zod';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'Hello' }];
export default async ({ $, def, defSystem, defTool }) => {
  for (const name of ['A', 'B']) def(name, `value of ${name}`);
  defSystem('role', 'Be kind.');
  defTool('weather', 'The weather of a city', z.object({ city: z.string() }), async () => 'fine');
  $`go`;
};
";
    client.open(&file, text);
    let mut shown = |line, character| {
        let hover = client.request("textDocument/hover", at(&file, line, character));
        hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    let both = shown(4, 34);
    assert!(both.contains("<A>value of A</A>") && both.contains("<B>value of B</B>"), "{both}");
    assert!(shown(5, 4).contains("<role>\nBe kind.\n</role>"));
    let tool = shown(6, 4);
    assert!(tool.contains("weather({ city: string })") && tool.contains(" tokens"), "{tool}");
    assert!(shown(7, 2).contains("about 1 token\n\n```text\ngo\n"));
    assert_eq!(shown(0, 0), "");
    let plugin = text
        .replace("$, def,", "$, defTaskList, def,")
        .replace("  $`go`;", "  defTaskList([{ id: '1', name: 'pack' }]);");
    let plugin = plugin.replace("model: 'mock'", "model: 'mock', plugins: [taskListPlugin]");
    client.change(&file, 2, &plugin.replace("'zod';", "'zod'; import { taskListPlugin } from 'lmthing/plugins';"));
    let hover = client.request("textDocument/hover", at(&file, 7, 4))["contents"]["value"].clone();
    let hover = hover.as_str().unwrap();
    for text in ["<taskList>\n", "[1] pack", "\n</taskList>", "**defTool: startTask** · about "] {
        assert!(hover.contains(text), "{text}: {hover}");
    }
}

#[test]
fn a_byte_order_mark_moves_nothing() {
    let text = "\u{feff}export default ({ def }) => { def('Role', 'kind'); def('A', zod); }; \
                export const config = { model: 'mock' };\nexport const mock = ['Hello.'];\n";
    let helper = "\u{feff}export const a = nothing;\n";
    let folder = Folder::new(&[("helper.mjs", helper)]);
    let mut client = LspClient::ready(&folder, &[]);
    let file = uri(&folder.path("p.lmt.mjs"));
    client.open(&file, &text.replace("zod", "'b'"));
    let hover = client.request("textDocument/hover", at(&file, 0, 31));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("<Role>"), "{hover}");
    // Editors count no mark of a file that they show.
    client.change(&file, 2, &text.replace("export default", "import './helper.mjs'; export default"));
    let helper = client.findings(&uri(&folder.path("helper.mjs")), None);
    assert_eq!(helper[0]["range"]["start"], json!({ "line": 0, "character": 17 }), "{helper:#?}");
    let found = client.findings(&file, Some(2));
    let zod = text.replace("export default", "import './helper.mjs'; export default").find("zod").unwrap() - 2;
    assert_eq!(found[0]["range"]["start"]["character"], zod, "{found:#?}");
}

#[test]
fn models_are_completed_and_described_with_their_price() {
    const KEY: &str = "sk-secret-of-the-test";
    let folder = Folder::new(&[]);
    let mut client = LspClient::ready(&folder, &[("OPENAI_API_KEY", KEY), ("LM_MODEL_FAST", "openai:gpt-6.1-sol")]);
    let file = uri(&folder.path("p.lmt.mjs"));
    client.open(&file, &RIGHT.replace("'mock'", "'fast', other: 'anthropic:claude-sonnet-5'"));
    let own = client.request("textDocument/hover", at(&file, 0, 33))["contents"]["value"].clone();
    let own = own.as_str().unwrap();
    for text in ["openai:gpt-6.1-sol", "per million tokens", "`OPENAI_API_KEY` is set"] {
        assert!(own.contains(text), "{text}: {own}");
    }
    let other = client.request("textDocument/hover", at(&file, 0, 50));
    assert!(other.to_string().contains("set `ANTHROPIC_API_KEY`"), "{other}");
    client.change(&file, 2, "export const config = { model: 'openai:gpt-6");
    let items = client.request("textDocument/completion", at(&file, 0, 44))["items"].clone();
    let item = items.as_array().unwrap().iter().find(|item| item["label"] == "openai:gpt-6.1-sol").unwrap();
    let start = json!({ "line": 0, "character": 32 });
    assert_eq!(item["textEdit"]["range"]["start"], start);
    assert!(item["detail"].as_str().unwrap().contains("$2.00 input"), "{item}");
    assert!(![own, &other.to_string(), &items.to_string()].iter().any(|text| text.contains(KEY)));
    // What stands after the cursor is replaced as well.
    client.change(&file, 3, "export const config = { model: 'openai:gpt-6' };");
    let items = client.request("textDocument/completion", at(&file, 0, 39))["items"].clone();
    assert_eq!(items[0]["textEdit"]["range"]["end"], json!({ "line": 0, "character": 44 }), "{items}");
    // Elsewhere nothing is completed.
    assert_eq!(client.request("textDocument/completion", at(&file, 0, 10))["items"], json!([]));
}

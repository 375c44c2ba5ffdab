//! `defMcp` with servers that are programs (docs/reference/mcp-client.md): their tools, and how results and errors
//! are shown.

use serde_json::json;

use crate::support::{
    Folder,
    mcp::{call, folder, prompt, results, results_of, server},
};

#[test]
fn tools_are_called_and_answer_with_data_text_and_errors() {
    let calls = [
        call("t_sum", json!({ "a": 2, "b": 3 })),
        call("t_echo", json!({ "text": "hello" })),
        call("t_get-thing", json!({})),
        call("t_fail", json!({})),
        call("t_refuse", json!({})),
        call("t_liar", json!({})),
    ];
    let results = results_of(&folder(&[], "{}", &calls));
    assert_eq!(results[..3], [r#"{"sum":5}"#, "hello", "thing"]);
    assert_eq!(results[3], r#"{"error":"it is broken"}"#);
    assert!(results[4].contains("refused by the server"), "{}", results[4]);
    assert!(results[5].contains("does not match its responseSchema"), "{}", results[5]);
}

#[test]
fn arguments_are_checked_before_the_server_sees_them() {
    let calls = [call("t_sum", json!({ "a": "two" })), call("t_echo", json!({ "text": "x" }))];
    let folder = folder(&["log=calls.log"], "{}", &calls);
    let results = results_of(&folder);
    assert!(results[0].contains("b: Required") && results[0].contains("a: Invalid input"), "{}", results[0]);
    let log = std::fs::read_to_string(folder.path("calls.log")).expect("the log");
    assert!(!log.contains("call sum") && log.contains("call echo"), "{log}");
}

#[test]
fn a_picture_is_a_part_of_the_result() {
    let folder = folder(&[], "{}", &[call("t_picture", json!({}))]);
    let outcome = folder.run("run -f events p.lmt.mjs");
    let results = results(&outcome);
    assert!(
        results[0].starts_with(r#"[{"type":"text","text":"look"},{"type":"media","data":"iVBOR"#),
        "{}",
        results[0]
    );
    assert!(results[0].contains(r#""mediaType":"image/png""#));
}

#[test]
fn globs_choose_among_the_tools() {
    let body = |options: &str| {
        let server = server(&[]);
        let show = "defEffect(({ tools }) => console.log([...tools].map((tool) => tool.name).join()));";
        prompt(&[], &format!("defMcp('t', {server}, {options}); {show}"))
    };
    for (options, names) in [
        ("{ include: ['s*', 'echo'], exclude: 'slow' }", "t_sum,t_echo"),
        ("{ include: '*e?ho' }", "t_echo"),
        ("{ include: [] }", ""),
    ] {
        let outcome = Folder::of(&body(options)).run("run p.lmt.mjs");
        assert_eq!((outcome.code, outcome.stdout), (0, format!("{names}\ndone\n")), "{options}");
    }
}

#[test]
fn callbacks_stand_for_every_tool() {
    let options = "{ beforeCall: (args) => args.text === 'no' ? 'not asked' : undefined, onSuccess: (_, output) => `${output}!` }";
    let calls = [call("t_echo", json!({ "text": "no" })), call("t_echo", json!({ "text": "yes" }))];
    assert_eq!(results_of(&folder(&[], options, &calls)), ["not asked", "yes!"]);
}

#[test]
fn one_connection_serves_the_prompt_and_its_agents() {
    let body = format!(
        "const server = {};\ndefMcp('t', server);\ndefAgent('helper', 'helps', z.object({{}}), (_, child) => {{ child.defMcp('u', server); child.$`go`; }});",
        server(&["log=calls.log"])
    );
    let calls = [call("t_pid", json!({})), call("helper", json!({})), call("u_pid", json!({}))];
    let folder = Folder::of(&prompt(&calls, &body));
    let results = results_of(&folder);
    let pids: Vec<&String> = results.iter().filter(|text| text.parse::<u32>().is_ok()).collect();
    assert!(pids.len() == 2 && pids[0] == pids[1], "{results:?}");
    let log = std::fs::read_to_string(folder.path("calls.log")).expect("the log");
    assert_eq!(log.matches("notifications/initialized").count(), 1, "{log}");
}

#[test]
fn a_server_that_is_not_named_again_is_gone() {
    let body = format!(
        "const [on, set] = prompt.defState('on', true);\nif (on) defMcp('t', {});\ndefTool('off', 'Switches it off', z.object({{}}), () => set(false));",
        server(&[])
    );
    let calls =
        [call("t_echo", json!({ "text": "1" })), call("off", json!({})), call("t_echo", json!({ "text": "2" }))];
    let results = results_of(&Folder::of(&prompt(&calls, &body)));
    assert_eq!(results[0], "1");
    assert!(results[2].contains("unavailable tool 't_echo'"), "{}", results[2]);
}

#[test]
fn a_reference_hides_and_reminds() {
    let body = format!(
        "const t = defMcp('t', {});\nt.remind();\nconsole.log(`${{t}} ${{t.name}} ${{t.value}}`);\ndefEffect(({{ tools, stepNumber, messages }}) => {{ if (stepNumber === 0) t.disable(); }});",
        server(&[])
    );
    let calls = [call("t_echo", json!({ "text": "1" })), call("t_echo", json!({ "text": "2" }))];
    let outcome = Folder::of(&prompt(&calls, &body)).run("run -f events p.lmt.mjs");
    let results = results(&outcome);
    assert!(results[0].contains("unavailable tool 't_echo'"), "{}", results[0]);
    assert_eq!(results[1], "2");
    assert!(outcome.stderr.starts_with("<t> t <t>\n"), "{}", outcome.stderr);
}

#[test]
fn a_new_list_of_tools_counts_from_the_next_step() {
    let calls = [call("t_grow", json!({})), call("t_late", json!({})), call("t_grow", json!({}))];
    let results = results_of(&folder(&[], "{}", &calls));
    assert_eq!(results[..2], ["grown", "late"]);
    assert!(results[2].contains("unavailable tool 't_grow'"), "{}", results[2]);
}

#[test]
fn resources_and_prompts_are_read_in_the_body() {
    let body = format!(
        "const t = defMcp('t', {});\nconsole.log(await t.resource('test:readme'));\nconsole.log(JSON.stringify(await t.resource('test:pixel')).slice(0, 60));\n\
         console.log(JSON.stringify(await t.prompt('greet', {{ who: 'me' }})));\nawait t.resource('test:none').catch((error) => console.log(error.message));\n\
         try {{ t.resource() }} catch (error) {{ console.log(error.message) }}",
        server(&[])
    );
    let outcome = Folder::of(&prompt(&[], &body)).run("run p.lmt.mjs");
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(lines[0], "Read me.");
    assert_eq!(lines[1], r#"[{"type":"image","image":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCA"#);
    assert_eq!(lines[2], r#"[{"role":"user","content":"greet me"},{"role":"assistant","content":"Hello."}]"#);
    assert!(lines[3].starts_with("the MCP server 't' (node): no resource test:none"), "{}", lines[3]);
    assert_eq!(lines[4], "resource of <t>: the uri must be a string, got undefined");
}

#[test]
fn a_server_gets_its_own_variables_and_no_keys() {
    let names = ["OPENAI_API_KEY", "PATH", "HOME", "OWN", "SOMETHING"];
    let calls: Vec<_> = names.iter().map(|name| call("t_environment", json!({ "name": name }))).collect();
    let mut server = server(&[]);
    server["env"] = json!({ "OWN": "given" });
    let folder = Folder::of(&prompt(&calls, &format!("defMcp('t', {server});")));
    let mut command = folder.command("run -f events p.lmt.mjs");
    command.env("OPENAI_API_KEY", "sk-secret").env("SOMETHING", "else").env("HOME", "/home/of/somebody");
    let results = results(&command.output().expect("a run").into());
    assert_eq!((results[0].as_str(), results[2].as_str()), ("(unset)", "/home/of/somebody"));
    assert_ne!(results[1], "(unset)");
    assert_eq!(results[3..], ["given", "(unset)"]);
}

#[test]
fn wrong_arguments_are_named() {
    for (call, message) in [
        ("defMcp()", "defMcp: the name must be a string, got undefined"),
        ("defMcp('a b', { command: 'x' })", "defMcp: the name \"a b\" must be a non-empty string"),
        (
            "defMcp('t')",
            "defMcp('t'): the server must be { command, args, env, cwd }, { url, headers } or the name of a server, got undefined",
        ),
        ("defMcp('t', {})", "defMcp('t'): the server: has neither command nor url"),
        ("defMcp('t', { command: 'x', args: 'y' })", "args must be an array of strings"),
        ("defMcp('t', { url: 'nowhere' })", "defMcp('t'): the server: url is no address"),
        ("defMcp('t', { command: 'x' }, { as: 'tool' })", "options.as must be 'tools' or 'functions', got "),
        (
            "defMcp('t', { command: 'x' }, { include: 5 })",
            "options.include must be a glob or an array of globs, got a number",
        ),
        (
            "defMcp('t', { command: 'x' }, { timeout: -1 })",
            "options.timeout must be milliseconds above 0, got a number",
        ),
    ] {
        let outcome = Folder::of(&prompt(&[], &format!("{call};"))).run("run p.lmt.mjs");
        assert!(outcome.code == 1 && outcome.stderr.contains(message), "{call}: {}", outcome.stderr);
    }
    let outcome =
        Folder::of(&prompt(&[], &format!("defMcp('t', {}, {{ inclde: [] }});", server(&[])))).run("run p.lmt.mjs");
    assert!(outcome.code == 0 && outcome.stderr.contains("did you mean 'include'?"), "{}", outcome.stderr);
}

#[test]
fn a_check_connects_to_nothing() {
    let source = prompt(
        &[call("t_anything", json!({}))],
        "defMcp('t', { command: 'touch', args: ['touched'] }); def('A', 'x');",
    );
    let folder = Folder::of(&source);
    let outcome = folder.run("check p.lmt.mjs");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(!folder.path("touched").exists());
    assert!(!(outcome.stdout + &outcome.stderr).contains("t_anything"));
    folder.write("p.lmt.mjs", &prompt(&[], "defMcp('t', 'known to a run');"));
    assert_eq!(folder.run("check p.lmt.mjs").code, 0);
}

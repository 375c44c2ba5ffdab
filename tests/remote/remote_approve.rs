//! `lmthing approve` (docs/reference/remote.md, "`lmthing approve`"): decisions on calls that wait on a server, and
//! their list.

use serde_json::{Value, json};

use crate::{
    ingress::Ingress,
    support::{Folder, Outcome},
};

const ID: &str = "sign_19faFKbtLN2_K0fT5bM6kCXToQ9REp3TWAAAAEQ";

/// The admin API's rows for one run that waits.
fn rows(decided: bool) -> Value {
    let calls =
        json!({ "calls": [{ "id": ID, "name": "deploy", "args": { "to": "live" }, "agent": null }] }).to_string();
    let row = |kind: &str, name: Option<&str>, entry: Value| json!({ "id": "inv_1x", "entry_type": kind, "name": name, "entry_json": entry.to_string(), "service": "ship" });
    let done = json!({ "completion_id": 2, "result": { "Success": calls.as_bytes() } });
    let mut rows = vec![
        row("Command: Run", Some("waits for approval"), json!({ "Command": { "Run": { "completion_id": 2 } } })),
        row("Notification: Run", None, json!({ "Notification": { "Completion": { "Run": done } } })),
    ];
    if decided {
        rows.push(row(
            "Notification: Signal",
            None,
            json!({ "Notification": { "Signal": { "id": { "Index": 17 } } } }),
        ));
    }
    rows.into()
}

#[test]
fn a_decision_is_handed_in() {
    let (folder, server) = (Folder::new(&[]), Ingress::start());
    server.world().rows = rows(false);
    let url = server.url();
    let at = format!("--on {url} --admin {url}");
    let outcome = folder.run(&format!("approve {ID} yes {at}"));
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""), "{outcome:?}");
    assert!(outcome.stderr.contains("approved: deploy"), "{outcome:?}");
    let mut command = folder.command(&format!("approve {ID} no --admin {url} --reason"));
    let outcome = Outcome::of(command.arg("not on a Friday").env("RESTATE_INGRESS_URL", &url));
    assert!(outcome.code == 0 && outcome.stderr.contains("denied: deploy"), "{outcome:?}");
    server.world().rows = rows(true);
    let outcome = folder.run(&format!("approve {ID} no {at}"));
    assert!(outcome.code == 0 && outcome.stderr.contains("it may be decided already"), "{outcome:?}");
    let decisions = [
        json!({ "approved": true }),
        json!({ "approved": false, "reason": "not on a Friday" }),
        json!({ "approved": false }),
    ];
    assert_eq!(server.world().decided, decisions.map(|decision| (ID.to_owned(), decision)));
    let outcome = folder.run(&format!("approve nonsense yes {at}"));
    assert!(outcome.code == 1 && outcome.stderr.contains("bad awakeable id 'nonsense'"), "{outcome:?}");
}

#[test]
fn waiting_calls_are_listed() {
    let (folder, server) = (Folder::new(&[]), Ingress::start());
    let at = format!("--on {url} --admin {url}", url = server.url());
    server.world().rows = rows(false);
    let outcome = folder.run(&format!("approve {at}"));
    let expected = format!("{ID}\n  deploy, in a run of ship (inv_1x)\n    to: \"live\"\n");
    assert_eq!((outcome.code, outcome.stdout), (0, expected));
    assert!(outcome.stderr.contains(&format!("lmthing approve {ID} yes|no --on ")), "{}", outcome.stderr);
    let outcome = folder.run(&format!("approve --json {at}"));
    let call =
        json!([{ "id": ID, "name": "deploy", "args": { "to": "live" }, "service": "ship", "invocation": "inv_1x" }]);
    assert_eq!(outcome.object(), call);
    server.world().rows = rows(true);
    let outcome = folder.run(&format!("approve {at}"));
    assert_eq!(
        (outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()),
        (0, "", "Nothing waits for approval.\n")
    );
    // The ingress is not an admin API.
    let outcome = folder.run(&format!("approve --on {url} --admin {url}/x", url = server.url()));
    assert!(outcome.code != 0 && outcome.stderr.contains("the admin API is wanted"), "{outcome:?}");
}

#[test]
fn an_invalid_decision_is_wrong_usage() {
    let folder = Folder::new(&[]);
    for arguments in [
        format!("approve {ID} --on http://127.0.0.1:1"),
        format!("approve {ID} maybe --on http://127.0.0.1:1"),
        format!("approve {ID} yes --reason x --on http://127.0.0.1:1"),
        format!("approve {ID} yes --on nowhere"),
    ] {
        let outcome = folder.run(&arguments);
        assert!(outcome.code == 2 && outcome.stdout.is_empty(), "{arguments}: {outcome:?}");
    }
}

#[test]
fn the_journal_is_listed_before_a_server_that_the_environment_names() {
    let source = "export const config = { model: 'mock' };
export const mock = [{ type: 'tool-call', toolCallId: 'c1', toolName: 'deploy', args: {} }];
export default ({ $, defTool }) => { defTool('deploy', 'd', { type: 'object' }, () => 1, { needsApproval: true }); $`go`; };";
    let (folder, server) = (Folder::of(source), Ingress::start());
    assert_eq!(folder.run("run --journal --on-approval stop p.lmt.mjs").code, 5);
    server.world().rows = rows(false);
    let url = server.url();
    let list = |options: &str, variable: &str| {
        let mut command = folder.command(&format!("approve --json {options}"));
        Outcome::of(command.env("RESTATE_INGRESS_URL", variable))
    };
    let ids = |outcome: Outcome| -> Vec<String> {
        let list = outcome.object();
        list.as_array().unwrap().iter().map(|call| call["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(list(&format!("--admin {url}"), &url)), ["c1", ID]);
    assert_eq!(ids(list(&format!("--on {url} --admin {url}"), &url)), [ID]);
    assert_eq!(ids(list("--journal=.lmthing/journal.db", &url)), ["c1"]);
    // A server that was named has to answer.
    let outcome = list("", "http://127.0.0.1:1");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (1, ""), "{outcome:?}");
    let mut command = folder.command("approve");
    let outcome = Outcome::of(command.env("RESTATE_INGRESS_URL", "http://127.0.0.1:1"));
    assert!(outcome.code == 1 && outcome.stdout.starts_with("c1\n  deploy, in the run "), "{outcome:?}");
}

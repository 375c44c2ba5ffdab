//! Calls that wait for approval without holding a connection (docs/reference/remote.md, "`lmthing approve`"), with
//! the real server.

use serde_json::{Value, json};

use crate::{
    restate::{Lab, server::soon},
    support::{
        Outcome,
        resume::provider::{Conversation, Turn},
    },
};

/// `deploy` needs approval, `read` does not.
const DEPLOY: &str = "
const To = z.object({ to: z.string() });
export default ({ $, defTool }) => {
  const done = (what) => ({ to }) => { note(`${what} ${to}`); return `${what} to ${to}`; };
  defTool('deploy', 'Deploys.', To, done('deployed'), { needsApproval: true });
  defTool('read', 'Reads.', To, done('read'));
  $`You are who=root.`;
};
";

fn one(request: &Conversation) -> Turn {
    match request.step {
        0 => {
            Turn::default().call("c0", "read", &json!({ "to": "x" })).call("c1", "deploy", &json!({ "to": "staging" }))
        }
        _ => Turn::text(&request.results().join("; ")),
    }
}

fn two(request: &Conversation) -> Turn {
    match request.step {
        0 => ["staging", "production"].iter().enumerate().fold(Turn::default(), |turn, (project, to)| {
            turn.call(&format!("c{project}"), "deploy", &json!({ "to": to }))
        }),
        _ => Turn::text(&request.results().join("; ")),
    }
}

/// Waits until the run is suspended, so that nothing is held for it; returns the calls that wait.
fn waiting(lab: &Lab, call: &str) -> Vec<Value> {
    soon("the run waits", || lab.server.status(call) == "suspended");
    let listed = lab.project.run(&format!("approve --json --on {} --admin {}", lab.ingress(), lab.admin()));
    assert_eq!(listed.code, 0, "{listed:?}");
    listed.object().as_array().unwrap().clone()
}

fn approve(lab: &Lab, words: &str) -> Outcome {
    let mut command = lab.project.command(&format!("approve --on {}", lab.ingress()));
    command.args(words.split('|'));
    Outcome::of(&mut command)
}

/// The ids of the waiting calls, by where they deploy to.
fn id_of(waiting: &[Value], to: &str) -> String {
    let call = waiting.iter().find(|call| call["args"]["to"] == to).unwrap_or_else(|| panic!("{waiting:?}"));
    call["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_run_waits_for_approval_and_continues() {
    let Some(lab) = Lab::new("a_run_waits_for_a_yes", DEPLOY, one) else { return };
    let _worker = lab.worker();
    let call = lab.send("run", &json!({}));
    let waits = waiting(&lab, &call);
    assert_eq!(waits.len(), 1, "{waits:?}");
    assert_eq!(waits[0]["name"], "deploy");
    assert_eq!(lab.notes(), ["read x"]);
    let printed = approve(&lab, &format!("{}|yes", id_of(&waits, "staging")));
    assert_eq!(printed.code, 0, "{printed:?}");
    let text = lab.result(&call);
    assert!(text.as_str().unwrap().contains("deployed to staging"), "{text}");
    assert_eq!(lab.notes(), ["read x", "deployed staging"]);
    assert_eq!(json!(lab.counts()), json!({ "root 0": 1, "root 1": 1 }));
}

#[test]
fn a_no_and_its_reason_reach_the_model() {
    let Some(lab) = Lab::new("a_no_and_its_reason", DEPLOY, one) else { return };
    let _worker = lab.worker();
    let call = lab.send("run", &json!({}));
    let waits = waiting(&lab, &call);
    let printed = approve(&lab, &format!("{}|no|--reason|not on a Friday", id_of(&waits, "staging")));
    assert_eq!(printed.code, 0, "{printed:?}");
    let text = lab.result(&call);
    assert!(text.as_str().unwrap().contains("not on a Friday"), "{text}");
    assert_eq!(lab.notes(), ["read x"]);
    // It no longer waits.
    let listed = lab.project.run(&format!("approve --json --on {} --admin {}", lab.ingress(), lab.admin()));
    assert_eq!(listed.object(), json!([]));
}

#[test]
fn several_calls_wait_for_an_answer_each() {
    let Some(lab) = Lab::new("several_calls_wait", DEPLOY, two) else { return };
    let _worker = lab.worker();
    let call = lab.send("run", &json!({}));
    let waits = waiting(&lab, &call);
    assert_eq!(waits.len(), 2, "{waits:?}");
    assert_eq!(approve(&lab, &format!("{}|no", id_of(&waits, "production"))).code, 0);
    assert_eq!(approve(&lab, &format!("{}|yes", id_of(&waits, "staging"))).code, 0);
    let text = lab.result(&call);
    assert!(text.as_str().unwrap().contains("deployed to staging"), "{text}");
    assert_eq!(lab.notes(), ["deployed staging"]);
    assert_eq!(lab.project.provider.count(), 2);
}

#[test]
fn an_answer_may_come_when_the_worker_has_died() {
    let Some(lab) = Lab::new("an_answer_may_come_when", DEPLOY, one) else { return };
    let worker = lab.worker();
    let port = worker.port;
    let call = lab.send("run", &json!({}));
    let waits = waiting(&lab, &call);
    worker.kill();
    assert_eq!(approve(&lab, &format!("{}|yes", id_of(&waits, "staging"))).code, 0);
    let _other = lab.worker_at(port, "other.db");
    let text = lab.result(&call);
    assert!(text.as_str().unwrap().contains("deployed to staging"), "{text}");
    assert_eq!(lab.notes(), ["read x", "deployed staging"]);
    assert_eq!(json!(lab.counts()), json!({ "root 0": 1, "root 1": 1 }));
}

#[test]
fn any_client_can_answer_over_http() {
    let Some(lab) = Lab::new("any_client_can_answer", DEPLOY, two) else { return };
    let _worker = lab.worker();
    let call = lab.send("run", &json!({}));
    let waits = waiting(&lab, &call);
    let resolve = |to: &str, end: &str, body: &Value| {
        let path = format!("/restate/awakeables/{}/{end}", id_of(&waits, to));
        let reply = lab.server.post(&path, &[], body);
        assert!(reply.status < 300, "{reply:?}");
    };
    resolve("staging", "resolve", &json!(true));
    resolve("production", "reject", &json!("never"));
    let text = lab.result(&call);
    let text = text.as_str().unwrap();
    assert!(text.contains("deployed to staging") && text.contains("never"), "{text}");
    assert_eq!(lab.notes(), ["deployed staging"]);
}

#[test]
fn a_run_that_waits_can_be_cancelled() {
    let Some(lab) = Lab::new("a_run_that_waits_can_be_cancelled", DEPLOY, one) else { return };
    let _worker = lab.worker();
    let call = lab.send("run", &json!({}));
    waiting(&lab, &call);
    lab.server.cancel(&call);
    assert_eq!(lab.ended(&call).status, 409);
    assert_eq!(lab.notes(), ["read x"]);
}

#[test]
fn calls_that_the_worker_approves_do_not_wait() {
    let Some(lab) = Lab::new("what_the_worker_was_told", DEPLOY, one) else { return };
    let _worker = lab.worker_of("p.lmt.mjs --approve deploy");
    let text = lab.call("run", &json!({})).good();
    assert!(text.as_str().unwrap().contains("deployed to staging"), "{text}");
}

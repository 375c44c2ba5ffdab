//! Runs while workers and the server are killed (docs/reference/worker.md, "Failures"): none is lost, and stored
//! requests are not repeated. `LMTHING_KILLS=500` sets the number of runs in the last test.

use std::{collections::BTreeMap, thread, time::Duration};

use serde_json::{Value, json};

use crate::{
    restate::{
        Lab, STEPS, Worker, balancer, final_text,
        server::{free_ports, soon},
        steps,
    },
    support::resume::{
        journal::Journal,
        provider::{Conversation, Turn},
    },
};

/// A lab with a worker and a call of `a` whose second request is being answered.
fn at_the_second_request(test: &str) -> Option<(Lab, Worker, String)> {
    let lab = Lab::new(test, STEPS, steps)?;
    lab.gate.hold("a 1");
    let worker = lab.worker();
    let call = lab.send("run", &json!({ "id": "a" }));
    lab.wait_for_request("a 1", 1);
    Some((lab, worker, call))
}

/// What the tools write in a whole run of `a`.
const NOTES: [&str; 4] = ["begin a-0", "end a-0", "begin a-1", "end a-1"];

#[test]
fn a_killed_worker_resumes_its_runs() {
    let Some((lab, worker, call)) = at_the_second_request("a_killed_worker_goes_on") else { return };
    let port = worker.port;
    worker.kill();
    lab.gate.open("a 1");
    let _again = lab.worker_at(port, "worker.db");
    assert_eq!(lab.result(&call), Value::from(final_text("a")));
    assert_eq!(json!(lab.counts()), json!({ "a 0": 1, "a 1": 2, "a 2": 1 }));
    assert_eq!(lab.notes(), NOTES);
}

#[test]
fn another_machine_resumes_from_the_server() {
    let Some((lab, worker, call)) = at_the_second_request("another_machine_goes_on") else { return };
    let port = worker.port;
    worker.kill();
    lab.gate.open("a 1");
    // With its own journal: that of the lost machine is not available.
    let _other = lab.worker_at(port, "other.db");
    assert_eq!(lab.result(&call), Value::from(final_text("a")));
    assert_eq!(json!(lab.counts()), json!({ "a 0": 1, "a 1": 2, "a 2": 1 }));
    assert_eq!(lab.notes(), NOTES);
}

/// Two calls in one answer, of which the second one takes as long as the test wants.
fn two_calls(request: &Conversation) -> Turn {
    match request.step {
        0 => ["a-0", "a-1"].iter().fold(Turn::default(), |turn, id| turn.call(id, "work", &json!({ "id": id }))),
        _ => Turn::text(&request.results().join("; ")),
    }
}

/// A lab whose tool call `a-1` is running after `a-0` has ended.
fn in_the_midst_of_a_step(test: &str) -> Option<(Lab, Worker, String)> {
    let lab = Lab::new(test, STEPS, two_calls)?;
    lab.project.folder.write("hold-a-1", "");
    let worker = lab.worker();
    let call = lab.send("run", &json!({ "id": "a" }));
    lab.wait_for_note("begin a-1");
    let journal = lab.project.folder.path("worker.db");
    soon("the first call is stored", || Journal::read(&journal).is_some_and(|journal| journal.called() == ["a-0"]));
    Some((lab, worker, call))
}

#[test]
fn on_the_same_machine_not_even_an_answered_call_of_a_step_is_repeated() {
    let Some((lab, worker, call)) = in_the_midst_of_a_step("on_the_same_machine") else { return };
    let port = worker.port;
    worker.kill();
    std::fs::remove_file(lab.project.folder.path("hold-a-1")).unwrap();
    let _again = lab.worker_at(port, "worker.db");
    assert_eq!(lab.result(&call), Value::from(final_text("a")));
    assert_eq!(json!(lab.counts()), json!({ "a 0": 1, "a 1": 1 }));
    let notes = lab.notes();
    let begun = |id: &str| notes.iter().filter(|line| **line == format!("begin {id}")).count();
    assert_eq!((begun("a-0"), begun("a-1")), (1, 2), "{notes:?}");
}

#[test]
fn on_another_machine_a_step_under_way_is_made_again_as_a_whole() {
    let Some((lab, worker, call)) = in_the_midst_of_a_step("on_another_machine") else { return };
    let port = worker.port;
    worker.kill();
    std::fs::remove_file(lab.project.folder.path("hold-a-1")).unwrap();
    let _other = lab.worker_at(port, "other.db");
    assert_eq!(lab.result(&call), Value::from(final_text("a")));
    assert_eq!(json!(lab.counts()), json!({ "a 0": 2, "a 1": 1 }));
}

#[test]
fn the_other_of_two_workers_takes_over() {
    let Some(lab) = Lab::new("the_other_of_two_workers_takes_over", STEPS, steps) else { return };
    let ports: [u16; 2] = free_ports();
    let balancer = balancer::start(&ports);
    let mut workers: Vec<Worker> = Vec::new();
    for (number, port) in ports.into_iter().enumerate() {
        let worker = lab.worker_behind(balancer, port, &format!("{number}.db"), "p.lmt.mjs");
        workers.push(lab.registered(worker));
    }
    let ids: Vec<String> = (0..20).map(|n| format!("r{n}")).collect();
    for id in &ids {
        lab.gate.hold(&format!("{id} 1"));
    }
    let calls: Vec<String> = ids.iter().map(|id| lab.send("run", &json!({ "id": id }))).collect();
    for id in &ids {
        lab.wait_for_request(&format!("{id} 1"), 1);
    }
    workers.remove(0).kill();
    for id in &ids {
        lab.gate.open(&format!("{id} 1"));
    }
    for (id, call) in ids.iter().zip(calls) {
        assert_eq!(lab.result(&call), Value::from(final_text(id)));
    }
    // What was stored before is not requested again, by any worker.
    let again: Vec<_> = lab.counts().into_iter().filter(|(name, times)| name.ends_with(" 0") && *times > 1).collect();
    assert!(again.is_empty(), "{again:?}");
}

#[test]
fn a_killed_server_resumes_all_accepted_runs() {
    let Some((mut lab, worker, call)) = at_the_second_request("a_killed_server_goes_on") else { return };
    lab.server.kill();
    lab.gate.open("a 1");
    lab.server.start_again();
    assert_eq!(lab.result(&call), Value::from(final_text("a")));
    let counts = lab.counts();
    assert_eq!((counts["a 0"], counts["a 2"]), (1, 1), "{counts:?}");
    assert_eq!(lab.notes(), NOTES);
    assert!(worker.is_healthy());
}

#[test]
fn a_worker_that_shuts_down_finishes_its_steps_and_releases_its_runs() {
    let Some((lab, worker, call)) = at_the_second_request("a_worker_that_is_asked_to_end") else { return };
    let port = worker.port;
    worker.running.signal("TERM");
    // It waits for the running step.
    soon("the worker refuses new calls", || !worker.is_healthy());
    lab.gate.open("a 1");
    let outcome = worker.running.end();
    assert_eq!(outcome.code, 143, "{outcome:?}");
    assert_eq!(json!(lab.counts()), json!({ "a 0": 1, "a 1": 1 }));
    assert_eq!(lab.notes(), NOTES);
    // On another machine: the step was stored before the worker ended.
    let _other = lab.worker_at(port, "other.db");
    assert_eq!(lab.result(&call), Value::from(final_text("a")));
    assert_eq!(json!(lab.counts()), json!({ "a 0": 1, "a 1": 1, "a 2": 1 }));
    assert_eq!(lab.notes(), NOTES);
}

#[test]
fn a_second_signal_ends_a_worker_at_once() {
    let Some((lab, worker, call)) = at_the_second_request("a_second_signal_ends_a_worker") else { return };
    let port = worker.port;
    worker.running.signal("TERM");
    soon("the worker refuses new calls", || !worker.is_healthy());
    // Signals of one moment count as one.
    std::thread::sleep(Duration::from_millis(200));
    worker.running.signal("TERM");
    let outcome = worker.running.end();
    assert_ne!(outcome.code, 0, "{outcome:?}");
    lab.gate.open("a 1");
    let _again = lab.worker_at(port, "worker.db");
    assert_eq!(lab.result(&call), Value::from(final_text("a")));
}

#[test]
fn of_many_runs_none_is_lost_and_nothing_stored_is_repeated_when_both_are_killed() {
    let Some(mut lab) =
        Lab::new("of_many_runs_none_is_lost", STEPS, |request| steps(request).slowly(Duration::from_millis(15)))
    else {
        return;
    };
    let runs = std::env::var("LMTHING_KILLS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(100);
    let mut worker = lab.worker();
    let (port, journal) = (worker.port, lab.project.folder.path("worker.db"));
    let ids: Vec<String> = (0..runs).map(|n| format!("r{n}")).collect();
    let calls: Vec<String> = ids.iter().map(|id| lab.send("run", &json!({ "id": id }))).collect();
    // The stored requests at the time of the kill, and how often each had been sent.
    let mut settled: BTreeMap<String, usize> = BTreeMap::new();
    for kill in 1..=4 {
        soon("it gets on", || lab.project.provider.count() >= runs * 3 * kill / 6);
        if kill == 2 {
            lab.server.kill();
            thread::sleep(Duration::from_millis(50));
            lab.server.begin();
        }
        worker.kill();
        let counts = lab.counts();
        let answered = Journal::read(&journal).unwrap().answered();
        let again: Vec<_> = settled.iter().filter(|(name, times)| counts[*name] > **times).collect();
        assert!(again.is_empty(), "asked again after kill {}: {again:?}", kill - 1);
        settled = answered.into_iter().map(|name| (name.clone(), counts[&name])).collect();
        worker = lab.worker_at(port, "worker.db");
    }
    for (id, call) in ids.iter().zip(calls) {
        assert_eq!(lab.result(&call), Value::from(final_text(id)), "{id}");
    }
    let counts = lab.counts();
    let again: Vec<_> = settled.iter().filter(|(name, times)| counts[*name] > **times).collect();
    assert!(again.is_empty(), "asked again after the last kill: {again:?}");
    assert_eq!(counts.len(), runs * 3);
    let repeated: usize = counts.values().map(|times| times - 1).sum();
    println!("{runs} runs: {} requests, {repeated} of them under way when something was killed", counts.len());
}

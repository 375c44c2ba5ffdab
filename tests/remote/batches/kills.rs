//! Maps that are killed while batches are submitted, waited for and collected. `LMTHING_KILLS=200` kills more often, at
//! the moments of `LMTHING_SEED`.

use std::{env, thread, time::Duration};

use super::{Lab, at_once, reply};
use crate::support::{
    Running,
    batches::{Act, BatchServer, Dialect, Fault},
    wait_until,
};

/// Acts of the first batch and of the second one, with the number of those before.
const STAGES: [(Act, usize); 10] = [
    (Act::Upload, 0),
    (Act::Create, 0),
    (Act::Status, 0),
    (Act::Results, 0),
    (Act::Delete, 0),
    (Act::Delete, 1),
    (Act::Upload, 1),
    (Act::Create, 1),
    (Act::Status, 1),
    (Act::Results, 1),
];

/// Kills a map at its first request of this number for an act; whether there was one.
fn kill_at(lab: &Lab, act: Act, number: usize, fault: Fault) -> bool {
    lab.server.fail(act, number, fault);
    let mut map = lab.start("");
    wait_until(format!("{act:?} {number} of {:?}", lab.server.dialect), || {
        lab.server.count(act) > number || map.has_ended()
    });
    let is_reached = lab.server.count(act) > number;
    if is_reached && !map.has_ended() {
        map.signal("KILL");
    }
    map.end();
    check_out(lab);
    is_reached
}

/// OUT has whole lines, each of another row.
fn check_out(lab: &Lab) {
    let text = std::fs::read_to_string(lab.folder.path("out.jsonl")).unwrap_or_default();
    let mut rows: Vec<u64> = Vec::new();
    for line in text.lines() {
        let result: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        rows.push(result["row"].as_u64().unwrap());
    }
    let count = rows.len();
    rows.sort_unstable();
    rows.dedup();
    assert_eq!(rows.len(), count, "{text}");
}

#[test]
fn a_map_that_is_killed_at_any_act_submits_nothing_twice() {
    at_once(&[Dialect::OpenAi, Dialect::Anthropic, Dialect::Google], |dialect| {
        // The others have the same code for the second batch.
        let stages = if *dialect == Dialect::OpenAi { &STAGES[..] } else { &STAGES[..4] };
        for (act, number) in stages {
            for fault in [Fault::HoldBefore, Fault::HoldAfter] {
                let lab = Lab::new(*dialect, 2, "tool");
                if !kill_at(&lab, *act, *number, fault.clone()) {
                    continue;
                }
                lab.finish(2);
                let at = format!("{dialect:?} {act:?} {number} {fault:?}");
                assert_eq!((lab.sizes(), lab.paid_twice()), (vec![2, 2], vec![]), "{at}");
                let mut calls = lab.folder.lines("tools.log");
                calls.sort();
                assert_eq!(calls, ["1 a", "2 a"], "finished tools do not run again: {at}");
            }
        }
    });
}

#[test]
fn a_map_that_is_killed_while_cancelling_can_be_cancelled_again() {
    for fault in [Fault::HoldBefore, Fault::HoldAfter] {
        let lab = Lab::of(BatchServer::with(Dialect::OpenAi, reply).polls(usize::MAX), 2, "plain");
        assert_eq!(lab.map("--no-wait").code, 0);
        lab.server.fail(Act::Cancel, 0, fault);
        let mut cancel = Running::of(&mut lab.command_of("map --cancel out.jsonl"));
        wait_until("cancelling", || lab.server.count(Act::Cancel) > 0 || cancel.has_ended());
        cancel.signal("KILL");
        cancel.end();
        let outcome = lab.cancel();
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert!(lab.server.batches().iter().all(|batch| batch.is_cancelled), "{outcome:?}");
    }
}

#[test]
fn a_map_that_is_killed_again_and_again_runs_every_row_once() {
    let number = |name: &str, unset: u64| env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(unset);
    let (kills, seed) = (number("LMTHING_KILLS", 12), number("LMTHING_SEED", 7));
    let mut random = fastrand::Rng::with_seed(seed);
    let dialects = [Dialect::OpenAi, Dialect::Anthropic, Dialect::Google, Dialect::Groq];
    let mut left = kills;
    for dialect in dialects.iter().copied().cycle() {
        let lab = Lab::of(BatchServer::with(dialect, reply).polls(3), 6, "slow");
        while left > 0 {
            left -= 1;
            let mut map = lab.start("--batch-size 4 --jobs 3");
            thread::sleep(Duration::from_millis(random.u64(20..900)));
            if map.has_ended() {
                break;
            }
            map.signal("KILL");
            map.end();
            check_out(&lab);
        }
        lab.finish(6);
        assert_eq!(lab.paid_twice(), Vec::<serde_json::Value>::new(), "{dialect:?}, seed {seed}");
        assert_eq!((lab.server.paid().len(), lab.asks()), (12, 0), "{dialect:?}, seed {seed}");
        if left == 0 {
            break;
        }
    }
}

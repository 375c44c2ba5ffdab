//! Runs that stop for approvals and are killed at random moments (docs/reference/resume.md, "Runs that wait for
//! approval"): no stored decision is lost, no answered call is repeated, and a call that must not be repeated is made
//! at most once. `LMTHING_KILLS=200` kills more runs; `LMTHING_SEED` selects the moments.

use std::{collections::BTreeMap, thread, time::Duration};

use serde_json::Value;

use crate::support::resume::{Project, journal::Journal};

use crate::support::Outcome;

/// Each step calls tools that need approval, some from code, and one that does not.
const SOURCE: &str = "
const steps = [0, 1, 2, 3, 4, 5];
const code = (n) => `const [one, two] = await Promise.all([f({ id: 'f${n}' }), f({ id: 'g${n}' })]); return await f({ id: one + two });`;
export const mock = [
  ...steps.flatMap((n) => [
    call(`t${n}`, 'deploy', { id: `t${n}` }), call(`c${n}`, 'runToolCode', { code: code(n) }), call(`o${n}`, 'once', { id: `o${n}` }),
  ]),
  text('All is done.'),
];
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const named = z.object({ id: z.string() });
export default ({ $, defTool, defFunction, defState }) => {
  const [count, setCount] = defState('count', 0);
  const work = async ({ id }) => {
    note(`begin ${id}`);
    await sleep(2);
    setCount((before) => before + 1);
    note(`end ${id}`);
    return id;
  };
  const options = { responseSchema: z.string(), needsApproval: true };
  defTool('deploy', 'd', named, work, { needsApproval: true });
  defTool('once', 'o', named, work, { needsApproval: true, repeat: false });
  defFunction('f', 'f', named, work, options);
  $`go`;
};";

/// How often each line is in the file that the tools append to.
fn counts(project: &Project) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    project.lines("done.log").into_iter().for_each(|line| *counts.entry(line).or_default() += 1);
    counts
}

/// The serial numbers of the decided calls.
fn decided(journal: &Journal) -> Vec<u64> {
    journal.entries.iter().filter_map(|(_, entry)| entry["decided"]["serial"].as_u64()).collect()
}

/// The serial numbers of the calls that wait.
fn waiting_calls(journal: &Journal, from: usize) -> Vec<u64> {
    journal.entries.iter().skip(from).filter_map(|(_, entry)| entry["waits"]["serial"].as_u64()).collect()
}

fn listed(project: &Project) -> Option<Value> {
    let listed = project.run("runs --json");
    (listed.code == 0).then(|| listed.object()[0].clone()).filter(|run| !run.is_null())
}

/// The next command: approves every call that waits.
fn next(project: &Project) -> String {
    let Some(run) = listed(project) else { return "run --journal --on-approval stop p.lmt.mjs".to_owned() };
    let mut command = "resume last".to_owned();
    for call in run["error"]["waiting"].as_array().into_iter().flatten().filter(|_| run["status"] == "waiting") {
        command += &format!(" --approve {}", call["call"].as_str().unwrap());
    }
    command
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn no_decision_is_lost_and_no_call_made_twice() {
    let mut random = fastrand::Rng::with_seed(number("LMTHING_SEED", 7));
    let project = Project::mocked(SOURCE);
    let mut kills = number("LMTHING_KILLS", 25);
    let outcome = loop {
        let command = next(&project);
        let before = project.journal();
        let (done, known) = (counts(&project), before.as_ref().map(decided).unwrap_or_default());
        let called = before.as_ref().map(Journal::called).unwrap_or_default();
        let mut child = project.start(&command);
        if kills > 0 {
            thread::sleep(Duration::from_micros(random.u64(1_000..120_000)));
            kills = kills.saturating_sub(1);
            let _ = child.kill();
        }
        let outcome = Outcome::from(child.wait_with_output().unwrap());
        assert!([0, 5, -1].contains(&outcome.code), "{command}: {outcome:?}");
        let now = counts(&project);
        for id in called.iter().filter(|id| !id.starts_with('c')) {
            let line = format!("end {id}");
            assert_eq!(now.get(&line), done.get(&line), "{id} was answered before, and made again: {command}");
        }
        if let Some(journal) = project.journal() {
            let from = before.map_or(0, |before| before.entries.len());
            let again: Vec<_> =
                waiting_calls(&journal, from).into_iter().filter(|serial| known.contains(serial)).collect();
            assert!(again.is_empty(), "decided on before, and asked for again: {again:?} by {command}");
        }
        if outcome.code == 0 {
            break outcome;
        }
    };
    assert!(outcome.stdout.ends_with("All is done.\n"), "{outcome:?}");
    let lines = counts(&project);
    for n in 0..6 {
        let once = lines.get(&format!("begin o{n}")).copied().unwrap_or_default();
        assert!(once <= 1, "o{n} must not be repeated, and was made {once} times");
        assert!(lines.contains_key(&format!("end t{n}")) && lines.contains_key(&format!("end f{n}g{n}")), "{lines:?}");
    }
}

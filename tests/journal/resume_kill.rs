//! Runs that are killed at random moments and resumed (docs/reference/resume.md): no request whose answer was
//! stored is sent again, no finished tool call is repeated, and the final text is that of an undisturbed run.
//! `LMTHING_KILLS=200 cargo verify --test journal resume_kill` kills more runs; `LMTHING_SEED` selects the moments.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    hash::{DefaultHasher, Hash, Hasher},
    process::Child,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::support::resume::{
    Project,
    provider::{Conversation, Provider, Turn},
    status,
};

use crate::support::Outcome;

/// Steps of the file's own prompt, including the one with the text.
const STEPS: usize = 30;

/// Tools that note their start and end, alone and in parallel, agents with tools and an agent of their own, and states
/// and effects that all of them change.
const SOURCE: &str = "
import { z } from 'zod';
import fs from 'node:fs';
export const config = { model: 'lab:m' };

const note = (line) => fs.appendFileSync('done.log', line + '\\n');
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const named = z.object({ id: z.string() });

const worker = ({ defTool }, finished = () => {}) => {
  defTool('work', 'Works.', named, async ({ id }) => {
    note(`begin ${id}`);
    await sleep(id.length % 7);
    const count = finished(id);
    note(`end ${id}`);
    return `${id} is done (${count})`;
  });
};

const inner = ({ defAgent }) => {
  defAgent('inner', 'Helps the helper.', named, ({ id }, child) => {
    worker(child);
    child.$`You are who=${id}.`;
  });
};

export default ({ $, defState, defEffect, defSystem, defAgent, ...prompt }) => {
  const [done, setDone] = defState('done', new Set());
  const [latest, setLatest] = defState('latest', null);
  const [effects, setEffects] = defState('effects', 0n);
  defEffect(() => setEffects((before) => before + 1n), [done.size]);
  defSystem('state', `${[...done].sort().join()} ${latest?.at?.toISOString()} ${effects}`);
  worker(prompt, (id) => {
    setDone((before) => new Set([...before, id]));
    setLatest({ at: new Date(Number(id.match(/\\d+/)[0]) * 1000) });
  });
  defAgent('helper', 'Helps.', named, ({ id }, child) => {
    const [, setCount] = child.defState('count', 0);
    worker(child, () => {
      setCount((before) => before + 1);
      return child.getState('count');
    });
    inner(child);
    child.$`You are who=${id}.`;
  });
  $`You are who=root.`;
};
";

/// The answer depends on the prompt that asks and on the step.
fn answer(conversation: &Conversation) -> Turn {
    let Conversation { who, step, .. } = conversation;
    let id = |project: usize| format!("{who}-{step}-{project}");
    let call = |turn: Turn, project: usize, tool: &str| turn.call(&id(project), tool, &json!({ "id": id(project) }));
    let depth = who.matches('-').count() / 2;
    let turn = match (depth, step) {
        (0, step) if *step + 1 == STEPS => Turn::text(&format!("All is done: {:x}", hash(&conversation.messages()))),
        (0, step) => match step % 5 {
            0 => (0..3).fold(Turn::text("Let me see. "), |turn, project| call(turn, project, "work")),
            1 => call(Turn::default(), 0, "helper"),
            3 if step % 10 == 3 => call(call(call(Turn::default(), 0, "helper"), 1, "work"), 2, "helper"),
            _ => call(Turn::text("One more. "), 0, "work"),
        },
        (1, 0) => call(Turn::default(), 0, "work"),
        (1, 1) => call(call(Turn::default(), 0, "inner"), 1, "work"),
        (_, 0) => call(call(Turn::default(), 0, "work"), 1, "work"),
        _ => Turn::text(&format!("{who} has {:x}", hash(&conversation.messages()))),
    };
    turn.slowly(Duration::from_millis(1))
}

/// Of the whole conversation: any loss in it, or in the states, changes the final text.
fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// An undisturbed run: its requests by name, its text, and how long it took.
struct Undisturbed {
    requests: BTreeMap<String, String>,
    text: String,
    took: Duration,
}

fn undisturbed() -> Undisturbed {
    let project = Project::new(SOURCE, Provider::start(answer));
    let began = Instant::now();
    let outcome = project.run("run --journal -f json p.lmt.mjs");
    let took = began.elapsed();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let requests: Vec<_> = project.provider.requests();
    let by_name: BTreeMap<_, _> = requests.iter().map(|request| (request.name(), request.messages())).collect();
    assert_eq!(by_name.len(), requests.len(), "each request has a name of its own");
    Undisturbed { requests: by_name, text: outcome.object()["text"].as_str().unwrap().to_owned(), took }
}

#[derive(Debug, Default)]
struct Figures {
    kills: usize,
    /// Requests that were sent again because their answers were not stored.
    sent_again: usize,
    /// Tool calls that were repeated because their results were not stored.
    called_again: usize,
}

/// Runs, kills at most `kills` times, and resumes until the run is done.
fn disturb(undisturbed: &Undisturbed, random: &mut fastrand::Rng, kills: usize) -> Figures {
    let project = Project::new(SOURCE, Provider::start(answer));
    let mut figures = Figures::default();
    let mut stored = Kept::default();
    let mut command = "run --journal p.lmt.mjs";
    loop {
        let limit = undisturbed.took.mul_f64(random.f64() * 0.7);
        let child = project.start(command);
        if figures.kills == kills {
            let outcome = Outcome::from(child.wait_with_output().unwrap());
            assert_eq!(outcome.code, 0, "{outcome:?}");
            break;
        }
        if !killed(child, limit) {
            break;
        }
        figures.kills += 1;
        if let Some(journal) = project.journal() {
            stored.check(&project);
            stored = Kept {
                answered: journal.answered().into_iter().collect(),
                called: journal.called().into_iter().collect(),
                requests: project.provider.count(),
                begun: project.lines("done.log").len(),
            };
            if !stored.answered.is_empty() {
                assert_ne!(status(&project), "running", "the process is dead");
            }
        }
        // Killed before it was in the journal.
        let listed = project.run("runs --json");
        let is_known = listed.code == 0 && listed.object().as_array().is_some_and(|runs| !runs.is_empty());
        command = if is_known { "resume last" } else { "run --journal p.lmt.mjs" };
    }
    stored.check(&project);
    let mut times = HashMap::<_, usize>::new();
    for request in project.provider.requests() {
        let expected = &undisturbed.requests[&request.name()];
        assert_eq!(expected, &request.messages(), "{} is asked as if nothing had happened", request.name());
        *times.entry(request.name()).or_default() += 1;
    }
    assert_eq!(times.len(), undisturbed.requests.len());
    let object = project.run("resume last -f json").object();
    assert_eq!((&object["ok"], object["text"].as_str().unwrap()), (&json!(true), undisturbed.text.as_str()));
    assert_eq!((status(&project).as_str(), &object["steps"]), ("done", &json!(STEPS)));
    figures.sent_again = times.values().sum::<usize>() - times.len();
    let begun: Vec<_> = project.lines("done.log").into_iter().filter(|line| line.starts_with("begin")).collect();
    figures.called_again = begun.len() - begun.iter().collect::<BTreeSet<_>>().len();
    figures
}

/// Waits for `limit`, then kills the process; false if it had ended by itself.
fn killed(mut child: Child, limit: Duration) -> bool {
    thread::sleep(limit);
    if let Some(status) = child.try_wait().unwrap() {
        let outcome = Outcome::from(child.wait_with_output().unwrap());
        assert!(status.success(), "{outcome:?}");
        return false;
    }
    child.kill().unwrap();
    child.wait().unwrap();
    true
}

/// What the journal had when the process was killed, and what the tools had done.
#[derive(Default)]
struct Kept {
    answered: BTreeSet<String>,
    called: BTreeSet<String>,
    requests: usize,
    begun: usize,
}

impl Kept {
    /// Asserts that nothing of it was repeated since.
    fn check(&self, project: &Project) {
        for name in project.provider.names().iter().skip(self.requests) {
            assert!(!self.answered.contains(name), "{name} was answered for good and is sent again");
        }
        for line in project.lines("done.log").iter().skip(self.begun) {
            let id = line.strip_prefix("begin ").unwrap_or("");
            assert!(!self.called.contains(id), "{id} was done and is called again");
        }
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn a_run_killed_at_random_moments_has_the_same_result() {
    let undisturbed = undisturbed();
    let kills = usize::try_from(number("LMTHING_KILLS").unwrap_or(6)).unwrap();
    let seed = number("LMTHING_SEED").unwrap_or_else(|| fastrand::u64(..));
    eprintln!("LMTHING_SEED={seed}: {} requests in {:?}", undisturbed.requests.len(), undisturbed.took);
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut sum, mut runs) = (Figures::default(), 0);
    while sum.kills < kills {
        let figures = disturb(&undisturbed, &mut random, 3.min(kills - sum.kills));
        sum.kills += figures.kills;
        sum.sent_again += figures.sent_again;
        sum.called_again += figures.called_again;
        runs += 1;
    }
    eprintln!("{runs} runs: {sum:?}");
}

//! What breaks the prompt cache of each provider, planted in prompt files that run against a server with a cache
//! (docs/reference/events.md#the-prompt-cache).

use serde_json::{Value, json};

use crate::support::{
    Folder, Outcome,
    caching::{CachingServer, Counts, Event, Reply},
};

/// Five steps with tools, sections, a variable and results that grow the conversation.
const PROMPT: &str = r#"
import { z } from 'zod';
const words = (word, count) => Array.from({ length: count }, (_, number) => `${word} ${number}`).join(' ');
const prices = { input: 10, cachedInput: 1, cacheWrite: 12.5, output: 20 };
export const config = {
  model: MODEL,
  options: OPTIONS,
  prices: { PRICED },
};
export default async ({ def, defSystem, defTool, defState, defEffect, $ }) => {
  const [step, setStep] = defState('step', 0);
  defTool('first', 'The first tool. ' + words('tool', SIZE), z.object({}), () => 'one');
  TOOLS
  defTool('next', 'Goes on.', z.object({}), () => {
    setStep((before) => before + 1);
    return words('result', SIZE);
  });
  defSystem('role', words('role', SIZE));
  SYSTEM
  defSystem('style', words('style', SIZE));
  def('CITY', words('city', SIZE));
  BODY
  $`Go on. ${words('question', SIZE)}`;
};
"#;

/// A model, and how its provider caches.
#[derive(Clone, Copy, Debug)]
struct Wire {
    model: &'static str,
    least: usize,
    step: usize,
}

const WIRES: [Wire; 7] = [
    Wire { model: "openai:gpt-4o", least: 1_024, step: 128 },
    Wire { model: "openai:gpt-5.6", least: 1_024, step: 1 },
    Wire { model: "lab:gpt-4o", least: 1_024, step: 128 },
    Wire { model: "deepseek:deepseek-chat", least: 64, step: 64 },
    Wire { model: "anthropic:claude-sonnet-4-5", least: 1_024, step: 1 },
    Wire { model: "bedrock:anthropic.claude-sonnet-4-5-20250929-v1:0", least: 1_024, step: 1 },
    Wire { model: "google:gemini-2.5-flash", least: 1_024, step: 1 },
];

impl Wire {
    /// What a request can read at most that goes on from one of this length.
    fn readable(self, tokens: usize) -> usize {
        if tokens < self.least { 0 } else { tokens - tokens % self.step }
    }
}

/// A change of the prompt file or of the server.
#[derive(Clone, Copy, Debug)]
struct Case {
    name: &'static str,
    tools: &'static str,
    system: &'static str,
    body: &'static str,
    options: &'static str,
    /// All but the last request call the tool `next`.
    requests: usize,
    events: &'static [(usize, Event)],
    /// The requests at which something is named, with kind and name.
    broken: &'static [(usize, &'static str, &'static str)],
    size: usize,
    reports: bool,
}

const CLEAN: Case = Case {
    name: "clean",
    tools: "",
    system: "",
    body: "",
    options: "{}",
    requests: 4,
    events: &[],
    broken: &[],
    size: 100,
    reports: true,
};

/// Nothing of it breaks the cache: another order of definitions, a section that is disabled from the start.
const HARMLESS: Case = Case {
    name: "harmless",
    tools: "for (const name of step % 2 ? ['a', 'b'] : ['b', 'a']) defTool(name, name, z.object({}), () => name);",
    system: "for (const name of step % 2 ? ['c', 'd'] : ['d', 'c']) defSystem(name, words(name, 50));
             defSystem('off', words('off', 50)).disable();",
    requests: 10,
    ..CLEAN
};

const CASES: [Case; 5] = [
    HARMLESS,
    Case {
        name: "a date in a section",
        system: "defSystem('clock', `It is ${step} o'clock.`);",
        broken: &[(1, "section", "clock"), (2, "section", "clock"), (3, "section", "clock")],
        ..CLEAN
    },
    Case {
        name: "changes of one step or from one step on",
        tools: "if (step >= 2 && step < 8) {
          const schema = step < 6 ? {} : { a: z.string().optional() };
          defTool('extra', step < 4 ? 'More.' : 'Most.', z.object(schema), () => 'more');
        }",
        system: "const note = defSystem('note', words('note', 50));",
        body: "def('EXTRA', step < 12 ? 'one' : 'two');
        if (step === 22) note.remind();
        defEffect((context, modify) => {
          if (step === 10) note.disable();
          if (step === 14) modify('messages', [words('other', SIZE), ...context.messages]);
          if (step === 16) modify('systems', [{ name: 'only', value: 'This.' }]);
          if (step === 18) modify('tools', ['next']);
          if (step === 20) modify('variables', [{ name: 'MORE', value: '1' }]);
        });",
        requests: 27,
        events: &[(24, Event::Evict)],
        broken: &[
            (2, "tools", "extra"),
            (4, "tools", "extra"),
            (6, "tools", "extra"),
            (8, "tools", "extra"),
            (10, "section", "note"),
            (12, "variable", "EXTRA"),
            (14, "message", ""),
            (16, "section", "role"),
            (18, "tools", "first"),
            (20, "variable", "MORE"),
            (24, "provider", ""),
        ],
        ..CLEAN
    },
    Case { name: "a server that reports nothing", events: &[(2, Event::Evict)], reports: false, ..CLEAN },
    Case { name: "a short prompt", system: "defSystem('clock', `It is ${step} o'clock.`);", size: 1, ..CLEAN },
];

/// What a run reported of the cache, and what the server did.
struct Run {
    /// `cache` of each step.
    caches: Vec<Option<Value>>,
    counts: Vec<Counts>,
}

fn source(case: &Case, model: &str) -> String {
    let models: Vec<String> = model.split(' ').map(|model| format!("'{model}'")).collect();
    let priced = models.iter().map(|model| format!("{model}: prices, ")).collect::<String>();
    let source = PROMPT.replace("MODEL", &format!("[{}]", models.join(", "))).replace("PRICED", &priced);
    let source = source.replace("TOOLS", case.tools).replace("SYSTEM", case.system).replace("BODY", case.body);
    source.replace("OPTIONS", case.options).replace("SIZE", &case.size.to_string())
}

/// Runs a case with a model, or a list of models with spaces between.
fn run(case: &Case, model: &str) -> Run {
    let last = case.requests - 1;
    let reply = move |number, _: &Value| if number < last { Reply::call("next") } else { Reply::text("done") };
    let server = CachingServer::start(reply, case.events.to_vec(), case.reports);
    let caches = run_file(&source(case, model), &server);
    let counts = server.counts();
    assert_eq!((caches.len(), counts.len()), (case.requests, case.requests), "{model}, {}", case.name);
    Run { caches, counts }
}

/// `cache` of each step of a file.
fn run_file(source: &str, server: &CachingServer) -> Vec<Option<Value>> {
    let folder = Folder::of(source);
    let mut command = folder.bare_command("run -f events p.lmt.mjs");
    command.envs(server.variables());
    let outcome = Outcome::of(&mut command);
    assert_eq!(outcome.code, 0, "{source}: {} {}", outcome.stderr, outcome.stdout);
    let steps = outcome.events().into_iter().filter(|event| event["type"] == "step-finish");
    steps.map(|event| event.get("cache").cloned()).collect()
}

/// Kind and name of what has broken the cache.
fn broken(cache: &Option<Value>) -> Option<(&str, &str)> {
    let broken = cache.as_ref()?.get("brokenBy")?;
    Some((broken["kind"].as_str()?, broken.get("name").and_then(Value::as_str).unwrap_or_default()))
}

/// Compares what was reported with what the server did.
fn check(case: &Case, wire: Wire) {
    let Run { caches, counts } = run(case, wire.model);
    assert_eq!(caches[0], None);
    for number in 1..case.requests {
        let (before, now) = (counts[number - 1], counts[number]);
        let cache = caches[number].as_ref();
        let place = format!("{}, {}, request {number}: {cache:?} after {before:?}, {now:?}", wire.model, case.name);
        let cache = cache.unwrap_or_else(|| panic!("{place}"));
        if case.reports {
            assert_eq!((&cache["read"], &cache["written"]), (&now.read.into(), &now.written.into()), "{place}");
        }
        let wanted = case.broken.iter().find(|(at, ..)| *at == number).map(|(_, kind, name)| (*kind, *name));
        assert_eq!(broken(&caches[number]), wanted, "{place}");
        let expected = wire.readable(before.input).min(wire.readable(now.input));
        if wanted.is_some() {
            check_size(&cache["brokenBy"], expected - now.read, now, &place);
        }
        if wanted.is_some() || case.name == HARMLESS.name {
            assert!(cache["expected"].as_u64().unwrap().abs_diff(expected as u64) <= expected as u64 / 50, "{place}");
        }
        if case.name == HARMLESS.name {
            assert!(expected - now.read <= expected / 50, "{place}");
        }
        assert!(case.size > 1 || cache["expected"] == 0, "{place}");
    }
}

/// The tokens that would have been read and were not, within a tenth, and their price.
fn check_size(broken: &Value, lost: usize, now: Counts, place: &str) {
    let tokens = broken["tokens"].as_u64().unwrap();
    assert!(tokens.abs_diff(lost as u64) <= lost as u64 / 10, "{lost} tokens: {place}");
    let written = now.written.min(tokens as usize) as f64;
    let cost = (9.0 * (tokens as f64 - written) + 11.5 * written) / 1e6;
    assert!((broken["cost"].as_f64().unwrap() - cost).abs() < 1e-9, "${cost}: {place}");
}

/// Each provider is a test of its own, so that they run at the same time.
fn check_all(model: &str) {
    let wire = *WIRES.iter().find(|wire| wire.model.starts_with(model)).unwrap();
    // Some caches have nearly no least size.
    let applies = |case: &&Case| case.size > 1 || wire.least > 1_000;
    CASES.iter().filter(applies).for_each(|case| check(case, wire));
}

#[test]
fn breaks_are_named_with_openai() {
    check_all("openai:gpt-4o");
    check_all("openai:gpt-5.6");
}

#[test]
fn breaks_are_named_with_compatible_servers() {
    check_all("lab:");
    check_all("deepseek:");
}

#[test]
fn breaks_are_named_with_anthropic() {
    check_all("anthropic:");
}

#[test]
fn breaks_are_named_with_bedrock() {
    check_all("bedrock:");
}

#[test]
fn breaks_are_named_with_google() {
    check_all("google:");
}

#[test]
fn another_model_of_a_list_is_named_in_its_step_only() {
    let case = Case { name: "a list", requests: 5, events: &[(2, Event::Fail)], ..CLEAN };
    let models = "openai:gpt-4o anthropic:claude-sonnet-4-5";
    let Run { caches, counts } = run(&case, models);
    let found: Vec<_> = caches.iter().map(broken).collect();
    assert_eq!(found, [None, None, Some(("model", "anthropic:claude-sonnet-4-5")), None, None], "{caches:?}");
    assert!(counts[2].read == 0 && counts[3].read > 0);
}

#[test]
fn a_lifetime_decides_what_is_too_late() {
    let late = Case { name: "late", events: &[(2, Event::Wait(400))], ..CLEAN };
    for (model, options, wanted) in [
        ("anthropic:claude-sonnet-4-5", "{}", Some(("provider", ""))),
        ("anthropic:claude-sonnet-4-5", "{ cache: { ttl: '1h' } }", None),
        ("bedrock:anthropic.claude-sonnet-4-5-20250929-v1:0", "{ cache: { ttl: 'long' } }", None),
        ("openai:gpt-5.6", "{ cache: { ttl: 'long' } }", None),
    ] {
        let Run { caches, .. } = run(&Case { options, ..late }, model);
        let found: Vec<_> = caches.iter().map(broken).collect();
        assert_eq!(found, [None, None, wanted, None], "{model} {options}");
    }
}

#[test]
fn without_marks_nothing_is_expected_of_anthropic() {
    let off = Case { name: "off", options: "{ cache: false }", system: "defSystem('clock', `${step}`);", ..CLEAN };
    let Run { caches, counts } = run(&off, "anthropic:claude-sonnet-4-5");
    assert!(counts.iter().all(|counts| counts.read == 0));
    for cache in &caches[1..] {
        assert_eq!(cache, &Some(json!({ "read": 0, "written": 0, "expected": 0 })));
    }
}

/// A prompt that is run twice, with other settings the second time.
const TWICE: &str = r#"
import { StatefulPrompt } from 'lmthing';
import { z } from 'zod';
const words = (word) => Array.from({ length: 400 }, (_, number) => `${word} ${number}`).join(' ');
export const config = { model: 'MODEL' };
export default async () => {
  const prompt = StatefulPrompt.create('MODEL', { maxOutputTokens: 9000 });
  prompt.defTool('look', words('look'), z.object({}), () => 'seen');
  prompt.defSystem('role', words('role'));
  prompt.$`${words('question')}`;
  await prompt.run().text;
  prompt.withOptions({ maxOutputTokens: 9000, SETTING });
  prompt.$`And now?`;
  await prompt.run().text;
};
"#;

#[test]
fn settings_matter_where_they_do() {
    for (model, setting, wanted) in [
        ("openai:gpt-4o", "temperature: 0.5", None),
        ("openai:gpt-4o", "toolChoice: 'required'", None),
        ("anthropic:claude-sonnet-4-5", "temperature: 0.5", None),
        ("anthropic:claude-sonnet-4-5", "toolChoice: 'required'", Some(("settings", "toolChoice"))),
        ("anthropic:claude-sonnet-4-5", "reasoning: 'high'", Some(("settings", "reasoning"))),
        ("bedrock:anthropic.claude-sonnet-4-5-20250929-v1:0", "reasoning: 'low'", Some(("settings", "reasoning"))),
        ("google:gemini-2.5-flash", "temperature: 1", None),
    ] {
        let server = CachingServer::start(|_, _| Reply::text("done"), Vec::new(), true);
        let source = TWICE.replace("MODEL", model).replace("SETTING", setting);
        let caches = run_file(&source, &server);
        // The prompt of the file itself comes last.
        assert_eq!(caches.len(), 3, "{model}, {setting}");
        assert!(caches[1].is_some(), "{model}, {setting}: the second run goes on with the conversation");
        assert_eq!(broken(&caches[1]), wanted, "{model}, {setting}: {caches:?} {:?}", server.counts());
    }
}

/// An agent whose section changes from step to step, called twice.
const AGENT: &str = r#"
import { z } from 'zod';
const words = (word) => Array.from({ length: 400 }, (_, number) => `${word} ${number}`).join(' ');
export const config = { model: 'openai:gpt-4o' };
export default async ({ defSystem, defAgent, $ }) => {
  defSystem('role', words('role'));
  defAgent('helper', 'Helps.', z.object({}), async (args, { $, defSystem, defTool, defEffect }) => {
    defSystem('work', words('work'));
    const note = defSystem('note', words('note'));
    defTool('next', 'Goes on.', z.object({}), () => 'on');
    defEffect((context) => { if (context.stepNumber === 2) note.disable(); });
    $`Help. ${words('plea')}`;
  });
  $`Ask. ${words('question')}`;
};
"#;

#[test]
fn agents_have_a_conversation_of_their_own() {
    // The parent, three steps of the agent, the parent. The first step of the parent ends after the agent.
    let reply = |number, _: &Value| match number {
        0 => Reply::call("helper"),
        1 | 2 => Reply::call("next"),
        _ => Reply::text("done"),
    };
    let server = CachingServer::start(reply, Vec::new(), true);
    let caches = run_file(AGENT, &server);
    let found: Vec<_> = caches.iter().map(|cache| (cache.is_some(), broken(cache))).collect();
    let changed = (true, Some(("section", "note")));
    assert_eq!(found, [(false, None), (true, None), changed, (false, None), (true, None)], "{caches:?}");
}

mod provider;

use std::rc::Rc;

use serde_json::json;

use super::*;
use crate::chat::{
    CacheBreak, CacheBreakKind, CallSettings, ContentPart, Message, PromptMessages, Reasoning, Role, StepCache,
    SystemPart, SystemPartKind, ToolChoice, ToolSpec, Transcript, Usage,
};

/// A conversation that is changed between its steps.
#[derive(Clone)]
struct Prompt {
    model: &'static str,
    tools: Vec<(&'static str, &'static str)>,
    sections: Vec<(&'static str, &'static str)>,
    variables: Vec<(&'static str, &'static str)>,
    history: Transcript,
    reminder: Option<&'static str>,
    settings: CallSettings,
}

fn prompt() -> Prompt {
    Prompt {
        model: "openai:m",
        tools: vec![("look", "looks"), ("find", "finds"), ("keep", "keeps")],
        sections: vec![("role", "a poet"), ("style", "short"), ("date", "monday")],
        variables: vec![("A", "1"), ("B", "2")],
        history: Transcript::from_messages(vec![Message::text(Role::User, "hello").into()]),
        reminder: None,
        settings: CallSettings::default(),
    }
}

impl Prompt {
    fn sent(&self) -> SentPrompt {
        let (mut text, mut parts) = (String::new(), Vec::new());
        let named = |kind| move |(name, value): &(&'static str, &'static str)| (kind, *name, *value);
        let sections = self.sections.iter().map(named(SystemPartKind::Section));
        for (kind, name, value) in sections.chain(self.variables.iter().map(named(SystemPartKind::Variable))) {
            let start = text.len();
            text += &format!("<{name}>{value}</{name}>");
            parts.push(SystemPart { kind, name: name.into(), range: start..text.len() });
            text += "\n";
        }
        let extra = self.reminder.map(|text| Rc::new(Message::text(Role::User, text)));
        let system = Some(Rc::new(Message::system(text)));
        let messages = PromptMessages::new(system, self.history.clone(), extra.into_iter().collect());
        let tools = self.tools.iter().map(|(name, description)| ToolSpec {
            name: (*name).to_owned(),
            description: (*description).to_owned(),
            input_schema: json!({ "type": "object" }),
            provider_options: None,
            provider_tool: None,
        });
        SentPrompt {
            model: self.model.into(),
            messages: messages.with_system_parts(parts.into()),
            tools: Some(tools.collect()),
            active_tools: self.tools.iter().map(|(name, _)| (*name).to_owned()).collect(),
            settings: Rc::new(self.settings.clone()),
            input_tokens: None,
        }
    }

    fn answered(&self) {
        self.history.push(Message::text(Role::Assistant, "answer"));
        self.history.push(Message::parts(Role::User, vec![ContentPart::text("more")]));
    }
}

const OPENAI: CacheRules = CacheRules {
    certainty: CacheCertainty::Promised,
    settings: &[
        (CacheSetting::ResponseFormat, SettingEffect::Everything),
        (CacheSetting::ToolChoice, SettingEffect::Messages),
        (CacheSetting::Reasoning, SettingEffect::Possible),
    ],
    ..CacheRules::automatic(1024, 128)
};

fn usage(input: u64, read: u64) -> Usage {
    Usage { cached_input_tokens: Some(read), has_cache_count: true, ..Usage::new(Some(input), Some(10)) }
}

/// A dollar a token, a tenth for one that is read, and a quarter more for one that is written.
#[allow(clippy::cast_precision_loss)]
fn cost(usage: &Usage) -> Option<f64> {
    let [read, written] = [usage.cached_input_tokens, usage.cache_write_tokens].map(|count| count.unwrap_or(0) as f64);
    Some(usage.input_tokens? as f64 - 0.9 * read + 0.25 * written)
}

#[derive(Default)]
struct Run {
    conversation: CacheConversation,
}

impl Run {
    fn step(&mut self, prompt: &Prompt, usage: Usage, rules: CacheRules) -> Option<StepCache> {
        let sent = SentPrompt { input_tokens: usage.input_tokens, ..prompt.sent() };
        self.conversation.add(sent, &usage, &rules, cost);
        prompt.answered();
        self.conversation.end_step()
    }

    /// What a step is broken by that reads nothing.
    fn broken(&mut self, prompt: &Prompt) -> Option<(CacheBreakKind, Option<String>)> {
        let cache =
            self.step(prompt, usage(5000, 0), CacheRules { certainty: CacheCertainty::BestEffort, ..OPENAI }).unwrap();
        cache.broken_by.map(|broken| (broken.kind, broken.name))
    }
}

#[test]
fn a_request_that_goes_on_expects_all_of_the_one_before() {
    let (mut run, prompt) = (Run::default(), prompt());
    assert_eq!(run.step(&prompt, usage(5000, 0), OPENAI), None);
    let cache = run.step(&prompt, usage(6000, 4992), OPENAI);
    assert_eq!(cache, Some(StepCache { read: 4992, written: 0, expected: 4992, broken_by: None }));
    let written = Usage { cache_write_tokens: Some(7), ..usage(7000, 6500) };
    let cache = run.step(&prompt, written, OPENAI);
    assert_eq!(cache, Some(StepCache { read: 6500, written: 7, expected: 5888, broken_by: None }));
}

#[test]
fn the_first_change_is_named() {
    type Edit = fn(&mut Prompt);
    use CacheBreakKind::{Message as Messages, Model, Section, Settings, Tools, Variable};
    let cases: [(Edit, CacheBreakKind, &str); 22] = [
        (|prompt| prompt.sections[1].1 = "long", Section, "style"),
        (|prompt| _ = prompt.sections.remove(0), Section, "role"),
        (|prompt| _ = prompt.sections.pop(), Section, "date"),
        (|prompt| prompt.sections.push(("status", "1 of 2")), Section, "status"),
        (|prompt| prompt.sections.insert(0, ("status", "1 of 2")), Section, "status"),
        (|prompt| prompt.sections.rotate_left(1), Section, "role"),
        (|prompt| prompt.sections.rotate_right(1), Section, "date"),
        (|prompt| prompt.sections[1] = ("manner", "short"), Section, "style"),
        (|prompt| prompt.variables[1].1 = "3", Variable, "B"),
        (|prompt| _ = prompt.variables.remove(0), Variable, "A"),
        (|prompt| prompt.variables.push(("C", "3")), Variable, "C"),
        (|prompt| prompt.tools[1].1 = "finds more", Tools, "find"),
        (|prompt| _ = prompt.tools.remove(0), Tools, "look"),
        (|prompt| prompt.tools.push(("send", "sends")), Tools, "send"),
        (|prompt| prompt.tools.swap(0, 1), Tools, "look"),
        (|prompt| prompt.tools.clear(), Tools, "look"),
        (|prompt| prompt.model = "openai:n", Model, "openai:n"),
        (|prompt| prompt.settings.tool_choice = Some(ToolChoice::Required), Settings, "toolChoice"),
        (|prompt| prompt.history = Transcript::from_messages(Vec::new()), Messages, ""),
        // The order of the provider decides.
        (|prompt| (prompt.variables[0].1, prompt.sections[2].1) = ("2", "tuesday"), Section, "date"),
        (|prompt| (prompt.tools[2].1, prompt.sections[0].1) = ("-", "-"), Tools, "keep"),
        (|prompt| (prompt.settings.tool_choice, prompt.sections[0].1) = (Some(ToolChoice::None), "-"), Section, "role"),
    ];
    for (number, (edit, kind, name)) in cases.into_iter().enumerate() {
        let (mut run, mut prompt) = (Run::default(), prompt());
        run.step(&prompt, usage(5000, 0), OPENAI);
        edit(&mut prompt);
        let name = Some(name.to_owned()).filter(|name| !name.is_empty());
        assert_eq!(run.broken(&prompt), Some((kind, name)), "case {number}");
        // Once.
        assert_eq!(run.broken(&prompt), None, "case {number}");
    }
}

#[test]
fn what_does_not_go_out_or_is_new_names_nothing() {
    let (mut run, mut prompt) = (Run::default(), prompt());
    run.step(&prompt, usage(5000, 0), OPENAI);
    // Copies are compared by content.
    prompt.history =
        Transcript::from_messages(prompt.history.to_vec().iter().map(|m| Rc::new((**m).clone())).collect());
    prompt.settings.temperature = Some(0.5);
    prompt.settings.reasoning = Some(Reasoning::Low);
    prompt.reminder = Some("keep in mind");
    assert_eq!(run.broken(&prompt), None);
    prompt.reminder = None;
    assert_eq!(run.broken(&prompt), None);
}

#[test]
fn a_change_of_one_step_is_named_there_alone() {
    let (mut run, mut prompt) = (Run::default(), prompt());
    run.step(&prompt, usage(5000, 0), OPENAI);
    let section = prompt.sections.remove(0);
    let cache = run.step(&prompt, usage(4000, 0), OPENAI).unwrap();
    // The request can read no more than it has.
    assert_eq!((cache.expected, cache.broken_by.map(|broken| broken.tokens)), (3968, Some(3968)));
    prompt.sections.insert(0, section);
    let cache = run.step(&prompt, usage(6000, 4992), OPENAI).unwrap();
    assert_eq!((cache.expected, cache.broken_by), (3968, None));
    // What the provider has lost of the request before the change is its own.
    prompt.sections[2].1 = "tuesday";
    run.step(&prompt, usage(7000, 0), OPENAI);
    prompt.sections[2].1 = "monday";
    let cache = run.step(&prompt, usage(8000, 0), OPENAI).unwrap();
    assert_eq!((cache.expected, cache.broken_by.map(|broken| broken.kind)), (5888, Some(CacheBreakKind::Provider)));
}

#[test]
fn losses_are_counted_and_priced_by_what_was_read() {
    let (mut run, mut prompt) = (Run::default(), prompt());
    run.step(&prompt, usage(5000, 0), OPENAI);
    prompt.sections[0].1 = "a painter";
    let cache = run.step(&prompt, usage(6000, 1024), OPENAI).unwrap();
    let (kind, name) = (CacheBreakKind::Section, Some("role".to_owned()));
    let broken_by = Some(CacheBreak { kind, name, tokens: 3968, cost: Some(3571.2) });
    assert_eq!(cache, StepCache { read: 1024, written: 0, expected: 4992, broken_by });
    // A change that has lost nothing is none.
    prompt.sections[0].1 = "a poet";
    prompt.tools.clear();
    assert_eq!(run.step(&prompt, usage(7000, 6000), OPENAI).unwrap().broken_by, None);
    // Tokens that were written would have been read.
    prompt.tools.push(("look", "looks"));
    let written = Usage { cache_write_tokens: Some(6000), ..usage(8000, 0) };
    let broken = run.step(&prompt, written, OPENAI).unwrap().broken_by.unwrap();
    assert_eq!((broken.tokens, broken.cost), (6912, Some(7720.8)));
    prompt.tools.clear();
    run.conversation.add(prompt.sent(), &usage(8000, 0), &OPENAI, |_| None);
    assert_eq!(run.conversation.end_step().unwrap().broken_by.unwrap().cost, None);
}

#[test]
fn losses_without_reported_reads_are_estimated_from_the_text() {
    let (mut run, mut prompt) = (Run::default(), prompt());
    let silent = Usage { cached_input_tokens: Some(0), ..Usage::new(Some(50_000), Some(1)) };
    run.step(&prompt, silent, OPENAI);
    assert_eq!(run.step(&prompt, silent, OPENAI).unwrap().broken_by, None);
    prompt.variables[1].1 = "3";
    let cache = run.step(&prompt, silent, OPENAI).unwrap();
    let lost = cache.broken_by.unwrap().tokens;
    // Tools and most of the system prompt are the same.
    assert!(cache.read == 0 && cache.expected == 49_920 && (1000..40_000).contains(&lost), "{lost}");
    prompt.tools[0].1 = "-";
    assert_eq!(run.step(&prompt, silent, OPENAI).unwrap().broken_by.unwrap().tokens, 49_920);
}

#[test]
fn the_length_of_a_request_that_was_not_counted_is_estimated_by_the_next() {
    let (mut run, prompt) = (Run::default(), prompt());
    let tokens = |prompt: &Prompt| prompt.sent().tokens(&SentPrompt::default());
    let (before, uncounted) = (tokens(&prompt) * 100, Usage::new(None, None));
    run.step(&prompt, uncounted, OPENAI);
    let now = tokens(&prompt) * 100;
    let cache = run.step(&prompt, usage(now, before - before % 128), OPENAI).unwrap();
    assert!(cache.expected.abs_diff(before) < before / 20 && cache.broken_by.is_none(), "{before} {cache:?}");
}

#[test]
fn short_prompts_and_models_without_a_cache_expect_nothing() {
    for (tokens, rules) in [(1023, OPENAI), (9000, CacheRules::NONE), (0, CacheRules::automatic(0, 1))] {
        let (mut run, mut prompt) = (Run::default(), prompt());
        run.step(&prompt, usage(tokens, 0), rules);
        prompt.sections[0].1 = "a painter";
        assert_eq!(run.step(&prompt, usage(tokens, 0), rules), Some(StepCache::default()));
    }
    assert_eq!([1023, 1024, 1300].map(|tokens| OPENAI.readable(tokens)), [0, 1024, 1280]);
}

#[test]
fn marks_of_the_author_may_move() {
    let options = || json!({ "anthropic": { "cacheControl": { "type": "ephemeral" } } }).as_object().cloned();
    let (mut run, mut prompt) = (Run::default(), prompt());
    let plain = prompt.history.since(0);
    let marked = Message { provider_options: options(), ..(*plain[0]).clone() };
    prompt.history = Transcript::from_messages(vec![marked.into()]);
    prompt.tools[0].1 = "looks";
    run.step(&prompt, usage(5000, 0), OPENAI);
    prompt.history = Transcript::from_messages(plain);
    prompt.answered();
    assert_eq!(run.step(&prompt, usage(6000, 4992), OPENAI).unwrap().broken_by, None);
    let cache = run.step(&prompt, usage(7000, 1024), OPENAI).unwrap();
    assert_eq!(cache.broken_by.unwrap().kind, CacheBreakKind::Provider);
}

#[test]
fn requests_that_continue_a_paused_turn_are_of_one_step() {
    let (mut run, prompt) = (Run::default(), prompt());
    run.step(&prompt, usage(5000, 0), OPENAI);
    let sent = SentPrompt { input_tokens: Some(6000), ..prompt.sent() };
    run.conversation.add(sent, &usage(6000, 4992), &OPENAI, cost);
    let mut continued = SentPrompt { input_tokens: Some(9000), ..prompt.sent() };
    continued.messages = continued.messages.followed_by(Message::text(Role::Assistant, "so far").into());
    run.conversation.add(continued, &usage(9000, 5888), &OPENAI, cost);
    let cache = run.conversation.end_step().unwrap();
    assert_eq!(cache, StepCache { read: 10_880, written: 0, expected: 10_880, broken_by: None });
    // The next request is compared with what is certain to be sent again.
    prompt.answered();
    assert_eq!(run.step(&prompt, usage(9000, 5888), OPENAI).unwrap().expected, 5888);
}

const MARKS: CacheMarks = CacheMarks { automatic: AutomaticMarks::All, text_only: false, own: &[("lab", "mark")] };

fn marked(marks: CacheMarks) -> CacheRules {
    CacheRules { kind: CacheKind::Marks(marks), least: 100, step: 1, certainty: CacheCertainty::Promised, ..OPENAI }
}

#[test]
fn marks_end_what_is_read() {
    let expected = |marks, edit: fn(&mut Prompt)| {
        let (mut run, mut prompt) = (Run::default(), prompt());
        prompt.answered();
        edit(&mut prompt);
        run.step(&prompt, usage(5000, 0), marked(marks));
        prompt.reminder = None;
        run.step(&prompt, usage(6000, 0), marked(marks)).unwrap().expected
    };
    let own = CacheMarks { automatic: AutomaticMarks::None, ..MARKS };
    assert_eq!(expected(MARKS, |_| {}), 5000);
    assert_eq!(expected(own, |_| {}), 0);
    // A reminder is part of the newest turn, so that only the mark of the turn before is of use.
    let before = expected(MARKS, |prompt| prompt.reminder = Some("keep in mind"));
    assert!((4000..4900).contains(&before), "{before}");
    let at_start = expected(own, |prompt| {
        let options = json!({ "lab": { "mark": {} } }).as_object().cloned();
        let first = Message { provider_options: options, ..Message::text(Role::User, "hello") };
        let rest = prompt.history.since(1);
        prompt.history = Transcript::from_messages(std::iter::once(Rc::new(first)).chain(rest).collect());
    });
    assert!((4000..4900).contains(&at_start), "{at_start}");
    // Results of tools cannot be marked by all.
    let text_only = CacheMarks { text_only: true, ..MARKS };
    let with_image = |prompt: &mut Prompt| {
        let image = ContentPart::Image { image: "AAAA".into(), media_type: None, provider_options: None };
        prompt.history.push(Message::text(Role::Assistant, "show"));
        prompt.history.push(Message::parts(Role::User, vec![image]));
    };
    assert_eq!(expected(MARKS, with_image), 5000);
    assert!((100..2000).contains(&expected(text_only, with_image)));
}

#[test]
fn overlaps_need_no_model() {
    let mut prompt = prompt();
    let before = prompt.sent();
    prompt.answered();
    prompt.model = "other:m";
    let whole = overlap(&before, &prompt.sent());
    assert_eq!((whole.change, whole.all - whole.same), (None, "answermore".len() as u64));
    prompt.sections[0].1 = "a painter";
    let broken = overlap(&before, &prompt.sent());
    assert_eq!(broken.change.and_then(|change| change.name).as_deref(), Some("role"));
    assert!(broken.same > 0 && broken.same < whole.same);
}

//! When the provider is the reason that less was read.

use super::*;

#[test]
fn the_provider_is_blamed_only_where_it_is_certain() {
    let blamed = |rules: CacheRules, first: Usage, second: Usage| {
        let (mut run, prompt) = (Run::default(), prompt());
        run.step(&prompt, first, rules);
        let broken = run.step(&prompt, second, rules).unwrap().broken_by;
        broken.map(|broken| (broken.kind, broken.name, broken.tokens))
    };
    let provider = |tokens| Some((CacheBreakKind::Provider, None, tokens));
    assert_eq!(blamed(OPENAI, usage(5000, 0), usage(6000, 0)), provider(4992));
    assert_eq!(blamed(OPENAI, usage(5000, 0), usage(6000, 4608)), provider(384));
    // A block less is nothing, and neither is a twentieth.
    assert_eq!(blamed(OPENAI, usage(5000, 0), usage(6000, 4864)), None);
    assert_eq!(blamed(OPENAI, usage(50_000, 0), usage(60_000, 48_000)), None);
    let silent = Usage { cached_input_tokens: None, ..usage(6000, 0) };
    assert_eq!(blamed(OPENAI, usage(5000, 0), silent), None);
    let uncounted = Usage { has_cache_count: false, ..usage(6000, 0) };
    assert_eq!(blamed(OPENAI, usage(5000, 0), uncounted), None);
    // A count that is left out is 0 where there was one before.
    assert_eq!(blamed(OPENAI, usage(5000, 1024), uncounted), provider(4992));
    let unknown = CacheRules { certainty: CacheCertainty::BestEffort, ..OPENAI };
    assert_eq!(blamed(unknown, usage(5000, 0), usage(6000, 0)), None);
    assert_eq!(blamed(unknown, usage(5000, 1024), usage(6000, 0)), provider(4992));
    let hidden = CacheRules { certainty: CacheCertainty::Unknown, ..OPENAI };
    let uncounted_first = Usage { has_cache_count: false, ..usage(5000, 0) };
    assert_eq!(blamed(hidden, uncounted_first, usage(6000, 0)), None);
    assert_eq!(blamed(hidden, usage(5000, 1024), uncounted), provider(4992));
    let forgetful = CacheRules { tolerance: 50, ..OPENAI };
    assert_eq!(blamed(forgetful, usage(5000, 0), usage(6000, 2560)), None);
    assert_eq!(blamed(forgetful, usage(5000, 0), usage(6000, 2432)), provider(2560));
}

#[test]
fn nothing_is_expected_of_an_unknown_cache_before_it_was_counted() {
    let rules = CacheRules { certainty: CacheCertainty::Unknown, ..OPENAI };
    let (mut run, mut prompt) = (Run::default(), prompt());
    let uncounted = Usage { has_cache_count: false, ..usage(5000, 0) };
    run.step(&prompt, uncounted, rules);
    prompt.sections[0].1 = "a painter";
    assert_eq!(run.step(&prompt, uncounted, rules), Some(StepCache::default()));
    prompt.sections[0].1 = "a singer";
    let cache = run.step(&prompt, usage(5000, 0), rules).unwrap();
    assert_eq!((cache.expected, cache.broken_by.unwrap().kind), (4992, CacheBreakKind::Section));
}

#[test]
fn the_provider_is_not_blamed_after_a_request_that_was_not_counted() {
    let (mut run, prompt) = (Run::default(), prompt());
    run.step(&prompt, usage(5000, 0), OPENAI);
    // The counts of an answer with searches are sums over several requests.
    run.conversation.add(prompt.sent(), &usage(40_000, 20_000), &OPENAI, cost);
    run.conversation.end_step();
    assert_eq!(run.step(&prompt, usage(6000, 0), OPENAI).unwrap().broken_by, None);
    assert!(run.step(&prompt, usage(6000, 0), OPENAI).unwrap().broken_by.is_some());
}

#[test]
fn what_one_model_reports_says_nothing_of_another() {
    let (mut run, mut prompt) = (Run::default(), prompt());
    run.step(&prompt, usage(5000, 1024), OPENAI);
    prompt.model = "lab:m";
    let uncounted = Usage { has_cache_count: false, ..usage(6000, 0) };
    let unknown = CacheRules { certainty: CacheCertainty::Unknown, ..OPENAI };
    for _ in 0..2 {
        assert_eq!(run.step(&prompt, uncounted, unknown), Some(StepCache::default()));
    }
}

#[test]
fn after_a_change_of_one_step_the_step_before_it_counts() {
    let blamed = |counted: bool| {
        let (mut run, mut prompt) = (Run::default(), prompt());
        let sent = SentPrompt { input_tokens: counted.then_some(5000), ..prompt.sent() };
        run.conversation.add(sent, &usage(5000, 0), &OPENAI, cost);
        prompt.answered();
        run.conversation.end_step();
        let section = std::mem::replace(&mut prompt.sections[0].1, "a painter");
        run.step(&prompt, usage(5000, 0), OPENAI);
        prompt.sections[0].1 = section;
        run.step(&prompt, usage(6000, 0), OPENAI).unwrap().broken_by.map(|broken| broken.kind)
    };
    assert_eq!((blamed(false), blamed(true)), (None, Some(CacheBreakKind::Provider)));
}

#[test]
fn thoughts_that_a_provider_leaves_out_are_no_loss() {
    let (mut run, prompt) = (Run::default(), prompt());
    let thought = ContentPart::Reasoning { text: "hm".into(), provider_options: None };
    prompt.history.push(Message::parts(Role::Assistant, vec![thought, ContentPart::text("answer")]));
    run.step(&prompt, usage(5000, 0), OPENAI);
    prompt.history.push(Message::text(Role::User, "and now?"));
    assert_eq!(run.step(&prompt, usage(5000, 1024), OPENAI).unwrap().broken_by, None);
}

#[test]
fn settings_that_may_matter_are_named_in_place_of_the_provider() {
    let step = |read| {
        let (mut run, mut prompt) = (Run::default(), prompt());
        run.step(&prompt, usage(5000, 0), OPENAI);
        prompt.settings.reasoning = Some(Reasoning::High);
        run.step(&prompt, usage(6000, read), OPENAI).unwrap().broken_by.map(|broken| (broken.kind, broken.name))
    };
    assert_eq!(step(0), Some((CacheBreakKind::Settings, Some("reasoning".to_owned()))));
    assert_eq!(step(4864), None);
}

#[test]
fn another_process_starts_without_blame() {
    let prompt = prompt();
    let before = SentPrompt { input_tokens: Some(5000), ..prompt.sent() };
    let mut run = Run { conversation: CacheConversation::resumed(Some(before.clone())) };
    let cache = run.step(&prompt, usage(6000, 0), OPENAI).unwrap();
    assert_eq!((cache.expected, cache.broken_by), (4992, None));
    assert!(run.step(&prompt, usage(7000, 0), OPENAI).unwrap().broken_by.is_some());
    // Its parts are not known, but where the text differs is.
    let mut prompt = prompt.clone();
    let messages = before.messages.clone().with_system_parts(Rc::default());
    let mut run = Run { conversation: CacheConversation::resumed(Some(SentPrompt { messages, ..before })) };
    prompt.sections[1].1 = "long";
    assert_eq!(run.broken(&prompt), Some((CacheBreakKind::Section, Some("style".to_owned()))));
    let mut first = Run { conversation: CacheConversation::resumed(None) };
    assert_eq!(first.step(&prompt, usage(5000, 0), OPENAI), None);
}

//! Wrong usage of `map --batch`, found before any request.

use super::{Lab, MAP};
use crate::{
    rows::echo,
    support::{Outcome, batches::Dialect},
};

#[test]
fn options_that_do_not_fit_are_wrong_usage() {
    let lab = Lab::new(Dialect::OpenAi, 2, "plain");
    let rows = "map p.lmt.mjs --input rows.jsonl";
    for (arguments, words) in [
        (format!("{rows} --batch"), "-o"),
        (format!("{rows} -o out.jsonl --batch=last"), "first"),
        (format!("{rows} -o out.jsonl --batch --on http://127.0.0.1:1"), "--on"),
        (format!("{rows} -o out.jsonl --no-wait"), "--batch"),
        (format!("{rows} -o out.jsonl --poll 1s"), "--batch"),
        (format!("{rows} -o out.jsonl --batch-size 2"), "--batch"),
        (format!("{rows} -o out.jsonl --batch --batch-size 0"), "--batch-size"),
        (format!("{rows} -o out.jsonl --batch --poll 0"), "--poll"),
        (format!("{rows} -o out.jsonl --batch --poll soon"), "--poll"),
        ("map --cancel".to_owned(), "--cancel"),
        (format!("{rows} --cancel out.jsonl"), "--cancel"),
    ] {
        let outcome = Outcome::of(&mut lab.command_of(&arguments));
        assert_eq!(outcome.code, 2, "{arguments}: {outcome:?}");
        assert!(outcome.stderr.contains(words), "{arguments}: {outcome:?}");
    }
    assert_eq!((lab.server.seen().len(), lab.folder.path("out.jsonl").exists()), (0, false));
}

#[test]
fn a_provider_without_batches_is_named_before_any_request() {
    let lab = Lab::new(Dialect::OpenAi, 2, "plain");
    let with_variables = |model: &str| {
        let mut command = lab.folder.command(&format!("{MAP} -m {model}"));
        command.env("LAB_API_BASE", format!("http://{}/v1", lab.server.address)).env("LAB_API_TYPE", "openai");
        command.env("DEEPSEEK_API_KEY", "k").env("DEEPSEEK_BASE_URL", format!("http://{}/v1", lab.server.address));
        command.envs(lab.server.variables());
        Outcome::of(&mut command)
    };
    for (model, name) in [("lab:m", "lab"), ("deepseek:deepseek-chat", "deepseek")] {
        let outcome = with_variables(model);
        assert_eq!(outcome.code, 2, "{model}: {outcome:?}");
        for word in [name, "openai", "azure", "anthropic", "google", "mistral", "groq"] {
            assert!(outcome.stderr.contains(word), "{model} {word}: {outcome:?}");
        }
    }
    assert_eq!(lab.server.seen().len(), 0);
    // The file's own model, and a mock.
    let folder = echo(&["a"]);
    let outcome = folder.run("map p.lmt.mjs --input rows.jsonl -o out.jsonl --batch");
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert!(outcome.stderr.contains("mock") && outcome.stderr.contains("anthropic"), "{outcome:?}");
    assert!(!folder.path("out.jsonl").exists());
}

#[test]
fn nothing_is_submitted_when_the_state_cannot_be_written() {
    let lab = Lab::new(Dialect::OpenAi, 2, "plain");
    // Also root cannot write a folder.
    std::fs::create_dir(lab.folder.path("out.jsonl.batches")).unwrap();
    let outcome = lab.map("");
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(outcome.stderr.contains("out.jsonl.batches"), "{outcome:?}");
    assert_eq!(lab.server.seen().len(), 0);
}

#[test]
fn a_missing_key_is_named() {
    let lab = Lab::new(Dialect::OpenAi, 2, "plain");
    let mut command = lab.command("");
    command.env_remove("OPENAI_API_KEY");
    let outcome = Outcome::of(&mut command);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(outcome.stderr.contains("OPENAI_API_KEY"), "{outcome:?}");
    assert_eq!(lab.server.seen().len(), 0);
}

#[test]
fn without_a_key_nothing_is_left_that_other_commands_would_wait_for() {
    let lab = Lab::new(Dialect::OpenAi, 2, "plain");
    let mut command = lab.command_of(&format!("{MAP} -m {}", lab.server.model()));
    let outcome = Outcome::of(command.env_remove("OPENAI_API_KEY"));
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(outcome.stderr.contains("2 not run") && outcome.stderr.contains("OPENAI_API_KEY"), "{outcome:?}");
    assert_eq!((lab.server.seen().len(), lab.folder.path("out.jsonl.batches").exists()), (0, false));
}

//! Limits of resumed runs (docs/reference/limits.md): limits of the file count from the start of the run, limits of
//! the command line from the start of that command.

use serde_json::json;

use crate::support::resume::{
    PRELUDE, Place,
    provider::{Provider, Turn},
};

/// A model that always calls its tool and uses 12 tokens a step.
fn forever(config: &str) -> Place {
    let source = format!(
        "{PRELUDE}export const config = {{ model: 'lab:m', {config} }};
        export default ({{ $, defTool }}) => {{
          defTool('look', 'l', none, () => 'seen');
          $`You are who=root.`;
        }};"
    );
    Place::new(
        &source,
        Provider::start(|conversation| Turn::default().call(&format!("c{}", conversation.step), "look", &json!({}))),
    )
}

/// Runs into a limit; returns stderr.
fn limited(place: &Place, arguments: &str) -> String {
    let ended = place.run(arguments);
    assert_eq!(ended.code, 4, "{ended:?}");
    ended.stderr
}

#[test]
fn what_was_used_before_counts_for_the_limits_of_the_file() {
    let place = forever("limits: { steps: 5 }");
    limited(&place, "run --journal --max-steps 2 p.lmt.mjs");
    let message = limited(&place, "resume last");
    let words =
        "step limit of 5 steps: 5 steps were used (2 before the run was resumed). Set config.limits.steps higher";
    assert!(message.contains(words), "{message}");
    // It stays reached.
    let message = limited(&place, "resume last");
    assert!(message.contains("5 steps were used (5 before the run was resumed)"), "{message}");
    assert_eq!(place.provider.count(), 5);
    let object = place.run("resume last -f json").object();
    assert_eq!((&object["steps"], &object["usage"]["inputTokens"]), (&json!(5), &json!(50)));
}

#[test]
fn what_is_typed_counts_from_there() {
    let place = forever("limits: { tokens: 1000 }");
    limited(&place, "run --journal --max-steps 2 p.lmt.mjs");
    let message = limited(&place, "resume last --max-steps 3");
    let words = "step limit of 3 steps: 3 steps were used since the run was resumed. Set --max-steps higher";
    assert!(message.contains(words), "{message}");
    let message = limited(&place, "resume last --max-tokens 30");
    assert!(
        message.contains("token limit of 30 tokens: ") && message.contains("since the run was resumed"),
        "{message}"
    );
    assert!(place.provider.count() <= 8);
}

#[test]
fn money_that_was_spent_before_counts() {
    let place = forever("limits: { cost: 0.0001 }, prices: { 'lab:m': { input: 1, output: 2 } }");
    limited(&place, "run --journal --max-steps 3 p.lmt.mjs");
    let message = limited(&place, "resume last");
    assert!(message.contains("in 3 steps before the run was resumed"), "{message}");
    let object = place.run("resume last -f json").object();
    let (cost, count) = (object["cost"].as_f64().unwrap(), place.provider.count());
    assert!((cost - 14e-6 * f64::from(u32::try_from(count).unwrap())).abs() < 1e-9, "{object} {count}");
}

#[test]
fn time_that_a_run_was_at_work_counts() {
    let place = forever("limits: { time: '1h' }");
    let source = std::fs::read_to_string(place.folder.path("p.lmt.mjs")).unwrap();
    let slow = source.replace("() => 'seen'", "() => new Promise((resolve) => setTimeout(() => resolve('seen'), 150))");
    place.folder.write("p.lmt.mjs", &slow);
    let mut began = std::time::Instant::now();
    limited(&place, "run --journal --max-steps 2 p.lmt.mjs");
    let first = began.elapsed().as_millis();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    began = std::time::Instant::now();
    let object = place.run("resume last --max-steps 1 -f json").object();
    // The time between the commands does not count.
    let (both, last) = (object["durationMs"].as_u64().unwrap(), began.elapsed().as_millis());
    assert!(both >= 450 && u128::from(both) <= first + last, "{both} {first} {last}");
    // More was used already than the new limit allows.
    place.folder.write("p.lmt.mjs", &slow.replace("'1h'", "200"));
    let message = limited(&place, "resume last");
    assert!(message.contains("time limit of 200 ms: 3 steps and 36 tokens were used until then ("), "{message}");
    assert!(message.contains(" of the time before the run was resumed). Set config.limits.time higher"), "{message}");
    assert_eq!(place.provider.count(), 3);
}

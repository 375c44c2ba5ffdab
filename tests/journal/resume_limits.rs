//! Limits of resumed runs (docs/reference/limits.md): limits of the file count from the start of the run, limits of
//! the command line from the start of that command.

use serde_json::json;

use crate::support::resume::{
    PRELUDE, Project,
    provider::{Provider, Turn},
};

/// A model that always calls its tool and uses 12 tokens a step.
fn forever(config: &str) -> Project {
    let source = format!(
        "{PRELUDE}export const config = {{ model: 'lab:m', {config} }};
        export default ({{ $, defTool }}) => {{
          defTool('look', 'l', none, () => 'seen');
          $`You are who=root.`;
        }};"
    );
    Project::new(
        &source,
        Provider::start(|conversation| Turn::default().call(&format!("c{}", conversation.step), "look", &json!({}))),
    )
}

/// Runs into a limit; returns stderr.
fn limited(project: &Project, arguments: &str) -> String {
    let outcome = project.run(arguments);
    assert_eq!(outcome.code, 4, "{outcome:?}");
    outcome.stderr
}

#[test]
fn usage_before_the_interruption_counts_for_the_limits_of_the_file() {
    let project = forever("limits: { steps: 5 }");
    limited(&project, "run --journal --max-steps 2 p.lmt.mjs");
    let message = limited(&project, "resume last");
    let words =
        "step limit of 5 steps: 5 steps were used (2 before the run was resumed). Set config.limits.steps higher";
    assert!(message.contains(words), "{message}");
    // It stays reached.
    let message = limited(&project, "resume last");
    assert!(message.contains("5 steps were used (5 before the run was resumed)"), "{message}");
    assert_eq!(project.provider.count(), 5);
    let object = project.run("resume last -f json").object();
    assert_eq!((&object["steps"], &object["usage"]["inputTokens"]), (&json!(5), &json!(50)));
}

#[test]
fn limits_of_the_command_line_count_from_its_start() {
    let project = forever("limits: { tokens: 1000 }");
    limited(&project, "run --journal --max-steps 2 p.lmt.mjs");
    let message = limited(&project, "resume last --max-steps 3");
    let words = "step limit of 3 steps: 3 steps were used since the run was resumed. Set --max-steps higher";
    assert!(message.contains(words), "{message}");
    let message = limited(&project, "resume last --max-tokens 30");
    assert!(
        message.contains("token limit of 30 tokens: ") && message.contains("since the run was resumed"),
        "{message}"
    );
    assert!(project.provider.count() <= 8);
}

#[test]
fn money_that_was_spent_before_counts() {
    let project = forever("limits: { cost: 0.0001 }, prices: { 'lab:m': { input: 1, output: 2 } }");
    limited(&project, "run --journal --max-steps 3 p.lmt.mjs");
    let message = limited(&project, "resume last");
    assert!(message.contains("in 3 steps before the run was resumed"), "{message}");
    let object = project.run("resume last -f json").object();
    let (cost, count) = (object["cost"].as_f64().unwrap(), project.provider.count());
    assert!((cost - 14e-6 * f64::from(u32::try_from(count).unwrap())).abs() < 1e-9, "{object} {count}");
}

#[test]
fn time_that_a_run_was_at_work_counts() {
    let project = forever("limits: { time: '1h' }");
    let source = std::fs::read_to_string(project.folder.path("p.lmt.mjs")).unwrap();
    let slow = source.replace("() => 'seen'", "() => new Promise((resolve) => setTimeout(() => resolve('seen'), 150))");
    project.folder.write("p.lmt.mjs", &slow);
    let mut began = std::time::Instant::now();
    limited(&project, "run --journal --max-steps 2 p.lmt.mjs");
    let first = began.elapsed().as_millis();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    began = std::time::Instant::now();
    let object = project.run("resume last --max-steps 1 -f json").object();
    // The time between the commands does not count.
    let (both, last) = (object["durationMs"].as_u64().unwrap(), began.elapsed().as_millis());
    assert!(both >= 450 && u128::from(both) <= first + last, "{both} {first} {last}");
    // More was used already than the new limit allows.
    project.folder.write("p.lmt.mjs", &slow.replace("'1h'", "200"));
    let message = limited(&project, "resume last");
    assert!(message.contains("time limit of 200 ms: 3 steps and 36 tokens were used until then ("), "{message}");
    assert!(message.contains(" of the time before the run was resumed). Set config.limits.time higher"), "{message}");
    assert_eq!(project.provider.count(), 3);
}

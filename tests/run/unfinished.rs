//! Usage and cost of answers that were cut off (docs/reference/cost.md, docs/reference/limits.md).

use serde_json::{Value, json};

use crate::support::{Folder, Outcome};

/// `model(parts)` answers with what a generator yields. A million tokens cost 1 dollar as input, 100 as output.
const MODELS: &str = "
import { runPrompt } from 'lmthing';
const model = (parts) => ({ provider: 'p', modelId: 'm', doStream: async () => ({ stream: parts() }) });
const text = (delta) => ({ type: 'text-delta', id: '0', delta });
const finish = (inputTokens, outputTokens) => ({ type: 'finish', finishReason: 'error', usage: { inputTokens, outputTokens } });
const waits = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const prices = { 'p:m': { input: 1, output: 100 } };
";

fn run(source: &str, options: &str) -> Outcome {
    Folder::of(&format!("{MODELS}{source}")).run(&format!("run {options} p.lmt.mjs"))
}

/// Input tokens, output tokens and cost of the whole run.
fn used(outcome: &Outcome) -> [Value; 3] {
    let object = outcome.object();
    [&object["usage"]["inputTokens"], &object["usage"]["outputTokens"], &object["cost"]].map(Value::clone)
}

/// Calls a model eight times, and the file's own once.
fn eight(parts: &str, limit: u64) -> String {
    format!(
        "export const config = {{ model: 'mock', limits: {{ tokens: {limit} }}, prices }};
        export const mock = [{{ type: 'text', text: 'over' }}];
        const bad = model(async function* () {{ {parts} }});
        export default async ({{ $ }}) => {{
          for (let i = 0; i < 8; i++) {{
            try {{
              await (await runPrompt(({{ $ }}) => {{ $`${{'word'.repeat(100)}}`; }}, {{ model: bad }})).result.text;
            }} catch (error) {{ console.log(error.name); }}
          }}
          $`over`;
        }};"
    )
}

#[test]
fn answers_that_fail_count() {
    // The provider's own counts.
    let reported =
        eight("yield text('x'); yield finish(600, 100); yield { type: 'error', error: new Error('boom') };", 1000);
    let outcome = run(&reported, "-f json");
    assert_eq!((outcome.code, outcome.stderr.matches("ProviderError\n").count()), (4, 2), "{outcome:?}");
    assert_eq!(used(&outcome), [json!(1200), json!(200), json!(0.0212)]);
    // Estimated from the lengths of request and answer.
    let guessed = eight("yield text('word'.repeat(300)); throw new Error('boom');", 900);
    let outcome = run(&guessed, "-f json");
    assert_eq!((outcome.code, outcome.stderr.matches("ProviderError\n").count()), (4, 2), "{outcome:?}");
    assert_eq!(used(&outcome), [json!(200), json!(600), json!(0.0602)]);
    assert!(outcome.stderr.contains("about 800 tokens were used in 2 steps"), "{outcome:?}");
    // Nothing is charged before the first part of an answer.
    let refused = eight("yield { type: 'stream-start', warnings: [] }; throw new Error('down');", 200);
    let outcome = run(&refused, "-f json");
    assert_eq!((outcome.code, outcome.stderr.matches("ProviderError\n").count()), (0, 8), "{outcome:?}");
    assert_eq!(used(&outcome), [json!(0), json!(0), json!(0.0)]);
}

/// Yields `word` 50 times, then stalls.
const STALLS: &str = "
const slow = model(async function* () { yield text('word'.repeat(50)); await waits(60_000); });
";

#[test]
fn truncated_answers_are_reported() {
    let own = "export const config = { model: slow, prices }; export default ({ $ }) => { $`four`; };";
    let outcome = run(&format!("{STALLS}{own}"), "-f json --timeout 400ms");
    assert_eq!((outcome.code, used(&outcome)), (4, [json!(1), json!(50), json!(0.005001)]), "{outcome:?}");
    let aborted = "export const config = { model: 'mock', prices }; export const mock = [{ type: 'text', text: 'x' }];
        export default async ({ $ }) => {
          const signal = AbortSignal.timeout(200);
          const { result } = await runPrompt(({ $ }) => { $`four`; }, { model: slow, options: { abortSignal: signal } });
          await result.text.catch((error) => console.log(error.name));
          $`x`;
        };";
    // Its timer keeps the process alive.
    let stalls = STALLS.replace("60_000", "1000");
    let outcome = run(&format!("{stalls}{aborted}"), "-f json");
    assert_eq!((outcome.code, used(&outcome)), (0, [json!(1), json!(50), json!(0.005001)]), "{outcome:?}");
    // Also if the stream is not dropped.
    let exits = "export const config = { model: slow, prices };
        export default ({ $ }) => { setTimeout(() => process.exit(7), 300); $`four`; };";
    let outcome = run(&format!("{STALLS}{exits}"), "-f json");
    assert_eq!((outcome.code, used(&outcome)), (7, [json!(1), json!(50), json!(0.005001)]), "{outcome:?}");
    let unpriced = own.replace(", prices", "");
    let outcome = run(&format!("{STALLS}{unpriced}"), "-f json --timeout 400ms");
    assert_eq!(used(&outcome), [json!(1), json!(50), Value::Null], "{outcome:?}");
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_what_was_used() {
    let own = "export const config = { model: slow, prices }; export default ({ $ }) => { $`four`; };";
    let folder = Folder::of(&format!("{MODELS}{STALLS}{own}"));
    let mut running = folder.start("run -f events p.lmt.mjs");
    running.wait_for("text-delta", 1);
    running.signal("INT");
    let last = running.end().events().last().unwrap().clone();
    assert_eq!((&last["usage"]["outputTokens"], &last["cost"]), (&json!(50), &json!(0.005001)), "{last}");
}

#[test]
fn requests_in_flight_count_by_their_length() {
    let many = "
        let asked = 0;
        const slow = model(async function* () { asked++; await waits(100); yield text('x'); yield finish(100, 1); });
        export const config = { model: 'mock', limits: { tokens: 1000 } };
        export const mock = [];
        export default async ({ $ }) => {
          const one = async () => (await runPrompt(({ $ }) => { $`${'word'.repeat(300)}`; }, { model: slow })).result.text;
          await Promise.allSettled(Array.from({ length: 8 }, one));
          console.log(asked);
        };";
    let outcome = run(many, "");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (4, "3\n"), "{outcome:?}");
    assert!(outcome.stderr.contains(", and the next request has about 300 tokens. Set --max-tokens"), "{outcome:?}");
}

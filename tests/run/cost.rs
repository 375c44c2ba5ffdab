//! The cost of runs (docs/reference/cost.md).

use serde_json::Value;

use crate::{
    helpers::{run, serve, turn},
    support::{Folder, Outcome, lmthing},
};

const TABLE: &str = r#"{"lab:m": {"input": 10, "cachedInput": 1, "output": 20}}"#;

/// Prints `[result.cost, result.totalCost, the cost of each step]` of a run with one tool call, which has two steps.
fn costs(model: &str, config: &str) -> String {
    format!(
        "import {{ runPrompt }} from 'lmthing';
        import {{ z }} from 'zod';
        export const config = {{ model: 'mock', {config} }};
        export const mock = [{{ type: 'text', text: '' }}];
        export default async () => {{
          const {{ result }} = await runPrompt(({{ $, defTool }}) => {{
            defTool('look', 'Looks.', z.object({{}}), () => 1);
            $`Go.`;
          }}, {{ model: '{model}' }});
          const steps = await result.steps;
          console.log(JSON.stringify([await result.cost, await result.totalCost, ...steps.map((step) => step.cost)]));
        }};"
    )
}

fn reported(model: &str, config: &str, usage: Option<(u64, u64, u64)>, variables: &[(&str, &str)]) -> Value {
    let (address, _) = serve(move |body| {
        let is_over = body["messages"].as_array().unwrap().len() > 1;
        turn(&["x"], !is_over, usage)
    });
    let output = run(&costs(model, config), &[], &address, variables);
    assert_eq!(output.code, 0, "{}", output.stderr);
    serde_json::from_str(output.stdout.lines().next().unwrap()).unwrap()
}

fn are_near(costs: &Value, expected: [f64; 4]) -> bool {
    let found = costs.as_array().unwrap().iter().map(|cost| cost.as_f64().unwrap());
    found.zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12)
}

#[test]
fn every_step_has_its_cost() {
    // 100 plain tokens, 400 cached, 50 of output.
    let usage = Some((500, 400, 50));
    let one = (100.0 * 10.0 + 400.0 + 50.0 * 20.0) / 1e6;
    for (config, variables) in [
        (format!("prices: {TABLE}"), vec![]),
        (String::new(), vec![("LMTHING_PRICES", TABLE)]),
        (format!("prices: {TABLE}"), vec![("LMTHING_PRICES", r#"{"lab:m": {"input": 1, "output": 1}}"#)]),
    ] {
        let found = reported("lab:m", &config, usage, &variables);
        assert!(are_near(&found, [one, 2.0 * one, one, one]), "{found}");
    }
    assert!(are_near(&reported("lab:other", "", usage, &[]), [0.0; 4]));
    assert!(are_near(&reported("lab:m", "", None, &[]), [0.0; 4]));
    assert_eq!(reported("lab:m", &format!("prices: {TABLE}"), None, &[]), serde_json::json!([null, null, null, null]));
}

#[test]
fn wrong_tables_and_unknown_prices_are_refused_before_the_first_request() {
    let (address, requests) = serve(|_| turn(&["x"], false, Some((1, 0, 1))));
    let script = |model: &str, config: &str| {
        format!("export const config = {{ model: '{model}', {config} }}; export default ({{ $ }}) => {{ $`Go.`; }};")
    };
    for (script, options, variables, words) in [
        (script("openai:gpt-x", ""), vec!["--max-cost", "1"], "", "The price of openai:gpt-x is not known"),
        (script("openai:gpt-x", "limits: { cost: 1 }"), vec![], "", "or in LMTHING_PRICES, such as {\"openai:gpt-x\":"),
        (script("lab:m", "prices: { 'lab:m': { inptu: 1 } }"), vec![], "", "did you mean \"input\"?"),
        (script("lab:m", "prices: { 'lab:m': { input: -1, output: 1 } }"), vec![], "", "[\"lab:m\"].input is -1"),
        (script("lab:m", "prices: []"), vec![], "", "config.prices must be an object"),
        (script("lab:m", ""), vec![], "{\"lab:m\"", "LMTHING_PRICES must be JSON such as"),
        (script("lab:m", ""), vec![], "nowhere.json", "cannot read \"nowhere.json\""),
    ] {
        let output = run(&script, &options, &address, &[("LMTHING_PRICES", variables)]);
        assert_eq!(output.code, 2, "{}", output.stderr);
        assert!(output.stderr.contains(words), "{}", output.stderr);
    }
    assert!(requests.lock().unwrap().is_empty());
    let output = run(&script("lab:m", ""), &["--max-cost", "0"], &address, &[]);
    assert_eq!(output.code, 0, "what is free needs no money: {}", output.stderr);
}

#[test]
fn prices_are_listed() {
    let list = |arguments: &[&str]| {
        let mut command = lmthing();
        command.args(["models", "--prices"]).args(arguments).env_clear().env("LMTHING_PRICES", TABLE);
        Outcome::of(&mut command)
    };
    let text = list(&[]).stdout;
    assert!(text.starts_with("US dollars per million tokens (genai-prices 0."), "{text}");
    assert!(text.lines().any(|line| line.starts_with("lab:m ") && line.ends_with("  own")), "{text}");
    assert!(text.lines().any(|line| line.starts_with("bedrock:")), "{text}");
    let found: Value = list(&["--json", "openai:", "gpt-4o-mini"]).object();
    let mini = found["prices"].as_array().unwrap().iter().find(|price| price["model"] == "openai:gpt-4o-mini").unwrap();
    assert_eq!((&mini["input"], &mini["output"], &mini["own"]), (&0.15.into(), &0.6.into(), &false.into()));
    let table = r#"{"openai:gpt-4o-mini": {"webSearch": 10}, "openai:gpt-4o": {"batch": {"input": 1, "output": 4}},
        "lab:m": {"input": 1, "output": 4, "flex": {"input": 0.5, "output": 2}, "batch": 0.4, "webSearch": 2.5}}"#;
    let with_searches = |arguments: &[&str]| {
        let mut command = lmthing();
        command.args(["models", "--prices"]).args(arguments).env_clear().env("LMTHING_PRICES", table);
        Outcome::of(&mut command)
    };
    let text = with_searches(&[]).stdout;
    assert!(text.lines().any(|line| line.ends_with("  own, flex, batches times 0.4, 2.5 per 1000 searches")), "{text}");
    let found: Value = with_searches(&["--json", "openai:gpt-4o-mini"]).object();
    let mini = found["prices"].as_array().unwrap().iter().find(|price| price["model"] == "openai:gpt-4o-mini").unwrap();
    assert_eq!((&mini["input"], &mini["webSearch"], &mini["own"]), (&0.15.into(), &10.0.into(), &true.into()));
    let found: Value = with_searches(&["--json"]).object();
    let batch = |model: &str| {
        found["prices"].as_array().unwrap().iter().find(|price| price["model"] == model).unwrap()["batch"].clone()
    };
    let rates = serde_json::json!({ "input": 1.0, "cachedInput": 1.0, "cacheWrite": 1.0, "output": 4.0 });
    assert_eq!([batch("lab:m"), batch("openai:gpt-4o"), batch("openai:gpt-4o-mini")], [0.4.into(), rates, Value::Null]);
    let nothing = list(&["gpt4o"]);
    assert_eq!(nothing.code, 1);
    assert!(nothing.stderr.contains("Did you mean 'gpt-4o'?"), "{}", nothing.stderr);
}

#[test]
fn every_listed_model_has_its_price_under_that_name() {
    let list = Outcome::of(lmthing().args(["models", "--prices", "--json"]).env_clear()).object();
    let whole = |price: &&Value| price["input"].is_number() && price["output"].is_number();
    let models: Vec<&Value> =
        list["prices"].as_array().unwrap().iter().filter(whole).map(|price| &price["model"]).collect();
    assert!(models.len() > 1000, "{}", models.len());
    let script = format!(
        "import {{ runPrompt }} from 'lmthing';
        export const config = {{ model: 'mock' }}; export const mock = [];
        const finish = {{ type: 'finish', finishReason: 'stop', usage: {{ inputTokens: 9, outputTokens: 9 }} }};
        export default async () => {{
          for (const name of {models}) {{
            const colon = name.indexOf(':');
            const model = {{ provider: name.slice(0, colon), modelId: name.slice(colon + 1), doStream: async () => ({{ stream: [finish] }}) }};
            const {{ result }} = await runPrompt(({{ $ }}) => {{ $`x`; }}, {{ model }});
            if (await result.cost === null) console.log(name);
          }}
        }};",
        models = serde_json::to_string(&models).unwrap()
    );
    let output = run(&script, &[], "http://127.0.0.1:9/v1", &[]);
    assert_eq!((output.code, output.stdout.as_str()), (0, ""), "{}", output.stderr);
}

#[test]
fn prices_of_a_file_are_for_its_own_prompts() {
    let model = |provider: &str, id: &str| {
        format!(
            "{{ provider: '{provider}', modelId: '{id}', doStream: async () => ({{ stream: [
              {{ type: 'finish', finishReason: 'stop', usage: {{ inputTokens: 1e6, outputTokens: 0 }} }}] }}) }}"
        )
    };
    let inner = format!(
        "import {{ runPrompt }} from 'lmthing';
        const other = {};
        export const config = {{ model: {}, prices: {{
          'openai:gpt-4o': {{ input: 0, output: 0 }}, 'q:m': {{ input: 7, output: 0 }}, 'lab:m': {{ input: 9, output: 0 }} }} }};
        export default async ({{ $ }}) => {{
          const {{ result }} = await runPrompt(({{ $ }}) => {{ $`x`; }}, {{ model: other }});
          console.log(await result.cost);
          $`x`;
        }};",
        model("q", "m"),
        model("lab", "m"),
    );
    let outer = format!(
        "import {{ run }} from 'lmthing';
        export const config = {{ model: {}, prices: {{ 'lab:m': {{ input: 3, output: 0 }} }} }};
        export default async ({{ $ }}) => {{
          const {{ result }} = await run('./inner.lmt.mjs');
          console.log(await result.cost);
          $`x`;
        }};",
        model("openai", "gpt-4o"),
    );
    let folder = Folder::new(&[("inner.lmt.mjs", &inner), ("outer.lmt.mjs", &outer)]);
    let output = Outcome::of(&mut folder.bare_command("run -f json outer.lmt.mjs"));
    assert_eq!(output.stderr, "7\n3\n");
    let object = output.object();
    // 7 and 3 dollars by the files' own prices, 2.5 by the table.
    assert_eq!(object["cost"], 12.5);
}

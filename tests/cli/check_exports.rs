//! Findings of `lmthing check` in the exports of a prompt file: every key and value that `run` refuses or ignores,
//! each at its line.

use crate::{
    findings::Finding,
    support::{Folder, Outcome},
};

/// Exit code and findings for a file with this name and source.
fn findings(name: &str, source: &str, variables: &[(&str, &str)]) -> (i32, Vec<Finding>) {
    let folder = Folder::new(&[(name, source)]);
    let mut command = folder.command(&format!("check --format json {name}"));
    for key in ["OPENAI_API_KEY", "OPENAI_BASE_URL", "LM_MODEL_FAST"] {
        command.env_remove(key);
    }
    let outcome = Outcome::of(command.envs(variables.iter().copied()));
    (outcome.code, Finding::all(&outcome))
}

/// The findings of one severity.
fn of<'a>(found: &'a [Finding], severity: &str) -> Vec<&'a Finding> {
    found.iter().filter(|finding| finding.severity == severity).collect()
}

/// Asserts exactly one error, at the line that ends in `// HERE`, with these words.
#[track_caller]
fn assert_error(source: &str, words: &str) {
    assert_found(source, "error", words);
}

#[track_caller]
fn assert_found(source: &str, severity: &str, words: &str) {
    let (code, found) = findings("p.lmt.mjs", source, &[("OPENAI_API_KEY", "sk-test")]);
    let line = source.lines().position(|line| line.ends_with("// HERE")).map_or(0, |line| line as u64 + 1);
    let there = of(&found, severity);
    let [finding] = there[..] else { panic!("one {severity} is due: {found:#?}\n{source}") };
    assert_eq!(finding.line, line, "{finding:?}\n{source}");
    assert!(finding.text().contains(words), "{words} in {finding:?}");
    assert_eq!(code, i32::from(severity == "error"), "{found:?}");
    if severity == "warning" {
        assert!(of(&found, "error").is_empty(), "{found:?}");
    }
}

#[track_caller]
fn assert_clean(source: &str) {
    let (code, found) = findings("p.lmt.mjs", source, &[]);
    assert_eq!((code, found.len()), (0, 0), "{found:#?}\n{source}");
}

const REST: &str =
    "export const mock = [{ type: 'text', text: 'Hi.' }];\nexport default async ({ $ }) => { $`go`; };\n";

/// A constant of type `any`.
const ANY: &str =
    r#"const any = JSON.parse('{"x":1,"s":"hot","h":1.5,"m":-1,"f":4,"l":[1],"o":{"x":1},"p":{"input":1}}');"#;

/// A file whose config has one more line.
fn with_config(line: &str) -> String {
    format!("export const config = {{\n  model: 'mock',\n  {line} // HERE\n}};\n{REST}")
}

/// A file whose config has one more option.
fn with_option(line: &str) -> String {
    format!(
        "{ANY}
export const config = {{
  model: 'mock',
  options: {{
    {line} // HERE
  }},
}};
{REST}"
    )
}

#[test]
fn unknown_keys_are_errors_at_their_lines() {
    for (line, words) in [
        ("temperature: 0.3,", "temperature"),
        ("optoins: {},", "optoins"),
        ("plugin: [],", "plugin"),
        ("mock: [],", "mock"),
        ("maxTokens: 5,", "maxTokens"),
        ("memoryBytes: 5,", "memoryBytes"),
        ("steps: 5,", "steps"),
        ("whatever: 5,", "whatever"),
    ] {
        assert_error(&with_config(line), words);
    }
    for (line, words) in [
        ("temprature: 0.3,", "temprature"),
        ("maxTokens: 5,", "maxTokens"),
        ("plugins: [],", "plugins"),
        ("model: 'mock',", "model"),
        ("onfinish: () => {},", "onfinish"),
    ] {
        assert_error(&with_option(line), words);
    }
}

#[test]
fn values_of_options_are_looked_at_one_by_one() {
    for (line, words) in [
        ("temperature: any.s,", "config.options.temperature must be a number, got 'hot'"),
        ("topK: any.l,", "config.options.topK must be a number, got an array"),
        ("maxOutputTokens: any.h,", "config.options.maxOutputTokens must be a whole number of at least 0, got 1.5"),
        ("maxSteps: any.m,", "config.options.maxSteps must be a whole number"),
        ("outputRetries: any.m,", "config.options.outputRetries must be a whole number"),
        ("seed: any.o,", "config.options.seed must be a number"),
        ("stopSequences: any,", "config.options.stopSequences must be an array of strings"),
        ("activeTools: [any.x],", "config.options.activeTools must be an array of strings"),
        ("system: any,", "config.options.system must be a string"),
        ("stopWhen: any.x,", "config.options.stopWhen must be a function"),
        ("onFinish: any,", "config.options.onFinish must be a function"),
        ("toolChoice: any.s,", "config.options.toolChoice must be 'auto', 'required', 'none'"),
        (
            "reasoning: any.s,",
            "config.options.reasoning must be 'off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'",
        ),
        ("cache: any.s,", "config.options.cache must be true, false or {ttl: '5m' | '1h' | 'long', key}, got 'hot'"),
        ("cache: { ttl: any.s },", "config.options.cache.ttl must be '5m', '1h' or 'long', got 'hot'"),
        ("cache: { key: any.h },", "config.options.cache.key must be a string of 1 to 64 characters"),
        ("cache: { ...any.o },", "config.options.cache has no 'x'"),
        ("headers: any.x,", "config.options.headers must be an object of strings"),
        ("timeout: { total: any.s },", "config.options.timeout.total must be a number"),
        ("timeout: any.m,", "config.options.timeout must be milliseconds of at least 0"),
        ("timeout: { ...any.o },", "config.options.timeout has no 'x'"),
        ("reasoning: { tokens: 5, ...any.o },", "config.options.reasoning has no 'x'"),
    ] {
        assert_error(&with_option(line), words);
    }
    assert_found(&with_option("temperature: any.f,"), "warning", "models take 0 to 2");
}

#[test]
fn several_mistakes_are_all_found() {
    let source = format!(
        "const any = JSON.parse('{{}}');\nexport const config = {{\n  model: 'mock',\n  options: {{ seed: any,\n    topP: any }},\n  \
         plugins: any,\n  sandbox: {{ cpu: 1,\n    cpuMs: -1 }},\n  limits: any.x ?? {{ step: 1 }},\n}};\n{REST}"
    );
    let (_, found) = findings("p.lmt.mjs", &source, &[]);
    let mut lines: Vec<u64> = of(&found, "error").iter().map(|finding| finding.line).collect();
    lines.sort_unstable();
    assert_eq!(lines, [4, 5, 6, 7, 8, 9], "{found:#?}");
}

#[test]
fn the_other_keys_of_config_are_looked_at() {
    for (line, words) in [
        ("options: any.x,", "config.options must be an object, got a number"),
        ("plugins: any,", "plugins: [plugin]"),
        ("plugins: [any.x],", "config.plugins[0] must be an object of functions, got a number"),
        ("plugins: [{ a() {} }, any.l],", "plugins: [...list]"),
        ("plugins: [any.y],", "config.plugins[0] must be an object of functions, got undefined"),
        ("plugins: [any.y ?? (() => any)],", "got a function"),
        ("plugins: [{ a() {} }, { ['def']() {} }],", "'def' is a method of every prompt"),
        ("sandbox: any.x,", "config.sandbox must be an object, got a number"),
        ("sandbox: { ...any.o },", "config.sandbox has no 'x'; known are check, cpuMs"),
        ("sandbox: { cpuMs: any.s },", "config.sandbox.cpuMs must be a whole number of at least 0, got \"hot\""),
        ("sandbox: { check: any.s },", "config.sandbox.check must be 'strict', 'essential' or 'off', got \"hot\""),
        ("sandbox: { memoryBytes: any.x },", "config.sandbox.memoryBytes is 1; it must be between"),
        ("limits: any.x,", "config.limits must be an object such as"),
        ("limits: { time: any.s },", "config.limits.time must be a time such as '90s'"),
        ("limits: { steps: any.m },", "config.limits.steps must be a whole number of steps"),
        ("limits: { ...any.o },", "config.limits.x is not known known are steps"),
        ("prices: any.x,", "config.prices must be an object such as"),
        ("prices: { ...any.o },", "config.prices[\"x\"] is no model"),
        ("prices: { 'lab:m': any.p },", "config.prices[\"lab:m\"].output is missing"),
    ] {
        assert_error(&format!("{ANY}\n{}", with_config(line)), words);
    }
    assert_found(&with_config("plugins: [{ ...process.argv0 && { name: 'x' } }],"), "warning", "has no functions");
}

#[test]
fn a_value_is_found_where_it_is_written() {
    let source = format!(
        "const any = JSON.parse('{{}}');\nconst base = {{\n  seed: any, // HERE\n}};\nexport const config = {{ model: 'mock', options: {{ ...base }} }};\n{REST}"
    );
    assert_error(&source, "config.options.seed must be a number, got an object");
}

#[test]
fn exports_that_are_missing_or_misspelt_are_found() {
    let config = "export const config = { model: 'mock' };\n";
    let mock = "export const mock = [{ type: 'text', text: 'Hi.' }];\n";
    let default = "export default async ({ $ }) => { $`go`; };\n";
    for (source, words) in [
        (format!("export const confg = {{ model: 'mock' }}; // HERE\n{mock}{default}"), "did you mean 'config'?"),
        (format!("const c = {{ model: 'mock' }};\nexport {{ c as Config }}; // HERE\n{mock}{default}"), "'config'"),
        (format!("export const config = {{\n  model: 'mock', // HERE\n}};\n{default}"), "does not export mock"),
        (format!("{config}export const mocks = []; // HERE\n{default}"), "did you mean 'mock'?"),
        (format!("{config}{mock}export const run = async ({{ $ }}) => {{ $`go`; }}; // HERE\n"), "export default"),
        (format!("{config}{mock}export default {{ run() {{}} }}; // HERE\n"), "must be a function, got an object"),
        (
            format!("export const config = JSON.parse('[]'); // HERE\n{mock}{default}"),
            "must be an object, got an array",
        ),
        (format!("export const config = {{ options: {{}} }}; // HERE\n{mock}{default}"), "model"),
        (format!("export const config = {{ modle: 'mock' }}; // HERE\n{mock}{default}"), "modle"),
        (
            format!("{config}{mock}export const inputs = {{ type: 'object', properties: {{}} }}; // HERE\n{default}"),
            "did you mean 'input'?",
        ),
        (
            format!("{config}{mock}export const input = JSON.parse('{{\"type\": \"string\"}}'); // HERE\n{default}"),
            "must be a schema of an object, got a schema whose type is string",
        ),
        (format!("{config}{mock}export const input = JSON.parse('5'); // HERE\n{default}"), "must be a zod schema"),
        (
            format!("{config}{mock}export const output = JSON.parse('\"x\"'); // HERE\n{default}"),
            "must be a zod schema",
        ),
        (format!("{config}{mock}export const description = JSON.parse('5'); // HERE\n{default}"), "must be a string"),
    ] {
        assert_error(&source, words);
    }
}

#[test]
fn a_file_without_config_is_reported() {
    let (code, found) = findings("p.lmt.mjs", "export default () => {};", &[]);
    let errors = of(&found, "error");
    assert_eq!((code, errors.len()), (1, 1), "{found:?}");
    assert!(errors[0].text().contains("does not export config"), "{found:?}");
}

#[test]
fn models_are_looked_up() {
    let model = |model: &str| {
        format!(
            "import {{ openai }} from 'lmthing';\nconst any = JSON.parse('{{}}');\nexport const config = {{\n  model: {model}, // HERE\n}};\n{REST}{{ openai; any; }}"
        )
    };
    for (value, words) in [
        ("'opnai:gpt-4o'", "Did you mean \"openai:gpt-4o\"?"),
        ("'openai:'", "has no model behind the colon"),
        ("''", "config.model is empty"),
        ("'  '", "config.model is empty"),
        ("'gpt-4o'", "Did you mean \"openai:gpt-4o\"?"),
        ("'fast'", "LM_MODEL_FAST"),
        ("'mocks'", "did you mean 'mock'?"),
        ("/** @type {any} */ (openai)", "config.model is the provider openai, not a model; call it: openai('MODEL')"),
        ("any", "an object without doStream"),
        ("/** @type {any} */ (5)", "a model is required"),
        ("[]", "model"),
        ("['openai:gpt-4o', 'opnai:gpt-4o']", "Unknown provider: \"opnai\""),
        ("['openai:gpt-4o', any]", "config.model[1] must be"),
    ] {
        assert_error(&model(value), words);
    }
}

#[test]
fn a_key_that_is_missing_is_a_warning() {
    let source = "export const config = {\n  model: 'openai:gpt-4o',\n};\nexport default ({ $ }) => { $`go`; };\n";
    let (code, found) = findings("p.lmt.mjs", source, &[("OPENAI_API_KEY", "")]);
    let [finding] = &found[..] else { panic!("{found:#?}") };
    assert_eq!((code, finding.severity.as_str(), finding.line), (0, "warning", 2));
    assert!(finding.text().contains("OPENAI_API_KEY is not set"), "{finding:?}");
    let (_, found) = findings("p.lmt.mjs", source, &[("OPENAI_API_KEY", "sk-test")]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn mock_items_are_looked_at_one_by_one() {
    let source = "const any = JSON.parse('{\"x\": 1}');\nexport const config = { model: 'mock' };\nexport const mock = [\n  \
                  { type: 'text', text: 'fine' },\n  { type: 'text', text: any },\n  { ...any, type: String('txt') },\n  \
                  { type: 'text', text: 'x', ...any },\n  { type: 'finish', finishReason: String(any) },\n  ...[any.x],\n  \
                  { type: 'tool-call', args: {}, toolName: any },\n];\nexport default ({ $ }) => { $`go`; };\n";
    let (code, found) = findings("p.lmt.mjs", source, &[]);
    let mut lines: Vec<u64> = of(&found, "error").iter().map(|finding| finding.line).collect();
    lines.sort_unstable();
    assert_eq!((code, lines), (1, vec![5, 6, 7, 8, 9, 10]), "{found:#?}");
    let all: String = found.iter().map(Finding::text).collect();
    for words in [
        "mock item 1 needs a string 'text'",
        "did you mean 'text'?",
        "mock item 3 (text) has an unknown key 'x'",
        "has an unknown 'finishReason'; known are stop, length",
        "mock item 5 needs a 'type'",
        "mock item 6 needs a string 'toolName'",
    ] {
        assert!(all.contains(words), "{words} in {all}");
    }
}

#[test]
fn a_mock_that_is_no_list_is_an_error() {
    let rest = "export const config = { model: 'mock' };\nexport default ({ $ }) => { $`go`; };\n";
    assert_error(
        &format!("export const mock = JSON.parse('{{}}'); // HERE\n{rest}"),
        "the items must be an array, got an object",
    );
}

#[test]
fn valid_exports_have_no_findings() {
    assert_clean(
        "import { z } from 'zod';
export const description = 'Says what is meant';
export const input = z.object({ city: z.string().default('Oslo') });
export const output = z.object({ summary: z.string() });
const base = { temperature: 0, maxOutputTokens: 100 };
const fast = process.env.FAST ? { topP: 1 } : {};
export const config = {
  model: 'mock',
  options: { ...base, ...fast, system: 'Be brief.', stopSequences: ['x'], toolChoice: 'auto', timeout: { total: 1000 },
    reasoning: 'off', headers: { a: 'b' }, seed: undefined, maxSteps: 3, onFinish() {} },
  plugins: [{ defNothing() {} }],
  sandbox: { cpuMs: 1000, check: 'off' },
  limits: { steps: 5, time: '90s', cost: 0.5, parallel: 2 },
  prices: { 'openai:gpt-x': { input: 1, output: 2 } },
};
export const mock = [{ type: 'text', text: '{\"summary\": \"' }, { type: 'text', text: 'x\"}' }, { type: 'finish' }];
export const inputs = ['one', 'two'];
export const helper = () => 5;
export default async ({ $ }, { city }) => { $`Say what is in ${city}.`; };
",
    );
}

#[test]
fn typescript_is_looked_at_where_it_is_written() {
    let source = "enum Kind { A, B }\nconst shared = {\n  seed: JSON.parse('\"x\"'),\n} as const;\nexport const config = { model: 'mock', options: shared };\n\
                  export const mock = [{ type: 'text' as const, text: Kind[Kind.A] }];\nexport default ({ $ }: any) => { $`go`; };\n";
    let (_, found) = findings("p.lmt.ts", source, &[]);
    let errors = of(&found, "error");
    assert_eq!(errors.iter().map(|finding| finding.line).collect::<Vec<_>>(), [3], "{found:#?}");
    assert!(errors[0].text().contains("config.options.seed must be a number, got 'x'"), "{found:?}");
}

#[test]
fn run_warns_of_what_check_refuses() {
    let outcome = Folder::of(&with_config("temperature: 0.3,")).run("run p.lmt.mjs");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Hi.\n"));
    assert!(
        outcome.stderr.contains("config has no 'temperature' and ignores it; it belongs in options"),
        "{outcome:?}"
    );
}

#[test]
fn calls_of_the_mock_are_held_against_the_tools() {
    let tools = "import { z } from 'zod';\nexport const config = { model: 'mock' };\n";
    let rest = "export default ({ defTool, defAgent, defFunction, $ }) => {\n  \
                defTool('findOrder', 'Finds an order.', z.object({ orderId: z.string() }), () => 1);\n  \
                defAgent('review', 'Reviews.', z.object({ text: z.string() }), (args, child) => { child.$`go`; });\n  \
                defFunction('twice', 'Doubles.', z.object({ n: z.number() }), ({ n }) => n * 2);\n  $`go`;\n};\n";
    for (item, words) in [
        ("{ type: 'tool-call', toolName: 'findOrdr', args: { orderId: 'a' } }", "did you mean 'findOrder'?"),
        ("{ type: 'tool-call', toolName: 'ship', args: {} }", "it has findOrder, review, runToolCode"),
        ("{ type: 'tool-call', toolName: 'findOrder', args: { order: 'a' } }", "'findOrder' takes orderId"),
        ("{ type: 'tool-call', toolName: 'findOrder' }", "orderId: Required"),
        ("{ type: 'tool-call', toolName: 'review', args: { text: 5 } }", "expected string, received number"),
        ("{ type: 'tool-call', toolName: 'runToolCode', args: { source: '' } }", "'runToolCode' takes code"),
        ("{ type: 'tool-call', toolName: 'findOrder', args: '{\"orderId\": 5}' }", "expected string, received number"),
    ] {
        assert_found(&format!("{tools}export const mock = [\n  {item}, // HERE\n];\n{rest}"), "warning", words);
    }
    assert_clean(&format!(
        "{tools}export const mock = [\n  {{ type: 'tool-call', toolName: 'findOrder', args: {{ orderId: 'a' }} }},\n  \
         {{ type: 'tool-call', toolName: 'findOrder', args: '{{broken' }},\n  \
         {{ type: 'tool-call', toolName: 'review', args: {{ text: 'x' }} }},\n  \
         {{ type: 'tool-call', toolName: 'ownOfTheAgent', args: {{}} }},\n];\n{rest}"
    ));
}

#[test]
fn tools_that_options_name_are_looked_for() {
    let file = |option: &str| {
        format!(
            "import {{ z }} from 'zod';\nexport const config = {{ model: 'mock', options: {{\n  {option} // HERE\n}} }};\n\
             export const mock = [{{ type: 'text', text: 'x' }}];\nexport default ({{ defTool, $ }}) => {{\n  \
             defTool('lookUp', 'Looks up.', z.object({{}}), () => 1);\n  $`go`;\n}};\n"
        )
    };
    assert_found(&file("toolChoice: { type: 'tool', toolName: 'lookup' },"), "warning", "did you mean 'lookUp'?");
    assert_found(&file("activeTools: ['lookUp', 'other'],"), "warning", "names the tool 'other'");
    let (_, found) = findings("p.lmt.mjs", &file("activeTools: ['lookUp'],"), &[]);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn one_mistake_gives_one_finding() {
    let made = "export const config = { model: 'mock' };\nconst words = JSON.parse('[1, 2, 3]');\n\
                export const mock = words.map((text) => ({ type: 'text', text })); // HERE\nexport default ({ $ }) => { $`go`; };\n";
    assert_error(made, "mock item 0 needs a string 'text'");
    // Neither the render without the input, nor the one without the method.
    let input = "export const config = { model: 'mock' };\nexport const Input = { type: 'object', properties: {} }; // HERE\n\
         export const mock = [];\nexport default ({ $ }, /** @type {any} */ { city }) => { $`${city}`; };\n";
    assert_error(input, "did you mean 'input'?");
    let plugins = format!(
        "{ANY}\nexport const config = {{\n  model: 'mock',\n  plugins: [any.x], // HERE\n}};\nexport const mock = [];\n\
                           export default ({{ $, defAny }}) => {{ defAny(); $`go`; }};\n"
    );
    assert_error(&plugins, "config.plugins[0] must be an object of functions");
}

//! The progress line on a terminal.

use std::collections::BTreeSet;

use crate::support::Folder;

/// Many quick steps.
const STEPS: &str = r"
import { z } from 'zod';
import { createMockModel } from 'lmthing/test';
const calls = Array.from({ length: 4000 }, () => ({ type: 'tool-call', toolName: 'quick', args: {} }));
export const config = {
  model: createMockModel([...calls, { type: 'text', text: 'x' }], { usage: { inputTokens: 1200, outputTokens: 30 } }),
  limits: { steps: 4100 },
};
export default ({ defTool, $ }) => {
  defTool('quick', 'Q.', z.object({}), () => new Promise((done) => setTimeout(done, 5, 1)));
  $`x`;
};";

#[test]
fn the_line_follows_quick_steps() {
    let folder = Folder::of(STEPS);
    let mut run = folder.start_on_terminal("run p.lmt.mjs", 60);
    run.wait_for(" · quick · ", 1);
    // Drawn at intervals: of the many steps some are seen.
    ["step 1", "step 2", "step 3"].iter().for_each(|step| run.wait_for(step, 1));
    run.type_text("\u{3}");
    let outcome = run.end();
    assert_eq!(outcome.code, 130);
    let steps: BTreeSet<&str> =
        outcome.stdout.split("step ").skip(1).filter_map(|rest| rest.split(' ').next()).collect();
    assert!(steps.len() >= 3 && outcome.stdout.contains(" tokens in, "), "{steps:?}");
    // `^C` fits on the line, which is removed as a whole.
    let (drawn, rest) = outcome.stdout.rsplit_once("\r\u{1b}[2K").expect("the line is removed");
    assert!(drawn.contains("^C") && !rest.contains("step"), "{rest:?}");
    for line in drawn.split("^C").flat_map(|drawn| drawn.split('\r')) {
        assert!(console::measure_text_width(line) <= 57, "{line:?}");
    }
}

#[test]
fn a_call_of_the_provider_without_a_result_ends_with_the_next_text() {
    let folder = Folder::of(
        "const late = (part) => new Promise((done) => setTimeout(done, 1000, part));
export const config = { model: { doStream: () => ({ stream: (async function* () {
  yield { type: 'tool-call', toolCallId: 's', toolName: 'search_it', input: '{}', providerExecuted: true };
  yield late({ type: 'text-delta', id: '0', delta: 'some text\\n' });
  yield late({ type: 'finish', finishReason: 'stop', usage: {} });
})() }) } };
export default ({ $ }) => { $`x`; };",
    );
    let outcome = folder.start_on_terminal("run p.lmt.mjs", 60).end();
    let (before, after) = outcome.stdout.split_once("some text").unwrap_or_else(|| panic!("{outcome:?}"));
    assert!(before.contains("step 0 · search_it · "), "{before:?}");
    assert!(after.contains("step 0 · waiting for the model") && !after.contains("search_it"), "{after:?}");
}

#[test]
fn frames_fit_a_narrow_terminal() {
    let line = format!("const {0} = '{0}{0}{0}';", "日本語のとても長いテキスト");
    let folder = Folder::of(&format!("{line} undefinedName;\nexport default () => {{}};"));
    let outcome = folder.start_on_terminal("run p.lmt.mjs", 40).end();
    let lines: Vec<&str> = outcome.stdout.lines().map(str::trim_end).collect();
    let shown = lines.iter().position(|line| line.starts_with("1 | …")).unwrap_or_else(|| panic!("{outcome:?}"));
    let (source, caret) = (lines[shown], lines[shown + 1]);
    assert!(console::measure_text_width(source) <= 40, "{source:?}");
    let before = &source[..source.find("undefinedName").unwrap()];
    assert_eq!(console::measure_text_width(before), caret.find('^').unwrap(), "{source:?}\n{caret:?}");
}

#[test]
fn words_are_not_broken() {
    let outcome = Folder::of("").start_on_terminal("models", 40).end();
    for words in ["set\r\n    OPENAI_API_KEY (keys:\r\n", "OPENAI_API_KEY"] {
        assert!(outcome.stdout.contains(words), "{outcome:?}");
    }
}

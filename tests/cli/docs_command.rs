//! `lmthing docs`: topics, what is printed, what is not found.

use crate::support::{Folder, Outcome};

fn docs(topic: &[&str]) -> Outcome {
    let folder = Folder::new(&[]);
    Outcome::of(folder.command("docs").args(topic))
}

#[test]
fn a_topic_is_found_by_its_page_heading_or_name() {
    for (asked, first_line, note) in [
        ("guide/tools", "# Tools", "see also reference/tools\n"),
        ("tools", "# Tools", "topic guide/tools; see also reference/tools\n"),
        ("map", "# `lmthing map`", "topic reference/map; see also examples/map\n"),
        ("docs/reference/map.md", "# `lmthing map`", "topic reference/map; see also examples/map\n"),
        ("../reference/tools.md#a-call", "## A call", "topic reference/tools#a-call\n"),
        ("agent", "# Agents and tasks", "topic guide/agents; see also reference/agents\n"),
        ("Exit Codes", "## Exit codes", "topic reference/errors#exit-codes\n"),
        ("types", "## `lmthing types`", "topic reference/new#lmthing-types\n"),
        ("examples/typed.lmt.mjs", "# examples/typed.lmt.mjs", "topic examples/typed\n"),
        ("skill", "---", ""),
        ("security", "# Security", ""),
        ("lmthing.d.ts", "# runtime-js/types/lmthing.d.ts", ""),
        ("events.schema.json", "# docs/events.schema.json", ""),
    ] {
        let outcome = docs(&[asked]);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, note), "{asked}");
        assert_eq!(outcome.stdout.lines().next(), Some(first_line), "{asked}");
        assert!(outcome.stdout.ends_with('\n') && !outcome.stdout.contains("<!-- "), "{asked}");
    }
}

#[test]
fn a_name_leads_to_the_section_that_explains_it() {
    for (name, topic) in [
        ("defTool", "reference/tools"),
        ("deftool", "reference/tools"),
        ("defSystem", "reference/prompt#variables-and-sections"),
        ("defMcp", "reference/mcp-client"),
        ("defWebSearch", "reference/provider-tools#defwebsearch"),
        ("needsApproval", "reference/approvals"),
        ("maxSteps", "reference/call-settings"),
        ("stopWhen", "reference/call-settings"),
        ("func", "reference/code-mode#functions"),
        ("toHaveCalledTool", "guide/testing#running-a-prompt-file"),
        ("--max-errors", "reference/map#options"),
    ] {
        let outcome = docs(&[name]);
        assert_eq!(outcome.code, 0, "{name}: {outcome:?}");
        let (first, _) = outcome.stderr.split_once(['\n', ';']).expect("a note");
        assert_eq!(first, format!("topic {topic}"), "{name}");
        assert!(outcome.stdout.to_lowercase().contains(&name.to_lowercase()), "{name}");
    }
}

#[test]
fn words_need_no_quotes() {
    assert_eq!(docs(&["exit", "codes"]).stdout, docs(&["exit codes"]).stdout);
}

#[test]
fn what_is_not_found_is_answered_with_what_is_similar() {
    for (asked, message, hint) in [
        ("tolls", "there is no topic 'tolls'", "did you mean `lmthing docs tools`?"),
        ("defTol", "there is no topic 'defTol'", "did you mean `lmthing docs defTool`?"),
        ("tools#optoins", "guide/tools has other sections", "lmthing docs guide/tools#options"),
        ("options", "'options' is a heading of several pages", "lmthing docs reference/check#options"),
        ("web search", "but these mention it", "lmthing docs reference/provider-tools"),
        ("denied call", "but these mention it", "lmthing docs reference/approvals"),
        ("PromptFunction", "but these mention it", "lmthing docs lmthing.d.ts"),
        ("#options", "'#options' is a heading of several pages", "lmthing docs guide/tools#options"),
        ("/", "there is no topic '/'", "`lmthing docs` lists all topics"),
        ("qqqqqq", "there is no topic 'qqqqqq'", "`lmthing docs` lists all topics"),
    ] {
        let outcome = docs(&[asked]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{asked}");
        assert!(outcome.stderr.contains(message) && outcome.stderr.contains(hint), "{asked}: {}", outcome.stderr);
    }
}

#[test]
fn the_list_names_every_page() {
    let list = docs(&[]);
    assert_eq!((list.code, list.stderr.as_str()), (0, ""));
    assert_eq!(docs(&["guide"]).stdout, list.stdout);
    for topic in ["skill", "guide/getting-started", "reference/command-line", "reference/schemas", "examples/typed"] {
        assert!(list.stdout.contains(&format!("\n- `{topic}`: ")), "{topic}: {}", list.stdout);
    }
    let sections: Vec<_> = list.stdout.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(sections, ["Start", "Guide", "Reference: commands", "Reference: prompt files", "Examples"]);
}

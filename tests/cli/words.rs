//! `completions`, `man`, suggestions, and a prompt file in place of a command.

use std::process::Command;

use crate::support::{Folder, HELLO, Outcome};

fn folder() -> Folder {
    Folder::new(&[
        ("hello.lmt.mjs", HELLO),
        ("notes.md", "# Notes"),
        ("mock.json", "[]"),
        ("lib.mjs", "export {};"),
        ("examples/tools.lmt.ts", HELLO),
        ("examples/deep/typed.lmt.mjs", HELLO),
    ])
}

/// Bash's completions for the last of these words.
fn offered(folder: &Folder, words: &[&str]) -> Vec<String> {
    let mut command = folder.command("--");
    command.arg("lmthing").args(words).env("LMTHING_COMPLETE", "bash").env("_CLAP_IFS", "\n");
    command.env("_CLAP_COMPLETE_INDEX", words.len().to_string()).env("_CLAP_COMPLETE_COMP_TYPE", "9");
    command.env("_CLAP_COMPLETE_SPACE", "false").env("LM_MODEL_FAST", "openai:gpt-4o-mini");
    let outcome = Outcome::of(&mut command);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{outcome:?}");
    outcome.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn a_shell_is_offered_what_fits() {
    let folder = folder();
    assert_eq!(offered(&folder, &["com"]), ["completions"]);
    assert_eq!(offered(&folder, &["run", "--max-c"]), ["--max-cost"]);
    assert_eq!(offered(&folder, &["run", "--format", ""]), ["text", "json", "events"]);
    assert_eq!(offered(&folder, &["check", "--format", "g"]), ["github"]);
    assert_eq!(offered(&folder, &["run", "h"]), ["hello.lmt.mjs"]);
    assert_eq!(offered(&folder, &["run", "l"]), [""; 0]);
    assert_eq!(offered(&folder, &["run", "examples/"]), ["examples/deep/", "examples/tools.lmt.ts"]);
    assert_eq!(offered(&folder, &["run", "-m", "fa"]), ["fast"]);
    assert_eq!(offered(&folder, &["run", "-m", "mis"]), ["mistral:"]);
    let models = offered(&folder, &["run", "-m", "openai:gpt-4o-"]);
    assert!(models.contains(&"openai:gpt-4o-mini".to_owned()), "{models:?}");
    assert_eq!(offered(&folder, &["run", "--mock", "m"]), ["mock.json"]);
    assert_eq!(offered(&folder, &["docs", "task-g"]), ["reference/task-graph", "examples/task-graph"]);
    assert_eq!(offered(&folder, &["docs", "guide/tes"]), ["guide/testing"]);
    assert_eq!(offered(&folder, &["he"]), ["hello.lmt.mjs"]);
    let nothing_typed = offered(&folder, &[""]);
    for word in ["run", "check", "hello.lmt.mjs", "examples/"] {
        assert!(nothing_typed.contains(&word.to_owned()), "{word}: {nothing_typed:?}");
    }
}

#[test]
fn arguments_after_a_prompt_file_are_its_input() {
    let folder = folder();
    for before in [&["run", "hello.lmt.mjs"][..], &["hello.lmt.mjs"], &["run", "-m", "mock", "hello.lmt.mjs", "x"]] {
        let after = |word| offered(&folder, &[before, &[word]].concat());
        assert_eq!(after("@no"), ["@notes.md"], "{before:?}");
        assert_eq!(after("--mod"), [""; 0], "{before:?}");
    }
}

#[test]
fn options_of_the_file_are_offered() {
    let folder = folder();
    folder.write(
        "typed.lmt.mjs",
        "import { z } from 'zod';
        export const config = { model: 'mock' };
        export const input = z.object({
          input: z.string(), maxWords: z.number().optional(), loud: z.boolean().optional(),
          unit: z.enum(['celsius', 'kelvin']).optional(),
        });
        export default () => { throw new Error('the prompt function does not run'); };",
    );
    for before in [&["run", "typed.lmt.mjs"][..], &["typed.lmt.mjs", "x"], &["run", "-q", "typed.lmt.mjs"]] {
        let after = |words: &[&str]| offered(&folder, &[before, words].concat());
        assert_eq!(after(&["--"]), ["--input", "--max-words", "--loud", "--unit"], "{before:?}");
        assert_eq!(after(&["--unit", "k"]), ["kelvin"], "{before:?}");
        assert_eq!(after(&["--unit=c"]), ["--unit=celsius"], "{before:?}");
        assert_eq!(after(&["--input", "@no"]), ["@notes.md"], "{before:?}");
    }
}

#[test]
fn completion_gives_a_file_no_rights() {
    let folder = folder();
    folder.write(
        "typed.lmt.mjs",
        "import { writeFileSync } from 'node:fs';
        writeFileSync('made', '');
        export const config = { model: 'mock' };
        export const input = { type: 'object', properties: { city: { type: 'string' } } };
        export default () => {};",
    );
    assert_eq!(offered(&folder, &["run", "typed.lmt.mjs", "--"]), [""; 0]);
    assert!(!folder.path("made").exists());
}

#[test]
fn completion_does_not_wait_for_a_file() {
    let folder = folder();
    let wait = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000);";
    let input = "export const input = { type: 'object', properties: { city: { type: 'string' } } };";
    folder.write("slow.lmt.mjs", &format!("{wait}\n{input}\nexport default () => {{}};"));
    assert_eq!(offered(&folder, &["run", "slow.lmt.mjs", "--"]), [""; 0]);
}

#[test]
fn an_input_larger_than_a_pipe_holds_is_read() {
    let folder = folder();
    let properties = "Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`city${n}`, { type: 'string', description: 'x'.repeat(100) }]))";
    folder.write(
        "large.lmt.mjs",
        &format!(
            "export const config = {{ model: 'mock' }};\nexport const input = {{ type: 'object', properties: {properties} }};\n\
             export default () => {{}};"
        ),
    );
    assert_eq!(offered(&folder, &["run", "large.lmt.mjs", "--city999"]), ["--city999"]);
}

#[test]
fn usage_errors_look_like_all_others() {
    let folder = folder();
    let usage = "test --filter <TEXT> [PATH]...";
    for (arguments, message) in [
        (
            "test --fliter x",
            format!(
                "Error: unexpected argument '--fliter' found\n\nhint: a similar argument exists: '--filter'\n      usage: lmthing {usage}\n"
            ),
        ),
        (
            "new",
            "Error: the following required arguments were not provided: <NAME>\n\nhint: usage: lmthing new <NAME>\n"
                .to_owned(),
        ),
    ] {
        let outcome = folder.run(arguments);
        assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr), (2, "", message), "{arguments}");
    }
}

#[test]
fn scripts_call_back() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let outcome = folder.run(&format!("completions {shell}"));
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{shell}");
        assert!(outcome.stdout.contains("LMTHING_COMPLETE") && outcome.stdout.ends_with('\n'), "{outcome:?}");
    }
    let wrong = folder.run("completions bsh");
    assert_eq!((wrong.code, wrong.stdout.as_str()), (2, ""));
    assert!(wrong.stderr.contains("'bash'"), "{wrong:?}");
    let unknown = Outcome::of(folder.command("run").env("LMTHING_COMPLETE", "csh"));
    assert_eq!((unknown.code, unknown.stdout.as_str()), (2, ""), "{unknown:?}");
}

/// With bash itself, if it is installed.
#[test]
#[cfg(unix)]
fn bash_completes_with_the_script() {
    let folder = folder();
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_lmthing"));
    // As bash calls it: with the words split by its own rules, and the part of the last one that it will replace.
    let script = "
        source <(lmthing completions bash)
        tell() {
            COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9
            shift
            COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1))
            local part=${COMP_WORDS[COMP_CWORD]}
            [[ $part == : ]] && part=
            _lmthing lmthing \"$part\" \"${COMP_WORDS[COMP_CWORD - 1]}\"
            printf '%s\\n' \"${COMPREPLY[@]}\"
        }
        tell 'lmthing run examples/d' lmthing run examples/d
        tell 'lmthing  run -m mistr' lmthing run -m mistr
        tell 'lmthing run -m groq:gemma-7' lmthing run -m groq : gemma-7
        tell 'lmthing check --format=git' lmthing check --format = git
        tell 'lmthing run -m cohere:' lmthing run -m cohere : | grep '^command-a'";
    let path = format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let bash = Command::new("bash").args(["-c", script]).current_dir(folder.path("")).env("PATH", path).output();
    let Ok(bash) = bash else { return };
    let outcome = Outcome::from(bash);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!((lines[0], lines[1]), ("examples/deep/", "mistral:"), "{outcome:?}");
    // The prefix that bash has split off is left out.
    assert!(lines[2].starts_with("gemma-7"), "{outcome:?}");
    assert!(lines.contains(&"github") && lines.contains(&"command-a"), "{outcome:?}");
}

#[test]
fn the_manual_has_all_commands_and_options() {
    let folder = folder();
    let outcome = folder.run("man");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    assert!(outcome.stdout.contains(".TH LMTHING 1"), "{}", outcome.stdout);
    assert_eq!(outcome.stdout.matches(".TH ").count(), 1, "one page");
    for word in
        ["LMTHING RUN", "LMTHING CHECK", "LMTHING DOCS", "max\\-cost", "EXIT STATUS", "LM_MODEL_", "no\\-render"]
    {
        assert!(outcome.stdout.contains(word), "{word}");
    }
    assert!(!outcome.stdout.contains("report\\-files"), "hidden");
    // No line of text may be taken for a troff request.
    let requests = [".TH", ".SH", ".SS", ".TP", ".PP", ".RS", ".RE", ".br", ".nf", ".fi", ".ie", ".el", ".sp", ".IP"];
    let unknown = |line: &&str| line.starts_with('.') && !requests.iter().any(|request| line.starts_with(request));
    assert_eq!(outcome.stdout.lines().filter(unknown).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_prompt_file_is_run_without_a_command() {
    let folder = folder();
    for file in ["hello.lmt.mjs", "./hello.lmt.mjs", "examples/tools.lmt.ts"] {
        assert_eq!(folder.run(file).stdout, folder.run(&format!("run {file}")).stdout, "{file}");
    }
    folder.write("argv.lmt.mjs", "console.log(process.argv.slice(2).join()); export const config = { model: 'mock' }; export const mock = [{ type: 'text', text: '' }]; export default () => {};");
    assert!(folder.run("argv.lmt.mjs a --b run").stdout.starts_with("a,--b,run\n"));
    let missing = folder.run("helo.lmt.mjs");
    assert_eq!(missing.code, 1);
    assert!(missing.stderr.contains("Did you mean 'hello.lmt.mjs'?"), "{missing:?}");
}

#[test]
fn suggestions_for_misspelt_words() {
    let folder = folder();
    for (arguments, code, words) in [
        ("rnu hello.lmt.mjs", 2, "'run'"),
        ("chekc", 2, "'check'"),
        ("hello", 2, "'hello.lmt.mjs'"),
        ("examples/tools.ts", 2, "'examples/tools.lmt.ts'"),
        ("run --modle x hello.lmt.mjs", 2, "'--model'"),
        ("check --strct", 2, "'--strict'"),
        ("run --format jsn hello.lmt.mjs", 2, "'json'"),
        ("check --format gihub", 2, "'github'"),
        ("run -m opnai:gpt-4o hello.lmt.mjs", 2, "openai:gpt-4o"),
        ("models --prices gpt-4oo", 1, "gpt-4o"),
        ("run exmaples/tools.lmt.ts", 1, "'examples/tools.lmt.ts'"),
        ("run examples/dep/typd.lmt.mjs", 1, "'examples/deep/typed.lmt.mjs'"),
        ("run hello.mjs", 1, "'hello.lmt.mjs'"),
        ("run hello", 1, "'hello.lmt.mjs'"),
        ("check helo.lmt.mjs", 2, "'hello.lmt.mjs'"),
        ("check exmples", 2, "'examples'"),
        ("run --mock moc.json hello.lmt.mjs", 2, "'mock.json'"),
        ("run --replay mok.json hello.lmt.mjs", 1, "'mock.json'"),
        ("run --env-file nots.md hello.lmt.mjs", 2, "'notes.md'"),
    ] {
        let outcome = folder.run(arguments);
        assert_eq!(outcome.code, code, "{arguments}: {outcome:?}");
        assert!(outcome.stderr.contains(words), "{arguments}: {words} in {outcome:?}");
    }
    // No command is similar.
    assert!(!folder.run("run xyz.lmt.mjs").stderr.contains("Did you mean"));
}

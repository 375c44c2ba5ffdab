//! `lmthing new NAME` (docs/reference/new.md): writes a prompt file and its test from a template.

use std::{
    ffi::OsStr,
    path::{Component, Path, PathBuf},
};

use super::{new_files::write_all, prompt_file::ENDINGS};
use crate::cli::{ExitCode, Printer, small_args::NewArgs, templates::Language};
use lmthing_base::diagnostic::Diagnostic;

/// Characters that shells, other systems or the templates treat specially.
const FORBIDDEN_CHARS: &[char] = &['<', '>', ':', '"', '\'', '`', '|', '?', '*', '\\', '$'];

pub(in crate::cli) fn run(args: &NewArgs, printer: &Printer) -> ExitCode {
    let target = match Target::of(&args.name, args.ts) {
        Ok(target) => target,
        Err(problem) => {
            printer.diagnostic(&problem);
            return ExitCode::Usage;
        }
    };
    let texts = args.template.texts(&target.file_name(), target.language);
    let (prompt, test) = (target.prompt(), target.test());
    let files = [(prompt.clone(), texts.prompt.as_bytes()), (test.clone(), texts.test.as_bytes())];
    if let Err(problem) = write_all(&files, "take another name, or move the file away") {
        printer.diagnostic(&problem);
        return ExitCode::File;
    }
    let file = in_shell(&prompt);
    let commands = [
        (format!("run {file}"), "runs it: the mock in it answers"),
        (format!("test {}", in_shell(&test)), "runs its test"),
        (format!("check {file}"), "finds mistakes before a token is spent"),
        ("types".to_owned(), "has editors complete and check it"),
        ("docs".to_owned(), "lists the documentation"),
    ];
    let width = commands.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    let line = |(command, does): &(String, &str)| format!("  lmthing {command:width$}   {does}\n");
    let lines: String = commands.iter().map(line).collect();
    printer.stderr(&format!("Wrote {} and its test, {}.\n\n{lines}", prompt.display(), test.display()));
    ExitCode::Done
}

#[derive(Debug, PartialEq)]
struct Target {
    folder: PathBuf,
    stem: String,
    ending: &'static str,
    language: Language,
}

impl Target {
    fn of(name: &str, is_typescript: bool) -> Result<Self, Box<Diagnostic>> {
        if name.trim().is_empty() {
            return Err(Box::new(Diagnostic::new("a prompt file needs a name")));
        }
        let path = Path::new(name);
        let last = match path.file_name().and_then(OsStr::to_str) {
            Some(last) if !name.ends_with(std::path::is_separator) && !name.ends_with("/.") => last,
            _ => return Err(refusal(name, "it is that of a folder", &path.join("hello"))),
        };
        check_parts(path)?;
        let (stem, ending) = match ENDINGS.iter().find_map(|ending| Some((last.strip_suffix(ending)?, *ending))) {
            Some((stem, ending)) => (stem, ending),
            None => (last, if is_typescript { ".lmt.ts" } else { ".lmt.mjs" }),
        };
        let language = if ending.ends_with("ts") { Language::TypeScript } else { Language::JavaScript };
        if is_typescript && language == Language::JavaScript {
            let message = format!("--ts writes TypeScript, and {last} is the name of a JavaScript file");
            let hint = format!("leave out --ts, or write {stem}.lmt.ts");
            return Err(Box::new(Diagnostic::new(message).with_hint(hint)));
        }
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let target = Target { folder, stem: stem.to_owned(), ending, language };
        target.check_stem(name).map(|()| target)
    }

    /// Refuses names that are possible but probably a mistake.
    fn check_stem(&self, name: &str) -> Result<(), Box<Diagnostic>> {
        let Target { stem, ending, .. } = self;
        let refused = |why: &str, meant: String| Err(refusal(name, why, &self.folder.join(meant)));
        if let Some(tested) = stem.strip_suffix(".test") {
            return refused("it is that of a test, which comes with the prompt file", tested.to_owned());
        }
        if let Some(prompt) = stem.strip_suffix(".eval") {
            return refused("it is that of an eval file", prompt.to_owned());
        }
        if stem.is_empty() || stem.starts_with(['.', '-']) {
            return refused("it has to begin with a letter or a digit", "hello".to_owned());
        }
        for (wrong, right) in [(".mjs", ".lmt.mjs"), (".js", ".lmt.js"), (".ts", ".lmt.ts"), (".mts", ".lmt.mts")] {
            if let Some(bare) = stem.strip_suffix(wrong) {
                return refused(&format!("that ends in {right}"), format!("{bare}{right}"));
            }
        }
        match stem.strip_suffix(".lmt") {
            Some(bare) => refused(&format!("that ends in {ending}"), format!("{bare}{ending}")),
            None => Ok(()),
        }
    }

    fn file_name(&self) -> String {
        format!("{}{}", self.stem, self.ending)
    }

    fn prompt(&self) -> PathBuf {
        self.folder.join(self.file_name())
    }

    fn test(&self) -> PathBuf {
        self.folder.join(format!("{}.test{}", self.stem, self.ending))
    }
}

/// Checks that every part of the path is a valid name on all systems and needs no escaping in a shell.
fn check_parts(path: &Path) -> Result<(), Box<Diagnostic>> {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(part) => part.to_str(),
        _ => None,
    });
    for part in parts {
        if let Some(wrong) = part.chars().find(|c| c.is_control() || FORBIDDEN_CHARS.contains(c)) {
            let message = format!("{part:?} cannot be the name of a file or folder: it has {wrong:?} in it");
            return Err(Box::new(Diagnostic::new(message).with_hint("letters, digits, -, _ and . always do")));
        }
    }
    Ok(())
}

fn refusal(name: &str, why: &str, instead: &Path) -> Box<Diagnostic> {
    let hint = format!("lmthing new {}", in_shell(instead));
    let message = format!("{name:?} cannot be the name of a prompt file: {why}");
    Box::new(Diagnostic::new(message).with_hint(hint))
}

/// A path quoted for a shell. It contains no quotes.
fn in_shell(path: &Path) -> String {
    let shown = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "._-/\\+@%:,~".contains(c);
    if shown.chars().all(is_plain) { shown } else { format!("'{shown}'") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_determine_the_language() {
        for (name, is_typescript, expected) in [
            ("a", false, "a.lmt.mjs a.test.lmt.mjs"),
            ("a", true, "a.lmt.ts a.test.lmt.ts"),
            ("b/a.lmt.ts", false, "b/a.lmt.ts b/a.test.lmt.ts"),
            ("a.lmt.js", false, "a.lmt.js a.test.lmt.js"),
            ("a.lmt.mts", true, "a.lmt.mts a.test.lmt.mts"),
            ("v1.2", false, "v1.2.lmt.mjs v1.2.test.lmt.mjs"),
            ("../grüß dich", false, "../grüß dich.lmt.mjs ../grüß dich.test.lmt.mjs"),
        ] {
            let target = Target::of(name, is_typescript).unwrap();
            assert_eq!(format!("{} {}", target.prompt().display(), target.test().display()), expected);
        }
    }

    #[test]
    fn invalid_names_are_refused_with_a_suggestion() {
        for (name, is_typescript, message, hint) in [
            ("", false, "needs a name", None),
            (" ", false, "needs a name", None),
            ("a/", false, "that of a folder", Some("lmthing new a/hello")),
            ("..", false, "that of a folder", Some("lmthing new ../hello")),
            ("a/.", false, "that of a folder", Some("lmthing new a/./hello")),
            ("p/a.test.lmt.mjs", false, "that of a test", Some("lmthing new p/a")),
            ("a.eval.lmt.ts", false, "that of an eval file", Some("lmthing new a")),
            ("a.ts", false, "ends in .lmt.ts", Some("lmthing new a.lmt.ts")),
            ("a b.mjs", false, "ends in .lmt.mjs", Some("lmthing new 'a b.lmt.mjs'")),
            ("a.lmt", true, "ends in .lmt.ts", Some("lmthing new a.lmt.ts")),
            (".lmt.mjs", false, "begin with a letter", Some("lmthing new hello")),
            ("-a", false, "begin with a letter", Some("lmthing new hello")),
            ("a.lmt.mjs", true, "a JavaScript file", Some("leave out --ts, or write a.lmt.ts")),
            ("it's", false, "it has '\\'' in it", Some("letters, digits, -, _ and . always do")),
            ("x\ny/a", false, "it has '\\n' in it", Some("letters, digits, -, _ and . always do")),
        ] {
            let refusal = Target::of(name, is_typescript).unwrap_err();
            assert!(refusal.message.contains(message), "{name}: {refusal}");
            assert_eq!(refusal.hint.as_deref(), hint, "{name}");
        }
    }
}

//! Templates of `lmthing new`: prompt files and tests in JavaScript. The TypeScript form is derived from them.

use clap::ValueEnum;

/// What a new prompt file shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Template {
    /// A message, a variable, a section of the system prompt
    #[default]
    Hello,
    /// A tool with a schema
    Tools,
    /// An agent: a tool that runs a prompt of its own
    Agent,
    /// Functions that the model calls from TypeScript it writes
    Code,
    /// A list of tasks that the model works through
    Tasks,
    /// Input and output with schemas: called like a function
    Typed,
}

/// The language of a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    /// With types in comments.
    JavaScript,
    /// With annotations.
    TypeScript,
}

pub(super) struct Texts {
    pub(super) prompt: String,
    pub(super) test: String,
}

impl Template {
    /// The texts for a file with this name. The name must contain no quote and no line break.
    pub(super) fn texts(self, file_name: &str, language: Language) -> Texts {
        let (name, prompt, test) = self.sources();
        let named = |text: &str| text.replace(&format!("{name}.lmt.mjs"), file_name);
        let prompt = match language {
            Language::JavaScript => named(prompt),
            Language::TypeScript => annotated(&named(prompt)),
        };
        Texts { prompt, test: named(test) }
    }

    /// The name of the template in its texts, its prompt file and its test.
    fn sources(self) -> (&'static str, &'static str, &'static str) {
        macro_rules! sources {
            ($name:literal) => {
                ($name, include_str!(concat!($name, ".lmt.mjs")), include_str!(concat!($name, ".test.lmt.mjs")))
            };
        }
        match self {
            Template::Hello => sources!("hello"),
            Template::Tools => sources!("tools"),
            Template::Agent => sources!("agent"),
            Template::Code => sources!("code"),
            Template::Tasks => sources!("tasks"),
            Template::Typed => sources!("typed"),
        }
    }
}

/// The comments that give the prompt function its type.
const PLAIN_TYPE: &str = "/** @type {import('lmthing').PromptFunction} */";
const TYPE_WITH_INPUT: &str = "/** @type {import('lmthing').PromptFunction<typeof input>} */";

/// Converts JavaScript with a typed comment to TypeScript: the comment becomes annotations of the parameters below it.
fn annotated(script: &str) -> String {
    let mut text = String::new();
    let mut comment = None;
    let mut has_import = false;
    for line in script.lines() {
        if line == PLAIN_TYPE || line == TYPE_WITH_INPUT {
            comment = Some(line);
            continue;
        }
        let line = match comment.take() {
            Some(TYPE_WITH_INPUT) => {
                line.replacen(" }", " }: Prompt", 1).replacen(" }) =>", " }: z.infer<typeof input>) =>", 1)
            }
            Some(_) => line.replacen(" }", " }: Prompt", 1),
            None => line.to_owned(),
        };
        text.push_str(&line);
        text.push('\n');
        // After the comment at the top of the file.
        if line.is_empty() && !has_import {
            has_import = true;
            text.push_str("import type { Prompt } from 'lmthing';\n");
        }
    }
    // An empty line after the import if no other import follows.
    text.replacen("from 'lmthing';\n//", "from 'lmthing';\n\n//", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_become_annotations() {
        let texts = Template::Typed.texts("review.lmt.ts", Language::TypeScript);
        assert!(texts.prompt.contains(
            "\nexport default async ({ defSystem, $ }: Prompt, { text, language = 'the language of the text' }: \
             z.infer<typeof input>) => {\n"
        ));
        assert!(texts.prompt.contains("\n\nimport type { Prompt } from 'lmthing';\nimport { z } from 'zod';\n\n"));
        assert!(texts.test.contains("run('./review.lmt.ts'"));
        let hello = Template::Hello.texts("a.lmt.ts", Language::TypeScript).prompt;
        assert!(hello.contains("\n\nimport type { Prompt } from 'lmthing';\n\n//"), "{hello}");
    }

    #[test]
    fn each_template_is_annotated_and_named() {
        for template in Template::value_variants() {
            let typed = template.texts("x.lmt.ts", Language::TypeScript).prompt;
            assert_eq!(typed.matches(": Prompt").count(), 1, "{typed}");
            assert!(!typed.contains("@type") && !typed.contains(".mjs"), "{typed}");
            let script = template.texts("x.lmt.mjs", Language::JavaScript).prompt;
            assert!(script.contains("lmthing run x.lmt.mjs") && script.contains("lmthing run -m "), "{script}");
        }
    }
}

//! Gives the exports of a prompt file or an eval file their types by edits of a copy of its text, so that they need no annotations.

use std::ops::Range;

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind as K};

use super::edited_text::Edit;
use super::internal_modules::MODULE;
use super::mutation::{mutation_of, source_text};
use crate::module::{Local, Module};
use lmthing_base::parser::Language;
use lmthing_typescript::code::Tree;

const NO_PLUGINS: &str = "import('lmthing').PromptOf<{}>";
/// Comments that contain one of these annotate types themselves.
const ANNOTATIONS: [&str; 5] = ["@type ", "@type{", "@satisfies", "@param {", "@overload"];

#[derive(Debug, Default)]
pub(super) struct ExportEdits {
    pub(super) edits: Vec<Edit>,
    /// The bytes of exports that are literals, such as `config` and `mock`, from the name to the end of the value.
    pub(super) values: Vec<(&'static str, Range<usize>)>,
}

impl ExportEdits {
    pub(super) fn of_eval(tree: &Tree, language: Language) -> Result<Self, Error> {
        let reader = ExportReader { tree, module: Module::of(tree)? };
        let mut export_edits = ExportEdits::default();
        let scores = match reader.written_rows()? {
            Some(rows) => format!("Scores<any, import('{MODULE}').ColumnsOf<typeof {rows}>>"),
            None => "Scores".to_owned(),
        };
        for (name, kind) in [("rows", "Rows"), ("scores", &scores), ("variants", "Variants")] {
            let Some(local) = reader.local(name) else { continue };
            // What is added later is checked when the file is loaded.
            if !mutation_of(tree, &name_of(tree, local.node)?)?.is_changed {
                let shape = format!("import('lmthing/eval').{kind}");
                export_edits.add_shape(tree, language, local, (name, &shape))?;
            }
        }
        Ok(export_edits)
    }

    pub(super) fn of_prompt(tree: &Tree, language: Language) -> Result<Self, Error> {
        let reader = ExportReader { tree, module: Module::of(tree)? };
        let mut export_edits = ExportEdits::default();
        let shapes = [("config", "import('lmthing').Config".to_owned()), ("mock", format!("import('{MODULE}').Mock"))];
        for (name, shape) in shapes {
            if let Some(local) = reader.local(name) {
                let local = if name == "mock" { reader.base_list(local)? } else { local };
                export_edits.add_shape(tree, language, local, (name, &shape))?;
            }
        }
        if let Some(function) = reader.prompt_function(language)? {
            let mut types = [reader.prompt_type()?, reader.input_type()];
            for (export, kind) in ["config", "input"].into_iter().zip(&mut types) {
                if let Some(local) = reader.local(export) {
                    export_edits.name_type(tree, language, (local, function), kind)?;
                }
            }
            export_edits.add_parameters(tree, language, function, &types)?;
        }
        Ok(export_edits)
    }

    fn add_shape(
        &mut self,
        tree: &Tree,
        language: Language,
        local: Local,
        (name, shape): (&'static str, &str),
    ) -> Result<(), Error> {
        let Some(value) = tree.node(local.node)?.initializer() else { return Ok(()) };
        let is_literal = matches!(tree.kind(value)?, K::ObjectLiteralExpression | K::ArrayLiteralExpression);
        let is_changed = mutation_of(tree, &name_of(tree, local.node)?)?.is_changed && (is_literal || name == "mock");
        if !is_literal && !is_changed {
            return Ok(());
        }
        let range = tree.start(value)?..tree.end(value)?;
        let meaning = name_range(tree, local.node)?;
        self.values.push((name, meaning.start..range.end));
        if is_annotated(tree, language, local)? {
            return Ok(());
        }
        // A value that is changed later is wrapped in a function whose result type allows the changes.
        let (mut open, mut close) = (String::new(), String::new());
        if is_changed {
            let function = if name == "mock" { "Listed" } else { "Changed" };
            open = match language {
                Language::JavaScript => {
                    format!("/** @type {{import('{MODULE}').{function}}} */ (/** @type {{any}} */ (0))(")
                }
                Language::TypeScript => format!("(0 as any as import('{MODULE}').{function})("),
            };
            close.push(')');
        }
        match language {
            _ if !is_literal => {}
            Language::JavaScript => {
                open += &format!("/** @satisfies {{{shape}}} */ (");
                close.insert(0, ')');
            }
            Language::TypeScript => close.insert_str(0, &format!(" satisfies {shape}")),
        }
        self.put(range.start, open, &meaning);
        self.put(range.end, close, &meaning);
        Ok(())
    }

    /// Replaces `typeof input` in the type of a parameter by the name of a type where a parameter has the same name as the
    /// export, as in `(prompt, input) => …`: `typeof` would mean the parameter itself.
    fn name_type(
        &mut self,
        tree: &Tree,
        language: Language,
        (export, function): (Local, NodeId),
        kind: &mut String,
    ) -> Result<(), Error> {
        let name = name_of(tree, export.node)?;
        let query = format!("typeof {name}");
        if !kind.contains(&query) || !parameters_mention(tree, function, &name)? {
            return Ok(());
        }
        let alias = format!("TypeOf_{name}_");
        let declaration = match language {
            Language::JavaScript => format!("/** @typedef {{{query}}} {alias} */ "),
            Language::TypeScript => format!("type {alias} = {query}; "),
        };
        let bytes = tree.bytes();
        let hashbang = if bytes.starts_with(b"#!") { bytes.iter().position(|byte| *byte == b'\n') } else { None };
        let at = match language {
            // In front of all statements: behind another one on its line, a comment would belong to that one.
            Language::JavaScript => hashbang.map_or(0, |end| end + 1),
            // Not in front of comments such as `// @ts-nocheck`.
            Language::TypeScript => tree.start(export.statement)?,
        };
        self.put(at, declaration, &name_range(tree, export.node)?);
        *kind = kind.replace(&query, &alias);
        Ok(())
    }

    fn add_parameters(
        &mut self,
        tree: &Tree,
        language: Language,
        function: NodeId,
        types: &[String],
    ) -> Result<(), Error> {
        let children = tree.children(function)?;
        let mut parameters = Vec::new();
        for child in children {
            match tree.kind(child)? {
                K::TypeParameter => return Ok(()),
                K::Parameter => parameters.push(child),
                _ => {}
            }
        }
        for (index, parameter) in parameters.into_iter().enumerate() {
            let (start, end) = (tree.start(parameter)?, tree.end(parameter)?);
            let read = tree.node(parameter)?;
            let comment = &tree.bytes()[tree.full_start(parameter)?..start];
            if read.type_node().is_some() || language == Language::JavaScript && has_annotation(comment) {
                continue;
            }
            let Some(name) = read.name() else { continue };
            let is_rest = tree.bytes()[start..].starts_with(b"...");
            let kind = match types.get(index) {
                _ if is_rest => "any[]",
                Some(kind) => kind,
                None => continue,
            };
            let is_bare = !tree.bytes()[tree.start(function)?..start].contains(&b'(');
            let (open, close) = if is_bare { ("(", ")") } else { ("", "") };
            let meaning = start..tree.end(name)?;
            match language {
                Language::JavaScript => {
                    self.put(start, format!("{open}/** @type {{{kind}}} */ "), &meaning);
                    if is_bare {
                        self.put(end, close.to_owned(), &meaning);
                    }
                }
                Language::TypeScript => {
                    if is_bare {
                        self.put(start, open.to_owned(), &meaning);
                    }
                    self.put(tree.end(name)?, format!(": {kind}{close}"), &meaning);
                }
            }
        }
        Ok(())
    }

    fn put(&mut self, at: usize, text: String, meaning: &Range<usize>) {
        self.edits.push(Edit { replaced: at..at, text, meaning: meaning.clone() });
    }
}

struct ExportReader<'a> {
    tree: &'a Tree,
    module: Module,
}

impl ExportReader<'_> {
    fn local(&self, export: &str) -> Option<Local> {
        self.module.local(self.module.export(export)?.local.as_deref()?)
    }

    /// The variable of `rows`, if it has all columns of an eval: a list of objects that stand in it.
    fn written_rows(&self) -> Result<Option<String>, Error> {
        let tree = self.tree;
        let Some(local) = self.local("rows") else { return Ok(None) };
        let Some(rows) = tree.node(local.node)?.initializer() else { return Ok(None) };
        let name = name_of(tree, local.node)?;
        if tree.kind(rows)? != K::ArrayLiteralExpression || mutation_of(tree, &name)?.is_changed {
            return Ok(None);
        }
        for row in tree.children(rows)? {
            let is_object = tree.kind(row)? == K::ObjectLiteralExpression;
            let parts = if is_object { tree.children(row)? } else { Vec::new() };
            let kinds = parts.into_iter().map(|part| tree.kind(part)).collect::<Result<Vec<_>, _>>()?;
            if !is_object || kinds.contains(&K::SpreadAssignment) {
                return Ok(None);
            }
        }
        Ok(Some(name))
    }

    /// `base` of `base.concat(…)`, where the list of items begins.
    fn base_list(&self, local: Local) -> Result<Local, Error> {
        let tree = self.tree;
        if tree.kind(local.node)? == K::VariableDeclaration
            && let Some(value) = tree.node(local.node)?.initializer()
            && tree.kind(value)? == K::CallExpression
            && let Some(callee) = tree.children(value)?.first()
            && let Some(name) = source_text(tree, *callee)?.strip_suffix(".concat")
            && let Some(base) = self.module.local(name)
        {
            return Ok(base);
        }
        Ok(local)
    }

    /// The function whose parameters get types; `None` if it is annotated or declared in another module.
    fn prompt_function(&self, language: Language) -> Result<Option<NodeId>, Error> {
        let tree = self.tree;
        let here = self.module.export("default").and_then(|export| Some((export.value?, export.statement)));
        let behind = || self.local("default").map(|local| (local.node, local.statement));
        let Some((mut node, statement)) = here.or_else(behind) else { return Ok(None) };
        let mut place = (node, statement);
        // Follows one name to its declaration.
        if tree.kind(node)? == K::Identifier {
            let Some(local) = self.module.local(&tree.text(node)?) else { return Ok(None) };
            place = (local.node, local.statement);
            node = local.node;
        }
        if tree.kind(node)? == K::VariableDeclaration {
            let Some(value) = tree.node(node)?.initializer() else { return Ok(None) };
            node = value;
        }
        while tree.kind(node)? == K::ParenthesizedExpression
            && let [inner] = tree.children(node)?[..]
        {
            node = inner;
        }
        let is_function = matches!(tree.kind(node)?, K::ArrowFunction | K::FunctionExpression | K::FunctionDeclaration);
        let (declared, statement) = place;
        let types_itself = declared != node && is_typed(tree, declared)?;
        let before = &tree.bytes()[tree.full_start(statement)?..tree.start(node)?];
        let is_commented = language == Language::JavaScript && has_annotation(before);
        let comment = &tree.bytes()[tree.full_start(statement)?..tree.start(statement)?];
        let is_commented = is_commented || language == Language::JavaScript && has_annotation(comment);
        Ok((is_function && !types_itself && !is_commented).then_some(node))
    }

    fn prompt_type(&self) -> Result<String, Error> {
        let Some(local) = self.local("config") else {
            // Imported, or missing.
            let is_imported = self.module.is_open || self.module.export("config").is_some();
            return Ok(if is_imported { "import('lmthing').AnyPrompt" } else { NO_PLUGINS }.to_owned());
        };
        let change = mutation_of(self.tree, &name_of(self.tree, local.node)?)?;
        if change.has_plugins {
            return Ok("import('lmthing').AnyPrompt".to_owned());
        }
        let may_have_plugins = match self.tree.node(local.node)?.initializer() {
            Some(value) if self.tree.kind(value)? == K::ObjectLiteralExpression => self.may_have_plugins(value)?,
            _ => true,
        };
        let name = self.module.export("config").and_then(|export| export.local.as_deref()).unwrap_or("config");
        Ok(if may_have_plugins { format!("import('lmthing').PromptOf<typeof {name}>") } else { NO_PLUGINS.to_owned() })
    }

    fn may_have_plugins(&self, config: NodeId) -> Result<bool, Error> {
        for property in self.tree.children(config)? {
            let name = self.tree.node(property)?.name();
            let is_named = name.is_some_and(|name| {
                self.tree.kind(name).is_ok_and(|kind| matches!(kind, K::Identifier | K::StringLiteral))
            });
            let is_other =
                is_named && name.and_then(|name| self.tree.text(name).ok()).is_some_and(|name| name != "plugins");
            if !is_other {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn input_type(&self) -> String {
        match self.module.export("input").and_then(|export| export.local.as_deref()) {
            Some(local) if self.module.local(local).is_some() => format!("import('{MODULE}').InputOf<typeof {local}>"),
            _ => "any".to_owned(),
        }
    }
}

/// Whether a parameter's name, or its pattern, contains this name.
fn parameters_mention(tree: &Tree, function: NodeId, name: &str) -> Result<bool, Error> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    for child in tree.children(function)? {
        if tree.kind(child)? == K::Parameter
            && let Some(pattern) = tree.node(child)?.name()
            && source_text(tree, pattern)?.split(|letter| !is_part(letter)).any(|word| word == name)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_annotated(tree: &Tree, language: Language, local: Local) -> Result<bool, Error> {
    let Some(value) = tree.node(local.node)?.initializer() else { return Ok(true) };
    let before = &tree.bytes()[tree.full_start(local.statement)?..tree.start(value)?];
    Ok(is_typed(tree, local.node)? || language == Language::JavaScript && has_annotation(before))
}

fn is_typed(tree: &Tree, node: NodeId) -> Result<bool, Error> {
    Ok(tree.kind(node)? == K::VariableDeclaration && tree.node(node)?.type_node().is_some())
}

fn has_annotation(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    text.contains("/**") && ANNOTATIONS.iter().any(|word| text.contains(word))
}

fn name_of(tree: &Tree, node: NodeId) -> Result<String, Error> {
    tree.text(tree.node(node)?.name().unwrap_or(node))
}

fn name_range(tree: &Tree, node: NodeId) -> Result<Range<usize>, Error> {
    let name = tree.node(node)?.name().unwrap_or(node);
    Ok(tree.start(name)?..tree.end(name)?)
}

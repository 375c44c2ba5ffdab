//! One run of the type checker on a prompt file with everything it imports, for one language.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tsr_arena::Counters;
use tsr_ast::Diagnostic;
use tsr_compiler::diagnostic_writer::flattened;
use tsr_core::Tristate;
use tsr_embed::{FileCache, Program, ProgramFile, ProgramOptions, Session};
use tsr_jsstring::JsString;

use super::compiler_options::{is_own, options};
use super::files::{CheckFileSystem, Sources};
use super::internal_modules;
use crate::declarations;
use lmthing_base::parser::Language;
use lmthing_typescript::code::library::{self, WithLibrary};

/// Diagnostics of category "error" (`tsr_diagnostics::Category::Error`).
const ERROR: i32 = 1;

#[derive(Clone, Debug)]
pub(super) struct TypeError {
    pub(super) file: PathBuf,
    /// Bytes of the text that was checked.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) code: i32,
    /// The chain of messages, each line indented more.
    pub(super) message: String,
    pub(super) related: Vec<TypeError>,
}

#[derive(Default)]
pub(super) struct ProgramCache {
    cache: FileCache,
    counters: Counters,
    /// The cache holds only weak references to the libraries.
    last: HashMap<(bool, bool), Arc<Program>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct CheckRequest<'a> {
    pub(super) file: &'a Path,
    pub(super) language: Language,
    pub(super) uses_node: bool,
}

#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) errors: Vec<TypeError>,
    pub(super) has_other_language: bool,
}

impl ProgramCache {
    pub(super) fn check(
        &mut self,
        request: CheckRequest<'_>,
        sources: &Arc<Sources>,
    ) -> Result<Checked, tsr_compiler::Error> {
        let session = self.load(request, sources)?;
        let checked = run(&session, request.language);
        let kind = (request.language == Language::TypeScript, request.uses_node);
        self.last.insert(kind, session.program().clone());
        checked
    }

    fn load(&mut self, request: CheckRequest<'_>, sources: &Arc<Sources>) -> Result<Session, tsr_compiler::Error> {
        let mut options = options(request.language);
        let declared = |file: &str| format!("{}/{file}", declarations::ROOT);
        let mut roots = vec![declared("lmthing.d.ts"), declared(internal_modules::FILE)];
        if request.language == Language::JavaScript {
            roots.push(declared(internal_modules::JAVASCRIPT_FILE));
        }
        match installed_node(request.file) {
            Some(_) => options.types = Some(vec![JsString::from_bytes(b"node".as_slice())]),
            None => roots.extend(globals(request.uses_node)),
        }
        roots.push(request.file.display().to_string());
        let folder = request.file.parent().unwrap_or(Path::new("/"));
        let options = ProgramOptions {
            config: tsr_tsoptions::ParsedCommandLine::new(
                options,
                roots.iter().map(|root| JsString::from_bytes(root.as_bytes())).collect(),
            ),
            host: Arc::new(WithLibrary { files: CheckFileSystem::new(sources.clone()) }),
            current_directory: JsString::from_bytes(folder.display().to_string().as_bytes()),
            default_library_path: JsString::from_bytes(library::FOLDER),
            skip_module_resolution: false,
            single_threaded: Tristate::TRUE,
        };
        Session::load(options, &mut self.cache, &self.counters)
    }
}

/// The declarations of globals; Node's only if its modules are imported, as they take long to read.
fn globals(uses_node: bool) -> Vec<String> {
    let globals = if uses_node { "node_modules/@types/node/index.d.ts" } else { "globals.d.ts" };
    [globals, "additions.d.ts"].map(|file| format!("{}/{file}", declarations::ROOT)).to_vec()
}

fn installed_node(file: &Path) -> Option<PathBuf> {
    let folders = file.ancestors().skip(1).map(|folder| folder.join("node_modules/@types/node"));
    folders.into_iter().find(|folder| folder.join("index.d.ts").is_file())
}

fn run(session: &Session, checked_language: Language) -> Result<Checked, tsr_compiler::Error> {
    let program = session.program();
    let mut operation = session.operation()?;
    let mut checked = Checked::default();
    for file in program.files() {
        let Some(path) = path_of(file).filter(|path| is_own(path)) else { continue };
        match Language::of_file(&path) {
            Some(language) if language == checked_language => {}
            Some(_) => {
                checked.has_other_language = true;
                continue;
            }
            None => continue,
        }
        let found = program.semantic_diagnostics_with_checker(&mut operation, file)?;
        checked
            .errors
            .extend(found.iter().filter(|found| found.category == ERROR).map(|found| error(program, found, &path)));
    }
    Ok(checked)
}

fn path_of(file: &ProgramFile) -> Option<PathBuf> {
    let source = file.bound().view().source_file().ok()?;
    String::from_utf8(source.file_name().to_vec()).ok().map(PathBuf::from)
}

fn error(program: &Program, found: &Diagnostic, path: &Path) -> TypeError {
    let related = found.related_information.iter().filter_map(|related| {
        let file = program.files().iter().find(|file| Some(file.source()) == related.file)?;
        let path = path_of(file)?;
        is_own(&path).then(|| error(program, related, &path))
    });
    let message = flattened(found, b"\n").unwrap_or_default();
    let byte = |place: i64| usize::try_from(place).unwrap_or(0);
    TypeError {
        file: path.to_owned(),
        start: byte(found.loc.pos()),
        end: byte(found.loc.end()),
        code: found.code,
        message: String::from_utf8_lossy(&message).into_owned(),
        related: related.collect(),
    }
}

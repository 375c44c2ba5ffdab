//! One run of the type checker: a prompt file with all that it reaches, as one language is checked. Must not know what becomes of
//! the errors.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tsr_arena::Counters;
use tsr_ast::Diagnostic;
use tsr_compiler::diagnostic_writer::flattened;
use tsr_core::Tristate;
use tsr_embed::{FileCache, Program, ProgramFile, ProgramOptions, Session};
use tsr_jsstring::JsString;

use super::files::{Files, Sources};
use super::language::{is_own, options};
use super::shapes;
use crate::check::declarations;
use crate::code::library::{self, WithLibrary};
use crate::parser::Language;

/// Diagnostics of category "error" (`tsr_diagnostics::Category::Error`).
const ERROR: i32 = 1;

/// An error of the type checker's.
#[derive(Clone, Debug)]
pub(super) struct TypeError {
    /// The file.
    pub(super) file: PathBuf,
    /// The bytes of the text that was checked.
    pub(super) start: usize,
    pub(super) end: usize,
    /// TypeScript's number for it.
    pub(super) code: i32,
    /// The chain of messages, each line indented more.
    pub(super) message: String,
    /// Places that explain it.
    pub(super) related: Vec<TypeError>,
}

/// What is kept between files, so that libraries are parsed once.
#[derive(Default)]
pub(super) struct Kept {
    cache: FileCache,
    counters: Counters,
    /// The cache holds weak references: the last programs of each kind keep the libraries alive.
    last: HashMap<(bool, bool), Arc<Program>>,
}

/// What a run needs besides the sources.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    /// The prompt file.
    pub(super) file: &'a Path,
    /// The files of this language are checked.
    pub(super) language: Language,
    /// Whether modules of Node are imported.
    pub(super) uses_node: bool,
}

/// What a run found.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) errors: Vec<TypeError>,
    /// The author's files of the other language, which want a run of their own.
    pub(super) others: bool,
}

impl Kept {
    /// Checks all of the author's files of a language that a prompt file reaches.
    ///
    /// # Errors
    /// When the checker failed.
    pub(super) fn check(&mut self, wanted: Wanted<'_>, sources: &Arc<Sources>) -> Result<Checked, String> {
        let session = self.load(wanted, sources)?;
        let checked = run(&session, wanted.language);
        let kind = (wanted.language == Language::TypeScript, wanted.uses_node);
        self.last.insert(kind, session.program().clone());
        checked
    }

    fn load(&mut self, wanted: Wanted<'_>, sources: &Arc<Sources>) -> Result<Session, String> {
        let mut options = options(wanted.language);
        let mut roots =
            vec![format!("{}/lmthing.d.ts", declarations::ROOT), format!("{}/{}", declarations::ROOT, shapes::FILE)];
        match installed_node(wanted.file) {
            Some(_) => options.types = Some(vec![JsString::from_bytes(b"node".as_slice())]),
            None => roots.extend(globals(wanted.uses_node)),
        }
        roots.push(wanted.file.display().to_string());
        let folder = wanted.file.parent().unwrap_or(Path::new("/"));
        let options = ProgramOptions {
            config: tsr_tsoptions::ParsedCommandLine::new(
                options,
                roots.iter().map(|root| JsString::from_bytes(root.as_bytes())).collect(),
            ),
            host: Arc::new(WithLibrary { files: Files::new(sources.clone()) }),
            current_directory: JsString::from_bytes(folder.display().to_string().as_bytes()),
            default_library_path: JsString::from_bytes(library::FOLDER),
            skip_module_resolution: false,
            single_threaded: Tristate::TRUE,
        };
        Session::load(options, &mut self.cache, &self.counters).map_err(|error| error.to_string())
    }
}

/// The declarations of globals, and of Node's modules where these are imported: reading them takes time.
fn globals(uses_node: bool) -> Vec<String> {
    let globals = if uses_node { "node_modules/@types/node/index.d.ts" } else { "globals.d.ts" };
    [globals, "additions.d.ts"].map(|file| format!("{}/{file}", declarations::ROOT)).to_vec()
}

/// The declarations of Node that the author has installed.
fn installed_node(file: &Path) -> Option<PathBuf> {
    let folders = file.ancestors().skip(1).map(|folder| folder.join("node_modules/@types/node"));
    folders.into_iter().find(|folder| folder.join("index.d.ts").is_file())
}

fn run(session: &Session, wanted: Language) -> Result<Checked, String> {
    let program = session.program();
    let mut operation = session.operation().map_err(|error| error.to_string())?;
    let mut checked = Checked::default();
    for file in program.files() {
        let Some(path) = path_of(file).filter(|path| is_own(path)) else { continue };
        match Language::of_file(&path) {
            Some(language) if language == wanted => {}
            Some(_) => {
                checked.others = true;
                continue;
            }
            None => continue,
        }
        let found =
            program.semantic_diagnostics_with_checker(&mut operation, file).map_err(|error| error.to_string())?;
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

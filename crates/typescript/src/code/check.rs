//! The type check by tsr (a Rust port of the TypeScript compiler): strict, ES2022, with only the declared functions
//! and `console` in scope.

use std::sync::Arc;

use tsr_arena::Counters;
use tsr_compiler::diagnostic_writer::flattened;
use tsr_core::{CompilerOptions, ScriptTarget, Tristate};
use tsr_embed::{FileCache, ProgramOptions, Session};
use tsr_jsstring::JsString;

use super::body::Body;
use super::diagnostics::{CodeDiagnostic, without_advice};
use super::library::{self, WithLibrary};

const CODE_FILE: &[u8] = b"/code.ts";
const DECLARATION_FILE: &[u8] = b"/functions.d.ts";
const ERROR: i32 = 1;
const MAX_ERRORS: usize = 50;

/// The globals of the sandbox, apart from registered functions and the language.
const CONSOLE: &str = "declare const console: {\n  log(...data: any[]): void;\n  info(...data: any[]): void;\n  \
                       warn(...data: any[]): void;\n  error(...data: any[]): void;\n  debug(...data: any[]): void;\n};\n";

#[derive(Debug, Default)]
pub struct CheckErrors {
    /// Errors of the parser; when there are any, nothing else is checked.
    pub syntax: Vec<Located>,
    pub types: Vec<Located>,
}

/// The type checker could not check code.
#[derive(Debug, thiserror::Error)]
pub enum CheckerError {
    #[error("the code file was not loaded")]
    NoCodeFile,
    #[error(transparent)]
    Compiler(#[from] tsr_compiler::Error),
}

#[derive(Debug)]
pub struct Located {
    pub offset: usize,
    pub diagnostic: CodeDiagnostic,
}

/// A type checker that keeps the parsed library between checks.
#[derive(Default)]
pub struct Checker {
    cache: FileCache,
    counters: Counters,
    /// The cache holds only weak references to the library.
    last: Option<Session>,
}

impl Checker {
    pub fn new() -> Self {
        Self::default()
    }

    /// Loads the library and the declarations in advance (about 20–40 ms the first time).
    pub fn warm(&mut self, declarations: &str) -> Result<(), CheckerError> {
        self.check(&Body::for_check("return await Promise.resolve([1].map(String));"), declarations).map(|_| ())
    }

    pub fn check(&mut self, body: &Body, declarations: &str) -> Result<CheckErrors, CheckerError> {
        let session = self.load(body, declarations)?;
        let found = run(&session, body);
        self.last = Some(session);
        found
    }

    fn load(&mut self, body: &Body, declarations: &str) -> Result<Session, CheckerError> {
        let mut files = tsr_vfs::MemoryBuilder::new(b"/", true);
        files.insert_loaded(CODE_FILE, body.text().as_bytes());
        files.insert_loaded(DECLARATION_FILE, format!("{CONSOLE}{declarations}").into_bytes());
        let roots = vec![JsString::from_bytes(DECLARATION_FILE), JsString::from_bytes(CODE_FILE)];
        let options = ProgramOptions {
            config: tsr_tsoptions::ParsedCommandLine::new(compiler_options(), roots),
            host: Arc::new(WithLibrary { files: files.finish() }),
            current_directory: JsString::from_bytes(b"/".as_slice()),
            default_library_path: JsString::from_bytes(library::FOLDER),
            skip_module_resolution: false,
            single_threaded: Tristate::TRUE,
        };
        Ok(Session::load(options, &mut self.cache, &self.counters)?)
    }
}

/// Starts a thread on which the checker starts no further threads. Otherwise its parser starts one with a large stack
/// for every file, which the worker's system-call filter forbids. The stack is 256 MiB of address space.
pub fn spawn_checker_thread<T: Send + 'static>(
    operation: impl FnOnce() -> T + Send + 'static,
) -> std::io::Result<std::thread::JoinHandle<T>> {
    tsr_parser::spawn_parser_thread(operation)
}

fn compiler_options() -> CompilerOptions {
    CompilerOptions {
        strict: Tristate::TRUE,
        target: ScriptTarget::ES2022,
        no_emit: Tristate::TRUE,
        skip_lib_check: Tristate::TRUE,
        lib: Some(vec![JsString::from_bytes(library::ROOT.as_bytes())]),
        types: Some(Vec::new()),
        ..CompilerOptions::default()
    }
}

fn run(session: &Session, body: &Body) -> Result<CheckErrors, CheckerError> {
    let program = session.program();
    let file = program.file(CODE_FILE).ok_or(CheckerError::NoCodeFile)?;
    let syntax = program.syntactic_diagnostics(Some(file))?;
    let syntax = locate(&syntax, body)?;
    if !syntax.is_empty() {
        return Ok(CheckErrors { syntax, types: Vec::new() });
    }
    let mut operation = session.operation().map_err(tsr_compiler::Error::from)?;
    let types = program.semantic_diagnostics_with_checker(&mut operation, file)?;
    Ok(CheckErrors { syntax, types: locate(&types, body)? })
}

fn locate<'a, D>(diagnostics: &'a [D], body: &Body) -> Result<Vec<Located>, CheckerError>
where
    D: std::borrow::Borrow<tsr_ast::Diagnostic> + 'a,
{
    let mut located: Vec<Located> = Vec::new();
    for diagnostic in diagnostics.iter().map(std::borrow::Borrow::borrow).filter(|found| found.category == ERROR) {
        let text = flattened(diagnostic, b"\n")?;
        let offset = body.offset_in_code(usize::try_from(diagnostic.loc.pos()).unwrap_or(0));
        let code = u32::try_from(diagnostic.code).unwrap_or(0);
        let message = format!("{}{}", without_advice(&String::from_utf8_lossy(&text)), hint(code));
        let diagnostic = CodeDiagnostic::at(body.code(), offset, code, message);
        if !located.iter().any(|known| known.diagnostic == diagnostic) {
            located.push(Located { offset, diagnostic });
        }
        if located.len() == MAX_ERRORS {
            break;
        }
    }
    Ok(located)
}

/// Advice for errors whose TypeScript message does not apply to model-written code.
fn hint(code: u32) -> &'static str {
    match code {
        1232 | 1233 | 2307 | 1323 | 2792 => {
            "\nModules cannot be imported here: only the declared functions, `console` and the language itself exist."
        }
        2580..=2584 | 2591..=2593 | 2867 | 2868 => {
            "\nThere is no Node.js and no browser here: only the declared functions, `console` and the language itself."
        }
        _ => "",
    }
}

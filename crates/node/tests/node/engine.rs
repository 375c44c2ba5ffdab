//! Runs script files with the library's engine.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use lmthing_base::diagnostic::Diagnostic;
use lmthing_node::{
    Builtins, Engine, EngineOptions, NativeModule, SCRIPT_STACK_SIZE, ScriptEnd, ScriptHost, THREAD_STACK_SIZE,
    run_script, set_builtins,
};
use lmthing_typescript::code::TypeScriptParser;
use tempfile::TempDir;

/// What a script printed and how it ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub stdout: String,
    pub stderr: String,
    pub error: Option<Diagnostic>,
    pub exit_code: i32,
}

#[derive(Default)]
struct Buffers {
    stdout: RefCell<String>,
    stderr: RefCell<String>,
}

impl ScriptHost for Buffers {
    fn write_stdout(&self, text: &str) {
        self.stdout.borrow_mut().push_str(text);
    }

    fn write_stderr(&self, text: &str) {
        self.stderr.borrow_mut().push_str(text);
    }
}

/// A temporary directory of script files.
pub(crate) struct Files(TempDir);

impl Files {
    /// Writes each `(relative path, text)`, with missing directories.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let directory = Self(tempfile::tempdir().expect("a temporary directory"));
        for (path, text) in files {
            directory.write(path, text);
        }
        directory
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().expect("a path below the directory")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    }

    /// The canonical path of a file in the directory.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.0.path().canonicalize().expect("the directory").join(relative)
    }

    pub(crate) fn run(&self, entry: &str) -> Outcome {
        run_file(&self.path(entry), &[])
    }

    /// What the script prints, with the directory shown as `DIR`; panics if it fails.
    pub(crate) fn stdout(&self, entry: &str) -> String {
        let outcome = self.run(entry);
        assert_eq!(outcome.error, None, "stderr: {}", outcome.stderr);
        self.anonymize(&outcome.stdout)
    }

    /// The rendered error of a script that must fail, with the directory shown as `DIR`.
    pub(crate) fn error(&self, entry: &str) -> String {
        let outcome = self.run(entry);
        let error = outcome.error.unwrap_or_else(|| panic!("no error; stdout: {}", outcome.stdout));
        self.anonymize(&error.render(false, None))
    }

    fn anonymize(&self, text: &str) -> String {
        text.replace(&*self.path("").to_string_lossy(), "DIR/")
    }
}

/// Runs a module with this source.
pub(crate) fn run(source: &str) -> Outcome {
    Files::new(&[("main.mjs", source)]).run("main.mjs")
}

/// What a module prints; panics if it fails.
pub(crate) fn stdout(source: &str) -> String {
    Files::new(&[("main.mjs", source)]).stdout("main.mjs")
}

/// Runs the file on a thread with the stack size of script threads.
pub(crate) fn run_file(path: &Path, native_modules: &[NativeModule]) -> Outcome {
    let (path, native_modules) = (path.to_owned(), native_modules.to_vec());
    let thread = std::thread::Builder::new().stack_size(THREAD_STACK_SIZE);
    let handle = thread.spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(run_here(&path, native_modules))
    });
    handle.expect("a thread").join().expect("a run without panic")
}

async fn run_here(path: &Path, native_modules: Vec<NativeModule>) -> Outcome {
    let buffers = Rc::new(Buffers::default());
    let argv = vec!["node".to_owned(), path.display().to_string()];
    let env = vec![("GREETING".to_owned(), "hello".to_owned())];
    let options = EngineOptions {
        native_modules,
        argv,
        env,
        max_stack_size: SCRIPT_STACK_SIZE,
        ..engine_options(buffers.clone())
    };
    let engine = Engine::new(options).await.expect("an engine");
    let (exit_code, error) = match run_script(&engine, path).await {
        ScriptEnd::Exited(code) => (code, None),
        ScriptEnd::Failed { error, code } => (code, Some(error.diagnostic)),
    };
    Outcome { stdout: buffers.stdout.take(), stderr: buffers.stderr.take(), error, exit_code }
}

/// Options with built-in modules and TypeScript.
pub(crate) fn engine_options(host: Rc<dyn ScriptHost>) -> EngineOptions {
    set_builtins(Builtins { names: &lmthing_runtime::NAMES, load: lmthing_runtime::load });
    EngineOptions { parser: Rc::new(TypeScriptParser), ..EngineOptions::new(host) }
}

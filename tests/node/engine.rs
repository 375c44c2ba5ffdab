//! Runs script files with the library's engine, set up as for a run.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use lmthing_base::diagnostic::Diagnostic;
use lmthing_node::{self as script, Engine, EngineOptions, Halt, NativeModule, ScriptHost};
use tempfile::TempDir;

/// What a script printed and how it ended.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub stdout: String,
    pub stderr: String,
    pub error: Option<Diagnostic>,
    /// The argument of `process.exit`.
    pub exit: Option<i32>,
    /// `process.exitCode` at the end.
    pub exit_code: Option<i32>,
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
        self.anonymize(&error.render(false))
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
    let thread = std::thread::Builder::new().stack_size(script::THREAD_STACK_SIZE);
    let handle = thread.spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(run_here(&path, native_modules))
    });
    handle.expect("a thread").join().expect("a run without panic")
}

async fn run_here(path: &Path, native_modules: Vec<NativeModule>) -> Outcome {
    let buffers = Rc::new(Buffers::default());
    let mut options = EngineOptions::new(buffers.clone());
    options.parser = Rc::new(lmthing_typescript::code::TypeScriptParser);
    options.native_modules = native_modules;
    options.max_stack_size = script::SCRIPT_STACK_SIZE;
    options.argv = vec!["lmthing".to_owned(), path.display().to_string()];
    options.env = vec![("GREETING".to_owned(), "hello".to_owned())];
    let engine = Engine::new(options).await.expect("an engine");
    let mut outcome = engine.context().async_with(async |ctx| drive(&ctx, path).await).await;
    outcome.stdout = buffers.stdout.take();
    outcome.stderr = buffers.stderr.take();
    outcome
}

async fn drive(ctx: &rquickjs::Ctx<'_>, path: &Path) -> Outcome {
    let work = async {
        script::import_file(ctx, path).await.map_err(|error| script::diagnose_error(ctx, error))?;
        script::idle(ctx).await.map(drop).map_err(|error| script::diagnose_error(ctx, error))
    };
    let mut outcome = Outcome::default();
    match script::until_halted(ctx, work).await {
        Ok(Ok(())) => outcome.exit_code = script::exit_code(ctx).expect("an engine"),
        Ok(Err(thrown)) | Err(Halt::Uncaught(thrown) | Halt::UnhandledRejection(thrown)) => {
            outcome.error = Some(thrown.diagnostic);
        }
        Err(Halt::Exit(code)) => outcome.exit = Some(code),
    }
    outcome
}

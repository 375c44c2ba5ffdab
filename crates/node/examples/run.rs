//! Runs a JavaScript or TypeScript file, as `node file arguments…` does.

use std::{
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    rc::Rc,
    thread,
};

use lmthing_node::{
    Builtins, Engine, EngineOptions, SCRIPT_STACK_SIZE, ScriptEnd, ScriptHost, THREAD_STACK_SIZE, end_children,
    restore_terminal, run_script, set_builtins,
};
use lmthing_typescript::code::TypeScriptParser;
#[cfg(unix)]
use signal_hook::consts::{SIGINT, SIGQUIT};

struct Terminal;

impl ScriptHost for Terminal {
    fn write_stdout(&self, text: &str) {
        self.write_stdout_bytes(text.as_bytes());
    }

    fn write_stdout_bytes(&self, bytes: &[u8]) {
        let mut stdout = io::stdout().lock();
        // A reader that has closed the pipe is no failure of the script.
        let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
    }

    fn write_stderr(&self, text: &str) {
        self.write_stderr_bytes(text.as_bytes());
    }

    fn write_stderr_bytes(&self, bytes: &[u8]) {
        let _ = io::stderr().write_all(bytes);
    }

    fn stdout_is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    fn stderr_is_terminal(&self) -> bool {
        io::stderr().is_terminal()
    }
}

fn main() -> ExitCode {
    let mut arguments: Vec<String> =
        std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let Some(file) = arguments.get(1).and_then(|file| std::path::absolute(file).ok()) else {
        Terminal.write_stderr("usage: run <file> [arguments…]\n");
        return ExitCode::from(2);
    };
    arguments[0] = std::env::current_exe().map_or_else(|_| "run".to_owned(), |program| program.display().to_string());
    arguments[1] = file.display().to_string();
    set_builtins(Builtins { names: &lmthing_runtime::NAMES, load: lmthing_runtime::load });
    #[cfg(unix)]
    receive_signals().expect("a thread for signals");
    let script = thread::Builder::new().stack_size(THREAD_STACK_SIZE).spawn(|| run(file, arguments));
    let code = script.expect("a thread for the script").join().unwrap_or(1);
    restore_terminal();
    end_children();
    // The system takes the low byte of an exit code.
    ExitCode::from(code.to_le_bytes()[0])
}

fn run(file: PathBuf, argv: Vec<String>) -> i32 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let end = runtime.block_on(run_in_engine(&file, argv));
    if let ScriptEnd::Failed { error, .. } = &end {
        Terminal.write_stderr(&error.diagnostic.render(io::stderr().is_terminal(), None));
    }
    end.code()
}

async fn run_in_engine(file: &Path, argv: Vec<String>) -> ScriptEnd {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    let engine = Engine::new(EngineOptions {
        argv,
        env: std::env::vars_os().map(|(name, value)| (text(name), text(value))).collect(),
        parser: Rc::new(TypeScriptParser),
        max_stack_size: SCRIPT_STACK_SIZE,
        ..EngineOptions::new(Rc::new(Terminal))
    });
    let engine = engine.await.expect("an engine");
    let end = run_script(&engine, file).await;
    engine.abandon();
    end
}

/// Passes signals to the script if it listens to them, and otherwise does what the system does by default.
#[cfg(unix)]
fn receive_signals() -> io::Result<()> {
    // A shell starts a background job with these two ignored, which child processes would inherit; a handler they do not.
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGQUIT])?;
    let handle = signals.handle();
    lmthing_node::receive_signals(move |signal| handle.add_signal(signal));
    let wait = move || {
        for signal in signals.forever().filter(|signal| !lmthing_node::take_signal(*signal)) {
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    };
    thread::Builder::new().spawn(wait).map(drop)
}

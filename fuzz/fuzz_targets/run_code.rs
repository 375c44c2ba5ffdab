//! Checks, strips and runs any text as model-written code. Whatever the text, preparing it must not panic, and running it
//! must come to an outcome while the worker stays usable.
//!
//! Preparing happens in this process, where the fuzzer sees what the text reaches; running in a worker of the binary named
//! by `LMTHING_BIN`, when it is set.

#![no_main]

use std::{
    sync::{
        Mutex, OnceLock,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use libfuzzer_sys::fuzz_target;
use lmthing_typescript::{code::{CheckMode, Checker, Declarations, prepare}, sandbox::{NoFunctions, Sandbox, SandboxConfig}};

/// The stack the worker gives its checker.
const STACK: usize = 64 << 20;

/// A thread with a deep stack that takes code and answers when it is done with it.
type Runner = Mutex<(Sender<String>, Receiver<()>)>;

fuzz_target!(|code: &str| {
    static RUNNER: OnceLock<Runner> = OnceLock::new();
    let runner = RUNNER.get_or_init(start).lock().expect("the runner never panics while locked");
    runner.0.send(code.to_owned()).expect("preparing or running the code panicked");
    runner.1.recv().expect("preparing or running the code panicked");
});

fn start() -> Runner {
    let (send_code, codes) = channel::<String>();
    let (send_done, done) = channel();
    let run = move || {
        let mut checker = Some(Checker::new());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let config = SandboxConfig { cpu_ms: 200, check_ms: 2_000, ..SandboxConfig::default() };
        let sandbox = std::env::var_os("LMTHING_BIN").map(|binary| Sandbox::with_program(config, binary));
        for code in codes {
            let prepared = prepare(&mut checker, &code, "", CheckMode::Essential);
            if let (Ok(_), Some(sandbox)) = (prepared, &sandbox) {
                let outcome = runtime.block_on(sandbox.run(&code, &Declarations::default(), &NoFunctions));
                assert!(outcome.to_value()["success"].is_boolean(), "every run has an outcome");
            }
            if send_done.send(()).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread");
    Mutex::new((send_code, done))
}

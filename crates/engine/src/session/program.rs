//! Loads a prompt file into an engine of its own and runs it.

use std::{
    path::{Path, PathBuf},
    rc::Rc,
    time::Instant,
};

use thiserror::Error;

use crate::{
    bindings::{self, ConfigOverrides, FileRun, HostServices, ModelChoice, ParsedInput},
    prompt::RunError,
};
use lmthing_base::{input::CommandLine, permission::Permissions};
use lmthing_node::{
    Engine, EngineOptions, MAX_SCRIPT_MEMORY, SCRIPT_STACK_SIZE, ScriptHost, set_hard_deadline, set_name_mentioned,
};
use lmthing_typescript::code::TypeScriptParser;

/// The property with the streamed parts of answers, and the matcher that compares requests. What they need, with the
/// schemas of tools, is only kept if a script mentions them.
const NEED_WHOLE_STEPS: [&str; 2] = ["fullSteps", "toReuse"];

pub struct ProgramOptions {
    /// Where the script's output goes.
    pub host: Rc<dyn ScriptHost>,
    pub services: HostServices,
    /// `process.argv`.
    pub argv: Vec<String>,
    /// `process.env`.
    pub env: Vec<(String, String)>,
    pub permissions: Permissions,
    /// Bytes of stack for scripts.
    pub max_stack_size: usize,
    /// When scripts are interrupted, whatever limits the file has.
    pub deadline: Option<Instant>,
    /// Whether the streamed parts of answers are kept even if no script mentions `fullSteps` or `toReuse`.
    pub keeps_pieces: bool,
}

impl ProgramOptions {
    /// All permissions, no limits but that of memory, and a stack for a thread of [`THREAD_STACK_SIZE`](lmthing_node::THREAD_STACK_SIZE).
    pub fn new(host: Rc<dyn ScriptHost>, services: HostServices) -> Self {
        Self {
            host,
            services,
            argv: Vec::new(),
            env: Vec::new(),
            permissions: Permissions::default(),
            max_stack_size: SCRIPT_STACK_SIZE,
            deadline: None,
            keeps_pieces: false,
        }
    }
}

/// An engine with lmthing's bindings for one prompt file.
pub struct Program {
    engine: Engine,
    path: PathBuf,
}

/// An engine cannot be made.
#[derive(Debug, Error)]
pub enum LoadError {
    #[error("cannot start the JavaScript engine: {0}")]
    Engine(rquickjs::Error),
    #[error("cannot install lmthing's bindings: {0}")]
    Bindings(#[from] rquickjs::Error),
}

impl Program {
    /// Makes the engine. The file is not read before `run` or `read_input`, which report its errors.
    ///
    /// # Errors
    /// Out of memory, or a defect in a built-in module.
    pub async fn load(path: &Path, options: ProgramOptions) -> Result<Self, LoadError> {
        let engine = Engine::new(EngineOptions {
            native_modules: bindings::NATIVE_MODULES.to_vec(),
            argv: options.argv,
            env: options.env,
            permissions: options.permissions,
            parser: Rc::new(TypeScriptParser),
            noted_names: &NEED_WHOLE_STEPS,
            max_stack_size: options.max_stack_size,
            max_memory: Some(MAX_SCRIPT_MEMORY),
            ..EngineOptions::new(options.host)
        });
        let engine = engine.await.map_err(LoadError::Engine)?;
        let installed = engine.context().with(|ctx| {
            if let Some(deadline) = options.deadline {
                set_hard_deadline(&ctx, deadline)?;
            }
            if options.keeps_pieces {
                set_name_mentioned(&ctx)?;
            }
            bindings::install(&ctx, options.services)
        });
        installed.await?;
        Ok(Self { engine, path: path.to_owned() })
    }

    /// `model` replaces the model of the file, `overrides` other settings.
    pub async fn run(&self, line: &CommandLine, model: Option<&ModelChoice>, overrides: &ConfigOverrides) -> FileRun {
        bindings::run_file(&self.engine, &self.path, line, model, overrides).await
    }

    /// Loads the file and reads its input without running it.
    ///
    /// # Errors
    /// The file is invalid, or the input does not match its schema.
    pub async fn read_input(&self, line: &CommandLine) -> Result<ParsedInput, Rc<RunError>> {
        bindings::read_input(&self.engine, &self.path, line).await
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Ends the MCP servers of the run, even past its time limit.
    pub async fn close_servers(&self) {
        bindings::close_servers(&self.engine).await;
    }

    /// See [`Engine::abandon`].
    pub fn abandon(self) {
        self.engine.abandon();
    }
}

//! Compiles TypeScript that needs generated code (enums, namespaces, parameter properties, decorators), with a
//! position map.

use std::{string::FromUtf8Error, sync::Arc};

use tsr_arena::Counters;
use tsr_compiler::Error;
use tsr_core::{CompilerOptions, ModuleKind, ScriptTarget, Tristate};
use tsr_embed::{EmitOnly, EmitOptions, EmittedFile, FileCache, ProgramOptions, Session};
use tsr_jsstring::JsString;

use super::source_map::positions_of_source_map;
use lmthing_base::parser::Positions;

const FILE: &[u8] = b"/module.mts";

/// The compiler has failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum CompileError {
    #[error(transparent)]
    Compiler(#[from] Error),
    #[error("the compiler wrote no code")]
    NoCode,
    #[error(transparent)]
    NotText(#[from] FromUtf8Error),
    #[error(transparent)]
    SourceMap(#[from] serde_json::Error),
}

pub(super) fn compile(text: &str) -> Result<(String, Positions), CompileError> {
    let emitted = emit(text)?;
    let find = |ending: &[u8]| emitted.iter().find(|file| file.name.as_bytes().ends_with(ending));
    let (Some(code), Some(map)) = (find(b".mjs"), find(b".mjs.map")) else {
        return Err(CompileError::NoCode);
    };
    let code = String::from_utf8(code.text.clone())?;
    // Removes the comment with the name of the source map.
    let end = code.rfind("//# sourceMappingURL=").unwrap_or(code.len());
    let code = code[..end].to_owned();
    let positions = positions_of_source_map(&map.text, text, &code)?;
    Ok((code, positions))
}

fn emit(text: &str) -> Result<Vec<EmittedFile>, Error> {
    let mut files = tsr_vfs::MemoryBuilder::new(b"/", true);
    files.insert_loaded(FILE, text.as_bytes());
    let root = vec![JsString::from_bytes(FILE)];
    let options = ProgramOptions {
        config: tsr_tsoptions::ParsedCommandLine::new(compiler_options(), root),
        host: Arc::new(files.finish()),
        current_directory: JsString::from_bytes(b"/".as_slice()),
        default_library_path: JsString::from_bytes(b"/lib".as_slice()),
        skip_module_resolution: true,
        single_threaded: Tristate::TRUE,
    };
    let session = Session::load(options, &mut FileCache::new(), &Counters::new())?;
    let output = session.emit(&EmitOptions { target_source_files: None, emit_only: EmitOnly::Js, force_emit: true })?;
    Ok(output.files)
}

/// Consistent with blanking: imports are kept as written, fields have the semantics of the language.
fn compiler_options() -> CompilerOptions {
    CompilerOptions {
        target: ScriptTarget::ES2022,
        module: ModuleKind::ESNEXT,
        isolated_modules: Tristate::TRUE,
        verbatim_module_syntax: Tristate::TRUE,
        use_define_for_class_fields: Tristate::TRUE,
        source_map: Tristate::TRUE,
        no_lib: Tristate::TRUE,
        no_check: Tristate::TRUE,
        no_resolve: Tristate::TRUE,
        types: Some(Vec::new()),
        ..CompilerOptions::default()
    }
}

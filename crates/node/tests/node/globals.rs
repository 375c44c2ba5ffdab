//! Web and Node globals and modules: every `tests/node/globals/*.mjs` runs in an [`Engine`], and its default export is
//! the list of failures.
//!
//! `expressions.mjs` is a table whose printed results must equal `expressions.expected.json`, which `node
//! crates/node/tests/node/globals/expressions.mjs` writes with real Node (run it again after adding a case).

use std::{path::Path, rc::Rc};

use lmthing_node::{Engine, ScriptHost, import_file};
use rquickjs::{CatchResultExt, Ctx};

use crate::engine::engine_options;
use crate::http_server::HttpServer;

struct Silent;

impl ScriptHost for Silent {
    fn write_stdout(&self, _: &str) {}
    fn write_stderr(&self, _: &str) {}
}

/// Runs one test file; returns its failures.
async fn failures_of(file: &str) -> Vec<String> {
    let server = HttpServer::start().await;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut options = engine_options(Rc::new(Silent));
    options.env = vec![
        ("TEST_SERVER".to_owned(), server.url()),
        ("TEST_CLOSED_PORT".to_owned(), server.closed_port().to_string()),
        ("TEST_DIRECTORY".to_owned(), directory.path().to_string_lossy().into_owned()),
        ("HOME".to_owned(), "/home/test".to_owned()),
    ];
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/node/globals").join(file);
    let engine = Engine::new(options).await.expect("the engine starts");
    let work = async |ctx: Ctx<'_>| {
        let namespace = import_file(&ctx, &path).await.catch(&ctx).map_err(|error| error.to_string())?;
        namespace.get::<_, Vec<String>>("default").map_err(|error| error.to_string())
    };
    engine.context().async_with(async |ctx| work(ctx).await.unwrap_or_else(|error| vec![error])).await
}

macro_rules! script_tests {
    ($($name:ident),+ $(,)?) => {
        $(#[tokio::test(flavor = "current_thread")]
        async fn $name() {
            let failures = failures_of(concat!(stringify!($name), ".mjs")).await;
            assert!(failures.is_empty(), "{}", failures.join("\n\n"));
        })+

        /// A test file that is not listed would never run.
        #[test]
        fn every_file_is_run() {
            let mut files = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/node/globals"))
                .expect("the folder of tests")
                .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
                .filter_map(|name| name.strip_suffix(".mjs").map(str::to_owned))
                .filter(|name| name != "check")
                .collect::<Vec<_>>();
            files.sort();
            let mut run = vec![$(stringify!($name)),+];
            run.sort();
            assert_eq!(files, run);
        }
    };
}

script_tests!(abort, expressions, fetch, files, modules, streams);

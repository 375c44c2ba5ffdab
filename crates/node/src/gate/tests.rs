#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeSet;
use std::rc::Rc;

use rquickjs::{CatchResultExt, Object, object::Filter};

use crate::engine::{Engine, EngineOptions, engine_native_modules};
use crate::host::SilentHost;

/// Native functions that reach something outside of the script and check permissions first, by module and name. Those
/// for signals do nothing if the check fails. `tests/cli/check_render.rs` calls the JavaScript functions above them.
const CHECKED: &[(&str, &[&str])] = &[
    ("child-process", &["kill", "spawn", "spawnSync"]),
    ("commonjs", &["readText"]),
    ("fetch", &["exchange"]),
    (
        "fs",
        &[
            "changeMode",
            "changeModeAsync",
            "changeModeOpen",
            "changeModeOpenAsync",
            "changeOwner",
            "changeOwnerAsync",
            "changeOwnerOpen",
            "changeOwnerOpenAsync",
            "copyFile",
            "copyFileAsync",
            "hardLink",
            "hardLinkAsync",
            "makeDirectory",
            "makeDirectoryAsync",
            "makeTemporaryDirectory",
            "makeTemporaryDirectoryAsync",
            "open",
            "openAsync",
            "remove",
            "removeAsync",
            "removeDirectory",
            "removeDirectoryAsync",
            "access",
            "accessAsync",
            "fileSystem",
            "fileSystemAsync",
            "readDirectory",
            "readDirectoryAsync",
            "readFile",
            "readFileAsync",
            "readFileText",
            "readFileTextAsync",
            "readLink",
            "readLinkAsync",
            "realPath",
            "realPathAsync",
            "stat",
            "statAsync",
            "rename",
            "renameAsync",
            "setTimes",
            "setTimesAsync",
            "setTimesOpen",
            "setTimesOpenAsync",
            "symbolicLink",
            "symbolicLinkAsync",
            "truncate",
            "truncateAsync",
            "truncateOpen",
            "truncateOpenAsync",
            "unlink",
            "unlinkAsync",
            "write",
            "writeAll",
            "writeAllAsync",
            "writeAsync",
            "writeFile",
            "writeFileAsync",
        ],
    ),
    ("fs-watch", &["watch"]),
    ("network", &["connect", "connectPath", "listen", "listenPath", "lookup"]),
    ("os", &["priority"]),
    ("system", &["chdir", "ignore", "listen", "onSignal", "umask"]),
];

/// Native functions that need no permission.
const UNCHECKED: &[(&str, &[&str])] = &[
    ("alive", &["createLoopHandle"]),
    ("async-context", &["followPromises"]),
    (
        "commonjs",
        &[
            "addonMessage",
            "builtinName",
            "builtinNames",
            "compile",
            "kindOf",
            "lookupFolders",
            "namespaceOf",
            "resolve",
        ],
    ),
    ("compression", &["crc32", "open", "openBrotli"]),
    (
        "console",
        &[
            "columns",
            "drawStderr",
            "drawStdout",
            "now",
            "patched",
            "stderrHasColors",
            "stderrIsTerminal",
            "stdoutHasColors",
            "stdoutIsTerminal",
            "writeStderr",
            "writeStderrBytes",
            "writeStdout",
            "writeStdoutBytes",
        ],
    ),
    (
        "crypto",
        &[
            "createCipher",
            "createHash",
            "createHmac",
            "curveAgree",
            "curveGenerate",
            "curvePoint",
            "curvePublicKey",
            "curveSign",
            "curveVerify",
            "ed25519Sign",
            "ed25519Verify",
            "hkdf",
            "hkdfAsync",
            "pbkdf2",
            "pbkdf2Async",
            "randomBytes",
            "rsaGenerate",
            "rsaGenerateAsync",
            "rsaPrivateKey",
            "rsaPublicKey",
            "scrypt",
            "scryptAsync",
        ],
    ),
    ("encoding", &["decodeUtf8", "decoder", "encodeUtf8"]),
    ("fetch", &["userAgent"]),
    (
        "fs",
        &[
            "close",
            "closeAsync",
            "read",
            "readAll",
            "readAllAsync",
            "readAllText",
            "readAllTextAsync",
            "readAsync",
            "statOpen",
            "statOpenAsync",
            "sync",
            "syncAsync",
        ],
    ),
    ("inspect", &["hasProxy", "promiseDetails", "proxyDetails"]),
    (
        "intl",
        &[
            "canonicalize",
            "defaultLocaleName",
            "findBoundaries",
            "isDaylightTime",
            "makeComparer",
            "maximize",
            "minimize",
            "readSection",
            "systemZone",
            "toLowerCase",
            "toUpperCase",
            "wallToUtc",
            "zoneName",
            "zoneNames",
            "zoneOffset",
        ],
    ),
    ("modules", &["importBuiltin"]),
    ("network", &["ipVersion"]),
    ("os", &["homeDirectory", "processorCount", "sleep", "systemLoad", "systemNames", "userIds"]),
    (
        "process",
        &[
            "arch",
            "argv",
            "cwd",
            "env",
            "execPath",
            "hrtime",
            "noteVariable",
            "pid",
            "platform",
            "ppid",
            "refuseVariable",
            "remember",
            "requestExit",
            "residentSetSize",
            "setExitCode",
            "setHooks",
            "uptime",
            "version",
        ],
    ),
    ("stdin", &["keepAlive", "read", "setRawMode", "stdinIsTerminal", "windowSize"]),
    ("system", &["identity", "usage"]),
    (
        "timers",
        &["cancel", "reportUncaught", "requestTick", "schedule", "scheduleImmediate", "setDispatcher", "setReferenced"],
    ),
    ("url", &["domainToASCII", "domainToUnicode", "parse", "parseQuery", "serializeQuery", "set"]),
    ("wasm", &["begin", "end"]),
];

/// A new native function must be added to one of the lists.
#[tokio::test(flavor = "current_thread")]
async fn every_native_function_is_listed() {
    let engine = Engine::new(EngineOptions::new(Rc::new(SilentHost))).await.unwrap();
    let names = async |ctx: rquickjs::Ctx<'_>| {
        let mut names = BTreeSet::new();
        for module in engine_native_modules() {
            let exports: Object = (module.init)(&ctx).catch(&ctx).unwrap();
            let short = module.name.trim_start_matches("lmthing:internal/native/");
            for name in exports.own_keys::<String>(Filter::new().string()) {
                names.insert(format!("{short}.{}", name.unwrap()));
            }
        }
        names
    };
    let actual = engine.context().async_with(names).await;
    let listed = [CHECKED, UNCHECKED].concat();
    let listed: Vec<String> =
        listed.iter().flat_map(|(module, names)| names.iter().map(move |name| format!("{module}.{name}"))).collect();
    let expected: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(expected.len(), listed.len(), "a function is listed twice");
    assert_eq!(actual.difference(&expected).collect::<Vec<_>>(), [""; 0], "not listed: does it check permissions?");
    assert_eq!(expected.difference(&actual).collect::<Vec<_>>(), [""; 0], "listed, but does not exist");
}

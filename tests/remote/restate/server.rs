//! The real Restate server, from npm: with its own ports and folder, killed at the end of the test.

use std::{
    collections::hash_map::RandomState,
    fs,
    hash::BuildHasher,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

use super::http::{self, Reply};

use crate::support::{npm_packages::cached, wait_within};

/// A fixed version.
const PACKAGE: &str = "@restatedev/restate-server@1.7.12";

/// After SIGKILL the server needs seconds to recover.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Server {
    program: PathBuf,
    folder: tempfile::TempDir,
    pub ingress: u16,
    pub admin: u16,
    node: u16,
    child: Option<Child>,
}

impl Server {
    /// A server that serves; `None` if it cannot be installed here.
    pub(crate) fn start(test: &str) -> Option<Self> {
        let program = program(&cached(test, &[PACKAGE])?)?;
        let folder = tempfile::tempdir().unwrap();
        let [ingress, admin, node] = free_ports();
        let mut server = Server { program, folder, ingress, admin, node, child: None };
        server.start_again();
        Some(server)
    }

    /// Starts with the data of before, and waits until it serves.
    pub(crate) fn start_again(&mut self) {
        self.begin();
        self.wait_until_it_serves();
    }

    /// Starts without waiting.
    pub(crate) fn begin(&mut self) {
        let log = fs::File::options().create(true).append(true).open(self.log()).unwrap();
        let mut command = Command::new(&self.program);
        command.args(["--no-logo", "--bind-ip", "127.0.0.1", "--listen-mode", "tcp", "--node-name", "lab"]);
        command.args(["--default-num-partitions", "4", "--bind-port", &self.node.to_string()]);
        command.arg("--base-dir").arg(self.folder.path().join("data")).env("RESTATE_DISABLE_TELEMETRY", "true");
        command.env("RESTATE_INGRESS__BIND_PORT", self.ingress.to_string());
        command.env("RESTATE_ADMIN__BIND_PORT", self.admin.to_string());
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        self.child = Some(command.spawn().unwrap());
    }

    /// The health check succeeds long before the server serves; a query about all partitions is reliable.
    pub(crate) fn wait_until_it_serves(&self) {
        wait_within(
            PATIENCE,
            || format!("the server serves: {}", fs::read_to_string(self.log()).unwrap_or_default()),
            || self.rows("SELECT count(*) AS n FROM sys_invocation").is_some(),
        );
    }

    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = (child.kill(), child.wait());
        }
    }

    /// Sends one request to the ingress.
    pub(crate) fn post(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> Reply {
        http::ask("POST", self.ingress, path, headers, &body.to_string()).unwrap()
    }

    /// The rows of a query; `None` if the server cannot answer it yet.
    fn rows(&self, sql: &str) -> Option<Vec<Value>> {
        let reply = http::ask("POST", self.admin, "/query", &[], &json!({ "query": sql }).to_string()).ok()?;
        let rows = (reply.status == 200).then(|| reply.json())?;
        Some(rows["rows"].as_array().unwrap().clone())
    }

    /// The rows of a query.
    pub(crate) fn query(&self, sql: &str) -> Vec<Value> {
        let mut found = None;
        soon(sql, || {
            found = self.rows(sql);
            found.is_some()
        });
        found.unwrap()
    }

    /// The state of an invocation, such as `running`, `suspended`, `backing-off`, `completed`.
    pub(crate) fn status(&self, id: &str) -> String {
        let rows = self.query(&format!("SELECT status FROM sys_invocation WHERE id = '{id}'"));
        rows.first().map_or("gone", |row| row["status"].as_str().unwrap()).to_owned()
    }

    /// Cancels an invocation; its service may clean up.
    pub(crate) fn cancel(&self, id: &str) {
        let reply = http::ask("PATCH", self.admin, &format!("/invocations/{id}/cancel"), &[], "").unwrap();
        assert!(reply.status < 300, "{reply:?}");
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("server.log")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The executable in the package for this system.
fn program(home: &Path) -> Option<PathBuf> {
    let packages = fs::read_dir(home.join("node_modules/@restatedev")).ok()?;
    packages.flatten().map(|package| package.path().join("bin/restate-server")).find(|program| program.is_file())
}

/// Free ports below the range of outgoing connections.
pub(crate) fn free_ports<const N: usize>() -> [u16; N] {
    let mut held = Vec::new();
    while held.len() < N {
        let port = 12_000 + u16::try_from(RandomState::new().hash_one(held.len()) % 20_000).unwrap();
        held.extend(TcpListener::bind(("127.0.0.1", port)));
    }
    std::array::from_fn(|place| held[place].local_addr().unwrap().port())
}

/// Waits with [`PATIENCE`].
pub(crate) fn soon(what: &str, holds: impl FnMut() -> bool) {
    wait_within(PATIENCE, || what.to_owned(), holds);
}

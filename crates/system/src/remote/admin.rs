//! Restate's admin API: queries for calls that wait for approval and for the last failure of a run. Used only for
//! information.

use std::time::Duration;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Address, RemoteError,
    client::{ApiRequest, Client},
};

/// The journal entry in which a worker publishes calls that wait for approval.
const APPROVAL_ENTRY: &str = "waits for approval";

const QUERY_TIMEOUT: Duration = Duration::from_secs(5);

const AWAKEABLE_PREFIX: &str = "sign_1";

pub struct AdminClient(Client);

#[derive(Clone, Debug)]
pub struct PendingCall {
    /// The awakeable that is resolved with the decision.
    pub id: String,
    pub name: String,
    pub args: Value,
    pub invocation: String,
    pub service: String,
}

#[derive(Deserialize)]
struct Rows {
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    id: String,
    #[serde(default)]
    entry_type: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    entry_json: Option<String>,
    #[serde(default)]
    service: Option<String>,
    #[serde(default)]
    last_failure: Option<String>,
}

impl AdminClient {
    pub fn new(address: &Address, variables: &[(String, String)]) -> Result<Self, RemoteError> {
        // No retries: its answers are informational.
        Ok(AdminClient(Client::new(address, variables)?.with_patience(Duration::ZERO)))
    }

    pub async fn waiting(&self, invocation: Option<&str>) -> Result<Vec<PendingCall>, RemoteError> {
        let only =
            invocation.filter(|id| needs_no_quotes(id)).map(|id| format!(" and i.id = '{id}'")).unwrap_or_default();
        // The name is in the `Run` command, the calls in its completion, the decisions in signals.
        let query = format!(
            "select j.id as id, j.entry_type as entry_type, j.name as name, j.entry_json as entry_json, \
             i.target_service_name as service from sys_journal j join sys_invocation i on i.id = j.id \
             where i.status <> 'completed'{only} and j.id in (select id from sys_journal where name = '{APPROVAL_ENTRY}') \
             and j.entry_type in ('Command: Run', 'Notification: Run', 'Notification: Signal') order by j.id, j.index"
        );
        Ok(undecided_calls(&self.query(&query).await?))
    }

    /// Returns the failure of the last attempt of an unfinished invocation.
    pub async fn last_failure(&self, invocation: &str) -> Result<Option<String>, RemoteError> {
        if !needs_no_quotes(invocation) {
            return Ok(None);
        }
        let query = format!(
            "select id, last_failure from sys_invocation where id = '{invocation}' and status in ('backing-off', 'paused')"
        );
        Ok(self.query(&query).await?.into_iter().find_map(|row| row.last_failure))
    }

    async fn query(&self, query: &str) -> Result<Vec<Row>, RemoteError> {
        let body = json!({ "query": query });
        let request = ApiRequest { within: QUERY_TIMEOUT, ..ApiRequest::post(self.0.address.at(&["query"]), &body) };
        let reply = self.0.send(&request).await?;
        match serde_json::from_slice::<Rows>(&reply.body) {
            Ok(rows) if reply.status == 200 => Ok(rows.rows),
            _ => {
                Err(self.0.refusal(&reply).with_hint("the admin API is wanted, such as --admin http://127.0.0.1:9070"))
            }
        }
    }
}

/// Whether an id can be put into a query without quoting.
fn needs_no_quotes(id: &str) -> bool {
    id.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-')
}

/// Collects the undecided calls from rows that are ordered by journal and entry.
fn undecided_calls(rows: &[Row]) -> Vec<PendingCall> {
    let mut found = Vec::new();
    for journal in rows.chunk_by(|one, other| one.id == other.id) {
        let entries: Vec<(&Row, Value)> = journal
            .iter()
            .filter_map(|row| Some((row, serde_json::from_str(row.entry_json.as_deref()?).ok()?)))
            .collect();
        let of = |kind: &str| entries.iter().filter(move |(row, _)| row.entry_type == kind).collect::<Vec<_>>();
        let published: Vec<&Value> = of("Command: Run")
            .into_iter()
            .filter(|(row, _)| row.name.as_deref() == Some(APPROVAL_ENTRY))
            .map(|(_, entry)| &entry["Command"]["Run"]["completion_id"])
            .collect();
        let decided: Vec<u64> = of("Notification: Signal")
            .into_iter()
            .filter_map(|(_, entry)| entry["Notification"]["Signal"]["id"]["Index"].as_u64())
            .collect();
        for (row, entry) in of("Notification: Run") {
            let run = &entry["Notification"]["Completion"]["Run"];
            if published.contains(&&run["completion_id"]) {
                let calls = published_calls(row, &run["result"]["Success"]);
                found.extend(calls.filter(|call| signal(&call.id).is_none_or(|index| !decided.contains(&index))));
            }
        }
    }
    found
}

/// Parses a published value, which is an array of the bytes of a JSON text.
fn published_calls<'a>(row: &'a Row, value: &Value) -> impl Iterator<Item = PendingCall> + use<'a> {
    let bytes: Vec<u8> = serde_json::from_value(value.clone()).unwrap_or_default();
    let published: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let calls = published["calls"].as_array().cloned().unwrap_or_default();
    calls.into_iter().filter_map(|call| {
        Some(PendingCall {
            id: call["id"].as_str()?.to_owned(),
            name: call["name"].as_str().unwrap_or_default().to_owned(),
            args: call["args"].clone(),
            invocation: row.id.clone(),
            service: row.service.clone().unwrap_or_default(),
        })
    })
}

/// Index of the awakeable's signal: the last four bytes of its id, in big-endian order.
fn signal(awakeable: &str) -> Option<u64> {
    let bytes = URL_SAFE_NO_PAD.decode(awakeable.strip_prefix(AWAKEABLE_PREFIX)?).ok()?;
    let index: [u8; 4] = bytes[bytes.len().checked_sub(4)?..].try_into().ok()?;
    Some(u32::from_be_bytes(index).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(entry_type: &str, name: Option<&str>, entry: &Value) -> Row {
        let (id, entry_type, name) = ("inv_1".to_owned(), entry_type.to_owned(), name.map(str::to_owned));
        let service = Some("deploy".to_owned());
        Row { id, entry_type, name, entry_json: Some(entry.to_string()), service, last_failure: None }
    }

    #[test]
    fn calls_wait_until_their_signal_is_there() {
        let id = "sign_19faFKbtLN2_K0fT5bM6kCXToQ9REp3TWAAAAEQ";
        assert_eq!(signal(id), Some(17));
        let calls = json!({ "calls": [{ "id": id, "name": "deploy", "args": { "to": "live" } }] }).to_string();
        let other = row("Command: Run", Some("checkpoint 1"), &json!({ "Command": { "Run": { "completion_id": 1 } } }));
        let command =
            row("Command: Run", Some(APPROVAL_ENTRY), &json!({ "Command": { "Run": { "completion_id": 2 } } }));
        let value = json!({ "completion_id": 2, "result": { "Success": calls.as_bytes() } });
        let entry = json!({ "Notification": { "Completion": { "Run": value } } });
        let published = row("Notification: Run", None, &entry);
        let signal =
            row("Notification: Signal", None, &json!({ "Notification": { "Signal": { "id": { "Index": 17 } } } }));
        let mut rows = vec![other, command, published];
        let waiting = undecided_calls(&rows);
        assert_eq!((waiting.len(), &*waiting[0].name, &*waiting[0].service), (1, "deploy", "deploy"));
        rows.push(signal);
        assert!(undecided_calls(&rows).is_empty());
    }
}

//! Connects a client to gauntlet: one JSON object a line in, one out. Replace `delegate` by a call of your client.

use std::error::Error;
use std::io::Write;
use std::time::Duration;

use serde_json::{Value, json};
use ureq::Agent;

const STATUSES: [&str; 6] = ["completed", "failed", "rejected", "canceled", "input-required", "auth-required"];

fn delegate(work: &Value) -> Result<Value, Box<dyn Error>> {
    let deadline = Duration::from_millis(work["deadlineMs"].as_u64().unwrap_or(1_000));
    let agent: Agent = Agent::config_builder().timeout_global(Some(deadline)).build().into();
    let card_url = work["peers"][0]["cardUrl"].as_str().ok_or("no card")?;
    let card: Value = agent.get(card_url).call()?.body_mut().read_json()?;
    let interfaces = card["supportedInterfaces"].as_array().ok_or("the card lists no interfaces")?;
    let version = |one: &Value| one["protocolVersion"].as_str().is_some_and(|text| text.starts_with("1."));
    let spoken = |one: &&Value| one["protocolBinding"] == "JSONRPC" && version(one);
    let interface = interfaces.iter().find(spoken).ok_or("no JSON-RPC 1.x")?;

    // The messageId must not be used twice: the delegation's own id is not.
    let message = json!({"messageId": work["marker"], "role": "ROLE_USER", "parts": work["message"]["parts"]});
    let mut params = json!({"message": message});
    if let Some(tenant) = interface.get("tenant") {
        params["tenant"] = tenant.clone();
    }
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params});
    let url = interface["url"].as_str().ok_or("an interface without url")?;
    let answer: Value = agent.post(url).header("A2A-Version", "1.0").send_json(&request)?.body_mut().read_json()?;
    if let Some(error) = answer.get("error") {
        return Ok(json!({"status": "failed", "text": error["message"]}));
    }

    let (message, task) = (&answer["result"]["message"], &answer["result"]["task"]);
    let artifacts = task["artifacts"].as_array().map(Vec::as_slice).unwrap_or_default();
    let holders = if message.is_object() { std::slice::from_ref(message) } else { artifacts };
    let parts = holders.iter().filter_map(|holder| holder["parts"].as_array()).flatten();
    let text: String = parts.filter_map(|part| part["text"].as_str()).collect();
    let state = task["status"]["state"].as_str().unwrap_or("completed");
    let state = state.trim_start_matches("TASK_STATE_").to_lowercase().replace('_', "-");
    let status = STATUSES.into_iter().find(|word| *word == state).unwrap_or("returned");
    Ok(json!({"status": status, "text": text}))
}

fn main() -> Result<(), Box<dyn Error>> {
    for line in std::io::stdin().lines() {
        let said: Value = serde_json::from_str(&line?)?;
        let answer = match said["type"].as_str() {
            Some("start") => json!({"type": "hello", "protocol": 1, "name": "my-client", "supports": []}),
            Some("delegate") => {
                let mut outcome = delegate(&said).unwrap_or_else(|error| {
                    json!({"status": "raised", "error": {"type": "Error", "message": error.to_string()}})
                });
                outcome["type"] = "outcome".into();
                outcome["id"] = said["id"].clone();
                outcome
            }
            _ => continue,
        };
        let mut stdout = std::io::stdout();
        writeln!(stdout, "{answer}")?;
        stdout.flush()?;
    }
    Ok(())
}

//! Events as lines of JSON.

use gauntlet_evidence::RunEvent;

/// One event as one line of JSON, with its line break. The members are those of [`RunEvent`]; `event` says which it is.
pub fn ndjson(event: &RunEvent) -> String {
    // Every map in an event has string keys, which is all that can make serialisation fail.
    let mut line = serde_json::to_string(event).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_event_and_reads_back() {
        let event = RunEvent::Finished { duration_ms: 12, cut_short: false, baseline: Vec::new() };
        let line = ndjson(&event);
        assert!(line.ends_with('\n'));
        assert_eq!(line.lines().count(), 1);
        assert_eq!(serde_json::from_str::<RunEvent>(&line).unwrap(), event);
    }
}

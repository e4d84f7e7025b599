//! An audit as a card-validation-report, with what is served as its member `live`.

use serde_json::{Value, json};

use super::Audited;
use crate::live;

pub(super) fn report(audited: &Audited) -> Value {
    let fetched = &audited.look.observed.fetched;
    let mut report = match &audited.judged {
        Some(judged) => judged.report.to_json(&judged.document.name),
        None => {
            json!({ "kind": "card-validation-report", "target": fetched.url, "valid": false, "next": "serve-card" })
        }
    };
    if !audited.look.passes() {
        // What is wrong in the document comes first.
        if report["valid"] == true {
            report["next"] = "fix-agent".into();
        }
        report["valid"] = false.into();
    }
    report["live"] = live::json(&audited.look);
    report
}

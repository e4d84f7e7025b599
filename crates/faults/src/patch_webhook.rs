//! `patch-webhook`: webhooks are told something else, or with other credentials.

use gauntlet_scenario::{Fields, FileError, Node, words};
use serde_json::Value;

use crate::patch::{remove, set};
use crate::{Fault, FaultKind, Stage, WebhookAction, WebhookView};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "patch-webhook",
    summary: "Something else stands at one place of notifications, or in one of their headers.",
    stages: &[Stage::WebhookEncoded],
    arguments: &[
        ("at", "JSON pointer into the StreamResponse: the place; where nothing stands there, nothing is changed"),
        ("header", "name of a header instead; where it is not sent, nothing is changed"),
        ("to", "any value, text for a header: what stands there then"),
        ("remove", "true: nothing stands there then"),
    ],
    build,
};

#[derive(Debug)]
struct PatchWebhook {
    place: Place,
    /// Nothing stands there where there is no value.
    to: Option<Value>,
}

#[derive(Debug)]
enum Place {
    Body(String),
    Header(String),
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`patch-webhook`", &["at", "header", "to", "remove"])?;
    let place = match fields.exactly_one(&["at", "header"])? {
        ("at", node) => match words::pointer(node)? {
            "" => return Err(node.error("the whole notification cannot be replaced")),
            at => Place::Body(at.to_owned()),
        },
        (_, node) => Place::Header(node.words()?.to_ascii_lowercase()),
    };
    let to = match fields.exactly_one(&["to", "remove"])? {
        ("to", value) if matches!(place, Place::Header(_)) => Some(Value::from(value.words()?)),
        ("to", value) => Some(value.json()),
        (_, value) if !value.boolean()? => return Err(value.error("write `remove: true`, or `to`")),
        _ => None,
    };
    Ok(Box::new(PatchWebhook { place, to }))
}

impl Fault for PatchWebhook {
    fn on_webhook(&self, webhook: &mut WebhookView<'_>) -> Option<WebhookAction> {
        let pointers = match &self.place {
            Place::Header(name) => {
                let at = webhook.headers.iter().position(|(known, _)| known == name)?;
                match &self.to {
                    Some(value) => {
                        let value = value.as_str().unwrap_or_default();
                        if webhook.headers[at].1 == value {
                            return None;
                        }
                        value.clone_into(&mut webhook.headers[at].1);
                    }
                    None => drop(webhook.headers.remove(at)),
                }
                Vec::new()
            }
            Place::Body(at) => {
                webhook.object.pointer(at)?;
                match &self.to {
                    Some(value) => vec![set(webhook.object, at, value)?],
                    None => remove(webhook.object, at).map(|()| vec![at.clone()])?,
                }
            }
        };
        Some(WebhookAction::Changed(pointers))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{notified, refusal, set};

    #[test]
    fn what_stands_there_is_changed() {
        let (_, sent, bites) = notified(&set("[patch-webhook: { at: /statusUpdate/taskId, to: other }]"), 0);
        assert_eq!(sent.object["statusUpdate"]["taskId"], "other");
        assert_eq!(bites[0].pointers, ["/statusUpdate/taskId"]);
        let (_, sent, _) = notified(&set("[patch-webhook: { at: /statusUpdate/status, remove: true }]"), 0);
        assert!(sent.object["statusUpdate"].get("status").is_none());
        let (_, sent, bites) = notified(&set("[patch-webhook: { header: X-Token, to: b }]"), 0);
        assert_eq!(sent.headers, [("x-token".to_owned(), "b".to_owned())]);
        assert!(bites[0].pointers.is_empty());
        assert!(notified(&set("[patch-webhook: { header: x-token, remove: true }]"), 0).1.headers.is_empty());
    }

    #[test]
    fn what_is_not_there_is_left_alone() {
        for text in [
            "[patch-webhook: { at: /artifactUpdate/taskId, to: other }]",
            "[patch-webhook: { at: /statusUpdate/taskId, to: t }]",
            "[patch-webhook: { header: authorization, to: b }]",
            "[patch-webhook: { header: x-token, to: a }]",
        ] {
            assert!(notified(&set(text), 0).2.is_empty(), "{text}");
        }
    }

    #[test]
    fn arguments_that_are_wrong() {
        let shown = [
            "[patch-webhook: { to: 1 }]",
            "[patch-webhook: { at: /a, header: b, to: 1 }]",
            "[patch-webhook: { at: \"\", to: 1 }]",
            "[patch-webhook: { header: a, to: 1 }]",
            "[patch-webhook: { at: /a, remove: false }]",
            "[patch-webhook: { at: /a, to: 1, when: { binding: GRPC } }]",
        ];
        insta::assert_snapshot!(shown[..5].iter().map(|text| refusal(text)).collect::<Vec<_>>().join("\n"));
        let refused = crate::FaultSet::build(&crate::testing::defects(shown[5]), 1).unwrap_err().to_string();
        assert!(refused.contains("cannot honour `binding`"), "{refused}");
    }
}

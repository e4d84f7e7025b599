//! `drop-webhook`: webhooks are registered, and notifications are never sent.

use gauntlet_scenario::{Fields, FileError, Node};

use crate::{Claim, Fault, FaultKind, Stage, WebhookAction, WebhookView};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "drop-webhook",
    summary: "Notifications are not sent, although the webhook is registered.",
    stages: &[Stage::WebhookEncoded],
    arguments: &[],
    build,
};

#[derive(Debug)]
struct DropWebhook;

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    Fields::of(arguments, "`drop-webhook`", &[])?;
    Ok(Box::new(DropWebhook))
}

impl Fault for DropWebhook {
    fn on_webhook(&self, _: &mut WebhookView<'_>) -> Option<WebhookAction> {
        Some(WebhookAction::Drop)
    }

    fn claims(&self) -> Vec<Claim> {
        vec![Claim::Notifications]
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{notified, refusal, set};

    #[test]
    fn what_is_dropped_is_dropped_whatever_else_bites() {
        let set = set("[drop-webhook: { when: { first: 1 } }, repeat-webhook: { times: 2 }]");
        let (outcome, _, bites) = notified(&set, 0);
        assert!(outcome.dropped && bites.len() == 1);
        let (outcome, ..) = notified(&set, 1);
        assert_eq!((outcome.dropped, outcome.repeats), (false, 2));
    }

    #[test]
    fn it_takes_no_arguments() {
        assert!(refusal("[drop-webhook: { all: true }]").contains("`all`"));
    }
}

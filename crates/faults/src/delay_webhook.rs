//! `delay-webhook`: webhooks are told late, or later things first.

use gauntlet_scenario::{Fields, FileError, Node};

use crate::{Claim, Fault, FaultKind, Stage, WebhookAction, WebhookView};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "delay-webhook",
    summary: "Notifications come late, or behind later ones.",
    stages: &[Stage::WebhookEncoded],
    arguments: &[
        ("by", "integer: so many milliseconds late, and all that follow with it"),
        ("behind", "integer, at least 1: after so many later ones, or as the last"),
    ],
    build,
};

/// An hour.
const LONGEST_MS: u32 = 3_600_000;

#[derive(Debug)]
enum DelayWebhook {
    By(u32),
    Behind(u32),
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`delay-webhook`", &["by", "behind"])?;
    let delay = match fields.exactly_one(&["by", "behind"])? {
        ("by", node) => DelayWebhook::By(node.count(1, LONGEST_MS)?),
        (_, node) => DelayWebhook::Behind(node.count(1, u32::MAX)?),
    };
    Ok(Box::new(delay))
}

impl Fault for DelayWebhook {
    fn on_webhook(&self, _: &mut WebhookView<'_>) -> Option<WebhookAction> {
        Some(match *self {
            Self::By(milliseconds) => WebhookAction::Wait(milliseconds.into()),
            Self::Behind(others) => WebhookAction::Behind(others),
        })
    }

    fn claims(&self) -> Vec<Claim> {
        vec![Claim::Notifications]
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{notified, refusal, set};

    #[test]
    fn by_time_or_behind_others() {
        assert_eq!(notified(&set("[delay-webhook: { by: 250 }]"), 0).0.wait_ms, 250);
        let first = set("[delay-webhook: { behind: 2, when: { first: 1 } }]");
        assert_eq!((notified(&first, 0).0.behind, notified(&first, 1).0.behind), (2, 0));
    }

    #[test]
    fn arguments_that_are_wrong() {
        let shown = ["[delay-webhook]", "[delay-webhook: { by: 1, behind: 1 }]", "[delay-webhook: { behind: 0 }]"];
        insta::assert_snapshot!(shown.map(refusal).join("\n"));
    }
}

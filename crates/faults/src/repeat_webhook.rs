//! `repeat-webhook`: webhooks are told the same again, although they had taken it.

use gauntlet_scenario::{Fields, FileError, Node};

use crate::{Claim, Fault, FaultKind, Stage, WebhookAction, WebhookView};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "repeat-webhook",
    summary: "Notifications are sent again after they were taken.",
    stages: &[Stage::WebhookEncoded],
    arguments: &[("times", "integer from 1 to 100: how many times more; 1 by default")],
    build,
};

const MOST: u32 = 100;

#[derive(Debug)]
struct RepeatWebhook {
    times: u32,
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`repeat-webhook`", &["times"])?;
    Ok(Box::new(RepeatWebhook { times: fields.map("times", |node| node.count(1, MOST))?.unwrap_or(1) }))
}

impl Fault for RepeatWebhook {
    fn on_webhook(&self, _: &mut WebhookView<'_>) -> Option<WebhookAction> {
        Some(WebhookAction::Repeat(self.times))
    }

    fn claims(&self) -> Vec<Claim> {
        vec![Claim::Notifications]
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{notified, refusal, set};

    #[test]
    fn every_notification_is_repeated() {
        assert_eq!(notified(&set("[repeat-webhook]"), 3).0.repeats, 1);
        assert_eq!(notified(&set("[repeat-webhook: { times: 4 }]"), 0).0.repeats, 4);
    }

    #[test]
    fn once_more_is_the_least() {
        assert_eq!(refusal("[repeat-webhook: { times: 0 }]"), "t.yaml:1:27: 0 is not from 1 to 100");
    }
}

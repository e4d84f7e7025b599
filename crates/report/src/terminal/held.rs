//! A scenario that failed and whose peers are kept alive.

use gauntlet_evidence::contract::PeerAddress;

use super::Terminal;
use crate::findings::groups;

impl Terminal {
    /// What was found, where the peers are, and the journal so far.
    pub(super) fn held(&self, peers: &[PeerAddress], journal: &[String]) -> String {
        let mut text = String::new();
        let last = self.run.reports.last().map(std::slice::from_ref).unwrap_or_default();
        for (index, group) in groups(last, |_, _| true).iter().enumerate() {
            text.push_str(&self.group(index + 1, group));
        }
        text.push('\n');
        text.push_str(&self.journal(journal));
        text.push('\n');
        for peer in peers {
            text.push_str(&format!("   {}  {}\n", self.paint.dim(&peer.name), peer.card_url));
        }
        let alive = "These peers are alive, and deadlines are off; Ctrl-C ends them.";
        text + &format!("{}\n", self.paint.strong(alive))
    }
}

//! What a hunt came to, as people read it.

use gauntlet_card::{Layer, Purpose};
use gauntlet_report::{Paint, count, wrap_hanging};

use super::super::args::Edition;
use super::Told;
use super::foreign::Said;
use super::hunt::{Found, Kind, Outcome, Row};
use crate::output::Style;

/// How wide the words before the text are.
const LABEL: usize = 8;
/// More than any card needs that is small enough, in bytes.
pub(super) const LARGE: usize = 16 << 10;

/// The text, with its line breaks.
pub(super) fn render(told: &Told<'_>, style: Style) -> String {
    let mut page = Page { text: String::new(), style };
    page.head(told);
    let (agreeing, differing): (Vec<&Row>, Vec<&Row>) = told.outcome.rows.iter().partition(|row| row.agrees());
    if !differing.is_empty() {
        page.table(&differing);
    }
    if !agreeing.is_empty() {
        page.text.push('\n');
        let cards: u64 = agreeing.iter().map(|row| row.cards).sum();
        let rules = agreeing.iter().filter(|row| row.rule.is_some()).count();
        let other = if differing.iter().any(|row| row.rule.is_some()) { "other " } else { "" };
        let valid = if rules < agreeing.len() { "valid cards and " } else { "" };
        page.line(&format!("no difference: {valid}{other}{} ({cards} cards)", count(rules, "rule")));
    }
    for found in &told.outcome.found {
        page.found(found, told.outcome);
    }
    page.end(told.outcome);
    page.text
}

struct Page {
    text: String,
    style: Style,
}

impl Page {
    fn head(&mut self, told: &Told<'_>) {
        let args = told.args;
        let edition = match args.series.version {
            Edition::Mixed => "1.0 and 0.3",
            one => one.word(),
        };
        let whom = match args.purpose.into() {
            Purpose::Publish => "publishers",
            Purpose::Consume => "callers",
        };
        let layer = match args.layer.into() {
            Layer::Capability => String::new(),
            layer => format!(", no deeper than layer {layer}"),
        };
        let cards = told.outcome.cards();
        self.line(&told.command);
        self.line(&format!("  {cards} cards of A2A {edition}, seed {}, judged for {whom}{layer}", args.series.seed));
    }

    fn table(&mut self, rows: &[&Row]) {
        self.text.push('\n');
        self.line(&format!("{:47}{:>7}{:>9}{:>9}{:>8}", "", "", "false", "false", ""));
        let head = format!("{:36}{:11}{:>7}{:>9}{:>9}{:>8}", "rule", "layer", "cards", "accepts", "rejects", "crashes");
        self.line(&head);
        for row in rows {
            let (name, layer) = row.rule.map_or(("valid cards", ""), |rule| (rule.id, rule.layer.word()));
            let [accepts, rejects, crashes] = row.wrong.map(|wrong| match wrong {
                0 => "·".to_owned(),
                wrong => wrong.to_string(),
            });
            let line = format!("{name:36}{layer:11}{:>7}{accepts:>9}{rejects:>9}{crashes:>8}", row.cards);
            self.line(&line);
        }
    }

    /// A difference, and the smallest card that shows it.
    fn found(&mut self, found: &Found, outcome: &Outcome) {
        let row = outcome.rows.iter().find(|row| row.rule == found.rule);
        let (name, layer) =
            found.rule.map_or(("valid cards", String::new()), |rule| (rule.id, format!(" ({})", rule.layer)));
        let share = row.filter(|row| row.wrong[found.kind as usize] > 0);
        let share = share.map_or_else(String::new, |row| {
            format!(
                ", {} of {}",
                row.wrong[found.kind as usize],
                count(usize::try_from(row.cards).unwrap_or(2), "card")
            )
        });
        let paint = Paint::new(self.style.color);
        self.text.push_str(&format!("\n{}  {name}{layer}{share}\n", paint.bad(found.kind.words())));
        self.said("ours", &found.ours());
        self.said("theirs", &found.theirs());
        match &found.file {
            Some(path) => self.said("card", &path.display().to_string()),
            // In one piece, so that it can be copied.
            None => self.text.push_str(&format!("  {:LABEL$}{}\n", "card", found.document())),
        }
        if found.calls > 0 {
            let sizes = format!("{} bytes, {} before; asked {} times", found.bytes.len(), found.was, found.calls);
            self.said("", &sizes);
        }
    }

    fn said(&mut self, label: &str, words: &str) {
        for line in wrap_hanging(&format!("  {label:LABEL$}{words}"), self.style.width, LABEL + 2) {
            self.line(&line);
        }
    }

    fn end(&mut self, outcome: &Outcome) {
        let paint = Paint::new(self.style.color);
        self.text.push('\n');
        if let Some(hint) = hint(outcome) {
            self.said("note", hint);
        }
        if outcome.untried > 0 {
            let words = format!("it is asked no more: {} cards were not tried", outcome.untried);
            self.said("note", &words);
        }
        let cards = outcome.cards();
        if outcome.agrees() {
            self.line(&paint.good(&format!("They agree on all {cards} cards.")));
            return;
        }
        let [accepts, rejects, crashes] =
            Kind::ALL.map(|kind| usize::try_from(outcome.total(kind)).unwrap_or(usize::MAX));
        let sum = [
            count(accepts, Kind::FalseAccept.words()),
            count(rejects, Kind::FalseReject.words()),
            if crashes == 1 { "1 crash".to_owned() } else { format!("{crashes} crashes") },
        ];
        self.line(&paint.bad(&format!("{} among {cards} cards.", sum.join(", "))));
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }
}

/// What is told of a validator that says the same of every card.
fn hint(outcome: &Outcome) -> Option<&'static str> {
    match (outcome.accepted, outcome.rejected) {
        (0, rejected) if rejected > 1 && outcome.total(Kind::FalseReject) > 0 => {
            Some("it rejects every card: does it read them at all, and is it made for this edition of A2A?")
        }
        (accepted, 0) if accepted > 1 && outcome.total(Kind::FalseAccept) > 0 => Some(
            "it accepts every card: a schema of A2A must be pointed at #/$defs/AgentCard; the root of the published \
             one accepts anything",
        ),
        _ => None,
    }
}

impl Found {
    /// What gauntlet says of the card.
    pub(super) fn ours(&self) -> String {
        match &self.ours.error {
            None => "valid".to_owned(),
            Some(error) if error.pointer.is_empty() => error.message.clone(),
            Some(error) => format!("{}: {}", error.pointer, error.message),
        }
    }

    /// What the validator says.
    pub(super) fn theirs(&self) -> String {
        match &self.theirs {
            Said::Valid => "valid".to_owned(),
            Said::NotValid(words) if words.is_empty() => "not valid, without a reason".to_owned(),
            Said::NotValid(words) | Said::Nothing(_, words) => words.clone(),
        }
    }

    /// The card on one line, control characters as escapes. What is no text is shown as far as it is one, what is large
    /// not at all.
    pub(super) fn document(&self) -> String {
        if self.bytes.len() > LARGE {
            return format!("{} bytes; `--out DIR` keeps it", self.bytes.len());
        }
        let letter = |letter: char| match letter.is_control() {
            true => letter.escape_default().to_string(),
            false => letter.to_string(),
        };
        String::from_utf8_lossy(&self.bytes).chars().map(letter).collect()
    }
}

//! Rules, defects and flaws with everything that belongs to them: a defect that nothing proves is a claim.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gauntlet_reference::{Flaw, flaws};
use gauntlet_scenario::{Defect, Library, RuleEntry};
use gauntlet_suite::{ScenarioInfo, Selection, SuiteError};
use gauntlet_wire::Binding;
use serde_json::{Map, Value, json};

use super::{Row, library};
use crate::diagnostics::Failure;

/// Names of the golden journals of the repository that this binary was built from, as `defect@binding`.
const GOLDENS: &[&str] = &include!(concat!(env!("OUT_DIR"), "/goldens.rs"));

/// What there is, together.
pub(super) struct Connected {
    library: Library,
    scenarios: Vec<ScenarioInfo>,
}

impl Connected {
    /// What ships, and the files of the user.
    pub(super) fn new(paths: &[PathBuf]) -> Result<Self, Failure> {
        let mut scenarios = gauntlet_suite::scenarios(&[], &Selection::default())?;
        if !paths.is_empty() {
            match gauntlet_suite::scenarios(paths, &Selection::default()) {
                Ok(more) => scenarios.extend(more),
                // Fleets alone hold no scenario.
                Err(SuiteError::NothingSelected(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Self { library: library(paths)?, scenarios })
    }

    pub(super) fn defects(&self) -> Vec<Row> {
        self.library.defects().map(|defect| self.defect(defect)).collect()
    }

    fn defect(&self, defect: &Defect) -> Row {
        let parameters = defect.parameters.iter().map(|(name, parameter)| {
            let default = parameter.default.as_ref().map(|default| default.json());
            json!({"name": name, "type": parameter.kind, "required": default.is_none(), "default": default})
        });
        let seen_in = defect.seen_in.iter().map(|(kind, reference)| json!({"kind": kind, "reference": reference}));
        let faults: Vec<&str> = defect.faults.iter().map(|fault| fault.name.as_str()).collect();
        let facts: Vec<Value> = defect.facts.iter().map(|fact| fact.json()).collect();
        let scenarios: Vec<&ScenarioInfo> =
            self.scenarios.iter().filter(|info| info.defects.contains(&defect.id)).collect();
        let tested: BTreeSet<&str> = scenarios.iter().flat_map(|info| info.rules()).collect();
        let caught: Vec<&str> = flaws::all()
            .iter()
            .filter(|flaw| flaw.breaks.iter().any(|rule| tested.contains(rule)))
            .map(|flaw| flaw.id)
            .collect();
        let json = json!({
            "id": defect.id, "title": defect.title, "area": defect.area, "seenIn": seen_in.collect::<Vec<_>>(),
            "parameters": parameters.collect::<Vec<_>>(), "bindings": defect.applies.bindings(),
            "versions": defect.applies.versions(), "faults": faults, "facts": facts, "exercises": defect.exercises,
            "scenarios": scenarios.iter().map(|info| place(info)).collect::<Vec<_>>(), "flaws": caught,
            "golden": goldens(&defect.id), "file": defect.place.file.as_ref(),
        });
        Row { name: defect.id.clone(), note: defect.title.clone(), json }
    }

    pub(super) fn rules(&self) -> Result<Vec<Row>, Failure> {
        self.library.rules().map(|rule| self.rule(rule)).collect()
    }

    fn rule(&self, rule: &RuleEntry) -> Result<Row, Failure> {
        let mut json = serde_json::to_value(rule).map_err(|error| Failure::System(error.to_string()))?;
        let mut scenarios = self.scenarios.iter().filter(|info| info.rules().any(|id| id == rule.id));
        json["scenarios"] = scenarios.by_ref().map(place).collect();
        let mut defects = self.library.defects().filter(|defect| defect.exercises.contains(&rule.id));
        json["defects"] = defects.by_ref().map(|defect| defect.id.as_str()).collect();
        let mut flaws = flaws::all().iter().filter(|flaw| flaw.breaks.contains(&rule.id.as_str()));
        json["flaws"] = flaws.by_ref().map(|flaw| flaw.id).collect();
        Ok(Row { name: format!("{} ({})", rule.id, rule.level), note: rule.statement.clone(), json })
    }

    pub(super) fn flaws(&self) -> Vec<Row> {
        flaws::all().iter().map(|flaw| self.flaw(flaw)).collect()
    }

    fn flaw(&self, flaw: &Flaw) -> Row {
        let shows = |info: &&ScenarioInfo| info.rules().any(|rule| flaw.breaks.contains(&rule));
        let scenarios: Vec<Value> = self.scenarios.iter().filter(shows).map(place).collect();
        let json = json!({"id": flaw.id, "title": flaw.title, "breaks": flaw.breaks, "scenarios": scenarios});
        Row { name: flaw.id.to_owned(), note: flaw.title.to_owned(), json }
    }
}

/// A scenario where others refer to it.
fn place(info: &ScenarioInfo) -> Value {
    json!({"id": info.id.stable(), "file": info.id.file, "line": info.id.line, "bindings": info.bindings})
}

/// The golden journals of a defect, by binding; none for a defect of the user's.
fn goldens(id: &str) -> Map<String, Value> {
    let file = |binding: Binding| {
        let name = format!("{id}@{}", binding.name().to_lowercase().replace('+', "-"));
        let path = Path::new("tests/golden").join(format!("{name}.snap")).display().to_string();
        GOLDENS.contains(&name.as_str()).then(|| (binding.name().to_owned(), path.into()))
    };
    Binding::ALL.into_iter().filter_map(file).collect()
}

//! The plan: peers and their defects, before anything runs.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::FutureExt as _;
use gauntlet_evidence::{Hello, Support};
use gauntlet_faults::FaultSet;
use gauntlet_fleet::PeerPlan;
use gauntlet_scenario::{FileError, Library, PeerSpec, Place};
use gauntlet_wire::Binding;

use super::{End, Scene, Setting};
use crate::SuiteError;
use crate::feature::{Scenario, find_step};

impl Scene {
    /// A peer of the plan; a scenario that names one it did not introduce is at fault.
    pub(crate) fn peer(&mut self, name: &str) -> Option<&mut PeerSpec> {
        if !self.peers.iter().any(|peer| peer.name == name) {
            let known: Vec<&str> = self.peers.iter().map(|peer| peer.name.as_str()).collect();
            self.wrong(format!("no peer is called \"{name}\""), Some(format!("known so far: {}", known.join(", "))));
            return None;
        }
        self.peers.iter_mut().find(|peer| peer.name == name)
    }

    /// The files that ship and those of the user.
    pub(crate) fn library(&self) -> Arc<Library> {
        Arc::clone(&self.setting.library)
    }

    /// The line that is being played, for errors.
    pub(crate) fn place(&self, text: &str) -> Place {
        Place { line: self.line, ..Place::whole(&self.file, text) }
    }

    /// Ends the scenario because the file is wrong here.
    pub(crate) fn wrong(&mut self, message: impl Into<String>, help: Option<String>) {
        let place = self.place("");
        self.end.get_or_insert(End::File(FileError { message: message.into(), place, help }));
    }

    /// Ends the scenario because a file error came up while its plan was made. Errors in YAML inside the feature are
    /// shown at the step; others where they stand.
    pub(crate) fn wrong_file(&mut self, error: FileError) {
        self.end.get_or_insert(End::File(error));
    }

    /// Skips the scenario if the driver does not support something; true if it goes on.
    pub(crate) fn require(&mut self, support: Support) -> bool {
        if self.end.is_none() && !self.setting.hello.supports(support) {
            let reason = format!("the driver does not support {support}");
            self.end = Some(End::Skipped { reason, unlock: Some(support) });
        }
        self.end.is_none()
    }

    pub(super) fn plans(&self) -> Result<Vec<PeerPlan>, FileError> {
        let library = self.library();
        self.peers
            .iter()
            .map(|spec| {
                let defects =
                    spec.defects.iter().map(|used| library.apply(used, spec)).collect::<Result<Vec<_>, _>>()?;
                Ok(PeerPlan { spec: spec.clone(), defects })
            })
            .collect()
    }
}

/// What the Given steps of a scenario tell.
pub(crate) struct Rehearsed {
    /// The bindings that its peers serve.
    pub(crate) bindings: BTreeSet<Binding>,
    /// The defects that they have.
    pub(crate) defects: BTreeSet<String>,
}

/// Plays the Given steps on a scene that never comes to life, so that mistakes in files show at once.
pub(crate) fn rehearse(library: &Arc<Library>, scenario: &Scenario) -> Result<Rehearsed, SuiteError> {
    let setting = Setting {
        library: Arc::clone(library),
        hello: Hello {
            supports: Support::ALL.iter().map(|support| support.word().to_owned()).collect(),
            ..Hello::default()
        },
        seed: 0,
        deadline_ms: 0,
        holds: false,
    };
    let mut scene = Scene::new(Arc::new(setting), scenario, 0, None);
    for step in scenario.steps.iter().filter(|step| step.ty == gherkin::StepType::Given) {
        scene.line = step.position.line;
        let Some((function, context)) = find_step(step) else { continue };
        // Given steps only plan: they never wait.
        if function(&mut scene, context).now_or_never().is_none() {
            scene.wrong(format!("the step `{}` does more than plan", step.value), None);
        }
    }
    if let Some(End::File(error)) = scene.end {
        return Err(error.into());
    }
    for plan in scene.plans()? {
        FaultSet::build(&plan.defects, 0)?;
    }
    Ok(Rehearsed {
        bindings: scene.peers.iter().flat_map(|peer| &peer.interfaces).map(|interface| interface.binding).collect(),
        defects: scene.peers.iter().flat_map(|peer| &peer.defects).map(|defect| defect.id.clone()).collect(),
    })
}

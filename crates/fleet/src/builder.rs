//! Fleets for the tests of a client: peers described in a line each, instead of specs and plans.

use std::path::PathBuf;

use gauntlet_scenario::{ArtifactStep, Behaviour, DefectUse, Library, LibraryError, PeerSpec, Place, Step};
use gauntlet_wire::Binding;
use serde_json::Value;

use crate::error::FleetError;
use crate::fleet::{Fleet, FleetOptions, PeerPlan};

/// A peer for a test: healthy, on all three bindings, until told otherwise.
#[derive(Debug, Clone)]
pub struct Mock {
    spec: PeerSpec,
    /// Of each defect, id and arguments as YAML.
    defects: Vec<(String, Option<String>)>,
    /// As YAML, read when the fleet starts.
    behaviour: Option<String>,
}

impl Mock {
    /// A healthy peer that serves all bindings, JSON-RPC first, and completes the work with one artifact.
    pub fn named(name: impl Into<String>) -> Self {
        Self { spec: PeerSpec::healthy(name, Binding::ALL), defects: Vec::new(), behaviour: None }
    }

    /// Serves these bindings alone, in the order of its card.
    #[must_use]
    pub fn serves(mut self, bindings: impl IntoIterator<Item = Binding>) -> Self {
        self.spec.interfaces = PeerSpec::healthy("", bindings).interfaces;
        self
    }

    /// Misbehaves as a defect says (`gauntlet list defects`), wherever the defect can show.
    #[must_use]
    pub fn defect(mut self, id: impl Into<String>) -> Self {
        self.defects.push((id.into(), None));
        self
    }

    /// The same with arguments as YAML: `{operation: GetTask}`.
    #[must_use]
    pub fn defect_with(mut self, id: impl Into<String>, arguments: impl Into<String>) -> Self {
        self.defects.push((id.into(), Some(arguments.into())));
        self
    }

    /// Answers with this text, in this many pieces, and completes.
    #[must_use]
    pub fn answers(mut self, text: impl Into<String>, chunks: u32) -> Self {
        let artifact = ArtifactStep { text: Some(text.into()), chunks, ..ArtifactStep::default() };
        let steps = vec![Step::Working(None), Step::Artifact(artifact), Step::Complete(None)];
        (self.spec.behaviour, self.behaviour) = (Behaviour::steps(steps), None);
        self
    }

    /// Does what this says, in the YAML of fleet files: `[working, {ask: "Which order?"}, complete]`.
    #[must_use]
    pub fn behaves(mut self, yaml: impl Into<String>) -> Self {
        self.behaviour = Some(yaml.into());
        self
    }

    /// Members merged over its card (RFC 7396: an object merges, null removes, anything else replaces).
    #[must_use]
    pub fn card(mut self, patch: Value) -> Self {
        self.spec.card = patch;
        self
    }

    /// Has an extended card, for callers that ask for it: its card, with these members merged over it.
    #[must_use]
    pub fn extended_card(mut self, patch: Value) -> Self {
        self.spec.extended_card = Some(patch);
        self
    }

    /// A skill of its card, as a card writes it; what is missing is filled in.
    #[must_use]
    pub fn skill(mut self, skill: Value) -> Self {
        self.spec.skills.push(skill);
        self
    }

    fn plan(mut self, library: &Library) -> Result<PeerPlan, FleetError> {
        let place = format!("Mock::named({:?})", self.spec.name);
        if let Some(yaml) = &self.behaviour {
            self.spec.behaviour = Behaviour::parse(yaml, &place)?;
        }
        for (id, arguments) in &self.defects {
            self.spec.defects.push(DefectUse::parse(id, arguments.as_deref(), None, Place::whole(&place, id))?);
        }
        plan(self.spec, library)
    }
}

fn plan(spec: PeerSpec, library: &Library) -> Result<PeerPlan, FleetError> {
    let defects = spec.defects.iter().map(|used| library.apply(used, &spec)).collect::<Result<_, _>>()?;
    Ok(PeerPlan { spec, defects })
}

/// What to start; [`Fleet::builder`] makes one.
#[derive(Debug, Clone, Default)]
pub struct FleetBuilder {
    peers: Vec<Wanted>,
    files: Vec<PathBuf>,
    options: FleetOptions,
}

#[derive(Debug, Clone)]
enum Wanted {
    Mock(Box<Mock>),
    Fleet(String),
}

impl FleetBuilder {
    /// One more peer.
    #[must_use]
    pub fn peer(mut self, mock: Mock) -> Self {
        self.peers.push(Wanted::Mock(Box::new(mock)));
        self
    }

    /// The peers of a fleet that ships with gauntlet (`gauntlet list fleets`), or of one of the [files](Self::files).
    #[must_use]
    pub fn fleet(mut self, id: impl Into<String>) -> Self {
        self.peers.push(Wanted::Fleet(id.into()));
        self
    }

    /// Takes in a fleet or defect file of one's own, or a folder of them.
    #[must_use]
    pub fn files(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.push(path.into());
        self
    }

    /// Decides ids and every draw: same seed, same fleet.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.options.seed = seed;
        self
    }

    /// Everything else there is to choose.
    #[must_use]
    pub fn options(mut self, options: FleetOptions) -> Self {
        self.options = options;
        self
    }

    /// Starts the peers; when this returns, all of them accept connections. Loopback only.
    ///
    /// The fleet ends when it is dropped, and panics then if a peer panicked or said something that neither the
    /// specification nor its defects account for: a test must not pass, or blame a client, because of a broken mock.
    ///
    /// # Errors
    /// When a fleet, a defect or an argument is unknown, a defect cannot show on its peer, a behaviour cannot be read, or
    /// there is no port.
    pub async fn start(self) -> Result<Fleet, FleetError> {
        let mut library = Library::embedded()?;
        for path in &self.files {
            library.add_path(path).map_err(|error| match error {
                LibraryError::File(error) => FleetError::Defect(error),
                other => FleetError::File(other.to_string()),
            })?;
        }
        let mut plans = Vec::new();
        for wanted in self.peers {
            match wanted {
                Wanted::Mock(mock) => plans.push(mock.plan(&library)?),
                Wanted::Fleet(id) => {
                    let fleet = library.fleet(&id).map_err(|unknown| FleetError::File(unknown.to_string()))?;
                    let peers = fleet.peers.iter().cloned().map(|spec| plan(spec, &library));
                    plans.extend(peers.collect::<Result<Vec<_>, _>>()?);
                }
            }
        }
        let mut fleet = Fleet::start(plans, self.options).await?;
        fleet.raises = true;
        Ok(fleet)
    }
}

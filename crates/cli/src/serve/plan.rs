//! From names, files and `--defect` to peers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gauntlet_faults::FaultSet;
use gauntlet_fleet::PeerPlan;
use gauntlet_scenario::{DefectUse, FileError, FleetFile, Library, LibraryError, yaml};

use crate::args::ServeArgs;
use crate::diagnostics::Failure;

/// A peer to be started.
pub(super) struct Planned {
    pub(super) plan: PeerPlan,
    /// Its defects for people, in the same order.
    pub(super) told: Vec<String>,
}

/// The peers that the command line asks for, in its order.
pub(super) fn plans(args: &ServeArgs) -> Result<Vec<Planned>, Failure> {
    let mut library = Library::embedded()?;
    // Files first: a defect of the user's may stand behind the fleet that it is for.
    let mut wanted = Vec::new();
    for name in &args.fleets {
        wanted.push(if is_path(name, &library) { add(&mut library, name)? } else { vec![name.clone()] });
    }
    let mut plans: Vec<Planned> = Vec::new();
    let mut fleet_of = BTreeMap::new();
    for name in wanted.iter().flatten() {
        let fleet = library.fleet(name).map_err(|error| {
            Failure::Usage(format!("{error}; `gauntlet list fleets` shows all, a file of your own ends in .yaml"))
        })?;
        for spec in &fleet.peers {
            if let Some(other) = fleet_of.insert(spec.name.clone(), name) {
                return Err(twice(&spec.name, other, name));
            }
            let mut planned = Planned { plan: PeerPlan::healthy(spec.clone()), told: Vec::new() };
            spec.defects.iter().try_for_each(|defect| planned.add(&library, defect))?;
            plans.push(planned);
        }
    }
    if plans.is_empty() {
        let names = args.fleets.join(", ");
        return Err(Failure::Usage(format!("there is no fleet in {names}; a fleet file has the key `peers`")));
    }
    args.defect.iter().try_for_each(|text| switch_on(&library, text, &mut plans))?;
    Ok(plans)
}

fn twice(peer: &str, first: &str, second: &str) -> Failure {
    Failure::Usage(if first == second {
        format!("the fleet `{first}` is named twice")
    } else {
        format!("two peers are called `{peer}`, one of the fleet `{first}`, one of `{second}`; give each its own name")
    })
}

/// A word that looks like a path is one; so is any other that names a file and no fleet.
fn is_path(name: &str, library: &Library) -> bool {
    let looks = name.contains(['/', '\\']) || name.ends_with(".yaml") || name.ends_with(".yml");
    looks || (library.fleet(name).is_err() && Path::new(name).exists())
}

/// Takes in a file or folder, and tells which fleets it brought.
fn add(library: &mut Library, path: &str) -> Result<Vec<String>, LibraryError> {
    let ids = |library: &Library| library.fleets().map(|fleet: &FleetFile| fleet.id.clone()).collect::<BTreeSet<_>>();
    let before = ids(library);
    library.add_path(Path::new(path))?;
    Ok(ids(library).difference(&before).cloned().collect())
}

/// Switches a defect on for every peer that can have it.
fn switch_on(library: &Library, text: &str, plans: &mut [Planned]) -> Result<(), Failure> {
    // `id={…}` is what a fleet file writes as `id: {…}`.
    let wanted = DefectUse::read(&yaml::parse("--defect", &text.replacen('=', ": ", 1))?)?;
    let peers = plans.len();
    let unfit: Vec<FileError> = plans.iter_mut().filter_map(|plan| plan.add(library, &wanted).err()).collect();
    let Some(mut error) = (unfit.len() == peers).then(|| unfit.into_iter().next()).flatten() else { return Ok(()) };
    if peers > 1 && library.defect(&wanted.id).is_ok() {
        let none = format!("none of the {peers} peers can have it");
        error.help = Some(error.help.map_or(none.clone(), |help| format!("{help}; {none}")));
    }
    Err(error.into())
}

impl Planned {
    /// Gives the peer one more defect, if it can have it beside those that it has.
    fn add(&mut self, library: &Library, wanted: &DefectUse) -> Result<(), FileError> {
        let defect = library.apply(wanted, &self.plan.spec)?;
        let told = format!("{}{}: {}", defect.id, details(wanted), defect.title);
        let mut defects = self.plan.defects.clone();
        defects.push(defect);
        FaultSet::build(&defects, 0)?;
        self.plan.defects = defects;
        self.told.push(told);
        Ok(())
    }
}

/// What was said where the defect was switched on.
fn details(wanted: &DefectUse) -> String {
    let value = |value: serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let arguments = wanted.arguments.iter().map(|(name, node)| format!("{name} {}", value(node.json())));
    let bindings = wanted.when.bindings.iter().map(|binding| format!("on {}", binding.name()));
    let said: Vec<String> = arguments.chain(bindings).collect();
    if said.is_empty() { String::new() } else { format!(" ({})", said.join(", ")) }
}

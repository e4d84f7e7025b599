//! Given: peers and the work, before anything runs. These steps only plan.

#![expect(clippy::needless_pass_by_value, reason = "cucumber hands arguments over by value")]

use cucumber::{gherkin::Step, given};
use gauntlet_scenario::{ArtifactStep, Behaviour, DefectUse, InterfaceSpec, PeerSpec, Step as Does};
use gauntlet_wire::Binding;
use serde_json::{Value, json};

use super::params::Bindings;
use crate::Scene;

/// A healthy peer with these interfaces, in this order.
#[given(expr = "a peer {string} serving {bindings}")]
fn peer(scene: &mut Scene, name: String, bindings: Bindings) {
    if scene.peers.iter().any(|peer| peer.name == name) {
        scene.wrong(format!("a second peer is called \"{name}\""), None);
        return;
    }
    scene.peers.push(PeerSpec::healthy(name, bindings.0));
}

/// All peers of a fleet file.
#[given(expr = "the fleet {string}")]
fn fleet(scene: &mut Scene, id: String) {
    match scene.library().fleet(&id) {
        Ok(fleet) => scene.peers.extend(fleet.peers.iter().cloned()),
        Err(unknown) => scene.wrong(unknown.to_string(), None),
    }
}

/// The card says that the peer can stream.
#[given(expr = "{string} declares streaming")]
fn declares_streaming(scene: &mut Scene, name: String) {
    patch_card(scene, &name, &json!({ "capabilities": { "streaming": true } }));
}

/// The card says that the peer cannot stream, and it does not.
#[given(expr = "{string} declares no streaming")]
fn declares_no_streaming(scene: &mut Scene, name: String) {
    patch_card(scene, &name, &json!({ "capabilities": { "streaming": false } }));
}

/// The card says that the peer sends push notifications, and it does.
#[given(expr = "{string} declares push notifications")]
fn declares_push(scene: &mut Scene, name: String) {
    patch_card(scene, &name, &json!({ "capabilities": { "pushNotifications": true } }));
}

/// The card says that the peer sends no push notifications, and it sends none.
#[given(expr = "{string} declares no push notifications")]
fn declares_no_push(scene: &mut Scene, name: String) {
    patch_card(scene, &name, &json!({ "capabilities": { "pushNotifications": false } }));
}

/// The card says that the peer has none of the optional capabilities, and it has none.
#[given(expr = "{string} declares no capability at all")]
fn declares_nothing(scene: &mut Scene, name: String) {
    let none = json!({ "streaming": false, "pushNotifications": false, "extendedAgentCard": false });
    patch_card(scene, &name, &json!({ "capabilities": none }));
}

/// The card lists a skill without modes of its own.
#[given(expr = "{string} has the skill {string}")]
fn lists_skill(scene: &mut Scene, name: String, skill: String) {
    if let Some(peer) = scene.peer(&name) {
        peer.skills.push(json!({ "id": skill }));
    }
}

/// The extended card, which is for callers that show who they are, lists one skill more.
#[given(expr = "{string} has the skill {string} in its extended card alone")]
fn extended_skill(scene: &mut Scene, name: String, skill: String) {
    patch_card(scene, &name, &json!({ "capabilities": { "extendedAgentCard": true } }));
    if let Some(peer) = scene.peer(&name) {
        let listed = |id: &str| json!({ "id": id, "name": id, "description": format!("Does {id}"), "tags": [id] });
        peer.extended_card = Some(json!({ "skills": [listed("work"), listed(&skill)] }));
    }
}

/// The card lists a skill that takes only this media type.
#[given(expr = "{string} has the skill {string} taking {string}")]
fn skill_taking(scene: &mut Scene, name: String, skill: String, mode: String) {
    if let Some(peer) = scene.peer(&name) {
        peer.skills.push(json!({ "id": skill, "inputModes": [mode] }));
    }
}

/// The card's default input mode is this media type alone.
#[given(expr = "{string} takes {string} by default")]
fn default_mode(scene: &mut Scene, name: String, mode: String) {
    patch_card(scene, &name, &json!({ "defaultInputModes": [mode] }));
}

/// Members merged into the card, as YAML or JSON in a doc string (RFC 7396: null removes).
#[given(expr = "the card of {string} says:")]
fn card_says(scene: &mut Scene, name: String, #[step] step: &Step) {
    match serde_json::from_str::<Value>(step.docstring().map_or("", |text| text.trim())) {
        Ok(patch) => patch_card(scene, &name, &patch),
        Err(error) => scene.wrong(format!("the doc string is not JSON: {error}"), None),
    }
}

/// The interface of that binding belongs to a tenant.
#[given(expr = "{string} serves {bindings} under the tenant {string}")]
fn under_tenant(scene: &mut Scene, name: String, bindings: Bindings, tenant: String) {
    with_interfaces(scene, &name, &bindings, |interface| interface.tenant = Some(tenant.clone()));
}

/// The interface of that binding stands below a path.
#[given(expr = "{string} serves {bindings} below {string}")]
fn below_path(scene: &mut Scene, name: String, bindings: Bindings, path: String) {
    with_interfaces(scene, &name, &bindings, |interface| interface.path.clone_from(&path));
}

/// One more interface of that binding, listed after the others: below a path, or for gRPC, which has no paths, at an
/// address of its own.
#[given(expr = "{string} also serves {bindings} below {string}")]
fn also_below_path(scene: &mut Scene, name: String, bindings: Bindings, path: String) {
    if let Some(peer) = scene.peer(&name) {
        peer.interfaces.extend(bindings.0.into_iter().map(|binding| InterfaceSpec {
            path: path.clone(),
            own_listener: binding == Binding::Grpc,
            ..InterfaceSpec::new(binding)
        }));
    }
}

/// The interfaces carry this protocol version; a patch number changes nothing else.
#[given(expr = "{string} speaks protocol version {string}")]
fn protocol(scene: &mut Scene, name: String, version: String) {
    if let Some(peer) = scene.peer(&name) {
        peer.protocol = version;
    }
}

/// The interface of that binding has a listener of its own, and so another origin than the card.
#[given(expr = "{string} serves {bindings} at another origin")]
fn other_origin(scene: &mut Scene, name: String, bindings: Bindings) {
    with_interfaces(scene, &name, &bindings, |interface| interface.own_listener = true);
}

/// A defect on all the bindings it applies to.
#[given(expr = "{string} has the defect {word}")]
fn defect(scene: &mut Scene, name: String, id: String) {
    add_defect(scene, &name, &id, None, None);
}

/// A defect on these bindings only.
#[given(expr = "{string} has the defect {word} on {bindings}")]
fn defect_on(scene: &mut Scene, name: String, id: String, bindings: Bindings) {
    let names: Vec<String> = bindings.0.iter().map(|binding| format!("\"{binding}\"")).collect();
    let when = format!("{{bindings: [{}]}}", names.join(", "));
    add_defect(scene, &name, &id, None, Some(&when));
}

/// A defect with one argument.
#[given(expr = "{string} has the defect {word} where {word} is {string}")]
fn defect_where(scene: &mut Scene, name: String, id: String, parameter: String, value: String) {
    add_defect(scene, &name, &id, Some(&format!("{{{parameter}: \"{value}\"}}")), None);
}

/// A defect with arguments, and `when` it bites, as YAML in a doc string.
#[given(expr = "{string} has the defect {word} with:")]
fn defect_with(scene: &mut Scene, name: String, id: String, #[step] step: &Step) {
    let arguments = step.docstring().cloned().unwrap_or_default();
    add_defect(scene, &name, &id, Some(arguments.trim()), None);
}

/// What the agent does with a message, as YAML in a doc string: the `behaviour` of fleet files.
#[given(expr = "{string} behaves as follows:")]
fn behaves(scene: &mut Scene, name: String, #[step] step: &Step) {
    let file = scene.place("").file;
    match Behaviour::parse(step.docstring().map_or("", |text| text.as_str()), &file) {
        Ok(behaviour) => set_behaviour(scene, &name, behaviour),
        Err(error) => scene.wrong(format!("the doc string does not describe a behaviour: {error}"), None),
    }
}

/// The agent works, answers with one text artifact in one piece and completes.
#[given(expr = "{string} answers {string}")]
fn answers(scene: &mut Scene, name: String, text: String) {
    answers_in_chunks(scene, name, text, 1);
}

/// The agent works, answers with one text artifact in several pieces and completes.
#[given(expr = "{string} answers {string} in {int} chunks")]
fn answers_in_chunks(scene: &mut Scene, name: String, text: String, chunks: u32) {
    let artifact = ArtifactStep { text: Some(text), chunks, ..ArtifactStep::default() };
    let steps = vec![Does::Working(None), Does::Artifact(artifact), Does::Complete(None)];
    set_behaviour(scene, &name, Behaviour::steps(steps));
}

/// The agent answers with a message instead of a task.
#[given(expr = "{string} replies {string} without a task")]
fn replies(scene: &mut Scene, name: String, text: String) {
    set_behaviour(scene, &name, Behaviour::steps(vec![Does::Reply(text)]));
}

/// The agent asks a question; when answered it gives one artifact and completes.
#[given(expr = "{string} asks {string} before it completes")]
fn asks(scene: &mut Scene, name: String, question: String) {
    let artifact = ArtifactStep { text: Some("done after all".to_owned()), ..ArtifactStep::default() };
    let steps = vec![Does::Working(None), Does::Ask(question), Does::Artifact(artifact), Does::Complete(None)];
    set_behaviour(scene, &name, Behaviour::steps(steps));
}

/// The agent asks for credentials; when it is told that they are there it gives one artifact and completes.
#[given(expr = "{string} asks for credentials saying {string} before it completes")]
fn asks_for_credentials(scene: &mut Scene, name: String, words: String) {
    let artifact = ArtifactStep { text: Some("done after all".to_owned()), ..ArtifactStep::default() };
    let steps = vec![Does::Working(None), Does::Auth(words), Does::Artifact(artifact), Does::Complete(None)];
    set_behaviour(scene, &name, Behaviour::steps(steps));
}

/// The agent fails, saying this.
#[given(expr = "{string} fails saying {string}")]
fn fails(scene: &mut Scene, name: String, text: String) {
    set_behaviour(scene, &name, Behaviour::steps(vec![Does::Working(None), Does::Fail(text)]));
}

/// The agent rejects the work, saying this.
#[given(expr = "{string} rejects work saying {string}")]
fn rejects(scene: &mut Scene, name: String, text: String) {
    set_behaviour(scene, &name, Behaviour::steps(vec![Does::Reject(text)]));
}

/// The agent works for ever.
#[given(expr = "{string} never finishes")]
fn hangs(scene: &mut Scene, name: String) {
    set_behaviour(scene, &name, Behaviour::steps(vec![Does::Working(None), Does::Hang]));
}

/// What the work says.
#[given(expr = "the work is {string}")]
fn work(scene: &mut Scene, text: String) {
    scene.work.text = Some(text);
}

/// The media type of the work's content: text for `text/…`, data for anything else.
#[given(expr = "the work is of type {string}")]
fn work_type(scene: &mut Scene, mode: String) {
    scene.work.media_type = Some(mode);
}

/// The skill that is to be used.
#[given(expr = "the work asks for the skill {string}")]
fn work_skill(scene: &mut Scene, skill: String) {
    scene.work.skill = Some(skill);
}

/// The only bindings that may be used.
#[given(expr = "the work may only go over {bindings}")]
fn work_bindings(scene: &mut Scene, bindings: Bindings) {
    scene.work.allowed = Some(bindings.0);
}

pub(super) fn patch_card(scene: &mut Scene, name: &str, patch: &Value) {
    if let Some(peer) = scene.peer(name) {
        merge(&mut peer.card, patch);
    }
}

/// RFC 7396, but null stays: it removes a member later, when the card is rendered.
fn merge(into: &mut Value, patch: &Value) {
    match (into, patch) {
        (Value::Object(into), Value::Object(patch)) => {
            for (key, value) in patch {
                merge(into.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (into, patch) => into.clone_from(patch),
    }
}

fn with_interfaces(scene: &mut Scene, name: &str, bindings: &Bindings, change: impl Fn(&mut InterfaceSpec)) {
    let mut found = 0;
    if let Some(peer) = scene.peer(name) {
        for interface in peer.interfaces.iter_mut().filter(|interface| bindings.0.contains(&interface.binding)) {
            change(interface);
            found += 1;
        }
        if found < bindings.0.len() {
            scene.wrong(format!("\"{name}\" does not serve all of these bindings"), None);
        }
    }
}

fn set_behaviour(scene: &mut Scene, name: &str, behaviour: Behaviour) {
    if let Some(peer) = scene.peer(name) {
        peer.behaviour = behaviour;
    }
}

fn add_defect(scene: &mut Scene, name: &str, id: &str, arguments: Option<&str>, when: Option<&str>) {
    if let Err(unknown) = scene.library().defect(id) {
        scene.wrong(unknown.to_string(), None);
        return;
    }
    let place = scene.place("");
    match DefectUse::parse(id, arguments, when, place) {
        Ok(used) => {
            if let Some(peer) = scene.peer(name) {
                peer.defects.push(used);
            }
        }
        Err(error) => scene.wrong_file(error),
    }
}

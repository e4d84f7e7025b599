//! What must hold whatever the script and whoever listens.

mod interleaving;

use std::sync::Arc;
use std::time::Duration;

use gauntlet_scenario::{ArtifactStep, Branch, MessageMatch, Turn};
use gauntlet_wire::v1::{TaskState, stream_response::Payload};
use proptest::prelude::*;

use super::task::fold;
use super::*;
use crate::check::Troubles;
use crate::classify::Expectations;
use crate::journal::{Journal, JournalLimits};
use crate::limits;
use crate::peer::Shared;
use crate::webhook::WebhookOptions;

fn engine(steps: Vec<Step>) -> Arc<Engine> {
    engine_at(Clock::stepping(), steps)
}

fn engine_at(clock: Clock, steps: Vec<Step>) -> Arc<Engine> {
    engine_of(clock, Behaviour::steps(steps))
}

fn engine_of(clock: Clock, behaviour: Behaviour) -> Arc<Engine> {
    let input_modes = BTreeSet::from(["text/plain".to_owned()]);
    let agent = Agent {
        behaviour,
        abilities: Abilities { streaming: true, push: true, extended_card: false, input_modes },
        ids: Ids::new(7, "vendor-a"),
        clock: clock.clone(),
        faults: Arc::default(),
    };
    let shared = Shared {
        journal: Journal::new(clock.clone(), JournalLimits::default()),
        expectations: Expectations::default(),
        troubles: Troubles::default(),
    };
    let courier = Courier {
        peer: "vendor-a".into(),
        shared: Arc::new(shared),
        clock,
        options: WebhookOptions::default(),
        faults: Arc::default(),
    };
    Engine::new(agent, courier, CancellationToken::new())
}

fn message(task_id: &str, media_type: &str) -> v1::Message {
    let content = Some(v1::part::Content::Text("go".to_owned()));
    v1::Message {
        message_id: "m".to_owned(),
        task_id: task_id.to_owned(),
        role: v1::Role::User.into(),
        parts: vec![v1::Part { content, media_type: media_type.to_owned(), ..v1::Part::default() }],
        ..v1::Message::default()
    }
}

fn order(message: v1::Message) -> Order {
    Order { message, push: None }
}

fn origin() -> Origin {
    Origin { exchange: 1, delegation: None, instead: None }
}

fn send(engine: &Arc<Engine>, task_id: &str) -> Result<(Snapshot, Subscription), A2aError> {
    match engine.send_and_follow(order(message(task_id, "")), origin())? {
        Sent::Task(followed) => Ok(followed),
        Sent::Reply(message) => panic!("a reply: {message:?}"),
    }
}

/// Everything a subscription tells, once it has ended by itself.
async fn drain(mut subscription: Subscription) -> Vec<v1::StreamResponse> {
    let mut told = Vec::new();
    while let Next::Event(said) = subscription.next().await {
        told.push(said.item.clone());
    }
    told
}

fn state_of(event: &v1::StreamResponse) -> Option<TaskState> {
    match &event.payload {
        Some(Payload::StatusUpdate(update)) => update.status.as_ref().map(v1::TaskStatus::state),
        _ => None,
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn any_step() -> impl Strategy<Value = Step> {
    let artifact =
        |(text, chunks)| Step::Artifact(ArtifactStep { text: Some(text), chunks, ..ArtifactStep::default() });
    prop_oneof![
        Just(Step::Working(None)),
        Just(Step::Working(Some("busy".to_owned()))),
        ("[a-z]{0,9}", 1u32..5).prop_map(artifact),
        Just(Step::Ask("which?".to_owned())),
        Just(Step::Wait(5)),
        Just(Step::Complete(Some("bye".to_owned()))),
        Just(Step::Fail("no".to_owned())),
    ]
}

proptest! {
    #[test]
    fn what_is_told_adds_up_to_what_is_held(steps in prop::collection::vec(any_step(), 0..8)) {
        block_on(async {
            // Whatever the script does, it comes to an end once it is answered often enough.
            let engine = engine(steps.into_iter().chain([Step::Complete(None)]).collect());
            let (first, early) = send(&engine, "").unwrap();
            let id = first.task.id.clone();
            let mut told = drain(early).await;
            let mut fold_of_told = first.task;
            let late = engine.subscribe(&id).ok();
            let told_before_late = told.len();
            while engine.get(&id).unwrap().task.status.unwrap().state() == TaskState::InputRequired {
                let (_, more) = send(&engine, &id).unwrap();
                // The answer itself is no event; nor is that the task works again, to the one who answered.
                fold_of_told.history.clear();
                told.extend(drain(more).await);
            }
            prop_assert_eq!(told.iter().filter_map(state_of).filter(|state| Phase::of(*state) == Phase::Ended).count(), 1);
            prop_assert_eq!(told.last().and_then(state_of).map(Phase::of), Some(Phase::Ended));
            if let Some((_, late)) = late {
                // One who joined while the task waited sees all the rest, in the same order.
                let seen = drain(late).await;
                let artifacts = |events: &[v1::StreamResponse]| -> Vec<_> {
                    events.iter().filter(|event| state_of(event).is_none()).cloned().collect()
                };
                prop_assert_eq!(artifacts(&seen), artifacts(&told[told_before_late..]));
            }
            for event in told {
                fold(&mut fold_of_told, event, None);
            }
            let held = engine.get(&id).unwrap().task;
            prop_assert_eq!(&fold_of_told.artifacts, &held.artifacts);
            prop_assert_eq!(&fold_of_told.status, &held.status);
            Ok(())
        })?;
    }
}

#[tokio::test]
async fn subscribers_see_the_same_events_in_the_same_order() {
    let engine = engine(vec![Step::Working(None), Step::Hang]);
    let (first, one) = send(&engine, "").unwrap();
    let (_, other) = engine.subscribe(&first.task.id).unwrap();
    assert_eq!(engine.cancel(&first.task.id).unwrap().task.status.unwrap().state(), TaskState::Canceled);
    let (one, other) = (drain(one).await, drain(other).await);
    assert_eq!(one.iter().filter_map(state_of).collect::<Vec<_>>(), [TaskState::Working, TaskState::Canceled]);
    assert_eq!(one[1..], other[..]);
}

#[tokio::test]
async fn a_task_that_waits_goes_on_when_it_is_answered() {
    let engine = engine(vec![Step::Ask("which?".to_owned()), Step::Working(None), Step::Complete(None)]);
    let (first, asked) = send(&engine, "").unwrap();
    let id = first.task.id;
    let asked = asked.settled().await.unwrap().task;
    assert_eq!(asked.status.unwrap().state(), TaskState::InputRequired);
    let (again, rest) = send(&engine, &id).unwrap();
    assert_eq!(again.task.status.unwrap().state(), TaskState::Working);
    let done = rest.settled().await.unwrap().task;
    assert_eq!(done.status.as_ref().map(v1::TaskStatus::state), Some(TaskState::Completed));
    // The question, once superseded, is history: user, agent, user.
    let roles: Vec<_> = done.history.iter().map(v1::Message::role).collect();
    assert_eq!(roles, [v1::Role::User, v1::Role::Agent, v1::Role::User]);
}

#[tokio::test]
async fn a_subscription_opened_while_the_task_waits_stays_until_it_ends() {
    let ask = || Step::Ask("which?".to_owned());
    let engine = engine(vec![ask(), ask(), Step::Complete(None)]);
    let (first, _) = send(&engine, "").unwrap();
    let id = first.task.id;
    let (_, joined) = engine.subscribe(&id).unwrap();
    send(&engine, &id).unwrap();
    send(&engine, &id).unwrap();
    let states: Vec<_> = drain(joined).await.iter().filter_map(state_of).collect();
    assert_eq!(states, [TaskState::Working, TaskState::InputRequired, TaskState::Working, TaskState::Completed]);
}

#[tokio::test]
async fn what_may_not_be_done_is_refused_with_the_right_error() {
    let engine = engine(vec![Step::Complete(None)]);
    let (first, _) = send(&engine, "").unwrap();
    let id = first.task.id.as_str();
    let kind = |result: Result<(), A2aError>| result.unwrap_err().kind;
    let send = |message| engine.send_off(order(message), origin()).map(|_| ());
    assert_eq!(kind(send(message(id, ""))), ErrorKind::UnsupportedOperation);
    assert_eq!(kind(send(message("task-of-another", ""))), ErrorKind::TaskNotFound);
    assert_eq!(kind(send(message("", "image/png"))), ErrorKind::ContentTypeNotSupported);
    assert!(send(message("", "Text/Plain; charset=utf-8")).is_ok());
    assert_eq!(
        kind(send(v1::Message { context_id: "elsewhere".to_owned(), ..message(id, "") })),
        ErrorKind::InvalidParams
    );
    assert_eq!(kind(engine.cancel(id).map(|_| ())), ErrorKind::TaskNotCancelable);
    assert_eq!(kind(engine.subscribe(id).map(|_| ())), ErrorKind::UnsupportedOperation);
    assert_eq!(kind(engine.get("nowhere").map(|_| ())), ErrorKind::TaskNotFound);
}

#[tokio::test(start_paused = true)]
async fn a_wait_on_a_real_clock_wakes_the_script_and_a_cancel_ends_it() {
    let engine = engine_at(Clock::real(), vec![Step::Wait(50), Step::Complete(None)]);
    let (first, rest) = send(&engine, "").unwrap();
    assert_eq!(engine.get(&first.task.id).unwrap().task.status.unwrap().state(), TaskState::Submitted);
    assert_eq!(rest.settled().await.unwrap().task.status.unwrap().state(), TaskState::Completed);
    let (second, rest) = send(&engine, "").unwrap();
    engine.cancel(&second.task.id).unwrap();
    assert_eq!(drain(rest).await.len(), 1);
    assert!(engine.stop().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_a_replaced_script_waited_for_wakes_nothing() {
    let later = MessageMatch { turn: Turn::Later, ..MessageMatch::default() };
    let behaviour = Behaviour {
        branches: vec![
            Branch { when: MessageMatch::default(), steps: [Step::Wait(50), Step::Complete(None)].into() },
            Branch { when: later, steps: [Step::Wait(100), Step::Fail("late".to_owned())].into() },
        ],
    };
    let engine = engine_of(Clock::real(), behaviour);
    let (first, _rest) = send(&engine, "").unwrap();
    let id = first.task.id;
    let state = || engine.get(&id).unwrap().task.status.unwrap().state();
    tokio::time::sleep(Duration::from_millis(20)).await;
    send(&engine, &id).unwrap();
    tokio::time::sleep(Duration::from_millis(60)).await;
    assert_eq!(state(), TaskState::Submitted);
    tokio::time::sleep(Duration::from_millis(60)).await;
    assert_eq!(state(), TaskState::Failed);
}

#[test]
fn pages_hold_the_newest_first_and_name_the_next() {
    let engine = engine(vec![Step::Complete(None)]);
    let ids: Vec<_> = (0..3).map(|_| send(&engine, "").unwrap().0.task.id).collect();
    let page = |token: &str| {
        engine
            .list(&v1::ListTasksRequest {
                page_size: Some(2),
                page_token: token.to_owned(),
                ..v1::ListTasksRequest::default()
            })
            .unwrap()
    };
    let first = page("");
    let second = page(&first.next_page_token);
    let listed: Vec<_> = first.tasks.iter().chain(&second.tasks).map(|task| task.id.clone()).collect();
    assert_eq!(listed, ids.into_iter().rev().collect::<Vec<_>>());
    assert_eq!((second.next_page_token.as_str(), second.total_size), ("", 3));
    let wrong = v1::ListTasksRequest { page_size: Some(0), ..v1::ListTasksRequest::default() };
    assert_eq!(engine.list(&wrong).unwrap_err().kind, ErrorKind::InvalidParams);
}

#[test]
fn of_many_tasks_the_oldest_that_have_ended_are_forgotten() {
    let engine = engine(vec![Step::Complete(None)]);
    let send = |message| match engine.send_off(order(message), origin()).unwrap() {
        Sent::Task(first) => first.task.id,
        Sent::Reply(message) => panic!("a reply: {message:?}"),
    };
    let ids: Vec<_> = (0..=limits::TASKS).map(|_| send(message("", ""))).collect();
    assert_eq!(engine.get(&ids[0]).unwrap_err().kind, ErrorKind::TaskNotFound);
    assert_eq!(engine.get(&ids[1]).unwrap().task.id, ids[1]);
    assert_eq!(engine.get(&ids[limits::TASKS]).unwrap().task.id, ids[limits::TASKS]);
    assert_eq!(engine.held().len(), limits::TASKS);
}

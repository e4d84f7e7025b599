//! Several clients at one agent, in any order of what they do.

use futures::FutureExt;

use super::*;

/// What a client does next. Tasks and subscriptions are named by a number, taken modulo how many there are.
#[derive(Debug, Clone, Copy)]
enum Act {
    Begin,
    Answer(usize),
    Cancel(usize),
    Subscribe(usize),
    Get(usize),
    /// Takes one event off a subscription, if there is one.
    Read(usize),
    /// The clock moves on.
    Pass,
}

fn any_act() -> impl Strategy<Value = Act> {
    prop_oneof![
        2 => Just(Act::Begin),
        4 => any::<usize>().prop_map(Act::Answer),
        1 => any::<usize>().prop_map(Act::Cancel),
        3 => any::<usize>().prop_map(Act::Subscribe),
        1 => any::<usize>().prop_map(Act::Get),
        4 => any::<usize>().prop_map(Act::Read),
        2 => Just(Act::Pass),
    ]
}

/// A subscription and what it has told.
struct Follower {
    task: usize,
    /// How much of the log there was when it joined.
    from: usize,
    joined: v1::Task,
    told: Vec<v1::StreamResponse>,
    subscription: Subscription,
    /// Whether it was opened on a task that waited.
    patient: bool,
}

impl Follower {
    fn read(&mut self) -> bool {
        match self.subscription.next().now_or_never() {
            Some(Next::Event(said)) => {
                self.told.push(said.item.clone());
                true
            }
            _ => false,
        }
    }
}

struct Scene {
    engine: Arc<Engine>,
    tasks: Vec<v1::Task>,
    followers: Vec<Follower>,
}

impl Scene {
    fn log(&self, task: usize) -> Vec<Arc<Said>> {
        lock(&self.engine.tasks).find(&self.tasks[task].id).unwrap().log.clone()
    }

    fn held(&self, task: usize) -> v1::Task {
        self.engine.get(&self.tasks[task].id).unwrap().task
    }

    fn phase(&self, task: usize) -> Phase {
        Phase::of(self.held(task).status.unwrap().state())
    }

    fn follow(&mut self, task: usize, from: usize, joined: v1::Task, subscription: Subscription) {
        let patient = Phase::of(joined.status.as_ref().unwrap().state()) == Phase::Interrupted;
        self.followers.push(Follower { task, from, joined, told: Vec::new(), subscription, patient });
    }

    async fn act(&mut self, act: Act) {
        let pick = |number: usize, of: usize| (of > 0).then(|| number % of);
        let task = |number| pick(number, self.tasks.len());
        match act {
            Act::Begin => {
                let (first, rest) = send(&self.engine, "").unwrap();
                self.tasks.push(first.task.clone());
                self.follow(self.tasks.len() - 1, 0, first.task, rest);
            }
            Act::Answer(number) => {
                let Some(task) = task(number) else { return };
                let (ended, from) = (self.phase(task) == Phase::Ended, self.log(task).len());
                match send(&self.engine, &self.tasks[task].id) {
                    Ok((first, rest)) => {
                        assert!(!ended);
                        // That the task works again is in the snapshot that the one who answers gets.
                        let told = self.log(task)[from..].first().is_some_and(|said| {
                            state_of(&said.item) == Some(TaskState::Working)
                                && first.task.status.as_ref().unwrap().state() == TaskState::Working
                                && first.task.status == status_of(&said.item)
                        });
                        self.follow(task, from + usize::from(told), first.task, rest);
                    }
                    Err(error) => assert!(ended && error.kind == ErrorKind::UnsupportedOperation),
                }
            }
            Act::Cancel(number) => {
                let Some(task) = task(number) else { return };
                let ended = self.phase(task) == Phase::Ended;
                match self.engine.cancel(&self.tasks[task].id) {
                    Ok(cancelled) => assert!(!ended && cancelled.task == self.held(task)),
                    Err(error) => assert!(ended && error.kind == ErrorKind::TaskNotCancelable),
                }
            }
            Act::Subscribe(number) => {
                let Some(task) = task(number) else { return };
                let ended = self.phase(task) == Phase::Ended;
                match self.engine.subscribe(&self.tasks[task].id) {
                    Ok((first, rest)) => {
                        assert!(!ended && first.task == self.held(task));
                        self.follow(task, self.log(task).len(), first.task, rest);
                    }
                    Err(error) => assert!(ended && error.kind == ErrorKind::UnsupportedOperation),
                }
            }
            Act::Get(number) => {
                let Some(task) = task(number) else { return };
                assert_eq!(self.held(task).id, self.tasks[task].id);
            }
            Act::Read(number) => {
                if let Some(follower) = pick(number, self.followers.len()) {
                    self.followers[follower].read();
                }
            }
            Act::Pass => tokio::time::sleep(Duration::from_millis(3)).await,
        }
    }

    /// Nothing is told after a task has ended, and what was told adds up to what is held.
    fn check_tasks(&self) {
        for (index, begun) in self.tasks.iter().enumerate() {
            let (log, held) = (self.log(index), self.held(index));
            let ends: Vec<_> = (0..log.len()).filter(|&at| log[at].phase == Phase::Ended).collect();
            assert_eq!(ends, [log.len() - 1], "a task ends once, and that is the last of it");
            let mut folded = begun.clone();
            for said in &log {
                fold(&mut folded, said.item.clone(), None);
            }
            assert_eq!((&folded.status, &folded.artifacts), (&held.status, &held.artifacts));
            let by_agent = |task: &v1::Task| -> Vec<_> {
                task.history.iter().filter(|message| message.role() == v1::Role::Agent).cloned().collect()
            };
            assert_eq!(by_agent(&folded), by_agent(&held), "status messages become history in order");
        }
    }

    /// Every follower was told all from where it joined to where it had to end, in order.
    fn check_followers(&mut self) {
        for follower in &mut self.followers {
            while follower.read() {}
        }
        for follower in &self.followers {
            let log = self.log(follower.task);
            let rest = &log[follower.from..];
            let ends = |said: &&Arc<Said>| {
                said.phase == Phase::Ended || (!follower.patient && said.phase == Phase::Interrupted)
            };
            let length = rest.iter().position(|said| ends(&said)).unwrap() + 1;
            let expected: Vec<_> = rest[..length].iter().map(|said| said.item.clone()).collect();
            assert_eq!(follower.told, expected);
            if length == rest.len() {
                let mut folded = follower.joined.clone();
                for event in &follower.told {
                    fold(&mut folded, event.clone(), None);
                }
                let held = self.held(follower.task);
                assert_eq!((&folded.status, &folded.artifacts), (&held.status, &held.artifacts));
            }
        }
    }
}

fn status_of(event: &v1::StreamResponse) -> Option<v1::TaskStatus> {
    match &event.payload {
        Some(Payload::StatusUpdate(update)) => update.status.clone(),
        _ => None,
    }
}

proptest! {
    #[test]
    fn whatever_clients_do_each_sees_the_same_story(
        steps in prop::collection::vec(any_step(), 0..7),
        acts in prop::collection::vec(any_act(), 0..50),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let engine = engine_at(Clock::real(), steps.into_iter().chain([Step::Complete(None)]).collect());
            let mut scene = Scene { engine, tasks: Vec::new(), followers: Vec::new() };
            for act in acts {
                scene.act(act).await;
            }
            // Scripts that wait for the clock come to their end, those that wait for an answer are given up.
            tokio::time::sleep(Duration::from_secs(1)).await;
            for task in 0..scene.tasks.len() {
                let _ = scene.engine.cancel(&scene.tasks[task].id);
            }
            scene.check_tasks();
            scene.check_followers();
            assert!(scene.engine.stop().await.is_empty());
        });
    }
}

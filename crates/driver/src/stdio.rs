//! Driver protocol 1 over the standard streams of a program.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use gauntlet_evidence::contract::{
    Cancel, Continue, Delegation, FromDriver, Hello, Outcome, PROTOCOL, Reset, Start, Support, ToDriver,
};
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout, timeout_at};

use crate::command::CommandSpec;
use crate::lines::Line;
use crate::log::Log;
use crate::message::{self, Message};
use crate::options::StdioOptions;
use crate::orchestrator::{DriverError, Orchestrator, OrchestratorFactory};
use crate::process::{Ending, Process};

/// Makes orchestrators out of a command: each has a process of its own, started when it is first needed.
pub struct StdioFactory {
    command: Arc<CommandSpec>,
    options: Arc<StdioOptions>,
    habits: Arc<Habits>,
}

impl StdioFactory {
    /// Of a command. Nothing is started yet.
    pub fn new(command: CommandSpec, options: StdioOptions) -> Self {
        Self { command: Arc::new(command), options: Arc::new(options), habits: Arc::default() }
    }
}

#[async_trait]
impl OrchestratorFactory for StdioFactory {
    async fn create(&self) -> Result<Box<dyn Orchestrator>, DriverError> {
        Ok(Box::new(Stdio {
            command: Arc::clone(&self.command),
            options: Arc::clone(&self.options),
            habits: Arc::clone(&self.habits),
            log: Log::new(self.options.max_log),
            running: None,
        }))
    }
}

/// What is known of a command, shared by all processes of it.
#[derive(Default)]
struct Habits {
    greeting: OnceCell<Greeting>,
    /// It exits after an outcome, so that each delegation needs a process of its own.
    one_shot: AtomicBool,
}

struct Greeting {
    hello: Hello,
    /// Whether it was said, or is assumed.
    said: bool,
}

struct Stdio {
    command: Arc<CommandSpec>,
    options: Arc<StdioOptions>,
    habits: Arc<Habits>,
    log: Log,
    running: Option<Running>,
}

struct Running {
    process: Process,
    /// Delegations that have their outcome, with the time each is given.
    answered: BTreeMap<String, Duration>,
    /// A delegation was sent whose outcome nobody waited for.
    owes: bool,
    /// Bytes printed since the last outcome.
    heard: usize,
}

/// Why an exchange ended without an outcome.
enum Broken {
    Contract(DriverError),
    /// The process has closed its stdout or exited.
    Ended,
    /// Nothing came within this time.
    Late(Duration),
}

impl From<DriverError> for Broken {
    fn from(error: DriverError) -> Self {
        Self::Contract(error)
    }
}

#[async_trait]
impl Orchestrator for Stdio {
    async fn hello(&mut self) -> Result<Hello, DriverError> {
        let habits = Arc::clone(&self.habits);
        Ok(self.greeting(&habits).await?.hello.clone())
    }

    async fn delegate(&mut self, delegation: &Delegation) -> Result<Outcome, DriverError> {
        let id = &delegation.id;
        let deadline = Duration::from_millis(delegation.deadline_ms);
        let line = ToDriver::Delegate(Box::new(delegation.clone()));
        self.ready().await?;
        let broken = match self.ask(id, deadline, &line).await {
            Ok(outcome) => return Ok(outcome),
            Err(broken) => broken,
        };
        // A driver that exits after each outcome may do so only when the next delegation is already in its pipe. That
        // shows once for a command: from then on each delegation gets a fresh process.
        let unheard = self.running.as_ref().is_some_and(|running| !running.answered.is_empty() && running.heard == 0);
        if !(matches!(broken, Broken::Ended) && unheard) {
            return Err(self.fail(id, broken).await);
        }
        let ending = self.end(self.options.exit_wait).await;
        if !ending.as_ref().is_some_and(Ending::is_success) {
            return Err(died(id, ending.as_ref()));
        }
        self.habits.one_shot.store(true, Ordering::Relaxed);
        self.ready().await?;
        match self.ask(id, deadline, &line).await {
            Ok(outcome) => Ok(outcome),
            Err(broken) => Err(self.fail(id, broken).await),
        }
    }

    async fn proceed(&mut self, answer: &Continue) -> Result<Outcome, DriverError> {
        let waiting = self.running.as_mut().and_then(|running| running.answered.remove(&answer.id));
        let Some(deadline) = waiting else {
            return Err(DriverError::Unsupported(format!("the driver has no delegation {} that waits", answer.id)));
        };
        match self.ask(&answer.id, deadline, &ToDriver::Continue(answer.clone())).await {
            Ok(outcome) => Ok(outcome),
            Err(broken) => Err(self.fail(&answer.id, broken).await),
        }
    }

    async fn reset(&mut self, session: &str) -> Result<(), DriverError> {
        let can = self.habits.greeting.get().is_some_and(|greeting| greeting.hello.supports(Support::Reset));
        if can && self.running.as_ref().is_some_and(|running| !running.owes) {
            self.send(&ToDriver::Reset(Reset { session: session.to_owned() }));
            match timeout(self.options.reset_timeout, self.reset_done(session)).await {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(Broken::Contract(error))) => {
                    self.end(Duration::ZERO).await;
                    return Err(error);
                }
                Ok(Err(_)) => self.note("it ended instead of resetting; it is replaced"),
                Err(_) => self.note("it did not reset in time; it is replaced"),
            }
        }
        self.replace(Duration::ZERO).await
    }

    fn take_log(&mut self) -> String {
        self.log.take()
    }

    async fn shutdown(&mut self) {
        self.end(Duration::ZERO).await;
    }
}

impl Stdio {
    /// What the command says of itself, asked of the first process of it.
    async fn greeting<'h>(&mut self, habits: &'h Habits) -> Result<&'h Greeting, DriverError> {
        habits
            .greeting
            .get_or_try_init(|| async {
                if self.running.is_none() {
                    self.start()?;
                }
                let hello = self.await_hello().await?;
                if let Some(hello) = hello.as_ref().filter(|hello| hello.protocol != PROTOCOL) {
                    let (theirs, name) = (hello.protocol, &hello.name);
                    let detail = format!("{name} speaks driver protocol {theirs}; this is protocol {PROTOCOL}");
                    self.end(Duration::ZERO).await;
                    return Err(DriverError::Unsupported(detail));
                }
                let said = hello.is_some();
                Ok(Greeting { hello: hello.unwrap_or_default(), said })
            })
            .await
    }

    /// Makes sure that a process is there which can take a delegation.
    async fn ready(&mut self) -> Result<(), DriverError> {
        self.retire().await?;
        let habits = Arc::clone(&self.habits);
        let said = self.greeting(&habits).await?.said;
        if self.running.is_none() {
            self.start()?;
            if said {
                self.await_hello().await?;
            }
        }
        Ok(())
    }

    /// Ends a process that is of no use any more, and tells of an outcome that nobody asked for.
    async fn retire(&mut self) -> Result<(), DriverError> {
        let Some(running) = &self.running else { return Ok(()) };
        if running.owes {
            self.end(Duration::ZERO).await;
            return Ok(());
        }
        let has_answered = !running.answered.is_empty();
        let gone = loop {
            match timeout(Duration::ZERO, self.hear()).await {
                Ok(Ok(FromDriver::Outcome(outcome))) => {
                    let error = self.unasked(&outcome, None);
                    self.end(Duration::ZERO).await;
                    return Err(error);
                }
                Ok(Ok(FromDriver::Hello(_) | FromDriver::ResetDone(_))) => {}
                Ok(Err(Broken::Contract(error))) => {
                    self.end(Duration::ZERO).await;
                    return Err(error);
                }
                Ok(Err(_)) => break true,
                Err(_) => break self.running.as_ref().is_some_and(|running| running.process.has_exited()),
            }
        };
        if gone && has_answered {
            self.habits.one_shot.store(true, Ordering::Relaxed);
        }
        if gone || (has_answered && self.habits.one_shot.load(Ordering::Relaxed)) {
            self.replace(self.options.exit_wait).await?;
        }
        Ok(())
    }

    fn start(&mut self) -> Result<(), DriverError> {
        let process = Process::start(&self.command, &self.options, &self.log)?;
        self.running = Some(Running { process, answered: BTreeMap::new(), owes: false, heard: 0 });
        self.send(&ToDriver::Start(Start { protocol: PROTOCOL, seed: self.options.seed }));
        Ok(())
    }

    /// Ends the process, if there is one; after `patience` for an exit of its own. What it said last goes to the log.
    async fn end(&mut self, patience: Duration) -> Option<Ending> {
        let ending = self.running.take()?.process.end(patience).await;
        for Line::Whole(line) | Line::Cut(line) in &ending.rest {
            self.log.line("stdout: ", line);
        }
        Some(ending)
    }

    /// Ends a process that owes nothing. A second outcome among what it said last is an error.
    async fn replace(&mut self, patience: Duration) -> Result<(), DriverError> {
        let answered = self.running.as_mut().map(|running| std::mem::take(&mut running.answered)).unwrap_or_default();
        let Some(ending) = self.end(patience).await else { return Ok(()) };
        for line in &ending.rest {
            if let Line::Whole(line) = line
                && let Message::Protocol(FromDriver::Outcome(outcome)) = message::read(line)
                && answered.contains_key(&outcome.id)
            {
                return Err(DriverError::Twice { delegation: outcome.id });
            }
        }
        Ok(())
    }

    fn note(&self, note: &str) {
        self.log.line("gauntlet: ", note.as_bytes());
    }

    fn send(&self, message: &ToDriver) {
        if let Some(running) = &self.running {
            let mut line = serde_json::to_vec(message).unwrap_or_default();
            line.push(b'\n');
            running.process.send(line);
        }
    }

    /// The next message of the protocol; everything else goes to the log.
    async fn hear(&mut self) -> Result<FromDriver, Broken> {
        loop {
            let running = self.running.as_mut().ok_or(Broken::Ended)?;
            let line = match running.process.next().await.ok_or(Broken::Ended)? {
                Line::Whole(line) => line,
                Line::Cut(_) => return Err(DriverError::Flooded { limit: self.options.max_line }.into()),
            };
            running.heard += line.len() + 1;
            if running.heard > self.options.max_output {
                return Err(DriverError::Flooded { limit: self.options.max_output }.into());
            }
            match message::read(&line) {
                Message::Protocol(message) => return Ok(message),
                Message::Malformed(detail) => {
                    return Err(DriverError::Malformed { line: message::shortened(&line), detail }.into());
                }
                Message::Chatter => self.log.line("stdout: ", &line),
            }
        }
    }

    /// The hello, or nothing when none comes in time.
    async fn await_hello(&mut self) -> Result<Option<Hello>, DriverError> {
        let until = Instant::now() + self.options.hello_timeout;
        let broken = loop {
            match timeout_at(until, self.hear()).await {
                Ok(Ok(FromDriver::Hello(hello))) => return Ok(Some(hello)),
                Ok(Ok(FromDriver::ResetDone(_))) => {}
                Ok(Ok(FromDriver::Outcome(outcome))) => break Broken::Contract(self.unasked(&outcome, None)),
                Ok(Err(broken)) => break broken,
                Err(_) => return Ok(None),
            }
        };
        let ending = self.end(self.options.exit_wait).await;
        Err(match broken {
            Broken::Contract(error) => error,
            Broken::Ended | Broken::Late(_) => {
                let how = ending.map(|ending| ending.describe()).unwrap_or_default();
                let last = self.log.last(5);
                let said =
                    if last.is_empty() { "it said nothing".to_owned() } else { format!("it said last:\n{last}") };
                let program = &self.command.program;
                DriverError::NotStarted(format!("`{program}` ended ({how}) before it was asked anything; {said}"))
            }
        })
    }

    /// Sends what asks for an outcome, and waits for it: to the deadline, then for the grace time after a cancel.
    async fn ask(&mut self, id: &str, deadline: Duration, line: &ToDriver) -> Result<Outcome, Broken> {
        let running = self.running.as_mut().ok_or(Broken::Ended)?;
        running.owes = true;
        running.heard = 0;
        let said = self.habits.greeting.get().is_some_and(|greeting| greeting.said);
        let first = running.answered.is_empty();
        let ample = if first && !said { deadline + self.options.start_allowance } else { deadline };
        self.send(line);
        let outcome = match timeout(ample, self.outcome(id)).await {
            Ok(outcome) => outcome?,
            Err(_) => {
                self.send(&ToDriver::Cancel(Cancel { id: id.to_owned() }));
                let grace = self.options.grace;
                timeout(grace, self.outcome(id)).await.map_err(|_| Broken::Late(ample + grace))??
            }
        };
        if let Some(running) = &mut self.running {
            running.owes = false;
            running.answered.insert(id.to_owned(), deadline);
        }
        match timeout(self.options.linger, self.outcome(id)).await {
            Ok(Err(Broken::Contract(error))) => Err(error.into()),
            _ => Ok(outcome),
        }
    }

    /// The outcome of a delegation that has none yet.
    async fn outcome(&mut self, id: &str) -> Result<Outcome, Broken> {
        loop {
            match self.hear().await? {
                FromDriver::Outcome(outcome) => {
                    let answered = self.running.as_ref().is_some_and(|running| running.answered.contains_key(id));
                    if outcome.id == id && !answered {
                        return Ok(*outcome);
                    }
                    return Err(self.unasked(&outcome, Some(id)).into());
                }
                FromDriver::Hello(_) => self.note("its hello came too late and counts for nothing"),
                FromDriver::ResetDone(_) => {}
            }
        }
    }

    async fn reset_done(&mut self, session: &str) -> Result<(), Broken> {
        loop {
            match self.hear().await? {
                FromDriver::ResetDone(done) if done.session == session => {
                    if let Some(running) = &mut self.running {
                        running.heard = 0;
                    }
                    return Ok(());
                }
                FromDriver::Outcome(outcome) => return Err(self.unasked(&outcome, None).into()),
                FromDriver::Hello(_) | FromDriver::ResetDone(_) => {}
            }
        }
    }

    /// What an outcome is that is not the one waited for.
    fn unasked(&self, outcome: &Outcome, waiting: Option<&str>) -> DriverError {
        let id = &outcome.id;
        if self.running.as_ref().is_some_and(|running| running.answered.contains_key(id)) {
            return DriverError::Twice { delegation: id.clone() };
        }
        let detail = match waiting {
            Some(waiting) => format!("an outcome for {id}, while {waiting} was asked"),
            None => format!("an outcome for {id}, which was not asked"),
        };
        let line = serde_json::to_vec(outcome).unwrap_or_default();
        DriverError::Malformed { line: message::shortened(&line), detail }
    }

    /// Ends the process that broke the contract and says how it did.
    async fn fail(&mut self, id: &str, broken: Broken) -> DriverError {
        match broken {
            Broken::Contract(error) => {
                self.end(Duration::ZERO).await;
                error
            }
            Broken::Late(waited) => {
                self.end(Duration::ZERO).await;
                let waited_ms = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
                DriverError::Hung { delegation: id.to_owned(), waited_ms }
            }
            Broken::Ended => died(id, self.end(self.options.exit_wait).await.as_ref()),
        }
    }
}

fn died(id: &str, ending: Option<&Ending>) -> DriverError {
    let status = ending.map(Ending::describe).unwrap_or_default();
    DriverError::Died { delegation: id.to_owned(), status }
}

//! One child process with its streams, and its end together with everything it started.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop, ProcessGroup};
use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout, timeout_at};

use crate::DriverError;
use crate::command::CommandSpec;
use crate::lines::{Line, Lines};
use crate::log::Log;
use crate::options::StdioOptions;

/// Lines read ahead of whoever wants them. A driver that prints more has to wait.
const READ_AHEAD: usize = 8;

/// `SIGTERM`, the same number on every Unix.
const TERMINATE: i32 = 15;

pub(crate) struct Process {
    child: Box<dyn ChildWrapper>,
    stdin: Option<mpsc::UnboundedSender<Vec<u8>>>,
    stdout: mpsc::Receiver<Line>,
    tasks: JoinSet<()>,
    /// Once the program itself has ended and its group was killed: until when what it left in the pipe is read. From
    /// then on its number may belong to another group, which must not be killed.
    drain_until: Option<Instant>,
    exit_wait: Duration,
    terminate_wait: Duration,
}

/// How a process ended.
pub(crate) struct Ending {
    /// Its own exit; none if it had to be ended.
    pub(crate) status: Option<ExitStatus>,
    /// The lines nobody had asked for yet.
    pub(crate) rest: Vec<Line>,
}

impl Ending {
    pub(crate) fn describe(&self) -> String {
        self.status.map_or_else(|| "it closed its stdout and went on running".to_owned(), |status| status.to_string())
    }

    pub(crate) fn is_success(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }
}

impl Process {
    /// Starts the program as the leader of a process group of its own.
    pub(crate) fn start(command: &CommandSpec, options: &StdioOptions, log: &Log) -> Result<Self, DriverError> {
        let not_started = |error: &io::Error| DriverError::NotStarted(command.explain(error));
        let mut wrap = CommandWrap::from(command.to_command());
        wrap.command_mut().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            wrap.wrap(ProcessGroup::leader()).wrap(KillOnDrop).spawn().map_err(|error| not_started(&error))?;

        let mut tasks = JoinSet::new();
        let (stdin, to_write) = mpsc::unbounded_channel();
        let (read, stdout) = mpsc::channel(READ_AHEAD);
        if let Some(stream) = child.stdin().take() {
            tasks.spawn(write(stream, to_write));
        }
        if let Some(stream) = child.stdout().take() {
            tasks.spawn(read_stdout(Lines::new(stream, options.max_line), read));
        }
        if let Some(stream) = child.stderr().take() {
            tasks.spawn(read_stderr(Lines::new(stream, options.max_line.min(options.max_log)), log.clone()));
        }
        let (exit_wait, terminate_wait) = (options.exit_wait, options.terminate_wait);
        Ok(Self { child, stdin: Some(stdin), stdout, tasks, drain_until: None, exit_wait, terminate_wait })
    }

    /// Queues bytes for its stdin. A program that reads none of them shows it by its silence.
    pub(crate) fn send(&self, bytes: Vec<u8>) {
        if let Some(stdin) = &self.stdin {
            // The writer is gone only if the program has closed its stdin, which is its right.
            let _ = stdin.send(bytes);
        }
    }

    /// Lets it see the end of its stdin, once what was queued is written.
    pub(crate) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// The next line of its stdout; nothing once it has closed it or has ended. Nothing is lost when this is dropped.
    pub(crate) async fn next(&mut self) -> Option<Line> {
        loop {
            if let Some(until) = self.drain_until {
                return timeout_at(until, self.stdout.recv()).await.ok().flatten();
            }
            tokio::select! {
                biased;
                line = self.stdout.recv() => return line,
                // What it started may hold the pipe open: it goes now, or the end of the output never comes.
                _ = self.child.inner_mut().wait() => self.exited(),
            }
        }
    }

    /// Whether the program is known to have ended; lines may still be left.
    pub(crate) fn has_exited(&self) -> bool {
        self.drain_until.is_some()
    }

    fn exited(&mut self) {
        self.kill_group();
        self.drain_until.get_or_insert(Instant::now() + self.exit_wait);
    }

    fn kill_group(&mut self) {
        if self.drain_until.is_none() {
            // Failure means that nobody of the group is left.
            let _ = self.child.start_kill();
        }
    }

    /// Ends it: after `patience` for an exit of its own, it is asked to, then it and its group are killed.
    pub(crate) async fn end(mut self, patience: Duration) -> Ending {
        self.close_stdin();
        let status = timeout(patience, self.child.inner_mut().wait()).await.ok().and_then(Result::ok);
        if status.is_none() {
            let _ = self.child.signal(TERMINATE);
            let _ = timeout(self.terminate_wait, self.child.inner_mut().wait()).await;
        }
        self.kill_group();
        // It is dead or about to be; waiting takes its number out of use.
        let _ = timeout(self.exit_wait, self.child.inner_mut().wait()).await;
        self.exited();

        // Its pipes end with it, unless something that left the group holds them.
        let until = Instant::now() + self.exit_wait;
        let mut rest = Vec::new();
        while let Ok(Some(line)) = timeout_at(until, self.stdout.recv()).await {
            rest.push(line);
        }
        self.stdout.close();
        while let Ok(Some(ended)) = timeout_at(until, self.tasks.join_next()).await {
            if let Err(error) = ended
                && let Ok(panic) = error.try_into_panic()
            {
                std::panic::resume_unwind(panic);
            }
        }
        Ending { status, rest }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill_group();
    }
}

async fn write(mut stdin: ChildStdin, mut bytes: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(bytes) = bytes.recv().await {
        if stdin.write_all(&bytes).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

async fn read_stdout(mut lines: Lines<ChildStdout>, read: mpsc::Sender<Line>) {
    while let Some(line) = lines.next().await {
        if read.send(line).await.is_err() {
            return;
        }
    }
}

async fn read_stderr(mut lines: Lines<ChildStderr>, log: Log) {
    while let Some(Line::Whole(line) | Line::Cut(line)) = lines.next().await {
        log.line("", &line);
    }
}

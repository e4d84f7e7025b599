//! Drivers of every manner, held by the stdio transport. They are POSIX shell scripts: any Unix runs them.

#![expect(clippy::unwrap_used, reason = "a test tells of what must not be by panicking")]

use std::path::PathBuf;
use std::time::Duration;

use gauntlet_driver::{CommandSpec, DriverError, Orchestrator, OrchestratorFactory, StdioFactory, StdioOptions};
use gauntlet_evidence::contract::{Content, Continue, Delegation, Hello, Needs, Policy, Select};
use gauntlet_evidence::{Status, Support};
use serde_json::json;
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::time::timeout;

/// What every script may use: `each_delegate COMMAND` runs it with `$id` set, for each delegation read.
const PRELUDE: &str = r#"
hello() { echo '{"type":"hello","protocol":1,"name":"sh","supports":["reset","artifacts"]}'; }
outcome() { printf '{"type":"outcome","id":"%s","status":"completed","text":"%s"}\n' "$id" "$1"; }
each_delegate() {
  while IFS= read -r line; do
    case $line in
      '{"type":"delegate"'*) id=${line#*\"id\":\"}; id=${id%%\"*}; "$@" ;;
      '{"type":"reset"'*) session=${line#*\"session\":\"}; on_reset "${session%%\"*}" ;;
      '{"type":"cancel"'*) on_cancel ;;
    esac
  done
}
on_reset() { printf '{"type":"reset-done","session":"%s"}\n' "$1"; }
on_cancel() { :; }
"#;

/// A script as a driver, with limits that let a test of a hang end soon and a test of anything else never meet them.
struct Driver {
    folder: TempDir,
    options: StdioOptions,
}

impl Driver {
    fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("driver.sh"), format!("{PRELUDE}\n{script}\n")).unwrap();
        let ample = Duration::from_secs(30);
        let options = StdioOptions {
            hello_timeout: ample,
            grace: ample,
            reset_timeout: ample,
            exit_wait: ample,
            linger: Duration::ZERO,
            ..StdioOptions::default()
        };
        Self { folder, options }
    }

    fn with(mut self, change: impl FnOnce(&mut StdioOptions)) -> Self {
        change(&mut self.options);
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn factory(&self) -> StdioFactory {
        let mut command = CommandSpec::parse("sh driver.sh").unwrap();
        command.cwd = Some(self.folder.path().to_owned());
        StdioFactory::new(command, self.options.clone())
    }

    async fn orchestrator(&self) -> Box<dyn Orchestrator> {
        self.factory().create().await.unwrap()
    }
}

fn within(id: &str, deadline_ms: u64) -> Delegation {
    Delegation {
        id: id.to_owned(),
        session: "s-1".to_owned(),
        principal: None,
        marker: format!("{id}:1"),
        peers: Vec::new(),
        select: Select::default(),
        message: Content { parts: vec![json!({ "text": id })] },
        skill: None,
        accepted_output_modes: Vec::new(),
        needs: Needs::default(),
        allowed_bindings: None,
        credentials: Default::default(),
        policy: Policy::default(),
        deadline_ms,
    }
}

fn work(id: &str) -> Delegation {
    within(id, 30_000)
}

/// The text of the outcome: most scripts answer with their process id.
async fn text(orchestrator: &mut dyn Orchestrator, id: &str) -> String {
    let outcome = orchestrator.delegate(&work(id)).await.unwrap();
    assert_eq!((outcome.id.as_str(), outcome.status), (id, Status::Completed));
    outcome.text.unwrap()
}

#[tokio::test]
async fn one_process_serves_hello_delegations_and_resets() {
    let driver = Driver::new("hello; each_delegate outcome $$");
    let mut orchestrator = driver.orchestrator().await;
    let hello = orchestrator.hello().await.unwrap();
    assert_eq!(hello.name, "sh");
    assert!(hello.supports(Support::Reset) && !hello.supports(Support::Streaming));
    let first = text(&mut *orchestrator, "d-1").await;
    orchestrator.reset("s-1").await.unwrap();
    assert_eq!(text(&mut *orchestrator, "d-2").await, first);
    orchestrator.shutdown().await;
}

#[tokio::test]
async fn a_driver_that_cannot_reset_is_replaced() {
    let driver = Driver::new(r#"echo '{"type":"hello"}'; each_delegate outcome $$"#);
    let mut orchestrator = driver.orchestrator().await;
    let first = text(&mut *orchestrator, "d-1").await;
    orchestrator.reset("s-1").await.unwrap();
    assert_ne!(text(&mut *orchestrator, "d-2").await, first);
}

#[tokio::test]
async fn a_driver_that_does_not_answer_a_reset_is_replaced() {
    let driver = Driver::new("on_reset() { :; }; hello; each_delegate outcome $$")
        .with(|options| options.reset_timeout = Duration::from_millis(1));
    let mut orchestrator = driver.orchestrator().await;
    let first = text(&mut *orchestrator, "d-1").await;
    orchestrator.reset("s-1").await.unwrap();
    assert_ne!(text(&mut *orchestrator, "d-2").await, first);
    assert!(orchestrator.take_log().contains("did not reset in time"));
}

#[tokio::test]
async fn without_a_hello_the_least_is_assumed_and_only_the_first_process_is_waited_for() {
    let driver = Driver::new("echo up >>starts; each_delegate outcome $$")
        .with(|options| options.hello_timeout = Duration::from_millis(200));
    let factory = driver.factory();
    let mut first = factory.create().await.unwrap();
    assert_eq!(first.hello().await.unwrap(), Hello::default());
    text(&mut *first, "d-1").await;
    let mut second = factory.create().await.unwrap();
    assert_eq!(second.hello().await.unwrap(), Hello::default());
    let starts = std::fs::read_to_string(driver.path("starts")).unwrap();
    assert_eq!(starts, "up\n", "what the first process showed is known of the command");
    text(&mut *second, "d-2").await;
}

#[tokio::test]
async fn a_late_hello_is_noted() {
    let driver = Driver::new("late() { hello; outcome ok; }; each_delegate late")
        .with(|options| options.hello_timeout = Duration::from_millis(1));
    let mut orchestrator = driver.orchestrator().await;
    text(&mut *orchestrator, "d-1").await;
    assert!(orchestrator.take_log().contains("its hello came too late"));
}

#[tokio::test]
async fn a_driver_may_exit_after_each_outcome() {
    let once = r#"finish() { outcome $$; exit 0; }; each_delegate finish"#;
    for script in [format!("hello; {once}"), once.to_owned()] {
        let driver = Driver::new(&script).with(|options| options.hello_timeout = Duration::from_millis(200));
        let mut orchestrator = driver.orchestrator().await;
        let mut processes = Vec::new();
        for id in ["d-1", "d-2", "d-3", "d-4"] {
            processes.push(text(&mut *orchestrator, id).await);
        }
        processes.dedup();
        assert_eq!(processes.len(), 4, "{script}");
    }
}

#[tokio::test]
async fn an_outcome_without_a_line_end_counts() {
    let driver = Driver::new("hello; finish() { printf '%s' \"$(outcome x)\"; exit 3; }; each_delegate finish");
    assert_eq!(text(&mut *driver.orchestrator().await, "d-1").await, "x");
}

#[tokio::test]
async fn a_waiting_delegation_can_be_answered() {
    let driver = Driver::new(
        r#"hello
        while IFS= read -r line; do case $line in
          '{"type":"delegate"'*) echo '{"type":"outcome","id":"d-1","status":"input-required"}' ;;
          '{"type":"continue"'*order*) id=d-1; outcome thanks ;;
        esac; done"#,
    );
    let mut orchestrator = driver.orchestrator().await;
    assert_eq!(orchestrator.delegate(&work("d-1")).await.unwrap().status, Status::InputRequired);
    let answer = Continue { id: "d-1".to_owned(), parts: vec![json!({ "text": "order 4411" })] };
    assert_eq!(orchestrator.proceed(&answer).await.unwrap().text.as_deref(), Some("thanks"));
    let nothing = Continue { id: "d-9".to_owned(), parts: Vec::new() };
    assert!(matches!(orchestrator.proceed(&nothing).await, Err(DriverError::Unsupported(_))));
}

#[tokio::test]
async fn chatter_and_stderr_go_to_the_log() {
    let driver = Driver::new(
        r#"echo booting; hello; talk() { echo '{"type":"log"}'; echo '["outcome"]'; echo trouble >&2; outcome ok; exit 0; }
        each_delegate talk"#,
    );
    let mut orchestrator = driver.orchestrator().await;
    text(&mut *orchestrator, "d-1").await;
    orchestrator.shutdown().await;
    let mut log: Vec<String> = orchestrator.take_log().lines().map(str::to_owned).collect();
    log.sort();
    assert_eq!(log, [r#"stdout: ["outcome"]"#, "stdout: booting", r#"stdout: {"type":"log"}"#, "trouble"]);
}

#[tokio::test]
async fn a_crash_is_told_and_the_next_call_finds_a_fresh_process() {
    let driver = Driver::new(
        r#"hello; work() { [ "$id" = d-1 ] && { echo "out of luck" >&2; exit 7; }; outcome ok; }; each_delegate work"#,
    );
    let mut orchestrator = driver.orchestrator().await;
    let error = orchestrator.delegate(&work("d-1")).await.unwrap_err();
    assert_eq!(error, DriverError::Died { delegation: "d-1".to_owned(), status: "exit status: 7".to_owned() });
    assert_eq!(orchestrator.take_log(), "out of luck\n");
    text(&mut *orchestrator, "d-2").await;
}

#[tokio::test]
async fn a_crash_before_any_work_says_what_the_driver_said() {
    let driver = Driver::new("echo 'no module named a2a' >&2; exit 1");
    let DriverError::NotStarted(detail) = driver.orchestrator().await.hello().await.unwrap_err() else { panic!() };
    assert!(detail.contains("exit status: 1") && detail.contains("no module named a2a"), "{detail}");
}

#[tokio::test]
async fn a_crash_in_the_second_delegation_is_not_taken_for_an_exit_after_the_first() {
    let driver = Driver::new(r#"hello; work() { [ "$id" = d-2 ] && kill -9 $$; outcome ok; }; each_delegate work"#);
    let mut orchestrator = driver.orchestrator().await;
    text(&mut *orchestrator, "d-1").await;
    let error = orchestrator.delegate(&work("d-2")).await.unwrap_err();
    assert_eq!(error, DriverError::Died { delegation: "d-2".to_owned(), status: "signal: 9 (SIGKILL)".to_owned() });
}

#[tokio::test]
async fn closing_stdout_without_an_outcome_is_an_end() {
    let driver = Driver::new("hello; work() { exec >&-; exec sleep 1000; }; each_delegate work")
        .with(|options| options.exit_wait = Duration::from_millis(50));
    let error = driver.orchestrator().await.delegate(&work("d-1")).await.unwrap_err();
    assert!(matches!(&error, DriverError::Died { status, .. } if status.contains("closed its stdout")), "{error}");
}

#[tokio::test]
async fn a_hang_ends_after_deadline_and_grace() {
    let driver =
        Driver::new(r#"hello; work() { [ "$id" = d-1 ] && exec sleep 1000; outcome ok; }; each_delegate work"#)
            .with(|options| options.grace = Duration::from_millis(30));
    let mut orchestrator = driver.orchestrator().await;
    let error = orchestrator.delegate(&within("d-1", 20)).await.unwrap_err();
    assert_eq!(error, DriverError::Hung { delegation: "d-1".to_owned(), waited_ms: 50 });
    text(&mut *orchestrator, "d-2").await;
}

#[tokio::test]
async fn a_deadline_may_be_as_far_as_can_be() {
    let driver = Driver::new("hello; each_delegate outcome ok");
    driver.orchestrator().await.delegate(&within("d-1", u64::MAX)).await.unwrap();
}

#[tokio::test]
async fn at_the_deadline_it_may_cancel() {
    let cancel = r#"on_cancel() { printf '{"type":"outcome","id":"%s","status":"timed-out"}\n' "$id"; }"#;
    let driver = Driver::new(&format!("{cancel}; hello; each_delegate :"));
    let outcome = driver.orchestrator().await.delegate(&within("d-1", 1)).await.unwrap();
    assert_eq!(outcome.status, Status::TimedOut);
}

#[tokio::test]
async fn sigterm_ignored_is_followed_by_sigkill() {
    let driver = Driver::new("trap '' TERM; hello; work() { while :; do sleep 1000; done; }; each_delegate work").with(
        |options| {
            options.grace = Duration::ZERO;
            options.terminate_wait = Duration::from_millis(20);
        },
    );
    let error = driver.orchestrator().await.delegate(&within("d-1", 1)).await.unwrap_err();
    assert!(matches!(error, DriverError::Hung { .. }), "{error}");
}

#[tokio::test]
async fn a_driver_that_never_reads_does_not_block() {
    let driver = Driver::new("hello; exec sleep 1000").with(|options| options.grace = Duration::ZERO);
    let mut huge = within("d-1", 50);
    huge.message.parts = vec![json!({ "text": "x".repeat(1 << 20) })];
    let error = driver.orchestrator().await.delegate(&huge).await.unwrap_err();
    assert!(matches!(error, DriverError::Hung { .. }), "{error}");
}

#[tokio::test]
async fn floods_are_bounded() {
    let cut = |options: &mut StdioOptions| (options.max_line, options.max_output) = (1000, 100_000);
    for (flood, limit) in [("yes rubbish", 100_000), ("yes rubbish | tr -d '\\n'", 1000)] {
        let script =
            format!(r#"hello; work() {{ [ "$id" = d-1 ] && {{ {flood}; }}; outcome ok; }}; each_delegate work"#);
        let driver = Driver::new(&script).with(cut);
        let mut orchestrator = driver.orchestrator().await;
        assert_eq!(orchestrator.delegate(&work("d-1")).await.unwrap_err(), DriverError::Flooded { limit }, "{flood}");
        assert!(orchestrator.take_log().len() < 70_000);
        text(&mut *orchestrator, "d-2").await;
    }
}

#[tokio::test]
async fn a_flooded_stderr_does_not_block() {
    let driver = Driver::new("hello; work() { yes trouble | head -c 3000000 >&2; outcome ok; }; each_delegate work");
    let mut orchestrator = driver.orchestrator().await;
    text(&mut *orchestrator, "d-1").await;
    orchestrator.shutdown().await;
    let log = orchestrator.take_log();
    assert!(log.len() < 70_000 && log.contains("bytes left out"), "{}", log.len());
}

#[tokio::test]
async fn malformed_messages_are_told() {
    let broken = r#"{"type":"outcome","id":"d-1","status":"splendid"}"#;
    let driver = Driver::new(&format!(
        r#"hello; work() {{ [ "$id" = d-1 ] && echo '{broken}'; outcome ok; }}; each_delegate work"#
    ));
    let mut orchestrator = driver.orchestrator().await;
    let error = orchestrator.delegate(&work("d-1")).await.unwrap_err();
    let DriverError::Malformed { line, detail } = &error else { panic!("{error}") };
    assert!(line == broken && detail.contains("splendid"), "{error}");
    text(&mut *orchestrator, "d-2").await;
}

#[tokio::test]
async fn an_outcome_for_something_else_is_malformed() {
    let driver = Driver::new("hello; work() { id=d-7; outcome ok; }; each_delegate work");
    let error = driver.orchestrator().await.delegate(&work("d-1")).await.unwrap_err();
    assert!(matches!(&error, DriverError::Malformed { detail, .. } if detail.contains("d-7")), "{error}");
}

#[tokio::test]
async fn a_hello_of_another_protocol_is_refused() {
    let driver = Driver::new(r#"echo '{"type":"hello","protocol":2,"name":"tomorrow"}'; each_delegate outcome"#);
    let error = driver.orchestrator().await.hello().await.unwrap_err();
    assert_eq!(error.to_string(), "tomorrow speaks driver protocol 2; this is protocol 1");
}

#[tokio::test]
async fn a_second_outcome_is_told_at_once_by_the_next_call_or_by_the_reset() {
    let twice = DriverError::Twice { delegation: "d-1".to_owned() };
    let script = r#"work() { outcome ok; [ "$id" = d-1 ] && outcome again; }; each_delegate work"#;

    let driver = Driver::new(&format!("hello; {script}")).with(|options| options.linger = Duration::from_secs(30));
    let mut orchestrator = driver.orchestrator().await;
    assert_eq!(orchestrator.delegate(&work("d-1")).await.unwrap_err(), twice);

    // Without a time to listen, the first call may or may not see it; the one that does says so.
    let driver = Driver::new(&format!("hello; {script}"));
    let mut orchestrator = driver.orchestrator().await;
    let seen = match orchestrator.delegate(&work("d-1")).await {
        Ok(_) => orchestrator.delegate(&work("d-2")).await.map(|_| ()),
        Err(error) => Err(error),
    };
    assert_eq!(seen.unwrap_err(), twice);
    text(&mut *orchestrator, "d-3").await;

    let driver = Driver::new(&format!("hello; {script}"));
    let mut orchestrator = driver.orchestrator().await;
    let seen = match orchestrator.delegate(&work("d-1")).await {
        Ok(_) => orchestrator.reset("s-1").await,
        Err(error) => Err(error),
    };
    assert_eq!(seen.unwrap_err(), twice);
    text(&mut *orchestrator, "d-3").await;
}

#[tokio::test]
async fn a_second_outcome_is_told_when_the_driver_is_replaced() {
    let driver = Driver::new(
        r#"work() { both=$(outcome ok; outcome ok)
        echo "$both"; }; echo '{"type":"hello"}'; each_delegate work"#,
    );
    let mut orchestrator = driver.orchestrator().await;
    let seen = match orchestrator.delegate(&work("d-1")).await {
        Ok(_) => orchestrator.reset("s-1").await,
        Err(error) => Err(error),
    };
    assert_eq!(seen.unwrap_err(), DriverError::Twice { delegation: "d-1".to_owned() });
}

/// A fifo whose writers the test can see come and go.
fn fifo(driver: &Driver) -> pipe::Receiver {
    let path = driver.path("alive");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    pipe::OpenOptions::new().open_receiver(path).unwrap()
}

/// Waits for the child's sign of life, then does something, then waits for the child's end.
async fn assert_child_ends(alive: &mut pipe::Receiver, meanwhile: impl Future<Output = ()>) {
    let mut sign = [0; 3];
    let ample = Duration::from_secs(30);
    timeout(ample, async {
        // Before there is a writer, the pipe looks ended.
        while alive.read_exact(&mut sign).await.is_err() {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("the child starts");
    meanwhile.await;
    let mut rest = Vec::new();
    timeout(ample, alive.read_to_end(&mut rest)).await.expect("the child ends").unwrap();
}

/// Its child ignores SIGTERM and holds the driver's stdout and stderr as well as the fifo.
const FORK: &str = "fork() { (trap '' TERM; exec 9>alive; echo up >&9; while :; do sleep 1000; done) & }";

#[tokio::test]
async fn children_end_with_a_driver_that_is_shut_down() {
    let driver = Driver::new(&format!("{FORK}; hello; work() {{ fork; outcome ok; }}; each_delegate work"));
    let mut alive = fifo(&driver);
    let mut orchestrator = driver.orchestrator().await;
    text(&mut *orchestrator, "d-1").await;
    assert_child_ends(&mut alive, orchestrator.shutdown()).await;
}

#[tokio::test]
async fn children_end_with_a_driver_that_is_dropped() {
    let driver = Driver::new(&format!("{FORK}; hello; work() {{ fork; outcome ok; }}; each_delegate work"));
    let mut alive = fifo(&driver);
    let mut orchestrator = driver.orchestrator().await;
    text(&mut *orchestrator, "d-1").await;
    assert_child_ends(&mut alive, async { drop(orchestrator) }).await;
}

#[tokio::test]
async fn a_child_that_holds_stdout_does_not_hide_the_drivers_end() {
    let script =
        r#"hello; work() { fork; [ "$id" = d-1 ] && read -r go <go && exit 5; outcome ok; }; each_delegate work"#;
    let driver = Driver::new(&format!("{FORK}; {script}"));
    let mut alive = fifo(&driver);
    assert!(std::process::Command::new("mkfifo").arg(driver.path("go")).status().unwrap().success());
    let mut orchestrator = driver.orchestrator().await;
    let go = driver.path("go");
    let call = tokio::spawn(async move { orchestrator.delegate(&work("d-1")).await.unwrap_err() });
    assert_child_ends(&mut alive, async move {
        tokio::task::spawn_blocking(move || std::fs::write(go, "go\n").unwrap()).await.unwrap();
    })
    .await;
    let expected = DriverError::Died { delegation: "d-1".to_owned(), status: "exit status: 5".to_owned() };
    assert_eq!(call.await.unwrap(), expected);
}

#[tokio::test]
async fn a_call_given_up_halfway_leaves_no_trace() {
    let driver = Driver::new(
        r#"hello; work() { [ "$id" = d-1 ] && echo up >alive && return; outcome ok; }; each_delegate work"#,
    );
    let mut alive = fifo(&driver);
    let mut orchestrator = driver.orchestrator().await;
    let mut sign = [0; 3];
    let taken = async {
        while alive.read_exact(&mut sign).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    let given_up = work("d-1");
    tokio::select! {
        outcome = orchestrator.delegate(&given_up) => panic!("{outcome:?}"),
        () = taken => {}
    }
    text(&mut *orchestrator, "d-2").await;
}

#[tokio::test]
async fn a_missing_program_is_named() {
    let error = |line: &str| {
        let factory = StdioFactory::new(CommandSpec::parse(line).unwrap(), StdioOptions::default());
        async move { factory.create().await.unwrap().hello().await.unwrap_err().to_string() }
    };
    let message = error("no-such-program-here --x").await;
    assert!(message.contains("there is no program `no-such-program-here`; looked for it in PATH ("), "{message}");
    let message = error("./no/such/program").await;
    assert!(message.contains("there is no program /") && message.ends_with("no/such/program"), "{message}");

    let driver = Driver::new("");
    let path = driver.path("driver.sh");
    let message = error(path.to_str().unwrap()).await;
    assert!(message.contains("may not be executed"), "{message}");
    let mut command = CommandSpec::parse("sh").unwrap();
    command.cwd = Some(driver.path("nowhere"));
    let factory = StdioFactory::new(command, StdioOptions::default());
    let message = factory.create().await.unwrap().hello().await.unwrap_err().to_string();
    assert!(message.contains("there is no such folder"), "{message}");
}

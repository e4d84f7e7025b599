//! Programs that are asked something, of every manner. They are POSIX shell scripts: any Unix runs them.

use std::time::{Duration, Instant};

use gauntlet_driver::{CommandSpec, Program, ProgramError, ProgramLimits, run_once};

fn script(text: &str) -> CommandSpec {
    CommandSpec { program: "sh".to_owned(), args: vec!["-c".to_owned(), text.to_owned()], ..CommandSpec::default() }
}

fn hasty() -> ProgramLimits {
    ProgramLimits { timeout: Duration::from_millis(300), start_allowance: Duration::ZERO, ..ProgramLimits::default() }
}

#[tokio::test]
async fn one_thing_is_asked_and_answered_by_an_exit() {
    let command = script("wc -c; echo odd >&2; exit 3");
    let finished = run_once(&command, &ProgramLimits::default(), vec![b'x'; 200_000]).await.unwrap();
    assert_eq!(
        (finished.status.code(), finished.stdout.trim(), finished.stderr.as_str()),
        (Some(3), "200000", "odd\n")
    );
}

#[tokio::test]
async fn long_output_is_no_hang_and_too_long_output_is_a_flood() {
    let limits = ProgramLimits { max_output: 1 << 20, ..ProgramLimits::default() };
    let much = run_once(&script("yes | head -c 500000"), &limits, Vec::new()).await.unwrap();
    assert_eq!(much.stdout.len(), 500_000);
    let begun = Instant::now();
    let flood = run_once(&script("yes"), &limits, Vec::new()).await;
    assert_eq!(flood, Err(ProgramError::Flooded(1 << 20)));
    let line = run_once(&script("yes | tr -d '\\n'"), &limits, Vec::new()).await;
    assert_eq!(line, Err(ProgramError::Flooded(1 << 20)));
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn hangs_and_signals_are_told() {
    let hang = run_once(&script("echo working on it >&2; sleep 600"), &hasty(), Vec::new()).await.unwrap_err();
    assert_eq!(hang.to_string(), "it gave no answer within 0.3 s; it said last: working on it");
    // Closing the output is no end.
    let quiet = run_once(&script("exec >&-; sleep 600"), &hasty(), Vec::new()).await.unwrap_err();
    assert!(matches!(quiet, ProgramError::Late(..)), "{quiet}");
    let killed = run_once(&script("kill -SEGV $$"), &ProgramLimits::default(), Vec::new()).await.unwrap_err();
    assert!(killed.to_string().contains("signal: 11"), "{killed}");
    let missing = run_once(&CommandSpec::parse("no-such-program-anywhere").unwrap(), &hasty(), Vec::new()).await;
    assert!(missing.unwrap_err().to_string().contains("no-such-program-anywhere"));
}

#[tokio::test]
async fn a_process_lives_on_from_one_line_to_the_next() {
    let mut program = Program::new(script("n=0; while read -r line; do n=$((n+1)); echo \"$n $line\"; done"), hasty());
    assert_eq!(program.ask(b"a".to_vec()).await.unwrap(), b"1 a");
    assert_eq!(program.ask(b"b".to_vec()).await.unwrap(), b"2 b");
    program.shutdown().await;
    assert_eq!(program.ask(b"c".to_vec()).await.unwrap(), b"1 c", "a fresh process");
}

#[tokio::test]
async fn after_a_failure_there_is_a_fresh_process() {
    let each = "while read -r line; do case $line in \
                die) echo boom >&2; exit 7;; hang) sleep 600;; flood) yes | tr -d '\\n';; *) echo \"$line\";; esac; done";
    let mut program = Program::new(script(each), ProgramLimits { timeout: Duration::from_secs(2), ..hasty() });
    let died = program.ask(b"die".to_vec()).await.unwrap_err().to_string();
    assert_eq!(died, "it ended (exit status: 7) without an answer; it said last: boom");
    assert_eq!(program.ask(b"a".to_vec()).await.unwrap(), b"a");
    assert!(matches!(program.ask(b"hang".to_vec()).await, Err(ProgramError::Late(..))));
    assert!(matches!(program.ask(b"flood".to_vec()).await, Err(ProgramError::Flooded(_))));
    assert_eq!(program.ask(b"b".to_vec()).await.unwrap(), b"b");
}

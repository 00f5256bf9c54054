//! Ctrl-C and other requests to end: temporary files are removed, and the exit code says why.
//!
//! The signals are blocked before the first thread is started, so no thread gets them. One thread
//! waits for them. It may take locks and allocate, which a signal handler may not.

/// Ends the process on SIGINT, SIGTERM, SIGHUP or SIGQUIT with 128 plus the signal's number, once
/// what is half written has been removed. A signal that was ignored when the process started stays
/// so (`nohup`). Without a thread to wait for them, signals do what they do by default.
#[cfg(unix)]
pub fn handle() {
    // SAFETY: no thread was started yet, and ignoring a signal runs no code. A file that exceeds
    // `ulimit -f` is then an error of the write.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    let Some(signals) = wanted() else { return };
    if !set_mask(libc::SIG_BLOCK, &signals) {
        return;
    }
    let waiting = std::thread::Builder::new().name("signals".into()).stack_size(1 << 16);
    let started = waiting.spawn(move || match wait(&signals) {
        Some(signal) => end(signal),
        None => set_mask(libc::SIG_UNBLOCK, &signals),
    });
    if started.is_err() {
        set_mask(libc::SIG_UNBLOCK, &signals);
    }
}

/// Elsewhere the system ends the process.
#[cfg(not(unix))]
pub fn handle() {}

/// The signals that are not ignored; `None` if all are.
#[cfg(unix)]
fn wanted() -> Option<libc::sigset_t> {
    let mut some = false;
    // SAFETY: zeros are a valid set and a valid action, both of which are filled in below; a null
    // pointer requests the present action and changes nothing.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT] {
            let mut action: libc::sigaction = std::mem::zeroed();
            let found = libc::sigaction(signal, std::ptr::null(), &mut action) == 0;
            if found && action.sa_sigaction != libc::SIG_IGN {
                some |= libc::sigaddset(&mut set, signal) == 0;
            }
        }
        some.then_some(set)
    }
}

#[cfg(unix)]
fn set_mask(how: libc::c_int, signals: &libc::sigset_t) -> bool {
    // SAFETY: `signals` is a set; a null pointer says that the old mask is not requested.
    unsafe { libc::pthread_sigmask(how, signals, std::ptr::null_mut()) == 0 }
}

/// Waits for one of the signals; `None` if the system refuses.
#[cfg(unix)]
fn wait(signals: &libc::sigset_t) -> Option<libc::c_int> {
    let mut signal = 0;
    // SAFETY: `signals` is a set, and the number is written to `signal`.
    let failed = unsafe { libc::sigwait(signals, &mut signal) };
    (failed == 0).then_some(signal)
}

#[cfg(unix)]
fn end(signal: libc::c_int) -> ! {
    use std::io::{IsTerminal, Write};
    bucketeer::io::abandon_writes();
    let mut stderr = std::io::stderr();
    // After a line of progress.
    let start = if stderr.is_terminal() { "\n" } else { "" };
    let reason = if signal == libc::SIGINT { "interrupted" } else { "told to end" };
    // Where one rank has failed, mpirun ends the others.
    if !crate::output::is_silent() {
        let _ = writeln!(stderr, "{start}error: {reason}");
    }
    // SAFETY: ends the process. Destructors of libraries do not run: other threads still use them.
    unsafe { libc::_exit(128 + signal) }
}

"""The N-th call of the system fails, as SQLite tests itself: a full disk, a reset, an interruption, no
more files. Nothing that was taken is lost, and whoever dies of it comes back and goes on."""

import os
import re
import signal
import subprocess
import time

from ..http import until
from ..machine import missing

TITLE = "the N-th system call fails: ENOSPC, ECONNRESET, EINTR, EMFILE, ENOMEM"
# strace slows what it watches: one watch is about a second.
SMOKE, FULL = None, 200

# What may fail, and how, of what is called all the time, and of what is called with new connections
# only. A short write is no error and stays to the proxy (F08, one byte at a time).
OFTEN = [
    ("write", "ENOSPC"), ("write", "EINTR"), ("read", "ECONNRESET"), ("read", "EINTR"),
    ("sendto", "ECONNRESET"), ("sendto", "EINTR"), ("sendto", "EPIPE"), ("sendmsg", "ECONNRESET"),
    ("recvfrom", "ECONNRESET"), ("recvfrom", "EINTR"), ("poll", "EINTR"), ("epoll_wait", "EINTR"),
]
SELDOM = [
    ("socket", "EMFILE"), ("connect", "ECONNREFUSED"), ("connect", "EINTR"), ("openat", "EMFILE"),
    ("setsockopt", "ENOBUFS"), ("getsockopt", "ENOBUFS"), ("fcntl", "EINTR"), ("mmap", "ENOMEM"),
]
# Only the API is called.
ACCEPTING = [("accept4", "EMFILE"), ("accept4", "ECONNABORTED")]


def play(stage, size):
    stage.report.skipped = missing("strace")
    if stage.report.skipped:
        return
    stage.open()
    made, deaths = {}, []
    with stage.load(rate=30):
        for _ in range(10 + 5 * size):
            if stage.report.injections >= size:
                break
            is_api = stage.random.random() < 0.4
            is_often = stage.random.random() < 0.5
            calls = OFTEN if is_often else SELDOM + ACCEPTING * is_api
            call, error = stage.random.choice(calls)
            number = stage.random.randrange(1, 60 if is_often else 6)
            process = stage.api if is_api else stage.workers[-1]
            # Each thread's N-th call fails once.
            count = inject(stage, process, f"{call}:error={error}:when={number}",
                           lambda: None if is_often else reconnect(stage, is_api))
            made[call, error] = made.get((call, error), 0) + count
            stage.injected(count)
            revive(stage, process, is_api, f"{call} {error} at {number}", deaths)
    stage.require(stage.report.injections >= size,
                  f"only {stage.report.injections} calls failed: may strace attach here?")
    if deaths:
        stage.note(f"{len(deaths)} processes ended and came back: {', '.join(deaths[:8])}")
    stage.note(", ".join(f"{call} {error} {count}" for (call, error), count in sorted(made.items())
                         if count))
    stage.settle()


def reconnect(stage, is_api):
    """Makes the process open connections: to the database, and of clients or to the providers."""
    stage.cluster.run("select pg_terminate_backend(pid) from pg_stat_activity"
                      " where usename = 'sineta_app' order by random() limit 3")
    for _ in range(10):
        if is_api:
            stage.answers()
        else:
            stage.simulator.script(next=1, connection={"close": True})
            break


def inject(stage, process, expression, provoke):
    """Watches the process for a moment; how many calls failed."""
    log = os.path.join(stage.house.home, "strace.log")
    call = expression.split(":")[0]
    tracer = subprocess.Popen(
        ["strace", "-f", "-qq", "-o", log, "-p", str(process.popen.pid), "-e", f"trace={call}",
         "-e", f"inject={expression}"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True)
    time.sleep(0.2)
    provoke()
    time.sleep(stage.random.uniform(0.5, 1.0))
    tracer.send_signal(signal.SIGINT)
    try:
        tracer.wait(10)
    except subprocess.TimeoutExpired:
        tracer.kill()
        tracer.wait()
    with open(log, errors="replace") as file:
        return len(re.findall(r"\(INJECTED\)", file.read()))


def revive(stage, process, is_api, what, deaths):
    """What a supervisor does: it starts what ended, once."""
    if process.runs:
        return
    code = process.popen.wait()
    deaths.append(f"{process.name} by {what} with {code}")
    # A trap or a bad address is no answer to an error of the system.
    stage.require(code not in (-4, -5, -6, -7, -8, -11), f"{process.name} crashed with {code}: {what}")
    if is_api:
        stage.start_api()
    else:
        stage.start_worker()
    fresh = stage.api if is_api else stage.workers[-1]
    stage.require(until(lambda: fresh.runs, 1), f"{process.name} ends again and again: {what}")

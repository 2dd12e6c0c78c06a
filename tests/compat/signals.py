"""Signals: handlers, alarms, masks, waiting, children stopped and continued, process groups."""

import os
import signal
import subprocess

import compat


def handler():
    caught = []
    signal.signal(signal.SIGUSR1, lambda number, frame: caught.append(number))
    os.kill(os.getpid(), signal.SIGUSR1)
    compat.equal(caught, [signal.SIGUSR1])


def alarm():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    compat.equal(signal.sigtimedwait([signal.SIGALRM], 30).si_signo, signal.SIGALRM)


def stop_and_continue():
    child = subprocess.Popen(["sleep", "60"])
    os.kill(child.pid, signal.SIGSTOP)
    compat.equal(os.WIFSTOPPED(os.waitpid(child.pid, os.WUNTRACED)[1]), True)
    os.kill(child.pid, signal.SIGCONT)
    child.terminate()
    compat.equal(child.wait(), -signal.SIGTERM)


def process_group():
    child = subprocess.Popen(["sh", "-c", "sleep 60 & sleep 60"], start_new_session=True)
    os.killpg(child.pid, signal.SIGKILL)
    compat.equal(child.wait(), -signal.SIGKILL)


def pidfd():
    child = subprocess.Popen(["sleep", "60"])
    fd = os.pidfd_open(child.pid)
    signal.pidfd_send_signal(fd, signal.SIGTERM)
    os.close(fd)
    compat.equal(child.wait(), -signal.SIGTERM)


compat.run(handler, alarm, stop_and_continue, process_group, pidfd)

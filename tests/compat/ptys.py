"""Pseudo-terminals: a shell in one, window sizes, an interrupt typed into it, /dev/tty of its own."""

import fcntl
import os
import pty
import signal
import struct
import termios

import compat


def run_in_terminal(command, typed=b"", size=None):
    pid, fd = pty.fork()
    if pid == 0:
        os.execvp(command[0], command)
    if size:
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    output = b""
    if typed:
        while b"ready" not in output:
            output += os.read(fd, 1024)
        os.write(fd, typed)
    try:
        while chunk := os.read(fd, 1024):
            output += chunk
    except OSError:  # the other end is closed
        pass
    os.close(fd)
    return output, os.waitpid(pid, 0)[1]


def is_a_terminal():
    output, status = run_in_terminal(["sh", "-c", "test -t 0 && test -t 1 && tty"])
    compat.equal((output.startswith(b"/dev/pts/"), status), (True, 0))


def own_tty_device():
    compat.equal(run_in_terminal(["sh", "-c", "echo hello >/dev/tty"]), (b"hello\r\n", 0))


def window_size():
    output, _ = run_in_terminal(["sh", "-c", "echo ready; read line; stty size"], b"go\n", (33, 77))
    compat.equal(b"33 77" in output, True)


def interrupt_key():
    _, status = run_in_terminal(["sh", "-c", "echo ready; exec sleep 60"], b"\x03")
    compat.equal((os.WIFSIGNALED(status), os.WTERMSIG(status)), (True, signal.SIGINT))


compat.run(is_a_terminal, own_tty_device, window_size, interrupt_key)

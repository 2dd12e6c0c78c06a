"""A first look around a sandbox: prints, computes, and finds the network closed."""

import os
import platform
import socket


def pi_digits(count):
    """The first digits of pi, by Gibbons' spigot: whole numbers only."""
    q, r, t, k, n, l = 1, 0, 1, 1, 3, 3
    digits = ""
    while len(digits) < count:
        if 4 * q + r - t < n * t:
            digits += str(n)
            q, r, n = 10 * q, 10 * (r - n * t), 10 * (3 * q + r) // t - 10 * n
        else:
            q, r, t, k, n, l = q * k, (2 * q + r) * l, t * l, k + 1, (q * (7 * k + 2) + r * l) // (t * l), l + 2
    return digits[0] + "." + digits[1:]


def network():
    try:
        socket.create_connection(("192.0.2.1", 80), timeout=2)
    except OSError as error:
        return f"closed ({error.strerror or error})"
    return "OPEN"


print(f"Hello from Python {platform.python_version()} on {socket.gethostname()}")
print(f"I am uid {os.getuid()}, pid {os.getpid()}, in {os.getcwd()}; processes that I see: "
      f"{sum(name.isdigit() for name in os.listdir('/proc'))}")
print(f"pi = {pi_digits(50)}")
print(f"network: {network()}")

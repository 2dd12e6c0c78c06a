"""Which machine this is, and whether anything else uses it: figures of a busy one are nobody's."""

import os
import platform
import time

import rivals

LOOK = 3  # seconds
QUIET = 0.9  # the least share of the CPUs that must be idle


def _times():
    with open("/proc/stat", encoding="ascii") as file:
        numbers = [int(word) for word in file.readline().split()[1:9]]
    return numbers[3] + numbers[4], sum(numbers)


def describe():
    idle, total = _times()
    time.sleep(LOOK)
    idle_later, total_later = _times()
    return {"kernel": platform.release(), "cpus": os.cpu_count(), "idle_before": round((idle_later - idle) / max(total_later - total, 1), 3),
            "when": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()), "versions": rivals.versions()}


def warn_if_busy(described):
    if described["idle_before"] < QUIET:
        print(f"the machine was busy ({1 - described['idle_before']:.0%} of its CPU before the start): measure again when it is quiet")

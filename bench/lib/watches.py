"""Stop watches: programs that take orders, a JSON object a line, and answer with the time that each took."""

import json
import os
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))


class Watch:
    def __init__(self, command):
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **order):
        self._child.stdin.write(json.dumps(order) + "\n")
        self._child.stdin.flush()
        line = self._child.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._child.args[0]} has ended with {self._child.wait()} at {order}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(f"{order}: {answer['error']}")
        return answer

    def close(self):
        self._child.stdin.close()
        self._child.wait(60)
        self._child.stdout.close()


def time_command(command):
    """Milliseconds of a whole command, which must succeed."""
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - begin) * 1000


def ipykernel(state):
    """In a virtual environment of its own, with the pandas that its users have."""
    folder = os.path.join(state, "bench", "ipykernel")
    if not os.path.exists(os.path.join(folder, ".complete")):
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--clear", folder], check=True)
        subprocess.run([os.path.join(folder, "bin", "pip"), "install", "--quiet", "ipykernel", "jupyter_client", "pandas"], check=True)
        open(os.path.join(folder, ".complete"), "w", encoding="ascii").close()
    return Watch([os.path.join(folder, "bin", "python"), os.path.join(HERE, "ipykernel_watch.py")])


def pyodide_command(state):
    folder = os.path.join(state, "bench", "pyodide")
    if not os.path.exists(os.path.join(folder, ".complete")):
        os.makedirs(folder, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, "pyodide"], check=True, stdout=subprocess.DEVNULL)
        open(os.path.join(folder, ".complete"), "w", encoding="ascii").close()
    return ["node", os.path.join(HERE, "pyodide_once.mjs"), os.path.join(folder, "node_modules", "pyodide", "pyodide.mjs")]

"""The stop watch of ipykernel: kernels as jupyter_client starts them. Orders on stdin, answers on stdout, as of bench/lib/watches.py."""

import json
import subprocess
import sys
import time

from jupyter_client.manager import KernelManager


class Kernel:
    def __init__(self):
        self.manager = KernelManager(kernel_name="python3")
        self.manager.start_kernel(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def run(self, code):
        reply = self.client.execute_interactive(code, store_history=False, output_hook=lambda message: None, timeout=300)
        if reply["content"]["status"] != "ok":
            raise RuntimeError(reply["content"])

    def pid(self):
        return self.manager.provisioner.pid

    def end(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


class Watch:
    def __init__(self):
        self.kept = None
        self.held = []

    def first(self, order):
        begin = time.perf_counter()
        kernel = Kernel()
        kernel.run(order["code"])
        took = time.perf_counter() - begin
        kernel.end()
        return {"us": took * 1e6}

    def cell(self, order):
        self.kept = self.kept or Kernel()
        begin = time.perf_counter()
        self.kept.run(order["code"])
        return {"us": (time.perf_counter() - begin) * 1e6}

    def hold(self, order):
        while len(self.held) < order["count"]:
            self.held.append(Kernel())
            self.held[-1].run(order["code"])
        return {"pids": [kernel.pid() for kernel in self.held]}

    def release(self, _order):
        while self.held:
            self.held.pop().end()
        return {}

    def close(self):
        self.release({})
        if self.kept:
            self.kept.end()


def main():
    watch = Watch()
    try:
        for line in sys.stdin:
            order = json.loads(line)
            try:
                answer = getattr(watch, order["do"])(order)
            except Exception as failure:
                answer = {"error": f"{type(failure).__name__}: {failure}"}
            print(json.dumps(answer), flush=True)
    finally:
        watch.close()


if __name__ == "__main__":
    main()

"""Hundreds of sandboxes one after another (COVE_CYCLES), and twenty at once."""

import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import traces


CYCLES = int(os.environ.get("COVE_CYCLES", "500"))


class Endurance(cove.Test):
    """Create, run, destroy, many times: everything is back where it was."""

    def measure(self, pid):
        self.cove.wait_for_disks()
        return {"descriptors": traces.descriptors(pid), "held namespaces": len(traces.held_namespaces(pid)), "children": len(traces.children(pid)),
                "mounts of the spawner": len(traces.mounts(pid)), "mounts of the machine": len(traces.mounts(1)), "cgroups": len(traces.cgroups(self.cove.tag, self.cove.run_directory)),
                "processes": len(traces.processes(self.cove.tag, self.cove.run_directory)), "files": len(traces.files(self.cove.run_directory)), "made ahead": len(traces.made_ahead(self.cove.run_directory))}

    def test_everything_is_back(self):
        for _ in range(50):  # allocators and caches have their working size after these
            self.check_run(self.cove.run("--", "true"), 0, b"", b"")
        pid = self.cove.spawner_pid()
        before, memory = self.measure(pid), traces.resident_bytes(pid)
        spaces = traces.network_namespaces(self.cove.tag, self.cove.run_directory)
        in_kernel = traces.kernel_objects()
        started = time.monotonic()
        for number in range(CYCLES):
            done = self.cove.run("-c", f"print({number})") if number % 10 == 0 else self.cove.run("--", "echo", str(number))
            self.check_run(done, 0, f"{number}\n".encode(), b"")
        took = time.monotonic() - started
        self.assertEqual(self.cove.spawner_pid(), pid)
        after, memory_after = self.measure(pid), traces.resident_bytes(pid)
        print(f"\n{CYCLES} cycles in {took:.1f} s; before {before}, after {after}; resident {memory >> 10} KiB, then {memory_after >> 10} KiB", file=sys.stderr)
        self.assertEqual(after, before)
        self.assertEqual(traces.network_namespaces(self.cove.tag, self.cove.run_directory), spaces)
        self.assertLess(memory_after - memory, 512 << 10)
        # The kernel frees network namespaces in the background; others on this machine may use a few meanwhile.
        cove.wait_until(lambda: traces.kernel_objects()["net_namespace"] < in_kernel["net_namespace"] + CYCLES // 5, "network namespaces to be freed", 60)
        print(f"kernel objects before {in_kernel}, after {traces.kernel_objects()}", file=sys.stderr)

    def test_a_state_directory_leaves_no_group_behind(self):
        self.cove.run("--", "true")
        self.cove.stop_spawner()
        self.assertEqual(traces.beyond_state(self.cove.tag, self.cove.run_directory), [])


class ParallelRuns(cove.Test):
    def test_twenty_at_once(self):
        self.cove.stop_spawner()
        children = [self.cove.start("run", "--json", "-c", f"import time; print('mine is', {number}); time.sleep(0.2); raise SystemExit({number})") for number in range(20)]
        names = set()
        for number, child in enumerate(children):
            out, err = child.communicate(timeout=cove.PATIENCE)
            self.assertEqual((child.returncode, err), (number, b""))
            said, _, receipt = out.rstrip(b"\n").rpartition(b"\n")
            self.assertEqual(said, f"mine is {number}".encode())
            names.add(json.loads(receipt)["receipt"]["sandbox"])
        self.assertEqual(len(names), 20)
        self.assertEqual(self.cove.sandboxes(), [])

    def test_each_has_its_own_identity(self):
        code = "import os; os.read(0, 1); print(os.uname().nodename, open('/proc/self/uid_map').read().split()[1], open('/etc/machine-id').read().strip(), open('/proc/sys/kernel/random/boot_id').read().strip())"
        children = [self.cove.start("run", "-c", code) for _ in range(12)]
        self.cove.wait_for_sandboxes(12)
        told = [child.communicate(b"x", timeout=cove.PATIENCE)[0].split() for child in children]
        for column in range(4):
            self.assertEqual(len({row[column] for row in told}), 12, column)
        self.assertTrue(all(int(row[1]) >= 1 << 20 for row in told))


if __name__ == "__main__":
    cove.main()

"""From samples to figures: percentiles, overheads over the bare command, ratios between contenders, targets met or missed."""

import collections

SPEC = "cove"      # the contender that the targets are about
BARE = "bare"
RIVALS = ("bwrap", "runc", "runsc")

# Of a spawner request for `true`: its overhead as a part of another's, and how far its slow end lies from its middle.
OVERHEAD_TARGETS = {"bwrap": 0.5, "runc": 0.15}
TAIL_TARGET = 4.0


def percentile(ordered, percent):
    """The smallest sample that at least so many percent of all are not above."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def read_samples(lines):
    """{case: ([milliseconds], [problems])} of the client's lines."""
    samples = collections.defaultdict(lambda: ([], []))
    for line in lines:
        name, microseconds, verdict = line.rstrip("\n").split("\t", 2)
        times, problems = samples[name]
        if verdict == "ok":
            times.append(float(microseconds) / 1000)
        else:
            problems.append(verdict)
    return samples


def figures_of(samples, job, contenders):
    """{contender: row} for one job in one mode."""
    rows = {name: row_of(*samples[f"{job}/{name}"]) for name in contenders}
    bare = rows[BARE]["p50_ms"]
    for row in rows.values():
        measured = bare is not None and row["p50_ms"] is not None
        row["overhead_ms"] = row["p50_ms"] - bare if measured else None
        row["times_bare"] = row["p50_ms"] / bare if measured else None
    for name, row in rows.items():
        row["cove_overhead_ratio"] = ratio(rows[SPEC]["overhead_ms"], row["overhead_ms"]) if name in RIVALS else None
    return rows


def row_of(times, problems):
    ordered = sorted(times)
    row = {f"p{percent}_ms": percentile(ordered, percent) if ordered else None for percent in (50, 90, 99)}
    row["min_ms"] = ordered[0] if ordered else None  # on a busy machine the only figure that is not about the others
    return row | {"n": len(ordered), "failures": len(problems), "first_failure": problems[0] if problems else None}


def ratio(part, whole):
    return part / whole if part is not None and whole else None


def targets(modes):
    """What the specification asks of one request at a time, in each mode."""
    rows = []
    for mode in modes:
        if mode["concurrency"] != 1:
            continue
        figures = mode["jobs"]["true"]
        for rival, limit in OVERHEAD_TARGETS.items():
            rows.append(target(f"overhead of a request for true / {rival}'s", mode, figures[rival]["cove_overhead_ratio"], limit))
        own = figures[SPEC]
        rows.append(target("p99 / p50 of a request for true", mode, ratio(own["p99_ms"], own["p50_ms"]), TAIL_TARGET))
    return rows


def target(name, mode, value, limit):
    return {"target": name, "mode": mode["name"], "value": value, "limit": limit, "met": value is not None and value <= limit}


def print_mode(mode):
    for job, rows in mode["jobs"].items():
        print(f"\n{job}, {mode['name']}")
        print(f"  {'':10} {'min ms':>8} {'p50 ms':>8} {'p90 ms':>8} {'p99 ms':>8} {'n':>5} {'failed':>6} {'x bare':>7} {'overhead ms':>11} {'cove / its':>10}")
        for name, row in rows.items():
            cells = [number(row[key], 8, 2) for key in ("min_ms", "p50_ms", "p90_ms", "p99_ms")]
            print(f"  {name:10} {' '.join(cells)} {row['n']:5} {row['failures']:6} {number(row['times_bare'], 7, 1)} "
                  f"{number(row['overhead_ms'], 11, 2)} {number(row['cove_overhead_ratio'], 10, 2)}")


def number(value, width, digits):
    return f"{'-':>{width}}" if value is None else f"{value:{width}.{digits}f}"


def print_targets(rows):
    print("\ntargets")
    for row in rows:
        verdict = "met" if row["met"] else "MISSED"
        print(f"  {row['target']:42} {row['mode']:26} {number(row['value'], 6, 2)}  <= {row['limit']:4}  {verdict}")

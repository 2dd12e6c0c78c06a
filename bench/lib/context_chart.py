"""The figures of contexts as a picture: the first result by contender, and memory by how many are live."""

import matplotlib

matplotlib.use("Agg")  # no display here

from matplotlib import pyplot  # noqa: E402  (after the choice of a backend)

NAMES = {"pooled": "cove, pooled", "fresh": "cove, fresh", "cold": "cove, cold", "python3": "bare python3", "ipykernel": "ipykernel", "runc": "runc + python3", "pyodide": "Pyodide"}
COLOURS = ("#1b6ca8", "#8fbbda", "#d1603d", "#efb8a2")


def draw(results, path):
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(13, 5.5), width_ratios=(3, 2))
    _draw_first(left, results["first"])
    _draw_memory(right, results["density"])
    figure.tight_layout()
    figure.savefig(path, dpi=120, metadata={"Software": None})
    pyplot.close(figure)


def _draw_first(panel, modes):
    series = [(f"{job}, {mode['name']}", mode["jobs"][job]) for job in modes[0]["jobs"] for mode in modes]
    height = 0.8 / len(series)
    for number, ((label, rows), colour) in enumerate(zip(series, COLOURS)):
        for place, who in enumerate(NAMES):
            row = rows[who]
            if row["p50_ms"] is None:
                continue
            at = place + (number - (len(series) - 1) / 2) * height
            panel.barh(at, row["p50_ms"], height, color=colour, label=label if place == 0 else None)
            panel.plot([row["p50_ms"], row["p99_ms"]], [at, at], color="#444444", linewidth=0.8)
    panel.set_xscale("log")
    panel.set_xlabel("milliseconds from nothing to the first result: median, line to p99")
    panel.set_yticks(range(len(NAMES)), NAMES.values())
    panel.invert_yaxis()
    panel.xaxis.set_major_formatter("{x:g}")
    panel.grid(axis="x", which="both", linewidth=0.3)
    panel.set_axisbelow(True)
    panel.legend(frameon=False, fontsize=8)


def _draw_memory(panel, density):
    bars = [(f"cove, {count} live", row) for count, row in density["cove"].items()] + [(f"ipykernel, {count} live", row) for count, row in density["ipykernel"].items()]
    for place, (_, row) in enumerate(bars):
        panel.bar(place - 0.2, row["context_private_mb"], 0.4, color=COLOURS[0], label="its own" if place == 0 else None)
        panel.bar(place + 0.2, row["pss_mb"], 0.4, color=COLOURS[1], label="with its share of what is common" if place == 0 else None)
    panel.set_xticks(range(len(bars)), [name for name, _ in bars], rotation=20, fontsize=8)
    panel.set_ylabel("MB per context with pandas imported")
    panel.legend(frameon=False, fontsize=8)
    panel.grid(axis="y", linewidth=0.3)
    panel.set_axisbelow(True)

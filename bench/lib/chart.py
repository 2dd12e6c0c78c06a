"""The figures as a picture: one panel per job, one group of bars per contender, one bar per mode."""

import matplotlib

matplotlib.use("Agg")  # no display here

from matplotlib import pyplot  # noqa: E402  (after the choice of a backend)

COLOURS = ("#1b6ca8", "#8fbbda", "#d1603d", "#efb8a2")


def draw(modes, contenders, path):
    jobs = list(modes[0]["jobs"])
    figure, panels = pyplot.subplots(1, len(jobs), figsize=(6.5 * len(jobs), 5.5), sharex=True, sharey=True)
    for panel, job in zip(panels, jobs):
        draw_panel(panel, job, modes, contenders)
    panels[0].set_yticks(range(len(contenders)), contenders.values())
    panels[0].invert_yaxis()
    figure.suptitle("One command from start to end: median, whisker to p99")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="lower center", ncol=len(modes), frameon=False)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(path, dpi=120, metadata={"Software": None})
    pyplot.close(figure)


def draw_panel(panel, job, modes, contenders):
    height = 0.8 / len(modes)
    for number, (mode, colour) in enumerate(zip(modes, COLOURS)):
        for place, name in enumerate(contenders):
            row = mode["jobs"][job][name]
            if row["p50_ms"] is None:
                continue
            at = place + (number - (len(modes) - 1) / 2) * height
            panel.barh(at, row["p50_ms"], height, color=colour, label=mode["name"] if place == 0 else None)
            panel.plot([row["p50_ms"], row["p99_ms"]], [at, at], color="#444444", linewidth=0.8)
    panel.set_xscale("log")
    panel.set_xlabel("milliseconds")
    panel.xaxis.set_major_formatter("{x:g}")
    panel.set_title(job)
    panel.grid(axis="x", which="both", linewidth=0.3)
    panel.set_axisbelow(True)

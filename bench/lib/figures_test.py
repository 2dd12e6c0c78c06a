#!/usr/bin/env python3
"""The arithmetic between samples and verdicts."""

import unittest

import figures

CONTENDERS = ("bare", "cove", "bwrap", "runc")


def lines(job="true", **milliseconds):
    return [f"{job}/{name}\t{value * 1000}\tok" for name, values in milliseconds.items() for value in values]


def mode(concurrency=1, **milliseconds):
    samples = figures.read_samples(lines(**milliseconds))
    return {"name": "m", "concurrency": concurrency, "jobs": {"true": figures.figures_of(samples, "true", CONTENDERS)}}


class Percentiles(unittest.TestCase):
    def test_are_samples_and_never_below_their_share(self):
        hundred = list(range(1, 101))
        self.assertEqual([figures.percentile(hundred, p) for p in (50, 90, 99, 100)], [50, 90, 99, 100])
        self.assertEqual([figures.percentile([7], p) for p in (1, 50, 99)], [7, 7, 7])
        self.assertEqual(figures.percentile([1, 2, 3], 50), 2)


class Overheads(unittest.TestCase):
    def test_are_what_remains_after_the_bare_command(self):
        rows = mode(bare=[1], cove=[3], bwrap=[5], runc=[21])["jobs"]["true"]
        self.assertEqual(rows["bwrap"]["overhead_ms"], 4)
        self.assertEqual(rows["bwrap"]["cove_overhead_ratio"], 0.5)
        self.assertEqual(rows["runc"]["cove_overhead_ratio"], 0.1)
        self.assertIsNone(rows["cove"]["cove_overhead_ratio"])

    def test_failed_samples_are_counted_and_not_timed(self):
        samples = figures.read_samples([*lines(bare=[1], cove=[2, 2]), "true/cove\t90000\tit\tbroke", "true/cove\t1\tagain"])
        row = figures.figures_of(samples, "true", CONTENDERS)["cove"]
        self.assertEqual((row["n"], row["failures"], row["p99_ms"], row["first_failure"]), (2, 2, 2, "it\tbroke"))


class Targets(unittest.TestCase):
    def verdicts(self, **milliseconds):
        return [row["met"] for row in figures.targets([mode(**milliseconds)])]

    def test_met_at_the_limit_and_missed_above(self):
        self.assertEqual(self.verdicts(bare=[1], cove=[4], bwrap=[7], runc=[21]), [True, True, True])
        self.assertEqual(self.verdicts(bare=[1], cove=[4.1], bwrap=[7], runc=[21]), [False, False, True])

    def test_a_long_tail_is_missed(self):
        self.assertEqual(self.verdicts(bare=[1], cove=[2] * 9 + [8], bwrap=[99], runc=[99]), [True, True, True])
        self.assertEqual(self.verdicts(bare=[1], cove=[2] * 9 + [8.1], bwrap=[99], runc=[99]), [True, True, False])

    def test_what_was_not_measured_is_missed(self):
        self.assertEqual(self.verdicts(bare=[1], cove=[2], bwrap=[], runc=[99]), [False, True, True])
        self.assertEqual(self.verdicts(bare=[], cove=[2], bwrap=[9], runc=[99]), [False, False, True])

    def test_many_at_once_have_none(self):
        self.assertEqual(figures.targets([mode(concurrency=20, bare=[1], cove=[2], bwrap=[3], runc=[4])]), [])


unittest.main()

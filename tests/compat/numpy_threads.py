"""numpy, in templates that have it: products in several threads, shared memory maps, random numbers."""

import concurrent.futures
import tempfile

import compat
import numpy


def products_in_threads():
    matrix = numpy.eye(300) * 2
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        traces = list(pool.map(lambda _: float(numpy.trace(matrix @ matrix)), range(8)))
    compat.equal(traces, [1200.0] * 8)


def linear_algebra():
    generator = numpy.random.default_rng(7)
    matrix = generator.normal(size=(200, 200))
    compat.equal(bool(numpy.allclose(matrix @ numpy.linalg.inv(matrix), numpy.eye(200), atol=1e-6)), True)


def memory_map():
    with tempfile.NamedTemporaryFile() as file:
        mapped = numpy.memmap(file.name, dtype="int64", mode="w+", shape=(1000,))
        mapped[:] = numpy.arange(1000)
        mapped.flush()
        compat.equal(int(numpy.memmap(file.name, dtype="int64", mode="r").sum()), 499500)


compat.run(products_in_threads, linear_algebra, memory_map)

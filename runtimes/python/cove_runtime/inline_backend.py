"""The backend that matplotlib is told to use: drawn by Agg, shown by the runtime."""

from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg


def _figures():
    from IPython import get_ipython

    return get_ipython().figures


class FigureManager(FigureManagerBase):
    def show(self):
        _figures().show_one(self.canvas.figure)

    @classmethod
    def pyplot_show(cls, *, block=None):
        _figures().show()


class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManager

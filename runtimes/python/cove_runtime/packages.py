"""Packages that would open a window or a browser show inline instead."""

import json
import re

from IPython.display import display

PLOTLY = "application/vnd.plotly.v1+json"


def plotly_renderer(plotly_io):
    """Figures as data, and as HTML that fetches the library: a page with the whole library in it would have megabytes."""
    from plotly.io._base_renderers import ExternalRenderer

    class Inline(ExternalRenderer):
        def render(self, figure):
            html = plotly_io.to_html(figure, include_plotlyjs="cdn", full_html=False, validate=False)
            data = json.loads(plotly_io.to_json(figure, validate=False))
            display({"text/plain": "<plotly figure>", PLOTLY: data, "text/html": html}, raw=True)

    plotly_io.renderers["cove"] = Inline()
    plotly_io.renderers.default = "cove"


def altair_renderer(altair):
    """The specification beside the HTML that altair makes of it."""
    html = altair.renderers.get()

    def inline(specification, **options):
        version = re.search(r"/vega-lite/v(\d+)", specification.get("$schema", ""))
        data = {f"application/vnd.vegalite.v{version[1]}+json": specification} if version else {}
        return {**html(specification, **options), **data}

    altair.renderers.register("cove", inline)
    altair.renderers.enable("cove")


def pillow_viewer(image_show):
    """Image.show()."""

    class Inline(image_show.Viewer):
        def show(self, image, **options):
            display(image)
            return True

    image_show.register(Inline(), 0)

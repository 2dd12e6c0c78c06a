"""display(), update_display(), clear_output() and the value of the last expression, as events."""

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher


class Publisher(DisplayPublisher):
    def publish(self, data, metadata=None, source=None, *, transient=None, update=False, **_):
        self.shell.outlet.show(
            "update_display" if update else "display", data, metadata, display_id=(transient or {}).get("display_id"))

    def clear_output(self, wait=False):
        self.shell.outlet.clear(wait)


class Hook(DisplayHook):
    def write_output_prompt(self):
        pass  # there is no terminal to write it to

    def write_format_data(self, format_dict, md_dict=None):
        self.shell.outlet.show("result", format_dict, md_dict, execution_count=self.prompt_count)

    def log_output(self, format_dict):
        pass  # IPython would keep every picture for its history

    def finish_displayhook(self):
        self.shell.outlet.tell_notes()
        self._is_active = False

"""Calls a function right after a module has been imported, so that a package is adapted only where it is used."""

import importlib.abc
import sys


class ImportHooks(importlib.abc.MetaPathFinder):
    def __init__(self):
        self._actions = {}

    def on_import(self, name, action):
        if name in sys.modules:
            action(sys.modules[name])
        else:
            self._actions[name] = action

    def install(self):
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def find_spec(self, name, path=None, target=None):
        action = self._actions.pop(name, None)
        if action is None:
            return None
        spec = _spec_from_others(self, name, path, target)
        if spec is None or not hasattr(spec.loader, "exec_module"):
            self._actions[name] = action
            return spec
        spec.loader = _Loader(spec.loader, self, action)
        return spec

    def again(self, name, action):
        """The import failed: the next attempt counts."""
        self._actions[name] = action


def _spec_from_others(self, name, path, target):
    for finder in sys.meta_path:
        if finder is not self and hasattr(finder, "find_spec"):
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
    return None


class _Loader(importlib.abc.Loader):
    def __init__(self, loader, hooks, action):
        self._loader = loader
        self._hooks = hooks
        self._action = action

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        try:
            self._loader.exec_module(module)
        except BaseException:
            self._hooks.again(module.__name__, self._action)
            raise
        try:
            self._action(module)
        except Exception:  # a version that is unlike those known: the package works, only not inline
            pass

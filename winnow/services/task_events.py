"""Tells whoever works on tasks that one was submitted."""

from collections.abc import Callable


class Bell:
    """Rings for its listeners; in a process without workers there are none."""

    def __init__(self) -> None:
        self._listeners: tuple[Callable[[], None], ...] = ()

    def ring(self) -> None:
        """Call every listener."""
        for listener in self._listeners:
            listener()

    def attach(self, listener: Callable[[], None]) -> None:
        """Ring for this one from now on."""
        self._listeners = (*self._listeners, listener)

    def detach(self, listener: Callable[[], None]) -> None:
        """Ring for this one no more."""
        self._listeners = tuple(known for known in self._listeners if known != listener)

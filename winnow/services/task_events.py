"""Tells whoever works on tasks that one was submitted."""

from collections.abc import Callable


class TaskEvents:
    """Calls its listeners; in a process without workers there are none."""

    def __init__(self) -> None:
        self._listeners: tuple[Callable[[], None], ...] = ()

    def publish(self) -> None:
        """Call every listener."""
        for listener in self._listeners:
            listener()

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Call this one too from now on."""
        self._listeners = (*self._listeners, listener)

    def unsubscribe(self, listener: Callable[[], None]) -> None:
        """Call this one no more."""
        self._listeners = tuple(known for known in self._listeners if known != listener)

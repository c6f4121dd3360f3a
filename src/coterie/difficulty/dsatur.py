"""Colouring by saturation: the node with the fewest colours left goes first."""

from heapq import heapify, heappop, heappush
from typing import NamedTuple

from coterie.difficulty.graph import Graph


class Outcome(NamedTuple):
    """What a search came to."""

    answer: bool | None  # None: the search was stopped
    colours: list[int] | None
    n_steps: int  # how often a colour was taken back


def colour(graph: Graph, n_colours: int, max_steps: int) -> Outcome:
    """Return a colouring of `graph` in which no neighbours are alike, or that there is none.

    The search is exact: where no colour is left for a node, the last one given is taken back,
    and that is a step. Without steps it is the greedy method of Brélaz (1979). Nodes that are
    equally saturated go by their number, so those with many neighbours should come first.

    >>> colour([[1, 2], [0, 2], [0, 1]], n_colours=3, max_steps=0)
    Outcome(answer=True, colours=[0, 1, 2], n_steps=0)
    >>> colour([[1, 2], [0, 2], [0, 1]], n_colours=2, max_steps=0)
    Outcome(answer=None, colours=None, n_steps=0)
    >>> colour([[1, 2], [0, 2], [0, 1]], n_colours=2, max_steps=9)
    Outcome(answer=False, colours=None, n_steps=2)
    """
    if not graph:
        return Outcome(True, [], 0)
    canvas = _Canvas(graph, n_colours)
    trail: list[tuple[int, int]] = []  # the nodes that have a colour; the colours used before each
    n_steps = n_used = 0
    node, shade = canvas.take(), 0
    while True:
        # Unused colours are all alike, so one of them stands for the rest.
        stop = min(n_used + 1, n_colours)
        shade = canvas.first_free(node, shade, stop)
        if shade < stop:
            canvas.paint(node, shade)
            trail.append((node, n_used))
            if len(trail) == len(graph):
                return Outcome(True, canvas.colours, n_steps)
            n_used = max(n_used, shade + 1)
            node, shade = canvas.take(), 0
        elif not trail:
            return Outcome(False, None, n_steps)
        elif n_steps == max_steps:
            return Outcome(None, None, n_steps)
        else:
            n_steps += 1
            canvas.put_back(node)
            node, n_used = trail.pop()
            shade = canvas.wipe(node) + 1


class _Canvas:
    """The colours so far, and the colourless nodes queued by saturation.

    A node's saturation is the number of colours among its neighbours. The queue is lazy: an
    entry whose saturation is out of date is passed over, and every change makes a new entry
    unless there is one. So it never holds more than one for each node and saturation.
    """

    def __init__(self, graph: Graph, n_colours: int) -> None:
        n = len(graph)
        self.colours = [-1] * n
        self._graph = graph
        self._n_colours = n_colours
        # How many neighbours of a node have a colour: node * n_colours + colour.
        self._n_near = [0] * (n * n_colours)
        self._saturation = [0] * n
        self._queue = [n_colours * n + node for node in range(n)]
        heapify(self._queue)
        self._is_queued = bytearray((n_colours + 1) * n)
        for entry in self._queue:
            self._is_queued[entry] = 1

    def take(self) -> int:
        """Return the colourless node of highest saturation, and take it off the queue."""
        n = len(self._graph)
        while True:
            entry = heappop(self._queue)
            self._is_queued[entry] = 0
            left, node = divmod(entry, n)
            if self.colours[node] < 0 and left == self._n_colours - self._saturation[node]:
                return node

    def put_back(self, node: int) -> None:
        entry = (self._n_colours - self._saturation[node]) * len(self._graph) + node
        if not self._is_queued[entry]:
            self._is_queued[entry] = 1
            heappush(self._queue, entry)

    def first_free(self, node: int, shade: int, stop: int) -> int:
        """Return the first colour from `shade` on that no neighbour has, at most `stop`."""
        base = node * self._n_colours
        while shade < stop and self._n_near[base + shade]:
            shade += 1
        return shade

    def paint(self, node: int, shade: int) -> None:
        self.colours[node] = shade
        for other in self._graph[node]:
            if self.colours[other] < 0:
                place = other * self._n_colours + shade
                self._n_near[place] += 1
                if self._n_near[place] == 1:
                    self._saturation[other] += 1
                    self.put_back(other)

    def wipe(self, node: int) -> int:
        """Take the colour of `node` back and return it: the last one that was given."""
        shade = self.colours[node]
        # The colourless neighbours are those of when it was painted: later ones are wiped.
        for other in self._graph[node]:
            if self.colours[other] < 0:
                place = other * self._n_colours + shade
                self._n_near[place] -= 1
                if self._n_near[place] == 0:
                    self._saturation[other] -= 1
                    self.put_back(other)
        self.colours[node] = -1
        return shade

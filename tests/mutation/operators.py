"""Mutations that Cosmic Ray does not offer and that matter for privacy.

Each class follows Cosmic Ray's interface for operators. `mutation_positions` yields one position
for each way to change a node of the syntax tree, and `mutate` makes the change of a given index.
"""

SWAPS = {
    "all": "any",
    "any": "all",
    "ceil": "floor",
    "cumsum": "cumprod",
    "floor": "ceil",
    "log": "log1p",
    "max": "min",
    "maximum": "minimum",
    "min": "max",
    "minimum": "maximum",
    "ROUND_CEILING": "ROUND_FLOOR",
    "ROUND_FLOOR": "ROUND_CEILING",
}


class DropTerm:
    """Leave out one term of a sum or one factor of a product, such as noise or a sensitivity."""

    def mutation_positions(self, node):
        for first, last in self._terms(node):
            yield node.children[first].start_pos, node.children[last].end_pos

    def mutate(self, node, index):
        first, last = self._terms(node)[index]
        rest = node.children[:first] + node.children[last + 1 :]
        return rest[0] if len(rest) == 1 else type(node)(node.type, rest)

    @staticmethod
    def _terms(node):
        if node.type not in ("arith_expr", "term"):
            return []
        terms = [(k, k + 1) for k in range(1, len(node.children), 2)]
        if node.children[1].value in ("+", "*"):
            terms.append((0, 1))
        return terms


class SwapFunction:
    """Take the opposite function: the smallest for the largest, rounding down for rounding up."""

    def mutation_positions(self, node):
        if node.type == "name" and node.value in SWAPS and not node.is_definition():
            yield node.start_pos, node.end_pos

    def mutate(self, node, index):
        return type(node)(SWAPS[node.value], node.start_pos, node.prefix)


class DropKeywordArgument:
    """Call without one of the named arguments, so that its default holds."""

    def mutation_positions(self, node):
        for k in self._named(node):
            yield node.children[k].start_pos, node.children[k].end_pos

    def mutate(self, node, index):
        k = self._named(node)[index]
        return type(node)(node.type, node.children[:k] + node.children[k + 2 :])

    @staticmethod
    def _named(node):
        if node.type != "arglist":
            return []
        return [
            k
            for k, child in enumerate(node.children)
            if child.type == "argument" and child.children[1] == "="
        ]


class DropStatement:
    """Do nothing in place of a call made for its effect, an update or an error."""

    def mutation_positions(self, node):
        if self._has_effect(node):
            yield node.start_pos, node.end_pos

    def mutate(self, node, index):
        from parso.python.tree import Keyword

        return Keyword("pass", node.start_pos, node.get_first_leaf().prefix)

    @staticmethod
    def _has_effect(node):
        if node.parent is None or node.parent.type != "simple_stmt":
            return False
        if node.type == "expr_stmt":
            return node.children[1].type in ("augassign", "operator") and node.children[1] != "="
        is_call = node.type in ("atom_expr", "power") and node.children[-1].type == "trailer"
        return node.type == "raise_stmt" or (is_call and node.children[-1].children[0] == "(")


OWN_OPERATORS = {
    f"own/{operator.__name__}": operator
    for operator in (DropTerm, SwapFunction, DropKeywordArgument, DropStatement)
}

"""The stubs and the module agree."""

import ast
import inspect
import pathlib
import unittest

import bucketeer


class StubsTest(unittest.TestCase):
    """The stubs and the module have the same names, members and parameters."""

    def setUp(self):
        folder = pathlib.Path(bucketeer.__file__).parent
        self.assertTrue((folder / "py.typed").exists())
        self.tree = ast.parse((folder / "__init__.pyi").read_text())

    def parameters(self, node):
        arguments = node.args
        names = [one.arg for one in arguments.posonlyargs + arguments.args]
        return [name for name in names if name not in ("self", "cls")], [
            one.arg for one in arguments.kwonlyargs
        ]

    def same_signature(self, node, function):
        kinds = inspect.Parameter
        own = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
        positional = [p.name for p in own if p.kind != kinds.KEYWORD_ONLY]
        keywords = [p.name for p in own if p.kind == kinds.KEYWORD_ONLY]
        self.assertEqual(self.parameters(node), (positional, keywords), node.name)
        defaults = {p.name: p.default for p in own if p.default is not kinds.empty}
        arguments = node.args
        positional = (arguments.posonlyargs + arguments.args)[-len(arguments.defaults) or None :]
        stubbed = list(zip(positional, arguments.defaults, strict=False))
        stubbed += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        stubbed = {one.arg: ast.literal_eval(value) for one, value in stubbed if value is not None}
        self.assertEqual(defaults, stubbed, node.name)

    def same_documentation(self, node, own):
        def plain(text):
            return " ".join((text or "").replace("``", "`").split())

        self.assertEqual(plain(own.__doc__), plain(ast.get_docstring(node)), node.name)

    def test_names(self):
        defined = {"Error", "InvalidInput", "NoDevice", "OutOfMemory", "Cancelled", "DeviceFailed",
                   "VerificationFailed", "__version__"}
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef):
                self.same_signature(node, getattr(bucketeer, node.name))
                self.same_documentation(node, getattr(bucketeer, node.name))
            elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                self.same_members(node)
            else:
                continue
            defined.add(node.name)
        self.assertEqual(sorted(defined), sorted(bucketeer.__all__))

    def same_members(self, stub):
        own = getattr(bucketeer, stub.name)
        nodes = {node.name: node for node in stub.body if isinstance(node, ast.FunctionDef)}
        plain = {name for name in nodes if not name.startswith("_")}
        self.assertEqual(plain, {name for name in dir(own) if not name.startswith("_")})
        self.same_documentation(stub, own)
        for name in plain:
            self.same_documentation(nodes[name], getattr(own, name))
            is_property = bool(nodes[name].decorator_list)
            self.assertEqual(inspect.isgetsetdescriptor(getattr(own, name)), is_property, name)
            if not is_property:
                self.same_signature(nodes[name], getattr(own, name))
        if "__new__" in nodes:
            self.same_signature(nodes["__new__"], own)
        self.assertEqual(own.__module__, "bucketeer")

    def test_version(self):
        self.assertRegex(bucketeer.__version__, r"^\d+\.\d+\.\d+")


if __name__ == "__main__":
    unittest.main()

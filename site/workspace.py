"""What pages may say about the packages of this repository: names, features, targets."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def manifests():
    """Path and manifest of every package of the repository, by package name."""
    found = {}
    for path in sorted(ROOT.glob("crates/**/Cargo.toml")):
        if not {"target", "node_modules"} & set(path.parts):
            manifest = tomllib.loads(path.read_text())
            if "package" in manifest:
                found[manifest["package"]["name"]] = (path.parent, manifest)
    return found


def features(manifest):
    """Declared features, and optional dependencies that no `dep:` hides."""
    declared = manifest.get("features", {})
    entries = [entry for entries in declared.values() for entry in entries]
    hidden = {entry[4:] for entry in entries if entry.startswith("dep:")}
    tables = manifest.get("dependencies", {})
    optional = {name for name, entry in tables.items()
                if isinstance(entry, dict) and entry.get("optional")}
    return set(declared) | (optional - hidden)


def fault(package, wanted):
    """Why the package or one of the wanted features does not exist, or None."""
    packages = manifests()
    if package not in packages:
        locked = re.findall(r'^name = "(.*)"$', (ROOT / "Cargo.lock").read_text(), re.MULTILINE)
        return None if package in locked else f"no package {package} here or in Cargo.lock"
    missing = sorted(set(wanted) - features(packages[package][1]) - {"default"})
    return f"{package} has no feature {', '.join(missing)}" if missing else None


def dependency_fault(table):
    """The same for a table of dependencies of a manifest."""
    for package, entry in table.items():
        wanted = entry.get("features", []) if isinstance(entry, dict) else []
        found = fault(entry.get("package", package) if isinstance(entry, dict) else package, wanted)
        if found:
            return found
    return None

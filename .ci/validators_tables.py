"""The tables of docs/validators.md, of reports of `gauntlet card fuzz`: NAME=REPORT.json, +NAME for the first table only."""

import json
import sys

LAYERS = ["parse", "schema", "spec", "capability"]


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def head(*cells):
    row(*cells)
    row(*["---"] + [":-:"] * (len(cells) - 1))


def escaped(text):
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("_", "\\_").replace("<", "&lt;")


runs = []
for argument in sys.argv[1:]:
    name, path = argument.rsplit("=", 1)
    with open(path, encoding="utf-8") as report:
        runs.append((name, json.load(report)))

print("\n## All together\n")
head("validator", "edition", "judges for", "down to layer", "cards", "false accepts", "false rejects", "no verdict")
for name, run in runs:
    counts = run["cards"], run["falseAccepts"], run["falseRejects"], run["crashes"]
    row(name.lstrip("+"), run["version"], run["purpose"], run["layer"], *counts)

runs = [(name, run) for name, run in runs if not name.startswith("+")]


def cell(run, rule, layer):
    counted = next((row for row in run["rules"] if row["rule"] == rule), None)
    if counted is None:
        return "–"
    kinds = [("falseAccepts", "accepted"), ("falseRejects", "rejected"), ("crashes", "no verdict")]
    wrong = [f"{counted[kind]} of {counted['cards']} {word}" for kind, word in kinds if counted[kind]]
    if wrong:
        return "**✗** " + ", ".join(wrong)
    deeper = layer is not None and LAYERS.index(layer) > LAYERS.index(run["layer"])
    return "" if deeper else "✓"


print("\n## Rule by rule\n")
print("Rules that nobody gets wrong are left out. ✓ right on every card · – nothing to tell: no card of this edition breaks")
print("it, or the validator rejects each of them for another reason · empty: a layer that it is not asked about\n")
rules = {row["rule"]: row["layer"] for _, run in runs for row in run["rules"]}
wrong = {rule for _, run in runs for rule in rules for row in run["rules"] if row["rule"] == rule
         and (row["falseAccepts"] or row["falseRejects"] or row["crashes"])}
head("rule", "layer", *[name for name, _ in runs])
for layer in [None, *LAYERS]:
    for rule in (rule for rule in rules if rules[rule] == layer and rule in wrong):
        row(rule or "*valid cards*", layer or "", *[cell(run, rule, layer) for _, run in runs])

print("\n## What is rejected that is valid, and what ends in no verdict\n")
print("The reasons the validators give, each of the smallest card that shows it.\n")
for name, run in runs:
    found = [found for found in run["found"] if found["kind"] != "false-accept"]
    if found:
        print(f"- **{name}**")
    for one in found:
        rule = f" (breaks {one['rule']})" if one["rule"] else ""
        print(f"  - {one['kind']}{rule}: {escaped(one['theirs'])}")

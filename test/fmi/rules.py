# SPDX-License-Identifier: Apache-2.0
"""Rules of FMI 3.0 and 2.0 for descriptions: what an importer may rely on, checked one by one. check(files) gets the
files of an FMU by name and returns a list of sentences, empty where nothing is wrong."""
import re
import xml.etree.ElementTree as ET

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z_0-9]*\Z")
Q_NAME = r"'(?:[A-Za-z_0-9!#$%&()*+,\-./:;<>=?@\[\]^{}|~ ]|\\['\"?\\abfnrtv])+'"
B_NAME = rf"(?:[A-Za-z_][A-Za-z_0-9]*|{Q_NAME})(?:\[[0-9]+(?:,[0-9]+)*\])?"
STRUCTURED = re.compile(rf"(?:{B_NAME}(?:\.{B_NAME})*|der\({B_NAME}(?:\.{B_NAME})*(?:,[0-9]+)?\))\Z")

# causality -> variabilities that may go with it, the first is the default of numbers
ALLOWED = {
    "parameter": ["fixed", "tunable"],
    "calculatedParameter": ["fixed", "tunable"],
    "input": ["continuous", "discrete"],
    "output": ["continuous", "discrete", "constant"],
    "local": ["continuous", "constant", "fixed", "tunable", "discrete"],
    "independent": ["continuous"],
}


def initials(causality, variability):
    """What `initial` may be, the default first."""
    if causality in ("input", "independent"):
        return [None, "exact"] if causality == "input" else [None]
    if causality == "parameter" or variability == "constant":
        return ["exact"]
    if causality == "calculatedParameter" or variability in ("fixed", "tunable"):
        return ["calculated", "approx"]
    return ["calculated", "exact", "approx"]


class Variable:
    def __init__(self, element, kind, attributes, index):
        self.name = element.get("name")
        self.reference = element.get("valueReference")
        self.type = kind
        self.index = index
        self.at = attributes
        self.causality = element.get("causality", "local")
        default = ALLOWED.get(self.causality, ["continuous"])[0]
        if kind == "Enumeration" and default == "continuous":
            default = "discrete"
        self.variability = element.get("variability", default)
        self.given_initial = element.get("initial")
        self.initial = self.given_initial or initials(self.causality, self.variability)[0]

    def get(self, name):
        return self.at.get(name)


class Description:
    """What both versions have in common, with the differences told apart by `version`."""

    def __init__(self, text):
        self.root = ET.fromstring(text)
        self.version = int(self.root.get("fmiVersion", "0").split(".")[0])
        self.variables = []
        for i, e in enumerate(self.root.find("ModelVariables")):
            if self.version == 3:
                self.variables.append(Variable(e, e.tag, e.attrib, i + 1))
            else:
                inner = e[0]
                self.variables.append(Variable(e, inner.tag, inner.attrib, i + 1))
        self.by_name = {v.name: v for v in self.variables}
        self.by_reference = {int(v.reference): v for v in self.variables}
        s = self.root.find("ModelStructure")
        self.outputs = self.listed(s, "Output", "Outputs")
        self.derivatives = self.listed(s, "ContinuousStateDerivative", "Derivatives")
        self.unknowns = self.listed(s, "InitialUnknown", "InitialUnknowns")
        self.indicators = self.listed(s, "EventIndicator", None)
        self.states = [self.derivative_of(v) for v in self.derivatives]
        if self.version == 2:
            self.nindicator = int(self.root.get("numberOfEventIndicators", "0"))
        else:
            self.nindicator = len(self.indicators)
        self.token = self.root.get("instantiationToken" if self.version == 3 else "guid")

    def listed(self, structure, new, old):
        if self.version == 3:
            return [self.by_reference.get(int(e.get("valueReference"))) for e in structure.findall(new)]
        group = structure.find(old) if old else None
        return [] if group is None else [self.at_index(e.get("index")) for e in group]

    def at_index(self, index):
        i = int(index)
        return self.variables[i - 1] if 1 <= i <= len(self.variables) else None

    def derivative_of(self, v):
        of = v.get("derivative") if v else None
        if of is None:
            return None
        return self.by_reference.get(int(of)) if self.version == 3 else self.at_index(of)

    def interface(self, name):
        return self.root.find(name)


def check_head(d, say):
    if d.root.tag != "fmiModelDescription":
        say(f"the root is {d.root.tag}")
    if d.root.get("fmiVersion") not in ("2.0", "3.0"):
        say(f"fmiVersion {d.root.get('fmiVersion')}")
    if not d.root.get("modelName"):
        say("there is no modelName")
    if not d.token:
        say("there is no token")
    kinds = [d.interface(k) for k in ("ModelExchange", "CoSimulation")]
    if not any(k is not None for k in kinds):
        say("there is no interface")
    flag = ("canGetAndSetFMUState", "canSerializeFMUState") if d.version == 3 else (
        "canGetAndSetFMUstate", "canSerializeFMUstate")
    for k in kinds:
        if k is None:
            continue
        if not IDENTIFIER.match(k.get("modelIdentifier", "")):
            say(f"modelIdentifier '{k.get('modelIdentifier')}'")
        if k.get(flag[1]) == "true" and k.get(flag[0]) != "true":
            say(f"{flag[1]} without {flag[0]}")
        if k.get("canReturnEarlyAfterIntermediateUpdate") == "true" and k.get("providesIntermediateUpdate") != "true":
            say("early return without intermediate update")
    order = [e.tag for e in d.root]
    right = ["ModelExchange", "CoSimulation", "UnitDefinitions", "TypeDefinitions", "LogCategories",
             "DefaultExperiment", "ModelVariables", "ModelStructure"]
    if order != [t for t in right if t in order]:
        say(f"elements are {order}")


def check_experiment(d, say):
    e = d.root.find("DefaultExperiment")
    if e is not None and not float(e.get("stopTime")) > float(e.get("startTime")):
        say("the default experiment ends before it begins")


def check_names(d, say):
    names = [v.name for v in d.variables]
    if len(set(names)) != len(names):
        say(f"names come twice: {sorted({n for n in names if names.count(n) > 1})}")
    references = [v.reference for v in d.variables]
    if len(set(references)) != len(references):
        say("value references come twice")
    convention = d.root.get("variableNamingConvention", "flat")
    for v in d.variables:
        if not v.name or re.search(r"[\r\n\t]", v.name):
            say(f"name '{v.name}'")
        if convention == "structured" and not STRUCTURED.match(v.name):
            say(f"name '{v.name}' is not structured")


def check_units(d, say):
    group = d.root.find("UnitDefinitions")
    units = [] if group is None else [u.get("name") for u in group]
    if group is not None and not units:
        say("an empty list of units")
    if len(set(units)) != len(units):
        say("units come twice")
    for v in d.variables:
        if v.get("unit") is not None and v.get("unit") not in units:
            say(f"{v.name}: unit '{v.get('unit')}' is not defined")
    for u in group if group is not None else []:
        base = u.find("BaseUnit")
        for key, value in (base.attrib if base is not None else {}).items():
            if key not in ("kg", "m", "s", "A", "K", "mol", "cd", "rad", "factor", "offset"):
                say(f"unit {u.get('name')}: {key}")
            elif key not in ("factor", "offset"):
                int(value)


def check_types(d, say):
    group = d.root.find("TypeDefinitions")
    types = [] if group is None else [t.get("name") for t in group]
    if set(types) & set(d.by_name):
        say("types are called as variables are")
    for v in d.variables:
        declared = v.get("declaredType")
        if declared is not None and declared not in types:
            say(f"{v.name}: type {declared} is not defined")
        if v.type == "Enumeration" and declared is None:
            say(f"{v.name}: an enumeration without a type")
    for t in group if group is not None else []:
        items = [i.get("value") for i in t.iter("Item")]
        if len(set(items)) != len(items):
            say(f"type {t.get('name')}: values come twice")


def check_variable(d, v, say):
    if v.causality not in ALLOWED or v.variability not in ALLOWED[v.causality]:
        say(f"{v.name}: {v.variability} {v.causality}")
        return
    if v.initial not in initials(v.causality, v.variability):
        say(f"{v.name}: initial {v.initial} of a {v.variability} {v.causality}")
    if d.version == 2 and v.causality in ("input", "independent") and v.given_initial:
        say(f"{v.name}: initial of an {v.causality}")
    if v.variability == "continuous" and v.type not in ("Float64", "Float32", "Real"):
        say(f"{v.name}: a continuous {v.type}")
    start = v.get("start")
    needs = v.initial in ("exact", "approx") or v.causality in ("input", "parameter")
    if needs and start is None:
        say(f"{v.name}: no start")
    if not needs and start is not None:
        say(f"{v.name}: a start, but it is {v.initial or v.causality}")
    low, high = v.get("min"), v.get("max")
    if start is not None and low is not None and float(start) < float(low):
        say(f"{v.name}: start below min")
    if start is not None and high is not None and float(start) > float(high):
        say(f"{v.name}: start above max")
    if v.get("reinit") is not None and v not in d.states:
        say(f"{v.name}: reinit, but it is no state")
    if v.get("intermediateUpdate") == "true" and v.variability != "continuous":
        say(f"{v.name}: intermediateUpdate of a {v.variability} variable")


def check_variables(d, say):
    for v in d.variables:
        check_variable(d, v, say)
    if sum(v.causality == "independent" for v in d.variables) != 1:
        say("not exactly one independent variable")


def check_structure(d, say):
    lists = {"outputs": d.outputs, "derivatives": d.derivatives, "unknowns": d.unknowns, "indicators": d.indicators}
    for name, variables in lists.items():
        if None in variables:
            say(f"{name}: a reference to nothing")
            return
        if len({v.name for v in variables}) != len(variables):
            say(f"{name}: one comes twice")
    if [v.name for v in d.outputs] != [v.name for v in d.variables if v.causality == "output"]:
        say("outputs are not all outputs, in their order")
    if None in d.states or len({s.name for s in d.states if s}) != len(d.states):
        say("derivatives are not of one state each")
        return
    for v in d.derivatives + d.states:
        if v.variability != "continuous" or v.causality not in ("local", "output"):
            say(f"{v.name}: a {v.variability} {v.causality} as state or derivative")
    expected = {v.name for v in d.variables
                if (v.causality == "output" and v.initial in ("approx", "calculated"))
                or v.causality == "calculatedParameter"
                or ((v in d.states or v in d.derivatives) and v.initial in ("approx", "calculated"))}
    if {v.name for v in d.unknowns} != expected:
        say(f"initial unknowns: {sorted({v.name for v in d.unknowns} ^ expected)}")
    for v in d.indicators:
        if v.variability != "continuous" or v.causality not in ("local", "output") or v in d.unknowns:
            say(f"{v.name}: not a right event indicator")
    for v in d.variables:
        if v.get("derivative") is not None and d.derivative_of(v) is None:
            say(f"{v.name}: derivative of nothing")


def check_files(d, files, say):
    id3 = d.interface("CoSimulation").get("modelIdentifier")
    folder = {3: "binaries/x86_64-linux/", 2: "binaries/linux64/"}[d.version]
    binaries = [f for f in files if f.startswith("binaries/")]
    for f in binaries:
        if not f.endswith(f"/{id3}.so"):
            say(f"{f} is not called as the model")
    if binaries and folder + id3 + ".so" not in binaries:
        say(f"there is nothing in {folder}")
    if not binaries and "sources/buildDescription.xml" not in files:
        say("there is no implementation")
    for f in files:
        top = f.split("/")[0]
        if f != "modelDescription.xml" and top not in ("binaries", "sources", "documentation", "resources"):
            say(f"{f}: nothing of the standard")
        if "\\" in f or f.startswith("/") or ".." in f:
            say(f"{f}: not a path")
    if "sources/buildDescription.xml" in files:
        check_build(d, files, id3, say)


def check_build(d, files, identifier, say):
    root = ET.fromstring(files["sources/buildDescription.xml"])
    config = root.findall("BuildConfiguration")
    if root.get("fmiVersion") != "3.0" or len(config) != 1 or config[0].get("modelIdentifier") != identifier:
        say("buildDescription.xml is not of this model")
    sources = [f.get("name") for f in root.iter("SourceFile")]
    there = sorted(f[len("sources/"):] for f in files if f.startswith("sources/") and f.endswith(".c"))
    if sorted(sources) != there:
        say("buildDescription.xml does not list all sources")
    if d.version == 2:
        for k in ("ModelExchange", "CoSimulation"):
            if sorted(f.get("name") for f in d.interface(k).iter("File")) != there:
                say(f"{k} does not list all sources")


def check(files):
    said = []
    if not files["modelDescription.xml"].startswith(b'<?xml version="1.0" encoding="UTF-8"?>'):
        said.append("the first line does not tell the encoding")
    d = Description(files["modelDescription.xml"])
    for rule in (check_head, check_experiment, check_names, check_units, check_types, check_variables, check_structure):
        rule(d, said.append)
    check_files(d, files, said.append)
    return said

"""The alert rules, the Grafana dashboard and the page of metrics against a real /metrics. Words: URL OPERATIONS METRICS-PAGE

The broker has a webhook on `chat` and a hook on its reactions, both of servers that are not there. Where Prometheus'
promtool is on the machine, it judges every expression as well, and the rules by made-up times (alerts_test.yaml).
"""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile

import yaml

from checks import Check, Client, equal, main, matches
from http_api import API

# What Prometheus itself adds to what it reads.
TARGET_LABELS = {"job", "instance", "le"}
OWN = {"up"}
KEYWORDS = {
    "by", "sum", "rate", "increase", "changes", "count", "max", "histogram_quantile", "time",
    "job", "instance", "and", "or", "unless", "without", "on", "ignoring"}


class Exported:
    """What /metrics says: for each series' name the values of each label."""

    def __init__(self, text):
        self.labels = {}
        self.kinds = {}
        for line in text.splitlines():
            if found := re.match(r"# TYPE (\S+) (\S+)", line):
                self.kinds[found[1]] = found[2]
            elif found := re.match(r"([a-z_]+)(?:\{(.*)\})? \S+$", line):
                labels = self.labels.setdefault(found[1], {})
                for name, value in re.findall(r'([a-z_]+)="([^"]*)"', found[2] or ""):
                    labels.setdefault(name, set()).add(value)

    def judge(self, expression):
        """Every name is exported, every label there, every value that is asked for as well; gives the names."""
        plain = expression.replace("$__rate_interval", "5m")
        names = set(re.findall(r"\b(?:fanfare|process)_[a-z_]+|\bup\b", plain))
        assert names, "no metric in " + expression
        for name in names - OWN:
            assert name in self.labels, "%s is not exported: %s" % (name, expression)
        for name, matchers in re.findall(r"\b((?:fanfare|process)_[a-z_]+|up)\{([^}]*)\}", plain):
            for label, sign, value in re.findall(r'([a-z_]+)(=~|!~|!=|=)"([^"]*)"', matchers):
                if label in TARGET_LABELS:
                    continue
                values = self.labels[name].get(label)
                assert values, "%s has no label %s: %s" % (name, label, expression)
                for one in value.split("|") if "~" in sign else [value]:
                    assert one in values, '%s has no %s="%s": %s' % (name, label, one, expression)
        for group in re.findall(r"\bby \(([^)]*)\)", plain):
            for label in re.split(r",\s*", group):
                assert label in TARGET_LABELS or any(label in self.labels[name] for name in names - OWN), (
                    "nothing has a label %s: %s" % (label, expression))
        if "histogram_quantile" in plain:
            assert all(name.endswith("_bucket") for name in names), expression
        for name in re.findall(r"(?:rate|increase)\(((?:fanfare|process)_[a-z_]+)", plain):
            kind = self.kinds.get(name) or self.kinds[re.sub(r"_(bucket|sum|count)$", "", name)]
            assert kind in ("counter", "histogram"), "%s is a %s: %s" % (name, kind, expression)
        bare = re.sub(r'\{[^}]*\}|"[^"]*"|\[[^\]]*\]', "", plain)
        bare = re.sub(r"\bby \([^)]*\)", "", bare)
        words = set(re.findall(r"[a-z_]+", bare)) - KEYWORDS - names
        assert not words, "unknown words %r: %s" % (words, expression)
        return names


def promtool(*words):
    done = subprocess.run(["promtool", *words], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def expressions(dashboard):
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield target["expr"]
    for annotation in dashboard["annotations"]["list"]:
        yield annotation["expr"]


def check_rules(exported, file):
    groups = yaml.safe_load(file.read_text())["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    equal(len({rule["alert"] for rule in rules}), len(rules), "names")
    for rule in rules:
        names = exported.judge(rule["expr"])
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}, rule
        assert rule["labels"]["severity"] in ("critical", "warning"), rule
        summary = rule["annotations"]["summary"]
        known = TARGET_LABELS.union(*(exported.labels.get(name, {}) for name in names))
        for label in re.findall(r"\$labels\.([a-z_]+)", summary):
            assert label in known, "%s: there is no label %s" % (rule["alert"], label)
            grouped = re.search(r"by \(([^)]*)\)", rule["expr"])
            assert not grouped or label in re.split(r",\s*", grouped[1]), "%s loses %s" % (rule["alert"], label)
    return rules


def check_dashboard(exported, file):
    dashboard = json.loads(file.read_text())
    used = set().union(*(exported.judge(expression) for expression in expressions(dashboard)))
    families = {re.sub(r"_(bucket|sum|count)$", "", name) if name not in exported.kinds else name for name in used}
    equal(sorted(set(exported.kinds) - families), [], "metrics that no panel shows")
    variables = {one["name"] for one in dashboard["templating"]["list"]}
    for name in re.findall(r"\$\{?([a-z_]+)\}?", file.read_text()):
        assert name in variables or name == "__rate_interval", "there is no variable " + name
    panels = dashboard["panels"]
    equal(len({panel["id"] for panel in panels}), len(panels), "ids")
    cells = set()
    for panel in panels:
        place = panel["gridPos"]
        mine = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
        assert not mine & cells and place["x"] + place["w"] <= 24, "%s lies over another panel" % panel["title"]
        cells |= mine
        if panel["type"] == "row":
            continue
        assert panel["targets"] and panel["fieldConfig"]["defaults"]["unit"], panel["title"]
        equal([target["refId"] for target in panel["targets"]], list("ABCDEFG"[:len(panel["targets"])]), "letters")
        for target in panel["targets"]:
            equal(target["datasource"], {"type": "prometheus", "uid": "${datasource}"}, "data source")
            labels = set().union(*(exported.labels[name] for name in exported.judge(target["expr"])))
            for label in re.findall(r"{{(\w+)}}", target["legendFormat"]):
                assert label in labels | TARGET_LABELS, "%s: there is no label %s" % (panel["title"], label)
    return dashboard


def check_by_promtool(rules, dashboard):
    if not shutil.which("promtool"):
        print("# promtool is not here: expressions were judged by these checks alone")
        return
    with Check("promtool takes the rules, and each fires when it should and not before"):
        promtool("check", "rules", str(rules))
        promtool("test", "rules", str(pathlib.Path(__file__).with_name("alerts_test.yaml")))
    with Check("promtool takes every expression of the dashboard"), tempfile.TemporaryDirectory() as folder:
        plain = [one.replace("$__rate_interval", "5m").replace("$job", "j").replace("$instance", ".*") for one in expressions(dashboard)]
        file = pathlib.Path(folder) / "rules.json"
        file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": [
            {"record": "r%d" % number, "expr": one} for number, one in enumerate(plain)]}]}))
        promtool("check", "rules", str(file))


async def operations(url, folder, page):
    folder = pathlib.Path(folder)
    async with await Client.connect(url, "ada") as client:
        matches(await client.request("add", channel="chat:1", message="m", reaction="👍"), type="ack")
        text = API(url).call("GET", "/metrics")[2]
        exported = Exported(text)
        with Check("every metric that the page names is exported, with its kind, and the reverse"):
            told = dict(re.findall(r"(?m)^\| `([a-z_]+)` \| ([a-z]+) \|", pathlib.Path(page).read_text()))
            equal(exported.kinds, told, "metrics")
        with Check("the alert rules name metrics, labels and values that are exported"):
            rules = check_rules(exported, folder / "fanfare-alerts.yaml")
            assert len(rules) > 10, rules
        with Check("every rule is explained on the page of alerts, and every alert there is a rule"):
            alerts = pathlib.Path(page).with_name("Alerts.md").read_text()
            equal(sorted(re.findall(r"(?m)^\| `(Fanfare\w+)` \|", alerts)), sorted(rule["alert"] for rule in rules), "alerts")
        with Check("the dashboard shows all that is exported, and nothing else"):
            dashboard = check_dashboard(exported, folder / "fanfare-grafana.json")
        with Check("a wrong name, label or value would be found"):
            for wrong in ["rate(fanfare_event_total[5m])", 'fanfare_closed_total{cod="4008"}', 'fanfare_closed_total{code="4009"}',
                          "sum by (kind) (fanfare_connections)", "rate(fanfare_connections[5m])", "irate(fanfare_events_total[5m])"]:
                try:
                    exported.judge(wrong)
                except AssertionError:
                    continue
                raise AssertionError(wrong + " passed")
        check_by_promtool(folder / "fanfare-alerts.yaml", dashboard)


main(operations)

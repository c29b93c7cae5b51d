"""Runs every line that the recipes run, in a repository with a server, and plays what their hosts do in between.

    python scripts/engines/test_recipes.py BINARY

What a recipe installs or asks of its host (`cargo install`, `gh`) is answered by a stand-in on PATH that writes down
what it was asked.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import xmlschema
import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BINARY = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else ROOT / "target/debug/mcp-regress"
MARKER = "<!-- mcp-regress -->"
TOKEN = "planted-token-of-the-host-5d1e"
REPRODUCIBLE = ["calls.csv", "attempts.csv", "cases.csv", "metrics.csv", "flips.csv", "rules.csv", "columns.md",
                "summary.json", "summary.md"]

JUNIT = xmlschema.XMLSchema(str(ROOT / "tests/data/junit.xsd"))

GH = r"""#!/usr/bin/env bash
# Plays `gh`: answers what the recipe asks, writes down what it sends.
set -euo pipefail
printf '%s\n' "$*" >> "$PLAY/gh.log"
[[ ${GH_TOKEN:-} == "$PLAY_TOKEN" ]] || { echo "gh: no token" >&2; exit 4; }
case "$*" in
    "run download"*) mkdir -p verdict && cp -P "$PLAY"/artifacts/mcp-regress-verdict/* verdict/ ;;
    *"/pulls?state=open"*) printf '%s' "$PLAY_NUMBER" ;;
    *"--paginate"*"/comments"*) cat "$PLAY/old-comment" ;;
    *"--method"*) cp comment.md "$PLAY/sent.md"; printf '%s\n' "$*" > "$PLAY/sent" ;;
    *) echo "gh: not played: $*" >&2; exit 2 ;;
esac
"""


def load(path):
    return yaml.safe_load((HERE / path).read_text())


def git(folder, *args):
    name = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *name, *args], cwd=folder, check=True, capture_output=True)


def server(build):
    return f'#!/bin/sh\nexec "$1" fixture --scenario documents --build {build}\n'


class Recipes(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="mcp-regress-recipes."))
        self.addCleanup(shutil.rmtree, self.folder)
        tools = self.folder / "bin"
        tools.mkdir()
        (tools / "mcp-regress").symlink_to(BINARY)
        for name, text in [("gh", GH), ("cargo", '#!/bin/sh\necho "$*" >> "$PLAY/cargo.log"\n')]:
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
        (self.folder / "artifacts").mkdir()
        (self.folder / "old-comment").write_text("")
        self.env = {
            "PATH": f"{tools}:/usr/local/bin:/usr/bin:/bin", "HOME": str(self.folder), "CI": "true",
            "PLAY": str(self.folder), "PLAY_TOKEN": TOKEN, "PLAY_NUMBER": "12\n", "LANG": "C.UTF-8",
        }

    def repository(self, before, after):
        """A clone whose server changes in its last commit; its default branch is at the first."""
        origin, clone = self.folder / "origin", self.folder / "clone"
        origin.mkdir()
        suite = (ROOT / "cases/mcp-regress.toml").read_text()
        head, rest = suite.split("[baseline]")
        tail = rest.split("# To see")[1]
        (origin / "mcp-regress.toml").write_text(f'{head}[server]\ncommand = ["./server.sh", "{{self}}"]\n# To see{tail}')
        shutil.copy(ROOT / "cases/test.cases.jsonl", origin)
        (origin / ".gitignore").write_text("results/\nshards/\nverdict/\nwhole/\n")
        self.write_server(origin, before)
        git(origin, "init", "-q")
        git(origin, "add", "-A")
        git(origin, "commit", "-qm", "before")
        git(self.folder, "clone", "-q", str(origin), str(clone))
        git(clone, "checkout", "-qb", "change")
        self.write_server(clone, after)
        git(clone, "commit", "--allow-empty", "-qam", "after")
        return clone

    def write_server(self, folder, build):
        path = folder / "server.sh"
        path.write_text(server(build))
        path.chmod(0o755)

    def bash(self, script, cwd, **env):
        """As GitHub and GitLab run a script: it ends at the first command that fails."""
        env = {**self.env, **{key: str(value) for key, value in env.items()}}
        return subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=cwd, env=env, capture_output=True, text=True,
                              timeout=300)

    def unsharded(self, clone):
        done = self.bash("mcp-regress run --candidate-rev worktree --out whole --quiet", clone)
        self.assertIn(done.returncode, (0, 100), done.stderr)
        return next((clone / "whole").glob("*/run.json")).parent

    def assert_same(self, one, other):
        for name in REPRODUCIBLE:
            self.assertEqual((one / name).read_bytes(), (other / name).read_bytes(), name)

    # GitHub

    def steps(self, job, cwd, context, **env):
        """Runs a job's steps one after another, as its host would. Returns the last exit code that was not 0."""
        failed = 0
        for step in job["steps"]:
            always = step.get("if") == "always()"
            if failed and not always:
                continue
            values = {**env, **{key: self.filled(value, context) for key, value in step.get("env", {}).items()}}
            if "run" in step:
                self.assertNotIn("${{", step["run"], "an expression in a script is an injection")
                done = self.bash(step["run"], cwd, **values)
                self.said = done.stdout + done.stderr
                failed = done.returncode or failed
                self.ran.append(step.get("name", step["run"]))
            else:
                self.uses(step, cwd, context)
        return failed

    def filled(self, value, context):
        return re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda found: str(context[found.group(1)]), str(value))

    def uses(self, step, cwd, context):
        action, given = step["uses"].split("@")[0], step.get("with", {})
        artifacts = self.folder / "artifacts"
        if action == "actions/upload-artifact":
            source = cwd / given["path"]
            if not source.exists():
                self.assertNotEqual(given.get("if-no-files-found"), "error", given)
                return
            target = artifacts / self.filled(given["name"], context)
            shutil.rmtree(target, ignore_errors=True)
            if source.is_dir():
                shutil.copytree(source, target, symlinks=True)
            else:
                target.mkdir()
                shutil.copy(source, target)
        elif action == "actions/download-artifact":
            for found in artifacts.glob(given["pattern"]):
                shutil.copytree(found, cwd / given["path"] / found.name)
        else:
            self.assertEqual(action, "actions/checkout")
            self.assertIs(given["persist-credentials"], False)

    def measure(self, clone, lose=None):
        workflow = load("github/measure.yml")
        self.assertEqual(workflow["permissions"], {"contents": "read"})
        self.assertNotIn("secrets.", (HERE / "github/measure.yml").read_text())
        self.ran = []
        github = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": self.folder / "step.md", "GITHUB_BASE_REF": "main",
                  "GITHUB_TOKEN": TOKEN}
        for shard in workflow["jobs"]["measure"]["strategy"]["matrix"]["shard"]:
            if shard == lose:
                continue
            shutil.rmtree(clone / "shards", ignore_errors=True)
            code = self.steps(workflow["jobs"]["measure"], clone, {"matrix.shard": shard}, **github)
            self.assertEqual(code, 0, self.said)
        shutil.rmtree(clone / "shards", ignore_errors=True)
        code = self.steps(workflow["jobs"]["judge"], clone, {}, **github)
        # Of a regression, of a run with a gap, and of one where nothing changed.
        JUNIT.validate(str(clone / "verdict/junit.xml"))
        return code

    def comment(self, number="12\n"):
        workflow = load("github/comment.yml")
        job = workflow["jobs"]["comment"]
        self.assertFalse([step for step in job["steps"] if "uses" in step], "the commenting job takes nothing of others")
        self.ran = []
        (self.folder / "sent").unlink(missing_ok=True)
        empty = Path(tempfile.mkdtemp(dir=self.folder))
        context = {"github.token": TOKEN, "github.repository": "o/r", "github.event.workflow_run.id": 5,
                   "github.event.workflow_run.head_repository.owner.login": "stranger",
                   "github.event.workflow_run.head_branch": "change", "github.event.workflow_run.head_sha": "0123"}
        env = {key: self.filled(value, context) for key, value in job["env"].items()}
        code = self.steps(job, empty, context, **env, PLAY_NUMBER=number)
        return code, empty

    def test_github_measures_and_another_job_comments(self):
        clone = self.repository("candidate", "baseline")
        whole = self.unsharded(clone)
        self.assertEqual(self.measure(clone), 100, self.said)
        self.assert_same(whole, next((clone / "results").glob("*/run.json")).parent)
        self.assertIn("::error title=mcp-regress%3A regression", self.said)
        self.assertIn("## Regression", (self.folder / "step.md").read_text())
        code, _ = self.comment()
        self.assertEqual(code, 0, self.said)
        sent = (self.folder / "sent.md").read_text()
        self.assertTrue(sent.startswith("## Regression: continuation reads"), sent)
        self.assertIn(MARKER, sent)
        self.assertIn("--method POST repos/o/r/issues/12/comments", (self.folder / "sent").read_text())
        # The next push edits the comment that is there.
        (self.folder / "old-comment").write_text("77\n")
        self.assertEqual(self.comment()[0], 0, self.said)
        self.assertIn("--method PATCH repos/o/r/issues/comments/77", (self.folder / "sent").read_text())
        self.assertNotIn(TOKEN, sent)

    def test_a_lost_part_is_named_by_the_judging_job(self):
        clone = self.repository("baseline", "baseline")
        self.assertEqual(self.measure(clone, lose=3), 5, self.said)
        self.assertIn("shard 3/4 is lost", self.said)

    def test_nothing_to_say_is_no_comment_and_ends_an_older_one(self):
        clone = self.repository("baseline", "baseline")
        self.assertEqual(self.measure(clone), 0, self.said)
        self.assertEqual(self.comment()[0], 0, self.said)
        self.assertFalse((self.folder / "sent").exists())
        (self.folder / "old-comment").write_text("77\n")
        self.assertEqual(self.comment()[0], 0, self.said)
        self.assertIn("nothing to say", (self.folder / "sent.md").read_text())

    def test_a_hostile_verdict_can_do_nothing(self):
        folder = self.folder / "artifacts/mcp-regress-verdict"
        folder.mkdir()
        evil = "@admin [x](http://e) ![i](http://e) <!-- --> `|\n::error::x"
        metric = {"n_cases": 3, "baseline_mean": 1.0, "candidate_mean": 2.0, "delta": 1.0, "unit": evil, "better": evil,
                  "call": "worse", "role": "guardrail", "attempts_baseline": 4, "attempts_candidate": 4}
        summary = {
            "format_version": 1, "verdict": "regression", "exit_code": 100, "also": [7, evil], "warnings": [evil] * 9,
            "rules_note": evil, "client": evil, "client_limit": 5, "attempts": 4, "same_code": 1,
            "sides": {"baseline": {"revision": evil}, "candidate": {"server_name": evil}},
            "splits": {"all": {"cases": 3, "cases_paired": 3, "metrics": {evil: metric, "tool_calls": metric},
                               "flips": [{"case_id": evil, "direction": "lost"}], "stale": [evil]}},
            "rules": [{"metric": evil, "role": "guardrail", "verdict": "regression", "reason": evil, "cases": evil}],
            "tools_list": {"identical": False, "added": [evil]},
            "largest_result": {"baseline": {"tool": evil, "case_id": evil}, "candidate": {"tool": evil}},
        }
        (folder / "summary.json").write_text(json.dumps(summary))
        code, _ = self.comment()
        self.assertEqual(code, 0, self.said)
        sent = (self.folder / "sent.md").read_text().replace(MARKER, "")
        self.assertIn("@admin", sent)
        for line in sent.splitlines():
            outside = "".join(line.split("`")[::2])
            for part in ["@admin", "](", "<!--", "http://", "::error"]:
                self.assertNotIn(part, outside, line)

    def test_what_is_no_verdict_or_no_pull_request_ends_the_job(self):
        folder = self.folder / "artifacts/mcp-regress-verdict"
        folder.mkdir()
        good = {"format_version": 1, "verdict": "regression", "exit_code": 100, "splits": {"all": {"cases": 0}}}
        file = folder / "summary.json"
        for text in ["", "[]", "{}", "{" * 10_000, json.dumps({**good, "format_version": 2}), " " * 4_000_001,
                     json.dumps({**good, "splits": {"all": {"cases": 10**12}}})]:
            file.write_text(text)
            self.assertNotEqual(self.comment()[0], 0, text[:40])
            self.assertFalse((self.folder / "sent").exists(), text[:40])
        file.unlink()
        file.symlink_to("/etc/passwd")
        self.assertNotEqual(self.comment()[0], 0)
        file.unlink()
        file.write_text(json.dumps(good))
        for number in ["", "12\n13\n", "12; rm\n"]:
            self.assertNotEqual(self.comment(number)[0], 0, number)
            self.assertFalse((self.folder / "sent").exists(), number)
        self.assertEqual(self.comment()[0], 0, self.said)

    # GitLab

    def test_gitlab_in_four_parts(self):
        clone = self.repository("candidate", "baseline")
        whole = self.unsharded(clone)
        jobs = load("gitlab/mcp-regress.gitlab-ci.yml")
        measure, judge = jobs["mcp-regress-measure"], jobs["mcp-regress-judge"]
        before = jobs[".mcp-regress"]["before_script"]
        gitlab = {"GITLAB_CI": "true", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
        for index in range(1, measure["parallel"] + 1):
            script = "\n".join(before + measure["script"])
            done = self.bash(script, clone, CI_NODE_INDEX=index, CI_NODE_TOTAL=measure["parallel"], **gitlab)
            self.assertEqual(done.returncode, 0, done.stderr)
        done = self.bash("\n".join(before + judge["script"]), clone, CI_NODE_TOTAL=1, **gitlab)
        self.assertEqual(done.returncode, 100, done.stderr)
        self.assert_same(whole, next((clone / "results").glob("*/run.json")).parent)
        for path in ["comment.md", judge["artifacts"]["reports"]["junit"]]:
            self.assertTrue((clone / path).is_file(), path)
        JUNIT.validate(str(clone / "junit.xml"))

    # Kubernetes

    def test_kubernetes_pods(self):
        suite, runs = self.folder / "suite", self.folder / "runs"
        shutil.copytree(ROOT / "cases", suite)
        whole = self.bash("mcp-regress run --suite suite --out whole --quiet", self.folder)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        job = load("kubernetes/job.yaml")["spec"]
        pod = job["template"]["spec"]["containers"][0]
        env = {entry["name"]: entry["value"] for entry in pod["env"]}
        words = [word.replace("/suite", str(suite)).replace("/runs", str(runs)) for word in pod["command"] + pod["args"]]
        for index in range(job["completions"]):
            done = subprocess.run(words, env={**self.env, **env, "JOB_COMPLETION_INDEX": str(index)}, capture_output=True,
                                  text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
        pod = load("kubernetes/merge.yaml")["spec"]["template"]["spec"]["containers"][0]
        words = [word.replace("/runs", str(runs)) for word in pod["command"] + pod["args"]]
        done = subprocess.run(words, env=self.env, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = [next(folder.glob("*/run.json")).parent for folder in (self.folder / "whole", runs / "results")]
        self.assert_same(*found)


if __name__ == "__main__":
    unittest.main()

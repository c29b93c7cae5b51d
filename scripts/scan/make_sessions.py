#!/usr/bin/env python3
"""Sessions of Claude Code, made up: the same bytes for the same seed and size.

About one line in fifteen is of an MCP server, the others are of the client's own tools, of the agent, of
hooks and snapshots, as in sessions of code work. The server's reads walk documents by an offset that each page
offers; some results are refused and read from the file that they were saved in, some reads are repeated.

Usage: make_sessions.py FOLDER MEGABYTES [--seed 1] [--file-megabytes 20]
"""
import argparse
import json
import pathlib
import random

WORDS = (
    "the value of each record is read once and kept until its owner asks for more while others wait for a lock "
    "that nobody holds so tests pass and logs grow"
).split()
CODE = (
    'def read(path: str) -> bytes:\n    """Read it."""\n    with open(path, "rb") as file:\n        return file.read()\n',
    'fn main() -> Result<(), Error> {\n\tlet name = "x\\ty";\n\tprintln!("{name}");\n\tOk(())\n}\n',
    '{"id": 7, "name": "caf\u00e9", "tags": ["a", "b"], "path": "C:\\\\work"}\n',
    "| a | b |\n|---|---|\n| 1 | \u2192 2 |\n",
)


def prose(rng, words):
    return " ".join(rng.choice(WORDS) for _ in range(words))


def text_of(rng, size):
    parts, length = [], 0
    while length < size:
        part = rng.choice(CODE) if rng.random() < 0.6 else prose(rng, 24) + ".\n"
        parts.append(part)
        length += len(part)
    return "".join(parts)


class Pools:
    """Texts as they stand in JSON: made once, since a session repeats itself all the time."""

    def __init__(self, rng):
        quoted = lambda sizes: [json.dumps(text_of(rng, size), ensure_ascii=False) for size in sizes]
        self.small = quoted(rng.randint(80, 700) for _ in range(300))
        self.middle = quoted(rng.randint(1_000, 6_000) for _ in range(200))
        self.large = quoted(rng.randint(8_000, 28_000) for _ in range(60))

    def result(self, rng):
        draw = rng.random()
        pool = self.small if draw < 0.45 else self.middle if draw < 0.85 else self.large
        return rng.choice(pool)


class Session:
    def __init__(self, out, rng, pools, number):
        self.out, self.rng, self.pools = out, rng, pools
        self.name, self.records, self.calls, self.size = f"s-{number}", 0, 0, 0

    def write(self, kind, rest):
        self.records += 1
        uuid = f"{self.name}-{self.records}"
        line = (
            f'{{"parentUuid":"{self.name}-{self.records - 1}","isSidechain":false,"userType":"external","cwd":"/w/project",'
            f'"sessionId":"{self.name}","version":"2.1.212","gitBranch":"main","type":"{kind}","uuid":"{uuid}",'
            f'"timestamp":"2026-01-01T00:00:00.000Z",{rest}}}\n'
        )
        self.size += self.out.write(line.encode())

    def block(self, block):
        usage = '"usage":{"input_tokens":4,"cache_creation_input_tokens":900,"cache_read_input_tokens":12000,"output_tokens":60}'
        self.write(
            "assistant",
            f'"requestId":"req_{self.records}","message":{{"id":"msg_{self.name}_{self.records}","type":"message","role":"assistant",'
            f'"model":"model-x","content":[{block}],"stop_reason":null,{usage}}}',
        )

    def call(self, name, arguments):
        self.calls += 1
        call = f"toolu_{self.name}_{self.calls}"
        self.block(f'{{"type":"tool_use","id":"{call}","name":"{name}","input":{json.dumps(arguments)}}}')
        return call

    def answer(self, call, content, own, is_error=False):
        error = ',"is_error":true' if is_error else ""
        self.write(
            "user",
            f'"message":{{"role":"user","content":[{{"tool_use_id":"{call}","type":"tool_result","content":{content}{error}}}]}},'
            f'"toolUseResult":{own}',
        )

    def own_tool(self):
        rng, text = self.rng, self.pools.result(self.rng)
        if rng.random() < 0.5:
            path = f"/w/project/src/file_{rng.randint(1, 400)}.py"
            call = self.call("Read", {"file_path": path, "offset": rng.randint(1, 900), "limit": 200})
            own = f'{{"type":"text","file":{{"filePath":"{path}","content":{text},"numLines":200,"startLine":1,"totalLines":900}}}}'
        else:
            call = self.call("Bash", {"command": f"grep -rn word_{rng.randint(1, 99)} src | head -50", "description": "Look"})
            own = f'{{"stdout":{text},"stderr":"","interrupted":false,"isImage":false}}'
        self.answer(call, text, own)

    def word(self):
        draw = self.rng.random()
        if draw < 0.5:
            self.block(f'{{"type":"text","text":{self.rng.choice(self.pools.small)}}}')
        elif draw < 0.8:
            self.block(f'{{"type":"thinking","thinking":{self.rng.choice(self.pools.middle)},"signature":"{"c2ln" * 90}"}}')
        elif draw < 0.95:
            self.write("progress", f'"toolUseID":"x","data":{{"type":"bash_progress","output":{self.rng.choice(self.pools.small)}}}')
        else:
            self.out.write(b'{"type":"file-history-snapshot","messageId":"m","snapshot":{"trackedFileBackups":{}}}\n')

    def page(self, call, text, offset):
        document = {"text": text, "next": {"startOffset": offset} if offset else None}
        content = json.dumps([{"type": "text", "text": json.dumps(document)}])
        self.answer(call, content, content)

    def walk(self):
        """A document read page by page; now and then a page is asked for twice, refused, or an error."""
        rng, document = self.rng, f"doc-{self.rng.randint(1, 9_999)}-{self.calls}"
        for page in range(rng.randint(1, 4)):
            arguments = {"documentId": document, "limit": 3}
            if page:
                arguments["startOffset"] = 8_000 * page
            call = self.call("mcp__docs__read_document", arguments)
            draw = rng.random()
            if draw < 0.04:
                path = f"/h/.claude/projects/-w/{self.name}/tool-results/mcp-docs-read_document-{self.calls:013}.txt"
                notice = json.dumps(
                    f"Error: result ({54_205 + self.calls:,} characters across 1 line) exceeds maximum allowed tokens. "
                    f"Output has been saved to {path}.\nFormat: Plain text"
                )
                self.answer(call, notice, notice)
                spill = self.call("Read", {"file_path": path, "offset": 1, "limit": 200})
                self.answer(spill, self.pools.small[0], "null")
                return
            if draw < 0.07:
                self.answer(call, '"no such document"', '"Error: no such document"', is_error=True)
                return
            text = text_of(rng, rng.randint(2_000, 8_000))
            self.page(call, text, 8_000 * (page + 1))
            if draw < 0.1:
                again = self.call("mcp__docs__read_document", arguments)
                self.page(again, text, 8_000 * (page + 1))
                return

    def make(self, megabytes):
        while self.size < megabytes * 1_000_000:
            prompt = json.dumps(prose(self.rng, 30))
            self.write("user", f'"message":{{"role":"user","content":{prompt}}}')
            for _ in range(self.rng.randint(20, 60)):
                self.own_tool()
                if self.rng.random() < 0.7:
                    self.word()
                if self.rng.random() < 0.04:
                    self.walk()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("megabytes", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file-megabytes", type=int, default=20)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    pools = Pools(rng)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    left, number = arguments.megabytes, 0
    while left > 0:
        number += 1
        with open(arguments.folder / f"session-{number:04}.jsonl", "wb", buffering=1 << 20) as out:
            Session(out, rng, pools, number).make(min(left, arguments.file_megabytes))
        left -= arguments.file_megabytes


if __name__ == "__main__":
    main()

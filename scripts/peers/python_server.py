"""A server on the Python SDK: a paged document, a tool that asks the user, and one that fails.

    python_server.py stdio | streamable-http PORT | sse PORT
"""

import sys
from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.types import ToolAnnotations
from pydantic import BaseModel

READS = ToolAnnotations(read_only_hint=True)
DOCUMENT = "".join(f"line {number} of the document\n" for number in range(400))
server = MCPServer("python-peer", version="1.0")


@server.tool(annotations=READS, structured_output=False)
def read_document(offset: int = 0, length: int = 2000) -> str:
    """Reads a document from offset."""
    end = min(offset + length, len(DOCUMENT))
    more = f"\n\nCall read_document with an offset of {end} to read on." if end < len(DOCUMENT) else ""
    return DOCUMENT[offset:end] + more


class Name(BaseModel):
    name: str


async def ask_name(ctx: Context) -> Elicit[Name]:
    return Elicit("Whose document?", Name)


@server.tool(annotations=READS, structured_output=False)
def read_of_someone(name: Annotated[Name, Resolve(ask_name)]) -> str:
    """Reads the document of whom the user names."""
    return f"of {name.name}"


@server.tool(annotations=READS, structured_output=False)
def fail() -> str:
    """Fails."""
    raise ValueError("there is no such document")


transport = sys.argv[1]
if transport == "stdio":
    server.run()
else:
    server.run(transport=transport, host="127.0.0.1", port=int(sys.argv[2]))

"""The protocol's Python client on `flow mcp`: python mcp_client.py REVISION PROGRAM PROJECT. It prints what it saw as JSON."""

import asyncio
import json
import os
import sys
import warnings
from pathlib import Path

from mcp import Client, StdioServerParameters

warnings.simplefilter("ignore")
revision, program, project = sys.argv[1:]
STORY = "flow://stories/US-0014"
CALLS = {
    "get_record": {"collection": "stories", "id": "US-0014"},
    "list_records": {"collection": "messages", "limit": 3},
    "explain_record": {"id": "US-0014"},
    "describe_skill": {"name": "adr-template"},
    "run_skill": {"name": "status-report"},
}
PATIENCE = 20


def change():
    path = Path(project, "docs/09-agents/status.json")
    status = json.loads(path.read_text())
    status["stories"]["US-0014"]["status"] = "done"
    path.with_suffix(".new").write_text(json.dumps(status))
    path.with_suffix(".new").rename(path)


async def updated(client, notified):
    if revision == "2026-07-28":
        async with client.listen(resource_subscriptions=[STORY]) as events:
            change()
            async for event in events:
                return event.uri
    await client.subscribe_resource(STORY)
    change()
    return await notified.get()


async def main():
    notified = asyncio.Queue()

    async def note(message):
        if getattr(message, "method", "") == "notifications/resources/updated":
            await notified.put(str(message.params.uri))

    server = StdioServerParameters(command=program, args=["mcp", "--project", project], env=dict(os.environ))
    mode = "auto" if revision == "2026-07-28" else "legacy"
    async with Client(server, mode=mode, message_handler=note, read_timeout_seconds=PATIENCE) as client:
        assert client.protocol_version == revision, client.protocol_version
        tools = (await client.list_tools()).tools
        called = []
        for tool in tools:
            # The client holds what a tool gives against its schema.
            result = await client.call_tool(tool.name, CALLS.get(tool.name, {}))
            assert not result.is_error and result.structured_content, result
            called.append(tool.name)
        refused = await client.call_tool("list_records", {"collection": "tasks", "limit": 501})
        assert refused.is_error, refused
        resources = (await client.list_resources()).resources
        for resource in resources:
            json.loads((await client.read_resource(resource.uri)).contents[0].text)
        story = await client.read_resource(STORY)
        prompt = await client.get_prompt("status-report", {})
        seen = {
            "server": client.server_info.name,
            "tools": [tool.name for tool in tools],
            "called": called,
            "refused": refused.content[0].text.split(" (")[0],
            "resources": len(resources),
            "templates": len((await client.list_resource_templates()).resource_templates),
            "story": json.loads(story.contents[0].text)["id"],
            "prompts": len((await client.list_prompts()).prompts),
            "prompt": prompt.messages[0].content.text.splitlines()[0],
            "updated": str(await asyncio.wait_for(updated(client, notified), PATIENCE)),
        }
    print(json.dumps(seen))


asyncio.run(main())

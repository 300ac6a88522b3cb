// The protocol's TypeScript client on `flow mcp`: node mcp_client.mjs PROGRAM PROJECT. It prints what it saw as JSON.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const [program, project] = process.argv.slice(2);
const STORY = 'flow://stories/US-0014';
const CALLS = {
  get_record: { collection: 'stories', id: 'US-0014' },
  list_records: { collection: 'messages', limit: 3 },
  explain_record: { id: 'US-0014' },
  describe_skill: { name: 'adr-template' },
  run_skill: { name: 'status-report' },
};

function change() {
  const path = `${project}/docs/09-agents/status.json`;
  const status = JSON.parse(readFileSync(path, 'utf8'));
  status.stories['US-0014'].status = 'done';
  writeFileSync(`${path}.new`, JSON.stringify(status));
  renameSync(`${path}.new`, path);
}

const client = new Client({ name: 'test', version: '1' });
const args = ['mcp', '--project', project];
await client.connect(new StdioClientTransport({ command: program, args, env: { ...process.env } }));
const { tools } = await client.listTools();
const called = [];
for (const { name } of tools) {
  // The client holds what a tool gives against its schema.
  const result = await client.callTool({ name, arguments: CALLS[name] ?? {} });
  if (result.isError || !result.structuredContent) throw new Error(JSON.stringify(result));
  called.push(name);
}
const refused = await client.callTool({ name: 'list_records', arguments: { collection: 'tasks', limit: 501 } });
if (!refused.isError) throw new Error(JSON.stringify(refused));
const { resources } = await client.listResources();
for (const { uri } of resources) JSON.parse((await client.readResource({ uri })).contents[0].text);
const story = await client.readResource({ uri: STORY });
const prompt = await client.getPrompt({ name: 'status-report', arguments: {} });
const updated = new Promise((resolve) => {
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri));
});
await client.subscribeResource({ uri: STORY });
change();
console.log(
  JSON.stringify({
    server: client.getServerVersion().name,
    tools: tools.map(({ name }) => name),
    called,
    refused: refused.content[0].text.split(' (')[0],
    resources: resources.length,
    templates: (await client.listResourceTemplates()).resourceTemplates.length,
    story: JSON.parse(story.contents[0].text).id,
    prompts: (await client.listPrompts()).prompts.length,
    prompt: prompt.messages[0].content.text.split('\n')[0],
    updated: await updated,
  }),
);
await client.close();

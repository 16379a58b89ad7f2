import { useState } from 'preact/hooks';
import { BASE } from '../../api/request.ts';
import { Copyable } from '../../parts/copy.tsx';
import { Input } from '../../parts/form.tsx';
import { t } from '../keys.texts.ts';

/** A key, which is shown this once, and what to do with it. */
export function NewKey({ value, isAgent }: { readonly value: string; readonly isAgent: boolean }) {
  const [chosen, choose] = useState('mcp');
  const [sample, name] = t.samples.find(([each]) => each === chosen) ?? t.samples[0];
  return (
    <>
      <p>{t.once}</p>
      <Copyable text={value} label={t.created} />
      {isAgent && (
        <>
          <Input label={t.useIn} type="choice" onValue={choose} options={t.samples} />
          <Copyable text={SAMPLES[sample](value)} label={name} />
        </>
      )}
    </>
  );
}

const MCP_URL = new URL('mcp/', BASE).href;

const SAMPLES = {
  mcp: (key: string) => client({ type: 'http', url: MCP_URL, headers: { Authorization: `Bearer ${key}` } }),
  claudeCode: (key: string) =>
    `claude mcp add --transport http voice ${MCP_URL} --header "Authorization: Bearer ${key}"`,
  stdio: (key: string) =>
    client({
      command: 'npx',
      args: ['-y', 'mcp-remote', MCP_URL, '--header', `Authorization: Bearer ${key}`],
    }),
  curl: (key: string) =>
    `curl -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' \\\n  -d '{"platform":"sip","meeting_url":"+33123456789"}' ${new URL('api/call', BASE).href}`,
  javascript: (key: string) =>
    `const answer = await fetch('${new URL('api/calls', BASE).href}', {\n  headers: { 'X-API-Key': '${key}' },\n});\nconsole.log(await answer.json());`,
} as const;

/** The configuration of an MCP client, as most of them read it. */
function client(server: object): string {
  return JSON.stringify({ mcpServers: { voice: server } }, null, 2);
}

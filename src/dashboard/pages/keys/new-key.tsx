import { useSignal } from '@preact/signals';
import { BASE } from '../../api/request.ts';
import { Copyable } from '../../parts/copy.tsx';
import { Choice } from '../../parts/form.tsx';
import { texts } from '../../texts.ts';

const t = texts.keys;

/** A key, which is shown this once, and what to do with it. */
export function NewKey({ value, isAgent }: { readonly value: string; readonly isAgent: boolean }) {
  const chosen = useSignal('mcp');
  const sample = chosen.value as keyof typeof SAMPLES;
  return (
    <>
      <p>{t.once}</p>
      <Copyable text={value} label={t.created} />
      {isAgent && (
        <>
          <Choice
            label={t.useIn}
            of={chosen}
            options={Object.keys(SAMPLES).map((each) => [each, t.samples[each] ?? each] as const)}
          />
          <Copyable text={SAMPLES[sample](value)} label={t.samples[sample] ?? sample} />
        </>
      )}
    </>
  );
}

const MCP_URL = new URL('mcp/', BASE).href;

const SAMPLES = {
  mcp: (key: string) =>
    JSON.stringify(
      { mcpServers: { voice: { type: 'http', url: MCP_URL, headers: { Authorization: `Bearer ${key}` } } } },
      null,
      2,
    ),
  claudeCode: (key: string) =>
    `claude mcp add --transport http voice ${MCP_URL} --header "Authorization: Bearer ${key}"`,
  stdio: (key: string) =>
    JSON.stringify(
      {
        mcpServers: {
          voice: {
            command: 'npx',
            args: ['-y', 'mcp-remote', MCP_URL, '--header', `Authorization: Bearer ${key}`],
          },
        },
      },
      null,
      2,
    ),
  curl: (key: string) =>
    `curl -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' \\\n  -d '{"platform":"sip","meeting_url":"+33123456789"}' ${new URL('api/call', BASE).href}`,
  javascript: (key: string) =>
    `const answer = await fetch('${new URL('api/calls', BASE).href}', {\n  headers: { 'X-API-Key': '${key}' },\n});\nconsole.log(await answer.json());`,
} as const;

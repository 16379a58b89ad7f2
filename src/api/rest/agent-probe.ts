import * as z from 'zod';
import type { AgentProbes, ProbeStatus } from '../../accounts/keys/agent-probes.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { named } from '../schema/fields.ts';

const TestAgentStartBody = named('TestAgentStart', {
  key_ids: z.array(z.string()).max(1_000).optional().describe('Agent keys to test. Default: all'),
}).nullish();

const Signals = z.object({
  mcp_session: z.boolean().describe('Whether an MCP stream is open with the key'),
  call_streams: z.int().describe('Number of call and inbox WebSockets open with the key'),
  last_used_at: z.string().nullable().describe('Last use of the key, to the minute'),
});

const WatchedKey = named('WatchedKey', {
  id: z.string(),
  key_prefix: z.string(),
  name: z.string(),
  replied: z.boolean().describe('Whether the key answered the message of the probe within 30 s'),
  verdict: z
    .enum(['replied', 'connected_but_silent', 'key_used_recently', 'not_connected'])
    .nullable()
    .describe('Null while the key may still reply'),
  signals: Signals.nullable().describe('Null until the probe is done'),
});

export const AgentProbe = named('AgentProbe', {
  probe_id: z.string(),
  started_at: z.string(),
  deadline_at: z.string().describe('30 s after the start'),
  done: z.boolean().describe('Whether all keys have replied or the time is up'),
  keys: z.array(WatchedKey),
});

const config = resource('config', 'Keys');

/** Routes that test whether the agents behind the account's keys answer. */
export function agentProbeRoutes(probes: AgentProbes): Route[] {
  return [
    config.post('/api/keys/test-agent/start', {
      operationId: 'startAgentProbe',
      summary: 'Test whether the agents answer',
      description:
        'Sends a `dm_chat` (platform `agent`, from `Gateway test`) to every agent with a key and waits 30 s for answers. A key that answers has `replied`. For the others, the result says which have an open WebSocket or MCP stream and which were used recently. A new probe replaces the previous one.',
      body: TestAgentStartBody,
      responses: { 200: { description: 'The probe and the keys it watches', schema: AgentProbe } },
      handler: async ({ principal, body }) =>
        reply(200, wireOf(await probes.start(principal.accountId, body?.key_ids ?? null))),
    }),
    config.get('/api/keys/test-agent/status', {
      operationId: 'getAgentProbe',
      summary: 'Get the state of the latest probe',
      description: 'Poll until `done` is true.',
      responses: { 200: { description: 'The probe', schema: AgentProbe } },
      fails: ['probe_not_found'],
      handler: async ({ principal }) => reply(200, wireOf(await probes.status(principal.accountId))),
    }),
  ];
}

function wireOf(probe: ProbeStatus): z.output<typeof AgentProbe> {
  return {
    probe_id: probe.probeId,
    started_at: probe.startedAt,
    deadline_at: probe.deadlineAt,
    done: probe.isDone,
    keys: probe.keys.map(({ id, keyPrefix, name, replied, verdict, ...seen }) => ({
      id,
      key_prefix: keyPrefix,
      name,
      replied,
      verdict,
      signals: probe.isDone
        ? {
            mcp_session: seen.isInMcp,
            call_streams: seen.openStreams,
            last_used_at: seen.lastUsedAt,
          }
        : null,
    })),
  };
}

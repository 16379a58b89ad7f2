import * as z from 'zod';

export const TestAgentStartBody = z
  .object({
    key_ids: z.array(z.string()).max(1_000).optional().describe('Agent keys to test. Default: all'),
  })
  .meta({ id: 'TestAgentStart' })
  .nullish();

const Signals = z.object({
  mcp_session: z.boolean().describe('Whether an MCP stream is open with the key'),
  call_streams: z.int().describe('Number of call and inbox WebSockets open with the key'),
  last_used_at: z.string().nullable().describe('Last use of the key, to the minute'),
});

const WatchedKey = z
  .object({
    id: z.string(),
    key_prefix: z.string(),
    name: z.string(),
    replied: z.boolean().describe('Whether the key answered the message of the probe within 30 s'),
    verdict: z
      .enum(['replied', 'connected_but_silent', 'key_used_recently', 'not_connected'])
      .nullable()
      .describe('Null while the key may still reply'),
    signals: Signals.nullable().describe('Null until the probe is done'),
  })
  .meta({ id: 'WatchedKey' });

export const AgentProbe = z
  .object({
    probe_id: z.string(),
    started_at: z.string(),
    deadline_at: z.string().describe('30 s after the start'),
    done: z.boolean().describe('Whether all keys have replied or the time is up'),
    keys: z.array(WatchedKey),
  })
  .meta({ id: 'AgentProbe' });

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { type Description, KNOWN_ID, misfit, requestsTo } from '../support/openapi-fuzz.ts';

const REQUESTS = 2_000;
const AT_ONCE = 20;
const FRAMES = 2_000;
/** 502, 503 and 504 tell of others' faults; an operation must describe them. */
const OWN_FAULTS = new Set([500, 501, 505]);

const EVENTS = new Set(['call_state', 'call_error', 'audio_config', 'mark', 'cleared', 'dtmf']);

type Answer = { readonly call_id?: string; readonly did_id?: string; readonly detail?: unknown } | null;

let pair: GatewayPair;

beforeAll(async () => {
  pair = await GatewayPair.start();
});
afterAll(() => pair?.stop());

it('survives any frame on a live call, and answers in words of the specification', async () => {
  const { outbound } = await pair.connect();
  const agent = await Agent.connect(outbound.audio.stream_url, pair.caller.agentKey, 8_000);
  for (const frame of fc.sample(frames, { numRuns: FRAMES, seed: 1 })) agent.sendRaw(frame);
  agent.send({ type: 'audio_config', sample_rate: 12_345 });
  await agent.waitFor('audio_config', { sample_rate: 12_345 }, 10_000);
  expect(agent.events.filter(({ type }) => !EVENTS.has(type))).toEqual([]);
  expect(new Set(agent.events.map(({ code }) => code))).toContain('invalid_audio');
  expect((await pair.caller.agentApi.get(`/api/call/${outbound.call_id}`)).body.state).toBe('active');
  await agent.close();
}, 30_000);

it('answers any request as its description says, whatever the key', async () => {
  const gateway = pair.caller;
  const description = (await gateway.api(null).get('/openapi.json')).body as Description;
  const { outbound } = await pair.connect();
  const ids = { call: [outbound.call_id as string], did: ['did_none'] };
  const { agentKey, settingsKey } = gateway;
  const keys = [agentKey, agentKey, agentKey, settingsKey, settingsKey, null, 'svc_wrong'];
  const request = requestsTo(description);
  const samples = fc.sample(fc.tuple(request, fc.constantFrom(...keys)), { numRuns: REQUESTS, seed: 2 });
  const wrong: unknown[] = [];
  const statuses = new Set<number>();
  const ask = async ([asked, key]: (typeof samples)[number]): Promise<void> => {
    const known = asked.path.includes('did') ? ids.did : ids.call;
    const url = asked.url.replace(KNOWN_ID, known.at(-1)!);
    const answer = await fetch(`${gateway.baseUrl}${url}`, {
      method: asked.method.toUpperCase(),
      headers: key === null ? {} : { 'X-API-Key': key },
      ...(asked.body === undefined ? {} : { body: asked.body }),
    });
    const isJson = answer.headers.get('content-type') === 'application/json';
    const body = isJson ? ((await answer.json()) as Answer) : null;
    statuses.add(answer.status);
    if (body?.call_id) ids.call.push(body.call_id);
    if (body?.did_id) ids.did.push(body.did_id);
    // A path that is not valid, or that a dot segment makes another one, has no operation.
    const isPathless = answer.status === 404 || answer.status === 405;
    const fault = isPathless ? errorless(body) : misfit(description, asked, answer.status, body);
    if (fault !== null || OWN_FAULTS.has(answer.status))
      wrong.push({ asked, status: answer.status, body, fault });
  };
  while (samples.length > 0) await Promise.all(samples.splice(0, AT_ONCE).map(ask));
  expect(wrong.slice(0, 5)).toEqual([]);
  expect([...statuses]).toEqual(expect.arrayContaining([200, 202, 400, 401, 403, 404, 409, 422]));
  expect((await gateway.api(null).get('/readyz')).status).toBe(200);
  expect(gateway.output).not.toContain('"fatal"');
}, 60_000);

function errorless(body: Answer): string | null {
  return typeof body?.detail === 'string' ? null : 'an error without its detail';
}

const json = fc
  .oneof(
    fc.record(
      {
        type: fc.constantFrom('audio', 'audio_config', 'clear', 'mark', 'say', 'send_chat', 'call_state', 5),
        audio: fc.oneof(fc.base64String(), fc.string()),
        sample_rate: fc.oneof(fc.integer({ min: 7_000, max: 49_000 }), fc.jsonValue()),
        receive: fc.oneof(fc.boolean(), fc.jsonValue()),
        name: fc.oneof(fc.string(), fc.jsonValue()),
        text: fc.oneof(fc.string(), fc.jsonValue()),
      },
      { requiredKeys: [] },
    ),
    fc.jsonValue(),
  )
  .map((value) => JSON.stringify(value));

const frames = fc.oneof(json, fc.string(), fc.uint8Array({ maxLength: 2_000 }));

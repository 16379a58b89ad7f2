import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import type { Gateway } from '../support/gateway.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { startMediaClock } from '../support/media-clock.ts';
import { memberOf } from '../support/member.ts';
import { type Description, Fit, KNOWN, requestsTo } from '../support/openapi-fuzz.ts';
import type { Person } from '../support/person.ts';
import { waitFor } from '../support/wait-for.ts';

const REQUESTS = 10_000;
const AT_ONCE = 20;
const FRAMES = 2_000;
/** Each 20 ms. Faster, the gateway would close the WebSocket: what is invalid costs the most of a socket's budget. */
const FRAMES_AT_ONCE = 20;
/** 502, 503 and 504 report faults of others; an operation must describe them. */
const OWN_FAULTS = new Set([500, 501, 505]);

/** Signing out ends the session, and signing in as another person replaces it. */
const ENDS_SESSION = new Set(['/auth/logout', '/auth/login']);
const EVENTS = new Set(['call_state', 'call_error', 'audio_config', 'mark', 'cleared', 'dtmf']);

let pair: GatewayPair;

beforeAll(async () => {
  pair = await GatewayPair.start({ caller: { env: { SVC_SIGNUP: 'open', SVC_LOGIN_ATTEMPTS: '1000000' } } });
});
afterAll(() => pair?.stop());

it('a live call survives any frame, and answers only with specified events', async () => {
  const { outbound } = await pair.connect();
  const agent = await Agent.connect(outbound.audio.stream_url, pair.caller.agentKey, 8_000);
  await sendInTime(agent, fc.sample(frames, { numRuns: FRAMES, seed: 1 }));
  agent.send({ type: 'audio_config', sample_rate: 12_345 });
  await agent.waitFor('audio_config', { sample_rate: 12_345 });
  expect(agent.events.filter(({ type }) => !EVENTS.has(type))).toEqual([]);
  expect(new Set(agent.events.map(({ code }) => code))).toContain('invalid_audio');
  expect((await pair.caller.agentApi.get(`/api/call/${outbound.call_id}`)).body.state).toBe('active');
  await agent.close();
});

it('every answer matches the OpenAPI description, whatever the request and credential', async () => {
  const gateway = pair.caller;
  const description = (await gateway.api(null).get('/openapi.json')).body as Description;
  const person = await memberOf(gateway, 'fuzzer@example.com');
  const known = new KnownIds(await ownKeys(gateway));
  known.learn((await pair.connect()).outbound);
  const samples = fc.sample(fc.tuple(requestsTo(description), credentials(gateway, person)), {
    numRuns: REQUESTS,
    seed: 2,
  });
  const wrong: unknown[] = [];
  const statuses = new Map<number, number>();
  const fit = new Fit(description);
  const ask = async ([asked, headers]: (typeof samples)[number]): Promise<void> => {
    const isEnd = ENDS_SESSION.has(asked.path);
    const answer = await fetch(`${gateway.baseUrl}${known.fill(asked.url)}`, {
      method: asked.method.toUpperCase(),
      redirect: 'manual',
      headers: isEnd ? {} : headers,
      ...(asked.body === undefined ? {} : { body: asked.body }),
    });
    const text = await answer.text();
    const contentType = (answer.headers.get('content-type') ?? '').split(';')[0]!;
    const body = contentType === 'application/json' ? JSON.parse(text) : null;
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (asked.method === 'post' && answer.ok) known.learn(body);
    // A path that is not valid, or that a dot segment makes another one, has no operation.
    const isPathless = answer.status === 404 || answer.status === 405;
    const { status } = answer;
    const fault = isPathless ? errorless(body) : fit.misfit(asked, { status, contentType, body });
    if (fault !== null || OWN_FAULTS.has(status)) wrong.push({ asked, status, body, fault });
  };
  while (samples.length > 0) await Promise.all(samples.splice(0, AT_ONCE).map(ask));
  console.log(
    `fuzz: ${REQUESTS} requests, answers by status: ${JSON.stringify(Object.fromEntries(statuses))}`,
  );
  expect(wrong.slice(0, 5)).toEqual([]);
  const common = [200, 202, 400, 401, 403, 404, 409, 422];
  expect([...statuses.keys()]).toEqual(expect.arrayContaining(common));
  expect((await gateway.api(null).get('/readyz')).status).toBe(200);
  expect(gateway.output).not.toMatch(/"fatal"|unhandled rejection|uncaught exception/);
  // Had a request revoked the credentials, all later ones would only have been refused.
  for (const headers of [{ Cookie: person.cookie! }, { 'X-API-Key': gateway.settingsKey }]) {
    expect((await fetch(`${gateway.baseUrl}/api/agents`, { headers })).status).toBe(200);
  }
  expect((await gateway.agentApi.get('/api/calls')).status).toBe(200);
}, 300_000);

async function sendInTime(agent: Agent, waiting: (string | Uint8Array)[]): Promise<void> {
  const clock = startMediaClock(() => {
    for (const frame of waiting.splice(0, FRAMES_AT_ONCE)) agent.sendRaw(frame);
  });
  await waitFor('all frames to be sent', () => waiting.length === 0);
  clock.stop();
}

/** Every kind of credential, valid ones more often. */
function credentials({ agentKey, settingsKey }: Gateway, person: Person) {
  const key = (text: string) => ({ 'X-API-Key': text });
  const headers = { Cookie: person.cookie! };
  const right = [headers, headers, headers, key(agentKey), key(agentKey), key(settingsKey), key(settingsKey)];
  return fc.constantFrom<Readonly<Record<string, string>>>(...right, {}, key('svc_wrong'), {
    Cookie: 'svc_session=wrong',
  });
}

/** The keys that the requests come with, which the requests must not revoke. */
async function ownKeys({ settingsApi }: Gateway): Promise<string> {
  const lists = [await settingsApi.get('/api/api-keys'), await settingsApi.get('/api/settings-keys')];
  return JSON.stringify(lists.map(({ body }) => body));
}

const ID = /^(agt|key|call|did|bot|con|idn|dlv|prb|fbk)_[\w-]{20}$/;
/** Which kind of id stands where in a path; a path's plain `{id}` is a delivery's. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  agent_id: ['agt'],
  key_id: ['key'],
  call_id: ['call'],
  did_id: ['did'],
  bot_id: ['bot'],
  connection_id: ['con'],
  identity_id: ['idn'],
  account_id: ['did', 'bot', 'con'],
  conversation_id: ['cnv'],
  id: ['dlv'],
};

/** Ids of what the requests so far have made, for those that come after. */
class KnownIds {
  readonly #byKind = new Map<string, string[]>();
  readonly #avoided: string;

  /** `avoided`: a text with the ids that no request shall be about. */
  constructor(avoided: string) {
    this.#avoided = avoided;
  }

  learn(answer: unknown): void {
    if (typeof answer === 'string') {
      const kind = ID.exec(answer)?.[1];
      if (kind !== undefined && !this.#avoided.includes(answer))
        this.#byKind.set(kind, [...(this.#byKind.get(kind) ?? []).slice(-50), answer]);
    } else if (typeof answer === 'object' && answer !== null) {
      for (const value of Object.values(answer)) this.learn(value);
    }
  }

  fill(url: string): string {
    return url.replace(KNOWN, (_, name: string) => {
      const ids = (KINDS[name] ?? []).flatMap((kind) => this.#byKind.get(kind) ?? []);
      return ids[Math.floor(ids.length / 2)] ?? `${KINDS[name]?.[0] ?? 'x'}_none`;
    });
  }
}

function errorless(body: { readonly detail?: unknown; readonly code?: unknown } | null): string | null {
  const isWhole = typeof body?.detail === 'string' && typeof body.code === 'string';
  return isWhole ? null : 'an error without its detail or its code';
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

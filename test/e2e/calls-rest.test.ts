import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import type { Gateway } from '../support/gateway.ts';
import { readGatewayRows } from '../support/gateway-database.ts';
import { GatewayPair, type ShownCall } from '../support/gateway-pair.ts';
import { waitFor } from '../support/wait-for.ts';

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('a call between two gateways', () => {
  let pair: GatewayPair;

  beforeAll(async () => {
    pair = await GatewayPair.start({ caller: { env: { SVC_MAX_CALLS_PER_ACCOUNT: '2' } } });
  });
  afterAll(() => pair?.stop());

  const caller = () => pair.caller.agentApi;
  const callee = () => pair.callee.agentApi;
  const isGoneAtCaller = (call: ShownCall) =>
    waitFor(
      'the caller to see the end',
      async () => (await caller().get(`/api/call/${call.call_id}`)).status === 404,
    );
  /** The record of a call that ended in this state. */
  const overAs = (gateway: Gateway, call: ShownCall, state: string) =>
    readGatewayRows<{ result: string; reason: string }>(
      gateway.dataFolder,
      `select termination_result as result, termination_reason as reason from calls
       where call_id = ? and state = ? and ended_at is not null`,
      call.call_id,
      state,
    )[0];
  /** The events of a call on the account's feed, oldest first. */
  const feedOf = (gateway: Gateway, call: ShownCall) =>
    readGatewayRows<{ type: string; payload: string }>(
      gateway.dataFolder,
      'select type, payload from events order by id',
    )
      .map(({ type, payload }) => ({ type, payload: JSON.parse(payload) }))
      .filter(({ payload }) => payload.call_id === call.call_id);

  it('shows every field in the first answer and in later ones', async () => {
    const number = await pair.listNumber(true);
    const url = pair.uriOf(number);
    const answer = await caller().post('/api/call', { platform: 'sip', meeting_url: url, agent_name: 'Ada' });
    const streamUrl = `${pair.caller.baseUrl.replace('http', 'ws')}/api/call/${answer.body.call_id}/stream`;
    const created = {
      call_id: expect.stringMatching(/^call_/),
      room_id: expect.stringMatching(/^room_/),
      participant_id: expect.stringMatching(/^part_/),
      text_ws_url: streamUrl,
      state: 'connecting',
      capabilities: ['audio_in', 'audio_out'],
      platform: 'sip',
      meeting_url: url,
      agent_name: 'Ada',
      audio: {
        sample_rate: 8000,
        format: 'pcm_s16le',
        channels: 1,
        frame_duration_ms: 20,
        frame_bytes: 320,
        stream_url: streamUrl,
        direction: 'bidirectional',
      },
    };
    expect([answer.status, answer.body]).toEqual([200, created]);

    const id = answer.body.call_id;
    await pair.caller.waitForState(id, 'active');
    const call = {
      ...answer.body,
      state: 'active',
      direction: 'outbound',
      caller: '',
      created_at: expect.stringMatching(ISO_TIME),
      ended_at: null,
      termination: null,
    };
    const status = { ...call, transcript: [], transcript_length: 0 };
    expect((await caller().get(`/api/call/${id}`)).body).toEqual(status);
    expect((await caller().get(`/api/call/${id}?since=7`)).body).toEqual(status);
    expect((await caller().get('/api/calls')).body).toEqual({ calls: [call] });

    const hungUp = await caller().delete(`/api/call/${id}`);
    const ended = {
      ...call,
      state: 'ended',
      ended_at: expect.stringMatching(ISO_TIME),
      termination: { result: 'completed', reason: 'hung up by the agent' },
    };
    expect([hungUp.status, hungUp.body]).toEqual([202, ended]);
    expect((await caller().get('/api/calls')).body).toEqual({ calls: [] });
  });

  it('rejects an invalid since parameter', async () => {
    for (const since of ['-1', 'x', '1.5']) {
      const { status, body } = await caller().get(`/api/call/call_1?since=${since}`);
      expect([since, status, body.detail[0].loc]).toEqual([since, 422, ['query', 'since']]);
    }
  });

  it('answers 404 on every route after it has ended', async () => {
    const calls = await pair.connect();
    await pair.hangUp(calls);
    const path = `/api/call/${calls.outbound.call_id}`;
    const answers = await Promise.all([
      caller().get(path),
      caller().delete(path),
      caller().get(`${path}/audio`),
      caller().post(`${path}/accept`),
      caller().post(`${path}/answer`),
      caller().post(`${path}/refuse`),
      caller().post(`${path}/say`, { text: 'hello' }),
      caller().post(`${path}/stop-speaking`),
      caller().post(`${path}/chat`, { text: 'hello' }),
      caller().post(`${path}/typing`),
      caller().post(`${path}/dtmf`, { digits: '1' }),
    ]);
    for (const { status, body } of answers)
      expect([status, body]).toEqual([404, { detail: 'Call not found', code: 'call_not_found' }]);
    const termination = await waitFor('the record', () => overAs(pair.caller, calls.outbound, 'ended'));
    expect(termination.result).toBe('completed');
  });

  it('rejects what SIP or an account without presets cannot do', async () => {
    const calls = await pair.connect();
    const path = `/api/call/${calls.outbound.call_id}`;
    const post = async (verb: string, body?: unknown) => {
      const answer = await caller().post(`${path}/${verb}`, body);
      return [answer.status, answer.body];
    };
    expect(await post('say', { text: 'hello' })).toEqual([
      400,
      { detail: 'Hosted TTS not configured', code: 'tts_not_configured' },
    ]);
    expect((await post('say', {}))[0]).toBe(422);
    expect(await post('stop-speaking')).toEqual([200, { status: 'ok' }]);
    const noChat = {
      detail: "The sip platform has no chat (capability 'write')",
      code: 'capability_missing',
    };
    expect(await post('chat', { text: 'hello', sender_name: 'Ada' })).toEqual([400, noChat]);
    expect((await post('chat', {}))[0]).toBe(422);
    expect((await post('chat', { text: 'x'.repeat(10_001) }))[0]).toBe(422);
    const noTyping = {
      detail: "The sip platform has no typing indicators (capability 'typing')",
      code: 'capability_missing',
    };
    expect(await post('typing')).toEqual([400, noTyping]);
    expect(await post('accept')).toEqual([409, { detail: 'Call is not ringing', code: 'call_not_ringing' }]);
    expect(await post('answer')).toEqual([409, { detail: 'Call is not ringing', code: 'call_not_ringing' }]);
    expect(await post('refuse')).toEqual([409, { detail: 'Call is not ringing', code: 'call_not_ringing' }]);
    await pair.hangUp(calls);
  });

  it('tells the delay of its audio', async () => {
    const calls = await pair.connect();
    const path = `/api/call/${calls.outbound.call_id}/audio`;
    const { received, sent } = await waitFor('the stream to be received', async () => {
      const { status, body } = await caller().get(path);
      expect(status).toBe(200);
      return body.received.delay_ms > 0 && body;
    });
    expect(received.delay_ms).toBeGreaterThanOrEqual(20);
    expect(received.delay_ms).toBeLessThanOrEqual(200);
    expect(sent).toEqual({ level: 0, delay_ms: 0, underruns: 0, shortened_ms: 0, lengthened_ms: 0 });
    await pair.hangUp(calls);
  });

  it('sends DTMF digits, which arrive at the far end as events', async () => {
    const calls = await pair.connect();
    const far = await Agent.connect(calls.inbound.audio.stream_url, pair.callee.agentKey, 8000);
    const path = `/api/call/${calls.outbound.call_id}/dtmf`;
    const sent = await caller().post(path, { digits: '19*#0' });
    expect([sent.status, sent.body]).toEqual([200, { status: 'ok' }]);
    for (const digit of '19*#0') await far.waitFor('dtmf', { digit });
    expect(far.events.filter(({ type }) => type === 'dtmf')).toHaveLength(5);
    for (const digits of ['', '12x', '1'.repeat(65)])
      expect((await caller().post(path, { digits })).status).toBe(422);
    await pair.hangUp(calls);
    await far.closed;
  });

  it('reports digits as sent when the far end hangs up on the last one', async () => {
    for (const digits of ['5', '1#']) {
      const calls = await pair.connect();
      const far = await Agent.connect(calls.inbound.audio.stream_url, pair.callee.agentKey, 8000);
      const path = `/api/call/${calls.outbound.call_id}`;
      const sent = caller().post(`${path}/dtmf`, { digits });
      await far.waitFor('dtmf', { digit: digits.at(-1) });
      await callee().delete(`/api/call/${calls.inbound.call_id}`);
      const { status, body } = await sent;
      expect([status, body]).toEqual([200, { status: 'ok' }]);
      await isGoneAtCaller(calls.outbound);
    }
  });

  it('rings with an invitation on the feed and is then accepted', async () => {
    const calls = await pair.ring();
    const { call_id: id } = calls.inbound;
    expect(calls.inbound).toMatchObject({
      direction: 'inbound',
      state: 'ringing',
      caller: 'trunk',
      ended_at: null,
    });
    const invite = await waitFor('an invitation', () => feedOf(pair.callee, calls.inbound)[0]);
    expect(invite).toMatchObject({
      type: 'call_invite',
      payload: { call_id: id, platform: 'sip', state: 'ringing', caller: 'trunk' },
    });
    expect((await caller().get(`/api/call/${calls.outbound.call_id}`)).body.state).toBe('connecting');
    expect((await caller().post(`/api/call/${calls.outbound.call_id}/dtmf`, { digits: '1' })).body).toEqual({
      detail: 'Call is not active',
      code: 'call_not_active',
    });
    const early = await caller().get(`/api/call/${calls.outbound.call_id}/audio`);
    expect([early.status, early.body]).toEqual([
      409,
      { detail: 'Call is not active', code: 'call_not_active' },
    ]);

    const accepted = await callee().post(`/api/call/${id}/accept`);
    expect([accepted.status, accepted.body.state]).toEqual([200, 'active']);
    await pair.caller.waitForState(calls.outbound.call_id, 'active');
    await pair.hangUp(calls);
    await waitFor('the end on the feed', () => feedOf(pair.callee, calls.inbound).length >= 3);
    const told = feedOf(pair.callee, calls.inbound).map(({ type, payload }) => [type, payload.state]);
    expect(told).toEqual([
      ['call_invite', 'ringing'],
      ['call_state', 'active'],
      ['call_state', 'ended'],
    ]);
  });

  it('is accepted through the older /answer route', async () => {
    const calls = await pair.ring();
    const answered = await callee().post(`/api/call/${calls.inbound.call_id}/answer`);
    expect([answered.status, answered.body.state]).toEqual([200, 'active']);
    const ended = await callee().delete(`/api/call/${calls.inbound.call_id}`);
    expect([ended.status, ended.body.state]).toEqual([202, 'ended']);
    await isGoneAtCaller(calls.outbound);
  });

  it('rings and is refused', async () => {
    const calls = await pair.ring();
    const path = `/api/call/${calls.inbound.call_id}`;
    const refused = await callee().post(`${path}/refuse`);
    expect([refused.status, refused.body.state]).toEqual([200, 'refused']);
    expect(refused.body.ended_at).toMatch(ISO_TIME);
    expect((await callee().post(`${path}/accept`)).status).toBe(404);
    await pair.caller.waitForState(calls.outbound.call_id, 'disconnected');
    const atCaller = await waitFor('the record', () => overAs(pair.caller, calls.outbound, 'disconnected'));
    expect(atCaller.result).toBe('refused');
    await waitFor('the record', () => overAs(pair.callee, calls.inbound, 'refused'));
    expect((await callee().get(path)).body).toMatchObject({ state: 'refused', transcript: [] });
  });

  it('is missed when the caller gives up while it rings', async () => {
    const calls = await pair.ring();
    await caller().delete(`/api/call/${calls.outbound.call_id}`);
    await pair.callee.waitForState(calls.inbound.call_id, 'missed');
    await waitFor('the record', () => overAs(pair.callee, calls.inbound, 'missed'));
  });

  it('is answered without an invitation when the number is set to auto-answer', async () => {
    const calls = await pair.connect();
    const told = feedOf(pair.callee, calls.inbound);
    expect(told.map(({ type }) => type)).not.toContain('call_invite');
    await pair.hangUp(calls);
  });

  it('does not reach a number that is not listed', async () => {
    const call = await pair.caller.placeCall(pair.uriOf('+33999999999'));
    await pair.caller.waitForState(call.call_id, 'disconnected');
    const { result, reason } = await waitFor('the record', () => overAs(pair.caller, call, 'disconnected'));
    expect(result).toBe('failed');
    expect(reason).toContain('404');
    expect((await callee().get('/api/calls')).body).toEqual({ calls: [] });
  });

  it('counts against the limit until it ends', async () => {
    const first = await pair.connect();
    const second = await pair.ring();
    const request = { platform: 'sip', meeting_url: pair.uriOf('+33100000001') };
    const third = await caller().post('/api/call', request);
    expect([third.status, third.body]).toEqual([
      429,
      { detail: 'Concurrent call limit reached', code: 'call_limit' },
    ]);
    await pair.hangUp(second);
    const again = await pair.connect();
    await pair.hangUp(again);
    await pair.hangUp(first);
  });

  it('is rejected as busy above the limit of concurrent calls', async () => {
    const held = [await pair.connect(), await pair.connect()];
    const number = '+33177777777';
    await pair.caller.settingsApi.post('/api/sip/dids', { number, auto_answer: true });
    const url = `sip:${number}@127.0.0.1:${pair.caller.sipPort}`;
    const call = await pair.callee.placeCall(url);
    const { result } = await waitFor('the record', () => overAs(pair.callee, call, 'disconnected'));
    expect(result).toBe('busy');
    for (const calls of held) await pair.hangUp(calls);
  });

  it.each(['+0123456789', '+331234', '+3312345678901234', 'sip:+33123456789@x', ''])(
    'rejects the number "%s"',
    async (number) => {
      const { status, body } = await pair.callee.settingsApi.post('/api/sip/dids', { number });
      expect([status, body.detail[0].loc]).toEqual([422, ['body', 'number']]);
    },
  );

  it('appears in the OpenAPI description with all routes of calls and trunks', async () => {
    const { status, body } = await pair.caller.api(null).get('/openapi.json');
    expect(status).toBe(200);
    expect([body.openapi, body.info.title, body.info.version]).toEqual([
      '3.1.0',
      'Voice and Chat Gateway',
      '0.1.0',
    ]);
    const described = Object.entries<object>(body.paths)
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
      .sort();
    expect(described).toEqual(
      expect.arrayContaining([
        'delete /api/call/{call_id}',
        'delete /api/sip/dids/{did_id}',
        'delete /api/sip/trunk',
        'get /api/call/{call_id}',
        'get /api/call/{call_id}/audio',
        'get /api/calls',
        'get /api/sip/dids',
        'get /api/sip/trunk',
        'get /healthz',
        'get /metrics',
        'get /openapi.json',
        'get /readyz',
        'patch /api/sip/dids/{did_id}',
        'post /api/call',
        'post /api/call/{call_id}/accept',
        'post /api/call/{call_id}/answer',
        'post /api/call/{call_id}/chat',
        'post /api/call/{call_id}/dtmf',
        'post /api/call/{call_id}/refuse',
        'post /api/call/{call_id}/say',
        'post /api/call/{call_id}/stop-speaking',
        'post /api/call/{call_id}/typing',
        'post /api/sip/dids',
        'put /api/sip/trunk',
      ]),
    );
  });

  it('is counted in metrics that Prometheus can read', async () => {
    const { headers, body } = await pair.caller.api(null).get('/metrics');
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const sample = /^[a-zA-Z_:][\w:]*(\{(\w+="(\\.|[^"\\])*",?)*\})? (-?[\d.]+(e[+-]?\d+)?|[+-]Inf|NaN)$/;
    const lines = `${body}`.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.length).toBeGreaterThan(50);
    for (const line of lines) expect(line).toMatch(sample);
    expect(await pair.caller.metric('svc_calls_started_total')).toBeGreaterThan(5);
    expect(await pair.caller.metric('svc_engine_ticks_total')).toBeGreaterThan(50);
    expect(await pair.caller.metric('svc_calls')).toBe(0);
  });
});

import { expect, test } from 'vitest';
import { callRoutes } from '../../../../src/api/rest/calls.ts';
import type { ChatOutcome } from '../../../../src/connectors/contract/call-leg.ts';
import type { FileDomain } from '../../../../src/files/file-domain.ts';
import { GatewayApi } from '../../../support/gateway-api.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { served } from '../served.ts';
import { CALL_LIMIT } from './fake-calls.ts';
import { ToolWorld } from './tool-world.ts';

const PHONE = { platform: 'sip', meeting_url: 'sip:+331@127.0.0.1' };
const NOT_FOUND = '404 Call not found';

test('an agent calls, follows the call, and hangs up', async () => {
  const world = await ToolWorld.open();
  const joined = await world.ask('svc_call_join', { ...PHONE, agent_name: 'Ada' });
  const { call_id } = joined;
  expect(joined).toMatchObject({
    state: 'connecting',
    platform: 'sip',
    agent_name: 'Ada',
    capabilities: ['audio_in', 'audio_out'],
    audio: {
      sample_rate: 8_000,
      frame_bytes: 320,
      stream_url: `wss://gateway.example/api/call/${call_id}/stream`,
    },
  });
  expect(world.calls.dialled).toMatchObject([{ target: PHONE.meeting_url, agentName: 'Ada' }]);
  world.calls.legs.get(PHONE.meeting_url)!.answered();
  expect(await world.ask('svc_call_status', { call_id })).toMatchObject({
    call_id,
    state: 'active',
    direction: 'outbound',
    transcript: [],
    transcript_length: 0,
  });
  expect(await world.ask('svc_call_list')).toMatchObject({ calls: [{ call_id, state: 'active' }] });
  expect(await world.ask('svc_call_leave', { call_id })).toMatchObject({ call_id, state: 'ended' });
  expect(await world.ask('svc_call_list')).toEqual({ calls: [] });
  expect(await world.fault('svc_call_status', { call_id })).toBe(NOT_FOUND);
});

test('an agent presses keys once a call is answered, and during it', async () => {
  const world = await ToolWorld.open();
  const { call_id } = await world.ask('svc_call_join', { ...PHONE, dtmf: ',,8123#' });
  expect(world.calls.dialled).toMatchObject([{ target: PHONE.meeting_url, dtmf: ',,8123#' }]);
  expect(await world.fault('svc_call_say', { call_id, dtmf: '6' })).toBe('409 Call is not active');
  const leg = world.calls.legs.get(PHONE.meeting_url)!;
  leg.waiting('entering the meeting id');
  expect(await world.ask('svc_call_status', { call_id })).toMatchObject({
    state: 'connecting',
    waiting_reason: 'entering the meeting id',
  });
  leg.answered();
  expect(await world.ask('svc_call_say', { call_id, dtmf: '*6' })).toEqual({ status: 'ok' });
  expect(world.calls.pressed).toEqual(['*6']);
  expect(await world.fault('svc_call_say', { call_id })).toMatch('422 text: text or dtmf is required');
  expect(await world.fault('svc_call_say', { call_id, text: 'Hi', dtmf: '6' })).toMatch(
    'either text or dtmf',
  );
  expect(await world.fault('svc_call_say', { call_id, dtmf: ',6' })).toMatch(
    '422 dtmf: Input should be 1 to',
  );
  expect(await world.fault('svc_call_join', { ...PHONE, dtmf: '8x' })).toMatch(
    '422 dtmf: "x" at character 2 is neither a key',
  );
});

test('a ringing call is listed, accepted or refused, and a refused one stays readable', async () => {
  const world = await ToolWorld.open();
  const call_id = world.ring('+332');
  expect(await world.ask('svc_call_list')).toMatchObject({
    calls: [{ call_id, state: 'ringing', direction: 'inbound', caller: '+332' }],
  });
  expect(await world.ask('svc_call_accept', { call_id })).toMatchObject({ call_id, state: 'active' });
  expect(await world.fault('svc_call_accept', { call_id })).toBe('409 Call is not ringing');
  expect(await world.fault('svc_call_refuse', { call_id })).toBe('409 Call is not ringing');

  const second = { call_id: world.ring('+333') };
  expect(await world.ask('svc_call_refuse', second)).toMatchObject({ ...second, state: 'refused' });
  expect(await world.ask('svc_call_status', second)).toMatchObject({ ...second, state: 'refused' });
  expect(await world.fault('svc_call_accept', second)).toBe(NOT_FOUND);
});

test('a tool returns what its endpoint returns', async () => {
  const world = await ToolWorld.open();
  const { url } = await served(
    callRoutes(world.calls.domain, {} as FileDomain, () => 'https://gateway.example'),
    {
      authenticate: () => world.agent,
    },
  );
  const api = new GatewayApi(url, 'svc_agent');
  const call_id = world.ring();
  for (const [path, tool, args] of [
    [`/api/call/${call_id}`, 'svc_call_status', { call_id }],
    ['/api/calls', 'svc_call_list', {}],
  ] as const)
    expect((await api.get(path)).body).toEqual(await world.ask(tool, args));
  const { status, body } = await api.get('/api/call/call_none');
  expect(await world.fault('svc_call_status', { call_id: 'call_none' })).toBe(`${status} ${body.detail}`);
});

test('every tool returns 404 for an unknown call and for one of another account', async () => {
  const world = await ToolWorld.open();
  const call_id = world.ring();
  for (const name of ['status', 'accept', 'refuse', 'leave', 'say', 'stop_speaking', 'chat', 'typing']) {
    const text = name === 'say' || name === 'chat' ? { text: 'Hello' } : {};
    const fault = (id: string, as = world.agent) =>
      world.fault(`svc_call_${name}`, { call_id: id, ...text }, { as });
    expect([name, await fault('call_none')]).toEqual([name, NOT_FOUND]);
    expect([name, await fault(call_id, world.stranger)]).toEqual([name, NOT_FOUND]);
  }
  expect(await world.ask('svc_call_list', {}, { as: world.stranger })).toEqual({ calls: [] });
  expect(await world.ask('svc_call_status', { call_id })).toMatchObject({ state: 'ringing' });
});

test('a missing feature of a platform or account is reported in the words of the API', async () => {
  const world = await ToolWorld.open();
  const call_id = world.ring();
  expect(await world.fault('svc_call_say', { call_id, text: 'Hello' })).toBe('400 Hosted TTS not configured');
  expect(await world.ask('svc_call_stop_speaking', { call_id })).toEqual({ status: 'ok' });
  expect(await world.fault('svc_call_chat', { call_id, text: 'Hello' })).toMatch(
    /^400 The sip platform has no chat/,
  );
  expect(await world.fault('svc_call_typing', { call_id })).toMatch(/^400 The sip platform has no typing/);
  expect(await world.fault('svc_call_join', { platform: 'sip' })).toBe('400 meeting_url required');
  expect(await world.fault('svc_call_join', { platform: 'discord', meeting_url: 'x' })).toBe(
    '400 No discord bot registered',
  );
});

test('an agent in a meeting reads who is there, and writes in the chat', async () => {
  const world = await ToolWorld.open();
  const { calls } = world;
  const outcomes: ChatOutcome[] = [];
  const texts: string[] = [];
  calls.offer = { capabilities: ['audio_in', 'write'], sampleRateHz: 48_000 };
  calls.chat = {
    checkText() {},
    send: async ({ text }) => {
      texts.push(text);
      return outcomes.shift() ?? { kind: 'sent' };
    },
  };
  expect(await world.fault('svc_call_join', { ...PHONE, login_id: 'bot_none' })).toMatch(
    /^404 login_id is not/,
  );
  const { call_id, audio } = await world.ask('svc_call_join', PHONE);
  expect(audio).toMatchObject({ direction: 'receive' });
  const leg = calls.legs.get(PHONE.meeting_url)!;
  leg.waiting('in the lobby');
  expect(await world.call('svc_call_chat', { call_id, text: 'early' })).toMatchObject({
    error: '409 Call is not active',
    meta: { retry: 'later' },
  });
  expect(await world.ask('svc_call_status', { call_id })).toMatchObject({ waiting_reason: 'in the lobby' });
  leg.answered();
  leg.participants([{ id: 'u1', name: 'Ada' }]);
  expect(await world.ask('svc_call_status', { call_id })).toMatchObject({
    state: 'active',
    participants: [{ id: 'u1', name: 'Ada' }],
  });
  expect(await world.ask('svc_call_chat', { call_id, text: 'Hello' })).toEqual({ status: 'ok' });
  outcomes.push({ kind: 'refused', reason: 'slow mode' }, { kind: 'unknown', reason: 'reset' });
  expect(await world.call('svc_call_chat', { call_id, text: 'a' })).toMatchObject({
    error: '502 Failed to send message: slow mode',
    meta: { retry: 'no' },
  });
  expect(await world.call('svc_call_chat', { call_id, text: 'b' })).toMatchObject({
    meta: { retry: 'unsure' },
  });
  expect(texts).toEqual(['Hello', 'a', 'b']);
  const { cursor } = await world.ask('svc_inbox', {});
  leg.chat({ id: '1', sender: 'Ada', text: 'Welcome', sentAt: '2030-01-01T00:00:00.000Z', files: [] });
  const told = await waitFor('the message', async () => {
    const { events = [] } = await world.ask('svc_inbox', { last_message_cursor: cursor });
    return events.find(({ type }: { type: string }) => type === 'call_chat');
  });
  expect(told).toMatchObject({ call_id, sender: 'Ada', text: 'Welcome' });
});

test('calls over the account’s limit are refused', async () => {
  const world = await ToolWorld.open();
  for (let i = 0; i < CALL_LIMIT; i++) await world.ask('svc_call_join', PHONE);
  expect(await world.fault('svc_call_join', PHONE)).toBe('429 Concurrent call limit reached');
});

test('a repeated join places another call, with the same key it returns the first one', async () => {
  const world = await ToolWorld.open();
  const [one, two] = [await world.ask('svc_call_join', PHONE), await world.ask('svc_call_join', PHONE)];
  expect(one.call_id).not.toBe(two.call_id);
  for (const { call_id } of [one, two]) await world.ask('svc_call_leave', { call_id });

  const keyed = { ...PHONE, idempotency_key: 'lunch with Ada' };
  const first = await world.ask('svc_call_join', keyed);
  expect(await world.ask('svc_call_join', keyed)).toEqual(first);
  expect((await world.ask('svc_call_list')).calls).toHaveLength(1);
  expect(await world.fault('svc_call_join', { ...keyed, agent_name: 'Bob' })).toBe(
    '422 Idempotency-Key: This key was used for a different request',
  );
  // A key has no meaning for another credential's calls.
  const other = { ...world.agent, credentialId: 'key_2' };
  expect((await world.ask('svc_call_join', keyed, { as: other })).call_id).not.toBe(first.call_id);
});

test('a refused call can be retried with the same key', async () => {
  const world = await ToolWorld.open();
  const keyed = { platform: 'sip', idempotency_key: 'k' };
  expect(await world.fault('svc_call_join', keyed)).toBe('400 meeting_url required');
  expect(await world.ask('svc_call_join', { ...keyed, ...PHONE })).toMatchObject({ state: 'connecting' });
});

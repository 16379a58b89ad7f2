import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CallStream, type StreamDeps } from '../../../../src/api/stream/call-stream.ts';
import { ClientReadPosition } from '../../../../src/api/stream/client-read-position.ts';
import type { CallDomain } from '../../../../src/calls/call-domain.ts';
import { CallRegistry } from '../../../../src/calls/call-registry.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { NO_SPEECH } from '../../../support/no-speech.ts';

/** What a stream reads of its call. */
const SHOWN = {
  state: 'active',
  waitingReason: null,
  capabilities: ['audio_in', 'audio_out'],
  participants: [],
};
const scope = { accountId: 'acc_1', agentIds: ['agt_1'], platforms: null };

function partsOf(clock: ManualClock, registry = new CallRegistry()): StreamDeps {
  const calls = { clock, registry, speech: NO_SPEECH, events: { streamError() {} } };
  const readPosition = new ClientReadPosition(clock);
  return { calls: calls as unknown as CallDomain, readPosition, scope, enlist: () => () => {} };
}

it('accepts a limited number of unanswered clears', () => {
  const sent: { type: string; code?: string }[] = [];
  let clears = 0;
  const call = {
    identity: { sampleRateHz: 8000 },
    state: { name: 'connecting' },
    snapshot: () => ({ ...SHOWN, state: 'connecting' }),
    observe: () => () => {},
    joinAgent: () => ({ clear: () => clears++ }),
  };
  const clock = new ManualClock();
  const stream = new CallStream(call as never, partsOf(clock));
  stream.opened({ sendText: (text: string) => sent.push(JSON.parse(text)), faulted() {} } as never);
  for (let i = 0; i < 5_000; i++) stream.text('{"type":"clear"}');
  expect(clears).toBe(1_024);
  expect(sent.at(-1)).toMatchObject({ type: 'call_error', code: 'too_many_clears' });
  stream.cleared(0, 0);
  stream.text('{"type":"clear"}');
  expect(clears).toBe(1_025);
});

it('pauses and resumes what the client says, tells what was played, and accepts a limited number of pauses', () => {
  const sent: object[] = [];
  const holds: boolean[] = [];
  const call = {
    identity: { sampleRateHz: 8000 },
    state: { name: 'active' },
    snapshot: () => SHOWN,
    observe: () => () => {},
    joinAgent: () => ({ hold: (isHeld: boolean) => holds.push(isHeld) }),
  };
  const stream = new CallStream(call as never, partsOf(new ManualClock()));
  stream.opened({ sendText: (text: string) => sent.push(JSON.parse(text)), faulted() {} } as never);
  stream.text('{"type":"pause"}');
  stream.text('{"type":"resume"}');
  expect(holds).toEqual([true, false]);
  stream.held(true, 340);
  stream.held(false, 340);
  expect(sent.slice(-2)).toEqual([
    { type: 'paused', played_ms: 340 },
    { type: 'resumed', played_ms: 340 },
  ]);
  for (let i = 0; i < 2_000; i++) stream.text('{"type":"pause"}');
  expect(holds.length).toBe(2 + 1_024);
  expect(sent.at(-1)).toMatchObject({ type: 'call_error', code: 'too_many_pauses' });
});

it('holds frames back for a client that does not read, but not when the gateway itself is late', async () => {
  const clock = new ManualClock();
  const readPosition = new ClientReadPosition(clock);
  const call = {
    identity: { sampleRateHz: 8000 },
    state: { name: 'active' },
    snapshot: () => SHOWN,
    observe: () => () => {},
  };
  const stream = new CallStream(call as never, { ...partsOf(clock), readPosition });
  const pings: number[] = [];
  stream.opened({
    sendText: () => true,
    bufferedBytes: () => 0,
    sendBinary: (_: Uint8Array, ping?: number) => {
      if (ping !== undefined) pings.push(ping);
      return true;
    },
  } as never);
  const frames = (count: number) => Array.from({ length: count }, () => stream.frame(new Uint8Array(320)));
  frames(5);
  stream.pong(pings[0] ?? 0);
  expect(frames(5)).toEqual(Array(5).fill(true));
  clock.advance(900);
  // Nothing has been read since the second ping was sent.
  expect(frames(5)).toEqual(Array(5).fill(true));
  await turn();
  frames(1);
  await turn();
  expect(frames(5)).toEqual(Array(5).fill(false));
  stream.pong(pings.at(-1) ?? 0);
  expect(frames(5)).toEqual(Array(5).fill(true));
});

/** A stream on a registered call, and what its client receives. */
function openOn(identity: Record<string, unknown>, registry = new CallRegistry()) {
  const sent: Record<string, unknown>[] = [];
  const closes: [number, string][] = [];
  const call = {
    identity: { sampleRateHz: 8000, ...identity },
    state: { name: 'active' },
    snapshot: () => SHOWN,
    observe: () => () => {},
  };
  registry.add(call as never);
  const stream = new CallStream(call as never, partsOf(new ManualClock(), registry));
  stream.opened({
    sendText: (text: string) => sent.push(JSON.parse(text)),
    faulted() {},
    close: (code: number, reason: string) => closes.push([code, reason]),
  } as never);
  return { stream, call, registry, sent, closes };
}

const OWN = { callId: 'call_1', accountId: 'acc_1', agentId: 'agt_1', platform: 'sip' };

it.each(['say', 'send_chat'])('answers `%s` with the result of the same call operation', async (type) => {
  const { stream, call, sent } = openOn(OWN);
  stream.text(JSON.stringify({ type, text: 'hello' }));
  await turn();
  expect(sent.at(-1)).toEqual(
    type === 'say'
      ? { type: 'call_error', code: 'tts_not_configured', message: 'Hosted TTS not configured' }
      : {
          type: 'call_error',
          code: 'capability_missing',
          message: "The sip platform has no chat (capability 'write')",
        },
  );
  call.identity = { ...call.identity, agentId: 'agt_other' } as never;
  stream.text(JSON.stringify({ type, text: 'hello' }));
  await turn();
  expect(sent.at(-1)).toMatchObject({ code: 'call_not_found', message: 'Call not found' });
});

it.each([
  ['1000 when its call ends', 1000, false],
  ['1001 when the gateway stops', 1001, true],
])('closes with %s', (_what, code, isStopping) => {
  const { stream, call, registry, closes } = openOn(OWN);
  if (isStopping) registry.close();
  const termination = { result: 'disconnected', reason: 'test' } as const;
  call.state = { name: 'disconnected', termination } as never;
  stream.event({ type: 'call_state', state: 'disconnected', termination });
  expect(closes).toEqual([[code, 'call disconnected']]);
});

import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CallStream, type StreamDeps } from '../../../../src/api/stream/call-stream.ts';
import { ClientReadPosition } from '../../../../src/api/stream/client-read-position.ts';
import { OpusEncoder } from '../../../../src/audio/opus.ts';
import { WasmOpus } from '../../../../src/audio/opus-wasm.ts';
import type { CallDomain } from '../../../../src/calls/call-domain.ts';
import { CallRegistry } from '../../../../src/calls/call-registry.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { NO_SPEECH } from '../../../support/no-speech.ts';
import { tone } from '../../../support/tone.ts';
import { analyzeTone } from '../../../support/tone-analysis.ts';

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
  const opus = () => new WasmOpus();
  return { calls: calls as unknown as CallDomain, readPosition, opus, scope, enlist: () => () => {} };
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
  stream.opened({
    toHalf: null,
    sendText: (text: string) => sent.push(JSON.parse(text)),
    faulted() {},
  } as never);
  for (let i = 0; i < 5_000; i++) stream.text('{"type":"clear"}');
  expect(clears).toBe(1_024);
  expect(sent.at(-1)).toMatchObject({ type: 'call_error', code: 'too_many_clears' });
  stream.audio!.cleared(0, 0);
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
  stream.opened({
    toHalf: null,
    sendText: (text: string) => sent.push(JSON.parse(text)),
    faulted() {},
  } as never);
  stream.text('{"type":"pause"}');
  stream.text('{"type":"resume"}');
  expect(holds).toEqual([true, false]);
  stream.audio!.held(true, 340);
  stream.audio!.held(false, 340);
  expect(sent.slice(-2)).toEqual([
    { type: 'paused', played_ms: 340 },
    { type: 'resumed', played_ms: 340 },
  ]);
  for (let i = 0; i < 2_000; i++) stream.text('{"type":"pause"}');
  expect(holds.length).toBe(2 + 1_024);
  expect(sent.at(-1)).toMatchObject({ type: 'call_error', code: 'too_many_pauses' });
});

it('reports dropped audio once for all that has arrived', async () => {
  const { stream, sent } = openOn(OWN);
  const before = sent.length;
  for (let i = 0; i < 1_000; i++) stream.audio!.overflow(20);
  expect(sent.length).toBe(before);
  await turn();
  stream.audio!.overflow(5);
  await turn();
  const reports = sent.slice(before).map(({ code, lost_ms }) => [code, lost_ms]);
  expect(reports).toEqual([
    ['audio_overflow', 20_000],
    ['audio_overflow', 5],
  ]);
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
    toHalf: null,
    sendText: () => true,
    bufferedBytes: () => 0,
    sendBinary: (_: Uint8Array, ping?: number) => {
      if (ping !== undefined) pings.push(ping);
      return true;
    },
  } as never);
  const frames = (count: number) =>
    Array.from({ length: count }, () => stream.audio!.frame(new Uint8Array(320)));
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
    toHalf: null,
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

/** A stream on a call at 8 kHz; what the agent wrote, and what the stream was asked to listen to. */
function opusStream(opusStreams = new Set<object>(), clock = new ManualClock()) {
  const sent: Record<string, unknown>[] = [];
  const binary: Uint8Array[] = [];
  const written: Int16Array[] = [];
  const listened: unknown[][] = [];
  const agent = {
    write: (samples: Int16Array, rateHz: number) =>
      written.push(samples.slice()) && expect(rateHz).toBe(48_000),
    listen: (...wanted: unknown[]) => listened.push(wanted),
    close() {},
  };
  const call = {
    identity: { sampleRateHz: 8_000 },
    opusStreams,
    state: { name: 'active' },
    snapshot: () => SHOWN,
    observe: () => () => {},
    joinAgent: () => agent,
  };
  const stream = new CallStream(call as never, partsOf(clock));
  stream.opened({
    toHalf: null,
    sendText: (text: string) => sent.push(JSON.parse(text)),
    sendBinary: (bytes: Uint8Array) => binary.push(bytes.slice()) > 0,
    bufferedBytes: () => 0,
    faulted() {},
  } as never);
  return { stream, sent, binary, written, listened };
}

it('takes and sends packets of Opus, one per message', () => {
  const { stream, sent, binary, written, listened } = opusStream();
  stream.text('{"type":"audio_config","format":"opus","sample_rate":48000,"receive":true}');
  expect(sent.at(-1)).toMatchObject({
    type: 'audio_config',
    format: 'opus',
    sample_rate: 48_000,
    frame_bytes: 0,
  });
  expect(listened).toEqual([[48_000, 'opus']]);
  stream.audio!.frame(Uint8Array.of(1, 2, 3));
  expect(binary).toEqual([Uint8Array.of(1, 2, 3)]);
  const tuning = { bitrateBps: 32_000, complexity: 4, lossPercent: 0, signal: 'voice' } as const;
  const encoder = new OpusEncoder(new WasmOpus(), 48_000, tuning);
  const packet = new Uint8Array(1_500);
  for (let n = 0; n < 50; n++) {
    const frame = tone(440, 48_000, 960, { fromSample: n * 960 });
    stream.binary(packet.slice(0, encoder.encode(frame, packet, 0, 1_500)).buffer);
  }
  const heard = Int16Array.from(written.flatMap((samples) => [...samples]));
  expect(heard).toHaveLength(50 * 960);
  expect(analyzeTone(heard, 48_000, 440).snrDb).toBeGreaterThan(15);
  stream.text('{"type":"audio_config","format":"pcm_s16le"}');
  expect(listened.at(-1)).toEqual([48_000, 'pcm']);
  stream.closed();
});

it.each([
  ['{"type":"audio_config","format":"opus","sample_rate":44100}', 'invalid_sample_rate'],
  ['{"type":"audio_config","format":"opus","frame_ms":100}', 'invalid_message'],
])('refuses %s, and what was declared before stays', (config, code) => {
  const { stream, sent, written } = opusStream();
  stream.text(config);
  expect(sent.at(-1)).toMatchObject({ type: 'call_error', code });
  stream.text('{"type":"audio_config"}');
  expect(sent.at(-1)).toMatchObject({ format: 'pcm_s16le', sample_rate: 8_000, frame_duration_ms: 20 });
  expect(written).toEqual([]);
});

it('refuses what is no packet of Opus, and goes on', () => {
  const { stream, sent, written } = opusStream();
  stream.text('{"type":"audio_config","format":"opus","sample_rate":48000}');
  const faulty = [[], [0xff, 0xff], [0x0b], new Array(1_501).fill(0x08)];
  for (const bytes of faulty) stream.binary(Uint8Array.from(bytes).buffer);
  expect(sent.filter((event) => event.code === 'invalid_audio')).toHaveLength(faulty.length);
  expect(written).toEqual([]);
});

it('lets four streams of a call use Opus at a time', () => {
  const opusStreams = new Set<object>();
  const all = Array.from({ length: 5 }, () => opusStream(opusStreams));
  for (const { stream } of all) stream.text('{"type":"audio_config","format":"opus","sample_rate":48000}');
  expect(all.map(({ sent }) => sent.at(-1)?.code)).toEqual([...Array(4).fill(undefined), 'too_many_streams']);
  all[0]!.stream.closed();
  all[1]!.stream.text('{"type":"audio_config","format":"mulaw"}');
  expect(opusStreams.size).toBe(2);
  all[4]!.stream.text('{"type":"audio_config","format":"opus","sample_rate":48000}');
  expect(all[4]!.sent.at(-1)).toMatchObject({ format: 'opus' });
});

it('decodes 70 s at once and then no more than four times what time passes', async () => {
  const clock = new ManualClock();
  const { stream, sent, written } = opusStream(new Set(), clock);
  stream.text('{"type":"audio_config","format":"opus","sample_rate":48000}');
  // 48 empty frames of 2.5 ms (RFC 6716 section 3.2.5).
  const long = Uint8Array.of(0xe3, 48).buffer;
  for (let n = 0; n < 1_000; n++) stream.binary(long.slice(0));
  expect(written).toHaveLength(Math.floor(70_000 / 120));
  clock.advance(1_000);
  for (let n = 0; n < 100; n++) stream.binary(long.slice(0));
  expect(written).toHaveLength(Math.floor(74_000 / 120));
  await turn();
  expect(sent.at(-1)).toMatchObject({ type: 'call_error', code: 'audio_overflow' });
});

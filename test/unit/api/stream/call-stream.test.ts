import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CallStream } from '../../../../src/api/stream/call-stream.ts';
import { ReadHorizon } from '../../../../src/api/stream/read-horizon.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

it('takes a bounded number of clears that nobody has answered yet', () => {
  const sent: { type: string; code?: string }[] = [];
  let clears = 0;
  const call = {
    identity: { sampleRateHz: 8000 },
    state: { name: 'connecting' },
    snapshot: () => ({ state: 'connecting' }),
    observe: () => () => {},
    joinAgent: () => ({ clear: () => clears++ }),
  };
  const clock = new ManualClock();
  const stream = new CallStream(
    call as never,
    clock,
    new ReadHorizon(clock),
    { streamError() {} } as never,
    () => () => {},
  );
  stream.opened({ sendText: (text: string) => sent.push(JSON.parse(text)) } as never);
  for (let i = 0; i < 5_000; i++) stream.text('{"type":"clear"}');
  expect(clears).toBe(1_024);
  expect(sent.at(-1)).toMatchObject({ type: 'call_error', code: 'too_many_clears' });
  stream.cleared(0, 0);
  stream.text('{"type":"clear"}');
  expect(clears).toBe(1_025);
});

it('holds frames back for a client that does not read, and not because it came late itself', async () => {
  const clock = new ManualClock();
  const horizon = new ReadHorizon(clock);
  const call = {
    identity: { sampleRateHz: 8000 },
    state: { name: 'active' },
    snapshot: () => ({ state: 'active' }),
    observe: () => () => {},
  };
  const stream = new CallStream(call as never, clock, horizon, {} as never, () => () => {});
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
  // Nothing has been read since the second ping went out.
  expect(frames(5)).toEqual(Array(5).fill(true));
  await turn();
  frames(1);
  await turn();
  expect(frames(5)).toEqual(Array(5).fill(false));
  stream.pong(pings.at(-1) ?? 0);
  expect(frames(5)).toEqual(Array(5).fill(true));
});

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

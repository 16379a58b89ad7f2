import { expect, test } from 'vitest';
import { openLoggers } from '../../../src/telemetry/loggers.ts';
import { type RefusedRequest, RefusedRequests } from '../../../src/telemetry/refused-requests.ts';
import { ManualClock } from '../../support/manual-clock.ts';

function world() {
  const lines: Record<string, unknown>[] = [];
  const loggers = openLoggers('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const clock = new ManualClock();
  const refused = new RefusedRequests(loggers.http, clock);
  const note = (times: number, fields: Partial<RefusedRequest> = {}) => {
    for (let n = 0; n < times; n++)
      refused.note({ method: 'get', path: '/a', status: 404, code: 'not_found', accountId: null, ...fields });
  };
  const written = (accountId: string | null) =>
    lines.filter((line) => line.msg === 'request refused' && line.accountId === accountId).length;
  return { clock, note, lines, written };
}

test('a refused request is one line, with nothing that its client made up', () => {
  const { note, lines } = world();
  note(1, { method: 'brew', path: null, accountId: 'acc_1' });
  expect(lines).toEqual([
    {
      level: 'info',
      time: expect.any(String),
      part: 'http',
      method: 'other',
      path: 'none',
      status: 404,
      code: 'not_found',
      accountId: 'acc_1',
      msg: 'request refused',
    },
  ]);
});

test('a flood is counted in one line, and leaves the lines of others alone', () => {
  const { clock, note, lines, written } = world();
  note(1_000);
  note(5, { accountId: 'acc_1' });
  expect([written(null), written('acc_1'), lines.length]).toEqual([20, 5, 25]);
  clock.advance(10_000);
  expect(lines.at(-1)).toMatchObject({ msg: 'more requests were refused', count: 980 });
  note(21);
  clock.advance(10_000);
  expect([written(null), lines.at(-1)?.count]).toEqual([40, 1]);
});

test('all together write no more than the log can bear, and nobody is left out', () => {
  const { clock, note, lines, written } = world();
  for (let n = 0; n < 100; n++) note(10, { accountId: `acc_${n}` });
  expect(lines).toHaveLength(200 + 80);
  expect([written('acc_0'), written('acc_99')]).toEqual([10, 1]);
  clock.advance(10_000);
  expect(lines.at(-1)).toMatchObject({ count: 720 });
});

test('sources that nobody has made up before write no more than a thousand further lines', () => {
  const { note, lines } = world();
  for (let n = 0; n < 5_000; n++) note(1, { accountId: `acc_${n}` });
  expect(lines).toHaveLength(1_200);
});

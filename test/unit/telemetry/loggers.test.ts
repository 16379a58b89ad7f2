import { expect, test } from 'vitest';
import { openLoggers } from '../../../src/telemetry/loggers.ts';

const KEY = `svc_${'k'.repeat(43)}`;

function capture(level = 'info') {
  const lines: string[] = [];
  const loggers = openLoggers(level, { write: (line) => void lines.push(line) });
  return { loggers, lines };
}

test('a line has a time, a level, a part and a message', () => {
  const { loggers, lines } = capture();
  loggers.sip.warn({ host: 'trunk.test' }, 'registration failed');
  expect(JSON.parse(lines[0]!)).toEqual({
    level: 'warn',
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    part: 'sip',
    host: 'trunk.test',
    msg: 'registration failed',
  });
});

test('lines below the level are not written', () => {
  const { loggers, lines } = capture('warn');
  loggers.http.info('quiet');
  expect(lines).toEqual([]);
});

test.each([
  { password: 'hunter2-hunter2' },
  { trunk: { password: 'hunter2-hunter2' } },
  { request: { trunk: { password: 'hunter2-hunter2' } } },
  { headers: { authorization: 'Bearer hunter2-hunter2' } },
  { headers: { Authorization: 'Digest response="hunter2-hunter2"' } },
  { headers: { 'x-api-key': 'hunter2-hunter2' } },
  { url: '/api/call/x/stream?api_key=hunter2-hunter2&x=1' },
  { err: new Error('request failed: Authorization: Bearer hunter2-hunter2') },
])('secrets are not logged (%#)', (fields) => {
  const { loggers, lines } = capture();
  loggers.http.error(fields, 'something');
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain('hunter2');
  expect(JSON.parse(lines[0]!)).toMatchObject({ msg: 'something' });
});

test.each([
  { err: new Error(`no account for ${KEY}`) },
  { url: `ws://host/api/call/x/stream?api_key=${KEY}` },
  { deep: { down: { there: { it: { is: KEY } } } } },
])('an API key is not logged, at any depth (%#)', (fields) => {
  const { loggers, lines } = capture();
  loggers.http.error(fields, `got ${KEY}`);
  expect(lines[0]).not.toContain('kkkk');
  expect(JSON.parse(lines[0]!).msg).toBe('got svc_[redacted]');
});

test('a message about authorization is logged unchanged', () => {
  const { loggers, lines } = capture();
  loggers.http.info('authorization was refused: 401');
  expect(JSON.parse(lines[0]!).msg).toBe('authorization was refused: 401');
});

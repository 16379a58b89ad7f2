import { expect, it } from 'vitest';
import { GatewayError } from '../../../src/base/errors.ts';
import type { AudioReport } from '../../../src/threads/engine.ts';
import { meetingServer } from './meeting-server.ts';

const REPORT: AudioReport = {
  received: {
    level: 0.126,
    delayMs: 61.7,
    lost: 3,
    late: 1,
    concealed: 4,
    droppedForDepth: 2,
    shortenedMs: 29.6,
    lengthenedMs: 12.4,
  },
  sent: { level: 0.5, delayMs: 80.125, underruns: 5, shortenedMs: 7.5, lengthenedMs: 20.2 },
};

/** A call of account `a`, `connecting`. */
async function placed() {
  const server = await meetingServer();
  const { world, a } = server;
  await world.bot('a', 'bot_a');
  const { body } = await a.post('/api/call', { platform: 'discord', meeting_url: 'https://m.example/1' });
  world.report = async () => REPORT;
  return { ...server, path: `/api/call/${body.call_id}/audio`, leg: world.meetings.leg };
}

it('tells the figures of an active call, in whole numbers', async () => {
  const { a, path, leg } = await placed();
  leg.observer.answered();
  const { status, body } = await a.get(path);
  expect([status, body]).toEqual([
    200,
    {
      received: {
        level: 0.13,
        delay_ms: 62,
        lost: 3,
        late: 1,
        concealed: 4,
        dropped: 2,
        shortened_ms: 30,
        lengthened_ms: 12,
      },
      sent: { level: 0.5, delay_ms: 80, underruns: 5, shortened_ms: 8, lengthened_ms: 20 },
    },
  ]);
});

it('answers 409 before the call is active, and 404 to others and once it has ended', async () => {
  const { a, b, path, leg } = await placed();
  const early = await a.get(path);
  expect([early.status, early.body]).toEqual([
    409,
    { detail: 'Call is not active', code: 'call_not_active' },
  ]);
  leg.observer.answered();
  const gone = [404, { detail: 'Call not found', code: 'call_not_found' }];
  const foreign = await b.get(path);
  expect([foreign.status, foreign.body]).toEqual(gone);
  const unknown = await a.get('/api/call/call_none/audio');
  expect([unknown.status, unknown.body]).toEqual(gone);
  await a.delete(path.replace('/audio', ''));
  const late = await a.get(path);
  expect([late.status, late.body]).toEqual(gone);
});

it('answers 504 when the engine does not answer in time', async () => {
  const { a, world, path, leg } = await placed();
  leg.observer.answered();
  world.report = () => Promise.reject(new GatewayError('deadline_exceeded'));
  expect((await a.get(path)).status).toBe(504);
});

import { beforeEach, expect, it } from 'vitest';
import { Publication } from '../../../../../src/connectors/nctalk/calls/publication.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { PlayedMedia } from './call-media.ts';

let clock: ManualClock;
let media: PlayedMedia;
let sent: { readonly type: string; readonly sid: string; readonly atMs: number }[];
let failures: string[];
let publication: Publication;

beforeEach(() => {
  clock = new ManualClock();
  media = new PlayedMedia();
  media.signal = () => publication.connected();
  sent = [];
  failures = [];
  publication = new Publication({
    clock,
    media,
    send: (data) => {
      sent.push({ ...(data as { type: string; sid: string }), atMs: clock.monotonicMs() });
    },
    failed: (reason) => void failures.push(reason),
  });
});

const settled = async (): Promise<void> => await new Promise(setImmediate);
const offers = () => sent.filter(({ type }) => type === 'offer');
const answer = (sid = offers().at(-1)!.sid) =>
  publication.take({ type: 'answer', from: 'own', sid, payload: { sdp: 'v=0' } });
const CANDIDATE = { candidate: 'candidate:1', sdpMid: '0', sdpMLineIndex: 0 };

async function connected(): Promise<void> {
  publication.start();
  await settled();
  answer();
  await settled();
}

it('offers, holds candidates until the answer, and stays once it is connected', async () => {
  publication.start();
  publication.candidate(CANDIDATE);
  await settled();
  expect(sent.map(({ type }) => type)).toEqual(['offer']);
  answer();
  publication.candidate(CANDIDATE);
  await settled();
  expect(sent.map(({ type }) => type)).toEqual(['offer', 'candidate', 'candidate']);
  expect(new Set(sent.map(({ sid }) => sid)).size).toBe(1);
  clock.advance(600_000);
  expect([offers().length, failures]).toEqual([1, []]);
});

it('is made again at most every 5 s, three times, with another sid each', async () => {
  await connected();
  clock.advance(60_000);
  for (let n = 0; n < 200 && failures.length === 0; n++) {
    publication.failed('ICE failed');
    clock.advance(100);
    await settled();
  }
  const atMs = offers().map((each) => each.atMs);
  const betweenMs = atMs.slice(2).map((ms, n) => ms - atMs[n + 1]!);
  expect(betweenMs).toHaveLength(2);
  // The clock goes in steps of 100 ms.
  expect(Math.min(...betweenMs)).toBeGreaterThanOrEqual(4_900);
  expect(failures).toEqual(['ICE failed']);
  expect(new Set(offers().map(({ sid }) => sid)).size).toBe(4);
});

it('is made again when no answer comes, and when the server refuses', async () => {
  publication.start();
  await settled();
  clock.advance(5_000);
  await settled();
  expect(offers()).toHaveLength(2);
  publication.failed('client_not_found');
  clock.advance(5_000);
  await settled();
  expect(offers()).toHaveLength(3);
});

it('begins to count anew after it was connected', async () => {
  await connected();
  for (let times = 0; times < 10; times++) {
    publication.failed('ICE failed');
    clock.advance(5_000);
    await settled();
    answer();
    await settled();
  }
  expect(failures).toEqual([]);
});

it('gives up at once where the server answers for a former media server', async () => {
  await connected();
  const [first] = offers();
  publication.failed('ICE failed');
  clock.advance(5_000);
  await settled();
  answer(first!.sid);
  expect(failures).toEqual(['the media server of the Nextcloud was restarted']);
});

it('ignores what comes after it was stopped, and what was not asked for', async () => {
  publication.take({ type: 'answer', from: 'own', sid: 'nothing', payload: { sdp: 'v=0' } });
  publication.candidate(CANDIDATE);
  await connected();
  publication.stop();
  answer();
  publication.failed('late');
  clock.advance(60_000);
  await settled();
  expect([offers().length, failures, media.names]).toEqual([1, [], ['publish', 'answered']]);
});

import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ReadingTime } from '../../../../src/base/reading-time.ts';
import { StreamRegistry } from '../../../../src/connectors/zoom/rtms/stream-registry.ts';
import { FakeRtms } from '../../../fakes/zoom/rtms/fake-rtms.ts';
import type { FakeStream } from '../../../fakes/zoom/rtms/fake-stream.ts';
import { FastClock } from '../../../support/fast-clock.ts';
import { SeededRandom } from '../../../support/seeded-random.ts';

const CUTS = Number(process.env.RTMS_CUTS ?? 1_000);
const STREAMS = 20;
const PEOPLE = [
  [11, 'Ann'],
  [12, 'Ben'],
  [13, 'Eve'],
] as const;
const PARTS = ['signaling', 'transcript', 'chat'] as const;

let rtms: FakeRtms;
let registry: StreamRegistry;

beforeAll(async () => {
  rtms = await FakeRtms.start({ clientId: 'client', clientSecret: 'secret of the client' });
  const clock = new FastClock(5);
  const readingTime = new ReadingTime(clock);
  registry = new StreamRegistry({ app: rtms.app, clock, readingTime, log: () => undefined });
});
afterAll(async () => {
  registry.close();
  await rtms.stop();
});

/** A call in a meeting whose stream is cut again and again, while all of it is spoken and written. */
async function meeting(number: number, cuts: number): Promise<void> {
  const random = new SeededRandom(number);
  const stream = rtms.open(`meeting ${number}`, 'ann');
  const heard: string[] = [];
  const read: string[] = [];
  const lost = vi.fn();
  const observer = {
    people: () => undefined,
    speaker: () => undefined,
    said: ({ user_name, data }: { user_name?: string | undefined; data: string }) => {
      heard.push(`${user_name}: ${data}`);
    },
    chat: ({ data }: { data?: string | undefined }) => read.push(data ?? ''),
    hasChat: () => undefined,
    lost,
  };
  const follower = { userId: 'ann', meetingUuid: async () => stream.meetingUuid, observer };
  registry.follow(follower, new AbortController().signal);
  const url = JSON.parse(rtms.startedEvent(stream).body).payload.server_urls;
  registry.started({ meetingUuid: stream.meetingUuid, streamId: stream.id, userId: 'ann', url });
  const told: string[] = [];
  const written: string[] = [];
  await isUp(stream);
  stream.join(...PEOPLE);
  const talk = () => {
    const [id, name] = PEOPLE[random.below(PEOPLE.length)]!;
    stream.say(id, `line ${told.length}`);
    stream.write(id, `message ${written.length}`);
    told.push(`${name}: line ${told.length}`);
    written.push(`message ${written.length}`);
  };
  for (let cut = 0; cut < cuts; cut++) {
    talk();
    const part = PARTS[random.below(PARTS.length)]!;
    stream.cut(part);
    talk();
    // Zoom notices, and says so sooner or later than we do.
    if (part === 'signaling' && random.below(2) === 0) registry.interrupted(stream.id);
    await vi.waitUntil(() => !stream.isUp || random.below(3) === 0);
    await isUp(stream);
    if (part !== 'signaling' && random.below(2) === 0) stream.tellInterruption(part);
    talk();
  }
  await isUp(stream);
  talk();
  await vi
    .waitUntil(() => heard.length >= told.length && read.length >= written.length, { timeout: 10_000 })
    .catch(() => undefined);
  expect([heard, read]).toEqual([told, written]);
  expect([stream.violations, lost.mock.calls]).toEqual([[], []]);
}

const isUp = (stream: FakeStream) => vi.waitUntil(() => stream.isUp, { timeout: 20_000, interval: 5 });

it(`takes up ${CUTS} streams that were cut, and nothing is lost or doubled`, async () => {
  await Promise.all(Array.from({ length: STREAMS }, (_, number) => meeting(number, CUTS / STREAMS)));
});

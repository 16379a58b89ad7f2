import { beforeEach, expect, it } from 'vitest';
import { PlatformFailure } from '../../../../../src/connectors/kit/platform-failure.ts';
import { PolledCall } from '../../../../../src/connectors/nctalk/calls/polled-call.ts';
import { RoomPeople } from '../../../../../src/connectors/nctalk/calls/room-people.ts';
import type { TalkRoom } from '../../../../../src/connectors/nctalk/calls/talk-room.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

const OWN = { sessionId: 'own', inCall: 1, userId: 'bot' };
const ADA = { sessionId: 'ada', inCall: 3, userId: 'ada' };

let clock: ManualClock;
let users: object[];
let failure: PlatformFailure | null;
let pulls: number;
let looks: number;
let ends: string[];
let names: string[];
let call: PolledCall;

beforeEach(() => {
  clock = new ManualClock();
  users = [OWN, ADA];
  failure = null;
  pulls = 0;
  looks = 0;
  ends = [];
  names = [];
  const people = new RoomPeople({
    ownUserId: 'bot',
    report: (list) => {
      names = list.map(({ name }) => name);
    },
    changed: () => undefined,
  });
  people.reset('own');
  const pull = async () => {
    pulls++;
    if (failure !== null) throw failure;
    return users;
  };
  call = new PolledCall({
    clock,
    room: { pull } as unknown as TalkRoom,
    ownId: 'own',
    people,
    look: () => void looks++,
    over: (reason) => void ends.push(`over: ${reason}`),
    lost: (reason) => void ends.push(`lost: ${reason}`),
  });
});

async function pass(durationMs: number): Promise<void> {
  for (let passed = 0; passed < durationMs; passed += 500) {
    await new Promise(setImmediate);
    clock.advance(500);
  }
  await new Promise(setImmediate);
}

it('asks at most every 2 s, knows who is there, and looks for messages', async () => {
  call.start();
  await pass(10_000);
  expect(names).toEqual(['ada']);
  users = [OWN];
  await pass(2_000);
  expect(names).toEqual([]);
  expect(pulls).toBeLessThanOrEqual(7);
  expect(looks).toBe(4);
  call.stop();
  await pass(60_000);
  expect([looks, ends]).toEqual([4, []]);
});

it('ends with the call, or when the bot is taken out of it', async () => {
  call.start();
  users = [{ ...OWN, inCall: 0 }, ADA];
  await pass(3_000);
  expect(ends).toEqual(['over: call ended']);
});

it.each([
  ['over', new PlatformFailure('refused', 'Gone', { status: 404 })],
  ['lost', new PlatformFailure('unreachable', 'No route')],
])('is %s as the Nextcloud says', async (kind, error) => {
  failure = error;
  call.start();
  await pass(1_000);
  expect(ends).toEqual([expect.stringMatching(new RegExp(`^${kind}: `))]);
});

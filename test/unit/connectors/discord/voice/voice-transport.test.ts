import { afterEach, describe, expect, it } from 'vitest';
import type { HearingFault } from '../../../../fakes/discord/voice/listener.ts';
import type { Person } from '../../../../fakes/discord/voice/person.ts';
import { retryAudio } from '../../../../support/stall-probe.ts';
import { Tone } from '../../../../support/tone.ts';
import { analyzeTone, toneLevelDb } from '../../../../support/tone-analysis.ts';
import { waitFor } from '../../../../support/wait-for.ts';
import { RATE_HZ } from './ring-engine.ts';
import { BOT, CHANNEL, VoiceWorld } from './voice-world.ts';

const retry = retryAudio();

const ADA = '4001';
const BEN = '4002';
const ADA_HZ = 440;
const BEN_HZ = 1_310;
const AGENT_HZ = 880;
const SECOND = RATE_HZ;

let world: VoiceWorld;

afterEach(() => world.stop());

function toneOf(hz: number): (frame: Int16Array) => void {
  const tone = new Tone(hz, RATE_HZ, 0.3);
  return (frame) => tone.fill(frame);
}

/** Waits until the bot and so many people share the keys of one epoch. */
async function haveKeys(people: number): Promise<void> {
  const { dave } = world.voice.call(CHANNEL);
  await waitFor('the keys', () => dave.isSettled && dave.users.length === people + 1);
}

/** What a person could not hear of the bot later than a second after somebody came or left. */
function faultsOf(person: Person): HearingFault[] {
  const changesMs = world.voice.call(CHANNEL).changes.map(({ atMs }) => atMs);
  const isSettled = (atMs: number): boolean => !changesMs.some((changeMs) => atMs - changeMs < 1_000);
  return person.heard(BOT).faults.filter(({ atMs }) => isSettled(atMs));
}

describe.each(['aead_aes256_gcm_rtpsize', 'aead_xchacha20_poly1305_rtpsize'] as const)('with %s', (mode) => {
  it('carries each voice both ways, each with its own keys', { retry }, async () => {
    world = await VoiceWorld.start({ modes: [mode] });
    const ada = world.voice.addPerson(CHANNEL, ADA, 'Ada');
    const ben = world.voice.addPerson(CHANNEL, BEN, 'Ben');
    const session = await world.open();
    await session.opened();
    await haveKeys(2);
    ada.sing(ADA_HZ);
    ben.sing(BEN_HZ);
    session.engine.say(toneOf(AGENT_HZ));
    await waitFor('both streams', () => session.of('stream').length === 2);
    session.engine.clear();
    ada.heard(BOT).clear();
    ben.heard(BOT).clear();
    for (const [person, hz, otherHz] of [
      [ada, ADA_HZ, BEN_HZ],
      [ben, BEN_HZ, ADA_HZ],
    ] as const) {
      await waitFor('a second', () => session.engine.samplesOf(person.ssrc).length >= 2 * SECOND);
      const heard = session.engine.samplesOf(person.ssrc).subarray(SECOND / 2);
      expect(analyzeTone(heard, RATE_HZ, hz).snrDb).toBeGreaterThan(25);
      expect(toneLevelDb(heard, RATE_HZ, otherHz)).toBeLessThan(toneLevelDb(heard, RATE_HZ, hz) - 40);
      await waitFor('a second of the agent', () => person.heard(BOT).samples.length >= 2 * SECOND);
      const agent = person.heard(BOT).samples.subarray(SECOND / 2);
      expect(analyzeTone(agent, RATE_HZ, AGENT_HZ).snrDb).toBeGreaterThan(25);
      expect(faultsOf(person)).toEqual([]);
    }
    expect(session.of('people').at(-1)?.userIds.toSorted()).toEqual([ADA, BEN]);
    expect(world.voice.offences).toEqual([]);
    expect(session.failures).toEqual([]);
  });
});

it('is seen speaking while the agent speaks, and ends with five frames of silence', async () => {
  world = await VoiceWorld.start();
  const ada = world.voice.addPerson(CHANNEL, ADA, 'Ada');
  const session = await world.open();
  await session.opened();
  const turns = () => ada.heard(BOT).speaking.map(({ isSpeaking }) => isSpeaking);
  expect(turns()).toEqual([]);
  for (const turn of [1, 2]) {
    session.engine.say(toneOf(AGENT_HZ));
    await waitFor('the agent', () => ada.heard(BOT).frames.length > 10);
    session.engine.say(null);
    await waitFor('the end', () => turns().length === 2 * turn);
    await waitFor('the silence', () => ada.heard(BOT).silences === 5 * turn);
    ada.heard(BOT).clear();
  }
  expect(turns()).toEqual([true, false, true, false]);
  expect(ada.heard(BOT).faults.filter(({ kind }) => kind === 'lost')).toEqual([]);
});

it('tells who speaks and who is there', async () => {
  world = await VoiceWorld.start();
  const ada = world.voice.addPerson(CHANNEL, ADA, 'Ada');
  const session = await world.open();
  await session.opened();
  ada.sing(ADA_HZ);
  await session.has('speaking');
  expect(session.of('stream')).toEqual([{ type: 'stream', ssrc: ada.ssrc, userId: ADA }]);
  ada.stop();
  await session.has('speaking', 2);
  expect(session.of('speaking')).toEqual([
    { type: 'speaking', userId: ADA, on: true },
    { type: 'speaking', userId: ADA, on: false },
  ]);
  world.voice.addPerson(CHANNEL, BEN, 'Ben');
  await waitFor('Ben', () => session.of('people').at(-1)?.userIds.includes(BEN));
  world.voice.removePerson(CHANNEL, ADA);
  await waitFor('only Ben', () => session.of('people').at(-1)?.userIds.join() === BEN);
});

it.each([4004, 4006, 4014, 4017, 4021, 4022] as const)('reports %s and does nothing more', async (code) => {
  world = await VoiceWorld.start();
  const session = await world.open();
  await session.opened();
  world.voice.close(world.voice.session(BOT)!, code);
  await session.has('closed');
  expect(session.of('closed')).toMatchObject([{ code }]);
  expect(world.voice.attempts).toHaveLength(1);
  expect(session.failures).toEqual([]);
});

it('reports that it was refused', async () => {
  world = await VoiceWorld.start();
  world.voice.refuse(4006);
  const session = await world.open();
  await session.has('closed');
  expect(session.signals).toMatchObject([{ type: 'closed', code: 4006 }]);
});

it('resumes after a broken connection: the same session, and people hear the agent again', {
  retry,
}, async () => {
  world = await VoiceWorld.start();
  const ada = world.voice.addPerson(CHANNEL, ADA, 'Ada');
  const session = await world.open();
  await session.opened();
  world.voice.session(BOT)!.cut();
  await waitFor('the resume', () => world.voice.attempts.length === 2);
  session.engine.say(toneOf(AGENT_HZ));
  ada.sing(ADA_HZ);
  await waitFor('the agent', () => ada.heard(BOT).samples.length > SECOND);
  await waitFor('Ada', () => session.engine.samplesOf(ada.ssrc).length > SECOND);
  expect(world.voice.attempts.map(({ kind, code }) => [kind, code])).toEqual([
    ['identify', null],
    ['resume', null],
  ]);
  expect(session.of('closed')).toEqual([]);
});

it('gives up when its connection breaks again and again', async () => {
  world = await VoiceWorld.start();
  const session = await world.open();
  await session.opened();
  for (let count = 2; session.of('closed').length === 0; count++) {
    world.voice.session(BOT)?.cut();
    await waitFor(
      'a resume or the end',
      () => world.voice.attempts.length === count || session.of('closed').length > 0,
    );
  }
  expect(world.voice.attempts.length).toBeLessThanOrEqual(7);
  expect(session.of('closed')).toMatchObject([
    { code: null, reason: expect.stringContaining('kept closing') },
  ]);
});

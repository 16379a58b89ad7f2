import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FakeBot } from '../fakes/discord/fake-bot.ts';
import type { CloseCode } from '../fakes/discord/voice/close-codes.ts';
import { Agent } from '../support/agent.ts';
import { DiscordVoiceWorld, type VoicePerson, type VoiceRoom } from '../support/discord-voice-world.ts';
import { type EndedCall, endedCall } from '../support/ended-call.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { toneLevelDb } from '../support/tone-analysis.ts';
import { waitFor } from '../support/wait-for.ts';

const retry = retryAudio();

const RATE_HZ = 48_000;
const ADA_HZ = 440;
const AGENT_HZ = 880;
const AUDIBLE_DB = -25;
const HALF_SECOND_FRAMES = 25;
/** The gateway enters a channel by itself at most so often in a minute. */
const MAX_ENTRIES = 5;

let world: DiscordVoiceWorld;
let bot: FakeBot;
let room: VoiceRoom;
let ada: VoicePerson;
let callId: string;
let agent: Agent;
let tone: { stop(): void };

beforeAll(async () => {
  world = await DiscordVoiceWorld.start({ gateway: { env: { SVC_ENGINE_THREADS: '1' } } });
  bot = await world.bot('attendant');
});
afterAll(() => world?.stop());

beforeEach(async () => {
  world.voice.attempts.length = 0;
  room = world.room(bot);
  ada = room.enter('Ada');
  const call = await room.call();
  callId = call.call_id;
  agent = await Agent.join(call.audio.stream_url, world.gateway.agentKey, { sampleRateHz: RATE_HZ });
  ada.client.sing(ADA_HZ);
  tone = agent.startTone(AGENT_HZ);
  await areHeard();
});

afterEach(async () => {
  tone.stop();
  ada.client.stop();
  await agent.close();
  await world.gateway.agentApi.delete(`/api/call/${callId}`);
  await waitFor('the bot to be gone', () => room.botChannelId === null);
});

/** Waits until Ada and the agent hear each other. */
async function areHeard(): Promise<void> {
  await waitFor('the agent to hear Ada', async () => {
    return toneLevelDb(await agent.hear(HALF_SECOND_FRAMES), RATE_HZ, ADA_HZ) > AUDIBLE_DB;
  });
  const heard = ada.client.heard(bot.id);
  heard.clear();
  await waitFor('Ada to hear the agent', () => {
    const samples = heard.samples.slice(-RATE_HZ / 2);
    return samples.length === RATE_HZ / 2 && toneLevelDb(samples, RATE_HZ, AGENT_HZ) > AUDIBLE_DB;
  });
}

function entries(): number {
  return world.voice.attempts.filter(({ kind }) => kind === 'identify').length;
}

async function isOver(): Promise<EndedCall> {
  return await endedCall(world.gateway, callId);
}

async function isActive(): Promise<void> {
  const { body } = await world.gateway.agentApi.get(`/api/call/${callId}`);
  expect(body.state).toBe('active');
}

describe('the voice server closes the session', { retry }, () => {
  it.each<[CloseCode, string]>([
    [4004, 'authentication failed'],
    [4011, 'was not found'],
    [4012, 'unknown protocol'],
    [4016, 'unknown encryption mode'],
    [4017, 'end-to-end encryption is required'],
    [4020, 'bad request'],
    [4021, 'rate limit'],
  ])('%s ends the call, and nothing is tried again', async (code, words) => {
    world.voice.close(room.session!, code);
    const { state, result, reason } = await isOver();
    expect([state, result]).toEqual(['disconnected', 'disconnected']);
    expect(reason).toContain(words);
    expect(reason).toContain(`${code}`);
    expect(world.voice.attempts).toHaveLength(1);
  });

  it('4022 ends the call for everybody', async () => {
    world.voice.close(room.session!, 4022);
    expect(await isOver()).toMatchObject({ state: 'ended', result: 'completed' });
    expect(world.voice.attempts).toHaveLength(1);
  });

  it.each([4006, 4009, 4014] as const)('%s brings the bot back with a new session', async (code) => {
    world.voice.close(room.session!, code);
    await waitFor('a new session', () => entries() === 2);
    await areHeard();
    await isActive();
    expect(entries()).toBe(2);
  });

  it('4015 is resumed', async () => {
    world.voice.close(room.session!, 4015);
    await waitFor('the resume', () => world.voice.attempts.at(-1)?.kind === 'resume');
    await areHeard();
    expect(entries()).toBe(1);
  });

  it.each([4006, 4009] as const)('%s again and again ends the call, without a storm', async (code) => {
    world.voice.refuse(code, 1_000);
    world.voice.close(room.session!, code);
    const { state, reason } = await isOver();
    world.voice.refuse(code, 0);
    expect(state).toBe('disconnected');
    expect(reason).toContain(`${code}`);
    expect(entries()).toBeLessThanOrEqual(MAX_ENTRIES + 1);
  });
});

describe('what happens in the server', { retry }, () => {
  it('the bot is moved: the call goes on in the other channel', async () => {
    const other = world.discord.addVoiceChannel(room.guild, 'Deck');
    world.discord.moderator.moves(bot, other);
    ada.client.stop();
    room.leave(ada);
    room.channel = other;
    ada = room.return(ada.person, 'Ada');
    ada.client.sing(ADA_HZ);
    await waitFor('the bot in the other channel', () => room.session?.stay.channelId === other.id);
    await areHeard();
    await isActive();
    expect(entries()).toBe(2);
  });

  it('the bot is removed: the call is disconnected, and may be placed again', async () => {
    world.discord.moderator.disconnects(bot, room.guild);
    expect(await isOver()).toEqual({
      state: 'disconnected',
      result: 'disconnected',
      reason: 'the bot was removed from the channel',
    });
    expect(entries()).toBe(1);
  });

  it('the channel is deleted: the call has ended', async () => {
    world.discord.moderator.deletes(room.channel);
    expect(await isOver()).toEqual({
      state: 'ended',
      result: 'completed',
      reason: 'the channel was deleted',
    });
    expect(entries()).toBe(1);
  });

  it('the voice server changes: the call goes on', async () => {
    world.discord.voice.depart(room.guild);
    await world.voice.changeServer();
    world.discord.voice.arrive(room.guild);
    await waitFor('the new server', () => entries() === 2);
    await areHeard();
    await isActive();
    expect(entries()).toBe(2);
  });

  it('everybody leaves: the bot stays, and hears who comes back', async () => {
    ada.client.stop();
    room.leave(ada);
    await waitFor('an empty list', async () => {
      const { body } = await world.gateway.agentApi.get(`/api/call/${callId}`);
      return (body.participants ?? []).length === 0;
    });
    ada = room.return(ada.person, 'Ada');
    ada.client.sing(ADA_HZ);
    await areHeard();
    expect(entries()).toBe(1);
  });
});

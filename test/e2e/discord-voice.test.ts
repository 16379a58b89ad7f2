import { PermissionFlagsBits } from 'discord-api-types/v10';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakeBot } from '../fakes/discord/fake-bot.ts';
import { startVendor } from '../fakes/speech-vendor/all-vendors.ts';
import type { FakeVendor } from '../fakes/speech-vendor/fake-vendor.ts';
import { toneSpeech } from '../fakes/tone-speech.ts';
import { Agent } from '../support/agent.ts';
import { DiscordVoiceWorld } from '../support/discord-voice-world.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { analyzeTone, toneLevelDb } from '../support/tone-analysis.ts';
import { waitFor } from '../support/wait-for.ts';

const retry = retryAudio();

const RATE_HZ = 48_000;
const TONES_HZ = { Ada: 440, Ben: 1_310, Cleo: 2_050 } as const;
const AGENT_HZ = 880;
const SECOND_FRAMES = 50;
const AUDIBLE_DB = -25;

let world: DiscordVoiceWorld;
let bot: FakeBot;
let vendor: FakeVendor;

beforeAll(async () => {
  vendor = await startVendor('deepgram');
  world = await DiscordVoiceWorld.start({ gateway: { env: { SVC_DEEPGRAM_URL: vendor.url } } });
  bot = await world.bot('attendant');
});
afterAll(async () => {
  await world?.stop();
  await vendor?.stop();
});

it('carries three voices and the agent, at 48 kHz, with the names of who is there', { retry }, async () => {
  const room = world.room(bot);
  const people = Object.keys(TONES_HZ).map((name) => room.enter(name));
  const call = await room.call();
  const agent = await Agent.join(call.audio.stream_url, world.gateway.agentKey, { sampleRateHz: RATE_HZ });
  expect(agent.sampleRateHz).toBe(RATE_HZ);
  for (const [index, hz] of Object.values(TONES_HZ).entries()) people[index]!.client.sing(hz, 0.15);
  const tone = agent.startTone(AGENT_HZ);
  await waitFor('all voices', async () => {
    const heard = await agent.hear(SECOND_FRAMES);
    return Object.values(TONES_HZ).every((hz) => toneLevelDb(heard, RATE_HZ, hz) > AUDIBLE_DB);
  });
  for (const { client } of people) {
    await waitFor('the agent', () => client.heard(bot.id).samples.length > RATE_HZ);
    client.heard(bot.id).clear();
    await waitFor('a second of it', () => client.heard(bot.id).samples.length > RATE_HZ);
    expect(analyzeTone(client.heard(bot.id).samples, RATE_HZ, AGENT_HZ).snrDb).toBeGreaterThan(20);
  }
  const { body } = await world.gateway.agentApi.get(`/api/call/${call.call_id}`);
  expect(body.participants.map(({ name }: { name: string }) => name).toSorted()).toEqual([
    'Ada',
    'Ben',
    'Cleo',
  ]);
  tone.stop();
  await agent.close();
  expect((await world.gateway.agentApi.delete(`/api/call/${call.call_id}`)).status).toBe(202);
  await waitFor('the bot to leave', () => room.botChannelId === null);
  expect(world.voice.offences).toEqual([]);
});

it('transcripts name who spoke, also when all speak at once', { retry }, async () => {
  const api_key = vendor.keyThatIs('valid');
  world.gateway.secrets.add(api_key);
  const preset = { kind: 'stt', provider: 'deepgram', api_key };
  expect((await world.gateway.settingsApi.post('/api/voice-configs', preset)).status).toBe(200);
  const room = world.room(bot);
  const words = { Ada: 'alpha bravo', Ben: 'juliett kilo', Cleo: 'tango uniform' };
  const people = Object.keys(words).map((name) => room.enter(name));
  const call = await room.call();
  const transcript = async (): Promise<string[]> =>
    (await world.gateway.agentApi.get(`/api/call/${call.call_id}`)).body.transcript;
  await Promise.all(people.map(({ client }, index) => client.say(speech(Object.values(words)[index]!))));
  await waitFor('all lines', async () => {
    const lines = (await transcript()).join(' ').toLowerCase();
    return Object.values(words).every((said) => lines.includes(said.split(' ')[1]!));
  });
  for (const [name, said] of Object.entries(words)) {
    const own = (await transcript()).filter((line) => line.startsWith(`[${name}] `));
    expect(
      own
        .join(' ')
        .toLowerCase()
        .replaceAll(/\[\w+\] |[.,]/g, ''),
    ).toBe(said);
  }
  await world.gateway.agentApi.delete(`/api/call/${call.call_id}`);
});

it('carries the chat of the channel both ways, with files', async () => {
  const room = world.room(bot);
  const ada = room.enter('Ada');
  const call = await room.call();
  const agent = await Agent.join(call.audio.stream_url, world.gateway.agentKey, { sampleRateHz: RATE_HZ });
  const file = { name: 'chart.txt', mime: 'text/plain', bytes: Buffer.from('rocks') };
  ada.person.sendsFiles(room.channel, [file], 'mind the rocks');
  const chat = await agent.waitFor('call_chat', { text: 'mind the rocks' });
  expect(chat).toMatchObject({ sender: 'Ada', attachments: [{ name: 'chart.txt', mime: 'text/plain' }] });
  const [attachment] = chat.attachments as { readonly url: string }[];
  expect(await (await fetch(attachment!.url)).text()).toBe('rocks');
  world.discord.moderator.postsByWebhook(room.channel, 'deploys', 'not for agents');
  const path = `/api/call/${call.call_id}`;
  const map = { name: 'map.txt', mime: 'text/plain', bytes_b64: Buffer.from('here').toString('base64') };
  const answer = { text: 'aye', attachments: [map] };
  expect((await world.gateway.agentApi.post(`${path}/chat`, answer)).status).toBe(200);
  expect((await world.gateway.agentApi.post(`${path}/chat`, { text: 'x'.repeat(2_001) })).status).toBe(502);
  expect((await world.gateway.agentApi.post(`${path}/typing`)).status).toBe(200);
  const written = room.channel.messages.filter(({ author }) => author === bot.user);
  expect(written.map(({ content }) => content)).toEqual(['aye']);
  expect(written[0]!.attachments.map(({ bytes }) => bytes.toString())).toEqual(['here']);
  expect(JSON.stringify(agent.events)).not.toContain('not for agents');
  expect(room.channel.typingShown.get(bot.id)).toBe(1);
  await agent.close();
  await world.gateway.agentApi.delete(path);
});

it('two bots of an account are in one channel, and each hears the other one and not itself', {
  retry,
}, async () => {
  const { agentApi, settingsApi, agentKey } = world.gateway;
  const other = await world.bot('steward');
  const { bot_tokens: bots } = (await settingsApi.get('/api/bot-tokens')).body;
  const idOf = (name: string): string =>
    bots.find(({ bot_name: botName }: { bot_name: string }) => botName === `@${name}`).id;
  const room = world.room(bot);
  const ada = room.enter('Ada');
  const sides = await Promise.all(
    [
      { room, name: 'attendant', hz: AGENT_HZ },
      { room: room.with(other), name: 'steward', hz: TONES_HZ.Ben },
    ].map(async ({ room: place, name, hz }) => {
      const { call_id, audio } = await place.call({ login_id: idOf(name) });
      const agent = await Agent.join(audio.stream_url, agentKey, { sampleRateHz: RATE_HZ });
      return { path: `/api/call/${call_id}`, agent, hz, tone: agent.startTone(hz) };
    }),
  );
  for (const [index, { agent, path, hz: ownHz }] of sides.entries()) {
    const { hz: otherHz } = sides[1 - index]!;
    const heard = await waitFor('the other bot', async () => {
      const samples = await agent.hear(SECOND_FRAMES);
      return toneLevelDb(samples, RATE_HZ, otherHz) > AUDIBLE_DB ? samples : null;
    });
    expect(toneLevelDb(heard, RATE_HZ, ownHz)).toBeLessThan(toneLevelDb(heard, RATE_HZ, otherHz) - 40);
    const { participants } = (await agentApi.get(path)).body;
    expect(participants.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      'Ada',
      ['steward', 'attendant'][index],
    ]);
  }
  for (const sender of [bot, other])
    await waitFor('Ada to hear both', () => ada.client.heard(sender.id).samples.length > RATE_HZ);
  for (const { path, agent, tone } of sides) {
    tone.stop();
    await agent.close();
    await agentApi.delete(path);
  }
  await waitFor('both to leave', () => room.guild.voiceStates.size === 1);
  expect((await settingsApi.delete(`/api/bot-tokens/${idOf('steward')}`)).status).toBe(200);
  expect(world.voice.offences).toEqual([]);
});

describe('a channel that the bot may not enter', () => {
  async function refusalOf(url: string): Promise<{ result: string; reason: string }> {
    const api = world.gateway.agentApi;
    const { body } = await api.post('/api/call', { platform: 'discord', meeting_url: url });
    const shown = async () => (await api.get(`/api/call/${body.call_id}`)).body.termination;
    return await waitFor('the reason', shown, 12_000);
  }

  it('is unknown', async () => {
    const room = world.room(bot);
    const { result, reason } = await refusalOf(`${room.url.slice(0, -19)}${'9'.repeat(19)}`);
    expect([result, reason]).toEqual(['refused', expect.stringContaining('10003')]);
  });

  it('gives it no permission', async () => {
    const room = world.room(bot);
    world.discord.moderator.overwrites(room.channel, 'everyone', { deny: PermissionFlagsBits.Connect });
    expect(await refusalOf(room.url)).toEqual({
      result: 'refused',
      reason: 'no permission to connect to the channel',
    });
  });

  it('is full', async () => {
    const room = world.room(bot, 1);
    room.enter('Ada');
    const { result, reason } = await refusalOf(room.url);
    expect([result, reason]).toEqual(['busy', expect.stringContaining('room for 1')]);
  });

  it('is not a voice channel', async () => {
    const room = world.room(bot);
    const text = world.discord.addTextChannel(room.guild, 'general');
    const { result } = await refusalOf(`https://discord.com/channels/${room.guild.id}/${text.id}`);
    expect(result).toBe('refused');
  });

  it('is a stage channel', async () => {
    const room = world.room(bot);
    const stage = world.discord.addStageChannel(room.guild, 'Talks');
    expect(await refusalOf(`https://discord.com/channels/${room.guild.id}/${stage.id}`)).toEqual({
      result: 'refused',
      reason: 'It is a stage channel. Bots speak in voice channels only',
    });
  });

  it('is in a server in which the bot is on a call already', async () => {
    const room = world.room(bot);
    const call = await room.call();
    const { status, body } = await world.gateway.agentApi.post('/api/call', {
      platform: 'discord',
      meeting_url: room.url,
    });
    expect([status, body.detail]).toEqual([429, 'The bot is already in a voice channel of this server']);
    await world.gateway.agentApi.delete(`/api/call/${call.call_id}`);
  });
});

function speech(words: string): Int16Array {
  const audio = toneSpeech(words, { encoding: 's16le', sampleRateHz: RATE_HZ });
  return new Int16Array(audio.buffer, audio.byteOffset, audio.byteLength / 2);
}

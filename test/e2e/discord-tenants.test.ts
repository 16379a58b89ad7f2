import { PermissionFlagsBits } from 'discord-api-types/v10';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FakeBot } from '../fakes/discord/fake-bot.ts';
import type { FakePerson } from '../fakes/discord/fake-person.ts';
import { DiscordVoiceWorld, type VoiceRoom } from '../support/discord-voice-world.ts';
import type { GatewayApi } from '../support/gateway-api.ts';
import { memberOf } from '../support/member.ts';
import { waitFor } from '../support/wait-for.ts';

const NOBODY = 'The shared bot enters only channels that somebody who is linked to this account may enter';

const TAKEN = 'The bot is already in a voice channel of this server';

let world: DiscordVoiceWorld;
let bot: FakeBot;
/** Ada's account, which the gateway was started with, and Ben's. */
let adas: GatewayApi;
let bens: GatewayApi;
let ada: FakePerson;
let ben: FakePerson;

beforeAll(async () => {
  world = await DiscordVoiceWorld.start({
    gateway: { env: { SVC_SIGNUP: 'open' } },
    hasSharedBot: true,
  });
  bot = world.sharedBot!;
  const { gateway } = world;
  const member = await memberOf(gateway, 'ben@example.com');
  const { body } = await member.request('POST', '/api/api-keys', { name: 'tenant' });
  const key = Object.values<string>(body).find((value) => /^svc_.{30}/.test(value))!;
  gateway.secrets.add(key);
  [adas, bens] = [gateway.agentApi, gateway.api(key)];
  ada = await world.link('Ada', gateway.settingsApi);
  ben = await world.link('Ben', {
    post: (path: string, sent?: unknown) => member.request('POST', path, sent as object),
  });
});
afterAll(() => world?.stop());

/** A voice channel, with this member of its server. */
function roomOf(person: FakePerson): VoiceRoom {
  const room = world.room(bot);
  person.joins(room.guild);
  return room;
}

async function place(api: GatewayApi, { url }: VoiceRoom) {
  return await api.post('/api/call', { platform: 'discord', meeting_url: url });
}

async function endOf(api: GatewayApi, callId: string): Promise<{ result: string; reason: string }> {
  return await waitFor('the end', async () => (await api.get(`/api/call/${callId}`)).body.termination);
}

/** Why the bot did not enter. */
async function refusalOf(api: GatewayApi, room: VoiceRoom): Promise<string> {
  const { body } = await place(api, room);
  const { result, reason } = await endOf(api, body.call_id);
  expect([result, room.botChannelId]).toEqual(['refused', null]);
  return reason;
}

it('the shared bot enters no channel of a server in which an account has nobody', async () => {
  expect(await refusalOf(bens, roomOf(ada))).toBe(NOBODY);
});

it('the shared bot enters no channel that the account’s own people may not enter', async () => {
  const room = roomOf(ada);
  ben.joins(room.guild);
  const { moderator } = world.discord;
  moderator.overwrites(room.channel, 'everyone', { deny: PermissionFlagsBits.Connect });
  for (const whom of [ada, bot])
    moderator.overwrites(room.channel, whom, { allow: PermissionFlagsBits.Connect });
  expect(await refusalOf(bens, room)).toBe(NOBODY);
  const call = await room.call();
  // Not even that the bot is there.
  const { body } = await place(bens, room);
  expect((await endOf(bens, body.call_id)).reason).toBe(NOBODY);
  expect((await bens.get(`/api/call/${call.call_id}`)).status).toBe(404);
  await adas.delete(`/api/call/${call.call_id}`);
  await waitFor('the bot to leave', () => room.botChannelId === null);
});

it('the shared bot is in one channel of a server at a time, and strangers do not keep it from it', async () => {
  const room = roomOf(ada);
  ben.joins(room.guild);
  const call = await room.call();
  const second = await place(bens, room);
  expect(await endOf(bens, second.body.call_id)).toEqual({ result: 'busy', reason: TAKEN });
  const again = await place(adas, room);
  expect([again.status, again.body.detail]).toEqual([429, TAKEN]);
  await adas.delete(`/api/call/${call.call_id}`);
  await waitFor('the bot to leave', () => room.botChannelId === null);
  const { body } = await place(bens, room);
  await waitFor('the bot to enter', () => room.botChannelId !== null);
  await bens.delete(`/api/call/${body.call_id}`);
  await waitFor('the bot to leave', () => room.botChannelId === null);
});

it('a person who is linked to an account and leaves the server takes it no longer in', async () => {
  const room = roomOf(ben);
  ben.leaves(room.guild);
  expect(await refusalOf(bens, room)).toBe(NOBODY);
});

it('what is written in the chat of a call reaches nobody else', async () => {
  const room = roomOf(ada);
  const call = await room.call();
  ada.writes(room.channel, 'only for the call');
  ben.writes(bot, 'hello');
  await waitFor('Ben’s message', async () =>
    JSON.stringify((await bens.get('/api/inbox')).body).includes('hello'),
  );
  expect(JSON.stringify((await bens.get('/api/inbox')).body)).not.toContain('only for the call');
  await adas.delete(`/api/call/${call.call_id}`);
});

import { PermissionFlagsBits } from 'discord-api-types/v10';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeBot } from '../../../fakes/discord/fake-bot.ts';
import type { FakeDiscord } from '../../../fakes/discord/fake-discord.ts';
import type { FakePerson } from '../../../fakes/discord/fake-person.ts';
import type { FakeChannel } from '../../../fakes/discord/world/channel.ts';
import type { FakeGuild } from '../../../fakes/discord/world/guild.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { type Connected, connect, startFake } from './discord-setup.ts';

let discord: FakeDiscord;
let bot: FakeBot;
let owner: FakePerson;
let ada: FakePerson;
let guild: FakeGuild;
let general: FakeChannel;
let subject: Connected;

beforeEach(async () => {
  discord = await startFake();
  bot = discord.addBot({ username: 'helper', granted: ['messageContent'] });
  owner = discord.addPerson('Olga');
  ada = discord.addPerson('Ada');
  guild = discord.addGuild('Home', owner);
  discord.install(bot, guild);
  ada.joins(guild);
  general = discord.addTextChannel(guild, 'general');
});
afterEach(async () => {
  await subject?.connector.close();
  await discord.stop();
});

async function start(setup: Parameters<typeof connect>[1] = {}): Promise<void> {
  subject = connect(discord, setup);
  const state = await subject.connector.provides.bots!.addBot({
    id: 'bot_1',
    accountId: 'acc_a',
    token: bot.token,
    appId: bot.applicationId,
  });
  expect(state).toEqual({ name: '@helper', status: 'ok' });
}

/** Waits for a direct message behind everything else, and returns the texts before it. */
async function textsSoFar(): Promise<string[]> {
  ada.writes(bot, 'the end');
  await waitFor('the end', () => subject.intake.texts.includes('the end'));
  return subject.intake.texts.slice(0, -1);
}

const written = (channel: FakeChannel) =>
  channel.messages.filter(({ author }) => author === bot.user).map(({ content }) => content);

describe('direct messages', () => {
  it('have a sender, a time, and what they answer', async () => {
    await start();
    const first = ada.writes(bot, 'hello');
    ada.replies(first, 'anybody there?');
    expect(await textsSoFar()).toEqual(['hello', 'anybody there?']);
    const [message] = subject.intake.messages;
    expect(message).toMatchObject({
      from: { space: { kind: 'direct', id: ada.id }, thread: null, person: ada.id },
      remoteName: 'Ada',
      senderName: null,
      platformMessageId: first.id,
    });
    expect(Math.abs(Date.parse(message!.sentAt) - Date.now())).toBeLessThan(60_000);
  });

  it('can be edited and deleted', async () => {
    await start();
    const [first, second] = [ada.writes(bot, 'one'), ada.writes(bot, 'two')];
    await textsSoFar();
    ada.edits(first, 'uno');
    ada.deletes(second);
    await waitFor('both', () => subject.intake.edits.length === 2);
    expect(subject.intake.edits).toEqual([
      { id: first.id, text: 'uno' },
      { id: second.id, text: null },
    ]);
  });

  it('bring files and voice messages, which are fetched at a fresh address until they are gone', async () => {
    await start();
    const bytes = Buffer.from('a plan');
    const sent = ada.sendsFiles(bot, [{ name: 'plan.pdf', mime: 'application/pdf', bytes }], 'see');
    ada.sendsVoiceMessage(bot, Buffer.from('OggS'), 2);
    await textsSoFar();
    const [plan, voice] = subject.intake.messages.flatMap(({ files }) => files);
    expect(plan).toMatchObject({ name: 'plan.pdf', mime: 'application/pdf', sizeBytes: bytes.length });
    expect(voice).toMatchObject({ mime: 'audio/ogg' });
    const open = async () => {
      const files = subject.connector.provides.messenger!.files!;
      const login = { kind: 'bot_token', id: 'bot_1' } as const;
      const parts = await Array.fromAsync(
        await files.fetchFile(login, plan!.ref!, new AbortController().signal),
      );
      return Buffer.concat(parts);
    };
    expect(await open()).toEqual(bytes);
    ada.deletes(sent);
    await expect(open()).rejects.toMatchObject({ code: 'file_gone' });
  });

  it('of other bots are heard only where that is set', async () => {
    const other = discord.addBot({ username: 'other' });
    discord.install(other, guild);
    await start({ options: { hearsBots: true } });
    const talks = () =>
      fetch(`${discord.url}/api/v10/channels/${general.id}/messages`, {
        method: 'POST',
        headers: {
          authorization: `Bot ${other.token}`,
          'content-type': 'application/json',
          'user-agent': 'DiscordBot (https://test.example, 1)',
        },
        body: JSON.stringify({ content: `<@${bot.id}> beep` }),
      });
    expect((await talks()).status).toBe(200);
    expect(await textsSoFar()).toEqual(['beep']);
    await subject.connector.close();
    await start();
    await talks();
    expect(await textsSoFar()).toEqual([]);
  });
});

describe('channels', () => {
  it('are heard where the bot’s own role is mentioned', async () => {
    await start();
    const own = [...guild.roles.values()].find(({ botId }) => botId === bot.user.id)!;
    ada.writes(general, `<@&${own.id}> help`);
    ada.writes(general, `<@&${guild.id}> nobody in particular`);
    expect(await textsSoFar()).toEqual(['help']);
  });

  it('are heard where the bot is mentioned, threads as conversations of their own', async () => {
    await start();
    ada.writes(general, 'just talking');
    const asked = ada.mentions(bot, general, `what does <@${owner.id}> say?`);
    const thread = ada.startsThread(general, 'aside', asked);
    ada.mentions(bot, thread, 'and here?');
    expect(await textsSoFar()).toEqual(['what does @Olga say?', 'and here?']);
    const [inChannel, inThread] = subject.intake.messages;
    expect(inChannel).toMatchObject({
      from: { space: { kind: 'channel', id: general.id }, thread: null, person: ada.id },
      remoteName: 'general',
      senderName: 'Ada',
    });
    expect(inThread).toMatchObject({
      from: { space: { id: general.id }, thread: thread.id },
      remoteName: 'general',
    });
  });

  it('are heard as a whole after somebody who may manage the server said so', async () => {
    await start();
    ada.mentions(bot, general, 'listen');
    await waitFor('the refusal', () => written(general).length === 1);
    owner.mentions(bot, general, 'listen');
    await waitFor('the answer', () => written(general).length === 2);
    ada.writes(general, 'to everybody');
    const thread = ada.startsThread(general, 'aside');
    ada.writes(thread, 'in the thread');
    owner.mentions(bot, general, 'stop listening');
    await waitFor('the other answer', () => written(general).length === 3);
    ada.writes(general, 'unheard');
    expect(await textsSoFar()).toEqual(['to everybody', 'in the thread']);
    expect(written(general)[0]).toContain('Only somebody who may manage the server');
  });

  it('can be listened to by a role that may manage the server', async () => {
    const role = discord.world.addRole(guild, 'mods', PermissionFlagsBits.ManageGuild);
    guild.members.get(ada.id)!.roleIds.add(role.id);
    await start();
    ada.mentions(bot, general, 'Listen');
    await waitFor('the answer', () => written(general).length === 1);
    expect(written(general)[0]).toContain('I now read everything');
  });

  it('cannot be listened to without the Message Content intent, which the bot says', async () => {
    bot.granted.clear();
    await start();
    expect(subject.logs.join()).toContain('Message Content');
    owner.mentions(bot, general, 'listen');
    await waitFor('the answer', () => written(general).length === 1);
    expect(written(general)[0]).toContain('Message Content intent is off');
    ada.mentions(bot, general, 'but mentions work');
    expect(await textsSoFar()).toEqual(['but mentions work']);
  });

  it('that are deleted, or whose server removes the bot, can no longer be reached', async () => {
    const second = discord.addTextChannel(guild, 'second');
    await start();
    ada.mentions(bot, general, 'one');
    ada.mentions(bot, second, 'two');
    await textsSoFar();
    discord.moderator.deletes(general);
    await waitFor('the first', () => subject.intake.unreachable.length === 1);
    discord.moderator.kicks(bot, guild);
    await waitFor('the others', () => subject.intake.unreachable.includes(second.id));
    expect(subject.intake.unreachable[0]).toBe(general.id);
  });
});

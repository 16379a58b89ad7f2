import type { Message } from 'oceanic.js';
import { expect, test } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { startOceanic } from './oceanic-bot.ts';

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(500, 3)]);

/** With everything that the bot is told of messages. */
async function startListening(...options: Parameters<typeof startOceanic>) {
  const world = await startOceanic(...options);
  const created: Message[] = [];
  const updated: Message[] = [];
  const deleted: string[] = [];
  world.client.on('messageCreate', (message) => void created.push(message));
  world.client.on('messageUpdate', (message) => void updated.push(message));
  world.client.on('messageDelete', ({ id }) => void deleted.push(id));
  return { ...world, created, updated, deleted };
}

test('direct messages go both ways, with replies, edits and deletes', async () => {
  const { bot, ada, client, created, updated, deleted } = await startListening();
  const hello = ada.writes(bot, 'hello');
  await waitFor('the message', () => created.length === 1);
  expect(created[0]).toMatchObject({ id: hello.id, content: 'hello', author: { id: ada.id } });
  const answered = await client.rest.channels.createMessage(hello.channelId, {
    content: 'hello yourself',
    messageReference: { messageID: hello.id },
  });
  expect(answered.referencedMessage?.content).toBe('hello');
  const thanks = ada.replies(ada.received(bot)[0]!, 'thanks');
  ada.edits(thanks, 'many thanks');
  ada.deletes(thanks);
  await waitFor('the end', () => deleted.length === 1);
  expect(updated.map(({ content }) => content)).toEqual(['many thanks']);
  expect(updated[0]?.editedTimestamp).toBeInstanceOf(Date);
  expect(deleted).toEqual([thanks.id]);
});

test('a bot opens the conversation, types, edits and deletes', async () => {
  const { bot, ada, client } = await startListening();
  const { id } = await client.rest.users.createDM(ada.id);
  expect(id).toBe(ada.dm(bot).id);
  await client.rest.channels.sendTyping(id);
  expect(ada.typingShown(bot)).toBe(1);
  const sent = await client.rest.channels.createMessage(id, { content: 'one' });
  await client.rest.channels.editMessage(id, sent.id, { content: 'two' });
  expect(ada.received(bot).map(({ content }) => content)).toEqual(['two']);
  await client.rest.channels.deleteMessage(id, sent.id);
  expect(ada.received(bot)).toEqual([]);
});

test('files go both ways', async () => {
  const { bot, ada, client, created } = await startListening();
  ada.sendsFiles(bot, [{ name: 'a chart.png', mime: 'image/png', bytes: PNG }], 'look');
  ada.sendsVoiceMessage(bot, Buffer.from('OggS'), 1.5);
  await waitFor('both', () => created.length === 2);
  const attachment = created[0]!.attachments.first()!;
  expect(attachment).toMatchObject({ filename: 'a_chart.png', size: PNG.length, contentType: 'image/png' });
  expect(Buffer.from(await (await fetch(attachment.url)).arrayBuffer())).toEqual(PNG);
  expect(created[1]!.attachments.first()).toMatchObject({ durationSecs: 1.5, waveform: 'AAAA' });
  await client.rest.channels.createMessage(ada.dm(bot).id, {
    content: 'here',
    files: [{ name: 'answer.txt', contents: Buffer.from('42') }],
  });
  const [received] = ada.received(bot);
  expect(received?.attachments.map(({ name, bytes }) => [name, bytes.toString()])).toEqual([
    ['answer.txt', '42'],
  ]);
});

test('without the intent MESSAGE_CONTENT, texts of channels are empty unless they mention the bot', async () => {
  const { bot, ada, channel, created } = await startListening({}, [
    'GUILDS',
    'GUILD_MESSAGES',
    'DIRECT_MESSAGES',
  ]);
  ada.writes(channel, 'secret');
  ada.mentions(bot, channel, 'for you');
  ada.writes(bot, 'direct');
  await waitFor('all three', () => created.length === 3);
  expect(created.map(({ content }) => content)).toEqual(['', `<@${bot.id}> for you`, 'direct']);
});

test('history is given in pages, behind a message and before it', async () => {
  const { bot, ada, client } = await startListening();
  const written = ['a', 'b', 'c', 'd'].map((text) => ada.writes(bot, text));
  const texts = async (options: { limit: number; before?: string; after?: string }) =>
    (await client.rest.channels.getMessages(ada.dm(bot).id, options)).map(({ content }) => content);
  expect(await texts({ limit: 2 })).toEqual(['d', 'c']);
  expect(await texts({ limit: 2, after: written[0]!.id })).toEqual(['c', 'b']);
  expect(await texts({ limit: 2, before: written[1]!.id })).toEqual(['a']);
});

test('threads of channels', async () => {
  const { ada, channel, client, created } = await startListening();
  const beginning = ada.writes(channel, 'what about this?');
  const thread = ada.startsThread(channel, 'this', beginning);
  ada.writes(thread, 'in the thread');
  await waitFor('both', () => created.length === 2);
  expect(created[1]!.channelID).toBe(beginning.id);
  await client.rest.channels.createMessage(thread.id, { content: 'an answer' });
  expect(thread.messages.map(({ content }) => content)).toEqual(['in the thread', 'an answer']);
  const own = await client.rest.channels.startThreadWithoutMessage(channel.id, { name: 'mine', type: 11 });
  expect(own.parentID).toBe(channel.id);
});

test('the preview of a link changes a message, which is no edit', async () => {
  const { bot, ada, updated } = await startListening();
  ada.unfurls(ada.writes(bot, 'https://example.com/'));
  await waitFor('the change', () => updated.length === 1);
  expect(updated[0]).toMatchObject({ content: 'https://example.com/', editedTimestamp: null });
});

test('messages of webhooks and of other bots say that they are', async () => {
  const { discord, guild, channel, created } = await startListening();
  discord.moderator.postsByWebhook(channel, 'deploys', 'done');
  const other = discord.addForeignBot('other');
  other.joins(guild);
  other.writes(channel, 'beep');
  await waitFor('both', () => created.length === 2);
  expect(created.map(({ author, webhookID }) => [author.bot, webhookID !== undefined])).toEqual([
    [true, true],
    [true, false],
  ]);
});

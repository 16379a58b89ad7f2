import { DiscordRESTError } from 'oceanic.js';
import { expect, test } from 'vitest';
import { startOceanic } from './oceanic-bot.ts';

test('a client that reads the headers never exceeds the limit of a route', async () => {
  const { discord, bot, ada, client } = await startOceanic({
    rateLimits: { createMessage: { count: 2, windowMs: 200 } },
  });
  const { id } = ada.dm(bot);
  for (const content of ['1', '2', '3', '4', '5']) await client.rest.channels.createMessage(id, { content });
  expect(ada.received(bot)).toHaveLength(5);
  expect(discord.invalidRequests.recent).toBe(0);
});

test('a client waits as long as a 429 says, and asks again', async () => {
  const { discord, bot, ada, client } = await startOceanic();
  discord.fail('createMessage', { kind: 'throttle', retryAfterS: 0.2 });
  const startedMs = performance.now();
  await client.rest.channels.createMessage(ada.dm(bot).id, { content: 'late' });
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(190);
  expect(ada.received(bot)).toHaveLength(1);
  expect(discord.invalidRequests.recent).toBe(1);
});

test('refusals are read as Discord words them', async () => {
  const { bot, ada, guild, client, discord } = await startOceanic();
  const refusal = async (content: string): Promise<DiscordRESTError> => {
    const error = await client.rest.channels
      .createMessage(ada.dm(bot).id, { content })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DiscordRESTError);
    return error as DiscordRESTError;
  };
  expect(await refusal('a'.repeat(2_001))).toMatchObject({
    code: 50035,
    message: expect.stringContaining('Must be 2000 or fewer in length'),
  });
  expect(await refusal('  ')).toMatchObject({ code: 50006 });
  ada.blocks(bot);
  expect(await refusal('x')).toMatchObject({ status: 403, code: 50007 });
  ada.unblocks(bot);
  ada.leaves(guild);
  expect(await refusal('x')).toMatchObject({ code: 50278 });
  expect(discord.invalidRequests.recent).toBe(2);
});

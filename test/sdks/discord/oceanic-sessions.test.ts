import { expect, test } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { startOceanic } from './oceanic-bot.ts';

async function startHearing(...options: Parameters<typeof startOceanic>) {
  const world = await startOceanic(...options);
  const heard: string[] = [];
  const ready: string[] = [];
  world.client.on('messageCreate', ({ content }) => void heard.push(content));
  world.client.on('packet', ({ t }) => {
    if (t === 'RESUMED' || t === 'READY') ready.push(t);
  });
  return { ...world, heard, ready };
}

test('a session is resumed after op 7 and after a broken connection, and nothing is missed', async () => {
  const { discord, bot, ada, heard, ready } = await startHearing();
  discord.gateway.faults.reconnect(bot);
  ada.writes(bot, 'during op 7');
  await waitFor('the first resumption', () => ready.length === 1);
  discord.gateway.faults.drop(bot);
  ada.writes(bot, 'while away');
  await waitFor('the second resumption', () => ready.length === 2);
  ada.writes(bot, 'back');
  await waitFor('all messages', () => heard.length === 3);
  expect(heard).toEqual(['during op 7', 'while away', 'back']);
  expect(ready).toEqual(['RESUMED', 'RESUMED']);
});

test('a session that Discord has forgotten is identified anew, and what was said meanwhile is lost', async () => {
  const { discord, bot, ada, heard, ready } = await startHearing();
  discord.gateway.faults.drop(bot);
  discord.gateway.faults.forget(bot);
  ada.writes(bot, 'lost');
  await waitFor('a new session', () => ready.length === 1);
  ada.writes(bot, 'heard');
  await waitFor('the message', () => heard.length === 1);
  expect([heard, ready]).toEqual([['heard'], ['READY']]);
  expect(bot.sessionStartLimit(Date.now()).remaining).toBe(998);
});

test('op 9 ends a session, or lets it be resumed', async () => {
  const { discord, bot, ready } = await startHearing();
  discord.gateway.faults.invalidate(bot, true);
  await waitFor('a resumption', () => ready.length === 1);
  discord.gateway.faults.invalidate(bot, false);
  await waitFor('a new session', () => ready.length === 2);
  expect(ready).toEqual(['RESUMED', 'READY']);
});

test('a connection without heartbeats is closed, and one without answers is left', async () => {
  const { discord, ready, bot } = await startHearing({ heartbeatMs: 100 });
  discord.gateway.acknowledges = false;
  await waitFor('the client to give up', () => ready.length > 0);
  expect(ready[0]).toBe('RESUMED');
  discord.gateway.acknowledges = true;
  await waitFor('one connection', () => discord.gateway.sessionsOf(bot).some(({ outlet }) => outlet));
});

test('a dead token ends the session for good', async () => {
  const { discord, bot, errors, client } = await startHearing();
  discord.revoke(bot);
  await waitFor('the error', () => errors.length > 0);
  expect(String(errors[0])).toContain('Invalid Token');
  await expect(client.rest.oauth.getCurrentUser()).rejects.toThrow(/401|Unauthorized/);
});

test('an intent that the portal has not granted is refused with 4014', async () => {
  const { discord, bot, errors } = await startHearing();
  bot.granted.delete('messageContent');
  discord.gateway.faults.invalidate(bot, false);
  await waitFor('the error', () => errors.length > 0);
  expect(String(errors[0])).toMatch(/disallowed intents/i);
});

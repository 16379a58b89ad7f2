import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installLink } from '../../../../src/connectors/discord/login/install-link.ts';
import type { FakeBot } from '../../../fakes/discord/fake-bot.ts';
import type { FakeDiscord } from '../../../fakes/discord/fake-discord.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { type Connected, connect, startFake } from './discord-setup.ts';

/** Of the right form, and nobody's. */
const MADE_UP = 'MTIzNDU2Nzg5MDEyMzQ1Njc4.GkX2pA.a-signature-of-nobody-at-all';
const CODE = 'abcdefghijklmnopqrstuvwxyz012345';
const wrongCode = (n: number) => `${n}`.padStart(32, 'x');

let discord: FakeDiscord;
let bot: FakeBot;
let subject: Connected;

beforeEach(async () => {
  discord = await startFake();
  bot = discord.addBot({ username: 'helper' });
});
afterEach(async () => {
  await subject?.connector.close();
  await discord.stop();
});

const add = (id: string, { token, applicationId: appId }: { token: string; applicationId: string } = bot) =>
  subject.connector.provides.bots!.addBot({ id, accountId: 'acc_a', token, appId });

describe('an own bot', () => {
  beforeEach(() => {
    subject = connect(discord);
  });

  it('is refused with another application’s id, or a wrong token', async () => {
    await expect(
      add('bot_1', { token: bot.token, applicationId: '123456789012345678' }),
    ).rejects.toMatchObject({
      code: 'bot_refused',
      message: `The platform refused the bot token: The token belongs to application ${bot.applicationId}, not to 123456789012345678`,
    });
    await expect(add('bot_1', { token: MADE_UP, applicationId: bot.applicationId })).rejects.toMatchObject({
      code: 'bot_refused',
      message: 'The platform refused the bot token: 401: Unauthorized',
    });
    expect((await add('bot_1')).status).toBe('ok');
  });

  it.each([
    'made.up.token',
    'a client secret: xJ2kq0vB8',
    '3f7a'.repeat(16),
    '123456789012345678',
    `Bot ${MADE_UP}`,
    MADE_UP.slice(0, 40),
  ])('is refused without asking Discord when the token is %j', async (token) => {
    const asked = discord.requests.length;
    await expect(add('bot_1', { token, applicationId: bot.applicationId })).rejects.toMatchObject({
      code: 'bot_token_malformed',
      message: expect.stringContaining('Reset Token'),
    });
    expect(discord.requests.length).toBe(asked);
  });

  it('has one session, whoever else registers it and with whichever token', async () => {
    await add('bot_1');
    await expect(add('bot_2')).rejects.toMatchObject({ code: 'bot_token_taken' });
    const former = bot.token;
    bot.resetToken();
    expect(bot.token).not.toBe(former);
    await expect(add('bot_2')).rejects.toMatchObject({ code: 'bot_token_taken' });
    expect(discord.gateway.sessionsOf(bot)).toHaveLength(1);
    await subject.connector.provides.bots!.removeBot('bot_1');
    expect((await add('bot_2')).status).toBe('ok');
  });

  it('is registered at the same time by two accounts: one of them gets it', async () => {
    const both = await Promise.allSettled([add('bot_1'), add('bot_2')]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(discord.gateway.sessionsOf(bot)).toHaveLength(1);
  });

  it('goes offline when it is removed', async () => {
    await add('bot_1');
    await subject.connector.provides.bots!.removeBot('bot_1');
    await waitFor('the end of its session', () => discord.gateway.sessionsOf(bot).length === 0);
  });

  it('has a link to add it to servers, with what it needs there and no more', () => {
    const url = new URL(installLink('https://discord.com/api', '42'));
    expect([url.origin, url.pathname]).toEqual(['https://discord.com', '/oauth2/authorize']);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: '42',
      scope: 'bot',
      permissions: '274914708480',
    });
  });
});

describe('the shared bot', () => {
  beforeEach(async () => {
    const { token, applicationId } = bot;
    subject = connect(discord, { options: { shared: { token, applicationId, clientSecret: null } } });
    subject.intake.isUnbound = ({ space }) => !subject.intake.bound.includes(space.id);
    await subject.connector.start();
    await waitFor(
      'the session',
      () => subject.connector.provides.sharedLogin!.sharedLogin()?.status === 'ok',
    );
  });

  function person(name: string) {
    const someone = discord.addPerson(name);
    someone.installs(bot);
    return someone;
  }

  it('tells strangers once how to be connected, and stores nothing of them', async () => {
    const eve = person('Eve');
    for (let n = 0; n < 5; n++) eve.writes(bot, 'let me in');
    const ada = person('Ada');
    ada.writes(bot, 'hello?');
    await waitFor('the answer', () => ada.received(bot).length === 1);
    expect(eve.received(bot).map(({ content }) => content)).toEqual([
      expect.stringContaining('one-time code'),
    ]);
    expect(subject.intake.messages).toEqual([]);
  });

  it('connects a person by a code, once', async () => {
    subject.intake.codes.add(CODE);
    const [ada, eve] = [person('Ada'), person('Eve')];
    ada.writes(bot, `here it is: ${CODE}`);
    await waitFor('the welcome', () => ada.received(bot).length === 1);
    eve.writes(bot, CODE);
    await waitFor('the refusal', () => eve.received(bot).length === 1);
    expect(subject.intake.bound).toEqual([ada.id]);
    expect(eve.received(bot)[0]!.content).toContain('not valid');
    ada.writes(bot, 'good morning');
    await waitFor('the message', () => subject.intake.texts.includes('good morning'));
    expect(subject.intake.texts).toEqual(['good morning']);
  });

  it('takes five wrong codes of a person, then no right one', async () => {
    subject.intake.codes.add(CODE);
    const [eve, ada] = [person('Eve'), person('Ada')];
    for (let n = 0; n < 5; n++) eve.writes(bot, wrongCode(n));
    eve.writes(bot, CODE);
    ada.writes(bot, 'I am behind her');
    await waitFor('her answer', () => ada.received(bot).length === 1);
    expect(subject.intake.bound).toEqual([]);
    ada.writes(bot, CODE);
    await waitFor('the welcome', () => ada.received(bot).length === 2);
    expect(subject.intake.bound).toEqual([ada.id]);
  });

  it('lets only those who may manage a server connect its channels', async () => {
    subject.intake.codes.add(CODE);
    const [owner, eve] = [person('Olga'), person('Eve')];
    const guild = discord.addGuild('Home', owner);
    discord.install(bot, guild);
    eve.joins(guild);
    const channel = discord.addTextChannel(guild, 'general');
    const answers = () => channel.messages.filter(({ author }) => author === bot.user);
    eve.mentions(bot, channel, CODE);
    await waitFor('the refusal', () => answers().length === 1);
    expect(subject.intake.bound).toEqual([]);
    owner.mentions(bot, channel, CODE);
    await waitFor('the welcome', () => answers().length === 2);
    expect(subject.intake.bound).toEqual([channel.id]);
  });

  it('cannot be registered by an account', async () => {
    await expect(add('bot_1')).rejects.toMatchObject({ code: 'bot_token_taken' });
  });
});

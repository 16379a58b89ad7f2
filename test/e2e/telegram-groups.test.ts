import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakeBot } from '../fakes/telegram/fake-bot.ts';
import type { FakeGroup } from '../fakes/telegram/fake-group.ts';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import type { AnyJson } from '../support/any-json.ts';
import { Gateway } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';

const ADA = { id: 501, is_bot: false, first_name: 'Ada' };
const BOB = { id: 502, is_bot: false, first_name: 'Bob' };
const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(3_000, 7)]);

let telegram: FakeTelegram;
let bot: FakeBot;
let shared: FakeBot;
let gateway: Gateway;

beforeAll(async () => {
  telegram = await FakeTelegram.start({ webhookRetryMs: 50 });
  [bot, shared] = [telegram.addBot('Garden_Bot'), telegram.addBot('all_bot')];
  gateway = await Gateway.start({
    env: {
      SVC_TELEGRAM_API_URL: telegram.url,
      SVC_TELEGRAM_BOT_TOKEN: shared.token,
      SVC_DM_TIMEOUT_TEXT: 'off',
    },
  });
  for (const { token } of [bot, shared]) gateway.secrets.add(token);
  const own = { platform: 'telegram', bot_token: bot.token };
  expect((await gateway.settingsApi.post('/api/bot-tokens', own)).status).toBe(200);
});
afterAll(async () => {
  await gateway?.stop();
  await telegram?.stop();
  expect(telegram.offences).toEqual([]);
});

/** The bot is an administrator of it, or its privacy mode is off. */
function supergroup(title: string): FakeGroup {
  const group = bot.group({ title, type: 'supergroup' });
  group.readsAll = true;
  return group;
}

/** Runs `act`, and returns the conversations with what is new. */
async function newsOf(act: () => unknown): Promise<AnyJson[]> {
  const { cursor } = (await gateway.agentApi.get('/api/inbox')).body;
  act();
  const path = `/api/inbox?platform=telegram&wait=10&last_message_cursor=${encodeURIComponent(cursor)}`;
  return (await gateway.agentApi.get(path)).body.conversations;
}

/** The same for somebody who is heard last: what was not heard before would be there, too. */
async function textsOf(act: () => unknown, group: FakeGroup): Promise<string[]> {
  const texts = async (): Promise<string[] | null> => {
    const { body } = await gateway.agentApi.get(`/api/inbox?platform=telegram&peer=${group.id}`);
    const all = (body.conversations ?? [body.conversation ?? body]).flatMap(
      ({ messages }: AnyJson) => messages ?? [],
    );
    const read = all.map(({ text }: AnyJson) => text);
    return read.includes('/end') ? read.filter((text: string) => text !== '/end') : null;
  };
  act();
  group.says(ADA, `/end@${bot.username}`);
  return await waitFor('the end', texts);
}

const say = (conversation: AnyJson, text: string, more: object = {}) =>
  gateway.agentApi.post('/api/dm/chat', {
    platform: 'telegram',
    conversation_id: conversation.conversation_id,
    text,
    ...more,
  });

describe('what is heard in a group', () => {
  it.each<[string, (group: FakeGroup) => unknown, string[], inPrivacyMode?: string[]]>([
    [
      'a mention, in any case',
      (group) => group.says(ADA, 'hey @garden_BOT what now?'),
      ['hey  what now?'],
      [],
    ],
    ['nothing that is for others', (group) => group.says(ADA, 'hey @other_bot'), []],
    ['nothing that people tell each other', (group) => group.says(ADA, 'hello'), []],
    ['a command for the bot', (group) => group.says(ADA, '/water@Garden_Bot roses'), ['/water roses']],
    ['a command that names no bot', (group) => group.says(ADA, '/water'), ['/water']],
    ['no command for another bot', (group) => group.says(ADA, '/water@other_bot'), []],
    ['no name that only begins like its own', (group) => group.says(ADA, '@garden_bot2 hi'), []],
    [
      'a name picked from the members',
      (group) =>
        group.writes(ADA, {
          text: 'Gardener hi',
          entities: [{ type: 'text_mention', offset: 0, length: 8, user: bot.user }],
        }),
      ['hi'],
      [],
    ],
    [
      'a mention in a caption, with the picture',
      (group) =>
        group.writes(ADA, {
          ...bot.fileContent('photo', { name: 'p', mime: 'image/jpeg', bytes: JPEG }),
          caption: '@garden_bot what is it?',
          caption_entities: [{ type: 'mention', offset: 0, length: 11 }],
        }),
      ['what is it?'],
      [],
    ],
    ['no other bot', (group) => group.writes({ ...BOB, is_bot: true }, { text: '/x' }), []],
    ['no notice', (group) => group.writes(ADA, { new_chat_title: 'Roses' }), []],
  ])('%s, in privacy mode and without it', async (_what, act, texts, inPrivacyMode = texts) => {
    for (const readsAll of [true, false]) {
      const group = supergroup('Roses');
      group.readsAll = readsAll;
      expect(await textsOf(() => act(group), group)).toEqual(readsAll ? texts : inPrivacyMode);
    }
  });

  it('an answer to the bot, and what is pressed below it, with who did so', async () => {
    const group = supergroup('Tulips');
    const [asked] = await newsOf(() => group.says(ADA, '@garden_bot tea?'));
    expect(asked).toMatchObject({
      kind: 'channel',
      remote_id: `${group.id}`,
      remote_name: 'Tulips',
    });
    expect((await say(asked, 'Which one?', { choices: ['Green', 'Black'] })).status).toBe(200);
    const [own] = group.received;
    const [answered] = await newsOf(() => group.says(BOB, 'The green one', { answers: own! }));
    expect(answered.messages).toMatchObject([
      { text: 'The green one', sender: { id: '502', name: 'Bob' }, reply_to: { text: 'Which one?' } },
    ]);
    const [pressed] = await newsOf(() => group.presses(BOB, own!, 'Black'));
    expect(pressed.messages).toMatchObject([{ choice: 'Black', sender: { name: 'Bob' } }]);
    expect(pressed.conversation_id).toBe(asked.conversation_id);
  });

  it('an administrator who stays anonymous, and a channel', async () => {
    const group = supergroup('Lilies');
    const [byAdmin] = await newsOf(() => group.saysAnonymously('@garden_bot hi'));
    expect(byAdmin.messages).toMatchObject([{ text: 'hi', sender: { id: `${group.id}`, name: 'Lilies' } }]);
    const channel = { id: -1_000_000_000_777, type: 'channel', title: 'News' };
    const post = {
      text: '/hi',
      entities: [{ type: 'bot_command', offset: 0, length: 3 }],
      sender_chat: channel,
    };
    const [byChannel] = await newsOf(() => group.writes({ ...BOB, is_bot: true }, post));
    expect(byChannel.messages).toMatchObject([{ text: '/hi', sender: { name: 'News' } }]);
  });

  it('an album of which one picture names the bot', async () => {
    const group = supergroup('Albums');
    const photo = () => bot.fileContent('photo', { name: 'p', mime: 'image/jpeg', bytes: JPEG });
    const marks = {
      caption: '@garden_bot which?',
      caption_entities: [{ type: 'mention', offset: 0, length: 11 }],
    };
    const [{ messages }] = (await newsOf(() => {
      group.writes(ADA, { ...photo(), media_group_id: '9' });
      group.writes(ADA, { ...photo(), media_group_id: '9', ...marks });
    })) as [AnyJson];
    expect(messages).toMatchObject([{ text: 'which?', attachments: [{}, {}] }]);
  });
});

it('edits are followed, and an edit that names the bot makes a message one for it', async () => {
  const group = supergroup('Edits');
  const first = group.says(ADA, '@garden_bot tae?');
  const forgotten = group.says(ADA, 'coffee?');
  const texts = await textsOf(() => {
    group.edits(first, '@garden_bot tea?');
    group.edits(forgotten, '@garden_bot coffee?');
    group.edits(group.says(ADA, 'not for you'), 'still not for you');
  }, group);
  expect(texts).toEqual(['tea?', 'coffee?']);
});

describe('answers go where they were asked for', () => {
  it('text of any length, files, typing and reactions, in a topic', async () => {
    const group = bot.group({ title: 'Forum', type: 'supergroup', is_forum: true });
    group.readsAll = true;
    const topic = group.opensTopic('Roses');
    const [inGeneral] = await newsOf(() => group.says(ADA, '@garden_bot here?'));
    const [inTopic] = await newsOf(() => group.says(ADA, '@garden_bot and here?', { topic }));
    expect([inGeneral.thread, inTopic.thread]).toEqual([undefined, `${topic}`]);
    const file = { bytes_b64: JPEG.toString('base64'), name: 'rose.jpg', mime: 'image/jpeg' };
    expect((await say(inTopic, 'a rose', { attachments: [file] })).status).toBe(202);
    await waitFor('the picture', () => group.received.length === 1);
    expect((await say(inTopic, `${'word '.repeat(1_000)}end`, { split: true })).status).toBe(200);
    const [asked] = inTopic.messages;
    expect((await say(inTopic, 'quoted', { reply_to: asked.id })).status).toBe(200);
    expect((await say(inGeneral, 'not there')).status).toBe(200);
    await waitFor('all of it', () => group.received.length === 5);
    expect(group.received.map(({ message_thread_id: thread }) => thread)).toEqual([
      topic,
      topic,
      topic,
      topic,
      undefined,
    ]);
    expect(group.quotes.size).toBe(1);
    const { conversation_id } = inTopic;
    const typing = await gateway.agentApi.post('/api/dm/typing', { platform: 'telegram', conversation_id });
    expect(typing.status).toBe(200);
    await waitFor('typing', () => group.typingShown > 0);
    const calls = telegram.calls.filter(({ method }) => method === 'sendChatAction');
    expect(calls.at(-1)!.parameters).toMatchObject({ chat_id: group.id, message_thread_id: topic });
    const react = { platform: 'telegram', message_id: asked.id, emoji: '👍' };
    expect((await gateway.agentApi.post('/api/dm/react', react)).status).toBe(200);
    expect([...group.reactions.values()]).toEqual([['👍']]);
    const { cursor } = (await gateway.agentApi.get('/api/inbox')).body;
    group.reacts(BOB, group.received[3]!.message_id, ['🔥']);
    const path = `/api/inbox?platform=telegram&wait=10&last_message_cursor=${encodeURIComponent(cursor)}`;
    const { events } = (await gateway.agentApi.get(path)).body;
    expect(events).toMatchObject([{ type: 'dm_reaction', emoji: '🔥', person: { id: '502', name: 'Bob' } }]);
    // Telegram overlooks no deleted message in a topic.
    const gone = group.says(BOB, '@garden_bot gone?', { topic });
    const answered = await waitFor('it to be known', async () => {
      const path = `/api/inbox?platform=telegram&peer=${group.id}`;
      const known = JSON.stringify((await gateway.agentApi.get(path)).body);
      return /"id":"(msg_[\w-]+)"[^{}]*"text":"gone\?"/.exec(known)?.[1];
    });
    group.deletes(gone);
    expect((await say(inTopic, 'still an answer', { reply_to: answered })).status).toBe(200);
    group.closesTopic(topic);
    const refused = await say(inTopic, 'too late');
    expect([refused.status, refused.body.detail]).toEqual([502, expect.stringContaining('TOPIC_CLOSED')]);
  });
});

it('topics of a private chat are conversations of their own, each answered in place', async () => {
  const ada = bot.person({ id: 901, first_name: 'Ada' });
  const inTopic = (text: string, topic: number) => () =>
    ada.writes({ text, message_thread_id: topic, is_topic_message: true });
  const [roses] = await newsOf(inTopic('roses?', 11));
  const [tulips] = await newsOf(inTopic('tulips?', 12));
  expect([roses.thread, tulips.thread]).toEqual(['11', '12']);
  expect(roses.conversation_id).not.toBe(tulips.conversation_id);
  expect((await say(roses, 'in March')).status).toBe(200);
  expect((await say(tulips, 'in October')).status).toBe(200);
  expect(ada.received.map(({ text, message_thread_id: topic }) => [text, topic])).toEqual([
    ['in March', 11],
    ['in October', 12],
  ]);
});

describe('a group that becomes a supergroup', () => {
  it.each([
    ['as it is told', true],
    ['as it turns out when something is sent', false],
  ])('goes on as the same conversation, %s', async (_how, tells) => {
    const group = bot.group({ title: 'Growing', type: 'group' });
    group.readsAll = true;
    const big = supergroup('Growing');
    const [before] = await newsOf(() => group.says(ADA, '@garden_bot are you here?'));
    const [asked] = before.messages;
    group.becomes(big, tells);
    if (tells) big.says(ADA, '@garden_bot still?');
    const quoted = say(before, 'I am', { reply_to: asked.id });
    expect((await quoted).status).toBe(200);
    expect([group.received.length, big.received.length, big.quotes.size]).toEqual([0, 1, 0]);
    // A supergroup counts its messages anew: ids of before come again.
    const texts = Array.from({ length: 12 }, (_each, n) => `question ${n}`);
    const read = await textsOf(() => {
      for (const text of texts) big.says(BOB, `@garden_bot ${text}`);
    }, big);
    expect(read.filter((text) => text.startsWith('question'))).toEqual(texts);
    const { body } = await gateway.agentApi.get(`/api/inbox?platform=telegram&peer=${big.id}`);
    expect(JSON.stringify(body)).toContain(before.conversation_id);
    const react = { platform: 'telegram', message_id: asked.id, emoji: '👍' };
    const reacted = await gateway.agentApi.post('/api/dm/react', react);
    expect([reacted.status, big.reactions.size]).toEqual([502, 0]);
  });
});

it('a group that has removed the bot is told as such, and comes back with it', async () => {
  const group = supergroup('Moody');
  const [talk] = await newsOf(() => group.says(ADA, '@garden_bot hi'));
  group.removesBot(ADA);
  const refused = await waitFor('it to be known', async () => {
    const answer = await say(talk, 'still there?');
    return answer.status === 200 ? null : answer;
  });
  expect(refused.status).toBeGreaterThanOrEqual(400);
  group.removesBot(ADA, false);
  await waitFor('it to be back', async () => (await say(talk, 'back')).status === 200);
  expect(group.received.map(({ text }) => text)).toEqual(['back']);
});

describe('a group with the bot of all accounts', () => {
  const token = async () => {
    const { body } = await gateway.settingsApi.post('/api/telegram/connect');
    return body.deep_link.split('start=')[1] as string;
  };

  it('belongs to an account when an administrator shows a token there', async () => {
    const group = shared.group({ title: 'Shared', type: 'supergroup' });
    group.readsAll = true;
    group.owners.add(ADA.id);
    group.says(BOB, '@all_bot hello?');
    group.says(BOB, `/start@all_bot ${await token()}`);
    await waitFor('two refusals', () => group.received.length === 2);
    expect(group.received.map(({ text }) => text)).toEqual([
      expect.stringContaining('not connected'),
      expect.stringContaining('administrator'),
    ]);
    group.says(ADA, `/start@all_bot ${await token()}`);
    await waitFor('the welcome', () => group.received.length === 3);
    const [talk] = await newsOf(() => group.says(BOB, '@all_bot and now?'));
    expect(talk).toMatchObject({ remote_id: `${group.id}`, messages: [{ text: 'and now?' }] });
    expect((await say(talk, 'Now, yes')).status).toBe(200);
    expect(group.received.at(-1)!.text).toBe('Now, yes');
  });
});

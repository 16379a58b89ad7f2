import { afterEach, expect, it } from 'vitest';
import { DiscordUnderTest } from '../conformance/messenger/discord-under-test.ts';
import type { MessengerUnderTest } from '../conformance/messenger/messenger-under-test.ts';
import { SlackUnderTest } from '../conformance/messenger/slack-under-test.ts';
import { TeamsUnderTest } from '../conformance/messenger/teams-under-test.ts';
import { TelegramUnderTest } from '../conformance/messenger/telegram-under-test.ts';
import { WhatsAppUnderTest } from '../conformance/messenger/whatsapp-under-test.ts';
import { FakeOpenAi } from '../fakes/openai/fake-openai.ts';
import { waitFor } from '../support/wait-for.ts';

const PATIENCE_MS = 20_000;
const LAST = 'This is the last word: wombat.';

let subject: MessengerUnderTest;
let openai: FakeOpenAi;

afterEach(async () => {
  await openai?.stop();
  await subject?.stop();
});

const prose = (name: string, sentences: number): string =>
  Array.from({ length: sentences }, (_, n) => `Sentence ${name}${n} says what is to be done about it.`).join(
    ' ',
  );
const code = (language: string, lines: number): string =>
  [
    `\`\`\`${language}`,
    ...Array.from({ length: lines }, (_, n) => `${language}_line_${n}(argument);`),
    '```',
  ].join('\n');

/** About 9,000 characters, with three blocks of code. */
const REPLY = [
  prose('a', 60),
  code('python', 90),
  prose('b', 40),
  code('js', 20),
  prose('c', 25),
  code('sql', 30),
  LAST,
].join('\n\n');

const LONG = 9_000;

type Start = (env: Readonly<Record<string, string>>) => Promise<MessengerUnderTest>;
const options = (env: Readonly<Record<string, string>>) => ({ patienceMs: PATIENCE_MS, gateway: { env } });

const PLATFORMS: readonly (readonly [name: string, start: Start, limit: number, fewest: number])[] = [
  ['Telegram', (env) => TelegramUnderTest.start({ ...options(env), updates: 'polling' }), 4_096, 3],
  ['Discord', (env) => DiscordUnderTest.start({ ...options(env), bot: 'own' }), 2_000, 5],
  ['Slack', (env) => SlackUnderTest.start(options(env)), 40_000, 1],
  ['Teams', (env) => TeamsUnderTest.start(options(env)), 20_480, 1],
  ['WhatsApp', (env) => WhatsAppUnderTest.start(options(env)), 1_600, 6],
];

/** Words of a text, without what formats it. */
const wordsOf = (text: string): string[] => text.match(/[a-z]+_line_\d+|Sentence [abc]\d+|wombat/g) ?? [];

it.each(PLATFORMS)(
  'a reply of 9,000 characters with three blocks of code on %s',
  async (_, start, limit, fewest) => {
    expect(REPLY.length).toBeGreaterThan(LONG);
    openai = await new FakeOpenAi().start();
    openai.reply = () => REPLY;
    subject = await start({ SVC_OPENAI_URL: openai.url, SVC_MODELS_ALLOW: '127.0.0.0/8' });
    const ann = await subject.person();
    const { settingsApi } = subject.gateway;
    const { agents } = (await settingsApi.get('/api/agents')).body;
    const config = { api_key: openai.key, model: 'gpt-6-luna' };
    await settingsApi.patch(`/api/agents/${agents[0].id}/provider`, { provider: 'openai', config });
    ann.writes('Tell me everything');
    await waitFor(
      'the last word',
      () => ann.received().some(({ text }) => text.includes('wombat')),
      PATIENCE_MS,
    );
    const texts = ann.received().map(({ text }) => text);
    expect(texts.flatMap(wordsOf)).toEqual(wordsOf(REPLY));
    // Parts are filled well.
    expect(texts.length).toBeGreaterThanOrEqual(fewest);
    expect(texts.length).toBeLessThanOrEqual(Math.ceil(1.5 * fewest));
    for (const text of texts) {
      expect(text.length).toBeLessThanOrEqual(limit);
      // Each message closes the blocks of code that it opens.
      expect((text.match(/```/g) ?? []).length % 2).toBe(0);
    }
    const [told] = openai.requests
      .map(({ body }) => JSON.stringify(body))
      .filter((body) => body.includes('max_characters'));
    expect(told).toContain(`\\"max_characters\\":${limit}`);
  },
);

import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DiscordUnderTest } from '../conformance/messenger/discord-under-test.ts';
import type { MessengerUnderTest, PersonUnderTest } from '../conformance/messenger/messenger-under-test.ts';
import { SlackUnderTest } from '../conformance/messenger/slack-under-test.ts';
import { TeamsUnderTest } from '../conformance/messenger/teams-under-test.ts';
import { USUAL_LIMITS } from '../fakes/discord/rest/rate-limits.ts';
import { FakeOpenAi } from '../fakes/openai/fake-openai.ts';
import { SendLimits } from '../fakes/telegram/send-limits.ts';
import { InlineGateway } from '../support/inline-gateway.ts';
import { waitFor } from '../support/wait-for.ts';

const PEOPLE = 100;
/** What a model of these days writes. */
const WORD_EVERY_MS = 100;
const FIRST_TEXT_MS = 300;
const PATIENCE_MS = 60_000;

/** When the model began to write to each person, by their names, in milliseconds. */
const beganMs = new Map<string, number>();

/** Writes so many words to whoever says "I am …", word by word. */
function writesSlowly(openai: FakeOpenAi, words: number): void {
  openai.reply = async function* ({ text }) {
    const name = /I am (\w+)/.exec(text)?.[1] ?? '';
    beganMs.set(name, Date.now());
    yield { kind: 'text', text: `To ${name}:` };
    for (let word = 0; word < words; word++) {
      await wait(WORD_EVERY_MS);
      yield { kind: 'text', text: ` word${word}` };
    }
  };
}

/** A workspace takes 50 edits in a minute, and each reply needs one, which counts for 70 s after it is whole. */
const SLACK_MS = 210_000;

describe.each([
  ['at one moment', 0, 30],
  // All of them are being answered before the first is over.
  ['over ten seconds', 10_000, 120],
] as const)('with 100 conversations that begin %s', (_how, overMs, words) => {
  it('stays within the limits of a Telegram bot', async () => {
    const world = await InlineGateway.start({ SVC_DM_TIMEOUT_TEXT: 'off' });
    onTestFinished(() => world.stop());
    const limits = new SendLimits();
    world.bot.limits = limits;
    writesSlowly(world.openai, words);
    const people = Array.from({ length: PEOPLE }, (_, n) =>
      world.bot.person({ id: 1_000 + n, first_name: `P${n}` }),
    );
    await begin(people, overMs, (person) => person.says(`I am ${person.facts.first_name}`));
    await waitFor('all replies', () => people.every(({ received }) => received.length > 0), PATIENCE_MS);
    expect(limits.exceeded).toBe(0);
    for (const { received, facts } of people) {
      expect(received).toHaveLength(1);
      expect(received[0]!.text).toMatch(new RegExp(`^To ${facts.first_name}: word0 .* word${words - 1}$`));
    }
    const shown = people.filter(({ drafts }) => drafts.length > 0);
    report(
      overMs,
      28,
      shown.map(({ drafts, facts }) => drafts[0]!.atMs - beganMs.get(facts.first_name)!),
      people.reduce((sum, person) => sum + person.drafts.length, 0),
    );
  });

  it('stays within the limits of a Discord bot', async () => {
    const openai = await writer(words);
    const limits = { bot: 'own', patienceMs: PATIENCE_MS, rateLimits: USUAL_LIMITS } as const;
    const subject = await DiscordUnderTest.start({ ...limits, gateway: { env: envOf(openai) } });
    const people = await peopleOf(subject, openai);
    const refused = subject.discord.invalidRequests.recent;
    const shownAfterMs = await talk(people, overMs, words);
    expect(subject.discord.invalidRequests.recent - refused, 'requests beyond a limit').toBe(0);
    const edits = subject.discord.requests.filter(({ route }) => route === 'editMessage').length;
    report(overMs, 40, shownAfterMs, edits);
  });

  it('stays within the limits of a Teams bot', async () => {
    const openai = await writer(words);
    const subject = await TeamsUnderTest.start({ patienceMs: PATIENCE_MS, gateway: { env: envOf(openai) } });
    const people = await peopleOf(subject, openai);
    await wait(1_000);
    subject.teams.hasLimits = true;
    // A reply takes two requests at least.
    await talk(people, 2 * overMs, words);
    expect(subject.teams.throttled, 'requests beyond a limit').toBe(0);
    const chats = [...subject.teams.world.chats.values()];
    expect(
      chats.reduce((sum, { streams }) => sum + streams.hurried, 0),
      'requests too soon',
    ).toBe(0);
    const informed = chats.flatMap(({ streams, members }) => {
      const [first] = streams.informed;
      const names = [...members].map(({ name }) => name.replace('Person ', 'P'));
      return first ? [first.atMs - beganMs.get(names[0]!)!] : [];
    });
    report(overMs, 20, informed, subject.teams.calls.length);
  });

  it('stays within the limits of a Slack workspace', { timeout: SLACK_MS + 2 * PATIENCE_MS }, async () => {
    const openai = await writer(words);
    const limits = { patienceMs: PATIENCE_MS, hasLimits: true } as const;
    const subject = await SlackUnderTest.start({ ...limits, gateway: { env: envOf(openai) } });
    const people = await peopleOf(subject, openai);
    const shownAfterMs = await talk(people, overMs === 0 ? 0 : SLACK_MS, words);
    expect(subject.slack.throttled).toEqual([]);
    const edits = subject.slack.calls.filter((method) => method === 'chat.update').length;
    const early = shownAfterMs.filter((afterMs) => afterMs < words * WORD_EVERY_MS);
    report(overMs, 22, early, edits);
  });
});

interface Named {
  readonly name: string;
  readonly person: PersonUnderTest;
}

async function writer(words: number): Promise<FakeOpenAi> {
  const openai = await new FakeOpenAi().start();
  onTestFinished(() => openai.stop());
  writesSlowly(openai, words);
  return openai;
}

const envOf = ({ url }: FakeOpenAi) => ({ SVC_OPENAI_URL: url, SVC_MODELS_ALLOW: '127.0.0.0/8' });

/** People of a platform, called P1 and so on, whose agent has the model. */
async function peopleOf(subject: MessengerUnderTest, openai: FakeOpenAi): Promise<readonly Named[]> {
  onTestFinished(() => subject.stop());
  const { settingsApi } = subject.gateway;
  const { agents } = (await settingsApi.get('/api/agents')).body;
  const config = { api_key: openai.key, model: 'gpt-6-luna' };
  await settingsApi.patch(`/api/agents/${agents[0].id}/provider`, { provider: 'openai', config });
  const people: Named[] = [];
  for (let n = 1; n <= PEOPLE; n++) people.push({ name: `P${n}`, person: await subject.person() });
  return people;
}

/**
 * Has all people write, and waits for the replies of so many words, of which each is one message. Returns how long after its first token the
 * first text of each was seen, in milliseconds.
 */
async function talk(people: readonly Named[], overMs: number, words: number): Promise<readonly number[]> {
  const shownMs = new Map<string, number>();
  const isDone = () => {
    for (const { name, person } of people)
      if (!shownMs.has(name) && person.received().length > 0) shownMs.set(name, Date.now());
    return people.every(({ person }) =>
      person
        .received()
        .at(-1)
        ?.text.endsWith(`word${words - 1}`),
    );
  };
  const replies = waitFor('all replies', isDone, overMs + PATIENCE_MS);
  await begin(people, overMs, ({ name, person }) => person.writes(`I am ${name}`));
  await replies;
  for (const { name, person } of people) {
    const texts = person.received().map(({ text }) => text);
    expect(texts).toEqual([expect.stringMatching(new RegExp(`^To ${name}: word0 .* word${words - 1}$`))]);
  }
  return [...shownMs].map(([name, atMs]) => atMs - beganMs.get(name)!);
}

/** Has people begin one after the other, evenly, within so long. */
async function begin<T>(people: readonly T[], overMs: number, write: (person: T) => unknown): Promise<void> {
  const startMs = performance.now();
  for (const [n, person] of people.entries()) {
    const leftMs = startMs + (n * overMs) / people.length - performance.now();
    if (leftMs > 0) await wait(leftMs);
    write(person);
  }
}

/**
 * Tells how long after the first token the first text was shown, and holds it against the platform's limit: with `perSecond`
 * requests, of 100 that begin at one moment only so many can be shown in the first second, and the n-th not before
 * `floor(n / perSecond)` seconds.
 */
function report(overMs: number, perSecond: number, afterMs: readonly number[], requests: number): void {
  const sorted = afterMs.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  const soon = sorted.filter((each) => each <= FIRST_TEXT_MS).length;
  const best = (share: number) => Math.floor((PEOPLE * share) / perSecond) * 1_000;
  console.log(
    `${sorted.length} of ${PEOPLE} conversations saw a beginning, ${soon} within ${FIRST_TEXT_MS} ms of the first token; ` +
      `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms (at one moment at best ${best(0.5)} and ${best(0.95)}); ${requests} drafts or edits`,
  );
  // Replies that are whole before it is their turn are not shown before.
  expect(sorted.length).toBeGreaterThanOrEqual(overMs > 0 ? PEOPLE : 2 * perSecond);
  expect(at(0.95)).toBeLessThanOrEqual(overMs > 0 ? FIRST_TEXT_MS : best(0.95) + 1_000);
}

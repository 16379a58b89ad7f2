import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { SendLimits } from '../fakes/telegram/send-limits.ts';
import { InlineGateway } from '../support/inline-gateway.ts';
import { waitFor } from '../support/wait-for.ts';

const PEOPLE = 100;
/** What a model of these days writes. */
const WORD_EVERY_MS = 100;
const WORDS = 30;

it('stays within the limits of a bot with 100 conversations at once', async () => {
  const world = await InlineGateway.start({ SVC_DM_TIMEOUT_TEXT: 'off' });
  onTestFinished(() => world.stop());
  const limits = new SendLimits();
  world.bot.limits = limits;
  world.openai.reply = async function* ({ text }) {
    const [, name] = /I am (P\d+)/.exec(text) ?? [];
    yield { kind: 'text', text: `To ${name}:` };
    for (let word = 0; word < WORDS; word++) {
      await wait(WORD_EVERY_MS);
      yield { kind: 'text', text: ` word${word}` };
    }
  };
  const people = Array.from({ length: PEOPLE }, (_, n) =>
    world.bot.person({ id: 1_000 + n, first_name: `P${n}` }),
  );
  for (const person of people) person.says(`I am ${person.facts.first_name}`);
  await waitFor('all replies', () => people.every(({ received }) => received.length > 0), 40_000);
  expect(limits.exceeded).toBe(0);
  for (const { received, facts } of people) {
    expect(received).toHaveLength(1);
    expect(received[0]!.text).toMatch(new RegExp(`^To ${facts.first_name}: word0 .* word${WORDS - 1}$`));
  }
  const shown = people.filter(({ drafts }) => drafts.length > 0).length;
  const drafts = people.reduce((sum, person) => sum + person.drafts.length, 0);
  console.log(`${shown} of ${PEOPLE} conversations saw a draft, ${drafts} drafts`);
  expect(shown).toBeGreaterThan(PEOPLE / 4);
});

import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { InlineGateway } from '../support/inline-gateway.ts';
import { waitFor } from '../support/wait-for.ts';

const FIRST_TEXT_MS = 300;

let world: InlineGateway;

beforeEach(async () => {
  world = await InlineGateway.start({ SVC_DM_TIMEOUT_TEXT: 'off' });
});
afterEach(async () => {
  await world?.stop();
});

it('shows the first text within 300 ms of the first token, and never what is no text', async () => {
  const ann = world.bot.person({ id: 1_001, first_name: 'Ann' });
  ann.says('Hi');
  let firstMs = 0;
  const rest = Promise.withResolvers<void>();
  world.openai.reply = async function* () {
    yield { kind: 'reasoning', text: 'A secret thought.' };
    firstMs = Date.now();
    yield { kind: 'text', text: 'One **two three' };
    await rest.promise;
    yield { kind: 'text', text: ' four** five <file name="a.txt">six</file>' };
  };
  await waitFor('a draft', () => ann.drafts.length > 0);
  const [draft] = ann.drafts;
  expect(draft!.atMs - firstMs).toBeLessThanOrEqual(FIRST_TEXT_MS);
  expect([draft!.text, draft!.entities]).toEqual(['One two', [{ type: 'bold', offset: 4, length: 3 }]]);
  rest.resolve();
  await waitFor('the reply', () => ann.received.length >= 2);
  expect(ann.received[0]!.text ?? ann.received[1]!.text).toBe('One two three four five');
  for (const { text } of ann.drafts) expect('One two three four five').toContain(text);
  expect(world.telegram.offences).toEqual([]);
});

it('shows nothing before the reply is whole where the agent is set so', async () => {
  const set = await world.setProvider({ live_replies: false });
  expect(set.body.live_replies).toBe(false);
  const ann = world.bot.person({ id: 1_001, first_name: 'Ann' });
  world.openai.reply = async function* () {
    yield { kind: 'text', text: 'One two' };
    await wait(2 * FIRST_TEXT_MS);
    yield { kind: 'text', text: ' three' };
  };
  ann.says('Hi');
  await waitFor('the reply', () => ann.received.length > 0);
  expect([ann.received[0]!.text, ann.drafts]).toEqual(['One two three', []]);
});

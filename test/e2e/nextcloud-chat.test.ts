import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NextcloudOwner } from '../conformance/messenger/nctalk-person-under-test.ts';
import { NextcloudUnderTest } from '../conformance/messenger/nctalk-under-test.ts';
import { Talk } from '../conformance/messenger/talk.ts';
import { waitFor } from '../support/wait-for.ts';

let subject: NextcloudUnderTest;

beforeAll(async () => {
  subject = await NextcloudUnderTest.start({ patienceMs: 20_000, hasEvents: true });
});
afterAll(() => subject?.stop());

/** A conversation whose addon waits for answers. */
async function waitingTalk() {
  const talk = await Talk.with(subject);
  const owner = talk.person as NextcloudOwner;
  owner.nextcloud.addon.takesAnswers = true;
  return { talk, owner, posts: owner.nextcloud.addon.posts };
}

it('answers the addon’s post with the agent’s message, and sends the next one itself', async () => {
  const { talk, owner, posts } = await waitingTalk();
  await talk.hears('Who are you?');
  const { status, body } = await talk.send('Your agent');
  expect([status, body.status, body.delivery]).toEqual([200, 'delivered', 'sync']);
  expect((await talk.send('And I stay')).status).toBe(200);
  const shown = owner.received();
  expect(shown.map(({ text }) => text)).toEqual(['Your agent', 'And I stay']);
  const types = owner.room.messages.slice(-2).map(({ actor }) => actor.type);
  expect(types).toEqual(['bots', 'users']);
  const chat = posts.sent.findLast(({ path }) => path === '/api/nctalk/chat');
  expect(chat).toMatchObject({ status: 200, answer: { message: 'Your agent' } });
});

it('does not know what became of an answer when the conversation cannot be read', async () => {
  const { talk, owner } = await waitingTalk();
  await talk.hears('Who are you?');
  // Only what became of an answer is waited for.
  owner.nextcloud.fail('chat.receive waiting', { kind: 'gateway', status: 502 });
  const { status, body } = await talk.send('Your agent');
  expect([status, body.detail]).toEqual([502, expect.stringMatching(/did not post the answer/)]);
  expect(await talk.outbound()).toEqual([['Your agent', 'unknown']]);
  expect((await talk.send('And I stay')).status).toBe(200);
  expect(talk.read()).toEqual(['Your agent', 'And I stay']);
});

it('stores one conversation, whether posts or polling find its messages first', async () => {
  const { talk, owner } = await waitingTalk();
  const { addon } = owner.nextcloud;
  for (let n = 0; n < 6; n++) {
    addon.eventsWork = n % 2 === 0;
    talk.person.writes(`line ${n}`);
  }
  addon.eventsWork = true;
  await talk.hears('the last line');
  await waitFor('all lines', async () => (await talk.inbound()).length === 7);
  expect(await talk.inbound()).toEqual([
    ...Array.from({ length: 6 }, (_, n) => `line ${n}`),
    'the last line',
  ]);
});

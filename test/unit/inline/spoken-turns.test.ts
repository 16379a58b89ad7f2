import { expect, it } from 'vitest';
import type { CallActor } from '../../../src/calls/call-actor.ts';
import { hangUpCall } from '../../../src/calls/hang-up-call.ts';
import { CallVoice } from '../../../src/inline/voice/call-voice.ts';
import type { TurnObserver } from '../../../src/models/model-client.ts';
import { ModelFault } from '../../../src/models/model-fault.ts';
import { listRows } from '../../../src/store/database/rows.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { waitFor } from '../../support/wait-for.ts';
import { InlineWorld } from './inline-world.ts';
import { SpokenCall } from './spoken-call.ts';

async function worldWithCall(): Promise<{ world: InlineWorld; call: SpokenCall }> {
  const call = new SpokenCall();
  const world = await InlineWorld.start(call.domain);
  call.begin(world.messaging);
  return { world, call };
}

/** Holds the next turn, which the test writes part by part. */
function held(world: InlineWorld): { writes: (part: string) => void; ends: () => void } {
  let observer: TurnObserver | null = null;
  let text = '';
  const end = Promise.withResolvers<void>();
  world.model.will(async (turn, told) => {
    observer = told;
    const aborted = Promise.withResolvers<never>();
    turn.signal.addEventListener('abort', () => aborted.reject(turn.signal.reason), { once: true });
    await Promise.race([end.promise, aborted.promise]);
    return world.model.says(text, turn);
  });
  const writes = (part: string): void => {
    text += part;
    observer!.text(part);
  };
  return { writes, ends: end.resolve };
}

it('speaks sentence by sentence while the model writes, and each sentence once', async () => {
  const { world, call } = await worldWithCall();
  const reply = held(world);
  await call.hears(world.messaging, 'Hello?');
  await waitFor('the turn', () => world.model.turns.length === 1);
  expect(world.model.turns[0]?.isSpoken).toBe(true);
  reply.writes('Good morning, this is the bakery. How can');
  await waitFor('the first sentence', () => call.said.length === 1);
  reply.writes(' I help you today?');
  reply.ends();
  await waitFor('the second sentence', () => call.said.length === 2);
  await world.idle();
  expect(call.said).toEqual(['Good morning, this is the bakery.', 'How can I help you today?']);
  expect((await world.deliveries())[0]).toMatchObject({ status: 'delivered', attempts: 1 });
  expect(world.failures).toEqual([]);
});

it('forgets half a sentence of a model that has to be asked again', async () => {
  const { world, call } = await worldWithCall();
  world.model.will((_turn, observer) => {
    observer.text('Good mor');
    throw new ModelFault('overloaded', { words: 'busy' });
  });
  const text = 'Good morning, this is the bakery. How can I help you today?';
  world.model.will((turn, observer) => {
    observer.text(text);
    return world.model.says(text, turn);
  });
  await call.hears(world.messaging, 'Hello?');
  await waitFor('the second attempt', () => {
    world.messaging.clock.advance(100);
    return world.model.turns.length === 2;
  });
  await world.idle();
  expect(call.said).toEqual(['Good morning, this is the bakery.', 'How can I help you today?']);
});

it('speaks the last sentence before the reply is stored', async () => {
  const { world, call } = await worldWithCall();
  const { db } = world.messaging.store;
  let stored: unknown[] = [];
  world.model.will((turn, observer) => {
    observer.text('Good morning');
    return world.model.says('Good morning', turn);
  });
  call.onSaid = () => {
    stored = [];
    const reading = db.selectFrom('deliveries').select('status').execute();
    void reading.then((rows) => {
      stored = rows;
    });
  };
  await call.hears(world.messaging, 'Hello?');
  await waitFor('the sentence', () => stored.length === 1);
  expect(stored).toEqual([{ status: 'sent' }]);
  await world.idle();
  const [delivery] = await world.deliveries();
  expect(delivery).toMatchObject({ status: 'delivered', responseBody: 'Good morning' });
  expect(await listRows(db, 'deliveryActions', { deliveryId: delivery!.id }, ['position'])).toMatchObject([
    { kind: 'say', status: 'done' },
  ]);
});

it('ends the turn of a model that is interrupted, and tells it what was heard', async () => {
  const { world, call } = await worldWithCall();
  const reply = held(world);
  await call.hears(world.messaging, 'Hello?');
  await waitFor('the turn', () => world.model.turns.length === 1);
  reply.writes('Good morning, this is the bakery. We have bread and cake and much more. And');
  await waitFor('the sentences', () => call.said.length === 2);
  call.utterance(1, 'finished', 'Good morning, this is the bakery.');
  call.utterance(2, 'interrupted', 'We have bread');
  expect(world.model.turns[0]?.signal.aborted).toBe(true);
  await world.idle();
  expect((await world.deliveries())[0]).toMatchObject({ status: 'delivered', errorType: 'interrupted' });
  await call.hears(world.messaging, 'Cake, please');
  await waitFor('the next turn', () => world.model.turns.length === 2);
  const [, next] = world.model.turns;
  expect(next?.text).toMatch(/interrupted after:.*Good morning, this is the bakery\. We have bread\n/s);
  expect(next?.history.at(-1)).toEqual({
    role: 'assistant',
    text: 'Good morning, this is the bakery. We have bread',
  });
});

it('stops a model as soon as somebody interrupts it, and waits for what was heard before the next turn', async () => {
  const { world, call } = await worldWithCall();
  const reply = held(world);
  await call.hears(world.messaging, 'Hello?');
  await waitFor('the turn', () => world.model.turns.length === 1);
  reply.writes('Good morning, this is the bakery. We');
  await waitFor('the sentence', () => call.said.length === 1);
  call.silence('person');
  expect(world.model.turns[0]?.signal.aborted).toBe(true);
  await call.hears(world.messaging, 'Cake, please');
  const ended = async (): Promise<boolean> => (await world.deliveries())[0]?.status === 'delivered';
  await waitFor('the turn to end', ended);
  expect(world.model.turns).toHaveLength(1);
  call.utterance(1, 'interrupted', 'Good morning');
  await waitFor('the next turn', () => world.model.turns.length === 2);
  expect(world.model.turns[1]?.text).toMatch(/interrupted after:.*Good morning\n/s);
  expect(world.model.turns[1]?.history.at(-1)).toEqual({ role: 'assistant', text: 'Good morning' });
});

it.each(['person', 'client'] as const)('stops a model between two sentences for a %s', async (who) => {
  const { world, call } = await worldWithCall();
  const reply = held(world);
  await call.hears(world.messaging, 'Hello?');
  await waitFor('the turn', () => world.model.turns.length === 1);
  reply.writes('Good morning, this is the bakery. We');
  await waitFor('the sentence', () => call.said.length === 1);
  call.utterance(1, 'finished', 'Good morning, this is the bakery.');
  call.silence(who);
  expect(world.model.turns[0]?.signal.aborted).toBe(true);
  await world.idle();
  expect((await world.deliveries())[0]).toMatchObject({ status: 'delivered', errorType: 'interrupted' });
});

it('stops a model that has said nothing yet for a client, and tells it what it has missed', async () => {
  const { world, call } = await worldWithCall();
  held(world);
  await call.hears(world.messaging, 'Do you have cake?');
  await waitFor('the turn', () => world.model.turns.length === 1);
  call.silence('client');
  expect(world.model.turns[0]?.signal.aborted).toBe(true);
  await world.idle();
  expect((await world.deliveries())[0]).toMatchObject({ status: 'delivered', errorType: 'interrupted' });
  await call.hears(world.messaging, 'And bread?');
  await waitFor('the next turn', () => world.model.turns.length === 2);
  const [, next] = world.model.turns;
  expect(next?.text).toContain('You were interrupted before anything was heard.');
  expect(next?.memory).toBe(null);
  expect(next?.history[0]?.text).toContain('Do you have cake?');
  expect(next?.history[1]).toEqual({ role: 'assistant', text: '(Nothing of this was heard.)' });
});

it('does not speak a sentence that is complete at the moment of a stop', async () => {
  const { world, call } = await worldWithCall();
  const reply = held(world);
  await call.hears(world.messaging, 'Hello?');
  await waitFor('the turn', () => world.model.turns.length === 1);
  reply.writes('Good morning, this is the bakery. We');
  call.silence('client');
  await world.idle();
  expect(call.said).toEqual([]);
  expect(world.failures).toEqual([]);
});

it('writes on when a person speaks over something else before it has said anything', async () => {
  const { world, call } = await worldWithCall();
  const reply = held(world);
  await call.hears(world.messaging, 'Hello?');
  await waitFor('the turn', () => world.model.turns.length === 1);
  call.silence('person');
  expect(world.model.turns[0]?.signal.aborted).toBe(false);
  reply.writes('Good morning, this is the bakery.');
  reply.ends();
  await waitFor('the sentence', () => call.said.length === 1);
});

it('is not interrupted once it has written and everybody has heard all of it', () => {
  const { domain } = new SpokenCall();
  const voice = new CallVoice({} as CallActor, {
    speech: domain.speech,
    clock: new ManualClock(),
    onInterrupted: () => {},
  });
  const signal = voice.begin('dlv_1');
  voice.say('dlv_1', 'Good morning.');
  const utterance = { type: 'utterance', utteranceId: 'utt_1', playedMs: 900, isEstimate: false } as const;
  voice.heard({ ...utterance, state: 'finished', spokenText: 'Good morning.' });
  voice.written('dlv_1');
  voice.silenced('client');
  expect(signal.aborted).toBe(false);
});

it('hangs up when the last words have been heard', async () => {
  const { world, call } = await worldWithCall();
  world.model.will('Goodbye, and thank you for calling.<leave/>');
  await call.hears(world.messaging, 'Bye');
  await waitFor('the last words', () => call.said.length === 1);
  expect(call.isLive).toBe(true);
  call.utterance(1, 'finished', 'Goodbye, and thank you for calling.');
  await waitFor('the end of the call', () => !call.isLive);
});

it('greets with the words of the agent, without the model', async () => {
  const call = new SpokenCall();
  const world = await InlineWorld.start(call.domain, { greeting: 'Welcome to the bakery.' });
  call.begin(world.messaging);
  await waitFor('the greeting', () => call.said.length === 1);
  expect([call.said, world.model.turns]).toEqual([['Welcome to the bakery.'], []]);
});

it('does not hang up on somebody who interrupts the goodbye', async () => {
  const { world, call } = await worldWithCall();
  world.model.will('Goodbye, and thank you for calling.<leave/>');
  await call.hears(world.messaging, 'Bye');
  await waitFor('the last words', () => call.said.length === 1);
  call.utterance(1, 'interrupted', 'Goodbye');
  await world.idle();
  expect(call.isLive).toBe(true);
});

it.each([
  ['<accept/>Hello, this is the bakery.', 'active'],
  ['<refuse/>', 'refused'],
  ['<accept/><refuse/>', 'refused'],
])('decides on a call that rings: %s', async (reply, state) => {
  const call = new SpokenCall();
  const world = await InlineWorld.start(call.domain);
  world.model.will(reply);
  await call.ring(world.messaging);
  await waitFor(`the call to be ${state}`, () => call.state === state);
  await world.idle();
  expect(world.failures).toEqual([]);
});

it('accepts no call in a turn about something else', async () => {
  const { world, call } = await worldWithCall();
  world.model.will('<accept/><refuse/>');
  await call.hears(world.messaging, 'Hello?');
  await waitFor('the turn', () => world.model.turns.length === 1);
  await world.idle();
  const [delivery] = await world.deliveries();
  const [action] = await listRows(world.messaging.store.db, 'deliveryActions', { deliveryId: delivery!.id }, [
    'position',
  ]);
  expect(action).toMatchObject({ status: 'refused', reason: 'This event is not the invite of a call' });
});

it('does not know of a sentence on a call that the gateway died in', async () => {
  const { world, call } = await worldWithCall();
  world.model.will('Good morning.');
  await call.hears(world.messaging, 'Hello?');
  await waitFor('the sentence', () => call.said.length === 1);
  await world.idle();
  const { db } = world.messaging.store;
  await db.updateTable('deliveries').set({ status: 'sent' }).execute();
  await db.updateTable('deliveryActions').set({ status: 'claimed' }).execute();
  hangUpCall(call.domain, world.messaging.scope, call.callId);
  await waitFor('the end of the call', () => !call.isLive);
  await world.restart();
  await world.idle();
  const [delivery] = await world.deliveries();
  expect(delivery).toMatchObject({ status: 'failed', errorType: 'call_ended' });
  const actions = await listRows(db, 'deliveryActions', { deliveryId: delivery!.id }, ['position']);
  expect(actions.map(({ status }) => status)).toEqual(['unknown']);
  expect(call.said).toEqual(['Good morning.']);
});

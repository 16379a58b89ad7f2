import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ModelTurnSeen, ReplyPart } from '../fakes/model-vendor/scripted-reply.ts';
import { wordsOfTones } from '../fakes/tone-speech.ts';
import type { AnyJson } from '../support/any-json.ts';
import { InlineCalls } from '../support/inline-calls.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { waitFor } from '../support/wait-for.ts';

const retry = retryAudio();

let calls: InlineCalls;

beforeEach(async () => {
  calls = await InlineCalls.start({ greeting: 'golf hotel' });
});
afterEach(async () => {
  await calls?.stop();
});

const SENTENCES = 'India juliett kilo lima mike. November oscar papa quebec. ';

/** Says sentences, and then writes on without an end. */
async function* endless(): AsyncGenerator<ReplyPart> {
  yield { kind: 'text', text: SENTENCES };
  yield { kind: 'text', text: 'Romeo' };
  await new Promise<never>(() => {});
}

/** Begins a sentence that has no end. */
async function* silent(): AsyncGenerator<ReplyPart> {
  yield { kind: 'text', text: 'Romeo' };
  await new Promise<never>(() => {});
}

const isInvite = (text: string) => text.includes('Accept or refuse it.');

const told = (word: string) => (turn: ModelTurnSeen['history'][number]) =>
  turn.role === 'user' && turn.text.includes(word);

/** The kind, the text and the status of each action. */
async function actionsOf(delivery: AnyJson | undefined): Promise<unknown[]> {
  const { actions } = await calls.delivery(delivery?.id);
  return actions.map(({ action, status }: AnyJson) => [action.kind, action.text, status]);
}

it('a caller is greeted, talks with the model for five turns, and is hung up on', { retry }, async () => {
  const first = (history: ModelTurnSeen['history']) =>
    wordsOfTones(history.find(told('alpha'))?.text ?? '')[0];
  calls.openai.reply = ({ text, history }) => {
    if (isInvite(text)) return '<accept/>';
    const heard = wordsOfTones(text).at(-1);
    if (heard === 'alpha') return 'Bravo.';
    if (heard === 'mike') return 'November oscar papa quebec. Romeo sierra tango uniform. Victor.';
    if (heard === 'whiskey') return `<say>${first(history)}</say>`;
    return heard === 'zulu' ? 'Yankee.<leave/>' : 'Delta.';
  };
  const { person } = await calls.connect();
  await person.hears('golf hotel');
  person.says('alpha');
  await person.hears('golf hotel bravo');
  person.says('charlie');
  await person.hears('golf hotel bravo delta');
  person.says('mike');
  const long = 'november oscar papa quebec romeo sierra tango uniform victor';
  await person.hears(`golf hotel bravo delta ${long}`);
  person.says('whiskey');
  await person.hears(`golf hotel bravo delta ${long} alpha`);
  person.says('zulu');
  await person.hungUp;
  expect(person.heard).toBe(`golf hotel bravo delta ${long} alpha yankee`);

  const deliveries = await calls.deliveries(6);
  expect(deliveries.map(({ event_type, status }) => [event_type, status])).toEqual([
    ['call_invite', 'delivered'],
    ...Array(5).fill(['call_transcript', 'delivered']),
  ]);
  expect(await actionsOf(deliveries[0])).toEqual([['accept', undefined, 'done']]);
  expect(await actionsOf(deliveries[3])).toEqual([
    ['say', 'November oscar papa quebec.', 'done'],
    ['say', 'Romeo sierra tango uniform.', 'done'],
    ['say', 'Victor.', 'done'],
  ]);
  expect(await actionsOf(deliveries[5])).toEqual([
    ['say', 'Yankee.', 'done'],
    ['leave', undefined, 'done'],
  ]);
  expect(calls.openai.offences).toEqual([]);
});

it('who speaks over the agent ends its turn, and the model is told what was heard', { retry }, async () => {
  const { openai } = calls;
  const seen: ModelTurnSeen[] = [];
  openai.reply = (turn) => {
    seen.push(turn);
    if (isInvite(turn.text)) return '<accept/>';
    return wordsOfTones(turn.text).at(-1) === 'alpha' ? endless() : 'Zulu.';
  };
  const { person, outboundId } = await calls.connect();
  await person.hears('golf hotel');
  person.says('alpha');
  await person.hearsAtLeast('golf hotel india juliett kilo');
  person.says('bravo charlie delta');
  await waitFor('the stream to be closed', () => openai.abortedRequests === 1);
  await waitFor('the next reply', () => person.heard.endsWith('zulu'));
  const between = person.heard.slice('golf hotel '.length, -' zulu'.length);
  expect(SENTENCES.toLowerCase().replaceAll('.', '')).toContain(between);
  expect(between).not.toContain('romeo');

  const told = seen.at(-1)!.history.findLast(({ role }) => role === 'assistant');
  expect(wordsOfTones(told?.text ?? '').join(' ')).toMatch(/^india juliett kilo/);
  expect(told?.text).not.toContain('romeo');
  const [, interrupted] = await calls.deliveries(3);
  expect(interrupted).toMatchObject({ status: 'delivered', error_type: 'interrupted' });
  await calls.pair.caller.agentApi.delete(`/api/call/${outboundId}`);
});

it('a client that stops the speech ends a turn that has said nothing yet', { retry }, async () => {
  const { openai, gateway } = calls;
  const texts: string[] = [];
  openai.reply = ({ text }) => {
    texts.push(text);
    if (isInvite(text)) return '<accept/>';
    return wordsOfTones(text).at(-1) === 'alpha' ? silent() : 'Zulu.';
  };
  const { person, outboundId } = await calls.connect();
  await person.hears('golf hotel');
  person.says('alpha');
  await waitFor('the model to be told', () => wordsOfTones(texts.at(-1) ?? '').at(-1) === 'alpha');
  const { body } = await gateway.agentApi.get('/api/calls');
  const live = body.calls.find(({ state }: AnyJson) => state === 'active');
  const { status } = await gateway.agentApi.post(`/api/call/${live.call_id}/stop-speaking`);
  expect(status).toBe(200);
  await waitFor('the stream to be closed', () => openai.abortedRequests === 1);
  person.says('bravo');
  await person.hears('golf hotel zulu');
  expect(texts.at(-1)).toContain('You were interrupted before anything was heard.');
  await calls.pair.caller.agentApi.delete(`/api/call/${outboundId}`);
});

it('a caller whom the model refuses is not greeted', { retry }, async () => {
  calls.openai.reply = () => '<refuse/>';
  const { person } = await calls.ring();
  await person.hungUp;
  const [refused, ...others] = await calls.deliveries(1);
  expect([await actionsOf(refused), others]).toEqual([[['refuse', undefined, 'done']], []]);
  expect(person.heard).toBe('');
});

it('a number that answers by itself asks no model, and the greeting is spoken', { retry }, async () => {
  const { person, outboundId } = await calls.connect(true);
  await person.hears('golf hotel');
  expect(calls.openai.turns).toEqual([]);
  calls.openai.reply = ({ history }) => history.flatMap(({ text }) => wordsOfTones(text)[0] ?? []).join(' ');
  person.says('alpha');
  await person.hears('golf hotel golf');
  await calls.pair.caller.agentApi.delete(`/api/call/${outboundId}`);
});

it('a model on a call presses keys, writes to others and calls somebody', { retry }, async () => {
  const { pair, openai, gateway } = calls;
  const number = '+33987654321';
  await pair.caller.settingsApi.post('/api/sip/dids', { number });
  await gateway.settingsApi.post('/api/agents', { name: 'Second' });
  const uri = `sip:${number}@127.0.0.1:${pair.caller.sipPort}`;
  const policy = { calls: [uri], new_conversations: true };
  await gateway.settingsApi.patch(`/api/agents/${calls.agentId}/policy`, policy);
  const asks = [
    'Bravo.',
    '<dtmf>12#</dtmf>',
    '<write>Not on the telephone</write>',
    '<dm platform="agent" to="Second">Somebody calls</dm>',
    `<call_join platform="sip" url="${uri}"/>`,
  ];
  const seen: string[] = [];
  openai.reply = ({ text }) => {
    seen.push(text);
    if (isInvite(text)) return '<accept/>';
    return wordsOfTones(text).at(-1) === 'alpha' ? asks.join('') : 'Delta.<leave/>';
  };
  const { person } = await calls.connect();
  await person.hears('golf hotel');
  person.says('alpha');
  await person.hears('golf hotel bravo');
  await person.hearsKeys('12#');
  await waitFor('the call of the model', async () => {
    const { body } = await pair.caller.agentApi.get('/api/calls');
    return body.calls.some(
      (call: AnyJson) => call.direction === 'inbound' && call.meeting_url.includes(number),
    );
  });
  person.says('charlie');
  await person.hungUp;
  const [, asking] = await calls.deliveries(3);
  const { actions } = await calls.delivery(asking?.id);
  expect(actions.map(({ action, status }: AnyJson) => [action.kind, status])).toEqual([
    ['say', 'done'],
    ['dtmf', 'done'],
    ['write', 'failed'],
    ['dm', 'done'],
    ['call_join', 'done'],
  ]);
  // The telephone has no chat, which the model is told of.
  expect(seen.at(-1)).toMatch(/Not carried out of your last reply:\n- "write": /);
  const { body } = await gateway.agentApi.get('/api/inbox?platform=agent');
  expect(JSON.stringify(body)).toContain('Somebody calls');
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ModelTurnSeen, ReplyPart } from '../fakes/model-vendor/scripted-reply.ts';
import { wordsOfTones } from '../fakes/tone-speech.ts';
import { KindCalls } from '../support/kind-calls.ts';
import { MODEL_KINDS } from '../support/model-kinds.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { waitFor } from '../support/wait-for.ts';

const retry = retryAudio();

let calls: KindCalls;

beforeAll(async () => {
  calls = await KindCalls.start('golf hotel');
  calls.vendors.reply = (turn) => {
    if (turn.text.includes('Accept or refuse it.')) return '<accept/>';
    const heard = wordsOfTones(turn.text).at(-1);
    if (heard === 'alpha') return 'Bravo.';
    if (heard === 'mike') return endless();
    if (heard === 'uniform') return knowsWhatWasHeard(turn) ? 'Xray.' : 'Foxtrot.';
    if (heard === 'whiskey') return `<say>${firstWord(turn)}</say>`;
    return heard === 'zulu' ? 'Yankee.<leave/>' : 'Delta.';
  };
});
afterAll(async () => {
  await calls?.stop();
});

/** Says sentences, and then writes on without an end. */
async function* endless(): AsyncGenerator<ReplyPart> {
  const sentences = 'India juliett kilo lima mike. November oscar papa quebec. ';
  yield { kind: 'text', text: sentences.repeat(2) };
  yield { kind: 'text', text: 'Romeo' };
  await new Promise<never>(() => {});
}

/** All that the model is told in a turn: some vendors have earlier turns in its text. */
const toldIn = ({ history, text }: ModelTurnSeen) => [...history.map((turn) => turn.text), text].join('\n');

function knowsWhatWasHeard(turn: ModelTurnSeen): boolean {
  const told = toldIn(turn);
  return (
    told.includes('You were interrupted after:') && /india juliett kilo/i.test(told) && !/romeo/i.test(told)
  );
}

/** What the person said first. */
const firstWord = (turn: ModelTurnSeen) => /\balpha\b/i.exec(toldIn(turn))?.[0] ?? 'echo';

it.concurrent.each(MODEL_KINDS)(
  'a caller talks with a model of $name, which remembers and hangs up',
  { retry },
  async (kind) => {
    const before = (await calls.agent(kind).deliveries()).length;
    const person = await calls.connect(kind);
    await person.hears('golf hotel');
    person.says('alpha');
    await person.hears('golf hotel bravo');
    person.says('charlie');
    await person.hears('golf hotel bravo delta');
    person.says('mike');
    await person.hearsAtLeast('golf hotel bravo delta india juliett kilo');
    person.says('sierra tango uniform');
    await waitFor('the next reply', () => person.heard.endsWith('xray'));
    person.says('whiskey');
    await waitFor('the first word', () => person.heard.endsWith('xray alpha'));
    person.says('zulu');
    await person.hungUp;
    expect(person.heard).toMatch(/ xray alpha yankee$/);

    const agent = calls.agent(kind);
    const deliveries = (await agent.deliveries()).slice(before);
    expect(deliveries.map(({ event_type, status, error_type }) => [event_type, status, error_type])).toEqual([
      ['call_invite', 'delivered', null],
      ['call_transcript', 'delivered', null],
      ['call_transcript', 'delivered', null],
      ['call_transcript', 'delivered', 'interrupted'],
      ...Array(3).fill(['call_transcript', 'delivered', null]),
    ]);
    const { actions } = await agent.delivery(deliveries.at(-1)!.id);
    expect(actions.map(({ action, status }: { action: object; status: string }) => [action, status])).toEqual(
      [
        [{ kind: 'say', text: 'Yankee.' }, 'done'],
        [{ kind: 'leave' }, 'done'],
      ],
    );
  },
);

it('no vendor was asked for what its documentation does not have', () => {
  expect([...calls.vendors.offences, ...calls.speech.offences]).toEqual([]);
});

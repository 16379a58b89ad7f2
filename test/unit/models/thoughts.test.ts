import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import { custom } from '../../../src/models/custom/custom.ts';
import { type Manner, VisibleText } from '../../../src/models/custom/visible-text.ts';
import type { ModelClient } from '../../../src/models/model-client.ts';
import { FakeCustom } from '../../fakes/custom/fake-custom.ts';
import type { ReplyPart } from '../../fakes/model-vendor/scripted-reply.ts';
import { loopbackHttp, NotedTurn, type TestHttp, turnOf } from './turn-parts.ts';

const HARMONY_HEAD = '<|channel|>analysis<|message|>The user greets.<|end|><|start|>assistant';

/** What a model writes, and what a person gets of it. */
const REPLIES: readonly (readonly [string, string])[] = [
  ['<think>Hm.</think>Hi', 'Hi'],
  ['<thinking>Hm.\n\nYes.</thinking>\n\nHi', 'Hi'],
  ['\n<THINK type="deep">Hm.</THINK >Hi', 'Hi'],
  ['<think>\n\n</think>\n\nHi', 'Hi'],
  ['Hm.\n</think>\n\nHi', 'Hi'],
  ['Hm. `x` ```\n</thinking>Hi', 'Hi'],
  ['<think>Hm. ```\n</think>Hi', 'Hi'],
  ['</think>Hi', 'Hi'],
  ['[THINK]Hm.[/THINK]Hi', 'Hi'],
  ['◁think▷Hm.◁/think▷Hi', 'Hi'],
  ['<seed:think>Hm.</seed:think>Hi', 'Hi'],
  ['<|START_THINKING|>Hm.<|END_THINKING|>Hi', 'Hi'],
  ['<|channel>thought\nHm.<channel|>Hi', 'Hi'],
  ['<unused94>thought\nHm.<unused95>Hi', 'Hi'],
  ['Hello. <reasoning>Hm.</reasoning>Hi', 'Hello. Hi'],
  ['<think>One.</think>Hello. <think>Two.</think>Hi', 'Hello. Hi'],
  ['<think>One.</thinking>Hi', 'Hi'],
  ['<think>cut off by the limit', ''],
  ['Hello.\n<think>cut off by the limit', 'Hello.\n'],
  [`${HARMONY_HEAD}<|channel|>final<|message|>Hi<|return|>`, 'Hi'],
  [`<|start|>assistant${HARMONY_HEAD}<|channel|>final <|constrain|>text<|message|>Hi`, 'Hi'],
  [`${HARMONY_HEAD}<|channel|>commentary to=functions.look <|constrain|>json<|message|>{}<|call|>`, ''],
  [`${HARMONY_HEAD}<|channel|>commentary<|message|>I look.<|end|>Hi`, 'Hi'],
  ['<|channel|>final<|message|>Hi', 'Hi'],
  ['<|channel|>final Hi', 'Hi'],
  ['analysisThe user greets.assistantfinalHi', 'Hi'],
  ['analysisWe need to answer.', ''],
  ['<|im_start|>assistant\nHi<|im_end|>', 'Hi'],
  ['<|start_header_id|>assistant<|end_header_id|>\n\nHi<|eot_id|>', 'Hi'],
  ['Hi<｜end▁of▁sentence｜>', 'Hi'],
  // Not thoughts.
  ['  Hi', '  Hi'],
  ['analysis of the matter', 'analysis of the matter'],
  ['analysis', 'analysis'],
  ['1 < 2, <b>bold</b>, <thin>, [THIN] and <|', '1 < 2, <b>bold</b>, <thin>, [THIN] and <|'],
  ['Write `<think>` and `</think>` around it', 'Write `<think>` and `</think>` around it'],
  ['``a ` <think>`` b', '``a ` <think>`` b'],
  ['```xml\n<think>x</think>\n```\nDone', '```xml\n<think>x</think>\n```\nDone'],
  ['~~~\n<|im_end|>\n~~~\n<think>Hm.</think>Done', '~~~\n<|im_end|>\n~~~\nDone'],
  ['It costs 5` a piece\n<think>Hm.</think>Done', 'It costs 5` a piece\nDone'],
];

function shown(pieces: readonly string[], manner: Manner = 'marked') {
  const told: string[] = [];
  const text = new VisibleText((part) => told.push(part), manner);
  for (const piece of pieces) text.push(piece);
  return { whole: text.end(), told: told.join('') };
}

describe('what people see of a reply', () => {
  it.each(REPLIES)('of %j is %j, however it arrives', (reply, expected) => {
    for (const size of [1, 2, 3, 7, reply.length]) {
      const pieces = Array.from({ length: Math.ceil(reply.length / size) }, (_, at) =>
        reply.slice(at * size, (at + 1) * size),
      );
      expect(shown(pieces).whole).toBe(expected);
      if (!/^[^<]*<\/|^Hm/.test(reply)) expect(shown(pieces).told).toBe(expected);
    }
  });

  it('is told at once, but for what may become a mark', () => {
    const told: string[] = [];
    const text = new VisibleText((part) => told.push(part), 'marked');
    const steps = ['Hello ', 'a < b', ' <', 'b> <th', 'ough', ' so <think', '>no</th', 'ink>yes'];
    const lengths = steps.map((step) => {
      text.push(step);
      return told.join('').length;
    });
    expect(told.join('')).toBe('Hello a < b <b> <though so yes');
    expect(lengths).toEqual([6, 11, 12, 16, 16, 27, 27, 30]);
  });

  it('is held where the template begins the thought, until its end or the end of the reply', () => {
    expect(shown(['Hm. ```', ' \n</think>', 'Hi'], 'begun')).toEqual({ whole: 'Hi', told: 'Hi' });
    expect(shown(['Hi', ' there'], 'begun')).toEqual({ whole: 'Hi there', told: 'Hi there' });
  });

  it.each(['<', '<think', '`', '<|', '[', '</think>', '<think></think>', '\n```', '< '])(
    'is found in linear time among %j',
    (unit) => {
      const long = unit.repeat(100_000 / unit.length);
      const started = performance.now();
      shown([long]);
      shown(Array.from({ length: 40 }, () => unit.repeat(10_000 / unit.length)));
      expect(performance.now() - started).toBeLessThan(3_000);
    },
  );
});

describe('a custom endpoint whose model thinks in its text', () => {
  let vendor: FakeCustom;
  let http: TestHttp;
  let client: ModelClient;

  beforeEach(async () => {
    vendor = await new FakeCustom().start();
    http = loopbackHttp();
    const config = { endpoint: `${vendor.url}/v1`, model: 'llama-5-8b' };
    client = custom.connect(
      { config, secrets: { api_key: vendor.key } },
      { http, clock: systemClock, urls: {} },
    );
  });

  afterEach(async () => {
    http.close();
    await vendor.stop();
  });

  it.each(REPLIES)('that writes %j is heard and read to say %j', async (reply, expected) => {
    vendor.reply = () => reply;
    for (const isSpoken of [true, true, false]) {
      const noted = new NotedTurn();
      const { text } = await client.turn(turnOf('Hello', { isSpoken }), noted);
      expect(text).toBe(expected);
      if (isSpoken) expect(noted.whole).toBe(expected);
    }
  });

  it('is heard while it writes, once a reply has shown that its template begins no thought', async () => {
    await client.turn(turnOf('Hello', { isSpoken: true }), new NotedTurn());
    const go = Promise.withResolvers<void>();
    vendor.reply = async function* (): AsyncGenerator<ReplyPart> {
      yield { kind: 'text', text: '<think>Hm.</think>Good day.' };
      await go.promise;
      yield { kind: 'text', text: ' Goodbye.' };
    };
    const noted = new NotedTurn();
    const reply = client.turn(turnOf('Hello', { isSpoken: true }), noted);
    await noted.firstPart();
    expect('Good day.'.startsWith(noted.whole)).toBe(true);
    go.resolve();
    expect((await reply).text).toBe('Good day. Goodbye.');
  });

  it('says nothing of a thought that the template began and a limit of length has ended', async () => {
    vendor.reply = () => 'Hm.</think>Hi';
    await client.turn(turnOf('Hello'), new NotedTurn());
    vendor.reply = () => [{ kind: 'text', text: 'Hm. Well, let me' }, { kind: 'length' }];
    const noted = new NotedTurn();
    const reply = await client.turn(turnOf('Hello', { isSpoken: true }), noted);
    expect([reply.text, reply.finish, noted.whole]).toEqual(['', 'cut_off', '']);
  });
});

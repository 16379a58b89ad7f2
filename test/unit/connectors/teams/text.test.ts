import { expect, it } from 'vitest';
import type { Activity } from '../../../../src/connectors/teams/activities/activity.ts';
import { plainText } from '../../../../src/connectors/teams/messages/text.ts';

const BOT = '28:bot';

function textOf(text: string, mentions: readonly { mark: string; name?: string; id?: string }[]): string {
  const entities = mentions.map(({ mark, id = '29:someone', name }) => ({
    type: 'mention',
    text: mark,
    mentioned: { id, name },
  }));
  return plainText({ text, entities, recipient: { id: BOT } } as unknown as Activity);
}

it('leaves out the mention of the bot, and names others', () => {
  const mentions = [
    { mark: '<at>Agent</at>', id: BOT, name: 'Agent' },
    { mark: '<at id="0">Ada</at>', name: 'Ada Lovelace' },
    { mark: '<at>Nobody</at>' },
  ];
  const text = '<at>Agent</at>&nbsp;ask <at id="0">Ada</at> or <at>Nobody</at> or <at>Else</at>';
  expect(textOf(text, mentions)).toBe('ask @Ada Lovelace or @Nobody or <at>Else</at>');
});

it('replaces no name again that looks like a mark', () => {
  // Each of these doubles the next, if they are replaced one after the other.
  const chain = Array.from({ length: 40 }, (_, n) => ({
    mark: `<at>${n}</at>`,
    name: `<at>${n + 1}</at><at>${n + 1}</at>`,
  }));
  expect(textOf('<at>0</at>', chain)).toBe('@<at>1</at><at>1</at>');
});

it('takes nothing for a mark that a text does not mark', () => {
  expect(textOf('a banana', [{ mark: 'a', name: 'aa' }])).toBe('a banana');
});

it('ignores names that are longer than any person’s', () => {
  expect(textOf('<at>Ada</at>', [{ mark: '<at>Ada</at>', name: 'n'.repeat(300) }])).toBe('@Ada');
});

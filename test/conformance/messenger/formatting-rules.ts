import { expect } from 'vitest';
import type { Seen } from '../../support/seen/seen.ts';
import type { MessengerRule } from './messenger-under-test.ts';
import { Talk } from './talk.ts';

const HIDDEN = 'https://example.org/a_b_(c)?q=*1*';
const SHOWN = 'https://example.org/d_e_f?g=~h~i';
const CODE = 'const snake_case = a * b * c;';
/** What agents and models write. */
const WRITTEN = `Deploy **v2** is _ready_, ~~not late~~ by \`npm run x_y\` – see [the notes](${HIDDEN}) or ${SHOWN} now.

- one
  - **two**

\`\`\`js
${CODE}
\`\`\`
これは**大事**です, 2 and \\*no\\* & 1 < 2`;
/** What is left of marks where they are not read. */
const MARKS = /\*\*|~~|`|\]\(|\\/;

interface Rare {
  readonly written: string;
  /** What people see, with whatever the platform puts around it. */
  readonly shows: readonly (string | RegExp)[];
  readonly hides?: RegExp;
  readonly bold?: readonly string[];
  readonly code?: readonly string[];
  readonly urls?: readonly string[];
}

const RUST = 'https://en.wikipedia.org/wiki/Rust_(programming_language)';
const SEARCH = 'https://a.example/find?q=*a*&r=_b_&s=~c~';

/** What converters of Markdown are known to break. */
const RARE: Readonly<Record<string, Rare>> = {
  'emphasis without spaces': {
    written: '**네**라고 했다, 「**重要**」',
    shows: ['네라고'],
    bold: ['네', '重要'],
  },
  'a link to an address in brackets': { written: `see [Rust](${RUST}).`, shows: ['see Rust'], urls: [RUST] },
  'marks in an address': { written: `${SEARCH} and <${SEARCH}>`, shows: [/ and /], urls: [SEARCH] },
  'bold in a link, and a link in bold': {
    written: `[**one**](${RUST}) **and [two](${SEARCH})**`,
    shows: ['one', 'two'],
    urls: [RUST, SEARCH],
    hides: /\*/,
  },
  'bold in struck words': { written: '~~old **price** here~~', shows: ['old price here'], bold: ['price'] },
  'a fence in a longer fence': {
    written: '`````md\n```js\nx_y_z\n```\n`````',
    shows: ['x_y_z'],
    code: ['```js\nx_y_z\n```'],
  },
  'code with a backtick': { written: 'run ``a`b`` now', shows: [/run a`\u200b?b now/] },
  'a fence with CRLF': {
    written: '```js\r\nfoo_a_b\r\n```\r\nbar',
    shows: ['bar'],
    hides: /\r|js/,
    code: ['foo_a_b'],
  },
  'escaped marks': { written: '\\_x\\_ \\*y\\*', shows: ['_x_ *y*'] },
  'a shrug as people write it': { written: 'so ¯\\_(ツ)_/¯ it is', shows: ['¯_(ツ)_/¯'] },
  'a fence that is not closed': { written: 'so:\n```py\na_b_c = 1', shows: ['so:'], code: ['a_b_c = 1'] },
  'a quote that begins with code': {
    written: '> `src/main.ts:7` is _it_',
    shows: ['is it'],
    code: ['src/main.ts:7'],
  },
  'names and sums': {
    written: 'battery_alarm_level = 2 * 3 * 4',
    shows: ['battery_alarm_level = 2 * 3 * 4'],
  },
};

/** Agents write Markdown, and people see what it means. */
export const FORMATTING_RULES: readonly MessengerRule[] = [
  {
    title: 'what agents write in Markdown is formatted as the platform does it, and every address is whole',
    async check(subject) {
      const talk = await Talk.begun(subject);
      expect((await talk.send(WRITTEN)).status).toBe(200);
      const [{ platformMessageId }] = await talk.becomes('the message', () => {
        const [first, ...others] = talk.person.received();
        return first && ([first, ...others] as const);
      });
      const { text, marked, urls } = talk.person.sees(platformMessageId);
      expect(marked.bold).toEqual(expect.arrayContaining(['v2', 'two', '大事']));
      expect(marked.bold).toHaveLength(3);
      expect(marked.italic).toEqual(['ready']);
      expect(marked.struck).toEqual(['not late']);
      expect(marked.code.map((code) => code.trim())).toEqual(['npm run x_y', CODE]);
      // Where links have no words of their own, the address is to be seen.
      expect([urls, text].flat().join('\n')).toContain(HIDDEN);
      expect([urls, text].flat().join('\n')).toContain(SHOWN);
      expect(text.replaceAll(HIDDEN, '').replaceAll(SHOWN, '')).not.toMatch(MARKS);
      for (const words of ['see the notes', 'one', '2 and *no* & 1 < 2']) expect(text).toContain(words);
    },
  },
  {
    title: 'what is rare in Markdown means the same as what is common',
    async check(subject) {
      const talk = await Talk.begun(subject);
      for (const [kind, rare] of Object.entries(RARE)) {
        const before = talk.person.received().length;
        expect((await talk.send(rare.written)).status, kind).toBe(200);
        const { platformMessageId } = await talk.becomes('the message', () => talk.person.received()[before]);
        expect(faultsOf(rare, talk.person.sees(platformMessageId)), kind).toEqual([]);
      }
    },
  },
];

/** What people do not see as it is meant. */
function faultsOf(
  { shows, hides, bold, code, urls = [] }: Rare,
  { text, marked, urls: seen }: Seen,
): string[] {
  const without = [...new Set([...urls, ...seen])].reduce((rest, url) => rest.replaceAll(url, ''), text);
  const all = [...seen, text].join('\n');
  // What keeps backticks from ending the code is not to be seen.
  const trimmed = marked.code.map((each) => each.replaceAll('\u200b', '').trim());
  return [
    ...shows.filter((words) => (typeof words === 'string' ? !text.includes(words) : !words.test(text))),
    ...(hides?.test(without) ? [`${hides} is to be seen`] : []),
    ...urls.filter((url) => !all.includes(url)),
    ...(bold ?? []).filter((words) => !marked.bold.includes(words)).map((words) => `${words} is not bold`),
    ...(code ?? []).filter((words) => !trimmed.includes(words)).map((words) => `${words} is no code`),
  ].map((fault) => `${fault} in ${JSON.stringify({ text, marked })}`);
}

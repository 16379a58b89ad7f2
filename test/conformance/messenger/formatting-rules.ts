import { expect } from 'vitest';
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
];

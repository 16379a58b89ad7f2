import { Parser } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import { parseReply } from '../../../../src/inline/reply/reply-scanner.ts';
import { TAG_NAMES } from '../../../../src/inline/reply/tags.ts';
import { SeededRandom } from '../../../support/seeded-random.ts';
import { anyParts } from './any-reply.ts';
import { shortActions } from './short-actions.ts';

const REPLIES = 5_000;

/** Texts of well-formed XML, with what is in them. */
const TEXTS: readonly (readonly [string, string])[] = [
  ['Hello', 'Hello'],
  [' and ', ' and '],
  ['2 &lt; 3 &gt; 1', '2 < 3 > 1'],
  ['Tom &amp; Jerry', 'Tom & Jerry'],
  ['&quot;It&apos;s&quot;', '"It\'s"'],
  ['&#233;&#x1f600;', 'é😀'],
  ['<![CDATA[<b> & </b>]]>', '<b> & </b>'],
  ['&amp;lt;leave/&amp;gt;', '&lt;leave/&gt;'],
  ['東京', '東京'],
];
const NAMES: ReadonlySet<string> = new Set(TAG_NAMES);

/** What htmlparser2 finds in a reply, written as `shortActions` does. */
function secondReading(parts: readonly string[]): string[] {
  const found: string[] = [];
  let attributes: Record<string, string> = {};
  let body = '';
  const parser = new Parser(
    {
      onopentag: (_name, given) => {
        attributes = given;
        body = '';
      },
      ontext: (text) => {
        body += text;
      },
      onclosetag: (name) => {
        if (NAMES.has(name)) found.push(lineOf(name, attributes, body.trim()));
        body = '';
      },
    },
    { xmlMode: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  for (const part of parts) parser.write(part);
  parser.end();
  const isLeaving = found.includes('leave');
  return [...found.filter((line) => line !== 'leave'), ...(isLeaving ? ['leave'] : [])];
}

function lineOf(name: string, attributes: Readonly<Record<string, string>>, body: string): string {
  const { platform, to, account_id: account = null, url, id, caption = '' } = attributes;
  if (name === 'dm') return `dm ${platform} ${to} ${account}: ${body}`;
  if (name === 'call_join') return `call_join ${platform} ${url} ${account}`;
  if (name === 'file') return `file ${JSON.stringify({ fileId: id })} ${caption}`;
  return body === '' ? name : `${name}: ${body}`;
}

/** A reply as the default prompt asks for it. */
function anyWellFormed(random: SeededRandom): string {
  const body = () => `x${random.pick(TEXTS)[0]}${random.pick(TEXTS)[0]}`;
  const quoted = (value: string) => (random.chance(0.5) ? `"${value}"` : `'${value}'`);
  const name = (text: string) => (random.chance(0.2) ? text.toUpperCase() : text);
  const tag = () => {
    const kind = random.below(6);
    if (kind === 0) return `<${name('write')}>${body()}</${name('write')}>`;
    if (kind === 1) return `<leave${random.pick(['', ' ', '\n'])}/>`;
    if (kind === 2) return `<dm  platform=${quoted('slack')} to=${quoted('a&lt;b &amp; c')}>${body()}</dm\n>`;
    if (kind === 3)
      return `<call_join platform=${quoted('zoom')} url=${quoted('https://z.example/?a&amp;b')}/>`;
    if (kind === 4) return `<file id=${quoted('f_1')} caption=${quoted('A > B')}/>`;
    return `<dm platform="agent" to="Bob" account_id=${quoted('x:1')}>${body()}</dm>`;
  };
  return Array.from({ length: 1 + random.below(5) }, tag).join(random.pick(['', '\n', ' ']));
}

describe('a second parser', () => {
  it.each(TEXTS)('reads the text %j as %j, as the scanner does', (text, read) => {
    const reply = `<write>${text}</write>`;
    expect(shortActions(parseReply(reply, 'write', 'complete'))).toEqual([`write: ${read.trim()}`]);
    expect(secondReading([reply])).toEqual([`write: ${read.trim()}`]);
  });

  it(`agrees on ${REPLIES} well-formed replies`, () => {
    const random = new SeededRandom(12);
    for (let count = 0; count < REPLIES; count++) {
      const reply = anyWellFormed(random);
      const scanned = parseReply(reply, 'write', 'complete');
      expect(scanned.faults, reply).toEqual([]);
      expect(shortActions(scanned), reply).toEqual(secondReading(anyParts(random, reply)));
    }
  });
});

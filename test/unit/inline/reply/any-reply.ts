import type { SeededRandom } from '../../../support/seeded-random.ts';

/** Pieces that decide how a reply is read, and plain text between them. */
const PIECES = [
  ...['<write>', '</write>', '<say>', '</say>', '<SAY>', '</Say >', '<write', '</wri', '<', '</', '<w'],
  ...['<accept/>', '<refuse/>', '<leave/>', '<leave>', '</leave>', '<leave', '/>', '>'],
  ...[
    '<dm platform="telegram" to="1">',
    '</dm>',
    "<dm to='a>b' ",
    '<dm platform=x>',
    '<dtmf>12#</dtmf>',
    '<dtmf>1',
  ],
  ...[
    '<file id="f_1"/>',
    '<file name="a">',
    '</file>',
    '<call_join platform="sip" url="sip:a"/>',
    '<callme>',
  ],
  ...['&lt;', '&amp;', '&#60;', '&#x1F600;', '&', '&#', '&l', '&unknown;', '&#xD800;', ';', '"', "'", '='],
  ...['<![CDATA[', ']]>', ']]', ']', '<![CD', '<!--', '-->'],
  ...['`', '``', '```', '```\n', '```xml\n', '\n```\n', '~~~\n', '~', '\n', '\r\n', ' ', '   ', '\t'],
  ...[
    'Hello. ',
    'Is it so? ',
    'Dr. ',
    '3.14 ',
    'e.g. ',
    '! ',
    '...',
    'no stop',
    'A longer sentence stands here. ',
  ],
  ...[
    '。',
    '東京です。',
    '…',
    '“Yes.” ',
    '(Yes.) ',
    '😀',
    '\ud83d',
    '\ude00',
    '\0',
    '\u2028',
    'é',
    '&eacute;',
  ],
] as const;
/** Replies often begin like this. */
const STARTS = [
  '```xml\n<say>',
  '```\n<write>',
  ' ```html\n\n<leave/>',
  '<write>',
  '<say>',
  '',
  '',
  '',
  '',
] as const;
const MOST_PIECES = 10;

/** A reply, more hostile than any model's. */
export function anyReply(random: SeededRandom): string {
  let text: string = random.pick(STARTS);
  for (let left = random.below(MOST_PIECES); left >= 0; left--) text += random.pick(PIECES);
  return text;
}

/** The parts that a text arrives in. Most are short, and a pair of surrogates may be split. */
export function anyParts(random: SeededRandom, text: string): string[] {
  const longest = random.pick([1, 2, 5, 12]);
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + 1 + random.below(longest);
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}

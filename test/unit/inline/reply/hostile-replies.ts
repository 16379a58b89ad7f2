import type { OutsideText, ReplyEnd } from '../../../../src/inline/reply/action-builder.ts';

/** A reply that must do exactly this, written as `shortActions` does. By default it is written and complete. */
export interface HostileReply {
  readonly name: string;
  readonly text: string;
  readonly does: readonly string[];
  readonly outsideText?: OutsideText;
  readonly end?: ReplyEnd;
}

/** The text is written as it is. */
function plain(name: string, text: string): HostileReply {
  return { name, text, does: [`write: ${text.trim()}`] };
}

function reply(name: string, text: string, ...does: readonly string[]): HostileReply {
  return { name, text, does };
}

const CODE: readonly HostileReply[] = [
  plain('inline code', 'Write `<leave/>` to hang up.'),
  plain('inline code of two backticks', 'Write `` <leave/> ` <accept/> `` to hang up.'),
  plain('a fence on one line', 'Write ```<leave/>``` to hang up.'),
  plain('a fence', 'Look:\n```\n<leave/>\n```\nThat is it.'),
  plain('a fence with a language', 'Look:\n```xml\n<write>no</write>\n```'),
  plain('a fence of four backticks around one of three', '````\n```\n<leave/>\n```\n<leave/>\n````'),
  plain('a fence of tildes', '~~~\n<leave/>\n```\n<leave/>\n~~~'),
  plain('an indented fence', '1. Look:\n   ```\n   <leave/>\n   ```'),
  plain('a fence that is not closed', 'Look:\n```\n<leave/>'),
  plain('a fence whose end is too short', 'Look:\n````\n<leave/>\n```\n<leave/>'),
  plain('a fence whose end has text behind it', '```\nx\n``` more\n<leave/>'),
  plain('a whole fence of another language', '```python\n<leave/>\n```'),
  plain('a whole fence that begins with text', '```xml\nLook: <leave/>\n```'),
  plain('a fence with tags and text behind it', '```xml\n<leave/>\n```\nDo that.'),
  plain('two fences with tags', '```xml\n<leave/>\n```\n```xml\n<accept/>\n```'),
  reply('a whole fence', '```xml\n<write>Hi</write>\n<leave/>\n```', 'write: Hi', 'leave'),
  reply('a whole fence without language or end', '\n ```\n<leave/>', 'leave'),
  reply(
    'a whole fence within a whole fence',
    '```xml\n```xml\n<leave/>\n```\n```',
    'write: ```xml\n```xml\n<leave/>\n```\n```',
  ),
  reply('a backtick that nothing closes', "It's a ` here. <leave/>", "write: It's a ` here.", 'leave'),
  reply('a backtick closed on the next line', 'a ` b\n<leave/> ` c', 'write: a ` b\n ` c', 'leave'),
  reply('a fence within a body', '<write>\n```\n<leave/>\n```\n</write>', 'write: ```\n<leave/>\n```'),
  reply(
    'a closing tag in code within a body',
    '<write>`</write>`<leave/>`',
    'write: `',
    '! text outside tags',
  ),
  reply(
    'a fence that opens behind a tag',
    '<accept/>```\n<leave/>\n```',
    'accept',
    'write: ```\n\n```',
    'leave',
  ),
];

const NESTED: readonly HostileReply[] = [
  reply('a tag in a tag', '<write>a<leave/>b</write>', 'write: a<leave/>b'),
  reply(
    'the same tag in a tag',
    '<write>a<write>b</write>c</write>',
    'write: a<write>b',
    '! text outside tags',
  ),
  reply('another closing tag in a tag', '<write>a</say></dm>b</write>', 'write: a</say></dm>b'),
  reply('crossed tags', '<write>a<say>b</write>c</say>', 'write: a<say>b', '! text outside tags'),
  reply(
    'a dm in a say',
    '<say>Do <dm platform="sip" to="1">x</dm> now</say>',
    'say: Do <dm platform="sip" to="1">x</dm> now',
  ),
  reply(
    'markup of other kinds',
    '<write><b>a</b> <div class="x">2 < 3</div></write>',
    'write: <b>a</b> <div class="x">2 < 3</div>',
  ),
  reply('a tag in a tag of another kind', '<reply><leave/></reply>', 'write: <reply></reply>', 'leave'),
  reply(
    'a tag in an attribute',
    '<dm platform="sip" to="<leave/>">x</dm>',
    'write: <dm platform="sip" to="">x',
    'leave',
    '! dm',
  ),
  reply(
    'a tag in an attribute as a reference',
    '<dm platform="sip" to="&lt;leave/&gt;">x</dm>',
    'dm sip <leave/> null: x',
  ),
];

const REFERENCES: readonly HostileReply[] = [
  reply('references of a tag', '&lt;leave/&gt;', 'write: <leave/>'),
  reply('numeric references of a tag', '&#60;leave/&#x3e;', 'write: <leave/>'),
  reply('references of a closing tag', '<write>a&lt;/write&gt;<leave/></write>', 'write: a</write><leave/>'),
  reply('references that are decoded once', '&amp;lt;leave/&amp;gt;', 'write: &lt;leave/&gt;'),
  plain('unknown references', '&nbsp;&copy;&LT;&#;&#x;&#xZZ;&lt'),
  plain('references of no character', '&#0;&#xD800;&#1114112;&#99999999;'),
  reply('references of control characters', '<write>a&#8;b&#27;c</write>', 'write: abc'),
  plain('ampersands', 'a & b && c &'),
];

const CDATA: readonly HostileReply[] = [
  reply('a tag in CDATA', '<![CDATA[<leave/>]]>', 'write: <leave/>'),
  reply('a closing tag in CDATA', '<write><![CDATA[</write><leave/>]]></write>', 'write: </write><leave/>'),
  reply('CDATA that is not closed', '<write><![CDATA[</write><leave/>', 'write: </write><leave/>'),
  reply('CDATA in CDATA', '<write><![CDATA[<![CDATA[x]]>]]></write>', 'write: <![CDATA[x]]>'),
  reply('CDATA in two parts', '<write><![CDATA[a]]]]><![CDATA[>b]]></write>', 'write: a]]>b'),
  reply('references in CDATA', '<write><![CDATA[&lt;]]>&lt;</write>', 'write: &lt;<'),
  reply('CDATA in small letters', '<![cdata[<leave/>]]>', 'write: <![cdata[]]>', 'leave'),
  plain('half of a CDATA start', '<![CDATA'),
];

const HALF: readonly HostileReply[] = [
  plain('a name', '<leave'),
  plain('a name and a slash', '<leave/'),
  plain('an angle bracket', 'a <'),
  plain('an attribute that is not closed', '<call_join platform="sip'),
  plain('an angle bracket and a space', '< leave/> <\nleave/>'),
  plain('a longer name', '<leaves/><write-x>a</write-x><dm2/><say_it/>'),
  plain('a name with a namespace', '<x:leave/><leave:x/>'),
  plain('other letters that look like it', '<\u017fay>a<lеave/>＜leave/＞'),
  plain('a control character in the name', '<le\u200bave/>'),
  { name: 'a NUL in the name', text: '<le\0ave/>', does: ['write: <leave/>'] },
  plain('a comment of another kind', '<!-- note --> <?leave?> <!leave>'),
  { name: 'a value without quotes', text: '<file id=f_1/>', does: ['write: <file id=f_1/>', '! file'] },
  { name: 'a slash in the middle', text: '<leave / now>', does: ['write: <leave / now>', '! leave'] },
  {
    name: 'attributes without space between them',
    text: '<dm platform="sip"to="1">x</dm>',
    does: ['write: <dm platform="sip"to="1">x', '! dm'],
  },
  reply('an attribute twice', '<dm platform="sip" to="1" TO="2">x</dm>', 'dm sip 1 null: x'),
  reply('closing tags of nothing', '</write>a</leave></say >', 'write: a'),
  reply('a half tag before a tag', '<leave<write>Hi</write>', 'write: Hi', '! text outside tags'),
  reply(
    'a tag of 1,025 characters',
    `<leave${' '.repeat(1_017)}/>`,
    `write: <leave${' '.repeat(1_017)}/>`,
    '! leave',
  ),
  reply('a tag of 1,024 characters', `<leave${' '.repeat(1_016)}/>`, 'leave'),
];

const ENDS: readonly HostileReply[] = [
  reply('a write that is not closed', 'a<write>b<leave/>', 'write: b<leave/>', '! text outside tags'),
  { name: 'a dm that is cut off', text: '<dm platform="sip" to="1">Pay 1', does: ['! dm'], end: 'cut_off' },
  { name: 'a tag that is cut off', text: 'Well <leave', does: ['write: Well <leave'], end: 'cut_off' },
  {
    name: 'an interrupted leave',
    text: '<leave/>Wait',
    does: ['! text outside tags', '! leave'],
    end: 'interrupted',
  },
  {
    name: 'a spoken tag in code',
    text: 'Say `<leave/>` to me.',
    does: ['say: Say `<leave/>` to me.'],
    outsideText: 'say',
  },
  reply('nothing', ''),
  reply('a byte order mark', '\ufeff<leave/>', 'leave'),
];

const CHARACTERS: readonly HostileReply[] = [
  reply('lone surrogates', '<write>a\ud800b\udc00</write>', 'write: a\ufffdb\ufffd'),
  reply('control characters', '<write>a\0b\u0007c\u001b[31md\u0085e\tf</write>', 'write: abc[31mde\tf'),
  reply('nothing but control characters', '<write>\0\u0001</write>', '! write'),
  reply('mixed case', '<wRiTe>a</WrItE><LEAVE/>', 'write: a', 'leave'),
];

const MEGABYTE = 1_048_576;
const READ = 65_536;
const LONG: readonly HostileReply[] = [
  reply('a megabyte of text', 'a'.repeat(MEGABYTE), `write: ${'a'.repeat(READ)}`, '! reply'),
  reply('a megabyte in a tag', `<write>${'a'.repeat(MEGABYTE)}</write>`, '! reply', '! write'),
  reply('a tag behind a megabyte', `<accept/>${' '.repeat(MEGABYTE)}<leave/>`, 'accept', '! reply'),
  reply('a megabyte of angle brackets', '<'.repeat(MEGABYTE), `write: ${'<'.repeat(READ)}`, '! reply'),
];

export const HOSTILE_REPLIES: readonly HostileReply[] = [
  ...CODE,
  ...NESTED,
  ...REFERENCES,
  ...CDATA,
  ...HALF,
  ...ENDS,
  ...CHARACTERS,
  ...LONG,
];

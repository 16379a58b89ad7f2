import { describe, expect, it } from 'vitest';
import type { PlacedAction } from '../../../../src/inline/reply/action.ts';
import { parseReply, ReplyScanner } from '../../../../src/inline/reply/reply-scanner.ts';
import { shortActions, shortReply } from './short-actions.ts';

describe('the tags of a reply', () => {
  it.each<[string, string[]]>([
    ['<write>Hello</write>', ['write: Hello']],
    ['<WRITE>Hello</Write >', ['write: Hello']],
    ['<write>\n  Two\n  lines\n</write>', ['write: Two\n  lines']],
    ['<accept/>', ['accept']],
    ['<accept>', ['accept']],
    ['<accept></accept>', ['accept']],
    ['<refuse />', ['refuse']],
    ['<dtmf> 12 3#*d </dtmf>', ['dtmf: 123#*D']],
    ['<dm platform="Telegram" to=\'cnv_1\'>Hi</dm>', ['dm telegram cnv_1 null: Hi']],
    [
      '<dm\nplatform = "agent"\n to="Bob &amp; Co"\taccount_id="bot_1">Hi</dm>',
      ['dm agent Bob & Co bot_1: Hi'],
    ],
    ['<call_join platform="sip" url="sip:a@b.example"/>', ['call_join sip sip:a@b.example null']],
    [
      '<call_join account_id="t1" platform="zoom" url="https://z.example/j/1?a=1&amp;b=2">',
      ['call_join zoom https://z.example/j/1?a=1&b=2 t1'],
    ],
    ['<file id="f_1"/>', ['file {"fileId":"f_1"} ']],
    [
      '<file url="https://a.example/b.png" caption="A &gt; B"/>',
      ['file {"url":"https://a.example/b.png"} A > B'],
    ],
    ['<file name="a.txt">one &lt; two</file>', ['file {"name":"a.txt","text":"one < two"} ']],
  ])('%j', (text, actions) => {
    expect(shortReply(text)).toEqual(actions);
  });

  it.each([
    ['<write></write>', 'write'],
    ['<write/>', 'write'],
    ['<dtmf>12x</dtmf>', 'dtmf'],
    [`<dtmf>${'1'.repeat(33)}</dtmf>`, 'dtmf'],
    ['<dm platform="icq" to="1">Hi</dm>', 'dm'],
    ['<dm platform="telegram">Hi</dm>', 'dm'],
    ['<dm platform="telegram" to=" ">Hi</dm>', 'dm'],
    ['<dm platform="telegram" to="1"> </dm>', 'dm'],
    ['<call_join platform="agent" url="x"/>', 'call_join'],
    ['<call_join platform="zoom"/>', 'call_join'],
    ['<file/>', 'file'],
    ['<file id="f_1" url="https://a.example"/>', 'file'],
    ['<file url="http://a.example"/>', 'file'],
    ['<file url="file:///etc/passwd"/>', 'file'],
    ['<file url="/etc/passwd"/>', 'file'],
    ['<file name="a.txt"/>', 'file'],
  ])('are dropped with a fault: %s', (text, tag) => {
    expect(shortReply(text)).toEqual([`! ${tag}`]);
  });

  it('are carried out without the attributes that they do not know, and the fault names those', () => {
    expect(parseReply('<leave reason="done" NOW/>', 'write', 'complete')).toEqual({
      actions: [{ index: 0, action: { kind: 'leave' } }],
      faults: [
        { tag: 'leave', problem: 'unknown attribute "reason"' },
        { tag: 'leave', problem: 'unknown attribute "now"' },
      ],
    });
  });
});

describe('text outside tags', () => {
  it.each<[string, 'write' | 'say', string[]]>([
    ['Hello.', 'write', ['write: Hello.']],
    ['Hello.', 'say', ['say: Hello.']],
    [' \n ', 'write', []],
    [' \n ', 'say', []],
    ['Here it is: <file id="f_1"/> Bye', 'write', ['write: Here it is:  Bye', 'file {"fileId":"f_1"} ']],
    ['Note <write>Hello</write>', 'write', ['write: Hello', '! text outside tags']],
    ['Note <write> </write>', 'write', ['write: Note', '! write']],
    ['A note for you all. <write>Hello</write>', 'say', ['say: A note for you all.', 'write: Hello']],
    ['Before this<accept/>and after it', 'say', ['say: Before this', 'accept', 'say: and after it']],
  ])('%j, to %s', (text, outsideText, actions) => {
    expect(shortReply(text, outsideText)).toEqual(actions);
  });
});

describe('decisions of a reply', () => {
  it.each<[string, string[]]>([
    ['<leave/><say>Bye</say><leave/>', ['say: Bye', 'leave']],
    ['<accept/><accept/>', ['accept']],
    ['<accept/><write>x</write><refuse/>', ['refuse', 'write: x', '! accept']],
    ['<refuse/><accept/><accept/>', ['refuse', '! accept', '! accept']],
  ])('%s', (text, actions) => {
    expect(shortReply(text)).toEqual(actions);
  });
});

describe('a reply that ends early', () => {
  it.each<[string, 'write' | 'say', string[], string[]]>([
    ['<write>a</write><write>b', 'write', ['write: a', '! write'], ['write: a', '! write']],
    ['Text <write>b', 'write', ['! write', '! text outside tags'], ['! write', '! text outside tags']],
    ['Just some text', 'write', ['write: Just some text'], ['! text outside tags']],
    ['<leave/>', 'write', ['leave'], ['! leave']],
    ['<accept/><dm platform="sip" to="1">x', 'write', ['accept', '! dm'], ['accept', '! dm']],
    [
      'This was said by now. This was n',
      'say',
      ['say: This was said by now.'],
      ['say: This was said by now.'],
    ],
    [
      '<say>This was said by now. This was n',
      'say',
      ['say: This was said by now.', '! say'],
      ['say: This was said by now.', '! say'],
    ],
  ])('%j, to %s', (text, outsideText, cutOff, interrupted) => {
    expect(shortReply(text, outsideText, 'cut_off')).toEqual(cutOff);
    expect(shortReply(text, outsideText, 'interrupted')).toEqual(interrupted);
  });

  it('closes what is open when it is complete', () => {
    expect(shortReply('<say>Hello')).toEqual(['say: Hello']);
    expect(shortReply('<write>Hello</writ')).toEqual(['write: Hello</writ']);
  });
});

describe('a scanner', () => {
  it('tells sentences and closed tags at once, and decisions at the end', () => {
    const told: PlacedAction[] = [];
    const scanner = new ReplyScanner('say', (placed) => told.push(placed));
    const kindsAfter = (part: string) => {
      scanner.push(part);
      return told.map(({ index, action }) => `${index} ${action.kind}`);
    };
    expect(kindsAfter('<accept/><leave/>')).toEqual([]);
    expect(kindsAfter('<say>How can I help you today?')).toEqual([]);
    expect(kindsAfter(' I')).toEqual(['1 say']);
    expect(kindsAfter(' am here.</sa')).toEqual(['1 say']);
    expect(kindsAfter('y>')).toEqual(['1 say', '2 say']);
    expect(kindsAfter('<write>x</write>')).toEqual(['1 say', '2 say', '3 write']);
    const { actions, faults } = scanner.end('complete');
    expect(faults).toEqual([]);
    expect(actions.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
    expect(told.map(({ index }) => index)).toEqual([1, 2, 3, 0, 4]);
  });

  it('carries out 20 tags, and speaks 200 sentences', () => {
    const tags = '<write>x</write>'.repeat(25);
    expect(shortReply(`${tags}<accept/><leave/>`)).toEqual([
      ...Array.from({ length: 20 }, () => 'write: x'),
      'accept',
      'leave',
      '! write',
    ]);
    const sentence = 'This is one more sentence. ';
    expect(shortReply(sentence.repeat(205), 'say')).toEqual([
      ...Array.from({ length: 200 }, () => `say: ${sentence.trim()}`),
      '! say',
    ]);
  });

  it('tells 50 faults', () => {
    expect(parseReply('<dtmf>x</dtmf>'.repeat(60), 'write', 'complete').faults).toHaveLength(50);
  });

  it('reads 65,536 characters', () => {
    const fits = 'a'.repeat(65_536 - '<leave/>'.length);
    expect(shortReply(`${fits}<leave/>`)).toEqual([`write: ${fits}`, 'leave']);
    expect(shortReply(`${fits}.<leave/>`)).toEqual([`write: ${fits}.<leave/`, '! reply']);
    const scanner = new ReplyScanner('write', () => {});
    scanner.push('<write>b</write><write>');
    for (let part = 0; part < 1_024; part++) scanner.push('a'.repeat(1_024));
    expect(shortActions(scanner.end('complete'))).toEqual(['write: b', '! reply', '! write']);
  });
});

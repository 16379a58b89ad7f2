import { describe, expect, it } from 'vitest';
import { dialable, parseCallPattern } from '../../../src/base/call-pattern.ts';
import { dialSame } from '../../../src/base/call-target.ts';

describe('a pattern', () => {
  it.each([
    ['*', '*'],
    [' +44 20 * ', '+4420*'],
    ['+*', '+*'],
    ['+44 (20) 7183-8750', '+442071838750'],
    ['tel:+442071838750', '+442071838750'],
    ['SIP:Desk@Example.COM.', 'sip:Desk@example.com'],
    ['sips:desk@example.com:5061;transport=TLS', 'sips:desk@example.com:5061;transport=tls'],
    ['Zoom.US', 'zoom.us'],
    ['127.0.0.1', '127.0.0.1'],
  ])('%s is kept as %s', (given, kept) => {
    expect(parseCallPattern(given)?.text).toBe(kept);
    expect(parseCallPattern(kept)?.text).toBe(kept);
  });

  it.each([
    '',
    '+',
    '**',
    '4420*',
    '+0*',
    '+1234567890123456*',
    '+44,,1*',
    '+442071838750,,8123#',
    'sip:*@example.com',
    'sip:desk@*',
    '*.example.com',
    'https://zoom.us/j/1',
    'zoom.us/j/1',
    'user@zoom.us',
    'zoom',
  ])('%j is none', (given) => {
    expect(parseCallPattern(given)).toBeNull();
  });
});

const LISTED = [
  '+4420*',
  '+33199887766',
  'sip:desk@example.com',
  'sip:+19005550123@pbx.example.com',
  'zoom.us',
];

describe('a target that is listed', () => {
  it.each([
    ['+44 20 7183 8750', '+442071838750'],
    ['tel:+44-20-7183-8750', '+442071838750'],
    ['%2B442071838750', '+442071838750'],
    ['\u202a+44\u00a020\u20117183\u20118750\u202c', '+442071838750'],
    ['\uff0b\uff14\uff14\uff12\uff10\uff11', '+44201'],
    ['+442071838750,,8123#', '+442071838750,,8123#'],
    ['+33199887766', '+33199887766'],
    // The number, and not whatever host is behind it.
    ['sip:+442071838750@trunk.example.net', '+442071838750'],
    ['sip:%2B442071838750@evil.example:5070', '+442071838750'],
    ['sip:+442071838750,,8123#@trunk.example.net', '+442071838750,,8123#'],
    ['SIP:desk@EXAMPLE.com', 'sip:desk@example.com'],
    ['sip:+19005550123@pbx.example.com', 'sip:+19005550123@pbx.example.com'],
    ['https://zoom.us/j/81234567890?pwd=a', 'https://zoom.us/j/81234567890?pwd=a'],
    ['<https://us02web.zoom.us/j/8>', 'https://us02web.zoom.us/j/8'],
    ['https://www.google.com/url?q=https%3A%2F%2Fzoom.us%2Fj%2F8', 'https://zoom.us/j/8'],
    ['sip:room@zoom.us', 'sip:room@zoom.us'],
  ])('%s is dialled as %s', (given, dialled) => {
    expect(dialable(LISTED, given)).toBe(dialled);
  });

  it('is dialled as it is where everything is listed', () => {
    expect(dialable(['*'], '812 3456 7890')).toBe('812 3456 7890');
  });
});

describe('a target that is not listed', () => {
  it.each([
    '+19005550123',
    '+4419005550123',
    '19005550123',
    '0019005550123',
    '4420',
    // What is behind the number leads elsewhere.
    '+442071838750;rn=+19005550123',
    '+442071838750;phone-context=+1900',
    'tel:+442071838750;postd=pp19005550123',
    '+442071838750;isub=1900',
    '+442071838750,,x',
    '+442071838750@evil.example',
    '+442071838750 or +19005550123',
    '+4420718387501234567',
    'sip:+442071838750;rn=+19005550123@zoom.us',
    'sip:+442071838750:secret@zoom.us',
    'sip:+442071838750@zoom.us?Route=%3Csip:evil.example%3E',
    'sip:+442071838750@zoom.us;maddr=192.0.2.1',
    'sip:desk@example.com;maddr=192.0.2.1',
    'sip:desk@example.com?subject=x',
    'sip:desk@example.com@evil.example',
    'sip:desk%40example.com@evil.example',
    'sip:desk@example.com:5070',
    'sips:desk@example.com',
    'sip:other@example.com',
    // A trunk would dial it.
    'sip:+19005550123@zoom.us',
    'sip:0019005550123@zoom.us',
    'sip:*67+19005550123@zoom.us',
    'sip:@zoom.us',
    'https://zoom.us.evil.example/j/8',
    'https://evilzoom.us/j/8',
    'https://zoom.us@evil.example/j/8',
    'https://zoom.us:x@evil.example/',
    'https://evil.example/?zoom.us',
    'https://evil.example\\@zoom.us/j/8',
    'https://evil.example#@zoom.us/',
    'javascript://zoom.us/%0aalert(1)',
    'https://www.google.com:443/url?q=https://zoom.us/j/8',
    'https://evil.example/ https://zoom.us/j/8',
    'zoom.us',
    '',
    `https://zoom.us/${'a'.repeat(2_000)}`,
  ])('%s is not dialled', (given) => {
    expect(dialable(LISTED, given)).toBeNull();
  });

  it('is any, by default', () => {
    for (const given of ['+442071838750', 'sip:desk@example.com', 'https://zoom.us/j/8'])
      expect(dialable([], given)).toBeNull();
  });

  it('may not be reached by a detour of a listed page', () => {
    expect(
      dialable(['google.com'], 'https://meet.google.com/linkredirect?dest=tel:%2B19005550123'),
    ).toBeNull();
    expect(dialable(['google.com'], 'https://www.google.com:443/url?q=tel:%2B19005550123')).toBeNull();
  });
});

describe('whom a turn is about', () => {
  it.each([
    ['+442071838750', 'tel:+44 20 7183 8750', '+442071838750'],
    ['+442071838750', 'sip:+442071838750@evil.example', '+442071838750'],
    ['sip:desk@example.com', 'sip:desk@EXAMPLE.com', 'sip:desk@example.com'],
    ['https://zoom.us/j/8', 'https://zoom.us/j/8', 'https://zoom.us/j/8'],
    ['02071838750', 'tel:02071838750', 'tel:02071838750'],
  ])('%s is called back by %s', (own, text, dialled) => {
    expect(dialSame(own, text)).toBe(dialled);
  });

  it.each([
    ['*', '+19005550123'],
    ['+*', '+19005550123'],
    ['evil.example', 'sip:a@evil.example'],
    ['anonymous', 'anonymous'],
    ['', ''],
    ['+44', '+442071838750'],
    ['+442071838750', '+442071838750;rn=+1900'],
    ['https://zoom.us/j/8', 'https://zoom.us/j/9'],
    ['02071838750', '02071838750,,1'],
  ])('%s does not open %s', (own, text) => {
    expect(dialSame(own, text)).toBeNull();
  });
});

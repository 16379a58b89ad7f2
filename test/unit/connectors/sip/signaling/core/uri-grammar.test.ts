import { Grammar } from 'sip.js/lib/core/index.js';
import { describe, expect, it } from 'vitest';
import {
  readPlainUri,
  speedUpGrammar,
} from '../../../../../../src/connectors/sip/signaling/core/uri-grammar.ts';

const generated = Grammar.parse;

const PLAIN = [
  'sip:+33123456789@127.0.0.1',
  'sip:a.b-c_d@Sip.Example.COM:5070;transport=tcp;lr;ob',
  'sips:1000@pbx;user=phone;ftag=AbC1',
  'sip:10.0.0.1;lr',
  'sip:h;lr=on',
  "sip:*97!~'()$@pbx.example",
  'sip:a%20b@h',
  'sip:a%2Bb%C3%A9@h',
  'sip:+33;phone-context=x@h;user=phone',
  'sip:a&b=c,d?e/f@h',
  'sip:[::1]:5060',
  'sip:a@[2001:db8::1]:5070;transport=TCP',
  'sip:api.pstnhub.example.com:443;x-i=0a1b-2c;x-c=0a1b/s/1/2c3d;x=[1]:%20',
  'sip:0123456789abcdef01@gateway.invalid',
];
const RARE = [
  'sip:a:secret@h',
  'sip:a@h;maddr=x',
  'sip:a@h;ttl=3',
  'sip:a@h?x=y',
  'sip:a@999.1.1.1',
  'sip:a@b_c',
  'sip:a@1.2',
  'sip:a%ff@h',
  'sip:a@[1:]',
  'sip:a@h;x=1;X=2',
  'sip:a@h;__proto__=1',
  'sip:a@h:05060',
  'SIP:a@h',
  'tel:+33123456789',
];

describe('URIs in plain form', () => {
  it.each(PLAIN)('are parsed as sip.js parses them: %s', (uri) => {
    expect(readPlainUri(uri)).toEqual(generated(uri, 'SIP_URI'));
  });

  it.each(RARE)('are left to sip.js, or parsed the same: %s', (uri) => {
    expect(readPlainUri(uri) ?? generated(uri, 'SIP_URI')).toEqual(generated(uri, 'SIP_URI'));
  });

  it('are limited to 1,024 characters, and others to 128', () => {
    speedUpGrammar();
    expect(Grammar.URIParse(`sip:${'a'.repeat(900)}@h`)).toBeDefined();
    expect(Grammar.URIParse(`sip:${'a'.repeat(1_100)}@h`)).toBeUndefined();
    expect(Grammar.URIParse('sip:a:secret@h')).toBeDefined();
    expect(Grammar.URIParse(`sip:a:${'s'.repeat(200)}@h`)).toBeUndefined();
  });
});

import { Grammar } from 'sip.js/lib/core/index.js';
import { describe, expect, it } from 'vitest';
import { readPlain } from '../../../../../src/connectors/sip/signaling/header-grammar.ts';

const generated = Grammar.parse;

const URIS = [
  'sip:+33123456789@127.0.0.1',
  'sip:a.b-c_d@Sip.Example.COM:5070;transport=tcp;lr;ob',
  'sips:1000@pbx;user=phone;ftag=AbC1',
  'sip:10.0.0.1;lr',
  'sip:h;lr=on',
  "sip:*97!~'()$@pbx.example",
];
const RARE_URIS = [
  'sip:a%20b@h',
  'sip:a@h;transport=UDP',
  'sip:[::1]:5060',
  'sip:a:secret@h',
  'sip:a@h;maddr=x',
  'sip:a@h?x=y',
  'sip:a@999.1.1.1',
  'sip:a@b_c',
  'sip:a@1.2',
  'sip:a@h;x=1;X=2',
  'tel:+33123456789',
];
const tails = [
  '',
  ';tag=as58f4201b',
  ';tag=a_.~+-b;x=y;z',
  ';expires=60',
  ';q=0.5',
  ';a="b"',
  ';__proto__=1',
];
const names = ['', '"Alice" ', '"" ', '"A, <B>; +c" ', '"Ren\u00e9" ', '"a\\"b" ', 'Bob ', ' '];
const ADDRESSES = [...URIS, ...RARE_URIS].flatMap((uri) =>
  names.flatMap((name) => tails.map((tail) => `${name}<${uri}>${tail}`)),
);
const VIAS = ['127.0.0.1:5060', 'pbx.example', '[::1]:5060', 'h:05060'].flatMap((sentBy) =>
  [
    ';branch=z9hG4bK-1',
    ';branch=z9hG4bK1;rport=40123;received=192.0.2.1',
    ';branch=z9hG4bKx;rport',
    ';branch=z9;alias',
    ';ttl=3;branch=z9',
    '',
    ';branch=z9;received=::1',
  ].flatMap((tail) => [
    `SIP/2.0/UDP ${sentBy}${tail}`,
    `SIP/2.0/TLS ${sentBy}${tail}`,
    `SIP/2.0/WS ${sentBy}${tail}`,
  ]),
);

const CORPUS: Readonly<Record<string, readonly string[]>> = {
  Request_Response: [
    ...[...URIS, ...RARE_URIS].map((uri) => `INVITE ${uri} SIP/2.0`),
    ...['SIP/2.0 200 OK', 'SIP/2.0 180 ', 'SIP/2.0 183 Session Progress (x)', "SIP/2.0 603 It's no-one"],
  ],
  SIP_URI: [...URIS, ...RARE_URIS],
  Name_Addr_Header: ADDRESSES,
  From: ADDRESSES,
  To: [...ADDRESSES, 'sip:a@b;tag=x', 'sip:a@b'],
  Contact: [...ADDRESSES, '*', '<sip:a@b>, <sip:c@d>'],
  Record_Route: [...ADDRESSES, '<sip:1.2.3.4;lr>,<sip:h;lr=on;ftag=AbC>'],
  Via: VIAS,
  CSeq: ['1 INVITE', '4294967295 BYE', '01 ACK', '1  INVITE', 'x INVITE'],
  Call_ID: ['abc-1.2_3~+', 'abc@10.0.0.1', '@', 'a@b@c', 'a b', 'a@[::1]'],
  Content_Length: ['0', '123', '007', 'x', ''],
  Max_Forwards: ['70', '0', '255', '-1'],
  Content_Type: ['application/sdp', 'application/dtmf-relay', 'Application/SDP;charset=x', 'sdp'],
};

describe('headers in plain form', () => {
  it.each(Object.keys(CORPUS))('are read by %s as sip.js itself reads them', (rule) => {
    let plain = 0;
    for (const text of CORPUS[rule]!) {
      const read = readPlain(text, rule);
      if (read === undefined) continue;
      plain += 1;
      expect(read, text).toEqual(generated(text, rule));
    }
    expect(plain).toBeGreaterThan(0);
  });

  it('are all that an ordinary call is made of', () => {
    const ordinary = [
      ['Request_Response', 'INVITE sip:0123456789abcdef01@gateway.invalid SIP/2.0'],
      ['Via', 'SIP/2.0/UDP 127.0.0.1:5060;branch=z9hG4bK-524287-1;rport=5060;received=127.0.0.1'],
      ['From', '"Caller" <sip:+33611111111@pbx.example>;tag=as58f4201b'],
      ['To', '<sip:+33123456789@127.0.0.1:5060>'],
      ['Contact', '<sip:asterisk@10.0.0.1:5060;transport=tcp>'],
      ['Record_Route', '<sip:10.0.0.1;lr;ftag=as58f4201b>'],
      ['Call_ID', '0c3b4e8a-1f6e-123d@10.0.0.1'],
    ] as const;
    for (const [rule, text] of ordinary) expect(readPlain(text, rule), text).toBeDefined();
  });

  it('are no longer than 512 characters', () => {
    expect(readPlain(`<sip:${'a'.repeat(600)}@h>`, 'To')).toBeUndefined();
  });
});

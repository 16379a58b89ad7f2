import { describe, expect, it } from 'vitest';
import { readTarget, trunkTarget } from '../../../../../src/connectors/sip/signaling/legs/dial-target.ts';
import {
  headerParameter,
  parseSipUri,
  uriInHeader,
} from '../../../../../src/connectors/sip/signaling/message/sip-uri.ts';
import { parseVia, stampVia } from '../../../../../src/connectors/sip/signaling/message/via.ts';
import { NumberRegistry, toE164 } from '../../../../../src/connectors/sip/signaling/trunk/number-registry.ts';
import { NUMBER, trunkTo } from './start-connector.ts';

describe('phone numbers', () => {
  it.each([
    ['+33123456789', '+33123456789'],
    ['+33 (1) 23-45.67/89', '+33123456789'],
    ['0033123456789', '+33123456789'],
    ['01133123456789', '+33123456789'],
    ['33123456789', '+33123456789'],
    ['0123456789', null],
    ['alice', null],
    ['+0123456789', null],
    ['+1234567890123456', null],
  ])('are normalized: %s becomes %s', (text, number) => {
    expect(toE164(text)).toBe(number);
  });

  it('are found only among those of the account', () => {
    const numbers = new NumberRegistry();
    numbers.put(NUMBER);
    numbers.put({ ...NUMBER, didId: 'did_2', accountId: 'acc_2' });
    const find = (dialled: string, account: string) => numbers.find([dialled], account)?.didId ?? null;
    expect(find('0033123456789', 'acc_2')).toBe('did_2');
    expect(find('+33123456789', 'acc_3')).toBeNull();
    expect(find('0123456789', 'acc_1')).toBe('did_1');
    expect(find('456789', 'acc_1')).toBeNull();
    numbers.remove('did_1');
    expect(find('+33123456789', 'acc_1')).toBeNull();
    expect(numbers.onlyOf('acc_1')).toBeNull();
    expect(numbers.onlyOf('acc_2')?.didId).toBe('did_2');
  });

  it('are not guessed when a national number fits two', () => {
    const numbers = new NumberRegistry();
    numbers.put(NUMBER);
    numbers.put({ ...NUMBER, didId: 'did_2', number: '+49123456789' });
    expect(numbers.find(['0123456789'], 'acc_1')).toBeNull();
  });
});

describe('URIs', () => {
  it.each([
    ['sip:+33;npdi=yes:secret@h.example:5070;transport=tcp?x=y', '+33', 'h.example', 5_070],
    ['sips:a%20b@[2001:db8::1]', 'a b', '[2001:db8::1]', null],
    ['sip:host', '', 'host', null],
    ['TEL:+33-1;phone-context=x', '+33-1', '', null],
  ])('parses %s', (text, user, host, port) => {
    expect(parseSipUri(text)).toMatchObject({ user, host, port });
  });

  it.each([
    '',
    'sip:',
    'sip:a@',
    'sip:a@h:0',
    'sip:a@h:99999',
    'sip:a b@h',
    '<sip:a@h>',
    'mailto:a@h',
    'tel:x',
  ])('refuses "%s"', (text) => expect(parseSipUri(text)).toBeNull());

  it('finds URI and parameters in header values', () => {
    expect(uriInHeader('"a <sip:x@y> \\" b" <sip:c@d;p=1>;tag=t')).toBe('sip:c@d;p=1');
    expect(headerParameter('"x;tag=no" <sip:c@d;tag=no>;tag=yes', 'tag')).toBe('yes');
    expect(headerParameter('sip:c@d;tag=yes', 'tag')).toBe('yes');
    expect(headerParameter('<sip:c@d>', 'tag')).toBeNull();
  });

  it.each([
    ['sip:+33123@127.0.0.1', 'sip:+33123@127.0.0.1:5070'],
    ['sip:bob@elsewhere.example:5080;x=y', 'sip:bob@elsewhere.example:5080;x=y'],
    ['tel:+33-123', 'sip:+33123@127.0.0.1:5070;user=phone'],
    ['sips:bob@elsewhere.example', undefined],
  ])('dials %s over a UDP trunk as %s', (target, uri) => {
    expect(trunkTarget(readTarget(target)!, trunkTo(5_070))?.toRaw()).toBe(uri);
  });

  it('dials sips over a TLS trunk as it is', () => {
    const uri = trunkTarget(readTarget('sips:bob@elsewhere.example')!, trunkTo(5_061, { transport: 'tls' }));
    expect(uri?.toRaw()).toBe('sips:bob@elsewhere.example');
  });
});

describe('Via', () => {
  it('records the real source of a request (RFC 3581)', () => {
    const stamp = (value: string) => stampVia(value, parseVia(value)!, '192.0.2.9', 4_444);
    expect(stamp('SIP/2.0/UDP h.example;branch=z9hG4bKa')).toBe(
      'SIP/2.0/UDP h.example;branch=z9hG4bKa;received=192.0.2.9',
    );
    expect(stamp('SIP/2.0/UDP 192.0.2.9:5060;rport;branch=z9hG4bKa')).toBe(
      'SIP/2.0/UDP 192.0.2.9:5060;rport=4444;branch=z9hG4bKa;received=192.0.2.9',
    );
    expect(stamp('SIP/2.0/UDP 192.0.2.9;branch=z9hG4bKa')).toBe('SIP/2.0/UDP 192.0.2.9;branch=z9hG4bKa');
  });

  it('rejects invalid headers', () => {
    for (const text of ['', 'SIP/2.0/UDP', 'HTTP/1.1 h', 'SIP/2.0/UDP h:port'])
      expect(parseVia(text)).toBeNull();
  });
});

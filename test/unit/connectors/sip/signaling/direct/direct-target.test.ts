import { describe, expect, it } from 'vitest';
import {
  directTarget,
  isHostIn,
} from '../../../../../../src/connectors/sip/signaling/direct/direct-target.ts';
import { readTarget } from '../../../../../../src/connectors/sip/signaling/legs/dial-target.ts';

describe('hosts that are called without a trunk', () => {
  const hosts = ['zoomcrc.com', 'rooms.example'];

  it.each([
    ['zoomcrc.com', true],
    ['ZoomCRC.COM', true],
    ['zoomcrc.com.', true],
    ['global.zoomcrc.com', true],
    ['us01.rooms.example.', true],
    ['zoomcrc.com..', false],
    ['notzoomcrc.com', false],
    ['zoomcrc.com.evil.example', false],
    ['zoomcrc.com-evil.example', false],
    ['com', false],
    ['.zoomcrc.com.evil', false],
    ['xn--zoomcr-6of.com', false],
    ['162.255.37.11', false],
    ['[2607:f388::1]', false],
    ['', false],
  ])('%s: %s', (host, isDirect) => expect(isHostIn(hosts, host)).toBe(isDirect));

  it('may be none', () => expect(isHostIn([], 'zoomcrc.com')).toBe(false));
});

const DOMAIN = { host: 'zoomcrc.com', port: null, protocols: ['tls', 'tcp', 'udp'] };

describe('a target without a trunk', () => {
  it.each([
    ['sip:812.123@zoomcrc.com', 'sip:812.123@zoomcrc.com', {}],
    ['SIP:812.123@ZoomCRC.com.', 'sip:812.123@zoomcrc.com', {}],
    [
      'sip:812..12.34@global.zoomcrc.com',
      'sip:812..12.34@global.zoomcrc.com',
      { host: 'global.zoomcrc.com' },
    ],
    ['sips:8@zoomcrc.com', 'sips:8@zoomcrc.com', { protocols: ['tls'] }],
    ['sips:8@zoomcrc.com;transport=tcp', 'sips:8@zoomcrc.com;transport=tcp', { protocols: ['tls'] }],
    ['sip:8@zoomcrc.com;transport=TLS', 'sip:8@zoomcrc.com;transport=tls', { protocols: ['tls'] }],
    ['sip:8@zoomcrc.com;transport=udp', 'sip:8@zoomcrc.com;transport=udp', { protocols: ['udp'] }],
    ['sip:8@zoomcrc.com:5061', 'sip:8@zoomcrc.com:5061', { port: 5061, protocols: ['tls'] }],
    ['sip:8@zoomcrc.com:5060', 'sip:8@zoomcrc.com:5060', { port: 5060, protocols: ['tcp', 'udp'] }],
    [
      'sip:8@zoomcrc.com:5070;transport=tls',
      'sip:8@zoomcrc.com:5070;transport=tls',
      { port: 5070, protocols: ['tls'] },
    ],
    ['sip:evil.example%40x@zoomcrc.com', 'sip:evil.example%40x@zoomcrc.com', {}],
    ['sip:8%3Bmaddr=10.0.0.1@zoomcrc.com', 'sip:8%3Bmaddr%3D10.0.0.1@zoomcrc.com', {}],
  ])('%s is called as %s', (text, uri, domain) => {
    const target = directTarget(readTarget(text)!);
    expect(target.uri.toRaw()).toBe(uri);
    expect(target.domain).toEqual({ ...DOMAIN, ...domain });
  });

  it.each([
    ['sip:8:secret@zoomcrc.com', 'neither parameters nor a password'],
    ['sip:8;maddr=10.0.0.1@zoomcrc.com', 'neither parameters nor a password'],
    ['sip:a%0d%0aTo:x@zoomcrc.com', 'neither parameters nor a password'],
    ['sip:8@zoomcrc.com;maddr=127.0.0.1', 'no parameter but "transport"'],
    ['sip:8@zoomcrc.com;transport=tls;maddr=127.0.0.1', 'no parameter but "transport"'],
    ['sip:8@zoomcrc.com;transport=tls;transport=udp', 'no parameter but "transport"'],
    ['sip:8@zoomcrc.com;transport=ws', 'no parameter but "transport"'],
    ['sip:8@zoomcrc.com;lr', 'no parameter but "transport"'],
    ['sip:8@zoomcrc.com;method=REGISTER', 'no parameter but "transport"'],
    ['sips:8@zoomcrc.com;transport=udp', 'excludes the transport "udp"'],
    ['sip:8@zoomcrc.com?Route=%3Csip:evil%3E', 'headers after a "?"'],
    ['sip:8@zoomcrc.com;transport=tls?Subject=x', 'headers after a "?"'],
  ])('%s is refused: %s', (text, reason) => {
    expect(() => directTarget(readTarget(text)!)).toThrow(reason);
  });

  it.each([
    'sip:zoomcrc.com',
    'sip:@zoomcrc.com',
    'sip:8@zoomcrс.com',
    'sip:8@zoomcrc%2ecom',
    'sip:8@zoomcrc.com:0',
    'sip:8@zoomcrc.com:99999',
    'sip:8@zoomcrc.com/path',
    'sip:8@ zoomcrc.com',
    'sip:8@zoomcrc.com\r\nX: y',
    'sip:8@[zoomcrc.com]',
    `sip:${'8'.repeat(1_024)}@zoomcrc.com`,
  ])('%j is not a SIP URI', (text) => expect(readTarget(text)).toBeNull());

  it.each([
    'sip:a@zoomcrc.com@evil.example',
    'sip:zoomcrc.com:5060@evil.example',
    'sip:8@zoomcrc.com;transport=tls@evil.example',
    'sip:8@zoomcrc.com#@evil.example',
    'sip:8@zoomcrc.com\\@evil.example',
    'sip:8@zoomcrc.com?x=@evil.example',
  ])('%s leads to what follows the last @', (text) => {
    expect(readTarget(text)?.host).toBe('evil.example');
  });
});

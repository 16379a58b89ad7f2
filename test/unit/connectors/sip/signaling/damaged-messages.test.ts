import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  toCoreRequest,
  toCoreResponse,
} from '../../../../../src/connectors/sip/signaling/core/core-message.ts';
import type { UserAgentCore } from '../../../../../src/connectors/sip/signaling/core/sip-core.ts';
import { guardRequest } from '../../../../../src/connectors/sip/signaling/guard/message-guard.ts';
import { settleBody } from '../../../../../src/connectors/sip/signaling/message/message-body.ts';
import {
  isResponse,
  parseSipMessage,
} from '../../../../../src/connectors/sip/signaling/message/sip-message.ts';
import { parsePeerDescription } from '../../../../../src/connectors/sip/signaling/sdp/sdp-peer.ts';
import { StreamFramer } from '../../../../../src/connectors/sip/signaling/transport/stream-framer.ts';
import { sdp } from './scripted-peer.ts';

const HEAD = [
  'Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bKx;rport',
  'From: "A \\"B\\"" <sip:+331@h>;tag=f',
  'To: <tel:+332>;tag=t',
  'Call-ID: c@h',
  'Record-Route: <sip:p1;lr>, <sip:p2;lr>',
  'Contact: <sip:a@192.0.2.1;transport=udp>;expires=60',
  'WWW-Authenticate: Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256',
  'Content-Type: multipart/mixed; boundary="b"',
];
const BODY = `--b\r\nContent-Type: application/sdp\r\n\r\n${sdp()}\r\n--b--`;
const MESSAGES = [
  ...['INVITE', 'ACK', 'BYE', 'CANCEL', 'INFO', 'PRACK'].map((method) => [
    `${method} sip:+332@h SIP/2.0`,
    method,
  ]),
  ...['180 Ringing', '200 OK', '401 No', '486 Busy'].map((status) => [`SIP/2.0 ${status}`, 'INVITE']),
].map(([start, method]) => [start, ...HEAD, `CSeq: 1 ${method}`, '', BODY].join('\r\n'));

const trunk = {
  dialogUser: 'u',
  serverUri: 'sip:127.0.0.1:5060',
  core: { userAgentClients: new Map() } as unknown as UserAgentCore,
  settings: { srtp: 'off', behindNat: false, mediaTimeoutS: null, callerFrom: 'from', realm: null } as const,
};

const damage = fc.array(
  fc.record({
    at: fc.nat(1_500),
    text: fc.oneof(
      fc.constantFrom('\r\n', ';', ':', '<', '>', '"', ',', '', ' ', '\0', '%', '='),
      fc.string(),
    ),
    drop: fc.nat(40),
  }),
  { maxLength: 6 },
);

describe('damaged messages', () => {
  it('never make the path to sip.js throw, and those that pass are complete', () => {
    const check = (original: string, damages: { at: number; text: string; drop: number }[]): void => {
      const text = damages.reduce(
        (all, each) => all.slice(0, each.at) + each.text + all.slice(each.at + each.drop),
        original,
      );
      new StreamFramer().push(Buffer.from(text));
      const message = parseSipMessage(Buffer.from(text));
      if (message === null) return;
      settleBody(message);
      parsePeerDescription(message.body);
      if (isResponse(message)) toCoreResponse(message, trunk);
      else if (guardRequest(message) === null) {
        const request = toCoreRequest(message, trunk);
        if (request !== null) expect([request.ruri?.user, typeof request.callId]).toEqual(['u', 'string']);
      }
    };
    fc.assert(fc.property(fc.constantFrom(...MESSAGES), damage, check), { numRuns: 3_000 });
  });

  it('need an address each in From and To, and get a content type for their body', () => {
    const ok = MESSAGES.find((text) => text.startsWith('SIP/2.0 200'))!;
    for (const line of [/From: .*/, /To: .*/]) {
      for (const value of ['', '<>', '"x"', ';tag=t', 'x']) {
        const text = ok.replace(line, (all) => `${all.split(':')[0]}: ${value}`);
        expect(toCoreResponse(parseSipMessage(Buffer.from(text))!, trunk)).toBeNull();
      }
    }
    const untyped = ok.replace(/Content-Type: .*/, 'Content-Type: \r\nContent-Disposition: ');
    const response = toCoreResponse(parseSipMessage(Buffer.from(untyped))!, trunk)!;
    expect(response.parseHeader('content-type')).toBe('application/octet-stream');
    expect(response.hasHeader('content-disposition')).toBe(false);
  });

  it('pass when they are intact', () => {
    for (const text of MESSAGES) {
      const message = parseSipMessage(Buffer.from(text))!;
      settleBody(message);
      const parsed = isResponse(message) ? toCoreResponse(message, trunk) : toCoreRequest(message, trunk);
      expect(parsed).not.toBeNull();
      expect(parsePeerDescription(parsed!.body)?.audio[0]?.port).toBe(40_000);
    }
  });
});

import { describe, expect, it } from 'vitest';
import {
  headersOf,
  parseSipMessage,
} from '../../../../../src/connectors/sip/signaling/message/sip-message.ts';
import { RtpPorts } from '../../../../../src/connectors/sip/signaling/sdp/rtp-ports.ts';
import { StreamFramer } from '../../../../../src/connectors/sip/signaling/transport/stream-framer.ts';

function message(body: string, lengthName = 'Content-Length'): Buffer {
  return Buffer.from(
    `OPTIONS sip:a@b SIP/2.0\r\nVia: SIP/2.0/TCP a\r\n${lengthName}: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

describe('the stream framer', () => {
  it('extracts the same messages from any pieces', () => {
    const whole = Buffer.concat([
      message('zoë'),
      Buffer.from('\r\n\r\n'),
      message('', 'l'),
      message('x'.repeat(3_000)),
    ]);
    for (const pieceBytes of [1, 2, 3, 7, 64, 4_096]) {
      const framer = new StreamFramer();
      const found: Buffer[] = [];
      for (let at = 0; at < whole.length; at += pieceBytes) {
        found.push(...framer.push(whole.subarray(at, at + pieceBytes))!);
      }
      expect(found.map((each) => each.length)).toEqual(
        [message('zoë'), message('', 'l'), message('x'.repeat(3_000))].map((each) => each.length),
      );
    }
  });

  it('gives up on streams that cannot be split', () => {
    expect(new StreamFramer().push(Buffer.from('OPTIONS sip:a SIP/2.0\r\nVia: x\r\n\r\n'))).toBeNull();
    expect(new StreamFramer().push(Buffer.alloc(70_000, 'a'))).toBeNull();
    expect(new StreamFramer().push(Buffer.from('A B SIP/2.0\r\nContent-Length: 99999\r\n\r\n'))).toBeNull();
  });
});

describe('the SIP message parser', () => {
  it('expands compact names, unfolds lines and splits Via', () => {
    const text =
      'BYE sip:a@b SIP/2.0\r\nv: SIP/2.0/UDP a,\r\n SIP/2.0/UDP b\r\nt: "a, b" <sip:c,d@e>\r\nl: 2\r\n\r\nhello';
    const parsed = parseSipMessage(Buffer.from(text))!;
    expect(headersOf(parsed, 'via')).toEqual(['SIP/2.0/UDP a', 'SIP/2.0/UDP b']);
    expect(headersOf(parsed, 'to')).toEqual(['"a, b" <sip:c,d@e>']);
    expect(parsed.body).toBe('he');
  });
});

describe('RTP ports', () => {
  it('are given out once per even port, and can be returned', () => {
    const ports = new RtpPorts(20_001, 20_009);
    const taken = [ports.take(), ports.take(), ports.take(), ports.take()];
    expect([...taken].sort()).toEqual([20_002, 20_004, 20_006, 20_008]);
    expect(ports.take()).toBeNull();
    ports.release(20_004);
    expect(ports.take()).toBe(20_004);
  });

  it('need a range that holds a pair', () => {
    expect(() => new RtpPorts(20_001, 20_002)).toThrow('no pair');
  });
});

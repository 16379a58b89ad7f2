/** A message that no implementation likes, in the style of RFC 4475. */
export interface TortureMessage {
  readonly name: string;
  readonly bytes: Buffer;
}

interface GatewayDeps {
  readonly start: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/**
 * The set, addressed to `uri`, each in a transaction of its own. Some are valid and merely unusual (RFC 4475
 * section 3.1.1), most are not (3.1.2 and 3.3); none may crash or block the receiver.
 */
export function tortureMessages(uri: string, fromPort: number): TortureMessage[] {
  return Object.entries(VARIANTS).map(([name, damage], index) => {
    const damaged = damage(wellFormed(uri, fromPort, index));
    return { name, bytes: Buffer.isBuffer(damaged) ? damaged : bytesOf(damaged) };
  });
}

function wellFormed(uri: string, fromPort: number, index: number): GatewayDeps {
  return {
    start: `INVITE ${uri} SIP/2.0`,
    headers: [
      `Via: SIP/2.0/UDP 127.0.0.1:${fromPort};branch=z9hG4bKtorture${index}`,
      'Max-Forwards: 70',
      `From: <sip:torture@127.0.0.1:${fromPort}>;tag=t${index}`,
      `To: <${uri}>`,
      `Call-ID: torture-${index}-${fromPort}`,
      'CSeq: 1 INVITE',
      `Contact: <sip:torture@127.0.0.1:${fromPort}>`,
      'Content-Length: 0',
    ],
    body: '',
  };
}

type Damage = (parts: GatewayDeps) => GatewayDeps | Buffer;

const VARIANTS: Readonly<Record<string, Damage>> = {
  'folded and oddly spaced headers': replace(/^Max-Forwards: 70/, 'Max-Forwards\t:\r\n  70'),
  'escaped characters in the user': start((line) => line.replace('sip:', 'sip:%2b%00%ff')),
  'a nul in the user, quoted': replace(/^From: /, 'From: "nul: \\\u0000" '),
  'a header of 30,000 characters': add(`Subject: ${'long '.repeat(6_000)}`),
  'a hundred Via headers': (parts) => ({
    ...parts,
    headers: [
      ...Array.from({ length: 100 }, () => 'Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKx'),
      ...parts.headers,
    ],
  }),
  'an unknown method': start((line) => line.replace('INVITE', "!interesting-Method0123456789_*+`.%indeed'~")),
  'a method that differs from CSeq': replace(/INVITE$/, 'OPTIONS'),
  'a negative Content-Length': replace(/^Content-Length: 0/, 'Content-Length: -999'),
  'a Content-Length beyond the end': replace(/^Content-Length: 0/, 'Content-Length: 9999'),
  'a Content-Length that is no number': replace(/^Content-Length: 0/, 'Content-Length: many'),
  'a CSeq beyond 32 bits': replace(/^CSeq: 1/, 'CSeq: 36893488147419103232'),
  'a CSeq without a method': replace(/^CSeq: 1 INVITE/, 'CSeq: 1'),
  'Max-Forwards of zero': replace(/^Max-Forwards: 70/, 'Max-Forwards: 0'),
  'Max-Forwards beyond a byte': replace(/^Max-Forwards: 70/, 'Max-Forwards: 300000000'),
  'an unterminated quoted name': replace(/^To: </, 'To: "Mr. J. User <'),
  'angle brackets around the Request-URI': start((line) => line.replace(/(sip:\S+)/, '<$1>')),
  'spaces in the Request-URI': start((line) => line.replace('sip:', 'sip: ')),
  'spaces before the version': start((line) => line.replace(' SIP/2.0', '   SIP/2.0')),
  'version 7.0': start((line) => line.replace('SIP/2.0', 'SIP/7.0')),
  'an unknown scheme': start((line) => line.replace('sip:', 'nobodyKnowsThisScheme:')),
  'headers in the Request-URI': start((line) =>
    line.replace(' SIP/2.0', '?Route=%3Csip:example.com%3E SIP/2.0'),
  ),
  'no Via': without('Via'),
  'no From': without('From'),
  'no To': without('To'),
  'no Call-ID': without('Call-ID'),
  'no CSeq': without('CSeq'),
  'no Contact': without('Contact'),
  'two From headers': add('From: <sip:other@127.0.0.1>;tag=second'),
  'two Call-ID headers': add('Call-ID: second@127.0.0.1'),
  'a Via without a branch': replace(/;branch=\S+/, ''),
  'a Via to nowhere': replace(/127\.0\.0\.1:\d+;branch/, '256.256.256.256:99999;branch'),
  'a port of zero in Contact': replace(/^Contact: .*/, 'Contact: <sip:torture@127.0.0.1:0>'),
  'a Require of something unknown': add('Require: nothingSupportsThis, nothingSupportsThisEither'),
  'an SDP without media': body('v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n'),
  'an SDP of nothing but nonsense': body('hello\r\n\u0000\u0001\u0002==\r\nm=\r\na=\r\n'),
  'an SDP to port 99999': body(
    'v=0\r\no=- 1 1 IN IP4 x\r\ns=-\r\nc=IN IP4 x\r\nt=0 0\r\nm=audio 99999 RTP/AVP 0\r\n',
  ),
  'a body of another type': (parts) =>
    add('Content-Type: application/unknownformat')(
      body('<xml/>', 'application/unknownformat')(parts) as GatewayDeps,
    ),
  'a date in a wrong zone': add('Date: Fri, 01 Jan 2010 16:00:00 EST'),
  'digest credentials that do not parse': add('Authorization: Digest ,,,=,"'),
  'a response to nothing': (parts) => ({ ...parts, start: 'SIP/2.0 200 OK' }),
  'a response with a huge status': (parts) => ({
    ...parts,
    start: 'SIP/2.0 4294967301 better not break the receiver',
  }),
  'an ACK to nothing': retype('ACK'),
  'a CANCEL to nothing': retype('CANCEL'),
  'a BYE to nothing': retype('BYE'),
  'line feeds alone': (parts) =>
    Buffer.from(bytesOf(parts).toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
  'a message cut in the middle': (parts) => bytesOf(parts).subarray(0, 120),
  'an empty datagram': () => Buffer.alloc(0),
  'only line ends': () => Buffer.from('\r\n\r\n\r\n'),
  'only a start line': (parts) => Buffer.from(`${parts.start}\r\n\r\n`),
  'random bytes': () => Buffer.from(Array.from({ length: 1_200 }, (_, i) => (i * 7_919 + 13) % 256)),
  'bytes that are not UTF-8': replace(/^From: /, 'From: "\xc3\x28\xff\xfe" '),
  'RTP on the SIP port': () => Buffer.concat([Buffer.from([0x80, 0, 0, 1]), Buffer.alloc(168, 0xff)]),
};

function bytesOf({ start: line, headers, body: content }: GatewayDeps): Buffer {
  return Buffer.from(`${[line, ...headers].join('\r\n')}\r\n\r\n${content}`, 'latin1');
}

function start(change: (line: string) => string): Damage {
  return (parts) => ({ ...parts, start: change(parts.start) });
}

function replace(pattern: RegExp, text: string): Damage {
  return (parts) => ({ ...parts, headers: parts.headers.map((line) => line.replace(pattern, text)) });
}

function add(line: string): Damage {
  return (parts) => ({ ...parts, headers: [...parts.headers, line] });
}

function without(name: string): Damage {
  return (parts) => ({ ...parts, headers: parts.headers.filter((line) => !line.startsWith(`${name}:`)) });
}

function body(content: string, type = 'application/sdp'): Damage {
  return (parts) => ({
    ...parts,
    headers: [
      ...parts.headers.filter((line) => !line.startsWith('Content-Length')),
      `Content-Type: ${type}`,
      `Content-Length: ${content.length}`,
    ],
    body: content,
  });
}

function retype(method: string): Damage {
  return (parts) => ({
    ...parts,
    start: parts.start.replace('INVITE', method),
    headers: parts.headers.map((line) => line.replace('1 INVITE', `1 ${method}`)),
  });
}

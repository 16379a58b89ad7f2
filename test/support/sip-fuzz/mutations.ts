import type { SeededRandom } from '../seeded-random.ts';

const CHARACTERS = [
  '<',
  '>',
  '"',
  ',',
  ';',
  '\\',
  ' ',
  '\t',
  '(',
  ')',
  '@',
  ':',
  '=',
  '%',
  '%00',
  '\0',
  '\r',
  '\n',
  '\u00e9',
  '|',
  '*',
  '',
  'a',
  '0',
  '-1',
  '99999999999',
];
const RUNS = [
  '<',
  '"',
  ',',
  ';',
  '\\',
  ' ',
  '(',
  '[',
  '%61',
  '1',
  'a',
  ';a=b',
  '<sip:a@b>,',
  '"\\',
  '\r\n ',
  ';tag=',
  'a.',
  ':',
  '@',
  '=',
  '*',
];
const RUN_LENGTHS = [3, 40, 400, 4_000, 60_000];
const COMPACT: Readonly<Record<string, string>> = {
  via: 'v',
  from: 'f',
  to: 't',
  'call-id': 'i',
  contact: 'm',
  'content-type': 'c',
  'content-length': 'l',
  supported: 'k',
};
const NEW_HEADERS = [
  ...[
    'Require: 100rel',
    'Require: precondition',
    'Supported: 100rel, timer',
    'Proxy-Require: x',
    'Max-Forwards: 0',
    'Max-Forwards: 70',
  ],
  ...[
    'Content-Encoding: gzip',
    'Content-Type: multipart/mixed;boundary=b',
    'Content-Type: text/plain',
    'Content-Disposition: render',
  ],
  ...[
    'Diversion: <sip:+33123456789@h>',
    'P-Asserted-Identity: <tel:+33611111111>',
    'P-Called-Party-ID: <sip:+33123456789@h>',
  ],
  ...[
    'Record-Route: <sip:127.0.0.1;lr>',
    'Route: <sip:127.0.0.1;lr>',
    'Session-Expires: 1800;refresher=uac',
    'RAck: 1 1 INVITE',
    'RSeq: 1',
  ],
  ...[
    'WWW-Authenticate: Digest realm="r", nonce="n", qop="auth"',
    'Proxy-Authenticate: Digest realm="r", nonce="n"',
    'Replaces: x;to-tag=a;from-tag=b',
  ],
  ...[
    'Contact: *',
    'Contact: <sip:a@127.0.0.1>',
    'Expires: 0',
    'Min-Expires: 3600',
    'Event: presence',
    'Subject: x',
    'Refer-To: <sip:a@b>',
  ],
];
const METHODS = [
  'INVITE',
  'ACK',
  'BYE',
  'CANCEL',
  'OPTIONS',
  'INFO',
  'PRACK',
  'UPDATE',
  'REFER',
  'NOTIFY',
  'REGISTER',
  'MESSAGE',
  'invite',
  'X',
];

/** A message in lines: the first one, headers, an empty one, the body. */
export interface Draft {
  start: string;
  headers: string[];
  body: string;
}

export function draftOf(text: string): Draft {
  const end = text.indexOf('\r\n\r\n');
  const [start = '', ...headers] = text.slice(0, end).split('\r\n');
  return { start, headers, body: text.slice(end + 4) };
}

/** As bytes, with a Content-Length that is right unless a mutation has spoilt it. */
function bytesOf(draft: Draft, lengthIsRight: boolean): Buffer {
  const headers = lengthIsRight
    ? [
        ...draft.headers.filter((header) => !/^(content-length|l)\s*:/i.test(header)),
        `Content-Length: ${Buffer.byteLength(draft.body)}`,
      ]
    : draft.headers;
  return Buffer.from([draft.start, ...headers, '', draft.body].join('\r\n'));
}

/** The message with some things wrong with it: lines, values, parameters, framing, bytes. */
export function mutated(text: string, mutations: number, random: SeededRandom): Buffer {
  const draft = draftOf(text);
  for (let i = 0; i < mutations; i++) random.pick(ON_DRAFTS)(draft, random);
  const bytes = bytesOf(draft, random.chance(0.8));
  return random.chance(0.1 * Math.min(mutations, 1)) ? damaged(bytes, random) : bytes;
}

/** SDP with some things wrong with it. */
export function mutatedSdp(text: string, random: SeededRandom): string {
  let lines = text.split('\r\n');
  for (let i = random.below(5); i >= 0; i--) {
    const at = random.below(lines.length);
    const line = lines[at] ?? '';
    lines = random.pick([
      () => lines.toSpliced(at, 1),
      () => lines.toSpliced(at, 0, ...Array.from({ length: random.pick([1, 3, 100]) }, () => line)),
      () => lines.toSpliced(at, 1, changed(line, random)),
      () => lines.toSpliced(at, 0, random.pick(SDP_LINES)),
      () => lines.toSpliced(at, 1, line.slice(0, 2) + run(random)),
      () => lines.toReversed(),
    ])();
  }
  return lines.join(random.pick(['\r\n', '\r\n', '\r\n', '\n', '\r']));
}

const SDP_LINES = [
  ...[
    'm=audio 0 RTP/AVP 0',
    'm=audio 70000 RTP/AVP 0',
    'm=audio 4000/2 RTP/AVP 0',
    'm=video 4000 RTP/AVP 96',
    'm=audio 4000 RTP/SAVP 8',
  ],
  ...[
    'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:PS1uQCVeeCFCanVmcjkpPywjNWhcYD0mXXtxaVBR',
    'a=crypto:x',
    'a=rtcp-mux',
    'a=rtcp:1',
  ],
  ...[
    'c=IN IP4 0.0.0.0',
    'c=IN IP6 ::1',
    'c=IN IP4 host',
    'c=IN IP4 224.0.0.1/127',
    'a=sendonly',
    'a=inactive',
    'a=recvonly',
    'a=maxptime:10',
  ],
  ...[
    'a=rtpmap:0 opus/48000/2',
    'a=rtpmap:111 opus/48000/2',
    'a=fmtp:111 maxaveragebitrate=99999999999',
    'a=rtpmap:101 telephone-event/8000',
  ],
];

type Mutation = (draft: Draft, random: SeededRandom) => void;

function onHeader(change: (header: string, random: SeededRandom) => readonly string[]): Mutation {
  return (draft, random) => {
    const at = random.below(draft.headers.length);
    if (draft.headers.length > 0) draft.headers.splice(at, 1, ...change(draft.headers[at]!, random));
  };
}

const ON_DRAFTS: readonly Mutation[] = [
  onHeader(() => []),
  onHeader((header, random) => Array.from({ length: random.pick([2, 2, 30, 250]) }, () => header)),
  onHeader((header, random) => [changed(header, random)]),
  onHeader((header, random) => [changed(changed(header, random), random)]),
  onHeader((header, random) => [`${header.split(':')[0]}: ${run(random)}`]),
  onHeader((header, random) => [header + run(random)]),
  onHeader((header) => [
    header.replace(
      /^([\w-]+):/,
      (_all, name: string) => `${COMPACT[name.toLowerCase()] ?? name.toUpperCase()} :`,
    ),
  ]),
  onHeader((header) => [header.replace(': ', ':\r\n \t')]),
  onHeader((header, random) => [
    header.replace(/(tag|branch)=[^;]*/, `$1=${random.pick(['', 'x', '"', run(random)])}`),
  ]),
  onHeader((header, random) => [
    header.replace(/\d+/, random.pick(['0', '-1', '4294967296', '007', '1e3', ''])),
  ]),
  (draft, random) =>
    void draft.headers.splice(random.below(draft.headers.length + 1), 0, random.pick(NEW_HEADERS)),
  (draft) => void draft.headers.reverse(),
  (draft, random) => {
    draft.start = random.chance(0.5)
      ? changed(draft.start, random)
      : draft.start.replace(/^\S+/, random.pick(METHODS));
  },
  (draft, random) => {
    draft.headers = draft.headers.map((header) =>
      header.replace(/^(CSeq: \d+ )\S+/i, `$1${random.pick(METHODS)}`),
    );
  },
  (draft, random) => {
    draft.start = draft.start.replace(
      / \S+ /,
      ` ${random.pick(['tel:+1', 'sip:', `sip:${run(random)}@h`, 'http://x', '*', '<sip:a@b>'])} `,
    );
  },
  (draft, random) => {
    draft.body = random.pick([
      () => '',
      () => run(random),
      () => changed(draft.body, random),
      () => mutatedSdp(draft.body, random),
    ])();
  },
  (draft, random) => {
    draft.body = `--b\r\nContent-Type: application/sdp\r\n\r\n${draft.body}\r\n--b${run(random)}--`;
    draft.headers.push('Content-Type: multipart/mixed;boundary=b');
  },
  (draft, random) =>
    void draft.headers.push(`Content-Length: ${random.pick(['0', '1', '-1', '99999', '1000000', 'x', ''])}`),
];

/** A character in the place of some. */
function changed(text: string, random: SeededRandom): string {
  const at = random.below(text.length + 1);
  return text.slice(0, at) + random.pick(CHARACTERS) + text.slice(at + random.pick([0, 0, 1, 5, 50]));
}

function run(random: SeededRandom): string {
  const unit = random.pick(RUNS);
  const length = random.pick(RUN_LENGTHS);
  // Long runs make a run of the fuzzer long, and few of them say as much as many.
  return unit.repeat(Math.ceil((random.chance(0.1) ? length : Math.min(length, 400)) / unit.length));
}

/** Bytes cut off, flipped or doubled. */
function damaged(bytes: Buffer, random: SeededRandom): Buffer {
  const at = random.below(bytes.length);
  return random.pick([
    () => bytes.subarray(0, at),
    () => bytes.subarray(at),
    () => Buffer.concat([bytes, bytes]),
    () => {
      const copy = Buffer.from(bytes);
      for (let i = random.below(20); i >= 0; i--) copy[random.below(copy.length)] = random.below(256);
      return copy;
    },
  ])();
}

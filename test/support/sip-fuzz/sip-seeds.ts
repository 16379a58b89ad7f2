import type { Source } from '../../../src/connectors/sip/signaling/transport/wire.ts';
import { sdp } from '../../unit/connectors/sip/signaling/scripted-peer.ts';
import { NUMBER, TOKEN } from '../../unit/connectors/sip/signaling/start-connector.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { type FuzzGateway, TRUNK_HOST, TRUNK_PORT } from './fuzz-gateway.ts';
import { mutated, mutatedSdp } from './mutations.ts';

const LIVE_DIALOGS = 12;
const OUTSIDE = [
  'INVITE',
  'INVITE',
  'INVITE',
  'OPTIONS',
  'CANCEL',
  'BYE',
  'INFO',
  'PRACK',
  'ACK',
  'REGISTER',
  'MESSAGE',
  'SUBSCRIBE',
  'REFER',
];
const INSIDE = [
  'BYE',
  'INFO',
  'INFO',
  'INVITE',
  'INVITE',
  'ACK',
  'PRACK',
  'OPTIONS',
  'UPDATE',
  'CANCEL',
  'REFER',
];
const STATUSES = [100, 180, 183, 200, 200, 302, 401, 404, 407, 423, 480, 481, 486, 500, 503, 603];

interface Dialog {
  readonly callId: string;
  readonly ourTag: string;
  readonly peerTag: string;
  readonly contact: string;
  cseq: number;
}

export interface Fuzzed {
  readonly bytes: Buffer;
  readonly source: Source;
}

/** Messages of real flows with the gateway, each with some things wrong with it. */
export class SipSeeds {
  readonly #gateway: FuzzGateway;
  readonly #random: SeededRandom;
  #dialogs: Dialog[] = [];
  #count = 0;

  constructor(gateway: FuzzGateway, random: SeededRandom) {
    this.#gateway = gateway;
    this.#random = random;
  }

  get liveDialogs(): number {
    return this.#dialogs.length;
  }

  /** The next one, from the trunk over UDP or TCP, or from another sender. */
  next(): Fuzzed {
    const random = this.#random;
    const mutations = random.pick([0, 1, 1, 2, 2, 3, 5, 8]);
    return { bytes: mutated(this.#seed(), mutations, random), source: this.#source() };
  }

  /** The next description: in an offer that rings, in a re-INVITE, or in the answer to an offer of ours. */
  nextSdp(): Fuzzed {
    const random = this.#random;
    const body = mutatedSdp(this.#sdp(), random);
    const text = random.pick([
      () => this.#outside('INVITE', body),
      () => this.#inside('INVITE', body),
      () => this.#response([200, 183], body),
    ])();
    return { bytes: mutated(text, 0, random), source: this.#source() };
  }

  /** Sets up calls in both directions and registers trunks, so that later messages can belong to them. */
  async refresh(): Promise<void> {
    const gateway = this.#gateway;
    gateway.register(this.#random);
    while (this.#dialogs.length < LIVE_DIALOGS) {
      const made = this.#dialogs.length % 2 === 0 ? await this.#answered() : await this.#placed();
      if (made === null) break;
      this.#dialogs.push(made);
    }
    gateway.dial();
    await gateway.settle();
  }

  forget(): void {
    this.#dialogs = [];
  }

  #seed(): string {
    const share = this.#random.next();
    if (share < 0.4) return this.#outside(this.#random.pick(OUTSIDE));
    return share < 0.75 ? this.#inside(this.#random.pick(INSIDE)) : this.#response(STATUSES);
  }

  #source(): Source {
    const random = this.#random;
    const share = random.next();
    const host =
      share < 0.65 ? TRUNK_HOST : `10.${random.below(256)}.${random.below(256)}.${random.below(256)}`;
    if (share > 0.1) return { protocol: 'udp', host, port: TRUNK_PORT, connection: null };
    const connection = {
      open: true,
      localPort: 5_060,
      send: async () => {},
      destroy: () => {},
    };
    return { protocol: 'tcp', host, port: 40_000, connection };
  }

  #sdp(): string {
    return sdp(40_000, {
      codecs: this.#random.pick(['0 8 101', '111 0 101', '8', '0']),
      direction: this.#random.pick(['sendrecv', 'sendonly', 'inactive', 'recvonly']),
      attributes: this.#random.pick([
        [],
        ['rtpmap:111 opus/48000/2', 'fmtp:111 useinbandfec=1'],
        ['rtcp-mux'],
      ]),
    });
  }

  #outside(method: string, body = this.#bodyOf(method)): string {
    const contact = this.#dialogs[0]?.contact ?? 'sip:nobody@127.0.0.1';
    const unasked = this.#random.chance(0.5) ? NUMBER.number : `${TOKEN}.${NUMBER.number}`;
    const uri = this.#random.chance(0.2) ? contact : `sip:${unasked}@127.0.0.1`;
    this.#count += 1;
    return request(method, uri, { callId: `f${this.#count}`, cseq: 1, fromTag: 'p', toTag: null }, body);
  }

  #inside(method: string, body = this.#bodyOf(method)): string {
    const dialog = this.#random.pick(this.#dialogs);
    if (dialog === undefined) return this.#outside(method, body);
    if (method !== 'ACK' && method !== 'CANCEL') dialog.cseq += 1;
    const { callId, cseq, peerTag, ourTag, contact } = dialog;
    this.#count += 1;
    return request(method, contact, { callId, cseq, fromTag: peerTag, toTag: ourTag }, body);
  }

  #bodyOf(method: string): string {
    if (method === 'INVITE' || method === 'UPDATE') return this.#random.chance(0.1) ? '' : this.#sdp();
    return method === 'INFO' ? 'Signal=5\r\nDuration=160\r\n' : '';
  }

  /** To something that the gateway has sent lately. */
  #response(statuses: readonly number[], body?: string): string {
    const asked = this.#gateway.sent.filter((text) => !text.startsWith('SIP/2.0'));
    const text = this.#random.pick(asked);
    if (text === undefined) return this.#outside('OPTIONS');
    const status = this.#random.pick(statuses);
    const hasBody = status >= 180 && status < 300 && text.startsWith('INVITE');
    return responseTo(text, status, body ?? (hasBody ? this.#sdp() : ''));
  }

  /** A call that the gateway has answered, acknowledged. */
  async #answered(): Promise<Dialog | null> {
    const gateway = this.#gateway;
    this.#count += 1;
    const callId = `d${this.#count}`;
    const { fate } = gateway;
    gateway.fate = () => 'accept';
    const call = { callId, cseq: 1, fromTag: 'p', toTag: null };
    const invite = request('INVITE', `sip:${NUMBER.number}@127.0.0.1`, call, sdp());
    gateway.deliver(Buffer.from(invite), gateway.trunkSource());
    const isOk = (text: string): boolean =>
      text.startsWith('SIP/2.0 200') && text.includes(`Call-ID: ${callId}\r\n`);
    await gateway.until(() => gateway.sent.some(isOk));
    gateway.fate = fate;
    const ok = gateway.sent.find(isOk);
    if (ok === undefined) return null;
    const dialog = { callId, ourTag: tagOf(ok, 'To'), peerTag: 'p', contact: contactOf(ok), cseq: 1 };
    const ack = request('ACK', dialog.contact, { ...dialog, fromTag: 'p', toTag: dialog.ourTag }, '');
    gateway.deliver(Buffer.from(ack), gateway.trunkSource());
    await gateway.settle();
    return dialog;
  }

  /** A call that the gateway has placed, and that was answered. */
  async #placed(): Promise<Dialog | null> {
    const gateway = this.#gateway;
    gateway.sent.length = 0;
    gateway.dial();
    const isInvite = (text: string): boolean => text.startsWith('INVITE');
    await gateway.until(() => gateway.sent.some(isInvite));
    const invite = gateway.sent.find(isInvite);
    if (invite === undefined) return null;
    gateway.deliver(Buffer.from(responseTo(invite, 200, sdp())), gateway.trunkSource());
    await gateway.settle();
    const callId = /\r\nCall-ID: (.*)\r\n/.exec(invite)![1]!;
    return { callId, ourTag: tagOf(invite, 'From'), peerTag: 'peer', contact: contactOf(invite), cseq: 1 };
  }
}

let branches = 0;

function request(
  method: string,
  uri: string,
  call: {
    readonly callId: string;
    readonly cseq: number;
    readonly fromTag: string;
    readonly toTag: string | null;
  },
  body: string,
): string {
  branches += 1;
  const type = method === 'INFO' ? 'application/dtmf-relay' : 'application/sdp';
  return [
    `${method} ${uri} SIP/2.0`,
    `Via: SIP/2.0/UDP ${TRUNK_HOST}:${TRUNK_PORT};branch=z9hG4bKf${branches};rport`,
    'Max-Forwards: 70',
    `From: "Fuzz" <sip:+33611111111@${TRUNK_HOST}>;tag=${call.fromTag}`,
    `To: <sip:${NUMBER.number}@127.0.0.1>${call.toTag === null ? '' : `;tag=${call.toTag}`}`,
    `Call-ID: ${call.callId}`,
    `CSeq: ${call.cseq} ${method}`,
    `Contact: <sip:peer@${TRUNK_HOST}:${TRUNK_PORT}>`,
    'Supported: 100rel, timer',
    ...(body === '' ? [] : [`Content-Type: ${type}`]),
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

function responseTo(text: string, status: number, body: string): string {
  const lines = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n');
  const to = lines.find((line) => line.startsWith('To: ')) ?? 'To: <sip:a@b>';
  return [
    `SIP/2.0 ${status} Fuzzed`,
    ...lines.filter((line) => /^(Via|From|Call-ID|CSeq): /.test(line)),
    to.includes(';tag=') ? to : `${to};tag=peer`,
    `Contact: <sip:peer@${TRUNK_HOST}:${TRUNK_PORT}>;expires=600`,
    ...(status === 401
      ? ['WWW-Authenticate: Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256']
      : []),
    ...(status === 407 ? ['Proxy-Authenticate: Digest realm="r", nonce="n"'] : []),
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

function tagOf(text: string, name: 'From' | 'To'): string {
  return new RegExp(`\\r\\n${name}: .*;tag=([^;\\r]+)`).exec(text)?.[1] ?? '';
}

function contactOf(text: string): string {
  return /\r\nContact: <([^>]*)>/.exec(text)?.[1] ?? '';
}

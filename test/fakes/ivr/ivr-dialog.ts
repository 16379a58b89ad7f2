import { respond, type SipHeaders, type SipMessage, type SipRequest } from '../../support/sip-message.ts';

const T1_MS = 500;
const T2_MS = 4_000;
const TIMEOUT_MS = 64 * T1_MS;

/** Where a call's messages go. */
export interface DialogWire {
  /** The address of this end, `host:port`. */
  readonly local: string;
  readonly protocol: 'UDP' | 'TCP' | 'TLS';
  send(message: SipMessage): void;
}

/** A dialog of a UAS (RFC 3261 section 12.1.1): its answers and its BYE, which are repeated over UDP. */
export class IvrDialog {
  readonly invite: SipRequest;
  /** Resolves once the caller has acknowledged the answer. */
  readonly acknowledged: Promise<void>;
  readonly #wire: DialogWire;
  /** User part of its Contact. */
  readonly #user: string;
  readonly #timers = new Set<NodeJS.Timeout>();
  #acknowledge = (): void => {};
  #answer: SipMessage | null = null;
  #isAcknowledged = false;
  #byeAnswered = false;

  constructor(invite: SipRequest, wire: DialogWire, user = 'ivr') {
    this.invite = invite;
    this.#wire = wire;
    this.#user = user;
    this.acknowledged = new Promise((resolve) => {
      this.#acknowledge = resolve;
    });
  }

  ring(): void {
    this.#wire.send(respond(this.invite, 180, 'Ringing', this.#contact));
  }

  /** Answers, and repeats that until it is acknowledged (section 13.3.1.4). */
  accept(sdp: string): void {
    const headers = {
      ...this.#contact,
      'content-type': 'application/sdp',
      allow: 'INVITE, ACK, CANCEL, BYE',
    };
    this.#answer = { ...respond(this.invite, 200, 'OK', headers), content: sdp };
    this.#repeat(this.#answer, () => this.#isAcknowledged);
  }

  refuse(status: number, reason: string): void {
    this.#answer = respond(this.invite, status, reason);
    this.#repeat(this.#answer, () => this.#isAcknowledged);
  }

  /** The INVITE came again. */
  repeated(): void {
    if (this.#answer !== null) this.#wire.send(this.#answer);
  }

  /** The ACK came. */
  noteAck(): void {
    this.#isAcknowledged = true;
    this.#acknowledge();
  }

  noteByeAnswer(): void {
    this.#byeAnswered = true;
  }

  /** Hangs up, and repeats that until it is answered. */
  bye(): void {
    const { headers } = this.invite;
    const contact = headers.contact === '*' ? undefined : headers.contact?.[0];
    const { to } = respond(this.invite, 200, 'OK').headers;
    const bye: SipRequest = {
      method: 'BYE',
      uri: contact?.uri ?? headers.from.uri,
      headers: {
        via: [this.#via()],
        'max-forwards': '70',
        from: to,
        to: headers.from,
        'call-id': headers['call-id'],
        cseq: { seq: 1, method: 'BYE' },
      } as SipHeaders,
      content: '',
    };
    this.#repeat(bye, () => this.#byeAnswered);
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  get #contact(): { contact: { uri: string; params: Record<string, never> }[] } {
    const { local, protocol } = this.#wire;
    const transport = protocol === 'UDP' ? '' : `;transport=${protocol.toLowerCase()}`;
    return { contact: [{ uri: `sip:${this.#user}@${local}${transport}`, params: {} }] };
  }

  #via(): SipHeaders['via'][number] {
    const { local, protocol } = this.#wire;
    const [host = '', port] = local.split(':');
    const branch = `z9hG4bKbye${this.invite.headers['call-id']}`;
    return { version: '2.0', protocol, host, port: Number(port), params: { branch, rport: null } };
  }

  #repeat(message: SipMessage, isDone: () => boolean, waitMs = T1_MS, sinceMs = 0): void {
    this.#wire.send(message);
    if (sinceMs >= TIMEOUT_MS || this.#wire.protocol !== 'UDP') return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!isDone()) this.#repeat(message, isDone, Math.min(2 * waitMs, T2_MS), sinceMs + waitMs);
    }, waitMs);
    this.#timers.add(timer);
  }
}

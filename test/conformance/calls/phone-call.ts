import { respond, type SipHeaders, type SipMessage, type SipRequest } from '../../support/sip-message.ts';
import type { CallerUnderTest, FarEnd, OfferedCall } from './calls-under-test.ts';
import type { RtpPhone } from './rtp-phone.ts';

/** How a phone turns calls down: status and phrase. */
const FAILURES: Readonly<Record<string, readonly [number, string]>> = {
  busy: [486, 'Busy Here'],
  declined: [603, 'Decline'],
  'not answered': [480, 'Temporarily Unavailable'],
  'without such a number': [404, 'Not Found'],
};

/** The phone that a call belongs to. */
export interface PhoneLink {
  readonly contact: string;
  send(message: SipMessage): void;
}

/** One call of a phone, in either direction (RFC 3261). Nothing is repeated: loopback loses nothing. */
export class PhoneCall implements OfferedCall, CallerUnderTest, FarEnd {
  readonly callId: string;
  readonly sampleRateHz = 8_000;
  isWithdrawn = false;
  isRefused = false;
  isOver = false;
  readonly #link: PhoneLink;
  readonly #rtp: RtpPhone;
  readonly #invite: SipRequest;
  readonly #answered = Promise.withResolvers<FarEnd>();
  #isCaller = false;
  #dialog: Pick<SipHeaders, 'from' | 'to'> | null = null;
  #target = '';
  #isOpen = true;

  private constructor(link: PhoneLink, rtp: RtpPhone, invite: SipRequest) {
    this.#link = link;
    this.#rtp = rtp;
    this.#invite = invite;
    this.callId = invite.headers['call-id'];
  }

  /** The gateway calls. */
  static offered(link: PhoneLink, rtp: RtpPhone, invite: SipRequest): PhoneCall {
    const call = new PhoneCall(link, rtp, invite);
    rtp.facing(audioPortIn(invite));
    link.send(respond(invite, 180, 'Ringing', { contact: [{ uri: link.contact, params: {} }] }));
    return call;
  }

  /** The phone calls. */
  static placing(link: PhoneLink, rtp: RtpPhone, uri: string): PhoneCall {
    const call = new PhoneCall(link, rtp, inviteOf(link, rtp, uri));
    call.#isCaller = true;
    link.send(call.#invite);
    return call;
  }

  /** The URI that is called. */
  get uri(): string {
    return this.#invite.uri;
  }

  get answered(): Promise<FarEnd> {
    return this.#answered.promise;
  }

  async answer(): Promise<FarEnd> {
    const ok = respond(this.#invite, 200, 'OK', contentHeaders(this.#link));
    ok.content = sdp(this.#rtp.port);
    this.#dialog = { from: ok.headers.to, to: ok.headers.from };
    this.#target = contactIn(this.#invite);
    this.#link.send(ok);
    return await this.answered;
  }

  fail(failure: string): void {
    const [status, phrase] = FAILURES[failure]!;
    this.#link.send(respond(this.#invite, status, phrase));
    this.close();
  }

  giveUp(): void {
    const { headers } = this.#invite;
    const cseq = { seq: headers.cseq.seq, method: 'CANCEL' };
    this.#link.send({ ...this.#invite, method: 'CANCEL', headers: { ...headers, cseq }, content: '' });
  }

  hangUp(): void {
    this.#request('BYE', 2);
    this.close();
  }

  speak(toneHz: number): { stop(): void } {
    return this.#rtp.speak(toneHz);
  }

  async hears(lengthMs: number, deadlineMs: number): Promise<Int16Array> {
    return await this.#rtp.hears(lengthMs, deadlineMs);
  }

  press(digits: string): void {
    this.#rtp.press(digits);
  }

  pressed(): string {
    return this.#rtp.pressed();
  }

  receive(message: SipMessage): void {
    if (message.method !== undefined) return this.#requested(message);
    if (message.headers.cseq.method !== 'INVITE' || message.status < 200) return;
    if (message.status < 300) {
      this.#dialog = { from: message.headers.from, to: message.headers.to };
      this.#target = contactIn(message);
      this.#rtp.facing(audioPortIn(message));
      this.#request('ACK', this.#invite.headers.cseq.seq);
      this.#answered.resolve(this);
      return;
    }
    this.isRefused = true;
    const { headers } = this.#invite;
    const cseq = { seq: headers.cseq.seq, method: 'ACK' };
    this.#link.send({
      ...this.#invite,
      method: 'ACK',
      headers: { ...headers, to: message.headers.to, cseq },
      content: '',
    });
    this.close();
  }

  /** Ends it whatever its state. */
  abandon(): void {
    if (!this.#isOpen) return;
    if (this.#dialog !== null) return this.hangUp();
    if (!this.#isCaller) return this.fail('declined');
    this.giveUp();
    this.close();
  }

  /** Safe to call twice. */
  close(): void {
    if (this.#isOpen) this.#rtp.close();
    this.#isOpen = false;
  }

  #requested(request: SipRequest): void {
    switch (request.method) {
      case 'ACK':
        return this.#answered.resolve(this);
      case 'INVITE':
        return;
      case 'CANCEL':
        this.isWithdrawn = true;
        this.#link.send(respond(request, 200, 'OK'));
        this.#link.send(respond(this.#invite, 487, 'Request Terminated'));
        return this.close();
      case 'BYE':
        this.isOver = true;
        this.#link.send(respond(request, 200, 'OK'));
        return this.close();
      default:
        this.#link.send(respond(request, 200, 'OK'));
    }
  }

  /** A request within the dialog. */
  #request(method: string, seq: number): void {
    const { from, to } = this.#dialog!;
    const headers = { via: via(this.#link), from, to, 'call-id': this.callId, cseq: { seq, method } };
    this.#link.send({ method, uri: this.#target, headers: { ...headers, 'max-forwards': 70 }, content: '' });
  }
}

function inviteOf(link: PhoneLink, rtp: RtpPhone, uri: string): SipRequest {
  return {
    method: 'INVITE',
    uri,
    headers: {
      via: via(link),
      from: { uri: 'sip:+33611111111@127.0.0.1', params: { tag: `phone${Math.random()}` } },
      to: { uri, params: {} },
      'call-id': `phone-${Math.random()}`,
      cseq: { seq: 1, method: 'INVITE' },
      'max-forwards': 70,
      ...contentHeaders(link),
    },
    content: sdp(rtp.port),
  };
}

function via({ contact }: PhoneLink): SipHeaders['via'] {
  const [host = '', port] = contact.slice(contact.indexOf('@') + 1).split(':');
  const params = { branch: `z9hG4bK${Math.random()}`, rport: null };
  return [{ version: '2.0', protocol: 'UDP', host, port: Number(port), params }];
}

function contentHeaders({ contact }: PhoneLink) {
  return { contact: [{ uri: contact, params: {} }], 'content-type': 'application/sdp' };
}

function contactIn({ headers: { contact } }: SipMessage): string {
  return contact === '*' || contact === undefined ? '' : contact[0]!.uri;
}

function audioPortIn({ content }: SipMessage): number {
  return Number(/^m=audio (\d+) /m.exec(content)?.[1]);
}

function sdp(port: number): string {
  return [
    'v=0',
    'o=phone 1 1 IN IP4 127.0.0.1',
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port} RTP/AVP 0 101`,
    'a=rtpmap:101 telephone-event/8000',
    'a=sendrecv',
    '',
  ].join('\r\n');
}

import type { IncomingRequestMessage } from 'sip.js/lib/core/index.js';
import type { Clock } from '../../../base/time.ts';
import { guardRequest, hasTag } from './guard/message-guard.ts';
import { RateLimit } from './guard/rate-limit.ts';
import { StrangerFilter } from './guard/stranger-filter.ts';
import { type Dialled, dialledOf } from './legs/dialled.ts';
import { toCoreRequest, toCoreResponse } from './message/core-message.ts';
import { settleBody } from './message/message-body.ts';
import {
  headerOf,
  headersOf,
  isResponse,
  methodOf,
  parseSipMessage,
  requestUriOf,
  type SipMessage,
  statusOf,
  tokensOf,
} from './message/sip-message.ts';
import { headerParameter, parseSipUri } from './message/sip-uri.ts';
import { statelessResponse } from './message/stateless-response.ts';
import { parseVia, sentByOf, stampVia, type Via } from './message/via.ts';
import type { SipCounter, SipObserver } from './sip-observer.ts';
import { type Reply, serverKey } from './transactions/server-transactions.ts';
import type { TransportLayer } from './transport/transport-layer.ts';
import type { UdpTransport } from './transport/udp-transport.ts';
import type { Source } from './transport/wire.ts';
import type { Trunk } from './trunk/trunk.ts';
import type { TrunkRegistry } from './trunk/trunk-registry.ts';

/** Messages a second of one stranger that name something of ours and turn out to be none of ours. */
const STRANGER_MESSAGES_PER_S = 20;

interface RouterDeps {
  readonly udp: () => UdpTransport;
  readonly clock: Clock;
  readonly observer: SipObserver;
}

interface Origin {
  readonly trunk: Trunk;
  readonly reply: Reply;
  readonly reliable: boolean;
}

interface Refusal {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly string[];
}

/** Brings every message that arrives to the core of its trunk, or to an end. */
export class MessageRouter {
  readonly #trunks: TrunkRegistry;
  readonly #layer: TransportLayer<Trunk>;
  readonly #udp: () => UdpTransport;
  readonly #observer: SipObserver;
  readonly #filter: StrangerFilter;
  readonly #strangers: RateLimit;
  readonly #dialled = new WeakMap<IncomingRequestMessage, Dialled>();

  constructor(trunks: TrunkRegistry, layer: TransportLayer<Trunk>, { udp, clock, observer }: RouterDeps) {
    this.#trunks = trunks;
    this.#layer = layer;
    this.#udp = udp;
    this.#observer = observer;
    this.#strangers = new RateLimit(clock, STRANGER_MESSAGES_PER_S);
    this.#filter = new StrangerFilter({
      contactUser: (user) => trunks.ofContactUser(user) !== null,
      branch: (branch) => layer.requests.expects(branch),
    });
  }

  /** Never throws: whatever arrives, the others' calls go on. True: the message belongs to a trunk. */
  receive(bytes: Buffer, source: Source): boolean {
    if (bytes.length <= 4 && bytes.toString('latin1').trim() === '') return false;
    const isTrusted = this.#isTrusted(source);
    if (!isTrusted && !this.#admits(bytes, source)) return false;
    const message = parseSipMessage(bytes);
    if (message === null) return this.#drop(source, isTrusted);
    try {
      if (isResponse(message)) return this.#receiveResponse(message, source, isTrusted);
      return this.#receiveRequest(message, source, isTrusted);
    } catch (error) {
      this.#observer.count('core_error');
      const text = error instanceof Error ? error.message : String(error);
      this.#observer.log('warn', 'SIP message could not be handled', { error: text });
      return false;
    }
  }

  /** Of a stranger's message nothing is parsed before it has shown that it may be ours. */
  #admits(bytes: Buffer, source: Source): boolean {
    const refusal = !this.#filter.admits(bytes)
      ? 'scanner_dropped'
      : this.#strangers.isUsedUp(source.host)
        ? 'rate_limited'
        : null;
    if (refusal !== null) this.#observer.count(refusal);
    return refusal === null;
  }

  /** What was dialled in an INVITE that has reached its core. */
  dialled(request: IncomingRequestMessage): Dialled | null {
    return this.#dialled.get(request) ?? null;
  }

  #isTrusted(source: Source): boolean {
    return this.#trunks.knowsAddress(source.host);
  }

  /** Servers that speak in our dialogs from addresses of their own cost nothing; what is none of ours does. */
  #drop(source: Source, isTrusted: boolean, counter?: SipCounter): false {
    if (!isTrusted) this.#strangers.use(source.host);
    this.#observer.count(counter ?? (isTrusted ? 'malformed_message' : 'scanner_dropped'));
    return false;
  }

  #receiveResponse(message: SipMessage, source: Source, isTrusted: boolean): boolean {
    if (!hasWholeHead(message)) return this.#drop(source, isTrusted, 'malformed_message');
    const vias = headersOf(message, 'via');
    const via = vias.length === 1 ? parseVia(vias[0]!) : null;
    const method = methodOf(message);
    const owner = via === null ? null : this.#layer.requests.ownerOf(via.branch, method);
    if (via === null || owner === null) return this.#drop(source, isTrusted, 'unmatched_response');
    settleBody(message);
    // What cannot be used is no answer: the request goes on until there is one.
    const response = toCoreResponse(message, owner);
    if (response === null) return this.#drop(source, isTrusted, 'malformed_message');
    if (this.#layer.requests.answered(via.branch, method, statusOf(message)) === 'absorbed') return true;
    owner.own.noteSeen(via.seenFrom);
    owner.core.receiveIncomingResponseFromTransport(response);
    return true;
  }

  #receiveRequest(message: SipMessage, source: Source, isTrusted: boolean): boolean {
    const top = message.headers.find((header) => header.name === 'via');
    const via = top === undefined ? null : parseVia(top.value);
    if (top === undefined || via === null || via.branch === '') return this.#drop(source, isTrusted);
    const key = serverKey(via.branch, sentByOf(via), methodOf(message));
    const trunk = this.#trunkOf(message, via, key, source);
    const reply = this.#replyTo(source, via);
    top.value = stampVia(top.value, via, source.host, source.port);
    if (trunk !== null) {
      this.#transact(message, key, { trunk, reply, reliable: source.protocol !== 'udp' });
      return true;
    }
    if (!isTrusted || methodOf(message) !== 'INVITE') return this.#drop(source, isTrusted, 'scanner_dropped');
    this.#turnAway(message, reply);
    return false;
  }

  /** A provider learns at once that its call is nobody's, and the operator by the counter. */
  #turnAway(message: SipMessage, reply: Reply): void {
    this.#observer.count('unmatched_call');
    void reply(statelessResponse(message, 404, 'Not Found')).catch(() => {});
  }

  /**
   * Whose request it is: that of the transaction it belongs to, or of its dialog; and what comes unasked is matched by
   * what proves it, never by a number or by an address alone. Null: nobody's.
   */
  #trunkOf(message: SipMessage, via: Via, key: string, source: Source): Trunk | null {
    const ofTransaction =
      this.#layer.received.ownerOf(key) ??
      this.#layer.received.ownerOf(serverKey(via.branch, sentByOf(via), 'INVITE'));
    if (ofTransaction !== null) return ofTransaction;
    const user = parseSipUri(requestUriOf(message))?.user ?? '';
    const ofDialog = hasTag(message, 'to') ? this.#trunkOfDialog(message, user) : null;
    return ofDialog ?? this.#trunkOfArrival(message, user, source);
  }

  #trunkOfDialog(message: SipMessage, user: string): Trunk | null {
    const named = this.#trunks.ofContactUser(user);
    const id = dialogIdOf(message);
    return named?.core.dialogs.has(id) ? named : (this.#trunks.ofDialog(id) ?? named);
  }

  /**
   * The trunk of the secret in the Request-URI, of the connection that it came down, or of the operator's binding of its
   * address. The secret opens nothing towards addresses that its account may not reach: answers and audio would go there.
   */
  #trunkOfArrival(message: SipMessage, user: string, source: Source): Trunk | null {
    const bound = this.#trunks.boundTo(source.host);
    const named = this.#trunks.ofInboundUser(user);
    if (named !== null) {
      const mayCall = named === bound || named.mayReach(source.host);
      // Before its address is known it could not say where its audio is; the caller repeats its request.
      return mayCall && named.own.host !== '' ? named : null;
    }
    const arrived = this.#trunks.ofConnection(source.connection) ?? bound;
    // Servers ask whether we are there; the answer says nothing of whose trunk it is.
    return arrived ?? (methodOf(message) === 'OPTIONS' ? this.#trunks.anyAt(source.host) : null);
  }

  #transact(message: SipMessage, key: string, { trunk, reply, reliable }: Origin): void {
    const method = methodOf(message);
    if (method === 'ACK') {
      this.#layer.received.acknowledged(key);
    } else {
      const mergeKey = hasTag(message, 'to') ? null : mergeKeyOf(message, trunk);
      const received = this.#layer.received.received(key, { method, reply, reliable, mergeKey });
      if (received === 'repeated') return;
      this.#layer.received.own(key, trunk);
      if (received === 'merged')
        return this.#refuse(message, key, { status: 482, reason: 'Loop Detected', headers: [] });
    }
    settleBody(message);
    const verdict = guardRequest(message);
    if (verdict.type === 'pass') return this.#deliver(message, key, trunk);
    this.#observer.count('request_refused');
    if (verdict.type === 'refuse') this.#refuse(message, key, verdict);
  }

  #deliver(message: SipMessage, key: string, trunk: Trunk): void {
    const extensions = [...tokensOf(message, 'require'), ...tokensOf(message, 'supported')];
    const dialled = dialledOf(message, extensions);
    const request = toCoreRequest(message, trunk);
    if (request === null) {
      this.#observer.count('malformed_message');
      if (methodOf(message) !== 'ACK')
        this.#refuse(message, key, { status: 400, reason: 'Bad Request', headers: [] });
      return;
    }
    this.#dialled.set(request, dialled);
    trunk.core.receiveIncomingRequestFromTransport(request);
  }

  #refuse(message: SipMessage, key: string, { status, reason, headers }: Refusal): void {
    const text = statelessResponse(message, status, reason, headers);
    this.#layer.received.respond(key, methodOf(message), status, text).catch(() => {});
  }

  /** Back to where the request came from; to the port of its Via when it does not ask for rport (RFC 3581). */
  #replyTo(source: Source, via: Via): Reply {
    const { connection } = source;
    if (connection !== null) return (text) => connection.send(text);
    const port = via.wantsRport ? source.port : (via.port ?? 5060);
    return (text) => this.#udp().send(text, source.host, port);
  }
}

/** What every message has once (RFC 3261 section 8.1.1). */
function hasWholeHead(message: SipMessage): boolean {
  return ['from', 'to', 'call-id', 'cseq'].every((name) => headersOf(message, name).length === 1);
}

/** What all copies of one request have in common (RFC 3261 section 8.2.2.2). */
function mergeKeyOf(message: SipMessage, trunk: Trunk): string {
  const fromTag = headerParameter(headerOf(message, 'from') ?? '', 'tag') ?? '';
  const names = [headerOf(message, 'call-id'), fromTag, headerOf(message, 'cseq'), trunk.dialogUser];
  return names.join('|');
}

/** As sip.js names dialogs: Call-ID, our tag, the peer's tag. */
function dialogIdOf(message: SipMessage): string {
  const tag = (name: string): string => headerParameter(headerOf(message, name) ?? '', 'tag') ?? '';
  return `${headerOf(message, 'call-id') ?? ''}${tag('to')}${tag('from')}`;
}

import type { Clock } from '../../../base/time.ts';
import { toCoreRequest, toCoreResponse } from './core/core-message.ts';
import type { IncomingRequestMessage } from './core/sip-core.ts';
import type { DirectRoutes } from './direct/direct-route.ts';
import { guardRequest, hasTag, type Refusal, refusalText, refuse, tagOf } from './guard/message-guard.ts';
import { RateLimit } from './guard/rate-limit.ts';
import { admitsStranger, type KnownNames } from './guard/stranger-filter.ts';
import { type Dialled, dialledOf } from './legs/dialled.ts';
import { messageOf } from './legs/sip-leg.ts';
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
} from './message/sip-message.ts';
import { parseSipUri } from './message/sip-uri.ts';
import { parseVia, sentByOf, stampVia, type Via } from './message/via.ts';
import type { SipCounter, SipObserver } from './sip-observer.ts';
import type { SipRoute } from './sip-route.ts';
import { type Reply, serverKey } from './transactions/server-transactions.ts';
import type { TransportLayer } from './transport/transport-layer.ts';
import type { UdpTransport } from './transport/udp-transport.ts';
import type { Source } from './transport/wire.ts';
import type { Trunk } from './trunk/trunk.ts';
import type { TrunkRegistry } from './trunk/trunk-registry.ts';

/** Limit per stranger and second on messages that pass the filter but turn out not to be ours. */
const STRANGER_MESSAGES_PER_S = 20;

interface RouterDeps {
  readonly trunks: TrunkRegistry;
  readonly layer: TransportLayer<SipRoute>;
  readonly directs: DirectRoutes;
  readonly udp: () => UdpTransport;
  readonly clock: Clock;
  readonly observer: SipObserver;
  /** Judges an INVITE that would open a call on a route; null: it may. */
  readonly admit: (route: SipRoute, dialled: Dialled) => Refusal | null;
}

/** The route that a request belongs to, and the way back to its sender. */
interface RequestOrigin {
  readonly route: SipRoute;
  readonly reply: Reply;
  readonly reliable: boolean;
}

/** Routes each received message to the core of its route, or answers or drops it. */
export class MessageRouter {
  readonly #deps: RouterDeps;
  readonly #known: KnownNames;
  readonly #strangers: RateLimit;
  readonly #dialled = new WeakMap<IncomingRequestMessage, Dialled>();

  constructor(deps: RouterDeps) {
    const { trunks, directs, layer } = deps;
    this.#deps = deps;
    this.#strangers = new RateLimit(deps.clock, STRANGER_MESSAGES_PER_S);
    this.#known = {
      contactUser: (user) => (trunks.ofContactUser(user) ?? directs.ofContactUser(user)) !== null,
      branch: (branch) => layer.requests.expects(branch),
    };
  }

  /**
   * Handles a received message. Never throws, so a bad message cannot affect other calls. Returns true when the message
   * belongs to a route.
   */
  receive(bytes: Buffer, source: Source): boolean {
    if (bytes.length <= 4 && bytes.toString('latin1').trim() === '') return false;
    const isTrusted =
      this.#deps.trunks.knowsAddress(source.host) ||
      this.#deps.directs.ofConnection(source.connection) !== null;
    if (!isTrusted && !this.#admits(bytes, source)) return false;
    const message = parseSipMessage(bytes);
    if (message === null) return this.#drop(source, isTrusted);
    try {
      if (isResponse(message)) return this.#receiveResponse(message, source, isTrusted);
      return this.#receiveRequest(message, source, isTrusted);
    } catch (error) {
      this.#deps.observer.count('core_error');
      this.#deps.observer.log('warn', 'SIP message could not be handled', { error: messageOf(error) });
      return false;
    }
  }

  /** Filters strangers' messages before any parsing. */
  #admits(bytes: Buffer, source: Source): boolean {
    const refusal = !admitsStranger(bytes, this.#known)
      ? 'scanner_dropped'
      : this.#strangers.isUsedUp(source.host)
        ? 'rate_limited'
        : null;
    if (refusal !== null) this.#deps.observer.count(refusal);
    return refusal === null;
  }

  /** Returns the dialled data of an INVITE that has reached its core. */
  dialled(request: IncomingRequestMessage): Dialled | null {
    return this.#dialled.get(request) ?? null;
  }

  /**
   * Drops a message. Strangers are only charged for dropped messages, so servers that use addresses of their own inside
   * our dialogs are not limited.
   */
  #drop(source: Source, isTrusted: boolean, counter?: SipCounter): false {
    if (!isTrusted) this.#strangers.use(source.host);
    this.#deps.observer.count(counter ?? (isTrusted ? 'malformed_message' : 'scanner_dropped'));
    return false;
  }

  #receiveResponse(message: SipMessage, source: Source, isTrusted: boolean): boolean {
    if (!hasMandatoryHeaders(message)) return this.#drop(source, isTrusted, 'malformed_message');
    const vias = headersOf(message, 'via');
    const via = vias.length === 1 ? parseVia(vias[0]!) : null;
    const method = methodOf(message);
    const owner = via === null ? null : this.#deps.layer.requests.ownerOf(via.branch, method);
    if (via === null || owner === null) return this.#drop(source, isTrusted, 'unmatched_response');
    settleBody(message);
    // An unusable response does not count as an answer: the request stays open until a usable one arrives.
    const response = toCoreResponse(message, owner);
    if (response === null) return this.#drop(source, isTrusted, 'malformed_message');
    if (this.#deps.layer.requests.answered(via.branch, method, statusOf(message)) === 'absorbed') return true;
    owner.own.noteSeen(via.seenFrom);
    owner.core.receiveIncomingResponseFromTransport(response);
    return true;
  }

  #receiveRequest(message: SipMessage, source: Source, isTrusted: boolean): boolean {
    const top = message.headers.find((header) => header.name === 'via');
    const via = top === undefined ? null : parseVia(top.value);
    if (top === undefined || via === null || via.branch === '') return this.#drop(source, isTrusted);
    const key = serverKey(via.branch, sentByOf(via), methodOf(message));
    const route = this.#routeOf(message, via, key, source);
    const reply = this.#replyTo(source, via);
    top.value = stampVia(top.value, via, source.host, source.port);
    if (route !== null) {
      this.#transact(message, key, { route, reply, reliable: source.protocol !== 'udp' });
      return true;
    }
    if (!isTrusted || methodOf(message) !== 'INVITE') return this.#drop(source, isTrusted, 'scanner_dropped');
    // The call belongs to no account. The provider learns at once, and the counter informs the operator.
    this.#deps.observer.count('unmatched_call');
    void reply(refusalText(message, refuse(404, 'Not Found'))).catch(() => {});
    return false;
  }

  /**
   * Returns the route of a request: the owner of its transaction, the direct route that it names or arrived on, or the
   * trunk of its dialog. Other requests are matched by proof of their origin, never by a number or an address alone.
   * Returns null when none matches, or the owner does not hear the source.
   */
  #routeOf(message: SipMessage, via: Via, key: string, source: Source): SipRoute | null {
    const user = parseSipUri(requestUriOf(message))?.user ?? '';
    const owner =
      this.#deps.layer.received.ownerOf(key) ??
      this.#deps.layer.received.ownerOf(serverKey(via.branch, sentByOf(via), 'INVITE')) ??
      this.#deps.directs.ofConnection(source.connection) ??
      this.#deps.directs.ofContactUser(user) ??
      (hasTag(message, 'to') ? this.#trunkOfDialog(message, user) : null);
    if (owner !== null) return owner.hears(source) ? owner : null;
    return this.#trunkOfArrival(message, user, source);
  }

  #trunkOfDialog(message: SipMessage, user: string): Trunk | null {
    const named = this.#deps.trunks.ofContactUser(user);
    const id = dialogIdOf(message);
    return named?.core.dialogs.has(id) ? named : (this.#deps.trunks.ofDialog(id) ?? named);
  }

  /**
   * Returns the trunk of a request outside dialogs, by the secret in the Request-URI, the connection it arrived on, or
   * the operator's binding of its source address. The secret is not accepted from addresses that its account may not
   * reach, because answers and audio would go there.
   */
  #trunkOfArrival(message: SipMessage, user: string, source: Source): Trunk | null {
    const bound = this.#deps.trunks.boundTo(source.host);
    const named = this.#deps.trunks.ofInboundUser(user);
    if (named !== null) {
      const mayCall = named === bound || named.mayReach(source.host);
      // Until the trunk's own address is known, its SDP could not name one. The caller retransmits its request.
      return mayCall && named.own.host !== '' ? named : null;
    }
    const arrived = this.#deps.trunks.ofConnection(source.connection) ?? bound;
    // Servers probe us with OPTIONS. The answer does not reveal whose trunk it is.
    return arrived ?? (methodOf(message) === 'OPTIONS' ? this.#deps.trunks.anyAt(source.host) : null);
  }

  #transact(message: SipMessage, key: string, { route, reply, reliable }: RequestOrigin): void {
    const method = methodOf(message);
    const declined = this.#opensCall(message, key)
      ? this.#deps.admit(route, dialledOf(message, route.settings.callerFrom))
      : null;
    if (declined !== null) {
      // Nothing is kept of it, however many there are.
      this.#deps.observer.count('call_declined');
      return void reply(refusalText(message, declined)).catch(() => {});
    }
    if (method === 'ACK') {
      this.#deps.layer.received.acknowledged(key);
    } else {
      const mergeKey = hasTag(message, 'to') ? null : mergeKeyOf(message, route);
      const received = this.#deps.layer.received.received(key, { method, reply, reliable, mergeKey });
      if (received === 'repeated') return;
      this.#deps.layer.received.own(key, route);
      if (received === 'merged') return this.#refuse(message, key, refuse(482, 'Loop Detected'));
    }
    settleBody(message);
    const refusal = guardRequest(message);
    if (refusal === null) return this.#deliver(message, key, route);
    this.#deps.observer.count('request_refused');
    this.#refuse(message, key, refusal);
  }

  /** Whether the message is an INVITE outside dialogs that has not been seen before. */
  #opensCall(message: SipMessage, key: string): boolean {
    if (methodOf(message) !== 'INVITE' || hasTag(message, 'to')) return false;
    return this.#deps.layer.received.ownerOf(key) === null;
  }

  #deliver(message: SipMessage, key: string, route: SipRoute): void {
    const dialled = dialledOf(message, route.settings.callerFrom);
    const request = toCoreRequest(message, route);
    if (request === null) {
      this.#deps.observer.count('malformed_message');
      return this.#refuse(message, key, refuse(400, 'Bad Request'));
    }
    this.#dialled.set(request, dialled);
    route.core.receiveIncomingRequestFromTransport(request);
  }

  /** Answers a request, unless it is an ACK, which is never answered. */
  #refuse(message: SipMessage, key: string, refusal: Refusal): void {
    const method = methodOf(message);
    if (method === 'ACK') return;
    const text = refusalText(message, refusal);
    this.#deps.layer.received.respond(key, method, refusal.status, text).catch(() => {});
  }

  /**
   * Returns a function that replies to the request's source. Without rport, UDP replies go to the port of the Via (RFC
   * 3581).
   */
  #replyTo(source: Source, via: Via): Reply {
    const { connection } = source;
    if (connection !== null) return (text) => connection.send(text);
    const port = via.wantsRport ? source.port : (via.port ?? 5060);
    return (text) => this.#deps.udp().send(text, source.host, port);
  }
}

/** Whether the headers that every message has exactly once are present (RFC 3261 section 8.1.1). */
function hasMandatoryHeaders(message: SipMessage): boolean {
  return ['from', 'to', 'call-id', 'cseq'].every((name) => headersOf(message, name).length === 1);
}

/** Key shared by all copies of one request (RFC 3261 section 8.2.2.2). */
function mergeKeyOf(message: SipMessage, { dialogUser }: SipRoute): string {
  const [callId, cseq] = [headerOf(message, 'call-id'), headerOf(message, 'cseq')];
  return [callId, tagOf(message, 'from'), cseq, dialogUser].join('|');
}

/** Dialog id in sip.js's format: Call-ID, our tag, the peer's tag. */
function dialogIdOf(message: SipMessage): string {
  return `${headerOf(message, 'call-id') ?? ''}${tagOf(message, 'to')}${tagOf(message, 'from')}`;
}

import { unreachable } from '../../../base/assert.ts';
import { GatewayError } from '../../../base/errors.ts';
import { siteOf } from '../../../base/networks.ts';
import { ReadingTime } from '../../../base/reading-time.ts';
import { systemClock } from '../../../base/time.ts';
import type { ClientAddresses } from '../../auth/client-addresses.ts';
import type { Authenticate, Principal } from '../../auth/principal.ts';
import { errorReply } from '../answer/error-reply.ts';
import { Exchange, type OnAnswered, type OnError } from '../answer/exchange.ts';
import { type Reply, replyEmpty } from '../answer/reply.ts';
import type { Responder } from '../answer/responder.ts';
import { streamReply } from '../answer/stream-reply.ts';
import type { Traffic } from '../answer/traffic.ts';
import { fingerprintOf, type Idempotency } from '../idempotency/idempotency.ts';
import { BodyStream } from '../request/body-stream.ts';
import { isForm } from '../request/form-parts.ts';
import { BodyBudgets, type BodyOutcome, jsonBody, readBody } from '../request/request-body.ts';
import { type RequestHead, requestIdFrom } from '../request/request-head.ts';
import { ValidationError } from '../request/validation.ts';
import { admit, assertOwnSite, credentialOf, invalidToken, isSafeMethod, type OwnOrigin } from './access.ts';
import { crossOriginHeaders, preflightHeaders } from './cross-origin.ts';
import { allowOf, type CompiledRoute, type Endpoint, IncomingRequest } from './endpoint.ts';
import type { PathTable } from './path-table.ts';
import { RequestTurns } from './request-turns.ts';
import { type Access, bodyLimitOf, type Route, storesSettings } from './route.ts';

const BODY_DEADLINE_MS = 30_000;
const BODY_SILENCE_MS = 8_000;
/** Time limit for a form: 25 MB at 30 kB a second. */
const FORM_DEADLINE_MS = 900_000;
/** A body complete within this time came with its headers, so its credential need not be checked again. */
const AT_ONCE_MS = 5;
const NO_BODY = new Uint8Array();
/** How much of a long body with an `Idempotency-Key` is compared with later requests. */
const KNOWN_BYTES = 64 * 1024;

const NO_FORM = { loc: ['body'], type: 'form_expected', msg: 'Input should be multipart/form-data' };

export interface DispatcherOptions {
  readonly authenticate: Authenticate;
  /** Origin whose pages may use the session cookie; default: the host that the request names. */
  readonly ownOrigin?: OwnOrigin;
  /** Trusted proxies for `X-Forwarded-For`; default: none. */
  readonly addresses?: ClientAddresses;
  /** Throws when an account may store nothing more, or not so fast. Asked before requests that change settings. */
  readonly assertMayWrite?: (accountId: string) => void;
  /** The main thread's time, as accounts share it. Default: of this server alone. */
  readonly time?: ReadingTime;
  /** Handles `Idempotency-Key`; without it, keys are ignored. */
  readonly idempotency?: Idempotency;
  /** Called for every error answered with 500. */
  readonly onError: OnError;
  /** Called for every request when its answer is complete or its client is gone. */
  readonly onAnswered?: OnAnswered;
  /** Largest body of an authenticated request, unless the route sets its own limit. Default: 1 MB. */
  readonly bodyLimitBytes?: number;
  /** Time limit for a request body. Default: 30 s. */
  readonly bodyDeadlineMs?: number;
  /** Longest pause within a request body. Default: 8 s. */
  readonly bodySilenceMs?: number;
  /** Time limit for a form. Default: 15 min. */
  readonly formDeadlineMs?: number;
}

/** An admitted request's principal and credential; null on public routes. */
interface Admitted {
  readonly principal: Principal | null;
  readonly credential: string | null;
}

/** Processes a request: path → method → credential → parameters and query → body → handler → answer. */
export class Dispatcher {
  readonly #paths: PathTable<Endpoint>;
  readonly #traffic: Traffic;
  readonly #options: DispatcherOptions;
  readonly #budgets: BodyBudgets;
  readonly #turns: RequestTurns;

  constructor(paths: PathTable<Endpoint>, traffic: Traffic, options: DispatcherOptions) {
    this.#paths = paths;
    this.#traffic = traffic;
    this.#options = options;
    this.#budgets = new BodyBudgets(options.bodyLimitBytes ?? 0);
    this.#turns = new RequestTurns(options.time ?? new ReadingTime(systemClock));
  }

  serve(request: RequestHead, response: Responder): void {
    const method = request.getMethod();
    const exchange = this.#exchange(method, request, response);
    this.#turns.count(exchange, () => {
      try {
        this.#dispatch(exchange, request, method);
      } catch (error) {
        exchange.fail(error);
      }
    });
  }

  /**
   * Answers a request of ambiguous length and closes the connection, so that no later data is parsed as another
   * request.
   */
  refuse(request: RequestHead, response: Responder): void {
    this.#exchange(request.getMethod(), request, response).fail(new GatewayError('malformed_request'), true);
  }

  #exchange(method: string, request: RequestHead, response: Responder): Exchange {
    const { onError, onAnswered, addresses } = this.#options;
    return new Exchange(response, {
      requestId: requestIdFrom(request.getHeader('x-request-id')),
      method,
      traffic: this.#traffic,
      onError,
      onAnswered,
      addresses,
      forwardedFor: addresses?.trustsAny ? request.getHeader('x-forwarded-for') : '',
    });
  }

  #dispatch(exchange: Exchange, request: RequestHead, method: string): void {
    const match = this.#paths.find(request.getUrl());
    if (match === null) throw new GatewayError('not_found');
    const isHead = method === 'head';
    const compiled = match.target.methods.get(isHead ? 'get' : method);
    if (compiled === undefined || (isHead && compiled.route.refusesHead)) {
      answerWithoutRoute(exchange, match.target, request);
      return;
    }
    exchange.routePath = compiled.route.path;
    exchange.challenge = compiled.route.challenge?.(request.getUrl());
    if (compiled.route.crossOrigin)
      exchange.addHeaders(crossOriginHeaders(compiled.route.crossOrigin, request));
    const { principal, credential } = this.#admit(exchange, compiled.route, request);
    if (principal !== null && storesSettings(compiled.route))
      this.#options.assertMayWrite?.(principal.accountId);
    const incoming = new IncomingRequest(exchange, compiled, { request, values: match.values, principal });
    const refusal = compiled.route.precheck?.(incoming) ?? null;
    if (refusal !== null) {
      exchange.send(refusal, true);
      return;
    }
    const { form, body, streamedBody } = compiled.route;
    const contentType = form === undefined ? '' : request.getHeader('content-type');
    if (isForm(contentType) || streamedBody !== undefined) {
      this.#handleStream(exchange, compiled, incoming, this.#bodyStream(exchange, request, contentType));
    } else if (body !== undefined) this.#readThenHandle(exchange, compiled, incoming, credential);
    else if (form !== undefined) throw new ValidationError([NO_FORM]);
    else if (this.#turns.mayGoOn(exchange)) this.#handle(exchange, compiled, incoming, NO_BODY);
    else {
      this.#turns.wait(exchange, 0, () => {
        this.#assertStillIn(exchange, compiled, credential);
        this.#handle(exchange, compiled, incoming, NO_BODY);
      });
    }
  }

  #bodyStream(exchange: Exchange, request: RequestHead, contentType: string): BodyStream {
    const length = request.getHeader('content-length');
    return new BodyStream(exchange, {
      contentType,
      lengthBytes: length === '' ? null : Number(length),
      deadlineMs: this.#options.formDeadlineMs ?? FORM_DEADLINE_MS,
      silenceMs: this.#options.bodySilenceMs ?? BODY_SILENCE_MS,
      share: this.#turns.shareOf(exchange),
    });
  }

  /**
   * Admits a request or throws. Public routes are checked too: another site's page must not sign its reader in as
   * someone else.
   */
  #admit(exchange: Exchange, route: Route, request: RequestHead): Admitted {
    const { ownOrigin } = this.#options;
    const isUnsafe = !isSafeMethod(request.getMethod());
    if (route.access !== 'public') {
      const credential = credentialOf(request, isUnsafe, ownOrigin);
      return { principal: this.#admitted(exchange, route.access, credential), credential };
    }
    if (!route.isProbe) exchange.network = siteOf(exchange.clientAddress);
    if (isUnsafe && !route.crossOrigin) assertOwnSite(request, ownOrigin);
    return { principal: null, credential: null };
  }

  #admitted(exchange: Exchange, access: Exclude<Access, 'public'>, credential: string | null): Principal {
    const principal = this.#options.authenticate(credential);
    exchange.accountId = principal?.accountId ?? null;
    if (principal === null && credential !== null) exchange.challenge = invalidToken(exchange.challenge);
    return admit(access, principal);
  }

  /** Checks the credential again after a slow body, because it may have been revoked meanwhile. */
  #assertStillIn(exchange: Exchange, { route }: CompiledRoute, credential: string | null): void {
    if (route.access !== 'public') this.#admitted(exchange, route.access, credential);
  }

  #readThenHandle(
    exchange: Exchange,
    compiled: CompiledRoute,
    incoming: IncomingRequest,
    credential: string | null,
  ): void {
    const limits = {
      maxBytes: bodyLimitOf(compiled.route, this.#options.bodyLimitBytes),
      deadlineMs: this.#options.bodyDeadlineMs ?? BODY_DEADLINE_MS,
      silenceMs: this.#options.bodySilenceMs ?? BODY_SILENCE_MS,
      budget: this.#budgets.of(exchange.accountId),
    };
    const goOn = (outcome: BodyOutcome, isLate: boolean): void => {
      if (isLate) this.#assertStillIn(exchange, compiled, credential);
      this.#takeBody(exchange, compiled, incoming, outcome);
    };
    readBody(exchange, limits, (outcome) =>
      this.#turns.count(exchange, () => {
        try {
          if (outcome.kind !== 'complete') goOn(outcome, true);
          else if (this.#turns.mayGoOn(exchange)) goOn(outcome, outcome.tookMs > AT_ONCE_MS);
          else {
            // The library reuses the memory of a body that came in one piece.
            const kept = { ...outcome, bytes: Buffer.from(outcome.bytes) };
            this.#turns.wait(exchange, kept.bytes.byteLength, () => goOn(kept, true));
          }
        } catch (error) {
          exchange.fail(error);
        }
      }),
    );
  }

  #takeBody(
    exchange: Exchange,
    compiled: CompiledRoute,
    incoming: IncomingRequest,
    outcome: BodyOutcome,
  ): void {
    switch (outcome.kind) {
      case 'too_large':
        exchange.send(errorReply('body_too_large'), !outcome.isRead);
        return;
      case 'too_slow':
        exchange.send(errorReply('body_too_slow'), true);
        return;
      case 'no_room':
        exchange.send(errorReply('no_room_for_body'), true);
        return;
      case 'complete':
        if (compiled.body === null) incoming.body = outcome.bytes;
        else incoming.readBody(compiled.body, jsonBody(outcome.bytes));
        this.#handle(exchange, compiled, incoming, outcome.bytes);
        return;
      default:
        return unreachable(outcome);
    }
  }

  /** Runs a handler. A synchronous reply is sent immediately, which also keeps pipelined requests in order. */
  #handle(exchange: Exchange, compiled: CompiledRoute, incoming: IncomingRequest, body: Uint8Array): void {
    const answer = this.#answer(exchange, compiled, incoming, body);
    if (!(answer instanceof Promise)) {
      this.#answerWith(exchange, answer);
      return;
    }
    compiled.answersLater = true;
    exchange.watchAbort();
    answer
      .then((late) => this.#turns.countLate(exchange, () => this.#answerWith(exchange, late)))
      .catch((error: unknown) => exchange.fail(error));
  }

  /** What is left to do later is done on behalf of the account, if it matters whose it is. */
  #answer(
    exchange: Exchange,
    { route, answersLater }: CompiledRoute,
    incoming: IncomingRequest,
    body: Uint8Array,
  ): Reply | Promise<Reply> {
    if (!answersLater) return this.#once(route, incoming, body) ?? route.handler(incoming);
    return this.#turns.onBehalfOf(
      exchange,
      () => this.#once(route, incoming, body) ?? route.handler(incoming),
    );
  }

  /** Runs a handler that reads the body itself. The answer is sent when the handler is done. */
  #handleStream(
    exchange: Exchange,
    { route }: CompiledRoute,
    incoming: IncomingRequest,
    body: BodyStream,
  ): void {
    incoming.body = body;
    const answer = async () => {
      const known = incoming.idempotency === null ? NO_BODY : await knownOf(body);
      return await (this.#once(route, incoming, known) ?? route.handler(incoming));
    };
    this.#turns
      .onBehalfOf(exchange, answer)
      .finally(() => body.close())
      .then((reply) => this.#answerWith(exchange, reply))
      .catch((error: unknown) => exchange.fail(error));
  }

  /** What a stream still has to read is also read on behalf of whoever asked for it. */
  #answerWith(exchange: Exchange, answer: Reply): void {
    if (answer.kind !== 'stream') return exchange.send(answer);
    const share = this.#turns.shareOf(exchange);
    void this.#turns.onBehalfOf(exchange, () => streamReply(exchange, answer, share));
  }

  /** Runs the handler once per key; null if the request has no key. */
  #once(route: Route, incoming: IncomingRequest, body: Uint8Array): Promise<Reply> | null {
    const { idempotency: ref, target } = incoming;
    if (ref === null || !this.#options.idempotency) return null;
    const keyed = { ref, fingerprint: fingerprintOf(target, body), resumes: route.idempotency === 'resumed' };
    return this.#options.idempotency.once(keyed, async () => await route.handler(incoming));
  }
}

/**
 * Data that identifies a keyed body before it is complete: its length and beginning. For a form, only the length,
 * because a client that repeats a form uses another boundary.
 */
async function knownOf(body: BodyStream): Promise<Uint8Array> {
  const length = Buffer.from(`${body.lengthBytes} bytes`);
  return isForm(body.contentType) ? length : Buffer.concat([length, await body.beginning(KNOWN_BYTES)]);
}

function answerWithoutRoute(exchange: Exchange, endpoint: Endpoint, request: RequestHead): void {
  const method = request.getMethod();
  const allow = allowOf(endpoint);
  const headers = { Allow: allow };
  if (method === 'options') {
    const rule = [...endpoint.methods.values()].find(({ route }) => route.crossOrigin)?.route.crossOrigin;
    const shared = rule && preflightHeaders(rule, endpoint.methods.keys(), request);
    exchange.send(replyEmpty(204, { ...headers, ...shared }));
  } else if (endpoint.socket !== null && method === 'get') {
    exchange.send(errorReply('websocket_required', { Upgrade: 'websocket' }));
  } else {
    exchange.send(errorReply('method_not_allowed', headers, `Method not allowed; this path takes ${allow}`));
  }
}

import * as z from 'zod';
import { assert } from '../../../base/assert.ts';
import type { RequestRef } from '../../../store/keys/idempotent-requests.ts';
import type { Principal } from '../../auth/principal.ts';
import type { Exchange } from '../answer/exchange.ts';
import { KEY_HEADER, requestRef, takesKey } from '../idempotency/idempotency.ts';
import type { FieldPath } from '../request/known-fields.ts';
import { PartSchema, type ReadPart } from '../request/part-schema.ts';
import type { RequestHead } from '../request/request-head.ts';
import { ignoredFieldsHeader, ValidationError, validate } from '../request/validation.ts';
import type { SocketRoute } from '../socket/socket.ts';
import { pathParameterNames, type Route, type RouteRequest, refusesUnknownFields } from './route.ts';

/** A route with values computed once for all requests. */
export interface CompiledRoute {
  readonly route: Route;
  readonly parameterNames: readonly string[];
  /** The parsed empty query; undefined if the schema rejects it. */
  readonly emptyQuery: unknown;
  readonly query: PartSchema | null;
  /** Null for a raw body, too. */
  readonly body: PartSchema | null;
  /** Whether its requests may carry an `Idempotency-Key`. */
  readonly takesKey: boolean;
  /** Whether its handler has answered by a promise before. */
  answersLater: boolean;
}

/** The routes at one path. */
export interface Endpoint {
  readonly methods: Map<string, CompiledRoute>;
  socket: { readonly route: SocketRoute; readonly parameterNames: readonly string[] } | null;
}

const NOTHING: Readonly<Record<string, never>> = Object.freeze({});
/** Header names are looked up in lower case. */
const KEY_HEADER_NAME = KEY_HEADER.toLowerCase();
const NO_HEADERS: readonly string[] = [];

export function newEndpoint(): Endpoint {
  return { methods: new Map(), socket: null };
}

/** The `Allow` header of an endpoint. */
export function allowOf(endpoint: Endpoint): string {
  const methods = [...endpoint.methods.keys()].map((method) => method.toUpperCase());
  if (endpoint.methods.has('get')) methods.push('HEAD');
  else if (endpoint.socket !== null) methods.push('GET');
  return [...methods, 'OPTIONS'].join(', ');
}

export function compile(route: Route): CompiledRoute {
  const emptyQuery = route.query === undefined ? NOTHING : Object.freeze(route.query.safeParse({}).data);
  const refuses = refusesUnknownFields(route.access);
  return {
    route,
    parameterNames: pathParameterNames(route.path),
    emptyQuery,
    query: route.query === undefined ? null : new PartSchema(route.query, 'query', refuses),
    body: route.body instanceof z.ZodType ? new PartSchema(route.body, 'body', refuses) : null,
    takesKey: takesKey(route),
    answersLater: false,
  };
}

/** Maps parameter names to values. */
export function namedValues(names: readonly string[], values: readonly string[]): Record<string, string> {
  const named: Record<string, string> = {};
  for (let i = 0; i < names.length; i++) named[names[i]!] = values[i]!;
  return named;
}

interface RequestInput {
  readonly request: RequestHead;
  readonly values: readonly string[];
  readonly principal: Principal | null;
}

/**
 * The request passed to a handler. Copies what it needs, because the library's request is valid only during its
 * callback.
 */
export class IncomingRequest implements RouteRequest<Principal | null> {
  readonly principal: Principal | null;
  readonly params: unknown;
  readonly query: unknown;
  readonly path: string;
  readonly search: string;
  readonly idempotency: RequestRef | null;
  /** Method, path and query of a request with an idempotency key; '' otherwise. */
  readonly target: string;
  body: unknown = undefined;
  readonly #exchange: Exchange;
  #ignored: FieldPath[] = [];
  readonly #headerNames: readonly string[];
  /** In the order of `#headerNames`. */
  readonly #headers: readonly string[];

  constructor(
    exchange: Exchange,
    { route, parameterNames, emptyQuery, query: querySchema, takesKey }: CompiledRoute,
    { request, values, principal }: RequestInput,
  ) {
    this.#exchange = exchange;
    this.principal = principal;
    this.path = request.getUrl();
    this.params =
      route.params === undefined
        ? NOTHING
        : validate(route.params, 'path', namedValues(parameterNames, values));
    const query = request.getQuery();
    this.search = query;
    this.query =
      querySchema === null || (query === '' && emptyQuery !== undefined)
        ? emptyQuery
        : this.#take(querySchema.read(queryValues(query)));
    this.#headerNames = route.headers ?? NO_HEADERS;
    this.#headers = this.#headerNames.map((name) => request.getHeader(name));
    const key = takesKey ? request.getHeader(KEY_HEADER_NAME) : '';
    this.idempotency = principal && requestRef(principal, key);
    this.target = this.idempotency === null ? '' : `${route.method} ${this.path}?${query}`;
  }

  /** Takes the parsed JSON of the body. Throws a ValidationError. */
  readBody(schema: PartSchema, json: unknown): void {
    this.body = this.#take(schema.read(json));
  }

  get requestId(): string {
    return this.#exchange.requestId;
  }

  get address(): string {
    return this.#exchange.clientAddress;
  }

  get isHead(): boolean {
    return this.#exchange.isHead;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }

  header(name: string): string {
    const value = this.#headers[this.#headerNames.indexOf(name)];
    assert(value !== undefined, `header ${name} is not among those that the route names`);
    return value;
  }

  /** Every answer to the request names what was ignored, also a refusal or a stored answer. */
  #take(read: ReadPart): unknown {
    if (read.ignored.length > 0) {
      this.#ignored = [...this.#ignored, ...read.ignored];
      this.#exchange.addHeaders(ignoredFieldsHeader(this.#ignored));
    }
    if (read.faults !== null) throw new ValidationError(read.faults);
    return read.value;
  }
}

/** A query's values by name. If a name occurs twice, the last value counts. */
function queryValues(text: string): Record<string, string> {
  return text === '' ? {} : Object.fromEntries(new URLSearchParams(text));
}

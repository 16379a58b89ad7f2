import type { z } from 'zod';
import { assert } from '../../../base/assert.ts';
import type { ErrorCode } from '../../../base/errors.ts';
import type { RequestRef } from '../../../store/keys/idempotent-requests.ts';
import type { Principal } from '../../auth/principal.ts';
import type { ErrorBody } from '../../schema/error-body.ts';
import type { BytesReply, EmptyReply, JsonReply, Reply, StreamReply } from '../answer/reply.ts';
import type { BodyStream } from '../request/body-stream.ts';
import type { CrossOrigin } from './cross-origin.ts';

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Who may use a route: everyone ('public'), or the kinds of credentials listed in `ADMITTED`. */
export type Access = 'public' | 'runtime' | 'mcp' | 'config' | 'account' | 'session';

/**
 * One documented answer: JSON of `schema`, another `contentType`, both if the client can choose, or neither for an
 * empty body. A plain string describes an error with an error body.
 */
export type ResponseSpec =
  | string
  | {
      readonly description: string;
      readonly schema?: z.ZodType;
      readonly contentType?: string;
      readonly headers?: Readonly<Record<string, string>>;
    };

export type ResponseSpecs = Readonly<Record<number, ResponseSpec>>;

/** An error by its code; or several, each with what it means here. */
export type Failure = ErrorCode | Readonly<Partial<Record<ErrorCode, string>>>;

/** The validated request passed to a handler, independent of the server library. */
export interface RouteRequest<Who = Principal | null, Params = unknown, Query = unknown, Body = unknown> {
  readonly principal: Who;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly requestId: string;
  /** The path as requested, including any trailing slash. */
  readonly path: string;
  /** The raw query without the question mark; '' if there is none. */
  readonly search: string;
  /** The request's `Idempotency-Key`; null if there is none. */
  readonly idempotency: RequestRef | null;
  /**
   * The client's IP address: IPv4, or IPv6 as eight groups. Available only while the client is connected, so read it
   * first.
   */
  readonly address: string;
  /** Aborts if the client disconnects before the answer is complete. */
  readonly signal: AbortSignal;
  /** Whether this is a HEAD request: reply as to GET, but without a body and without side effects. */
  readonly isHead: boolean;
  /** A request header by its lower-case name; '' if absent. The route must list it in `headers`. */
  header(name: string): string;
}

type ReplyFor<Status extends number, Spec> = Spec extends string
  ? JsonReply<Status, ErrorBody>
  : Spec extends { readonly contentType: string; readonly schema: infer Schema extends z.ZodType }
    ? BytesReply<Status> | JsonReply<Status, z.output<Schema>>
    : PlainReplyFor<Status, Spec>;

type PlainReplyFor<Status extends number, Spec> = Spec extends { readonly contentType: string }
  ? BytesReply<Status> | StreamReply<Status>
  : Spec extends { readonly schema: infer Schema extends z.ZodType }
    ? JsonReply<Status, z.output<Schema>>
    : EmptyReply<Status>;

/** The replies that a handler may return: exactly those that its route documents. */
type ReplyOf<Specs extends ResponseSpecs> = {
  [Status in keyof Specs & number]: ReplyFor<Status, Specs[Status]>;
}[keyof Specs & number];

/** The type of the handler's `body`. */
type BodyOf<Body, Form> = Form extends z.ZodObject
  ? BodyStream | (Body extends z.ZodUndefined ? never : ReadBody<Body>)
  : ReadBody<Body>;

type ReadBody<Body> = Body extends z.ZodType ? z.output<Body> : Uint8Array;

/** What an endpoint takes, does and answers. */
interface Endpoint<
  A extends Access,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType | 'raw',
  Form extends z.ZodObject | undefined,
  Specs extends ResponseSpecs,
> {
  /** Says whose key a public route requires, which it checks itself in `precheck`. Default: none is required. */
  readonly ownKey?: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: true;
  /** Answers HEAD with 405, because GET changes something. */
  readonly refusesHead?: true;
  /** Takes no turn with other requests: whoever watches the process ends it when the answer is late. */
  readonly isProbe?: true;
  /** Request headers that the handler reads, in lower case. */
  readonly headers?: readonly string[];
  readonly params?: Params;
  readonly query?: Query;
  /**
   * Schema of the JSON body. If it accepts `undefined`, the body is optional. `raw`: the handler gets the bytes as
   * received, of any content type, and has to read or copy them before it first waits.
   */
  readonly body?: Body;
  /**
   * Schema of a multipart/form-data body, instead of or in addition to JSON. The handler gets a BodyStream before the
   * body has arrived and parses it with `formParts`. The handler must limit its size.
   */
  readonly form?: Form;
  /**
   * Schema of a JSON body that may be too long for memory; goes with `form`, in place of `body`. The handler gets a
   * BodyStream, parses it with `readJsonWithBytes` and validates it.
   */
  readonly streamedBody?: z.ZodType;
  /** Largest body in bytes. Default: see `bodyLimitOf`. */
  readonly bodyLimitBytes?: number;
  /**
   * Effect of an `Idempotency-Key` on a non-public POST. `stored` (default): a repeated request gets the stored answer,
   * or 409 if a crash left none. `resumed`: after a crash the handler runs again and recognizes its earlier work by the
   * request's `idempotency`. `none`: the key is ignored.
   */
  readonly idempotency?: 'stored' | 'resumed' | 'none';
  /** Rule for pages of other sites. Default: they may not use the route. */
  readonly crossOrigin?: CrossOrigin;
  /** Returns the `WWW-Authenticate` header of a 401 for the requested path. Default: `Bearer`. */
  readonly challenge?: (path: string) => string;
  /** Called before the body is read. A reply is sent and closes the connection; null continues. */
  readonly precheck?: (request: RouteRequest<unknown, z.output<Params>, z.output<Query>>) => Reply | null;
  readonly responses: Specs;
  /** The errors that the handler throws; those of the server come in addition. */
  readonly fails?: readonly Failure[];
  readonly handler: (
    request: RouteRequest<
      A extends 'public' ? null : Principal,
      z.output<Params>,
      z.output<Query>,
      BodyOf<Body, Form>
    >,
  ) => ReplyOf<Specs> | Promise<ReplyOf<Specs>>;
}

/** Complete definition of one endpoint, used for dispatch, validation and the OpenAPI description. */
interface RouteDefinition<
  A extends Access,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType | 'raw',
  Form extends z.ZodObject | undefined,
  Specs extends ResponseSpecs,
> extends Endpoint<A, Params, Query, Body, Form, Specs> {
  readonly method: HttpMethod;
  /** Literal segments and `{name}` parameters, for example `/api/call/{call_id}`. */
  readonly path: `/${string}`;
  readonly access: A;
  readonly tags: readonly string[];
}

/** A route without its specific types, as read by the server and the OpenAPI document. */
export interface Route
  extends Omit<
    RouteDefinition<
      Access,
      z.ZodObject,
      z.ZodObject,
      z.ZodType | 'raw',
      z.ZodObject | undefined,
      ResponseSpecs
    >,
    'handler' | 'precheck'
  > {
  // biome-ignore lint/suspicious/noExplicitAny: the request's types were checked where the route was declared
  readonly precheck?: (request: RouteRequest<any, any, any, any>) => Reply | null;
  // biome-ignore lint/suspicious/noExplicitAny: the request's types were checked where the route was declared
  readonly handler: (request: RouteRequest<any, any, any, any>) => Reply | Promise<Reply>;
}

const PATH_PARAMETER = /\{([^{}]+)\}/g;

/** The parameter names of a path, in order. */
export function pathParameterNames(path: string): string[] {
  return Array.from(path.matchAll(PATH_PARAMETER), (match) => match[1] ?? '');
}

/** Declares an endpoint. The schemas determine the types of the handler's request and replies. */
export function route<
  A extends Access,
  const Specs extends ResponseSpecs,
  Params extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Body extends z.ZodType | 'raw' = z.ZodUndefined,
  Form extends z.ZodObject | undefined = undefined,
>(definition: RouteDefinition<A, Params, Query, Body, Form, Specs>): Route {
  const inPath = pathParameterNames(definition.path).sort().join();
  const inSchema = Object.keys(definition.params?.shape ?? {})
    .sort()
    .join();
  assert(inPath === inSchema, `${definition.path}: parameters of path and schema differ`);
  return definition as unknown as Route;
}

/** Declares the endpoints of a resource, by their methods: they share who may use them, and their tags. */
export function resource<A extends Access>(access: A, ...tags: readonly string[]) {
  const declare =
    (method: HttpMethod) =>
    <
      const Specs extends ResponseSpecs,
      Params extends z.ZodObject = z.ZodObject<Record<never, never>>,
      Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
      Body extends z.ZodType | 'raw' = z.ZodUndefined,
      Form extends z.ZodObject | undefined = undefined,
    >(
      path: `/${string}`,
      endpoint: Endpoint<A, Params, Query, Body, Form, Specs>,
    ): Route =>
      route<A, Specs, Params, Query, Body, Form>({ ...endpoint, method, path, access, tags });
  return {
    get: declare('get'),
    post: declare('post'),
    put: declare('put'),
    patch: declare('patch'),
    delete: declare('delete'),
  };
}

/**
 * Whether a route refuses fields that it does not know. Those for settings do: a mistyped setting would silently stay as
 * it was. All others ignore such fields and name them in a header, so that agents written for a newer version keep
 * working.
 */
export function refusesUnknownFields(access: Access): boolean {
  return access === 'config' || access === 'session';
}

const WRITING: ReadonlySet<HttpMethod> = new Set(['post', 'put', 'patch']);

/**
 * Whether requests store settings, or feedback, and so need room in their account. Runtime routes ask for it themselves,
 * where they store something. What deletes makes room.
 */
export function storesSettings({ access, method }: Pick<Route, 'access' | 'method'>): boolean {
  return (access === 'config' || access === 'account') && WRITING.has(method);
}

/** Body limit of public routes. Bytes beyond it are discarded. */
const PUBLIC_BODY_LIMIT_BYTES = 16 * 1024;
const DEFAULT_BODY_LIMIT_BYTES = 1_048_576;

/** The body limit of a route: its own limit, else 16 KB for public routes and `knownBytes` for all others. */
export function bodyLimitOf(
  { access, bodyLimitBytes }: Pick<Route, 'access' | 'bodyLimitBytes'>,
  knownBytes = DEFAULT_BODY_LIMIT_BYTES,
): number {
  return bodyLimitBytes ?? (access === 'public' ? PUBLIC_BODY_LIMIT_BYTES : knownBytes);
}

import type { z } from 'zod';
import { assert } from '../../../base/assert.ts';
import type { RequestRef } from '../../../store/keys/idempotent-requests.ts';
import type { Principal } from '../../auth/principal.ts';
import type { ErrorBody } from '../../schema/error-body.ts';
import type { BytesReply, EmptyReply, JsonReply, Reply, StreamReply } from '../answer/reply.ts';
import type { BodyStream } from '../request/body-stream.ts';
import type { CrossOrigin } from './cross-origin.ts';

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Who may use a route: anybody ('public'), or the kinds of credentials that `ADMITTED` lists. */
export type Access = 'public' | 'runtime' | 'mcp' | 'config' | 'account' | 'session';

/**
 * One documented answer: JSON of `schema`, `contentType` for anything else, either of both by what the client accepts,
 * or neither for an empty body.
 * A plain string describes an error that answers with an error body.
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

/** What a handler gets: everything validated, nothing of the wire. */
export interface RouteRequest<Who = Principal | null, Params = unknown, Query = unknown, Body = unknown> {
  readonly principal: Who;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly requestId: string;
  /** The path as it was asked for: with a slash at the end where it came with one. */
  readonly path: string;
  /** The query as it came, without the question mark; '' without one. */
  readonly search: string;
  /** Of a request that came with an `Idempotency-Key`; null without one. */
  readonly idempotency: RequestRef | null;
  /** The client's IP address: IPv4, or IPv6 in its eight groups. Known while the client is there: read it first. */
  readonly address: string;
  /** Aborts when the client goes away before the answer is complete. */
  readonly signal: AbortSignal;
  /** A HEAD: what GET would answer, without the body and without doing anything. */
  readonly isHead: boolean;
  /** A request header by its lower-case name, '' when absent; only those that the route names in `headers`. */
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

/** The replies that a handler may give: exactly those that its route documents. */
type ReplyOf<Specs extends ResponseSpecs> = {
  [Status in keyof Specs & number]: ReplyFor<Status, Specs[Status]>;
}[keyof Specs & number];

/** What a handler finds as the body. */
type BodyOf<Body, Form> = Form extends z.ZodObject
  ? BodyStream | (Body extends z.ZodUndefined ? never : ReadBody<Body>)
  : ReadBody<Body>;

type ReadBody<Body> = Body extends z.ZodType ? z.output<Body> : Uint8Array;

/** All that is known about one endpoint: dispatch, validation and the OpenAPI description come from this object. */
interface RouteDefinition<
  A extends Access,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType | 'raw',
  Form extends z.ZodObject | undefined,
  Specs extends ResponseSpecs,
> {
  readonly method: HttpMethod;
  /** Literal segments and `{name}` parameters, for example `/api/call/{call_id}`. */
  readonly path: `/${string}`;
  readonly access: A;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly deprecated?: true;
  /** Its GET changes something, which a HEAD must not do: that answers 405. */
  readonly refusesHead?: true;
  /** Request headers that the handler reads, in lower case. */
  readonly headers?: readonly string[];
  readonly params?: Params;
  readonly query?: Query;
  /**
   * Schema of the JSON body; one that accepts `undefined` makes the body optional. `raw`: the handler gets the bytes as
   * they came, of whatever type.
   */
  readonly body?: Body;
  /**
   * Describes a multipart/form-data body, in place of a JSON one or as the other choice. The handler gets it as a
   * BodyStream, before it has come: `formParts` takes it apart. No limit of size but the handler's own.
   */
  readonly form?: Form;
  /**
   * Describes a JSON body that may be too long to be held in memory, beside `form` and in place of `body`. The handler
   * gets it as a BodyStream and validates it: `readJsonWithBytes` takes it apart.
   */
  readonly streamedBody?: z.ZodType;
  /** Largest body accepted, in bytes; without it what `bodyLimitOf` says. */
  readonly bodyLimitBytes?: number;
  /**
   * What an `Idempotency-Key` does on a POST that is not public. `stored`, unless told otherwise: whoever comes again
   * gets the stored answer, or 409 where a crash left none. `resumed`: the handler runs again after a crash and knows by
   * the request's `idempotency` what it has begun. `none`: nothing.
   */
  readonly idempotency?: 'stored' | 'resumed' | 'none';
  /** Pages of other sites that may use the route from a browser; without it none may. */
  readonly crossOrigin?: CrossOrigin;
  /** `WWW-Authenticate` of its 401, by the path as it was asked for; `Bearer` unless told otherwise. */
  readonly challenge?: (path: string) => string;
  /**
   * Asked before anything of the body is read. What it answers goes out and the connection closes; null lets the request
   * in.
   */
  readonly precheck?: (request: RouteRequest<unknown, z.output<Params>, z.output<Query>>) => Reply | null;
  readonly responses: Specs;
  readonly handler: (
    request: RouteRequest<
      A extends 'public' ? null : Principal,
      z.output<Params>,
      z.output<Query>,
      BodyOf<Body, Form>
    >,
  ) => ReplyOf<Specs> | Promise<ReplyOf<Specs>>;
}

/** A route whose types have done their work: what the server and the OpenAPI document read. */
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

/** The names in braces of a path, in order. */
export function pathParameterNames(path: string): string[] {
  return Array.from(path.matchAll(PATH_PARAMETER), (match) => match[1] ?? '');
}

/** Declares an endpoint. The request and the replies of its handler are typed by the schemas beside it. */
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

import type { IncomingHttpHeaders } from 'node:http';

/** A request as a vendor gets it. */
export interface VendorRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

/** An answer of a vendor. An object goes out as JSON, a text as plain text. */
export interface VendorReply {
  readonly status: number;
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Why a vendor does not do what it is asked. */
export type Refusal = 'bad_key' | 'missing_scope' | 'out_of_funds' | 'too_many' | 'down';

/** What a vendor thinks of the key of a request. */
export type KeyState = 'valid' | Extract<Refusal, 'bad_key' | 'missing_scope' | 'out_of_funds'>;

/** Takes a request with a valid key; for an open path, with any key or none. */
export type VendorEndpoint = (request: VendorRequest) => VendorReply;

/** What differs from one vendor to the next: where the key is, what there is to ask, and the words of its errors. */
export interface VendorManners {
  readonly name: string;
  /** The gateway's setting for this vendor's host. */
  readonly setting: string;
  /** Null: the request has no key, or not where this vendor wants it. */
  readonly keyIn: (headers: IncomingHttpHeaders) => string | null;
  /** GET endpoints by path. */
  readonly endpoints: Readonly<Record<string, VendorEndpoint>>;
  /** Paths that answer without a key. */
  readonly open?: readonly string[];
  /** Refuses what is wrong whatever the key is, such as a missing header; null: nothing. */
  readonly precheck?: (request: VendorRequest) => VendorReply | null;
  readonly refuse: (refusal: Refusal) => VendorReply;
  readonly notFound: VendorReply;
  readonly wrongMethod: VendorReply;
}

/** The names of parameters in a query that are not among these. */
export function unknownIn(query: URLSearchParams, known: readonly string[]): string[] {
  return [...new Set(query.keys())].filter((name) => !known.includes(name));
}

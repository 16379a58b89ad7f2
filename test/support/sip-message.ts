import sip from 'sip';

/** SIP messages as the independent npm package `sip` reads and writes them, so that no parser of ours judges ours. */
export interface SipUri {
  readonly user?: string;
  readonly host: string;
  /** NaN when the URI has none. */
  readonly port: number;
  readonly params: Record<string, string | null>;
}

export interface SipAddress {
  readonly name?: string;
  readonly uri: string;
  readonly params: Record<string, string | null>;
}

export interface SipVia {
  readonly version: string;
  readonly protocol: string;
  readonly host: string;
  readonly port?: number;
  readonly params: Record<string, string | null>;
}

export interface SipHeaders {
  via: SipVia[];
  to: SipAddress;
  from: SipAddress;
  'call-id': string;
  cseq: { seq: number; method: string };
  contact?: SipAddress[] | '*';
  route?: { uri: SipUri; params: Record<string, string | null> }[];
  'record-route'?: unknown[];
  authorization?: Record<string, string>[];
  'proxy-authorization'?: Record<string, string>[];
  [name: string]: unknown;
}

export interface SipRequest {
  method: string;
  uri: string;
  status?: undefined;
  headers: SipHeaders;
  content: string;
}

export interface SipResponse {
  method?: undefined;
  status: number;
  reason: string;
  headers: SipHeaders;
  content: string;
}

export type SipMessage = SipRequest | SipResponse;

/** Null for what is not SIP or lacks one of the headers that every message has. */
export function parseSip(bytes: Buffer): SipMessage | null {
  const message = sip.parse(bytes);
  return message !== undefined && isWhole(message) ? message : null;
}

export function isWhole({ headers }: SipMessage): boolean {
  return Boolean(
    headers?.via?.length && headers.to && headers.from && headers['call-id'] && headers.cseq?.method,
  );
}

export function sipBytes(message: SipMessage): Buffer {
  return Buffer.from(sip.stringify(message), 'latin1');
}

/** A response with the request's Via, To, From, Call-ID and CSeq, and a To tag. */
export function respond(
  request: SipRequest,
  status: number,
  reason: string,
  headers: Record<string, unknown> = {},
): SipResponse {
  const response = sip.makeResponse(request, status, reason) as SipResponse;
  const to = request.headers.to;
  const tag = to.params.tag ?? `${REGISTRAR_TAG}${request.headers['call-id']}`;
  response.headers = {
    ...response.headers,
    ...headers,
    to: { ...to, params: { ...to.params, tag } },
  } as SipHeaders;
  return response;
}

/** How To tags made by `respond` begin. */
export const REGISTRAR_TAG = 'registrar-';

/** Splits a byte stream into messages by Content-Length (RFC 3261 section 18.3). */
export function sipStream(onMessage: (message: SipMessage) => void): (bytes: Buffer) => void {
  const parse = sip.makeStreamParser((message) => {
    if (isWhole(message)) onMessage(message);
  });
  return (bytes) => parse(bytes.toString('latin1'));
}

export function parseSipUri(uri: string): SipUri {
  const parsed = sip.parseUri(uri);
  if (parsed === undefined) throw new Error(`not a SIP URI: ${uri}`);
  return parsed;
}

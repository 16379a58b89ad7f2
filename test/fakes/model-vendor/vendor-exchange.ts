import type { IncomingHttpHeaders } from 'node:http';
import type { LostTurn } from './vendor-fault.ts';

/** A request as a model vendor gets it. */
export interface VendorRequest {
  readonly method: string;
  /** As sent: without the query, still percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Buffer;
  /** The body's JSON; undefined if there is no body, a text if it is no JSON. */
  readonly body: unknown;
}

/** What a vendor needs besides the request to carry it out. */
export interface VendorCall extends VendorRequest {
  /** Aborts when the client has gone; never if the turn is to be carried out all the same. */
  readonly signal: AbortSignal;
  /** The connection will break, and this is to become of the turn; null: no fault is due. */
  readonly lost: LostTurn | null;
}

/** A vendor's answer with status 2xx. */
export type VendorAnswer =
  | {
      readonly body: object | string;
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /**
   * One chunk per event. It is read to its end if the client stays, or is to lose an answer that was complete
   * (`lost: 'answered'`); otherwise it is left: the vendor tidies up in `finally`.
   */
  | { readonly stream: AsyncGenerator<string | Uint8Array, void>; readonly contentType: string };

/** The text of one server-sent event. */
export function sseEvent(name: string | null, data: object | string): string {
  const line = typeof data === 'string' ? data : JSON.stringify(data);
  return `${name === null ? '' : `event: ${name}\n`}data: ${line}\n\n`;
}

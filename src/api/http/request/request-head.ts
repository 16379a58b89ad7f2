/**
 * A request's method, URL and headers, independent of the server library. Valid only until the library's callback
 * returns. Requests of uWebSockets.js already have this shape, so the fast path needs no wrapper.
 */
export interface RequestHead {
  /** Lower case. */
  getMethod(): string;
  /** The path as sent, without the query. */
  getUrl(): string;
  /** The query without the question mark; '' if there is none. */
  getQuery(): string;
  /** A header's first value by its lower-case name; '' if absent. */
  getHeader(name: string): string;
}

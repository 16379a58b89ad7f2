/**
 * A request's line and headers, whichever server library read them. Valid only until the library's callback returns.
 * uWebSockets.js' own requests are of this shape, so that the quick path needs no wrapper.
 */
export interface RequestHead {
  /** Lower case. */
  getMethod(): string;
  /** The path, without the query, as it was sent. */
  getUrl(): string;
  /** Without the question mark; '' when there is none. */
  getQuery(): string;
  /** A header's first value by its lower-case name; '' when it is absent. */
  getHeader(name: string): string;
}

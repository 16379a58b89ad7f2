import { uriInHeader } from './sip-uri.ts';
import { parseVia, type Via } from './via.ts';

/** Routing data of a message written by sip.js. */
export interface OutgoingText {
  /** The request's method; for a response, that of the request it answers. */
  readonly method: string;
  /** Null for requests. */
  readonly status: number | null;
  readonly via: Via;
  readonly callId: string;
  readonly hasToTag: boolean;
  /** The top Route, or else the Request-URI (RFC 3261 section 8.1.2). */
  readonly nextHop: string;
}

/** Parses a message that we generated; null indicates a bug in its generator. */
export function readOutgoing(text: string): OutgoingText | null {
  const via = parseVia(headerLine(text, 'Via'));
  if (via === null) return null;
  const isResponse = text.startsWith('SIP/2.0 ');
  const [first = '', second = ''] = text.split(' ', 2);
  const route = headerLine(text, 'Route');
  return {
    method: isResponse ? (/\s(\S+)$/.exec(headerLine(text, 'CSeq'))?.[1] ?? '') : first,
    status: isResponse ? Number(second) : null,
    via,
    callId: headerLine(text, 'Call-ID'),
    hasToTag: /;\s*tag=/i.test(headerLine(text, 'To')),
    nextHop: route === '' ? second : uriInHeader(route),
  };
}

/**
 * Returns the first header line of this name, in the spelling that sip.js and we use. It is the topmost one, as the
 * head precedes the body.
 */
function headerLine(text: string, name: string): string {
  const start = text.indexOf(`\r\n${name}: `);
  if (start < 0) return '';
  const valueStart = start + name.length + 4;
  return text.slice(valueStart, text.indexOf('\r\n', valueStart)).trim();
}

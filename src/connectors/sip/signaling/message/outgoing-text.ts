import { uriInHeader } from './sip-uri.ts';
import { parseVia, type Via } from './via.ts';

/** What the transport must know of a message that sip.js has written. */
export interface OutgoingText {
  readonly text: string;
  /** Of a request: its own. Of a response: that of the request it answers. */
  readonly method: string;
  /** Null for requests. */
  readonly status: number | null;
  readonly via: Via;
  readonly callId: string;
  readonly hasToTag: boolean;
  /** The top Route, else the Request-URI (RFC 3261 section 8.1.2). */
  readonly nextHop: string;
}

/** Reads a message of our own making; null would be a bug of its writer. */
export function readOutgoing(text: string): OutgoingText | null {
  const via = parseVia(headerLine(text, 'Via'));
  if (via === null) return null;
  const isResponse = text.startsWith('SIP/2.0 ');
  const [first = '', second = ''] = text.split(' ', 2);
  const route = headerLine(text, 'Route');
  return {
    text,
    method: isResponse ? (/\s(\S+)$/.exec(headerLine(text, 'CSeq'))?.[1] ?? '') : first,
    status: isResponse ? Number(second) : null,
    via,
    callId: headerLine(text, 'Call-ID'),
    hasToTag: /;\s*tag=/i.test(headerLine(text, 'To')),
    nextHop: route === '' ? second : uriInHeader(route),
  };
}

/** The first line of that name, as sip.js and we spell it: the topmost, as the head comes before the body. */
function headerLine(text: string, name: string): string {
  const start = text.indexOf(`\r\n${name}: `);
  if (start < 0) return '';
  const valueStart = start + name.length + 4;
  return text.slice(valueStart, text.indexOf('\r\n', valueStart)).trim();
}

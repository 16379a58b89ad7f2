import { headerOf, type SipMessage } from './sip-message.ts';

const MAX_PARTS = 16;
const MAX_PART_HEADERS = 16;
const MAX_PARAMETERS = 8;
const MAX_BOUNDARY_CHARACTERS = 70;

/**
 * Reduces a multipart body to its SDP part: telephone networks wrap SDP together with ISUP or location data (RFC 5621).
 * Also adds a missing Content-Type, without which sip.js would throw.
 */
export function settleBody(message: SipMessage): void {
  if (message.body === '') return;
  const type = message.headers.find((header) => header.name === 'content-type');
  if (type === undefined) {
    const value = message.body.startsWith('v=0') ? 'application/sdp' : 'application/octet-stream';
    message.headers.push({ name: 'content-type', value });
    return;
  }
  const boundary = boundaryOf(type.value);
  if (boundary === null || headerOf(message, 'content-encoding') !== null) return;
  const parts = message.body.split(`--${boundary}`, MAX_PARTS);
  const sdp = parts.map(sdpIn).find((text) => text !== null);
  if (sdp === undefined) return;
  type.value = 'application/sdp';
  message.body = `${sdp.trimEnd()}\r\n`;
}

/**
 * Returns the boundary of a multipart type; null when it is not multipart, or longer than RFC 2046 section 5.1.1
 * allows.
 */
function boundaryOf(type: string): string | null {
  const [main = '', ...parameters] = type.split(';', MAX_PARAMETERS);
  if (!/^multipart\/\w+$/i.test(main.trim())) return null;
  const parameter = parameters.map((each) => each.trim()).find((each) => /^boundary=/i.test(each));
  const boundary = parameter?.slice('boundary='.length).replace(/^"|"$/g, '') ?? '';
  return boundary === '' || boundary.length > MAX_BOUNDARY_CHARACTERS ? null : boundary;
}

/** Returns the content of a part that holds SDP; null for other parts. */
function sdpIn(part: string): string | null {
  const headEnd = part.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const head = part.slice(0, headEnd).trimStart().split('\r\n', MAX_PART_HEADERS);
  return head.some((line) => /^content-type\s*:\s*application\/sdp/i.test(line))
    ? part.slice(headEnd + 4)
    : null;
}

import { headerOf, type SipMessage } from './sip-message.ts';

const MAX_PARTS = 16;
const MAX_PART_HEADERS = 16;
const MAX_PARAMETERS = 8;
const MAX_BOUNDARY_CHARACTERS = 70;

/**
 * Leaves only the SDP part of a multipart body, in which telephone networks wrap it together with ISUP or location
 * data (RFC 5621), and names the type of a body that comes without one, at which sip.js would throw.
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

/** The boundary of a multipart type; null: it is none, or longer than RFC 2046 section 5.1.1 allows. */
function boundaryOf(type: string): string | null {
  const [main = '', ...parameters] = type.split(';', MAX_PARAMETERS);
  if (!/^multipart\/\w+$/i.test(main.trim())) return null;
  const parameter = parameters.map((each) => each.trim()).find((each) => /^boundary=/i.test(each));
  const boundary = parameter?.slice('boundary='.length).replace(/^"|"$/g, '') ?? '';
  return boundary === '' || boundary.length > MAX_BOUNDARY_CHARACTERS ? null : boundary;
}

/** What follows the head of a part that holds SDP; null: it is another part. */
function sdpIn(part: string): string | null {
  const headEnd = part.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const head = part.slice(0, headEnd).trimStart().split('\r\n', MAX_PART_HEADERS);
  return head.some((line) => /^content-type\s*:\s*application\/sdp/i.test(line))
    ? part.slice(headEnd + 4)
    : null;
}

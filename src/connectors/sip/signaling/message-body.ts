import { headerOf, type SipMessage } from './sip-message.ts';

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
  const boundary = /^multipart\/\w+\s*;.*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type.value);
  if (boundary === null || headerOf(message, 'content-encoding') !== null) return;
  const parts = message.body.split(`--${boundary[1] ?? boundary[2]}`);
  const sdp = parts.find((part) => /^\s*(?:[^\r\n]+\r\n)*content-type\s*:\s*application\/sdp/i.test(part));
  if (sdp === undefined) return;
  type.value = 'application/sdp';
  message.body = `${sdp.slice(sdp.indexOf('\r\n\r\n') + 4).trimEnd()}\r\n`;
}

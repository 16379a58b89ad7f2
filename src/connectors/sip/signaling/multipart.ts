import { headerOf, type SipMessage } from './sip-message.ts';

/**
 * Telephone networks wrap SDP together with ISUP or location data (RFC 5621): leaves only the SDP part of a
 * multipart body. Other messages stay as they are.
 */
export function unwrapSdp(message: SipMessage): void {
  const type = message.headers.find((header) => header.name === 'content-type');
  const boundary = /^multipart\/\w+\s*;.*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type?.value ?? '');
  if (type === undefined || boundary === null || headerOf(message, 'content-encoding') !== null) return;
  const parts = message.body.split(`--${boundary[1] ?? boundary[2]}`);
  const sdp = parts.find((part) => /^\s*(?:[^\r\n]+\r\n)*content-type\s*:\s*application\/sdp/i.test(part));
  if (sdp === undefined) return;
  type.value = 'application/sdp';
  message.body = `${sdp.slice(sdp.indexOf('\r\n\r\n') + 4).trimEnd()}\r\n`;
}

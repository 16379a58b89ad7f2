import type { MediaAddress } from '../generator/sip-answerer.ts';

/** The first header of this name; empty: there is none. */
export function headerOf(message: string, name: string): string {
  return new RegExp(`^${name}\\s*:\\s*(.*?)\\s*$`, 'im').exec(message)?.[1] ?? '';
}

/** Where the session description in a message wants audio. */
export function addressIn(message: string): MediaAddress {
  return {
    host: /^c=IN IP4 (\S+)/m.exec(message)?.[1] ?? '',
    port: Number(/^m=audio (\d+)/m.exec(message)?.[1] ?? 0),
  };
}

/** A response (RFC 3261 section 8.2.6); `toTag` is added where the request has none. */
export function replyTo(request: string, status: string, toTag: string, contact = '', sdp = ''): string {
  const repeated = request
    .slice(0, request.indexOf('\r\n\r\n'))
    .split('\r\n')
    .filter((line) => /^(via|from|to|call-id|cseq)\s*:/i.test(line))
    .map((line) => (/^to\s*:/i.test(line) && !line.includes(';tag=') ? line + toTag : line));
  return [
    `SIP/2.0 ${status}`,
    ...repeated,
    ...(contact === '' ? [] : [contact]),
    ...(sdp === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${sdp.length}`,
    '',
    sdp,
  ].join('\r\n');
}

/** PCMU in both directions, packets of 20 ms (RFC 4566). */
export function sessionDescription(host: string, rtpPort: number): string {
  return [
    ...['v=0', `o=- ${rtpPort} 1 IN IP4 ${host}`, 's=-', `c=IN IP4 ${host}`, 't=0 0'],
    ...[`m=audio ${rtpPort} RTP/AVP 0`, 'a=rtpmap:0 PCMU/8000', 'a=ptime:20', 'a=sendrecv', ''],
  ].join('\r\n');
}

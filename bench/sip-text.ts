/** The text of SIP and SDP, as much of it as load and anchors need. */

/** Where a party wants its media. */
export interface MediaAddress {
  readonly host: string;
  readonly port: number;
}

/** What a telephone speaks, as SDP says it. */
export interface SpokenCodec {
  readonly payloadType: number;
  /** Such as `PCMU/8000` (RFC 8866 section 6.6). */
  readonly rtpmap: string;
}

export const PCMU: SpokenCodec = { payloadType: 0, rtpmap: 'PCMU/8000' };

/** The first header of this name, or of its compact form; empty: there is none. */
export function headerOf(message: string, name: string, compact = name): string {
  return new RegExp(`^(?:${name}|${compact})\\s*:\\s*(.*?)\\s*$`, 'im').exec(message)?.[1] ?? '';
}

/** Where the session description in a message wants audio; an empty host or port 0 is not told. */
export function addressIn(message: string): MediaAddress {
  return {
    host: /^c=IN IP4 (\S+)/m.exec(message)?.[1] ?? '',
    port: Number(/^m=audio (\d+)/m.exec(message)?.[1] ?? 0),
  };
}

/** Where the audio of an SDP is to be sent; throws when there is none. */
export function audioPort(sdp: string): number {
  const { port } = addressIn(sdp);
  if (!(port > 0)) throw new Error(`no audio in ${JSON.stringify(sdp)}`);
  return port;
}

/** A response (RFC 3261 section 8.2.6); `toTag` is added where the request has none. */
export function replyTo(request: string, status: string, toTag: string, contact = '', sdp = ''): string {
  const repeated = request
    .slice(0, request.indexOf('\r\n\r\n'))
    .split('\r\n')
    .filter((line) => /^(via|v|from|f|to|t|call-id|i|cseq|record-route)\s*:/i.test(line))
    .map((line) => (/^(to|t)\s*:/i.test(line) && !line.includes(';tag=') ? line + toTag : line));
  return [
    `SIP/2.0 ${status}`,
    ...repeated,
    ...(contact === '' ? [] : [`Contact: <${contact}>`]),
    ...(sdp === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${sdp.length}`,
    '',
    sdp,
  ].join('\r\n');
}

/** One stream of packets of 20 ms on this port (RFC 8866). */
export function audioSdp(
  host: string,
  port: number,
  { payloadType, rtpmap } = PCMU,
  direction: 'sendrecv' | 'inactive' = 'sendrecv',
): string {
  return [
    ...['v=0', `o=- ${port} 1 IN IP4 ${host}`, 's=-', `c=IN IP4 ${host}`, 't=0 0'],
    `m=audio ${port} RTP/AVP ${payloadType}`,
    `a=rtpmap:${payloadType} ${rtpmap}`,
    'a=ptime:20',
    `a=${direction}`,
    '',
  ].join('\r\n');
}

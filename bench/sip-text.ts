/** As much of SIP and SDP as load and anchors need. */

/** Address at which a party receives media. */
export interface MediaAddress {
  readonly host: string;
  readonly port: number;
}

/** A codec as SDP describes it. */
export interface SpokenCodec {
  readonly payloadType: number;
  /** Such as `PCMU/8000` (RFC 8866 section 6.6). */
  readonly rtpmap: string;
}

export const PCMU: SpokenCodec = { payloadType: 0, rtpmap: 'PCMU/8000' };

/** Returns the first header with this name or its compact form; '' if there is none. */
export function headerOf(message: string, name: string, compact = name): string {
  return new RegExp(`^(?:${name}|${compact})\\s*:\\s*(.*?)\\s*$`, 'im').exec(message)?.[1] ?? '';
}

/** Returns the audio address in a message's SDP. A missing host is '', a missing port 0. */
export function addressIn(message: string): MediaAddress {
  return {
    host: /^c=IN IP4 (\S+)/m.exec(message)?.[1] ?? '',
    port: Number(/^m=audio (\d+)/m.exec(message)?.[1] ?? 0),
  };
}

/** Returns the audio port of an SDP. Throws if there is none. */
export function audioPort(sdp: string): number {
  const { port } = addressIn(sdp);
  if (!(port > 0)) throw new Error(`no audio in ${JSON.stringify(sdp)}`);
  return port;
}

/** A response (RFC 3261 section 8.2.6). `toTag` is added if the request has none. */
export function replyTo(
  request: string,
  status: string,
  toTag: string,
  { contact = '', sdp = '' } = {},
): string {
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

/** Phones offer to send digits as events (RFC 4733). */
const EVENTS = 101;

/** SDP with one audio stream of 20 ms packets on this port (RFC 8866). */
export function audioSdp(
  host: string,
  port: number,
  { payloadType, rtpmap } = PCMU,
  direction: 'sendrecv' | 'inactive' = 'sendrecv',
): string {
  return [
    ...['v=0', `o=- ${port} 1 IN IP4 ${host}`, 's=-', `c=IN IP4 ${host}`, 't=0 0'],
    `m=audio ${port} RTP/AVP ${payloadType} ${EVENTS}`,
    `a=rtpmap:${payloadType} ${rtpmap}`,
    `a=rtpmap:${EVENTS} telephone-event/8000`,
    'a=ptime:20',
    `a=${direction}`,
    '',
  ].join('\r\n');
}

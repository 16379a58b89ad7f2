const HOST = '127.0.0.1';

/** One PCMU stream on this port. */
export function pcmuSdp(port: number): string {
  return [
    'v=0',
    `o=- ${port} 1 IN IP4 ${HOST}`,
    's=-',
    `c=IN IP4 ${HOST}`,
    't=0 0',
    `m=audio ${port} RTP/AVP 0`,
    'a=rtpmap:0 PCMU/8000',
    'a=ptime:20',
    'a=sendrecv',
    '',
  ].join('\r\n');
}

/** Where the audio of an SDP is to be sent. */
export function audioPort(sdp: string): number {
  const port = Number(/^m=audio (\d+)/m.exec(sdp)?.[1]);
  if (!(port > 0)) throw new Error(`no audio in ${JSON.stringify(sdp)}`);
  return port;
}

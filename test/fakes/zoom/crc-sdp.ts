/** The codecs of the connector, the one it likes most first. */
export const CRC_CODECS = ['G722', 'opus', 'PCMU', 'PCMA'] as const;
export type CrcCodec = (typeof CRC_CODECS)[number];

/** What both sides agreed on. */
export interface CrcFormat {
  readonly host: string;
  readonly port: number;
  readonly codec: CrcCodec;
  readonly payloadType: number;
  /** Of telephone-event; null: none. */
  readonly eventType: number | null;
}

const RTPMAPS: Readonly<Record<CrcCodec, string>> = {
  G722: 'G722/8000',
  opus: 'opus/48000/2',
  PCMU: 'PCMU/8000',
  PCMA: 'PCMA/8000',
};
const STATIC_TYPES: Readonly<Record<string, string>> = {
  '0': 'PCMU/8000',
  '8': 'PCMA/8000',
  '9': 'G722/8000',
};

/** Reads an offer as far as the connector needs it. Null when there is no audio in one of the codecs. */
export function formatIn(offer: string, codecs: readonly CrcCodec[]): CrcFormat | null {
  const host = /^c=IN IP4 (\S+)/m.exec(offer)?.[1];
  const [, port, types = ''] = /^m=audio (\d+) RTP\/AVP ([\d ]+)/m.exec(offer) ?? [];
  if (host === undefined || port === undefined) return null;
  const listed = types.trim().split(' ');
  const mapped = new Map(
    [...offer.matchAll(/^a=rtpmap:(\d+) (\S+)/gm)].map(([, type, map]) => [type!, map!]),
  );
  const typeOf = (map: string): number | null => {
    const type = listed.find(
      (each) => (mapped.get(each) ?? STATIC_TYPES[each])?.toLowerCase() === map.toLowerCase(),
    );
    return type === undefined ? null : Number(type);
  };
  for (const codec of codecs) {
    const payloadType = typeOf(RTPMAPS[codec]);
    if (payloadType === null) continue;
    const events = codec === 'opus' ? typeOf('telephone-event/48000') : typeOf('telephone-event/8000');
    return { host, port: Number(port), codec, payloadType, eventType: events };
  }
  return null;
}

export function answerTo({ codec, payloadType, eventType }: CrcFormat, port: number): string {
  const clock = codec === 'opus' ? 48_000 : 8_000;
  const events =
    eventType === null ? [] : [`a=rtpmap:${eventType} telephone-event/${clock}`, `a=fmtp:${eventType} 0-15`];
  return [
    'v=0',
    `o=crc ${port} 1 IN IP4 127.0.0.1`,
    's=Zoom',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port} RTP/AVP ${[payloadType, ...(eventType === null ? [] : [eventType])].join(' ')}`,
    `a=rtpmap:${payloadType} ${RTPMAPS[codec]}`,
    ...events,
    'a=ptime:20',
    'a=sendrecv',
    '',
  ].join('\r\n');
}

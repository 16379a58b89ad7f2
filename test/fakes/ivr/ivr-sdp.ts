import type { IvrFormat } from './ivr-media.ts';

export type DigitWay = 'events' | 'tones';

/** Reads an offer as far as a menu needs it. `digits`: whether it takes telephone-events, if they are offered. */
export function formatIn(offer: string, digits: DigitWay): IvrFormat | null {
  const host = /^c=IN IP4 (\S+)/m.exec(offer)?.[1];
  const [, port, types = ''] = /^m=audio (\d+) RTP\/AVP ([\d ]+)/m.exec(offer) ?? [];
  const law = types.split(' ').find((type) => type === '0' || type === '8');
  if (host === undefined || port === undefined || law === undefined) return null;
  const events = /^a=rtpmap:(\d+) telephone-event\/8000/m.exec(offer)?.[1];
  return {
    host,
    port: Number(port),
    law: law === '0' ? 'PCMU' : 'PCMA',
    eventType: events === undefined || digits === 'tones' ? null : Number(events),
  };
}

export function answerTo({ law, eventType }: IvrFormat, port: number): string {
  const type = law === 'PCMU' ? 0 : 8;
  const events =
    eventType === null ? [] : [`a=rtpmap:${eventType} telephone-event/8000`, `a=fmtp:${eventType} 0-15`];
  return [
    'v=0',
    `o=ivr ${port} 1 IN IP4 127.0.0.1`,
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port} RTP/AVP ${[type, ...(eventType === null ? [] : [eventType])].join(' ')}`,
    `a=rtpmap:${type} ${law}/8000`,
    ...events,
    'a=ptime:20',
    'a=sendrecv',
    '',
  ].join('\r\n');
}

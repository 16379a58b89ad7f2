import type { Fingerprint } from './dtls-authentication.ts';
import type { IceCredentials } from './ice-agent.ts';

const MAX_CHARS = 65_536;
const MAX_CANDIDATES = 32;
const MAX_FINGERPRINTS = 4;
const OPUS = /^(\d{1,3}) opus\/48000\/2$/i;
export const AUDIO_LEVEL = 'urn:ietf:params:rtp-hdrext:ssrc-audio-level';

/** What the other side's offer or answer (RFC 8866) says of the one stream of audio that matters here. */
export interface RemoteDescription {
  readonly credentials: IceCredentials;
  readonly isLite: boolean;
  readonly fingerprints: readonly Fingerprint[];
  /** The other side's part in the DTLS handshake (RFC 5763 section 5). */
  readonly setup: 'active' | 'passive' | 'actpass';
  /** Of Opus. */
  readonly payloadType: number;
  /** Number of the header extension that has the loudness (RFC 6464); null: there is none. */
  readonly levelExtension: number | null;
  /** The media of the description in its order. */
  readonly media: readonly Media[];
  /** Which of them it is. */
  readonly index: number;
  /** Candidates that are in the description. */
  readonly candidates: readonly string[];
}

export interface Media {
  /** `audio 9 UDP/TLS/RTP/SAVPF 111 63` */
  readonly line: string;
  readonly attributes: readonly Attribute[];
}

interface Attribute {
  readonly name: string;
  readonly value: string;
}

/** Reads an offer or an answer. Throws an Error that says what is wrong with it: the first stream of Opus has to be complete. */
export function readDescription(sdp: string): RemoteDescription {
  if (sdp.length > MAX_CHARS) throw new Error('the session description is too long');
  const { session, media } = split(sdp);
  const index = media.findIndex((each) => isOffered(each) && opusOf(each) !== null);
  const chosen = media[index];
  if (chosen === undefined) throw new Error('the session description has no Opus');
  const all = [...chosen.attributes, ...session];
  const find = (name: string): string | undefined => all.find((each) => each.name === name)?.value;
  const need = (name: string): string => {
    const value = find(name);
    if (!value) throw new Error(`the session description has no ${name}`);
    return value;
  };
  return {
    credentials: { usernameFragment: need('ice-ufrag'), password: need('ice-pwd') },
    isLite: session.some(({ name }) => name === 'ice-lite'),
    fingerprints: fingerprints(all),
    setup: readSetup(need('setup')),
    payloadType: opusOf(chosen)!,
    levelExtension: levelExtension(chosen),
    media,
    index,
    candidates: chosen.attributes
      .filter(({ name }) => name === 'candidate')
      .slice(0, MAX_CANDIDATES)
      .map(({ value }) => `candidate:${value}`),
  };
}

function split(sdp: string): { session: Attribute[]; media: Media[] } {
  const session: Attribute[] = [];
  const media: (Media & { attributes: Attribute[] })[] = [];
  for (const line of sdp.split(/\r\n|\r|\n/)) {
    if (line.startsWith('m=')) media.push({ line: line.slice(2), attributes: [] });
    if (!line.startsWith('a=')) continue;
    const [name = '', ...value] = line.slice(2).split(':');
    (media.at(-1)?.attributes ?? session).push({ name, value: value.join(':').trim() });
  }
  return { session, media };
}

function isOffered({ line }: Media): boolean {
  const [kind, port] = line.split(' ');
  return kind === 'audio' && port !== '0';
}

function opusOf({ attributes }: Media): number | null {
  for (const { name, value } of attributes) {
    const type = name === 'rtpmap' ? OPUS.exec(value)?.[1] : undefined;
    if (type !== undefined && Number(type) < 128) return Number(type);
  }
  return null;
}

function fingerprints(attributes: readonly Attribute[]): Fingerprint[] {
  const values = attributes.filter(({ name }) => name === 'fingerprint').slice(0, MAX_FINGERPRINTS);
  if (values.length === 0) throw new Error('the session description has no fingerprint');
  return values.map(({ value }) => {
    const [algorithm = '', hash = ''] = value.split(' ');
    return { algorithm, value: hash };
  });
}

function readSetup(value: string): RemoteDescription['setup'] {
  if (value === 'active' || value === 'passive' || value === 'actpass') return value;
  throw new Error(`the session description has a=setup:${value}`);
}

function levelExtension({ attributes }: Media): number | null {
  const offered = attributes.find(
    ({ name, value }) => name === 'extmap' && value.split(' ')[1] === AUDIO_LEVEL,
  );
  const id = offered === undefined ? Number.NaN : Number.parseInt(offered.value, 10);
  // RFC 8285 section 4.2: what a one-byte header can say.
  return id >= 1 && id <= 14 ? id : null;
}

/** Its name in the session (RFC 5888). */
export function midOf({ attributes }: Media): string | undefined {
  return attributes.find(({ name }) => name === 'mid')?.value;
}

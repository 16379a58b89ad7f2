import type { Fingerprint } from './dtls-authentication.ts';
import type { IceCredentials } from './ice-agent.ts';
import { AUDIO_LEVEL, type Media, midOf, type RemoteDescription } from './remote-description.ts';

/** What our own descriptions say of us. */
export interface LocalDescription {
  readonly credentials: IceCredentials;
  readonly fingerprint: Fingerprint;
  readonly candidates: readonly string[];
  readonly ssrc: number;
  readonly cname: string;
}

const OUR_PAYLOAD_TYPE = 111;
export const OUR_MID = '0';

/** Offers one stream of Opus from us. */
export function writeOffer(local: LocalDescription): string {
  return write(OUR_MID, [
    ...audio({ local, mid: OUR_MID, payloadType: OUR_PAYLOAD_TYPE, setup: 'actpass', direction: 'sendonly' }),
    `a=msid:${local.cname} ${local.cname}`,
    `a=ssrc:${local.ssrc} cname:${local.cname}`,
  ]);
}

/** Takes the stream of Opus of an offer and nothing else. Our part in the handshake is `setup`. */
export function writeAnswer(
  local: LocalDescription,
  { media, index, payloadType, levelExtension: level }: RemoteDescription,
  setup: 'active' | 'passive',
): string {
  const mid = midOf(media[index]!) ?? OUR_MID;
  const taken = audio({ local, mid, payloadType, setup, direction: 'recvonly' });
  const extension = level === null ? [] : [`a=extmap:${level} ${AUDIO_LEVEL}`];
  return write(
    mid,
    media.flatMap((each, at) => (at === index ? [...taken, ...extension] : refuse(each))),
  );
}

function write(mid: string, media: readonly string[]): string {
  const session = ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 't=0 0', `a=group:BUNDLE ${mid}`];
  return [...session, ...media, ''].join('\r\n');
}

interface Audio {
  readonly local: LocalDescription;
  readonly mid: string;
  readonly payloadType: number;
  readonly setup: RemoteDescription['setup'];
  readonly direction: 'sendonly' | 'recvonly';
}

function audio({ local, mid, payloadType, setup, direction }: Audio): string[] {
  const { credentials, fingerprint, candidates } = local;
  return [
    `m=audio 9 UDP/TLS/RTP/SAVPF ${payloadType}`,
    'c=IN IP4 0.0.0.0',
    `a=mid:${mid}`,
    `a=${direction}`,
    'a=rtcp-mux',
    `a=ice-ufrag:${credentials.usernameFragment}`,
    `a=ice-pwd:${credentials.password}`,
    'a=ice-options:trickle',
    `a=fingerprint:${fingerprint.algorithm} ${fingerprint.value}`,
    `a=setup:${setup}`,
    `a=rtpmap:${payloadType} opus/48000/2`,
    `a=fmtp:${payloadType} minptime=10;useinbandfec=1`,
    ...candidates.map((candidate) => `a=${candidate}`),
  ];
}

/** RFC 3264 section 6: a port of 0. */
function refuse(media: Media): string[] {
  const [kind = '', , ...rest] = media.line.split(' ');
  const mid = midOf(media);
  return [
    `m=${kind} 0 ${rest.join(' ')}`,
    'c=IN IP4 0.0.0.0',
    ...(mid === undefined ? [] : [`a=mid:${mid}`]),
    'a=inactive',
  ];
}

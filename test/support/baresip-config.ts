import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCertificate } from './certificate.ts';
import { tone } from './tone.ts';
import { writeWav } from './wav.ts';

/** Its `audio_codecs`, by our names. */
export type PhoneCodec = 'PCMU' | 'PCMA' | 'G722' | 'opus';

export interface BaresipOptions {
  /** User part of the address; the authentication user too. */
  readonly user: string;
  /** Registers here; absent: reachable at `sip:user@127.0.0.1:<sipPort>` only. */
  readonly registrar?: { readonly host: string; readonly port: number; readonly password: string };
  /** Seconds between REGISTERs with a registrar. */
  readonly registerIntervalS?: number;
  /** `early`: it describes itself and listens at once, and sends audio once it is told to answer. */
  readonly answer?: 'manual' | 'auto' | 'early';
  /** In order of preference. */
  readonly codecs?: readonly PhoneCodec[];
  readonly transport?: 'udp' | 'tcp' | 'tls';
  /** Mandatory SDES-SRTP. */
  readonly srtp?: boolean;
  /** What the microphone picks up; the default is a tone of 440 Hz for two minutes. */
  readonly source?: { readonly toneHz: number } | { readonly wavPath: string };
  /** Seconds after which it ends by itself; ten minutes unless told otherwise. */
  readonly lifetimeS?: number;
}

export interface BaresipPorts {
  readonly sip: number;
  readonly control: number;
  readonly rtpMin: number;
  readonly rtpMax: number;
}

const MODULES = '/usr/lib/baresip/modules';
/** A device of baresip's own, which can be its microphone at the same time. */
export const LOUDSPEAKER = 'aubridge,sink';
const SOURCE_SECONDS = 120;
const CODEC_NAMES = { PCMU: 'pcmu', PCMA: 'pcma', G722: 'g722/16000/1', opus: 'opus/48000/1' } as const;
/** Enough for speech; its own default is 28 kbit/s for music. */
const OPUS = ['opus_stereo no', 'opus_sprop_stereo no', 'opus_bitrate 32000', 'opus_inbandfec yes'];

/** The rate of its microphone and loudspeaker: the highest of its codecs. */
export function phoneRateHz({ codecs = [] }: Pick<BaresipOptions, 'codecs'>): number {
  if (codecs.includes('opus')) return 48_000;
  return codecs.includes('G722') ? 16_000 : 8_000;
}

/** Writes the directory that `baresip -f` reads; recordings will appear in its `rec`. */
export function writeBaresipFolder(folder: string, options: BaresipOptions, ports: BaresipPorts): void {
  mkdirSync(join(folder, 'rec'));
  writeFileSync(join(folder, 'contacts'), '');
  writeFileSync(join(folder, 'accounts'), `${account(options, ports)}\n`);
  writeFileSync(join(folder, 'config'), config(folder, sourceWav(folder, options), options, ports));
}

function sourceWav(folder: string, options: BaresipOptions): string {
  const source = options.source ?? { toneHz: 440 };
  if ('wavPath' in source) return source.wavPath;
  const path = join(folder, 'source.wav');
  const sampleRateHz = phoneRateHz(options);
  const channels = [tone(source.toneHz, sampleRateHz, sampleRateHz * SOURCE_SECONDS)];
  writeWav(path, { sampleRateHz, channels });
  return path;
}

function account(options: BaresipOptions, ports: BaresipPorts): string {
  const { user, registrar } = options;
  const host = registrar ? `${registrar.host}:${registrar.port}` : `127.0.0.1:${ports.sip}`;
  const codecs = (options.codecs ?? ['PCMU', 'PCMA']).map((codec) => CODEC_NAMES[codec]);
  return [
    `<sip:${user}@${host};transport=${options.transport ?? 'udp'}>`,
    `regint=${registrar ? (options.registerIntervalS ?? 60) : 0}`,
    ...(registrar ? [`auth_user=${user}`, `auth_pass=${registrar.password}`] : []),
    `audio_codecs=${codecs.join(',')}`,
    `answermode=${options.answer ?? 'manual'}`,
    ...(options.srtp ? ['mediaenc=srtp-mand'] : []),
  ].join(';');
}

function config(folder: string, source: string, options: BaresipOptions, ports: BaresipPorts): string {
  // baresip listens for TLS one port above `sip_listen`.
  const tls = options.transport === 'tls' ? [`sip_certificate ${makeCertificate(folder).pemPath}`] : [];
  const opus = options.codecs?.includes('opus') ?? false;
  const g722 = options.codecs?.includes('G722') ?? false;
  const modules = ['g711', 'aufile', 'aubridge', 'sndfile', ...(options.srtp ? ['srtp'] : [])];
  return `${[
    `sip_listen 127.0.0.1:${options.transport === 'tls' ? ports.sip - 1 : ports.sip}`,
    ...tls,
    'net_interface 127.0.0.1',
    `audio_player ${LOUDSPEAKER}`,
    `audio_source aufile,${source}`,
    'audio_alert aubridge,alert',
    `ausrc_srate ${phoneRateHz(options)}`,
    `auplay_srate ${phoneRateHz(options)}`,
    'ausrc_channels 1',
    'auplay_channels 1',
    `rtp_ports ${ports.rtpMin}-${ports.rtpMax}`,
    'statmode_default off',
    `module_path ${MODULES}`,
    ...[...modules, ...(g722 ? ['g722'] : []), ...(opus ? ['opus'] : [])].map((name) => `module ${name}.so`),
    ...(opus ? OPUS : []),
    'module_tmp uuid.so',
    'module_tmp account.so',
    'module_app menu.so',
    'module_app ctrl_tcp.so',
    `ctrl_tcp_listen 127.0.0.1:${ports.control}`,
    `snd_path ${join(folder, 'rec')}`,
  ].join('\n')}\n`;
}

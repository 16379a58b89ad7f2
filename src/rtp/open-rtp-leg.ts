import type { OpenMediaLeg } from '../media/media-leg.ts';
import { loadMediaIo } from '../native/media-io.ts';
import { openLibOpus } from './codecs/open-libopus.ts';
import { VoiceCodecs } from './codecs/voice-codecs.ts';
import { PacketLeg } from './packet-leg.ts';
import { NativeIo } from './paths/native-sockets.ts';
import type { SocketIo } from './paths/packet-path.ts';
import { portableIo } from './paths/portable-sockets.ts';
import { RtpLeg } from './rtp-leg.ts';
import type {
  PacketConfig,
  PacketOpen,
  RtpCommands,
  RtpConfig,
  RtpOpen,
  VoiceSignal,
} from './rtp-protocol.ts';

/**
 * Returns this thread's media I/O: native where it is built, unless `kind` is `portable`. Throws when `kind` is
 * `native` and the module cannot be loaded.
 */
export function mediaIo(kind: 'auto' | 'native' | 'portable'): SocketIo {
  if (kind === 'portable') return portableIo;
  const binding = loadMediaIo();
  if (typeof binding !== 'string') return new NativeIo(binding);
  if (kind === 'native') throw new Error(`native media I/O cannot be loaded: ${binding}`);
  return portableIo;
}

/** Returns the codecs of this worker. `onOpus` receives the name of the libopus in use once the worker needs one. */
export function voiceCodecsFor(
  kind: SocketIo['kind'],
  onOpus: (library: string) => void = () => {},
  maxJitterDelayMs?: number,
): VoiceCodecs {
  return new VoiceCodecs(() => {
    const opus = openLibOpus(kind);
    onOpus(opus.library);
    return opus;
  }, maxJitterDelayMs);
}

/** Returns the function that opens RTP legs over sockets on this worker. */
export function rtpLegsOver(
  io: SocketIo,
  codecs: VoiceCodecs,
): OpenMediaLeg<RtpOpen, RtpConfig, RtpCommands> {
  return async (open, memory, host) => {
    codecs.prepareFor(open.sampleRateHz);
    return new RtpLeg(await io.open(open), { codecs, roomRateHz: open.sampleRateHz, memory }, host);
  };
}

/** Returns the function that opens RTP legs over packet rings on this worker. */
export function packetLegsWith(
  codecs: VoiceCodecs,
): OpenMediaLeg<PacketOpen, PacketConfig, Record<never, never>, VoiceSignal> {
  return async (open, memory, host) => {
    codecs.prepareFor(open.sampleRateHz);
    return new PacketLeg(open, codecs, memory, host);
  };
}

import { type LibOpus, MAX_OPUS_FRAME_SAMPLES, MAX_OPUS_PACKET_BYTES } from '../audio/libopus.ts';
import { WasmOpus } from '../audio/opus-wasm.ts';
import type { OpenMediaLeg } from '../connectors/contract/media-leg.ts';
import { loadMediaIo } from '../native/media-io.ts';
import { loadOpus } from '../native/opus.ts';
import { VoiceCodecs } from './codecs/voice-codecs.ts';
import { NativeIo } from './paths/native-sockets.ts';
import type { SocketIo } from './paths/packet-path.ts';
import { portableIo } from './paths/portable-sockets.ts';
import { RtpLeg } from './rtp-leg.ts';
import type { RtpCommands, RtpConfig, RtpOpen } from './rtp-protocol.ts';

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

/** Returns the native libopus where it is built, and the WebAssembly one otherwise and with portable I/O. */
function libOpus(kind: SocketIo['kind']): LibOpus {
  if (kind === 'portable') return new WasmOpus();
  const native = loadOpus(MAX_OPUS_PACKET_BYTES, MAX_OPUS_FRAME_SAMPLES);
  return typeof native === 'string' ? new WasmOpus() : native;
}

/**
 * Returns the function that opens RTP legs on this worker. `onOpus` receives the name of the libopus in use once the
 * worker needs one.
 */
export function rtpLegsOver(
  io: SocketIo,
  onOpus: (library: string) => void = () => {},
): OpenMediaLeg<RtpOpen, RtpConfig, RtpCommands> {
  const codecs = new VoiceCodecs(() => {
    const opus = libOpus(io.kind);
    onOpus(opus.library);
    return opus;
  });
  return async (open, memory, host) => {
    codecs.prepareFor(open.sampleRateHz);
    return new RtpLeg(await io.open(open), { codecs, roomRateHz: open.sampleRateHz, memory }, host);
  };
}

import { type LibOpus, MAX_OPUS_FRAME_SAMPLES, MAX_OPUS_PACKET_BYTES } from '../../../audio/libopus.ts';
import { WasmOpus } from '../../../audio/opus-wasm.ts';
import { loadMediaIo } from '../../../native/media-io.ts';
import { loadOpus } from '../../../native/opus.ts';
import type { OpenMediaLeg } from '../../contract/media-leg.ts';
import type { SipMediaOpen } from '../media-protocol.ts';
import { VoiceCodecs } from './codecs/voice-codecs.ts';
import { SipMediaLeg } from './sip-media-leg.ts';
import type { SocketIo } from './sockets/media-sockets.ts';
import { NativeIo } from './sockets/native-sockets.ts';
import { portableIo } from './sockets/portable-sockets.ts';

/** This thread's media I/O: native where it was built, unless `kind` says otherwise; throws when it must and cannot. */
export function mediaIo(kind: 'auto' | 'native' | 'portable'): SocketIo {
  if (kind === 'portable') return portableIo;
  const binding = loadMediaIo();
  if (typeof binding !== 'string') return new NativeIo(binding);
  if (kind === 'native') throw new Error(`native media I/O cannot be loaded: ${binding}`);
  return portableIo;
}

/** Where native I/O is done without, native Opus is too. */
function libOpus(kind: SocketIo['kind']): LibOpus {
  if (kind === 'portable') return new WasmOpus();
  const native = loadOpus(MAX_OPUS_PACKET_BYTES, MAX_OPUS_FRAME_SAMPLES);
  return typeof native === 'string' ? new WasmOpus() : native;
}

/**
 * Opens the media half of a SIP leg on this worker; `open` is a SipMediaOpen. `onOpus` is told which libopus the worker
 * uses, once it needs one.
 */
export function sipMediaOver(io: SocketIo, onOpus: (library: string) => void = () => {}): OpenMediaLeg {
  const codecs = new VoiceCodecs(() => {
    const opus = libOpus(io.kind);
    onOpus(opus.library);
    return opus;
  });
  return async (open, memory, host) => {
    const ports = open as SipMediaOpen;
    codecs.prepareFor(ports.sampleRateHz);
    return new SipMediaLeg(await io.open(ports), { codecs, roomRateHz: ports.sampleRateHz, memory }, host);
  };
}

import { PacketPort } from '../../../src/rings/packet-port.ts';
import { PcmPort } from '../../../src/rings/pcm-port.ts';
import type { LoopbackOpen } from './loopback-protocol.ts';

const SAMPLE_RATE_HZ = 48_000;
const VOICE_BYTES = 2;

/** Carries audio between the vendor's binary messages and a call's rings. */
export interface MediaPort {
  /** Takes a message of the vendor. */
  receive(message: ArrayBuffer): void;
  /** Calls `send` with each message for the vendor. */
  listen(send: (message: Uint8Array<ArrayBuffer>) => void): void;
  close(): void;
}

export function openMediaPort(media: LoopbackOpen['media']): MediaPort {
  return media.kind === 'pcm' ? pcmPort(new PcmPort(media.rings)) : packetPort(new PacketPort(media.rings));
}

/** The vendor puts the number of the voice (uint16) before its PCM, and takes ours without one. */
function pcmPort(port: PcmPort): MediaPort {
  return {
    receive: (message) => {
      const [voice = 0] = new Uint16Array(message, 0, 1);
      port.say(voice, new Int16Array(message, VOICE_BYTES), SAMPLE_RATE_HZ);
    },
    listen: (send) => port.listen((pcm) => send(Uint8Array.from(pcm))),
    close: () => port.close(),
  };
}

/** RTP packets go through as they are. */
function packetPort(port: PacketPort): MediaPort {
  return {
    receive: (message) => void port.receive(new Uint8Array(message)),
    listen: (send) =>
      port.listen(({ bytes, start, end }) => send(Uint8Array.from(bytes.subarray(start, end)))),
    close: () => port.close(),
  };
}

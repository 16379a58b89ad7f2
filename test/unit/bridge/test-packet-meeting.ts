import { decodeUlaw } from '../../../src/audio/g711.ts';
import { OpusDecoder } from '../../../src/audio/opus.ts';
import { WasmOpus } from '../../../src/audio/opus-wasm.ts';
import type { PacketRings } from '../../../src/media/packet-media.ts';
import type { Transport, TransportProtocol } from '../../../src/media/transport.ts';
import { PacketPort } from '../../../src/rings/packet-port.ts';
import { RtpPacket } from '../../../src/rtp/rtp-packet.ts';
import { PacketStream, STREAM_CODECS } from '../../support/packet-stream.ts';
import type { MeetingCommands } from './test-meeting.ts';

export interface PacketMeetingOpen {
  readonly rings: PacketRings;
  /** The tone of each source, in Hz. */
  readonly tonesHz: readonly number[];
  readonly codec: 'PCMU' | 'opus';
}

/** A meeting in which every source sends a steady tone as an RTP stream. */
export const PACKET_MEETING: TransportProtocol<PacketMeetingOpen, MeetingCommands, never> = {
  kind: 'packet-meeting',
  recovery: 'resume',
};

export const FIRST_SSRC = 0xdead_0001;

const FRAME_MS = 20;

export async function openPacketMeeting({
  rings,
  tonesHz,
  codec,
}: PacketMeetingOpen): Promise<Transport<MeetingCommands>> {
  const port = new PacketPort(rings);
  const streams = tonesHz.map((toneHz, i) => new PacketStream({ ssrc: FIRST_SSRC + i, toneHz, codec }));
  const startMs = performance.now();
  let said = 0;
  const talking = setInterval(() => {
    for (const due = (performance.now() - startMs) / FRAME_MS; said < due; said++) {
      for (const stream of streams) port.receive(stream.next());
    }
  }, FRAME_MS);
  const packet = new RtpPacket();
  const decode = decoderOf(codec);
  const frame = new Int16Array((STREAM_CODECS[codec].clockRateHz * FRAME_MS) / 1000);
  const heard: number[] = [];
  port.listen(({ bytes, start, end }) => {
    if (!packet.read(bytes, start, end)) throw new Error('what the leg sends is not RTP');
    decode(packet, frame);
    for (const sample of frame) heard.push(sample);
  });
  return {
    commands: { heard: async () => Int16Array.from(heard.splice(0)) },
    close: () => {
      clearInterval(talking);
      port.close();
    },
  };
}

function decoderOf(codec: PacketMeetingOpen['codec']): (packet: RtpPacket, frame: Int16Array) => void {
  if (codec === 'PCMU')
    return ({ bytes, payloadOffset, payloadLength }, frame) => {
      decodeUlaw(bytes, payloadOffset, payloadLength, frame);
    };
  const decoder = new OpusDecoder(new WasmOpus(), 48_000);
  return (packet, frame) => {
    decoder.decode(packet, frame, 0, frame.length);
  };
}

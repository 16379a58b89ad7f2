import type { PcmRings } from '../../../src/media/pcm-media.ts';
import type { Transport, TransportProtocol } from '../../../src/media/transport.ts';
import { PcmPort } from '../../../src/rings/pcm-port.ts';
import { Tone } from '../../support/tone.ts';

export interface MeetingCommands {
  /** Everything that the platform heard since the last time, at the rate of the room. */
  heard(): Int16Array;
}

export interface MeetingOpen {
  readonly rings: PcmRings;
  /** The tone of each voice, in Hz. */
  readonly tonesHz: readonly number[];
  readonly sampleRateHz: number;
}

/** A meeting in which every voice plays a steady tone. */
export const MEETING: TransportProtocol<MeetingOpen, MeetingCommands, never> = {
  kind: 'meeting',
  recovery: 'resume',
};

const FRAME_MS = 20;

export async function openMeeting({
  rings,
  tonesHz,
  sampleRateHz,
}: MeetingOpen): Promise<Transport<MeetingCommands>> {
  const port = new PcmPort(rings);
  const tones = tonesHz.map((hz) => new Tone(hz, sampleRateHz, 0.2));
  const frame = new Int16Array((sampleRateHz * FRAME_MS) / 1000);
  const startMs = performance.now();
  let said = 0;
  const talking = setInterval(() => {
    for (const due = (performance.now() - startMs) / FRAME_MS; said < due; said++) {
      for (const [voice, tone] of tones.entries()) {
        tone.fill(frame);
        port.say(voice, frame, sampleRateHz);
      }
    }
  }, FRAME_MS);
  let heard: Uint8Array[] = [];
  port.listen((pcm) => heard.push(Uint8Array.from(pcm)));
  return {
    commands: {
      heard: async () => {
        const bytes = Buffer.concat(heard);
        heard = [];
        return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2).slice();
      },
    },
    close: () => {
      clearInterval(talking);
      port.close();
    },
  };
}

import { workerData } from 'node:worker_threads';
import { EngineWorker } from '../../src/engine/engine-worker.ts';
import { openPcmLeg } from '../../src/engine/pcm-leg.ts';
import { type MediaLeg, mediaLegFactory } from '../../src/media/media-leg.ts';
import { mediaIo, packetLegsWith, rtpLegsOver, voiceCodecsFor } from '../../src/rtp/open-rtp-leg.ts';
import { RTP_MEDIA } from '../../src/rtp/rtp-protocol.ts';
import type { CallOutcome, CallPlacement, EngineThreadOptions } from '../../src/threads/protocol.ts';
import { Crossings } from './crossings.ts';
import { WATCHED_PACKETS, WATCHED_PCM } from './protocols.ts';

const io = mediaIo((workerData as EngineThreadOptions).mediaIo);
const codecs = voiceCodecsFor(io.kind);
const openPacketLeg = packetLegsWith(codecs);

/** The leg with a look at the clock before each tick pulls it and before each push once it sends. */
function watched<Config, Commands>(
  leg: MediaLeg<Config, Commands>,
  memory: SharedArrayBuffer,
  startsSending: boolean,
): MediaLeg<Config, Commands> {
  const crossings = new Crossings(memory);
  let isSending = startsSending;
  const [first, ...others] = leg.voices;
  const pull = (frame: Int16Array): boolean => {
    crossings.pull();
    return first?.pull(frame) ?? false;
  };
  return {
    sampleRateHz: leg.sampleRateHz,
    resting: leg.resting,
    onHold: leg.onHold,
    voices: [{ pull }, ...others],
    commands: leg.commands,
    get counters() {
      return leg.counters;
    },
    configure: (config) => {
      leg.configure(config);
      isSending = true;
    },
    push: (frame, voiced) => {
      if (!isSending) return;
      crossings.push(() => {
        const { unsent } = leg.counters;
        leg.push(frame, voiced);
        return leg.counters.unsent === unsent;
      });
    },
    close: () => leg.close(),
  };
}

const worker = new EngineWorker(
  [
    mediaLegFactory(RTP_MEDIA, rtpLegsOver(io, codecs)),
    mediaLegFactory(WATCHED_PACKETS, async (open, memory, host) =>
      watched(await openPacketLeg(open, memory, host), open.crossings, false),
    ),
    mediaLegFactory(WATCHED_PCM, async ({ rings, crossings }) =>
      watched(await openPcmLeg(rings), crossings, true),
    ),
  ],
  io,
  codecs,
);

export function holdCall(placement: CallPlacement): Promise<CallOutcome> {
  return worker.run(placement);
}

import { FRAME_MS, frameSamples } from '../../src/base/frame.ts';
import { startMediaClock } from '../../test/support/media-clock.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { joinCall } from './agent.ts';
import { AGENT_RATE_HZ, type Part } from './script.ts';
import { Track } from './track.ts';
import type { ShownCall } from './two-gateways.ts';

const WARM_UP_FRAMES = 25;
/** Listening goes on for this long after the last word. */
const TAIL_MS = 400;

/** One end of the call: what its agent says, and the tracks of what it has sent and heard. */
export class Party {
  readonly part: Part;
  readonly sent = new Track(AGENT_RATE_HZ);
  readonly heard = new Track(AGENT_RATE_HZ);
  /** What the gateway complained about. */
  readonly complaints: string[] = [];
  readonly #agent: ReturnType<typeof joinCall>;
  #heardFrames = 0;
  #recording = false;

  constructor(call: ShownCall, agentKey: string, part: Part) {
    this.part = part;
    this.#agent = joinCall(
      call,
      agentKey,
      (pcm) => this.#hear(pcm),
      (event) => {
        if (event.type === 'call_error') this.complaints.push(JSON.stringify(event));
      },
    );
  }

  get lengthFrames(): number {
    return this.part.samples.length / frameSamples(AGENT_RATE_HZ);
  }

  async ready(): Promise<void> {
    await waitFor('audio from the gateway', () => this.#heardFrames >= WARM_UP_FRAMES);
  }

  record(on: boolean): void {
    this.#recording = on;
  }

  /** Says one frame of its part. */
  speak(index: number): void {
    const lengthSamples = frameSamples(AGENT_RATE_HZ);
    const samples = new Int16Array(
      this.part.samples.slice(index * lengthSamples, (index + 1) * lengthSamples),
    );
    this.sent.add(samples);
    this.#agent.speak(samples);
  }

  #hear(samples: Int16Array): void {
    this.#heardFrames += 1;
    if (this.#recording) this.heard.add(samples);
  }
}

/** Both speak and listen at the same time, a frame every 20 ms, until both have said all. */
export async function converse(
  parties: readonly Party[],
  progress: (elapsedMs: number, lengthMs: number) => void,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(parties.map((party) => party.ready()));
  signal.throwIfAborted();
  for (const party of parties) party.record(true);
  const lengthFrames = Math.max(...parties.map((party) => party.lengthFrames));
  await new Promise<void>((resolve, reject) => {
    const clock = startMediaClock((index) => {
      for (const party of parties) if (index < party.lengthFrames) party.speak(index);
      progress(index * FRAME_MS, lengthFrames * FRAME_MS);
      if (index * FRAME_MS >= lengthFrames * FRAME_MS + TAIL_MS) end(resolve);
    });
    const end = (settle: () => void) => {
      clock.stop();
      settle();
    };
    signal.addEventListener('abort', () => end(() => reject(signal.reason)));
  });
  for (const party of parties) party.record(false);
}

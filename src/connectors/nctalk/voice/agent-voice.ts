import { isOpusPause } from '../../../audio/opus-packet.ts';
import { RTP_HEADER_BYTES } from '../../../rtp/rtp-packet.ts';
import type { ClearPacket } from '../../../webrtc/peer-connection.ts';

/**
 * In a pause the encoder's packets say nothing but that. Browsers then send one every 400 ms, and so listeners know a pause from
 * a loss.
 */
const PAUSE_PACKETS = 20;
/** The first ones are sent, so that the end of speech is not lost with one packet. */
const FIRST_PAUSE_PACKETS = 3;

/** Chooses of what the engine sends every 20 ms, also while the agent is silent, what has to be sent. */
export class AgentVoice {
  #pause = 0;

  isNeeded({ start, end }: ClearPacket): boolean {
    const isPause = isOpusPause(end - start - RTP_HEADER_BYTES);
    this.#pause = isPause ? this.#pause + 1 : 0;
    return this.#pause <= FIRST_PAUSE_PACKETS || this.#pause % PAUSE_PACKETS === 0;
  }
}

import { unreachable } from '../../base/assert.ts';
import type { Capability } from '../../base/platform.ts';
import type { CallActor } from '../../calls/call-actor.ts';
import type { AgentEnd, AgentSeat } from '../../threads/engine.ts';
import type { StreamRequest } from '../schema/stream.ts';
import type { FromAudio, ToAudio } from './audio-halves.ts';
import type { CallRequest } from './stream-audio.ts';

export interface RemoteAudioDeps {
  readonly call: CallActor;
  readonly post: (message: ToAudio) => void;
  readonly failed: (code: string) => void;
  readonly interimDropped: () => void;
}

/** The audio of a call WebSocket whose connection is on another thread, as the main thread sees it. */
export class RemoteAudio implements AgentEnd {
  readonly #deps: RemoteAudioDeps;
  #seat: AgentSeat | null = null;
  #isClosed = false;

  constructor(deps: RemoteAudioDeps) {
    this.#deps = deps;
  }

  offer(capabilities: readonly Capability[]): void {
    this.#deps.post({ type: 'offer', capabilities });
  }

  /** The other half has carried out what is about audio. */
  take(request: StreamRequest): CallRequest | null {
    return request.type === 'say' || request.type === 'send_chat' || request.type === 'transcript_config'
      ? request
      : null;
  }

  close(): void {
    this.#isClosed = true;
    this.#seat?.leave();
    this.#seat = null;
  }

  /** A message of the other half. */
  heard(message: FromAudio): void {
    switch (message.type) {
      case 'join': {
        const { uplink, bell } = message;
        if (!this.#isClosed) this.#seat = this.#deps.call.seatAgent(this, { uplink, bell });
        return;
      }
      case 'clear':
        return this.#seat?.clear(message.point);
      case 'hold':
        return this.#seat?.hold(message.isHeld);
      case 'listen':
        return this.#seat?.listen(message.downlink);
      case 'failed':
        return this.#deps.failed(message.code);
      case 'interim_dropped':
        return this.#deps.interimDropped();
      default:
        return unreachable(message);
    }
  }

  /** AgentEnd: the engine rings the other thread. */
  doorbell(): void {}

  placed(slot: number): void {
    this.#deps.post({ type: 'placed', slot });
  }

  marked(markId: number): void {
    this.#deps.post({ type: 'marked', markId });
  }

  held(isHeld: boolean, playedMs: number): void {
    this.#deps.post({ type: 'held', isHeld, playedMs });
  }

  cleared(playedMs: number, droppedMs: number): void {
    this.#deps.post({ type: 'cleared', playedMs, droppedMs });
  }
}

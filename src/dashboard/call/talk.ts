import { type Signal, signal } from '@preact/signals';
import { changes, socketUrl } from '../api/request.ts';
import { CallAudio } from './call-audio.ts';

/** The call between this browser and an agent; null: there is none. */
export const talk = signal<Talk | null>(null);

/** A call to an agent from here, which goes on while pages change. */
export class Talk {
  readonly agentName: string;
  /** Of the agent's voice, from 0 to 1. */
  readonly level: Signal<number>;
  readonly isMuted = signal(false);
  readonly callId: string;
  readonly #audio: CallAudio;
  readonly #socket: WebSocket;

  private constructor(agentName: string, callId: string, audio: CallAudio, socket: WebSocket) {
    this.agentName = agentName;
    this.callId = callId;
    this.level = audio.level;
    this.#audio = audio;
    this.#socket = socket;
  }

  /**
   * Calls an agent, and resolves when it rings there. Call it when a button is pressed. Throws when the microphone or the
   * call is refused.
   */
  static async begin(agent: { readonly id: string; readonly name: string }): Promise<Talk> {
    let said: (pcm: Int16Array) => void = () => {};
    const audio = await CallAudio.open((pcm) => said(pcm));
    try {
      await audio.openMicrophone();
      const path = `/api/agents/${encodeURIComponent(agent.id)}/talk?sample_rate=${audio.sampleRateHz}`;
      const socket = new WebSocket(socketUrl(path));
      socket.binaryType = 'arraybuffer';
      const callId = await ringing(socket);
      const begun = new Talk(agent.name, callId, audio, socket);
      said = (pcm) => !begun.isMuted.peek() && socket.send(pcm as Int16Array<ArrayBuffer>);
      socket.onmessage = ({ data }) => audio.play(data as ArrayBuffer);
      socket.onclose = () => begun.#over();
      talk.peek()?.hangUp();
      talk.value = begun;
      return begun;
    } catch (error) {
      await audio.close();
      throw error;
    }
  }

  hangUp(): void {
    this.#socket.close();
    this.#over();
  }

  #over(): void {
    this.#socket.onclose = null;
    if (talk.peek() === this) talk.value = null;
    void this.#audio.close();
    changes.value += 1;
  }
}

/** Resolves with the id of the call once it rings. */
function ringing(socket: WebSocket): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.onmessage = ({ data }) => resolve((JSON.parse(data) as { call_id: string }).call_id);
    socket.onclose = ({ reason }) => reject(new Error(reason));
  });
}

import { type Signal, signal } from '@preact/signals';
import { t } from '../pages/call.texts.ts';
import workletFile from './call-audio.worklet.js';

/** The gateway converts no more. */
const HIGHEST_RATE_HZ = 48_000;

/** Of the shown level, with each frame that is quieter. */
const DECAY = 0.85;

/** The loudspeaker and the microphone of this browser, for one call. */
export class CallAudio {
  readonly #context: AudioContext;
  readonly #node: AudioWorkletNode;
  /** Of what is heard, from 0 to 1. */
  readonly level: Signal<number> = signal(0);
  /** Null: nobody is heard from here. */
  readonly microphone: Signal<MediaStream | null> = signal(null);

  private constructor(context: AudioContext, node: AudioWorkletNode, send: (pcm: Int16Array) => void) {
    this.#context = context;
    this.#node = node;
    node.port.onmessage = ({ data }) => {
      if (this.microphone.peek() !== null) send(data as Int16Array);
    };
  }

  /**
   * Starts to play. Call it when a button is pressed: browsers allow no sound otherwise. `send` takes 20 ms of the
   * microphone at a time.
   */
  static async open(send: (pcm: Int16Array) => void): Promise<CallAudio> {
    if (!isSecureContext) throw new Error(t.needsHttps);
    let context = new AudioContext({ latencyHint: 'interactive' });
    if (context.sampleRate > HIGHEST_RATE_HZ) {
      await context.close();
      context = new AudioContext({ latencyHint: 'interactive', sampleRate: HIGHEST_RATE_HZ });
    }
    await context.audioWorklet.addModule(new URL(workletFile, import.meta.url));
    const node = new AudioWorkletNode(context, 'call-audio', { numberOfInputs: 1, outputChannelCount: [1] });
    node.connect(context.destination);
    // Without a loudspeaker this never ends, and the level is shown all the same.
    void context.resume();
    return new CallAudio(context, node, send);
  }

  get sampleRateHz(): number {
    return this.#context.sampleRate;
  }

  /** Plays a frame of 16-bit PCM in this sample rate. */
  play(bytes: ArrayBuffer): void {
    const pcm = new Int16Array(bytes);
    let peak = 0;
    for (const sample of pcm) peak = Math.max(peak, Math.abs(sample));
    this.level.value = Math.max(peak / 32_768, this.level.peek() * DECAY);
    this.#node.port.postMessage(pcm, [bytes]);
  }

  /** Speaks from now on. Throws when the person or the browser refuses the microphone. */
  async openMicrophone(): Promise<void> {
    const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
    const asked = navigator.mediaDevices.getUserMedia({ audio });
    const microphone = await asked.catch(({ name, message }: DOMException) => {
      throw new Error(t.microphoneFaults[name] ?? message);
    });
    this.microphone.value = microphone;
    // Somebody may have hung up while the browser asked for it.
    if (this.#context.state === 'closed') return this.closeMicrophone();
    // It is unplugged, or no longer allowed.
    for (const track of microphone.getTracks()) track.onended = () => this.closeMicrophone();
    this.#context.createMediaStreamSource(microphone).connect(this.#node);
  }

  closeMicrophone(): void {
    for (const track of this.microphone.peek()?.getTracks() ?? []) track.stop();
    this.microphone.value = null;
  }

  async close(): Promise<void> {
    this.closeMicrophone();
    await this.#context.close();
  }
}

/** Frames of the call WebSocket, in ms. */
const FRAME_MS = 20;
/** Playing begins with this much, so that a late frame leaves no gap; after each gap with a frame more, up to a limit. */
const FIRST_START_MS = 40;
const LAST_START_MS = 120;
/** More than this is dropped, oldest first: what is heard must not fall behind the call. */
const MOST_MS = 240;

/**
 * Plays the PCM that arrives on its port as `Int16Array`, and posts that of the microphone, 20 ms at a time, with its
 * level. Both have the sample rate of the context.
 */
class CallAudio extends AudioWorkletProcessor {
  #ring = new Float32Array(sampleRate);
  #readAt = 0;
  #queued = 0;
  #isPlaying = false;
  #startMs = FIRST_START_MS;
  #frame = new Int16Array((sampleRate * FRAME_MS) / 1000);
  #filled = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }) => this.#take(data);
  }

  process([microphone], [speakers]) {
    const [out, ...others] = speakers;
    this.#play(out);
    for (const other of others) other.set(out);
    if (microphone?.[0]) this.#record(microphone[0]);
    return true;
  }

  #take(pcm) {
    const ring = this.#ring;
    const start = this.#readAt + this.#queued;
    for (let i = 0; i < pcm.length; i++) ring[(start + i) % ring.length] = pcm[i] / 32_768;
    this.#queued = Math.min(this.#queued + pcm.length, ring.length);
    const surplus = this.#queued - (sampleRate * MOST_MS) / 1000;
    if (surplus > 0) this.#skip(surplus);
    if (this.#queued >= (sampleRate * this.#startMs) / 1000) this.#isPlaying = true;
  }

  #play(out) {
    if (!this.#isPlaying) return;
    if (this.#queued < out.length) {
      this.#isPlaying = false;
      this.#startMs = Math.min(this.#startMs + FRAME_MS, LAST_START_MS);
      return;
    }
    for (let i = 0; i < out.length; i++) out[i] = this.#ring[(this.#readAt + i) % this.#ring.length];
    this.#skip(out.length);
  }

  #skip(samples) {
    this.#readAt = (this.#readAt + Math.floor(samples)) % this.#ring.length;
    this.#queued -= Math.floor(samples);
  }

  #record(input) {
    for (const sample of input) {
      this.#frame[this.#filled++] = Math.max(-1, Math.min(1, sample)) * 32_767;
      if (this.#filled < this.#frame.length) continue;
      const whole = this.#frame.slice();
      this.port.postMessage(whole, [whole.buffer]);
      this.#filled = 0;
    }
  }
}

registerProcessor('call-audio', CallAudio);

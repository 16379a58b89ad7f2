/** Frames of the call WebSocket, in ms. */
const FRAME_MS = 20;
/** Playing begins with this much, so that a late frame leaves no gap; after each gap with a frame more, up to a limit. */
const FIRST_START_MS = 40;
const LAST_START_MS = 120;
/** Frames that come late come together, and then more would wait for good. What was not needed for so long is left out. */
const WATCH_MS = 400;
/** After so many times without a gap, playing begins with a frame less. */
const CALM_WATCHES = 25;
/** More than this is dropped at once, oldest first. */
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
  /** The least that has waited since it is watched, and for how many samples and times it was. */
  #lowest = Infinity;
  #watched = 0;
  #calm = 0;
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
      this.#calm = 0;
      this.#watch();
      return;
    }
    const ring = this.#ring;
    const jump = this.#surplus(out.length);
    for (let i = 0; i < out.length; i++) {
      const share = jump === 0 ? 0 : i / out.length;
      const at = this.#readAt + i;
      out[i] = ring[at % ring.length] * (1 - share) + ring[(at + jump) % ring.length] * share;
    }
    this.#skip(out.length + jump);
    this.#lowest = Math.min(this.#lowest, this.#queued);
  }

  /** Samples that were not needed while they were watched; mostly 0. */
  #surplus(played) {
    this.#watched += played;
    if (this.#watched < (sampleRate * WATCH_MS) / 1000) return 0;
    const surplus = Math.floor(this.#lowest - (sampleRate * (this.#startMs - FRAME_MS)) / 1000);
    this.#calm += 1;
    if (this.#calm % CALM_WATCHES === 0) this.#startMs = Math.max(this.#startMs - FRAME_MS, FIRST_START_MS);
    this.#watch();
    return surplus > played ? surplus : 0;
  }

  #watch() {
    this.#lowest = Infinity;
    this.#watched = 0;
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

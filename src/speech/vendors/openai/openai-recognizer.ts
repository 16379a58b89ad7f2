import { bytesWithin } from '../../../base/bytes-within.ts';
import { frameSamples } from '../../../base/frame.ts';
import type { AudioFormat } from '../../audio-format.ts';
import type { SegmentLimits, Utterance, UtteranceSegmenter } from '../../segments/utterance-segmenter.ts';
import { isTemporary, type SpeechFault } from '../../speech-fault.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import { resultOf } from '../../stt/heard.ts';
import type { Recognized, Recognizer, RecognizerObserver } from '../../stt/recognizer.ts';
import { numberAt, objectsAt, readMessage, textAt, textsAt } from '../../vendor-message.ts';
import type { VendorSocketDeps } from '../../vendor-socket.ts';
import { type OpenAiRequest, OpenAiRequests } from './openai-requests.ts';

/** Cuts a voice into utterances. */
export type Segmenter = Pick<UtteranceSegmenter, 'hear' | 'close'>;

export interface OpenAiRecognizerDeps extends VendorSocketDeps {
  /** `rateHz` is 8,000 or 16,000. */
  readonly newSegmenter: (rateHz: 8_000 | 16_000, limits: SegmentLimits) => Segmenter;
}

/** A segment on its way. */
interface Job {
  readonly segment: Utterance;
  isSent: boolean;
  /** Undefined until it is there. Null: nothing was understood. */
  result: Recognized | null | undefined;
}

const DEFAULT_MODEL = 'gpt-transcribe';
const PRE_ROLL_MS = 500;
/** The model refuses less than 0.1 s. This is well above. */
const MIN_MS = 1_000;
const MAX_REQUESTS = 2;
/** Segments that wait. Beyond that the oldest that has not been sent is lost. */
const MAX_SEGMENTS = 8;
/** With the waits between them, 8 to 16 s. */
const MAX_TRIES = 5;
const ANSWER_MS = 15_000;
const MAX_ANSWER_BYTES = 256 * 1_024;
/** For what `close` waits, within its 2 s. */
const LAST_RESULTS_MS = 1_800;

/**
 * Understands speech with OpenAI: one HTTP request per utterance, two at a time. There are no interim results.
 *
 * Source: https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export class OpenAiRecognizer implements Recognizer {
  readonly format: AudioFormat;
  readonly chunkMs = 100;
  readonly #options: SpeechPreset['options'];
  readonly #observer: RecognizerObserver;
  readonly #requests: OpenAiRequests;
  readonly #segmenter: Segmenter;
  readonly #frame: Int16Array;
  #frameFill = 0;
  readonly #over = new AbortController();
  readonly #idle = Promise.withResolvers<void>();
  readonly #clock: VendorSocketDeps['clock'];
  /** In the order in which they were said. */
  readonly #jobs: Job[] = [];
  #lostSegments = 0;
  #isClosing = false;

  /** `rateHz` is the rate of the voice. */
  constructor(
    preset: SpeechPreset,
    rateHz: number,
    deps: OpenAiRecognizerDeps,
    observer: RecognizerObserver,
  ) {
    const sampleRateHz = rateHz === 8_000 ? 8_000 : 16_000;
    this.format = { encoding: 's16le', sampleRateHz };
    this.#options = preset.options;
    this.#observer = observer;
    this.#requests = new OpenAiRequests(preset, deps, observer);
    this.#segmenter = deps.newSegmenter(sampleRateHz, limitsIn(preset.options));
    this.#frame = new Int16Array(frameSamples(sampleRateHz));
    this.#clock = deps.clock;
    void this.#requests.warmUp(this.#model, this.#over.signal);
  }

  /** Utterances that could not be transcribed in time. */
  get lostSegments(): number {
    return this.#lostSegments;
  }

  hear(chunk: Uint8Array): void {
    if (this.#isClosing) return;
    const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let at = 0; at + 1 < chunk.length; at += 2) {
      this.#frame[this.#frameFill] = view.getInt16(at, true);
      this.#frameFill += 1;
      if (this.#frameFill < this.#frame.length) continue;
      this.#frameFill = 0;
      this.#queue(this.#segmenter.hear(this.#frame));
    }
  }

  /** The segmenter finds pauses by itself. */
  flush(): void {}

  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#queue(this.#segmenter.close());
    this.#isClosing = true;
    const cancelTimer = this.#clock.after(LAST_RESULTS_MS, () => this.#end());
    if (this.#jobs.length > 0) await this.#idle.promise;
    cancelTimer();
    this.#end();
  }

  get #model(): string {
    return textAt(this.#options, 'model') ?? DEFAULT_MODEL;
  }

  #end(): void {
    if (!this.#isClosing) this.#segmenter.close();
    this.#isClosing = true;
    this.#over.abort();
    this.#requests.close();
    this.#idle.resolve();
  }

  #queue(segment: Utterance | null): void {
    if (!segment) return;
    if (this.#jobs.length >= MAX_SEGMENTS) {
      this.#jobs.splice(MAX_REQUESTS, 1);
      this.#lostSegments += 1;
    }
    this.#jobs.push({ segment, isSent: false, result: undefined });
    this.#sendNext();
  }

  #sendNext(): void {
    for (const job of this.#jobs.slice(0, MAX_REQUESTS)) {
      if (job.isSent) continue;
      job.isSent = true;
      void this.#transcribe(job);
    }
  }

  async #transcribe(job: Job): Promise<void> {
    const answer = await this.#requests.post(await this.#request(job.segment), (response) =>
      bytesWithin(response, MAX_ANSWER_BYTES, () => new Error('the answer is too long')),
    );
    if (this.#over.signal.aborted) return;
    if ('value' in answer) job.result = this.#read(answer.value.toString(), job.segment);
    else if (answer.code === 'audio_too_short') job.result = null;
    else if (isTemporary(answer.fault)) {
      job.result = null;
      this.#lostSegments += 1;
    } else return this.#fail(answer.fault);
    this.#report();
  }

  /** Reports what is there, in the order in which it was said. */
  #report(): void {
    for (let first = this.#jobs[0]; first && first.result !== undefined; first = this.#jobs[0]) {
      this.#jobs.shift();
      if (first.result) this.#observer.final(first.result);
    }
    this.#sendNext();
    if (this.#jobs.length === 0 && this.#isClosing) this.#idle.resolve();
  }

  #fail(fault: SpeechFault): void {
    this.#end();
    this.#observer.failed(fault);
  }

  async #request(segment: Utterance): Promise<OpenAiRequest> {
    // Response knows how to write a form.
    const form = new Response(this.#form(segment));
    return {
      path: '/v1/audio/transcriptions',
      contentType: form.headers.get('content-type') ?? '',
      body: new Uint8Array(await form.arrayBuffer()),
      tries: MAX_TRIES,
      limitMs: ANSWER_MS,
      signal: this.#over.signal,
    };
  }

  #form({ wav }: Utterance): FormData {
    const form = new FormData();
    form.set('file', new Blob([wav], { type: 'audio/wav' }), 'speech.wav');
    form.set('model', this.#model);
    form.set('response_format', 'json');
    for (const name of ['language', 'prompt']) {
      const text = textAt(this.#options, name);
      if (text !== null) form.set(name, text);
    }
    const temperature = numberAt(this.#options, 'temperature');
    if (temperature !== null) form.set('temperature', `${temperature}`);
    // The older models refuse them.
    const keyterms = this.#model.startsWith('gpt-transcribe') ? textsAt(this.#options, 'keyterms') : [];
    for (const keyterm of keyterms) form.append('keywords[]', keyterm);
    return form;
  }

  #read(body: string, { startMs, endMs }: Utterance): Recognized | null {
    const message = readMessage(body) ?? {};
    const text = textAt(message, 'text')?.trim() ?? '';
    if (text === '') return null;
    const [found] = objectsAt(message, 'languages');
    const language = (found && textAt(found, 'code')) ?? textAt(this.#options, 'language');
    return resultOf(text, { startMs, endMs, language });
  }
}

function limitsIn(options: SpeechPreset['options']): SegmentLimits {
  return {
    preRollMs: PRE_ROLL_MS,
    endAfterMs: numberAt(options, 'end_silence_ms') ?? 600,
    maxMs: (numberAt(options, 'max_segment_s') ?? 20) * 1_000,
    minMs: MIN_MS,
  };
}

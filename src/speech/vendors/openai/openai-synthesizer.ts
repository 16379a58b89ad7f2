import type { IncomingMessage } from 'node:http';
import { bytesPerSample, WholeSamples } from '../../audio-format.ts';
import { isTemporary, type SpeechFault } from '../../speech-fault.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import { MAX_PIECES, TOO_MANY_PIECES } from '../../tts/stream-synthesizer.ts';
import type { SpokenPiece, Synthesizer, SynthesizerObserver } from '../../tts/synthesizer.ts';
import { numberAt, textAt } from '../../vendor-message.ts';
import { chunksOf } from '../../vendor-requests.ts';
import type { VendorSocketDeps } from '../../vendor-socket.ts';
import { faultOfFailure, type OpenAiAnswer, type OpenAiFailure, OpenAiRequests } from './openai-requests.ts';

/** A piece of an utterance on its way. */
interface Job extends SpokenPiece {
  readonly abort: AbortController;
  /** Null until it has been requested. */
  answer: Promise<OpenAiAnswer<IncomingMessage>> | null;
}

const DEFAULT_MODEL = 'gpt-4o-mini-tts';
const DEFAULT_VOICE = 'alloy';
/** The piece that is received, and the next one. */
const MAX_REQUESTS = 2;
/** An utterance without audio fails after 10 s: until then there is time for a second request. */
const FIRST_BYTE_MS = 5_000;
const STALL_MS = 5_000;
/** OpenAI says that its answer is audio/pcm, its description that it is octets. */
const PCM_TYPES: ReadonlySet<string> = new Set(['audio/pcm', 'audio/l16', 'application/octet-stream', '']);

/**
 * Speaks with OpenAI: one HTTP request per piece, in order, the next one sent while the last one is received. There
 * is no alignment.
 *
 * Source: https://platform.openai.com/docs/api-reference/audio/createSpeech
 */
export class OpenAiSynthesizer implements Synthesizer {
  /** The rate of `pcm`, the only one there is. */
  readonly format = { encoding: 's16le', sampleRateHz: 24_000 } as const;
  readonly #options: SpeechPreset['options'];
  readonly #deps: VendorSocketDeps;
  readonly #observer: SynthesizerObserver;
  readonly #requests: OpenAiRequests;
  readonly #over = new AbortController();
  /** In order. The first one is received. */
  #jobs: Job[] = [];
  #isReceiving = false;

  constructor(preset: SpeechPreset, deps: VendorSocketDeps, observer: SynthesizerObserver) {
    this.#options = preset.options;
    this.#deps = deps;
    this.#observer = observer;
    this.#requests = new OpenAiRequests(preset, deps, observer);
    void this.#requests.warmUp(this.#model, this.#over.signal);
  }

  speak(piece: SpokenPiece): void {
    if (this.#over.signal.aborted) return;
    if (this.#jobs.length >= MAX_PIECES) {
      return this.#fail(piece.utteranceId, TOO_MANY_PIECES);
    }
    this.#jobs.push({ ...piece, abort: new AbortController(), answer: null });
    this.#ask();
    if (!this.#isReceiving) void this.#receiveAll();
  }

  cancel(utteranceId: string): void {
    for (const job of this.#jobs) if (job.utteranceId === utteranceId) job.abort.abort();
    this.#jobs = this.#jobs.filter((job) => job.utteranceId !== utteranceId);
    this.#ask();
  }

  async close(): Promise<void> {
    this.#end();
  }

  get #model(): string {
    return textAt(this.#options, 'model') ?? DEFAULT_MODEL;
  }

  #end(): void {
    this.#over.abort();
    for (const job of this.#jobs) job.abort.abort();
    this.#jobs = [];
    this.#requests.close();
  }

  #ask(): void {
    for (const job of this.#jobs.slice(0, MAX_REQUESTS)) job.answer ??= this.#request(job);
  }

  #request({ text, abort }: Job): Promise<OpenAiAnswer<IncomingMessage>> {
    const instructions = textAt(this.#options, 'instructions');
    const speed = numberAt(this.#options, 'speed');
    const wanted = {
      model: this.#model,
      voice: textAt(this.#options, 'voice') ?? DEFAULT_VOICE,
      input: text,
      response_format: 'pcm',
      ...(instructions !== null && { instructions }),
      ...(speed !== null && { speed }),
    };
    const request = {
      path: '/v1/audio/speech',
      contentType: 'application/json',
      body: Buffer.from(JSON.stringify(wanted)),
      // Until the caller cancels it.
      tries: Number.POSITIVE_INFINITY,
      limitMs: FIRST_BYTE_MS,
      signal: abort.signal,
    };
    return this.#requests.post(request, (response) => response);
  }

  async #receiveAll(): Promise<void> {
    this.#isReceiving = true;
    for (let job = this.#jobs[0]; job; job = this.#jobs[0]) {
      await this.#receive(job);
      // A cancelled one is no longer there.
      if (this.#jobs[0] === job) this.#jobs.shift();
      this.#ask();
    }
    this.#isReceiving = false;
  }

  async #receive(job: Job): Promise<void> {
    const answer = await job.answer;
    if (job.abort.signal.aborted || !answer) return;
    if ('fault' in answer) return this.#refused(job, answer);
    const fault = notPcm(answer.value) ?? (await this.#pass(job, answer.value));
    if (job.abort.signal.aborted) return;
    if (fault) this.#fail(job.utteranceId, fault);
    else if (job.isLast) this.#observer.ended(job.utteranceId);
  }

  /** Passes the audio on. */
  async #pass({ utteranceId, abort }: Job, response: IncomingMessage): Promise<SpeechFault | null> {
    const samples = new WholeSamples(bytesPerSample(this.format));
    try {
      const { clock, reader } = this.#deps;
      for await (const chunk of reader.chunks(chunksOf(response, clock, STALL_MS), abort.signal)) {
        if (abort.signal.aborted) break;
        const data = samples.take(chunk);
        if (data.length > 0) this.#observer.audio(utteranceId, data);
      }
      return null;
    } catch (error) {
      return faultOfFailure(error as Error);
    }
  }

  /** 400 is about the text of one piece. Whatever else lasts would refuse the next one as well. */
  #refused({ utteranceId }: Job, { fault, status }: OpenAiFailure): void {
    const isOver = !isTemporary(fault) && status !== 400;
    if (isOver) this.#end();
    this.#fail(isOver ? null : utteranceId, fault);
  }

  #fail(utteranceId: string | null, fault: SpeechFault): void {
    if (utteranceId !== null) this.cancel(utteranceId);
    this.#observer.failed(utteranceId, fault);
  }
}

/** Another format, played as PCM, would be loud noise. Some servers that imitate OpenAI ignore the wanted one. */
function notPcm(response: IncomingMessage): SpeechFault | null {
  const type = response.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (PCM_TYPES.has(type)) return null;
  response.destroy();
  return { kind: 'refused', words: `The audio came as ${type} instead of PCM` };
}

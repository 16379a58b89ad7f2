import type { CancelTimer, Clock } from '../../../base/time.ts';
import { type AudioFormat, nearestFormat } from '../../audio-format.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import { isTrueAt, numberAt, textAt, textsAt, type VendorMessage } from '../../vendor-message.ts';
import type { VendorSocketDeps } from '../../vendor-socket.ts';
import { socketUrl } from '../../vendor-url.ts';
import { ASSEMBLYAI } from '../../vendors/assemblyai/assemblyai-manners.ts';
import { endpointOf, faultOfMessage } from '../../vendors/vendor-manners.ts';
import { AudioUplink } from '../audio-uplink.ts';
import type { Recognizer, RecognizerObserver } from '../recognizer.ts';
import { readTurn } from './assemblyai-turn.ts';
import { AssemblyAiTurns } from './assemblyai-turns.ts';

const RATES_HZ = [16_000, 24_000, 48_000] as const;
const DEFAULT_MODEL = 'universal-streaming-english';
/** These models have turns formatted on demand; the others always do it, and do not know the option. */
const FORMATS_ON_DEMAND = 'universal-streaming';
/** 1,000 at most. */
const MIN_CHUNK_MS = 50;
const BEGIN_DEADLINE_MS = 5_000;
const FORCE_ENDPOINT = '{"type":"ForceEndpoint"}';
const TERMINATE = '{"type":"Terminate"}';

/**
 * Speech-to-text by AssemblyAI. A session that is not terminated is billed for three hours.
 *
 * Source: https://www.assemblyai.com/docs/api-reference/streaming-api
 */
export class AssemblyAiRecognizer implements Recognizer {
  readonly format: AudioFormat;
  readonly chunkMs = 100;
  readonly #clock: Clock;
  readonly #uplink: AudioUplink;
  readonly #turns: AssemblyAiTurns;
  #cancelDeadline: CancelTimer = () => {};

  /** `rateHz` is the rate of the voice. */
  constructor(preset: SpeechPreset, rateHz: number, deps: VendorSocketDeps, observer: RecognizerObserver) {
    this.format = nearestFormat(RATES_HZ, rateHz);
    this.#clock = deps.clock;
    const { format } = this;
    const endpoint = endpointOf(ASSEMBLYAI, urlOf(preset, format), preset.key);
    this.#uplink = new AudioUplink(
      { endpoint, format, isPaced: true, minChunkMs: MIN_CHUNK_MS, keepAlive: null },
      deps,
      {
        opened: () => this.#awaitBegin(),
        message: (message) => this.#take(message),
        lost: (isOver) => this.#lose(isOver),
      },
      observer,
    );
    this.#turns = new AssemblyAiTurns(formatsTurns(preset), deps.clock, this.#uplink.backlog, observer);
  }

  hear(chunk: Uint8Array): void {
    this.#uplink.hear(chunk);
  }

  flush(): void {
    this.#uplink.flush(() => FORCE_ENDPOINT);
  }

  async close(): Promise<void> {
    await this.#uplink.close(TERMINATE);
    this.#cancelDeadline();
    this.#turns.close();
  }

  #take(message: VendorMessage): void {
    // Older errors have no type.
    if (textAt(message, 'error') !== null) return this.#uplink.drop(faultOfMessage(ASSEMBLYAI, message));
    switch (textAt(message, 'type') ?? '') {
      case 'Begin':
        this.#cancelDeadline();
        this.#turns.begin();
        this.#uplink.begin();
        break;
      case 'SpeechStarted':
        this.#turns.changeTurn('started');
        break;
      case 'Turn':
        this.#turns.take(readTurn(message, (vendorMs) => this.#uplink.backlog.heardMs(vendorMs)));
        break;
      case 'Termination':
        this.#uplink.finish();
        break;
      default:
    }
  }

  /** A wrong key is told after the connection is open, instead of `Begin`. */
  #awaitBegin(): void {
    this.#cancelDeadline = this.#clock.after(BEGIN_DEADLINE_MS, () => {
      this.#uplink.drop({ kind: 'unreachable', words: 'AssemblyAI did not begin the session' });
    });
  }

  #lose(isOver: boolean): void {
    this.#cancelDeadline();
    if (isOver) this.#turns.close();
    else this.#turns.lose();
  }
}

function modelOf({ options }: SpeechPreset): string {
  return textAt(options, 'model') ?? DEFAULT_MODEL;
}

function formatsTurns(preset: SpeechPreset): boolean {
  return modelOf(preset).startsWith(FORMATS_ON_DEMAND) && preset.options.format_turns !== false;
}

function urlOf(preset: SpeechPreset, { encoding, sampleRateHz }: AudioFormat): string {
  const { url, options } = preset;
  const isFormattedOnDemand = modelOf(preset).startsWith(FORMATS_ON_DEMAND);
  // AssemblyAI changes its default now and then.
  return socketUrl(url, '/v3/ws', {
    speech_model: modelOf(preset),
    encoding: encoding === 'mulaw' ? 'pcm_mulaw' : 'pcm_s16le',
    sample_rate: sampleRateHz,
    format_turns: isFormattedOnDemand ? formatsTurns(preset) : null,
    end_of_turn_confidence_threshold: isFormattedOnDemand
      ? numberAt(options, 'end_of_turn_confidence_threshold')
      : null,
    min_turn_silence: numberAt(options, 'min_turn_silence'),
    max_turn_silence: numberAt(options, 'max_turn_silence'),
    vad_threshold: numberAt(options, 'vad_threshold'),
    filter_profanity: isTrueAt(options, 'filter_profanity') || null,
    speaker_labels: isTrueAt(options, 'speaker_labels') || null,
    max_speakers: isTrueAt(options, 'speaker_labels') ? numberAt(options, 'max_speakers') : null,
    keyterms_prompt: jsonOf(textsAt(options, 'keyterms')),
    language_codes: isFormattedOnDemand ? null : jsonOf(textsAt(options, 'languages')),
    prompt: isFormattedOnDemand ? null : textAt(options, 'prompt'),
  });
}

/** A list is one parameter, as JSON. */
function jsonOf(list: readonly string[]): string | null {
  return list.length === 0 ? null : JSON.stringify(list);
}

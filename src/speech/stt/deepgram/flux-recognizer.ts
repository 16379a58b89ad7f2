import { type AudioFormat, nearestFormat } from '../../audio-format.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import { isTrueAt, numberAt, objectsAt, textAt, textsAt, type VendorMessage } from '../../vendor-message.ts';
import type { VendorSocketDeps } from '../../vendor-socket.ts';
import { socketUrl } from '../../vendor-url.ts';
import { DEEPGRAM } from '../../vendors/deepgram/deepgram-manners.ts';
import { endpointOf, faultOfMessage } from '../../vendors/vendor-manners.ts';
import { AudioUplink } from '../audio-uplink.ts';
import { mean } from '../recognized-words.ts';
import type { Recognized, Recognizer, RecognizerObserver } from '../recognizer.ts';
import { TurnState } from '../turn-state.ts';

const RATES_HZ = [16_000, 24_000, 48_000] as const;
/** Flux knows no keep-alive message. */
const SILENCE_MS = 4_000;
/** Enough silence for Flux to find the end of most turns. */
const PAUSE_MS = 1_000;
const CLOSE_STREAM = '{"type":"CloseStream"}';
/** The only things that Flux redacts. */
const REDACTED: readonly string[] = ['numbers', 'aggressive_numbers'];

/** What is known of the turn that is being spoken. */
interface OpenTurn {
  readonly said: Recognized;
  /** When its first word began, and the end of the audio that it covers, in ms. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * Speech-to-text by Deepgram's Flux models, which find turns themselves. Each message has the whole turn so far.
 *
 * Source: https://developers.deepgram.com/reference/speech-to-text/listen-flux
 */
export class FluxRecognizer implements Recognizer {
  readonly format: AudioFormat;
  readonly chunkMs = 80;
  readonly #observer: RecognizerObserver;
  readonly #uplink: AudioUplink;
  readonly #state: TurnState;
  #turn: OpenTurn | null = null;

  /** `rateHz` is the rate of the voice. */
  constructor(preset: SpeechPreset, rateHz: number, deps: VendorSocketDeps, observer: RecognizerObserver) {
    this.format = nearestFormat(RATES_HZ, rateHz);
    this.#observer = observer;
    this.#state = new TurnState(observer);
    this.#uplink = new AudioUplink(
      {
        endpoint: endpointOf(DEEPGRAM, urlOf(preset, this.format), preset.key),
        format: this.format,
        isPaced: false,
        keepAlive: { afterMs: SILENCE_MS },
      },
      deps,
      {
        opened: () => this.#begin(),
        message: (message) => this.#take(message),
        lost: (isOver) => this.#lose(isOver),
      },
      observer,
    );
  }

  hear(chunk: Uint8Array): void {
    this.#uplink.hear(chunk);
  }

  flush(): void {
    this.#uplink.flush(() => this.#uplink.silence(PAUSE_MS));
  }

  async close(): Promise<void> {
    await this.#uplink.close(CLOSE_STREAM);
    this.#end(this.#turn);
  }

  #take(message: VendorMessage): void {
    switch (textAt(message, 'type') ?? '') {
      case 'TurnInfo':
        this.#takeTurn(message);
        break;
      case 'Error':
        this.#uplink.drop(faultOfMessage(DEEPGRAM, message));
        break;
      default:
    }
  }

  #takeTurn(message: VendorMessage): void {
    const turn = this.#read(message);
    switch (textAt(message, 'event') ?? '') {
      case 'StartOfTurn':
        this.#state.change('started');
        break;
      case 'EndOfTurn':
        this.#uplink.backlog.settle(turn.untilMs);
        this.#end(turn);
        return;
      default:
    }
    if (turn.said.text === '') return;
    this.#turn = turn;
    this.#observer.interim(turn.said);
  }

  #read(message: VendorMessage): OpenTurn {
    const { backlog } = this.#uplink;
    const words = objectsAt(message, 'words');
    const seconds = (wordTime: number | null, name: string): number =>
      wordTime ?? numberAt(message, name) ?? 0;
    // Older servers give words no times.
    const start = seconds(numberAt(words[0] ?? {}, 'start'), 'audio_window_start');
    const end = seconds(numberAt(words.at(-1) ?? {}, 'end'), 'audio_window_end');
    const fromMs = backlog.heardMs(1_000 * start);
    return {
      fromMs,
      untilMs: backlog.heardMs(1_000 * seconds(null, 'audio_window_end')),
      said: {
        text: (textAt(message, 'transcript') ?? '').trim(),
        startMs: Math.round(fromMs),
        endMs: Math.round(backlog.heardMs(1_000 * end)),
        confidence: mean(words.map((word) => numberAt(word, 'confidence')).filter((value) => value !== null)),
        language: textsAt(message, 'languages')[0] ?? null,
        speaker: null,
      },
    };
  }

  #end(turn: OpenTurn | null): void {
    this.#turn = null;
    if (turn !== null && turn.said.text !== '') this.#observer.final(turn.said);
    this.#state.change('ended');
  }

  /** Whether a turn that is cut is recognized again is not known, so it is over; if it is, it starts again. */
  #lose(isOver: boolean): void {
    if (isOver) this.#end(this.#turn);
    else this.#state.change('ended');
  }

  /** A turn that was cut is heard again, unless its beginning is no longer there: then what is known of it must do. */
  #begin(): void {
    const { backlog } = this.#uplink;
    const turn = this.#turn;
    this.#turn = null;
    if (turn !== null && turn.fromMs < backlog.oldestMs) {
      backlog.settle(turn.untilMs);
      this.#end(turn);
    }
    this.#uplink.begin();
  }
}

function urlOf({ url, options }: SpeechPreset, { encoding, sampleRateHz }: AudioFormat): string {
  const model = textAt(options, 'model') ?? 'flux-general-en';
  const language = textAt(options, 'language');
  return socketUrl(url, '/v2/listen', {
    model,
    encoding: encoding === 'mulaw' ? 'mulaw' : 'linear16',
    sample_rate: sampleRateHz,
    eot_threshold: numberAt(options, 'eot_threshold'),
    eot_timeout_ms: numberAt(options, 'eot_timeout_ms'),
    // Only this model takes one.
    language_hint: model === 'flux-general-multi' && language !== 'multi' ? language : null,
    numerals: isTrueAt(options, 'numerals'),
    profanity_filter: isTrueAt(options, 'profanity_filter'),
    mip_opt_out: isTrueAt(options, 'mip_opt_out'),
    keyterm: textsAt(options, 'keyterms'),
    redact: textsAt(options, 'redact').filter((each) => REDACTED.includes(each)),
  });
}

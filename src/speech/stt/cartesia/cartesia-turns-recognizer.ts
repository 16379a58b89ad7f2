import type { CancelTimer, Clock } from '../../../base/time.ts';
import { type AudioFormat, nearestFormat } from '../../audio-format.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import { numberAt, textAt, textsAt, type VendorMessage } from '../../vendor-message.ts';
import type { VendorSocketDeps } from '../../vendor-socket.ts';
import { socketUrl } from '../../vendor-url.ts';
import { CARTESIA, faultOfError } from '../../vendors/cartesia/cartesia-manners.ts';
import { endpointOf } from '../../vendors/vendor-manners.ts';
import { AudioUplink } from '../audio-uplink.ts';
import { resultOf } from '../recognized-words.ts';
import type { Recognizer, RecognizerObserver } from '../recognizer.ts';
import { TurnState } from '../turn-state.ts';
import { encodingOf, RATES_HZ } from './cartesia-results.ts';

/** Cartesia closes a connection after 3 minutes. */
const KEEP_ALIVE_MS = 60_000;
/** Enough silence for most turns to end. */
const PAUSE_MS = 1_000;
/** A turn during which no audio comes is sent as much silence as ends any turn. */
const GAP_MS = 500;
const MAX_GAPS = 24;
/** What is said after a pause within this time is not of the turn whose end has just arrived. */
const WAY_MS = 1_000;
/** How long a turn may have been spoken before it is reported. */
const START_DELAY_MS = 1_000;
const CLOSE = '{"type":"close"}';

/** The turn that is being spoken. */
interface OpenTurn {
  text: string;
  readonly fromMs: number;
}

/**
 * Speech-to-text by Cartesia's ink-2, which finds turns itself and knows English only. Each message has the whole turn
 * so far. It tells no times: what is sent counts as heard, but for what was said while the end of a turn was on its way.
 *
 * Source: https://docs.cartesia.ai/api-reference/stt/turns/websocket
 */
export class CartesiaTurnsRecognizer implements Recognizer {
  readonly format: AudioFormat;
  readonly chunkMs = 100;
  readonly #clock: Clock;
  readonly #observer: RecognizerObserver;
  readonly #uplink: AudioUplink;
  readonly #state: TurnState;
  #turn: OpenTurn | null = null;
  #cancelGap: CancelTimer = () => {};

  /** `rateHz` is the rate of the voice. */
  constructor(preset: SpeechPreset, rateHz: number, deps: VendorSocketDeps, observer: RecognizerObserver) {
    this.format = nearestFormat(RATES_HZ, rateHz);
    this.#clock = deps.clock;
    this.#observer = observer;
    this.#state = new TurnState(observer);
    const { format } = this;
    const endpoint = endpointOf(CARTESIA, urlOf(preset, format), preset.key);
    this.#uplink = new AudioUplink(
      { endpoint, format, isPaced: true, keepAlive: { afterMs: KEEP_ALIVE_MS } },
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
    if (this.#state.isOpen) this.#fillGaps(MAX_GAPS);
  }

  flush(): void {
    this.#uplink.flush(() => this.#uplink.silence(PAUSE_MS));
  }

  async close(): Promise<void> {
    this.#cancelGap();
    await this.#uplink.close(CLOSE);
    if (this.#turn) this.#end(this.#turn.text);
  }

  #take(message: VendorMessage): void {
    switch (textAt(message, 'type') ?? '') {
      case 'turn.start':
        this.#go('');
        break;
      case 'turn.update':
      case 'turn.eager_end':
        this.#go(textAt(message, 'transcript') ?? '');
        break;
      case 'turn.end':
        this.#settleTurn();
        this.#end(textAt(message, 'transcript') ?? '');
        break;
      case 'error':
        this.#uplink.drop(faultOfError(message));
        break;
      default:
    }
  }

  #go(text: string): void {
    const { sentMs, oldestMs } = this.#uplink.backlog;
    this.#turn ??= { text, fromMs: Math.max(oldestMs, sentMs - START_DELAY_MS) };
    this.#turn.text = text;
    if (!this.#state.isOpen) this.#fillGaps(MAX_GAPS);
    this.#state.change('started');
    if (text.trim() !== '') this.#observer.interim(resultOf(text.trim()));
  }

  #settleTurn(): void {
    const { backlog } = this.#uplink;
    backlog.settle(backlog.pauseEndMs(WAY_MS) ?? backlog.sentMs);
  }

  #end(text: string): void {
    this.#cancelGap();
    this.#turn = null;
    if (text.trim() !== '') this.#observer.final(resultOf(text.trim()));
    this.#state.change('ended');
  }

  /** Whether a turn that is cut is recognized again is not known, so it is over; if it is, it starts again. */
  #lose(isOver: boolean): void {
    this.#cancelGap();
    if (isOver && this.#turn) this.#end(this.#turn.text);
    else this.#state.change('ended');
  }

  /** A turn that was cut is heard again, unless its beginning is no longer there: then what is known of it must do. */
  #begin(): void {
    const { backlog } = this.#uplink;
    const turn = this.#turn;
    this.#turn = null;
    if (turn && turn.fromMs < backlog.oldestMs) {
      backlog.settle(backlog.sentMs);
      this.#end(turn.text);
    }
    this.#uplink.begin();
  }

  /** Cartesia waits for audio, and takes its absence for a slow network. */
  #fillGaps(count: number): void {
    this.#cancelGap();
    if (count === 0) return;
    this.#cancelGap = this.#clock.after(GAP_MS, () => {
      this.#uplink.sendSilence(GAP_MS);
      this.#fillGaps(count - 1);
    });
  }
}

function urlOf({ url, options }: SpeechPreset, format: AudioFormat): string {
  return socketUrl(url, '/stt/turns/websocket', {
    model: textAt(options, 'model') ?? 'ink-2',
    encoding: encodingOf(format),
    sample_rate: format.sampleRateHz,
    keyterm: textsAt(options, 'keyterms'),
    turn_end_threshold: numberAt(options, 'turn_end_threshold'),
    turn_end_timeout_ms: numberAt(options, 'turn_end_timeout_ms'),
  });
}

import type { Bridges, OpenedTransport } from '../../media/transport.ts';
import { MoveLimit } from '../../threads/move-limit.ts';
import {
  type PlaceSignal,
  type SaidUtterance,
  SPEECH_TRANSPORT,
  type SpeechCommands,
  type SpeechOpen,
  type SpeechSignal,
} from '../transport/speech-protocol.ts';
import type { CallPlaces } from './local-shares.ts';

export interface SpeechLinkDeps {
  readonly bridges: Bridges;
  /** Makes the places of a transport, which `answer` tells of them. */
  newPlaces(answer: (placeId: number, isFree: boolean) => void): CallPlaces;
}

/** What the session is told. */
export type SessionSignal = Exclude<SpeechSignal, PlaceSignal>;

export interface SpeechLinkObserver {
  signal(signal: SessionSignal): void;
  /** The transport is gone with everything that was said. `again`: another one opens. */
  lost(reason: string, again: boolean): void;
  /** This text will not be spoken. */
  unsaid(utteranceId: string): void;
}

/** The transport of a call's speech, and the next one when it is lost, three times a minute at most. */
export class SpeechLink {
  readonly #deps: SpeechLinkDeps;
  readonly #open: SpeechOpen;
  readonly #observer: SpeechLinkObserver;
  readonly #losses = new MoveLimit();
  /** Who the voices belong to. */
  readonly #names = new Map<number, string>();
  #areInterimsWanted = false;
  /** What was said before the transport is open. */
  #unsent: SaidUtterance[] = [];
  #transport: OpenedTransport<SpeechCommands> | null = null;
  #places: CallPlaces | null = null;
  #isClosed = false;

  constructor(deps: SpeechLinkDeps, open: SpeechOpen, observer: SpeechLinkObserver) {
    this.#deps = deps;
    this.#open = open;
    this.#observer = observer;
    void this.#connect();
  }

  say(utterance: SaidUtterance): void {
    if (this.#transport === null) this.#unsent.push(utterance);
    else this.#send(this.#transport, utterance);
  }

  name(voice: number, speaker: string): void {
    this.#names.set(voice, speaker);
    // Lost with the transport at most; the next one is told again.
    this.#transport?.command('name', voice, speaker).catch(() => {});
  }

  wantInterims(areWanted: boolean): void {
    this.#areInterimsWanted = areWanted;
    this.#transport?.command('wantInterims', areWanted).catch(() => {});
  }

  /** Ends the sessions at the vendors, then the transport. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#finish();
    this.#places?.end();
  }

  async #finish(): Promise<void> {
    const transport = this.#transport;
    if (transport === null) return;
    await transport.command('finish').catch(() => {});
    await transport.close();
  }

  async #connect(): Promise<void> {
    try {
      const transport = await this.#opening();
      if (this.#isClosed) await transport.close();
      else this.#begin(transport);
    } catch (error) {
      this.#lost(error instanceof Error ? error.message : String(error));
    }
  }

  #opening(): Promise<OpenedTransport<SpeechCommands>> {
    const places = this.#deps.newPlaces((placeId, isFree) => {
      // It may be asked for before the transport is open. Who is gone needs no answer.
      opening.then((transport) => transport.command('givePlace', placeId, isFree)).catch(() => {});
    });
    this.#places = places;
    const opening = this.#deps.bridges.open(SPEECH_TRANSPORT, this.#open, {
      signal: (signal) => {
        if (signal.type === 'place_wanted' || signal.type === 'place_left') places.received(signal);
        else this.#observer.signal(signal);
      },
      lost: (reason) => this.#lost(reason),
    });
    return opening;
  }

  #begin(transport: OpenedTransport<SpeechCommands>): void {
    this.#transport = transport;
    for (const [voice, speaker] of this.#names) this.name(voice, speaker);
    if (this.#areInterimsWanted) this.wantInterims(true);
    for (const utterance of this.#unsent.splice(0)) this.#send(transport, utterance);
  }

  #send(transport: OpenedTransport<SpeechCommands>, utterance: SaidUtterance): void {
    transport.command('say', utterance).catch(() => this.#observer.unsaid(utterance.utteranceId));
  }

  #lost(reason: string): void {
    this.#places?.end();
    if (this.#isClosed) return;
    this.#transport = null;
    this.#unsent = [];
    const again = this.#losses.note();
    this.#observer.lost(reason, again);
    if (again) void this.#connect();
  }
}

import { FairShare } from '../../base/fair-share.ts';
import { type Clock, pause } from '../../base/time.ts';
import type { Bridges } from '../../media/transport.ts';
import { NOTE_TRANSPORT, type NoteSignal } from '../notes/note-protocol.ts';
import type { ProviderSettings } from '../transport/speech-protocol.ts';
import { CallPlaces, type LocalShares } from './local-shares.ts';
import { opusNote } from './opus-note.ts';

/** Voice notes that are listened to at a time, of all accounts; one has half. */
const MOST_READ = 16;
const MOST_WAITING = 500;
/** A reply is due within 60 s of the note. */
const DEADLINE_MS = 45_000;

export interface NoteReaderDeps {
  readonly bridges: Bridges;
  readonly local: LocalShares;
  readonly clock: Clock;
}

export interface Note {
  /** As apps record it. */
  readonly audio: Uint8Array;
  readonly stt: ProviderSettings;
}

export interface ReadNote {
  readonly text: string;
  readonly heardMs: number;
}

type Ended = Extract<NoteSignal, { readonly type: 'read' | 'failed' }>;

/** Reads voice notes by the recognizers of calls, on bridge threads. */
export class NoteReader {
  readonly share: FairShare;
  readonly #deps: NoteReaderDeps;

  constructor(deps: NoteReaderDeps) {
    this.#deps = deps;
    const { clock } = deps;
    this.share = new FairShare({
      clock,
      total: MOST_READ,
      each: MOST_READ,
      keepsRoom: true,
      mostWaiting: MOST_WAITING,
    });
  }

  /** Returns what is said in a note, within 45 s. Rejects with why that is not known. */
  async read(accountId: string, note: Note, signal: AbortSignal): Promise<ReadNote> {
    const wanted = {
      withinMs: DEADLINE_MS,
      refusal: () => new Error('too many voice notes are being read'),
      signal,
    };
    return await this.share.run(accountId, wanted, () => this.#read(accountId, note, signal));
  }

  async #read(accountId: string, note: Note, signal: AbortSignal): Promise<ReadNote> {
    const { bridges, local, clock } = this.#deps;
    const audio = await opusNote(note.audio, signal);
    const over = new AbortController();
    let ended: Ended = { type: 'failed', reason: 'it took too long' };
    const end = (how: Ended): void => {
      if (over.signal.aborted) return;
      ended = how;
      over.abort();
    };
    const places = new CallPlaces(local, accountId, (placeId, isFree) => {
      opening.then((transport) => transport.command('givePlace', placeId, isFree)).catch(() => {});
    });
    const opening = bridges.open(
      NOTE_TRANSPORT,
      { accountId, ...note, audio },
      {
        signal: (told) => {
          if (told.type === 'place_wanted' || told.type === 'place_left') places.received(told);
          else end(told);
        },
        lost: (reason) => end({ type: 'failed', reason }),
      },
    );
    try {
      const transport = await opening;
      await pause(clock, DEADLINE_MS, AbortSignal.any([over.signal, signal]));
      await transport.close();
    } finally {
      places.end();
    }
    return textOf(ended);
  }
}

function textOf(ended: Ended): ReadNote {
  if (ended.type === 'failed') throw new Error(ended.reason);
  return ended;
}

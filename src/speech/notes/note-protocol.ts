import type { TransportProtocol } from '../../media/transport.ts';
import type { PlaceSignal, ProviderSettings } from '../transport/speech-protocol.ts';

/** Of longer notes, the beginning is read. */
export const MOST_NOTE_MS = 100_000;

/** What the main thread and the reading of one voice note, on a bridge thread, exchange. */
export const NOTE_TRANSPORT: TransportProtocol<NoteOpen, NoteCommands, NoteSignal> = {
  kind: 'voice note',
  recovery: 'rejoin',
};

export interface NoteOpen {
  /** In whose time the vendor is read. */
  readonly accountId: string;
  /** Opus in Ogg. */
  readonly audio: Uint8Array;
  readonly stt: ProviderSettings;
}

export interface NoteCommands {
  /** Answers `place_wanted`. */
  givePlace(placeId: number, isFree: boolean): void;
}

export type NoteSignal =
  | PlaceSignal
  /** What is said in the note; '' for nothing that was understood. Comes once, as `failed` does. */
  | { readonly type: 'read'; readonly text: string; readonly heardMs: number }
  | { readonly type: 'failed'; readonly reason: string };

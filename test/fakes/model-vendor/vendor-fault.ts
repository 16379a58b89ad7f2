/** Why a vendor does not do what it is asked. */
export type Refusal = 'bad_key' | 'no_access' | 'quota' | 'rate_limited' | 'overloaded' | 'server_error';

/** What has become of a turn whose answer was lost. */
export type LostTurn =
  /** The vendor has thrown it away. */
  | 'absent'
  /** The vendor has its text, but made no reply. */
  | 'unanswered'
  /** The vendor has it and the whole reply. */
  | 'answered';

/** What goes wrong with a request. */
export type VendorFault =
  /** The vendor refuses in its own words. `retryAfterS`: it says how long to wait. */
  | { readonly kind: 'refuse'; readonly why: Refusal; readonly retryAfterS?: number }
  /** This answer, whatever was asked. An object goes out as JSON, a text as it is. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: object | string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** An answer that was recorded elsewhere, in pieces of so many bytes: they split events and characters anywhere. */
  | {
      readonly kind: 'recording';
      readonly contentType: string;
      readonly bytes: Uint8Array;
      readonly pieceBytes: number;
    }
  /** No answer ever; nothing is carried out. */
  | { readonly kind: 'hang' }
  /** A head, then a space every few milliseconds without end. */
  | { readonly kind: 'drip' }
  /** A body without end, as fast as it is read. */
  | { readonly kind: 'flood' }
  /**
   * The connection breaks after so many chunks of the answer (a streamed answer has one per event; 0: before its head).
   * `turn`: what the vendor then knows of a turn.
   */
  | { readonly kind: 'cut'; readonly afterChunks: number; readonly turn: LostTurn };

/** A fault that is waiting for its request. */
export interface DueFault {
  readonly fault: VendorFault;
  /** Which requests it can meet: part of `POST /v1/responses`. */
  readonly on: RegExp;
}

import type { MediaEvent } from './media-leg.ts';

/** A connector's media half as its signaling half sees it: the far end is a MediaLeg on an engine worker. */
export interface MediaControl {
  /**
   * Places the call on a worker and opens its media leg there. `kind` names the leg's factory, `open` is what the
   * factory gets. Rejects with an Error carrying `code` when the leg cannot open.
   */
  open(kind: string, open: unknown, onEvent: (event: MediaEvent) => void): Promise<void>;
  /** Sets the negotiated configuration; kept and set again when the call moves to a fresh worker. */
  configure(config: unknown): Promise<void>;
  /** Runs a passing request (DTMF digits); resolves when the leg has done it. */
  command(command: unknown): Promise<void>;
}

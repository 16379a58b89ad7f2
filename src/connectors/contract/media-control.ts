import type { MediaEvent } from './media-leg.ts';

/** A connector's media half as seen by its signaling half. The other end is a MediaLeg on an engine worker. */
export interface MediaControl {
  /**
   * Places the call on a worker and opens its media leg there. `kind` names the leg's factory; `open` is passed to it.
   * Rejects with an Error carrying `code` when the leg cannot be opened.
   */
  open(kind: string, open: unknown, onEvent: (event: MediaEvent) => void): Promise<void>;
  /** Sets the negotiated configuration. It is stored and applied again when the call moves to a new worker. */
  configure(config: unknown): Promise<void>;
  /** Runs a one-off command (DTMF digits). Resolves when the leg has completed it. */
  command(command: unknown): Promise<void>;
}

import type { MediaEvent } from './media-leg.ts';
import type { CommandArgs, CommandResult, MediaProtocol } from './media-protocol.ts';

/** A connector's media half as seen by its signaling half. The other end is a MediaLeg on an engine worker. */
export interface MediaControl {
  /**
   * Places the call on a worker and opens its media leg there. Rejects with an Error carrying `code` when the leg cannot
   * be opened; it may then be opened again.
   */
  open<Open, Config, Commands, Signal>(
    protocol: MediaProtocol<Open, Config, Commands, Signal>,
    open: Open,
    onEvent: (event: MediaEvent<Signal>) => void,
  ): Promise<OpenMedia<Config, Commands>>;
}

/** An open media leg. */
export interface OpenMedia<Config, Commands> {
  /** Sets the negotiated configuration. It is stored and applied again when the call moves to a new worker. */
  configure(config: Config): Promise<void>;
  /** Runs a one-off command (DTMF digits). Resolves to its result when the leg has completed it. */
  command<Name extends keyof Commands & string>(
    name: Name,
    ...args: CommandArgs<Commands[Name]>
  ): Promise<CommandResult<Commands[Name]>>;
}

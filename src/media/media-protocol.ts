import { assert } from '../base/assert.ts';

/**
 * What a platform's signaling, on the main thread, and its media leg, on an engine worker, exchange. Everything is
 * copied by structured cloning.
 */
export interface MediaProtocol<Open, Config, Commands, Signal = never> {
  /** Name of the leg's factory in the engine worker. */
  readonly kind: string;
  /** Carries the types only; never set. */
  readonly types?: {
    /** Opens the leg. */
    readonly open: Open;
    /** The complete negotiated configuration, set again when the call moves to another worker. */
    readonly config: Config;
    /** One-off commands: a function type by name, with the result that the command resolves to. */
    readonly commands: Commands;
    /** Reported by the leg, such as an ICE candidate. */
    readonly signal: Signal;
  };
}

/** A leg's implementation of its commands. */
export type CommandHandlers<Commands> = {
  readonly [Name in keyof Commands]: Commands[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Result>
    : never;
};

export type CommandArgs<Command> = Command extends (...args: infer Args) => unknown ? Args : never;

export type CommandResult<Command> = Command extends (...args: never) => infer Result ? Result : never;

/** Runs a command of `owner` by name, as another thread asked for it. */
export async function runCommand(
  owner: 'media leg' | 'transport',
  commands: CommandHandlers<AnyCommands>,
  name: string,
  args: readonly unknown[],
): Promise<unknown> {
  assert(Object.hasOwn(commands, name), `the ${owner} has no command ${name}`);
  const run = commands[name] as (...args: readonly unknown[]) => Promise<unknown>;
  return run(...args);
}

/** Commands of any leg, for code that only passes them on. */
export type AnyCommands = Record<string, (...args: never) => unknown>;

import type { AnyCommands, CommandArgs, CommandHandlers, CommandResult } from './media-protocol.ts';
import type { PacketRings } from './packet-media.ts';
import type { PcmRings } from './pcm-media.ts';

/**
 * What a connector, on the main thread, and its transport, on a bridge thread, exchange. Everything is copied by
 * structured cloning; audio goes through rings in shared memory that `Open` carries.
 */
export interface TransportProtocol<Open, Commands, Signal> {
  /** Name of the transport's factory in the bridge worker. */
  readonly kind: string;
  /**
   * What follows when the thread is lost. `resume`: the transport is opened again on another thread, with the same
   * `Open` and memory. `rejoin`: it is gone, and the connector has to join the platform again.
   */
  readonly recovery: 'resume' | 'rejoin';
  /** Carries the types only; never set. */
  readonly types?: { readonly open: Open; readonly commands: Commands; readonly signal: Signal };
}

/** A connection to a third party's media, on a bridge thread. */
export interface Transport<Commands = AnyCommands> {
  readonly commands: CommandHandlers<Commands>;
  /** Releases sockets and timers. Safe to call twice. */
  close(): void;
}

/** The bridge thread's services for a transport. */
export interface TransportHost<Signal> {
  /**
   * Reports a signal to the connector. Returns false when it was dropped because the main thread still has to handle
   * MAX_PENDING_SIGNALS of this transport.
   */
  emit(signal: Signal): boolean;
  /** Ends this transport, and only this one. */
  fail(error: unknown): void;
}

/**
 * Opens a transport. `memory` is TRANSPORT_MEMORY_BYTES of shared memory that outlives the thread: a transport that is
 * resumed on the same memory continues where the lost one stopped.
 */
export type OpenTransport<Open, Commands, Signal> = (
  open: Open,
  memory: SharedArrayBuffer,
  host: TransportHost<Signal>,
) => Promise<Transport<Commands>>;

/** A kind of transport that a bridge worker can open. Its types are known only to its protocol. */
export interface TransportFactory {
  readonly kind: string;
  readonly open: OpenTransport<unknown, AnyCommands, unknown>;
}

/** Binds a protocol to the function that opens its transports. */
export function transportFactory<Open, Commands, Signal>(
  { kind }: TransportProtocol<Open, Commands, Signal>,
  open: OpenTransport<Open, Commands, Signal>,
): TransportFactory {
  return { kind, open: open as unknown as TransportFactory['open'] };
}

/** Signals of one transport that may wait for the main thread. Further ones are dropped and counted. */
export const MAX_PENDING_SIGNALS = 256;

/** Initially zeroed. */
export const TRANSPORT_MEMORY_BYTES = 256;

/** The bridge threads, as connectors see them. */
export interface Bridges {
  /** Allocates the rings of a call with 1 to MAX_VOICES voices, for its transport and its media leg (PCM_MEDIA). */
  pcmRings(voices: number, sampleRateHz: number): PcmRings;
  /** Allocates the rings of a call for its transport and its media leg (PACKET_MEDIA of `rtp/rtp-protocol`). */
  packetRings(): PacketRings;
  /**
   * Opens a transport on a bridge thread, which is started on first use. Rejects with the transport's own error when it
   * cannot be opened, Overloaded when all threads are full, `deadline_exceeded` after 10 s and `not_ready` once the pool is closed.
   */
  open<Open, Commands, Signal>(
    protocol: TransportProtocol<Open, Commands, Signal>,
    open: Open,
    observer: TransportObserver<Signal>,
  ): Promise<OpenedTransport<Commands>>;
}

/** Receives the events of a transport, signals also while it opens. Nothing follows `lost`, and nothing follows `close`. */
export interface TransportObserver<Signal> {
  signal(signal: Signal): void;
  /** The transport is gone: it failed, or its thread was lost and it cannot be resumed. */
  lost(reason: string): void;
}

/** A connector's end of an open transport. */
export interface OpenedTransport<Commands> {
  /**
   * Runs a one-off command. Rejects with the transport's own error, `call_not_active` when it is gone, and
   * `deadline_exceeded` when it takes too long.
   */
  command<Name extends keyof Commands & string>(
    name: Name,
    ...args: CommandArgs<Commands[Name]>
  ): Promise<CommandResult<Commands[Name]>>;
  /** Resolves when the transport is closed, or after a deadline. Safe to call twice. */
  close(): Promise<void>;
}

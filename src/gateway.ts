import type { Closer, GatewayDeps, Running } from './assembly/gateway-deps.ts';
import type { PlatformSubstitutes } from './assembly/platforms.ts';
import { ReadingTime } from './base/reading-time.ts';
import { ThreadUse } from './base/thread-use.ts';
import type { Clock } from './base/time.ts';
import { MemoryReducer, PROCESS_MEMORY } from './memory-reducer.ts';
import { loadMediaIo } from './native/media-io.ts';
import type { Settings } from './settings/settings.ts';
import { openStore, type Store } from './store/store.ts';
import type { Loggers } from './telemetry/loggers.ts';
import { type BridgeObserver, BridgePool } from './threads/bridge-pool.ts';
import { Engine, type EngineObserver } from './threads/engine.ts';

/** A worker that stalls for this long is replaced. */
const ENGINE_STALL_MS = 2_000;

/** A running gateway. */
export interface Gateway extends Running {
  /** Ends every call, notifies every platform and client, and releases everything within about `deadlineMs`. */
  close(deadlineMs: number): Promise<void>;
}

/** What tests put in place of the gateway's own. */
export interface Substitutes extends PlatformSubstitutes {
  /** Module of the bridge threads, with the transports of the test's platforms. */
  readonly bridgeWorkerUrl?: URL;
}

/** Creates and starts all parts. If one cannot start, rejects and leaves nothing running. */
export async function startGateway(
  settings: Settings,
  clock: Clock,
  loggers: Loggers,
  substitutes: Substitutes = {},
): Promise<Gateway> {
  const closers: Closer[] = [];
  let closing: Promise<void> | null = null;
  const close = (deadlineMs: number): Promise<void> => {
    closing ??= closeAll(closers, deadlineMs, loggers);
    return closing;
  };
  try {
    return { ...(await startAll({ settings, clock, loggers, closers }, substitutes)), close };
  } catch (error) {
    await close(0);
    throw error;
  }
}

/** What is there before the first part. */
type FirstDeps = Omit<GatewayDeps, 'engine' | 'bridges' | 'store' | 'readingTime'>;

/** Each part gets at least this long to close, even past the deadline. */
const LEAST_CLOSE_MS = 500;

/**
 * Closes all parts within the deadline, in reverse order of their start. A part that fails to close does not keep the
 * others open.
 */
async function closeAll(closers: Closer[], deadlineMs: number, loggers: Loggers): Promise<void> {
  const endMs = performance.now() + deadlineMs;
  for (let closer = closers.pop(); closer; closer = closers.pop()) {
    const leftMs = Math.max(LEAST_CLOSE_MS, endMs - performance.now());
    await closer(leftMs).catch((error) => loggers.main.error({ err: error }, 'a component failed to close'));
  }
}

/**
 * Starts the engine first and waits for it last, because its threads take longest to start. Everything else loads and
 * starts meanwhile. Until the threads run, `/readyz` reports them as not ready and calls wait for them.
 */
async function startAll(deps: FirstDeps, substitutes: Substitutes): Promise<Running> {
  const engine = startEngine(deps);
  const bridges = bridgePool(deps, substitutes);
  const readingTime = new ReadingTime(deps.clock, new ThreadUse());
  const store = await startStore(deps, readingTime);
  const { assemble } = await import('./assembly/assemble.ts');
  const running = await assemble({ ...deps, engine, bridges, store, readingTime }, substitutes);
  await engine.ready;
  giveMemoryBack(deps);
  return running;
}

function giveMemoryBack({ settings, clock, closers }: FirstDeps): void {
  if (settings.engine.mediaIo === 'portable') return;
  const reducer = new MemoryReducer(clock, PROCESS_MEMORY);
  closers.push(async () => reducer.close());
}

function startEngine({ settings, loggers, closers }: FirstDeps): Engine {
  if (settings.engine.mediaIo === 'native') assertNativeMediaIo();
  const engine = new Engine({
    ...settings.engine,
    stallMs: ENGINE_STALL_MS,
    observer: engineLog(loggers),
  });
  closers.push((deadlineMs) => engine.close(deadlineMs));
  // If another part fails first, nothing awaits this promise, and its rejection would go unhandled.
  engine.ready.catch(() => {});
  return engine;
}

/** Creates the pool of bridge threads. It starts none before a platform opens its first transport. */
function bridgePool({ settings, loggers, closers }: FirstDeps, { bridgeWorkerUrl }: Substitutes): BridgePool {
  const bridges = new BridgePool({
    observer: bridgeLog(loggers),
    mediaIo: settings.engine.mediaIo,
    neuralVoice: settings.neuralVoice,
    ...(bridgeWorkerUrl === undefined ? {} : { workerUrl: bridgeWorkerUrl }),
  });
  closers.push((deadlineMs) => bridges.close(deadlineMs));
  return bridges;
}

/**
 * Throws when native media I/O cannot be loaded. Checked here because a thread that cannot start would only be noticed
 * after its deadline.
 */
function assertNativeMediaIo(): void {
  const binding = loadMediaIo();
  if (typeof binding !== 'string') return;
  throw new Error(`SVC_MEDIA_IO is "native", but native media I/O cannot be loaded: ${binding}`);
}

async function startStore(
  { settings, clock, loggers, closers }: FirstDeps,
  time: ReadingTime,
): Promise<Store> {
  const { dataDir, masterKey, allowsNewDatabase, accountBytes } = settings;
  const onWarning = (text: string) => loggers.main.warn(text);
  const options = { dataDir, masterKey, allowsNewDatabase, accountBytes, onWarning, clock, time };
  const store = await openStore(options);
  closers.push(() => store.close());
  return store;
}

function engineLog({ engine }: Loggers): EngineObserver {
  return {
    workerReady: (threadId) => engine.debug({ threadId }, 'engine thread ready'),
    workerLost: (threadId, stalled, calls) =>
      engine.error({ threadId, stalled, calls }, 'engine thread lost, moving its calls'),
    callMoved: (callId, reason) => engine.warn({ callId, reason }, 'call moved to another engine thread'),
    callFailed: (callId, error) => engine.error({ callId, error }, 'call failed in the engine'),
    fault: (error) => engine.error({ error }, 'engine fault'),
  };
}

function bridgeLog({ bridge }: Loggers): BridgeObserver {
  return {
    transportLost: (kind, reason, resumed) =>
      bridge.error({ kind, reason, resumed }, 'transport lost its bridge thread'),
    threadStalled: (threadId) => bridge.error({ threadId }, 'bridge thread stalled, stopping it'),
    fault: (error) => bridge.error({ error }, 'bridge fault'),
  };
}

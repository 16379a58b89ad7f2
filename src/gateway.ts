import type { Closer, GatewayDeps, Running } from './assembly/gateway-deps.ts';
import type { CancelTimer, Clock } from './base/time.ts';
import { loadMediaIo } from './native/media-io.ts';
import type { Settings } from './settings/settings.ts';
import { openStore, type Store } from './store/store.ts';
import type { Loggers } from './telemetry/loggers.ts';
import { Engine, type EngineObserver } from './threads/engine.ts';

/** A worker that stands still this long is replaced. */
const ENGINE_STALL_MS = 2_000;

/** Often enough for who watches the process, and too seldom to cost anything: it takes some milliseconds of a core. */
const GIVE_BACK_INTERVAL_MS = 60_000;

/** A gateway that runs. */
export interface Gateway extends Running {
  /** Ends every call, tells every platform and client, and releases everything within some `deadlineMs`. */
  close(deadlineMs: number): Promise<void>;
}

/** Puts the parts together and starts them; rejects, with nothing left running, when one cannot start. */
export async function startGateway(settings: Settings, clock: Clock, loggers: Loggers): Promise<Gateway> {
  const closers: Closer[] = [];
  let closing: Promise<void> | null = null;
  const close = (deadlineMs: number): Promise<void> => {
    closing ??= closeAll(closers, deadlineMs, loggers);
    return closing;
  };
  try {
    return { ...(await startAll({ settings, clock, loggers, closers })), close };
  } catch (error) {
    await close(0);
    throw error;
  }
}

/** However late it is, a part gets this long to close. */
const LEAST_CLOSE_MS = 500;

/** Last in, first out, all within the deadline; a part that cannot close does not keep the others open. */
async function closeAll(closers: Closer[], deadlineMs: number, loggers: Loggers): Promise<void> {
  const endMs = performance.now() + deadlineMs;
  for (let closer = closers.pop(); closer; closer = closers.pop()) {
    const leftMs = Math.max(LEAST_CLOSE_MS, endMs - performance.now());
    await closer(leftMs).catch((error) => loggers.main.error({ err: error }, 'a part failed to close'));
  }
}

/**
 * The engine's threads take longest, so they start first and are waited for last; everything else is loaded and
 * started beside them. Meanwhile `/readyz` says that they do not run, and calls wait for them.
 */
async function startAll(deps: Omit<GatewayDeps, 'engine' | 'store'>): Promise<Running> {
  const engine = startEngine(deps);
  const store = await startStore(deps);
  const { assemble } = await import('./assembly/assemble.ts');
  const running = await assemble({ ...deps, engine, store });
  await engine.ready;
  giveMemoryBack(deps);
  return running;
}

/** What a burst needed (audio that waits while the machine stands still) would stay with the process for good. */
function giveMemoryBack({ settings, clock, closers }: Omit<GatewayDeps, 'engine' | 'store'>): void {
  if (settings.engine.mediaIo === 'portable') return;
  const giveBack = (): CancelTimer =>
    clock.after(GIVE_BACK_INTERVAL_MS, () => {
      const binding = loadMediaIo();
      if (typeof binding === 'string') return;
      binding.giveHeapBack();
      cancel = giveBack();
    });
  let cancel = giveBack();
  closers.push(async () => cancel());
}

function startEngine({ settings, loggers, closers }: Omit<GatewayDeps, 'engine' | 'store'>): Engine {
  if (settings.engine.mediaIo === 'native') assertNativeMediaIo();
  const engine = new Engine({
    ...settings.engine,
    stallMs: ENGINE_STALL_MS,
    observer: engineLog(loggers),
  });
  closers.push((deadlineMs) => engine.close(deadlineMs));
  // When another part fails first, nobody waits for the threads any more.
  engine.ready.catch(() => {});
  return engine;
}

/** Said here, because a thread that cannot start would only be missed after its deadline. */
function assertNativeMediaIo(): void {
  const binding = loadMediaIo();
  if (typeof binding !== 'string') return;
  throw new Error(`SVC_MEDIA_IO is "native", but native media I/O cannot be loaded: ${binding}`);
}

async function startStore(deps: Omit<GatewayDeps, 'engine' | 'store'>): Promise<Store> {
  const { settings, clock, loggers, closers } = deps;
  const { dataDir, masterKey, allowsNewDatabase } = settings;
  const onWarning = (text: string) => loggers.main.warn(text);
  const store = await openStore({ dataDir, masterKey, allowsNewDatabase, onWarning, clock });
  closers.push(() => store.close());
  return store;
}

function engineLog({ engine }: Loggers): EngineObserver {
  return {
    workerReady: (threadId) => engine.debug({ threadId }, 'engine thread ready'),
    workerLost: (threadId, stalled, calls) =>
      engine.error({ threadId, stalled, calls }, 'engine thread lost, its calls move'),
    callMoved: (callId, reason) => engine.warn({ callId, reason }, 'call moves to another engine thread'),
    callFailed: (callId, error) => engine.error({ callId, error }, 'call failed in the engine'),
    fault: (error) => engine.error({ error }, 'fault in the engine'),
  };
}

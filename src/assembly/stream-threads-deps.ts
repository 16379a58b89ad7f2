import { StreamThreads } from '../api/stream-threads/stream-threads.ts';
import type { PartDeps } from './gateway-deps.ts';
import { playoutBounds } from './playout-bounds.ts';

/** A stream thread that stalls for this long is replaced. */
const STREAM_STALL_MS = 2_000;

/** Null: the main thread carries call WebSockets. */
export function openStreamThreads({ settings, loggers, metrics }: PartDeps): StreamThreads | null {
  const { streamThreads: threads, engine, http } = settings;
  if (threads === 0 || http.server === 'node') return null;
  const opened = StreamThreads.open({
    threads,
    mediaIo: engine.mediaIo,
    stallMs: STREAM_STALL_MS,
    playout: playoutBounds(threads),
    observer: {
      threadLost: (id, stalled) =>
        loggers.http.error({ id, stalled }, 'stream thread lost, agents reconnect'),
      playoutFull: () => metrics.queueFull('playout'),
      fault: (error) => loggers.http.error({ err: error }, 'stream thread fault'),
    },
  });
  if (typeof opened !== 'string') {
    metrics.watchStreamThreads(() => opened.report());
    return opened;
  }
  loggers.http.warn(
    { reason: opened },
    'the main thread carries call WebSockets, as stream threads cannot run',
  );
  return null;
}

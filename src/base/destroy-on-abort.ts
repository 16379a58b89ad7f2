import type { ClientRequest } from 'node:http';

/**
 * Destroys a request and its answer when the signal aborts. Node's `signal` option does so with an error: where the answer
 * is complete and unread, a socket that is kept alive has lost its listener by then, and the error is uncaught.
 */
export function destroyOnAbort(request: ClientRequest, signal: AbortSignal): void {
  const abort = (): void => void request.destroy();
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  request.on('close', () => signal.removeEventListener('abort', abort));
}

import type { Backlog } from './answer/backlog.ts';
import { NodeLibrary } from './node/node-library.ts';
import type { ServerHandlers, ServerLibrary } from './server-library.ts';
import { loadUws } from './uws/load-uws.ts';
import { UwsLibrary } from './uws/uws-library.ts';

/** `auto`: uWebSockets.js if it can be loaded, else Node's own http. */
export type LibraryChoice = 'uws' | 'node' | 'auto';

/**
 * Throws if uWebSockets.js was requested but cannot be loaded, and in any case if its file does not match the pinned
 * checksum.
 */
export function openLibrary(
  choice: LibraryChoice,
  backlog: Backlog,
  onFallback: ((reason: string) => void) | undefined,
  handlers: ServerHandlers,
): ServerLibrary {
  if (choice === 'node') return new NodeLibrary(handlers, backlog);
  const uws = loadUws();
  if (typeof uws !== 'string') return new UwsLibrary(uws, handlers, backlog);
  if (choice === 'uws')
    throw new Error(`SVC_HTTP_SERVER is "uws", but uWebSockets.js cannot be loaded: ${uws}`);
  onFallback?.(uws);
  return new NodeLibrary(handlers, backlog);
}

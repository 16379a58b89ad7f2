import type { LibraryChoice } from '../../src/api/http/server.ts';

/** The server library that a run is about: all tests of HTTP and WebSockets run over both (config/vitest.config.ts). */
export const HTTP_LIBRARY: LibraryChoice = process.env.SVC_HTTP_SERVER === 'node' ? 'node' : 'uws';

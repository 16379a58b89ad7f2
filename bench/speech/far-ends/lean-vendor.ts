import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { LeanListener, type ListenerWatch } from './lean-listener.ts';
import { LeanSpeaker, type SpeakerWatch } from './lean-speaker.ts';

export interface VendorWatch extends SpeakerWatch, ListenerWatch {}

const HOST = '127.0.0.1';

/**
 * As much of Deepgram as the bench needs, with the vendor's own messages (test/fakes/deepgram is complete and strict, and
 * costs more than what is measured). Takes any key, and µ-law at 8 kHz only.
 */
export class LeanVendor {
  readonly #server = createServer((request, response) => answer(request, response));
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  readonly #listeners = new Set<LeanListener>();
  readonly #watch: VendorWatch;

  private constructor(watch: VendorWatch) {
    this.#watch = watch;
    this.#server.on('upgrade', (request, socket, head) => {
      this.#sockets.handleUpgrade(request, socket, head, (client) => this.#open(client, request.url ?? ''));
    });
  }

  static async start(watch: VendorWatch): Promise<LeanVendor> {
    const vendor = new LeanVendor(watch);
    await new Promise<void>((resolve) => vendor.#server.listen(0, HOST, resolve));
    return vendor;
  }

  get url(): string {
    return `http://${HOST}:${(this.#server.address() as AddressInfo).port}`;
  }

  get listeners(): Iterable<LeanListener> {
    return this.#listeners;
  }

  #open(client: WebSocket, url: string): void {
    client.on('error', () => {});
    if (!url.includes('encoding=mulaw')) return client.close(1008, 'only mulaw');
    if (url.startsWith('/v1/speak')) {
      new LeanSpeaker(client, this.#watch);
      return;
    }
    const listener = new LeanListener(client, this.#watch);
    this.#listeners.add(listener);
    client.on('close', () => this.#listeners.delete(listener));
  }
}

/** The question about the key. */
function answer(_request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json');
  response.end(
    '{"api_key_id":"0d7f2e0c-0000-4000-8000-000000000003","scopes":["usage:write"],"accessor":"x"}',
  );
}

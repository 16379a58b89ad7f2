import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { LeanSpeaker, type SpeakerWatch } from '../speech/far-ends/lean-speaker.ts';

const HOST = '127.0.0.1';
const KEY_ANSWER =
  '{"api_key_id":"0d7f2e0c-0000-4000-8000-000000000003","scopes":["usage:write"],"accessor":"x"}';
const BYTES_PER_S = 8_000;

/** As much of Deepgram as the bench needs (compare `speech/far-ends/lean-vendor`): it understands what it is told to. */
export class PromptedVendor {
  /** The connections to `/v1/listen` that are open. */
  listeners: readonly PromptedListener[] = [];
  readonly #server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(KEY_ANSWER);
  });
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });

  private constructor(watch: SpeakerWatch) {
    this.#server.on('upgrade', (request, socket, head) => {
      this.#sockets.handleUpgrade(request, socket, head, (client) => {
        client.on('error', () => {});
        if (request.url?.startsWith('/v1/speak')) new LeanSpeaker(client, watch);
        else this.#listen(client);
      });
    });
  }

  #listen(client: WebSocket): void {
    const listener = new PromptedListener(client);
    this.listeners = [...this.listeners, listener];
    client.on('close', () => {
      this.listeners = this.listeners.filter((other) => other !== listener);
    });
  }

  static async start(watch: SpeakerWatch): Promise<PromptedVendor> {
    const vendor = new PromptedVendor(watch);
    await new Promise<void>((resolve) => vendor.#server.listen(0, HOST, resolve));
    return vendor;
  }

  get url(): string {
    return `http://${HOST}:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    for (const client of this.#sockets.clients) client.terminate();
  }
}

/** One connection to `/v1/listen`. */
export class PromptedListener {
  readonly #socket: WebSocket;
  #bytes = 0;
  #settledBytes = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#bytes += data.length;
      else if (data.includes('CloseStream')) socket.close(1000);
    });
  }

  /** All that came since the last time is now understood as this. */
  understand(text: string): void {
    const [start, end] = [this.#settledBytes / BYTES_PER_S, this.#bytes / BYTES_PER_S];
    const words = [{ word: text, start, end, confidence: 0.9, punctuated_word: text }];
    this.#socket.send(
      JSON.stringify({
        type: 'Results',
        channel_index: [0, 1],
        start,
        duration: end - start,
        is_final: true,
        speech_final: true,
        from_finalize: false,
        channel: { alternatives: [{ transcript: text, confidence: 0.9, words, languages: ['en'] }] },
      }),
    );
    this.#settledBytes = this.#bytes;
  }
}

import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { ClientSocket, type ClientSocketDeps } from './client-socket.ts';
import { MediaSocket } from './media-socket.ts';

/** One voice server of a region: a secure WebSocket for signaling, a UDP socket for audio. */
export class VoiceServer {
  readonly media: MediaSocket;
  readonly #server: Server;
  readonly #sockets: WebSocketServer;

  private constructor(server: Server, media: MediaSocket, deps: (server: VoiceServer) => ClientSocketDeps) {
    this.#server = server;
    this.media = media;
    this.#sockets = new WebSocketServer({ noServer: true });
    server.on('upgrade', (request, socket, head) => {
      const { searchParams } = new URL(request.url ?? '/', 'https://voice');
      if (searchParams.get('v') !== '8') {
        socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
        return;
      }
      this.#sockets.handleUpgrade(
        request,
        socket,
        head,
        (accepted) => new ClientSocket(accepted, deps(this)),
      );
    });
  }

  static async open(
    tls: { readonly key: Buffer; readonly cert: Buffer },
    deps: (server: VoiceServer) => ClientSocketDeps,
  ): Promise<VoiceServer> {
    const server = createServer(tls).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new VoiceServer(server, await MediaSocket.open(), deps);
  }

  /** `host:port`. */
  get endpoint(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.media.close();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

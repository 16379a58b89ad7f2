import type { NetworkingState, VoiceUDPSocket, VoiceWebSocket } from '@discordjs/voice';
import type { VoiceReceivePayload } from 'discord-api-types/voice/v8';

export interface SessionSocketsObserver {
  message(message: VoiceReceivePayload): void;
  datagram(bytes: Buffer): void;
  /** A message of the voice server that the library cannot read. */
  nonsense(error: Error): void;
}

/** Listens to the sockets of a voice session, whenever the library replaces them. */
export class SessionSockets {
  readonly #observer: SessionSocketsObserver;
  #webSocket: VoiceWebSocket | null = null;
  #udp: VoiceUDPSocket | null = null;
  readonly #takeMessage = (message: VoiceReceivePayload): void => this.#observer.message(message);
  readonly #takeDatagram = (bytes: Buffer): void => this.#observer.datagram(bytes);

  constructor(observer: SessionSocketsObserver) {
    this.#observer = observer;
  }

  follow(state: NetworkingState): void {
    this.#followWebSocket('ws' in state ? state.ws : null);
    this.#followUdp('udp' in state ? state.udp : null);
  }

  #followWebSocket(webSocket: VoiceWebSocket | null): void {
    if (webSocket === this.#webSocket) return;
    this.#webSocket?.off('packet', this.#takeMessage);
    this.#webSocket = webSocket;
    if (webSocket === null) return;
    this.#contain(webSocket);
    webSocket.on('packet', this.#takeMessage);
  }

  /** What the library throws at messages it does not understand would end the thread. */
  #contain(webSocket: VoiceWebSocket): void {
    const take = webSocket.onMessage.bind(webSocket);
    webSocket.onMessage = (event) => {
      try {
        take(event);
      } catch (error) {
        this.#observer.nonsense(error as Error);
      }
    };
  }

  #followUdp(udp: VoiceUDPSocket | null): void {
    if (udp === this.#udp) return;
    this.#udp?.off('message', this.#takeDatagram);
    this.#udp = udp;
    udp?.on('message', this.#takeDatagram);
  }
}

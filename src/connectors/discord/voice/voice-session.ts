import {
  Networking,
  type NetworkingState,
  NetworkingStatusCode,
  type NetworkingUdpHandshakingState,
  type VoiceUDPSocket,
  type VoiceWebSocket,
} from '@discordjs/voice';
import { VoiceOpcodes, type VoiceReceivePayload } from 'discord-api-types/voice/v8';
import { EventLoopLimit } from '../../../base/event-loop-limit.ts';
import type { CancelTimer, Clock } from '../../../base/time.ts';
import { isReady, type MediaState, PacketOpener } from './packet-opener.ts';
import type { VoiceAccess } from './voice-protocol.ts';

/** For the WebSocket, its handshake and the UDP socket. */
const OPENING_DEADLINE_MS = 6_000;
const RESUME_DEADLINE_MS = 5_000;
/** The library resumes at once, as often as the server lets it. */
const MAX_RESUMES = 5;
const RESUMES_WITHIN_MS = 60_000;
/** The library asks for its public address once, and UDP loses packets. */
const DISCOVER_AGAIN_MS = 300;

/**
 * Of all sessions of this thread. Those about keys take 5 ms each, and come several at once where somebody enters; the audio of
 * others is taken between them.
 */
const messageTurns = new EventLoopLimit(4);

export interface VoiceSessionObserver {
  /** The session has its keys for the voice server. */
  opened(): void;
  datagram(bytes: Buffer): void;
  /** Everybody else in the channel, after each change. */
  people(userIds: readonly string[]): void;
  left(userId: string): void;
  stream(ssrc: number, userId: string): void;
  /** The session is over, or could not be opened. Nothing follows. */
  closed(code: number | null, reason: string): void;
}

/**
 * One session with a voice server, by the library's Networking. Its VoiceConnection is not used: when a session ends, it
 * begins new ones without end and without a pause.
 */
export class VoiceSession {
  readonly #networking: Networking;
  readonly #opener: PacketOpener;
  readonly #sockets: SessionSockets;
  readonly #clock: Clock;
  readonly #observer: VoiceSessionObserver;
  readonly #ownId: string;
  #media: MediaState | null = null;
  #isOpen = false;
  #isOver = false;
  #resumesMs: number[] = [];
  #cancelDeadline: CancelTimer;
  #cancelDiscovery: CancelTimer = () => undefined;

  constructor(access: VoiceAccess, clock: Clock, observer: VoiceSessionObserver) {
    this.#ownId = access.userId;
    this.#clock = clock;
    this.#observer = observer;
    this.#networking = networkingOf(access);
    this.#opener = new PacketOpener(this.#networking);
    this.#sockets = new SessionSockets({
      message: (message) => this.#take(message),
      datagram: (bytes) => observer.datagram(bytes),
      nonsense: ({ message }) => this.#end(null, `the voice server sent what cannot be read: ${message}`),
    });
    this.#sockets.follow(this.#networking.state);
    this.#cancelDeadline = this.#within(OPENING_DEADLINE_MS, 'the voice server did not answer');
    this.#networking.on('stateChange', (_before, state) => this.#enter(state));
    this.#networking.on('close', (code) => this.#end(code, `closed with ${code}`));
    // The error of an open socket is followed by its end, and that of a datagram by the next one.
    this.#networking.on('error', ({ message }) => {
      if (!this.#isOpen) this.#end(null, message);
    });
  }

  /** Whether what the agent says can be sent, and understood by those who are there. */
  get maySend(): boolean {
    return this.#media?.code === NetworkingStatusCode.Ready && isReady(this.#media.dave);
  }

  get isAlone(): boolean {
    const { connectedClients } = this.#media?.connectionData ?? {};
    return (
      connectedClients === undefined || connectedClients.size === Number(connectedClients.has(this.#ownId))
    );
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Encrypts an Opus packet of 20 ms and sends it. `pauseTicks`: the pause since the end of the last one, in units of
   * 1/48,000 s, modulo 2^32. Returns false when nothing can be sent now.
   */
  send(payload: Buffer, pauseTicks: number): boolean {
    const media = this.#media;
    if (media === null || !this.maySend) return false;
    const { connectionData } = media;
    connectionData.timestamp = (connectionData.timestamp + pauseTicks) >>> 0;
    this.#networking.prepareAudioPacket(payload);
    return this.#networking.dispatchAudio();
  }

  stopSpeaking(): void {
    this.#networking.setSpeaking(false);
  }

  /** Returns the Opus packet in a datagram of the user; null when it cannot be decrypted. */
  decrypt(datagram: Buffer, userId: string): Buffer | null {
    return this.#media === null ? null : this.#opener.open(datagram, userId, this.#media);
  }

  /** Safe to call twice. */
  close(): void {
    this.#isOver = true;
    this.#cancelDeadline();
    this.#cancelDiscovery();
    this.#networking.destroy();
  }

  #enter(state: NetworkingState): void {
    this.#sockets.follow(state);
    const isResuming =
      state.code === NetworkingStatusCode.Resuming && this.#media?.code === NetworkingStatusCode.Ready;
    this.#media = isMedia(state) ? state : null;
    this.#cancelDiscovery();
    if (state.code === NetworkingStatusCode.UdpHandshaking) this.#discover(state);
    if (isResuming) this.#countResume();
    if (state.code === NetworkingStatusCode.Ready) this.#open();
  }

  #open(): void {
    this.#cancelDeadline();
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#observer.opened();
  }

  #countResume(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#resumesMs = [...this.#resumesMs.filter((atMs) => nowMs - atMs < RESUMES_WITHIN_MS), nowMs];
    if (this.#resumesMs.length > MAX_RESUMES)
      return this.#end(null, 'the voice server kept closing the connection');
    this.#cancelDeadline();
    this.#cancelDeadline = this.#within(RESUME_DEADLINE_MS, 'the voice server did not resume the session');
  }

  #discover(state: NetworkingUdpHandshakingState): void {
    this.#cancelDiscovery = this.#clock.after(DISCOVER_AGAIN_MS, () => {
      // Its answer is the one that the library waits for.
      state.udp.performIPDiscovery(state.connectionData.ssrc).catch(() => undefined);
      this.#discover(state);
    });
  }

  /** The library has taken the message already. */
  #take(message: VoiceReceivePayload): void {
    if (message.op === VoiceOpcodes.Speaking) this.#observer.stream(message.d.ssrc, message.d.user_id);
    if (message.op === VoiceOpcodes.ClientDisconnect) this.#observer.left(message.d.user_id);
    if (message.op === VoiceOpcodes.ClientDisconnect || message.op === VoiceOpcodes.ClientsConnect)
      this.#tellPeople();
  }

  #tellPeople(): void {
    const { state } = this.#networking;
    if (!('connectionData' in state)) return;
    const { connectedClients } = state.connectionData;
    this.#observer.people([...connectedClients].filter((userId) => userId !== this.#ownId));
  }

  #within(deadlineMs: number, reason: string): CancelTimer {
    return this.#clock.after(deadlineMs, () => this.#end(null, reason));
  }

  #end(code: number | null, reason: string): void {
    if (this.#isOver) return;
    this.close();
    this.#observer.closed(code, reason);
  }
}

function networkingOf({ endpoint, token, guildId, channelId, sessionId, userId }: VoiceAccess): Networking {
  return new Networking({ endpoint, token, serverId: guildId, channelId, sessionId, userId }, {});
}

function isMedia(state: NetworkingState): state is MediaState {
  return state.code === NetworkingStatusCode.Ready || state.code === NetworkingStatusCode.Resuming;
}

interface SessionSocketsObserver {
  message(message: VoiceReceivePayload): void;
  datagram(bytes: Buffer): void;
  /** A message of the voice server that the library cannot read. */
  nonsense(error: Error): void;
}

/** Listens to the sockets of a voice session, whenever the library replaces them. */
class SessionSockets {
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
    const takeInTurn = async (event: Parameters<typeof take>[0]): Promise<void> => {
      await messageTurns.enter();
      if (webSocket !== this.#webSocket) return;
      try {
        take(event);
      } catch (error) {
        this.#observer.nonsense(error as Error);
      }
    };
    webSocket.onMessage = (event) => void takeInTurn(event);
  }

  #followUdp(udp: VoiceUDPSocket | null): void {
    if (udp === this.#udp) return;
    this.#udp?.off('message', this.#takeDatagram);
    this.#udp = udp;
    udp?.on('message', this.#takeDatagram);
  }
}

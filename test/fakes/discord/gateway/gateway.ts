import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { FakeBot } from '../fake-bot.ts';
import type { VoiceStates } from '../world/voice-states.ts';
import type { World } from '../world/world.ts';
import type { Resume } from './client-payload.ts';
import { GatewayFaults } from './gateway-faults.ts';
import { GatewaySocket, type SocketGateway } from './gateway-socket.ts';
import { IdentifyPace } from './identify-pace.ts';
import { GatewaySession } from './session.ts';

export interface GatewayOptions {
  /** Interval of heartbeats in milliseconds; Discord's is 41,250. */
  readonly heartbeatMs?: number;
  /** How long a session that lost its connection can be resumed. */
  readonly resumeWindowMs?: number;
  /** Within it a bot may identify as often as its `max_concurrency` says. */
  readonly identifyWindowMs?: number;
}

const HEARTBEAT_MS = 41_250;
const RESUME_WINDOW_MS = 180_000;
const IDENTIFY_WINDOW_MS = 5_000;
/** Where connections are made anew, and where sessions are resumed. */
const PATHS = { start: '/gateway', resume: '/gateway-resume' } as const;

/** The gateway of bots: connections, and the sessions behind them. */
export class Gateway implements SocketGateway {
  readonly world: World;
  readonly voice: VoiceStates;
  readonly heartbeatMs: number;
  readonly pace: IdentifyPace;
  /** Breaches of the protocol. */
  readonly mistakes: string[];
  readonly sockets = new Set<GatewaySocket>();
  readonly faults = new GatewayFaults(this);
  /** Connections that are refused with 503 before more are taken. */
  refusedConnections = 0;
  /** Whether heartbeats are answered. */
  acknowledges = true;
  /** Whether connections are greeted. */
  greets = true;
  readonly #resumeWindowMs: number;
  readonly #sessions = new Map<string, GatewaySession>();
  readonly #server = new WebSocketServer({ noServer: true });
  #baseUrl = '';

  constructor(world: World, voice: VoiceStates, mistakes: string[], options: GatewayOptions) {
    this.world = world;
    this.voice = voice;
    this.mistakes = mistakes;
    this.heartbeatMs = options.heartbeatMs ?? HEARTBEAT_MS;
    this.pace = new IdentifyPace(options.identifyWindowMs ?? IDENTIFY_WINDOW_MS, world.nowMs);
    this.#resumeWindowMs = options.resumeWindowMs ?? RESUME_WINDOW_MS;
    world.follow((announcement) => {
      for (const session of this.#sessions.values()) session.hear(announcement);
    });
  }

  get url(): string {
    return this.#baseUrl + PATHS.start;
  }

  get resumeUrl(): string {
    return this.#baseUrl + PATHS.resume;
  }

  /** `baseUrl`: of the server, `ws://host:port`. */
  listenOn(server: Server, baseUrl: string): void {
    this.#baseUrl = baseUrl;
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  begin(bot: FakeBot, intents: number): GatewaySession {
    for (const old of this.#sessions.values()) if (this.#isOver(old)) this.end(old);
    const session = new GatewaySession(bot, intents);
    this.#sessions.set(session.id, session);
    return session;
  }

  find({ session_id: id }: Resume, bot: FakeBot): GatewaySession | null {
    const session = this.#sessions.get(id);
    if (session?.bot !== bot) return null;
    if (!this.#isOver(session)) return session;
    this.end(session);
    return null;
  }

  end(session: GatewaySession): void {
    this.#sessions.delete(session.id);
    for (const guild of this.world.guilds.values()) {
      const isItsOwn = guild.voiceStates.get(session.bot.id)?.sessionId === session.id;
      if (isItsOwn) this.voice.leave(session.bot.user, guild);
    }
  }

  takeOver(session: GatewaySession): void {
    for (const connection of this.sockets) if (connection.session === session) connection.abandon();
  }

  sessionsOf(bot: FakeBot): GatewaySession[] {
    return [...this.#sessions.values()].filter((session) => session.bot === bot);
  }

  botOf(token: string): FakeBot | null {
    const bots = [...this.world.bots.values()];
    return bots.find((bot) => !bot.isRevoked && bot.token === token.replace(/^Bot /, '')) ?? null;
  }

  stop(): void {
    for (const { socket } of this.sockets) socket.terminate();
    this.#server.close();
  }

  #isOver({ leftAtMs }: GatewaySession): boolean {
    return leftAtMs !== null && this.world.nowMs() - leftAtMs > this.#resumeWindowMs;
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake');
    const path = pathname.replace(/\/$/, '');
    const isRefused = this.refusedConnections > 0;
    if (isRefused) this.refusedConnections -= 1;
    const isHere = path === PATHS.start || path === PATHS.resume;
    if (isRefused || !isHere) {
      socket.end(
        `HTTP/1.1 ${isRefused ? '503 Service Unavailable' : '404 Not Found'}\r\nContent-Length: 0\r\n\r\n`,
      );
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (opened) =>
      this.#open(opened, searchParams, path === PATHS.resume),
    );
  }

  #open(opened: WebSocket, query: URLSearchParams, isForResuming: boolean): void {
    const connection = new GatewaySocket(opened, this, isForResuming);
    this.sockets.add(connection);
    opened.on('close', () => this.sockets.delete(connection));
    connection.start(query);
  }
}

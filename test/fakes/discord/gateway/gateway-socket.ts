import {
  GatewayCloseCodes as Close,
  GatewayDispatchEvents as E,
  GatewayIntentBits,
  GatewayOpcodes,
  type GatewayReceivePayload,
} from 'discord-api-types/v10';
import type { RawData, WebSocket } from 'ws';
import { unreachable } from '../../../../src/base/assert.ts';
import type { FakeBot } from '../fake-bot.ts';
import type { VoiceStates } from '../world/voice-states.ts';
import type { World } from '../world/world.ts';
import {
  ClientPayload,
  type Identify,
  isKnownOpcode,
  type Resume,
  type VoiceStateUpdate,
} from './client-payload.ts';
import { CLOSE_REASONS, ENDING, FAREWELLS } from './close-codes.ts';
import type { IdentifyPace } from './identify-pace.ts';
import { introduce } from './introduction.ts';
import { PayloadPace } from './payload-pace.ts';
import type { GatewaySession } from './session.ts';

const MAX_PAYLOAD_BYTES = 4_096;
const ALL_INTENTS = Object.values(GatewayIntentBits)
  .filter((bit) => typeof bit === 'number')
  .reduce((all, bit) => all | bit, 0);

/** The gateway behind a connection. */
export interface SocketGateway {
  readonly world: World;
  readonly voice: VoiceStates;
  readonly heartbeatMs: number;
  readonly resumeUrl: string;
  readonly pace: IdentifyPace;
  readonly mistakes: string[];
  readonly greets: boolean;
  readonly acknowledges: boolean;
  botOf(token: string): FakeBot | null;
  begin(bot: FakeBot, intents: number): GatewaySession;
  /** The session that a bot wants to resume; null: it is not there any more. */
  find(resume: Resume, bot: FakeBot): GatewaySession | null;
  /** Whoever holds the session loses it: its new connection has come. */
  takeOver(session: GatewaySession): void;
  /** The session is over: nobody can resume it, and the bot leaves voice. */
  end(session: GatewaySession): void;
}

/** One connection of a bot. */
export class GatewaySocket {
  readonly socket: WebSocket;
  readonly #gateway: SocketGateway;
  /** It was made to the address for resuming. */
  readonly #isForResuming: boolean;
  /** Nobody has resumed or identified yet. */
  #isFresh = true;
  readonly #pace: PayloadPace;
  #session: GatewaySession | null = null;
  #deadline: NodeJS.Timeout | null = null;

  constructor(socket: WebSocket, gateway: SocketGateway, isForResuming: boolean) {
    this.socket = socket;
    this.#gateway = gateway;
    this.#isForResuming = isForResuming;
    this.#pace = new PayloadPace(gateway.world.nowMs);
  }

  get session(): GatewaySession | null {
    return this.#session;
  }

  start(query: URLSearchParams): void {
    this.socket.on('close', (code) => this.#closed(code));
    this.socket.on('error', () => this.socket.terminate());
    if (query.get('v') !== '10') return this.close(Close.InvalidAPIVersion);
    if (query.get('encoding') !== 'json' || query.has('compress')) return this.close(Close.DecodeError);
    this.socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    if (this.#gateway.greets) this.#greet();
  }

  close(code: Close): void {
    if (this.#session && ENDING.includes(code)) this.#gateway.end(this.#session);
    this.socket.close(code, CLOSE_REASONS[code]);
  }

  send(payload: GatewayReceivePayload): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(payload));
  }

  /** Op 9. */
  invalidate(isResumable: boolean): void {
    if (!isResumable && this.#session) this.#gateway.end(this.#session);
    this.#detach();
    this.send({ op: GatewayOpcodes.InvalidSession, d: isResumable } as GatewayReceivePayload);
  }

  /** The session goes on over another connection. */
  abandon(): void {
    this.#detach();
    this.socket.terminate();
  }

  #greet(): void {
    const { heartbeatMs } = this.#gateway;
    this.send({ op: GatewayOpcodes.Hello, d: { heartbeat_interval: heartbeatMs } } as GatewayReceivePayload);
    this.#await();
  }

  /** A connection without heartbeats is closed. */
  #await(): void {
    clearTimeout(this.#deadline ?? undefined);
    this.#deadline = setTimeout(() => this.close(Close.SessionTimedOut), this.#gateway.heartbeatMs * 2);
  }

  #closed(code: number): void {
    clearTimeout(this.#deadline ?? undefined);
    const session = this.#session;
    this.#detach();
    if (session && FAREWELLS.includes(code)) this.#gateway.end(session);
  }

  #detach(): void {
    const session = this.#session;
    this.#session = null;
    if (!session) return;
    session.outlet = null;
    session.leftAtMs = this.#gateway.world.nowMs();
  }

  #attach(session: GatewaySession): void {
    this.#session = session;
    session.leftAtMs = null;
    session.outlet = (payload) => this.send(payload);
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    if (!this.#pace.admits()) return this.close(Close.RateLimited);
    const text = data.toString();
    if (isBinary || text.length > MAX_PAYLOAD_BYTES)
      return this.#protest(Close.DecodeError, text.slice(0, 80));
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      return this.#protest(Close.DecodeError, text);
    }
    if (!isKnownOpcode((json as { op?: unknown } | null)?.op))
      return this.#protest(Close.UnknownOpcode, text);
    const payload = ClientPayload.safeParse(json);
    if (!payload.success) return this.#protest(Close.DecodeError, `${payload.error.message} in ${text}`);
    this.#handle(payload.data);
  }

  #handle(payload: ClientPayload): void {
    switch (payload.op) {
      case GatewayOpcodes.Heartbeat:
        return this.#heartbeat(payload.d);
      case GatewayOpcodes.Identify:
        this.#checkAddress(false);
        return this.#session ? this.close(Close.AlreadyAuthenticated) : this.#identify(payload.d);
      case GatewayOpcodes.Resume:
        this.#checkAddress(true);
        return this.#session ? this.close(Close.AlreadyAuthenticated) : this.#resume(payload.d);
      case GatewayOpcodes.VoiceStateUpdate:
        return this.#session
          ? this.#updateVoiceState(payload.d, this.#session)
          : this.close(Close.NotAuthenticated);
      case GatewayOpcodes.PresenceUpdate:
      case GatewayOpcodes.RequestGuildMembers:
        if (!this.#session) this.close(Close.NotAuthenticated);
        return;
      default:
        unreachable(payload);
    }
  }

  /** Later on a connection may be used for either, as after op 9. */
  #checkAddress(isResume: boolean): void {
    const isMistaken = this.#isFresh && isResume !== this.#isForResuming;
    this.#isFresh = false;
    if (!isMistaken) return;
    const what = isResume
      ? 'a Resume at the address of /gateway/bot'
      : 'an Identify at the address for resuming';
    this.#gateway.mistakes.push(`gateway: ${what}`);
  }

  #heartbeat(seq: number | null): void {
    if (seq !== null && this.#session && seq > this.#session.seq) return this.close(Close.InvalidSeq);
    this.#await();
    if (this.#gateway.acknowledges) this.send({ op: GatewayOpcodes.HeartbeatAck } as GatewayReceivePayload);
  }

  #identify({ token, intents, shard }: Identify): void {
    const { world, pace } = this.#gateway;
    const bot = this.#gateway.botOf(token);
    if (!bot) return this.close(Close.AuthenticationFailed);
    if (intents & ~ALL_INTENTS) return this.close(Close.InvalidIntents);
    if (bot.lacks(intents)) return this.close(Close.DisallowedIntents);
    if (shard && (shard[0] >= shard[1] || shard[1] > 1)) return this.close(Close.InvalidShard);
    if (!pace.admits(bot)) return this.invalidate(false);
    bot.countIdentify(world.nowMs());
    if (bot.isRevoked) return this.close(Close.AuthenticationFailed);
    const session = this.#gateway.begin(bot, intents);
    this.#attach(session);
    introduce(world, session, this.#gateway.resumeUrl);
  }

  #resume(resume: Resume): void {
    const bot = this.#gateway.botOf(resume.token);
    if (!bot) return this.close(Close.AuthenticationFailed);
    const session = this.#gateway.find(resume, bot);
    if (!session) return this.invalidate(false);
    if (resume.seq > session.seq) return this.close(Close.InvalidSeq);
    if (!session.remembers(resume.seq)) return this.invalidate(false);
    this.#gateway.takeOver(session);
    this.#attach(session);
    session.replay(resume.seq);
    session.greet({ t: E.Resumed, d: undefined as never });
  }

  #updateVoiceState(update: VoiceStateUpdate, { bot, id }: GatewaySession): void {
    const { world, voice } = this.#gateway;
    const guild = world.guilds.get(update.guild_id);
    if (!guild?.has(bot.user)) return;
    if (update.channel_id === null) return voice.leave(bot.user, guild);
    const channel = guild.channels.get(update.channel_id);
    // Discord answers nothing to who may not join.
    if (!channel || !voice.mayJoin(bot.user, channel)) return;
    voice.join(bot.user, channel, { isMuted: update.self_mute, isDeafened: update.self_deaf }, id);
  }

  #protest(code: Close, what: string): void {
    this.#gateway.mistakes.push(`gateway: ${what}`);
    this.close(code);
  }
}

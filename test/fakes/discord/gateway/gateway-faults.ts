import { type GatewayCloseCodes, GatewayOpcodes, type GatewayReceivePayload } from 'discord-api-types/v10';
import type { FakeBot } from '../fake-bot.ts';
import type { GatewaySocket } from './gateway-socket.ts';
import type { GatewaySession } from './session.ts';

/** What there is at a gateway. */
interface Faulty {
  readonly sockets: ReadonlySet<GatewaySocket>;
  sessionsOf(bot: FakeBot): readonly GatewaySession[];
  end(session: GatewaySession): void;
}

/** What goes wrong at the gateway, on demand. */
export class GatewayFaults {
  readonly #gateway: Faulty;

  constructor(gateway: Faulty) {
    this.#gateway = gateway;
  }

  /** Op 7: the bot is to come again, and to resume. */
  reconnect(bot: FakeBot): void {
    for (const socket of this.#of(bot))
      socket.send({ op: GatewayOpcodes.Reconnect } as GatewayReceivePayload);
  }

  /** Op 9: the session is invalid; `isResumable`: the bot may resume it nevertheless. */
  invalidate(bot: FakeBot, isResumable: boolean): void {
    for (const socket of this.#of(bot)) socket.invalidate(isResumable);
  }

  /** Closes the bot's connections. */
  close(bot: FakeBot, code: GatewayCloseCodes): void {
    for (const socket of this.#of(bot)) socket.close(code);
  }

  /** The bot's connections break. */
  drop(bot: FakeBot): void {
    for (const { socket } of this.#of(bot)) socket.terminate();
  }

  /** Op 1: a heartbeat is due now. */
  demandHeartbeat(bot: FakeBot): void {
    for (const socket of this.#of(bot)) socket.send({ op: GatewayOpcodes.Heartbeat, d: null } as never);
  }

  /** Forgets the bot's sessions, as if it had been away too long: the next Resume gets op 9. */
  forget(bot: FakeBot): void {
    for (const session of this.#gateway.sessionsOf(bot)) this.#gateway.end(session);
  }

  #of(bot: FakeBot): GatewaySocket[] {
    return [...this.#gateway.sockets].filter(({ session }) => session?.bot === bot);
  }
}

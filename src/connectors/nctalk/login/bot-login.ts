import { createHash } from 'node:crypto';
import { type Address, directAddress, keyOfLogin, type LoginRef } from '../../../base/address.ts';
import type { LiveMessage, LiveOutcome } from '../../contract/live-message.ts';
import type { OutboundMessage, OutboundReaction, SendOutcome } from '../../contract/messenger.ts';
import { liveOutcomeOf } from '../../kit/live-outcome.ts';
import { LOGIN_OK, LoginCheck } from '../../kit/login-check.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import { TalkApi, type TalkTraits } from '../client.ts';
import { Arrival } from '../messages/arrival.ts';
import { CAN_EDIT, showBeginning } from '../messages/live-edits.ts';
import { sendToRoom } from '../messages/outbound.ts';
import { Poller } from '../messages/poller.ts';
import { NOT_ENCRYPTED, RoomCommands } from '../messages/room-commands.ts';
import { RoomReader } from '../messages/room-reader.ts';
import { RoomRegistry } from '../messages/room-registry.ts';
import { type SendingRecord, TalkRecords } from '../nctalk-records.ts';
import { failureOf, OcsClient } from '../ocs-client.ts';
import { addonOffWords } from '../pairing/addon-client.ts';
import type { AddonCredentials } from '../pairing/talk-credentials.ts';
import type { TalkConnection } from '../pairing/talk-pairing.ts';
import { RoomTyping } from '../typing/room-typing.ts';
import type { TalkWorld } from './talk-world.ts';

const REQUEST_MS = 15_000;
const LIVE_MS = 5_000;
/** So many messages of the owner in a row that only polling has found, and events are lost. */
const UNANNOUNCED = 3;
/** Rooms whose messages no event tells of are polled for so long after the last one. */
const SILENT_MS = 600_000;

/** The bot user of one connection: what it reads, writes and is called for. */
export class BotLogin extends LoginCheck {
  readonly kind = 'bot' as const;
  readonly api: TalkApi;
  readonly credentials: AddonCredentials;
  readonly server: string;
  readonly accountId: string;
  readonly records: TalkRecords;
  readonly rooms: RoomRegistry;
  /** As which the addon posts: a Talk bot, whose id comes from its URL. */
  readonly addonBotId: string;
  readonly #world: TalkWorld;
  readonly #reader: RoomReader;
  readonly #commands: RoomCommands;
  readonly #poller: Poller;
  readonly #arrival: Arrival;
  readonly #ref: LoginRef;
  readonly #typing: RoomTyping;
  #traits: TalkTraits | null = null;
  #unannounced = 0;
  /** Until when rooms count as such that no event tells of: Talk calls the addon only where the bot is a moderator. */
  readonly #silentUntilMs = new Map<string, number>();
  #isArriving = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(world: TalkWorld, { id, server, accountId }: TalkConnection, credentials: AddonCredentials) {
    super({
      clock: world.clock,
      ask: async (signal) => await this.#ask(signal),
      wordsOf: (error) => failureOf(error).message,
      onState: ({ status }) => {
        world.observer.count(status === LOGIN_OK ? 'login_ok' : 'login_failed');
        world.report(id, status);
        if (status === LOGIN_OK) this.#poller.wake();
      },
    });
    const { botLogin: userId, botPassword: password, owner, appId, apiSecret } = credentials;
    const { http, clock, observer, reads, intake } = world;
    this.#world = world;
    this.#ref = { kind: 'connection', id };
    this.server = server;
    this.accountId = accountId;
    this.credentials = credentials;
    this.addonBotId = `bot-${createHash('sha1').update(`nextcloudapp://${appId}`).digest('hex')}`;
    const { signal } = this;
    const user = { server, userId, password };
    const api = new TalkApi(http, new OcsClient(http, user));
    const reader = { login: this.#ref, ownId: userId, owner };
    const records = new TalkRecords(world.records, id);
    const rooms = new RoomRegistry(records, owner);
    const addon = {
      authorize: async (token: string, by: string | null) =>
        await world.addonRooms.authorize({ server, appId, apiSecret }, token, by),
    };
    this.api = api;
    this.records = records;
    this.rooms = rooms;
    const shared = { api, reader, rooms, observer, signal, intake };
    const commands = new RoomCommands({ ...shared, addon });
    this.#commands = commands;
    this.#reader = new RoomReader({
      ...shared,
      reads,
      callChanged: (token) => this.callChanged(token),
      commanded: async (command, place, message) => await commands.carryOut(command, place, message),
    });
    this.#typing = new RoomTyping({
      clock,
      http,
      user,
      reach: world.reach,
      places: world.typingPlaces,
      inCall: (token, on) => world.typeInCall(id, token, on),
      failed: (error) => this.#typingFailed(error),
    });
    this.#arrival = new Arrival({ ...shared, clock, records, appId });
    this.#poller = new Poller({
      ...shared,
      clock,
      hasEvents: () => this.#arrival.hasEvents && !this.#hasSilentRooms(),
      isUp: () => this.state.status === LOGIN_OK,
      look: async (token) => await this.#lookByPolling(token),
      heard: (failure) => void (failure ? this.failed(failure) : this.#arrive()),
    });
  }

  get key(): string {
    return keyOfLogin(this.#ref);
  }

  /** Begins to receive. */
  follow(): void {
    this.#running = this.#follow().catch((error: unknown) => {
      if (!this.signal.aborted)
        this.#world.observer.log('error', 'a connection to a Nextcloud cannot be read', { err: error });
    });
  }

  /** Stores what is new in a room because the addon has called. As `RoomReader.called`. */
  async called(token: string): Promise<Address | null> {
    if (!this.#world.hears) return null;
    this.#unannounced = 0;
    this.#silentUntilMs.delete(token);
    await this.#arrival.eventCame();
    const from = await this.#noticed(token, this.#reader.called(token));
    if (from !== null) this.#poller.isBusy(token);
    return from;
  }

  /** Stores what is new in a room. As `RoomReader.look`. */
  async look(token: string): Promise<Address | null> {
    return await this.#noticed(token, this.#reader.look(token));
  }

  /** As `look`, in the background. */
  ring(token: string): void {
    if (this.#world.hears) void this.look(token).catch(() => undefined);
  }

  /** Who writes in a room, as far as that is known before it is read: in the conversation with the owner. */
  writerIn(token: string): Address | null {
    const isDirect = this.rooms.placeOf(token)?.kind === 'direct';
    return isDirect ? directAddress(this.#ref, this.credentials.owner) : null;
  }

  /** The bot has come to a room, or left it. */
  moved(token: string): void {
    this.rooms.left(token);
    this.ring(token);
  }

  /** The addon encrypts what people write in a room. It is told there, once. */
  async encrypted(token: string): Promise<void> {
    if (await this.rooms.seal(token)) await this.#commands.say(token, NOT_ENCRYPTED, 'encrypted');
  }

  /** A call may have started or ended in a room. Those that the bot does not hear are none of its business. */
  callChanged(token: string): void {
    if (this.rooms.isHeard(token)) this.#world.callChanged(this.key, token);
  }

  /** The marker of a probe has come back. */
  probed(nonce: string): void {
    this.#arrival.probed(nonce);
  }

  /** The addon has forgotten the rooms of the owner. */
  async forgottenByAddon(): Promise<void> {
    await this.rooms.forgottenByAddon();
    await this.#commands.tellAddon();
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome> {
    const former = await this.records.sending(message);
    if (former === null) await this.records.putSending(message, null);
    return await this.#send(message, former, signal);
  }

  /** Whether people can see messages while they are written. */
  get showsWriting(): boolean {
    return this.#traits?.features.has(CAN_EDIT) === true;
  }

  /** Shows the beginning of a message. */
  async show(message: LiveMessage, signal: AbortSignal): Promise<LiveOutcome> {
    const token = this.#tokenOf(message.to);
    if (token === null) return { kind: 'refused' };
    try {
      const options = { deadlineMs: LIVE_MS, signal };
      return { kind: 'shown', shownId: await showBeginning({ api: this.api, token }, message, options) };
    } catch (error) {
      const failure = failureOf(error);
      this.failed(failure);
      return liveOutcomeOf(failure);
    }
  }

  /** Takes a message away that will not be whole. Best effort; never rejects. */
  async remove(to: Address, shownId: string, signal: AbortSignal): Promise<void> {
    const token = this.#tokenOf(to);
    const options = { deadlineMs: LIVE_MS, signal };
    if (token !== null) await this.api.deleteMessage(token, Number(shownId), options).catch(() => {});
  }

  /** Null: there is none, or the bot is not heard there. */
  #tokenOf({ space }: Address): string | null {
    if (space.kind === 'direct') return this.rooms.direct;
    return this.rooms.isHeard(space.id) ? space.id : null;
  }

  /** Rejects with a PlatformFailure. */
  async react({ space }: Address, reaction: OutboundReaction, signal: AbortSignal): Promise<void> {
    const token = space.kind === 'channel' ? space.id : this.rooms.direct;
    if (token === null) throw new PlatformFailure('refused', 'There is no conversation with this person');
    await this.api.react(token, reaction, { deadlineMs: REQUEST_MS, signal });
  }

  /** Shows that the agent is typing, if there is a way to. */
  showTyping(to: Address): void {
    const token = this.#tokenOf(to);
    if (token === null || this.state.status !== LOGIN_OK) return;
    this.#typing.show(token);
  }

  /** The agent's message is on its way. */
  hideTyping(token: string): void {
    this.#typing.hide(token);
  }

  /** Reports a failed request. What is known already about a login that does not work says more. */
  failed(failure: PlatformFailure): void {
    this.#world.observer.count(failure.kind === 'later' ? 'throttled' : 'api_error');
    if (failure.isLoggedOut && this.state.status === LOGIN_OK) this.isDown(failure.message);
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#typing.close();
    await this.#running;
    await this.#reader.settled();
  }

  async #follow(): Promise<void> {
    if (!this.#world.hears) {
      this.check();
      return;
    }
    await this.rooms.load();
    await this.#arrival.load();
    this.check();
    await this.#poller.run();
  }

  async #ask(signal: AbortSignal): Promise<{ readonly name: string }> {
    const { botLogin } = this.credentials;
    this.#traits = await this.api.traits({ deadlineMs: REQUEST_MS, signal }).catch(async (error: unknown) => {
      throw await this.#refusedBecause(failureOf(error));
    });
    return { name: botLogin };
  }

  /** An addon that is switched off has deleted its bots, which says more than that they are not logged in. */
  async #refusedBecause(failure: PlatformFailure): Promise<PlatformFailure> {
    if (!failure.isLoggedOut) return failure;
    const { server } = this;
    const answer = this.#world.addons.signalingServer({ server, ...this.credentials }, REQUEST_MS);
    const isGone = await answer.then(
      () => false,
      (error: unknown) => failureOf(error).isLoggedOut,
    );
    return isGone ? new PlatformFailure('refused', addonOffWords(server), { isLoggedOut: true }) : failure;
  }

  #typingFailed(error: unknown): void {
    this.#world.observer.count('typing_failed');
    if (error instanceof PlatformFailure) this.failed(error);
  }

  /** Does what is to be done when the Nextcloud answers, and has not been done yet. */
  async #arrive(): Promise<void> {
    if (this.#isArriving) return;
    this.#isArriving = true;
    try {
      await this.#arrival.settleIn();
      await this.#commands.tellAddon();
    } catch (error) {
      if (!this.signal.aborted) this.failed(failureOf(error));
    } finally {
      this.#isArriving = false;
    }
  }

  #hasSilentRooms(): boolean {
    const nowMs = this.#world.clock.monotonicMs();
    for (const [token, untilMs] of this.#silentUntilMs)
      if (untilMs <= nowMs) this.#silentUntilMs.delete(token);
    return this.#silentUntilMs.size > 0;
  }

  /** A room that cannot be read now is read later, too. */
  async #noticed(token: string, looking: Promise<Address | null>): Promise<Address | null> {
    try {
      return await looking;
    } catch (error) {
      this.#poller.failed(token);
      this.failed(failureOf(error));
      this.#world.observer.count('room_failed');
      throw error;
    }
  }

  async #lookByPolling(token: string): Promise<boolean> {
    const from = await this.look(token).catch(() => null);
    if (from === null) return false;
    this.#poller.isBusy(token);
    if (this.rooms.placeOf(token)?.kind === 'direct') this.#unannounced += 1;
    this.#silentUntilMs.set(token, this.#world.clock.monotonicMs() + SILENT_MS);
    if (this.#unannounced >= UNANNOUNCED) await this.#arrival.eventsLost();
    return true;
  }

  async #send(
    message: OutboundMessage,
    former: SendingRecord | null,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const { space } = message.to;
    if (space.kind === 'channel') {
      if (this.rooms.isHeard(space.id)) return await this.#sendTo(space.id, message, former, signal);
      return { kind: 'refused', reason: 'The conversation is not activated', isAddressGone: true };
    }
    const known = this.rooms.direct;
    if (known !== null) {
      const outcome = await this.#sendTo(known, message, former, signal);
      if (outcome.kind !== 'refused' || !outcome.isAddressGone) return outcome;
      await this.rooms.directGone(known);
    }
    try {
      const { token } = await this.#arrival.directRoom(signal);
      return await this.#sendTo(token, message, former, signal);
    } catch (error) {
      const failure = failureOf(error);
      this.failed(failure);
      if (failure.kind === 'refused')
        return { kind: 'refused', reason: failure.message, isAddressGone: false };
      // Opening a conversation twice is harmless.
      return { kind: 'later', reason: failure.message, afterMs: failure.afterMs || 2_000 };
    }
  }

  async #sendTo(
    token: string,
    message: OutboundMessage,
    former: SendingRecord | null,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const { api, addonBotId } = this;
    const { clock } = this.#world;
    this.#typing.hide(token);
    const traits = this.#traits ?? { features: new Set<string>(), folder: '/Talk' };
    const failed = (failure: PlatformFailure) => this.failed(failure);
    return await sendToRoom({ api, clock, token, traits, signal, former, addonBotId, failed }, message);
  }
}

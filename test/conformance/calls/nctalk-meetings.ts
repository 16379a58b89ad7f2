import type { FakeNextcloud } from '../../fakes/nextcloud/fake-nextcloud.ts';
import type { FakeNcUser } from '../../fakes/nextcloud/world/fake-nc-user.ts';
import type { FakeRoom } from '../../fakes/nextcloud/world/fake-room.ts';
import { type Answer, GatewayApi } from '../../support/gateway-api.ts';
import { TalkPerson } from '../../support/talk-person.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { WebRtcPeople } from '../../support/webrtc-people.ts';
import type { AccountUnderTest, CallerUnderTest, FarEnd, OfferedCall } from './calls-under-test.ts';

const RATE_HZ = 48_000;

export interface TalkWorld {
  readonly nextcloud: FakeNextcloud;
  readonly signalingUrl: string;
  readonly people: WebRtcPeople;
  /** Everybody whose connections have candidates. */
  readonly persons: TalkPerson[];
}

/** Calls are refused with 409 until the bot is there after a restart. */
class PatientApi extends GatewayApi {
  override async post(path: string, body?: object): Promise<Answer> {
    if (path !== '/api/call') return await super.post(path, body);
    return await waitFor('the bot to be connected', async () => {
      const answer = await super.post(path, body);
      return answer.status === 409 ? null : answer;
    });
  }
}

/** The conversations that one account calls. Until the far end has decided, the bot is in their lobbies. */
export class TalkMeetings implements AccountUnderTest {
  readonly api: GatewayApi;
  readonly agentKey: string;
  readonly #world: TalkWorld;
  readonly #owner: FakeNcUser;
  readonly #bot: FakeNcUser;
  readonly #rooms = new Map<string, FakeRoom>();
  #numbers = 0;

  /** `owner`: the person whose bot it is. */
  constructor(
    world: TalkWorld,
    owner: FakeNcUser,
    bot: FakeNcUser,
    [url, agentKey]: readonly [string, string],
  ) {
    this.#world = world;
    this.#owner = owner;
    this.#bot = bot;
    this.agentKey = agentKey;
    this.api = new PatientApi(url, agentKey);
  }

  get offers(): number {
    return [...this.#rooms.values()].filter((room) => isIn(room, this.#bot)).length;
  }

  newMeeting(): string {
    const room = this.#newRoom();
    room.changeLobby(true);
    const url = `${this.#world.nextcloud.url}/call/${room.token}`;
    this.#rooms.set(url, room);
    return url;
  }

  async offered(meetingUrl: string, deadlineMs: number): Promise<OfferedCall> {
    const room = this.#rooms.get(meetingUrl)!;
    await waitFor('the bot in the lobby', () => isIn(room, this.#bot), deadlineMs);
    return new BotInLobby(this.#far(room), room, this.#bot);
  }

  /** The owner starts a call where they have activated the bot. */
  async called(): Promise<CallerUnderTest> {
    const room = this.#newRoom();
    room.write(this.#owner, '/activate');
    await waitFor('the bot to be activated', () => room.writtenBy(this.#bot).length > 0);
    this.#rooms.set(room.token, room);
    const far = this.#far(room);
    await far.enter();
    const answered = waitFor('the bot to enter', () => isInCall(room, this.#bot)).then(() => far);
    answered.catch(() => undefined);
    return {
      answered,
      // Nobody is told in Talk.
      get isRefused() {
        return !isInCall(room, far.bot);
      },
      giveUp: () => far.hangUp(),
    };
  }

  endAll(): void {
    for (const room of this.#rooms.values())
      if (this.#world.nextcloud.world.rooms.has(room.token)) this.#world.nextcloud.world.deleteRoom(room);
    this.#rooms.clear();
  }

  #newRoom(): FakeRoom {
    const name = `Meeting ${++this.#numbers}`;
    return this.#world.nextcloud.room({ kind: 'group', name, members: [this.#owner, this.#bot] });
  }

  #far(room: FakeRoom): PersonInCall {
    return new PersonInCall(this.#world, room, this.#owner, this.#bot);
  }
}

function isIn(room: FakeRoom, bot: FakeNcUser): boolean {
  return room.sessions.some(({ attendee }) => attendee.user === bot);
}

function isInCall(room: FakeRoom, bot: FakeNcUser): boolean {
  return room.call.sessions.some(({ attendee }) => attendee.user === bot);
}

class BotInLobby implements OfferedCall {
  readonly #far: PersonInCall;
  readonly #room: FakeRoom;
  readonly #bot: FakeNcUser;

  constructor(far: PersonInCall, room: FakeRoom, bot: FakeNcUser) {
    this.#far = far;
    this.#room = room;
    this.#bot = bot;
  }

  get isWithdrawn(): boolean {
    return !isIn(this.#room, this.#bot);
  }

  async answer(): Promise<FarEnd> {
    await this.#far.enter();
    this.#room.changeLobby(false);
    await waitFor('the bot to enter', () => isInCall(this.#room, this.#bot));
    return this.#far;
  }

  fail(failure: string): void {
    if (failure === 'removed') this.#room.remove(this.#bot, this.#room.attendee(this.#far.user).actor);
    else this.#far.nextcloud.world.deleteRoom(this.#room);
  }
}

/** The owner, in the call with the bot. */
class PersonInCall implements FarEnd {
  readonly sampleRateHz = RATE_HZ;
  readonly user: FakeNcUser;
  readonly bot: FakeNcUser;
  readonly nextcloud: FakeNextcloud;
  readonly #world: TalkWorld;
  readonly #room: FakeRoom;
  readonly #person: TalkPerson;
  /** Whom they listen to. */
  #heard = '';

  constructor(world: TalkWorld, room: FakeRoom, user: FakeNcUser, bot: FakeNcUser) {
    this.nextcloud = world.nextcloud;
    this.#world = world;
    this.#room = room;
    this.user = user;
    this.bot = bot;
    this.#person = this.#newPerson(user);
  }

  async enter(): Promise<void> {
    await this.#person.enter();
  }

  get isOver(): boolean {
    return !isIn(this.#room, this.bot);
  }

  speak(toneHz: number): { stop(): void } {
    const saying = this.#person.say(toneHz).catch(() => undefined);
    return { stop: () => void saying.then(async () => await this.#person.hush()).catch(() => undefined) };
  }

  async hears(lengthMs: number, deadlineMs: number): Promise<Int16Array> {
    const agent = await waitFor('the agent', () => this.#person.sessionOf(this.bot), deadlineMs);
    if (agent !== this.#heard) await this.#person.listenTo(agent);
    this.#heard = agent;
    return await this.#person.hear(agent, lengthMs);
  }

  hangUp(): void {
    void this.#person.leave(true).catch(() => undefined);
  }

  writes(text: string): void {
    this.#room.write(this.user, text);
  }

  read(): readonly string[] {
    return this.#room.writtenBy(this.bot).map(({ text }) => text);
  }

  typingShown(): number {
    return this.#person.told.filter(({ type }) => type === 'startedTyping').length;
  }

  enters(name: string): () => void {
    const uid = `${name.toLowerCase()}-${this.#room.token}`;
    const user = this.nextcloud.user(uid, name);
    this.#room.add(user, this.#room.attendee(this.user).actor);
    const person = this.#newPerson(user);
    const entering = person.enter().catch(() => undefined);
    return () => void entering.then(async () => await person.leave()).catch(() => undefined);
  }

  #newPerson(user: FakeNcUser): TalkPerson {
    const person = new TalkPerson({ ...this.#world, room: this.#room }, user);
    this.#world.persons.push(person);
    return person;
  }
}

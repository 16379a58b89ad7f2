import type { Capability } from '../../src/base/platform.ts';
import { ReadingTime } from '../../src/base/reading-time.ts';
import type { Termination } from '../../src/base/termination.ts';
import { systemClock } from '../../src/base/time.ts';
import type {
  InboundChat,
  LegObserver,
  Participant,
  PlatformLeg,
  SpeakingVoice,
} from '../../src/connectors/contract/call-leg.ts';
import type { InboundCall } from '../../src/connectors/contract/connector.ts';
import { PlatformHttp } from '../../src/connectors/kit/platform-http.ts';
import { type CallingBot, TalkCalls } from '../../src/connectors/nctalk/calls/talk-calls.ts';
import { BridgePool } from '../../src/threads/bridge-pool.ts';
import type { EngineCall } from '../../src/threads/call-link.ts';
import type { Engine } from '../../src/threads/engine.ts';
import { FakeNextcloud } from '../fakes/nextcloud/fake-nextcloud.ts';
import type { FakeNcUser } from '../fakes/nextcloud/world/fake-nc-user.ts';
import type { FakeRoom } from '../fakes/nextcloud/world/fake-room.ts';
import { startTestEngine, TestAgent } from '../unit/engine/support/test-engine.ts';
import { Janus } from './janus.ts';
import { SignalingServer } from './signaling-server.ts';
import { TalkPerson } from './talk-person.ts';
import { tappedVoice } from './tapped-voice.ts';
import { TcpRelay } from './tcp-relay.ts';
import { Tone } from './tone.ts';
import { waitFor } from './wait-for.ts';
import { WebRtcPeople } from './webrtc-people.ts';

export const SAMPLE_RATE_HZ = 48_000;
export const AGENT_HZ = 1_300;
const ACCOUNT = 'acc_1';
const CONNECTION = 'con_1';

/** A Nextcloud with a real signaling server and Janus, people with libwebrtc, and the calls of a bot. */
export class TalkCallsWorld {
  readonly nextcloud: FakeNextcloud;
  readonly janus: Janus;
  readonly signaling: SignalingServer;
  /** The bot's way to the signaling server. */
  readonly relay: TcpRelay;
  readonly engine: Engine;
  readonly bridges: BridgePool;
  readonly calls: TalkCalls;
  readonly bot: FakeNcUser;
  readonly calling: CallingBot;
  readonly rung: { readonly inbound: InboundCall; readonly call: AgentCall }[] = [];
  /** How often the Nextcloud has refused the login. */
  loggedOut = 0;
  readonly #persons: TalkPerson[] = [];
  readonly #people: WebRtcPeople;
  readonly #legs: PlatformLeg[] = [];
  #lastCall = 0;

  private constructor(
    parts: Pick<TalkCallsWorld, 'nextcloud' | 'janus' | 'signaling' | 'relay' | 'engine'>,
    isInternal: boolean,
  ) {
    ({
      nextcloud: this.nextcloud,
      janus: this.janus,
      signaling: this.signaling,
      relay: this.relay,
      engine: this.engine,
    } = parts);
    this.bridges = new BridgePool({
      observer: { transportLost: () => {}, threadStalled: () => {}, fault: () => {} },
    });
    this.bot = this.nextcloud.user('ai-bot-1', 'AI (Ada)');
    this.#people = new WebRtcPeople((name, candidate) => {
      for (const person of this.#persons) person.candidate(name, candidate);
    });
    const host = new URL(this.relay.url).host;
    const user = { server: this.nextcloud.url, userId: this.bot.uid, password: this.bot.addAppPassword() };
    this.calling = { connectionId: CONNECTION, accountId: ACCOUNT, user };
    this.calls = new TalkCalls({
      clock: systemClock,
      bridges: this.bridges,
      http: new PlatformHttp('Nextcloud', systemClock),
      reach: {
        findAddresses: async () => ['127.0.0.1'],
        isOpen: () => true,
        readingTime: new ReadingTime(systemClock),
      },
      internalSecrets: new Map(isInternal ? [[host, this.signaling.internalSecret]] : []),
      checkText: () => undefined,
      botOf: (login) => ('id' in login && login.id === CONNECTION ? this.calling : null),
      agentOf: async () => 'agt_1',
      failed: (_connectionId, { isLoggedOut }) => {
        if (isLoggedOut) this.loggedOut += 1;
      },
    });
    this.calls.onInbound({
      ring: (inbound) => {
        this.rung.push({ inbound, call: this.#take(inbound) });
        return 'ringing';
      },
    });
  }

  static async start({ isInternal = false } = {}): Promise<TalkCallsWorld> {
    const nextcloud = await FakeNextcloud.start();
    const janus = await Janus.start();
    const backends = [{ url: nextcloud.url, secret: nextcloud.hpb.backendSecret }];
    const signaling = await SignalingServer.start({ backends, janusUrl: janus.url });
    const relay = await TcpRelay.start(Number(new URL(signaling.url).port));
    nextcloud.hpb.url = relay.url;
    const { engine } = await startTestEngine();
    return new TalkCallsWorld({ nextcloud, janus, signaling, relay, engine }, isInternal);
  }

  /** A room of the bot and these people. The first of them owns it. */
  room(...people: readonly FakeNcUser[]): FakeRoom {
    return this.nextcloud.room({ kind: 'group', name: 'Planning', members: [...people, this.bot] });
  }

  person(room: FakeRoom, user: FakeNcUser): TalkPerson {
    const { nextcloud, signaling } = this;
    const person = new TalkPerson(
      { nextcloud, room, signalingUrl: signaling.url, people: this.#people },
      user,
    );
    this.#persons.push(person);
    return person;
  }

  /** The bot calls a room. */
  dial(room: FakeRoom, target = `${this.nextcloud.url}/call/${room.token}`): AgentCall {
    return new AgentCall(this.engine, `call_${++this.#lastCall}`, (call, control) => {
      const leg = this.calls.dial(
        {
          callId: call.id,
          accountId: ACCOUNT,
          agentId: 'agt_1',
          login: { kind: 'connection', id: CONNECTION },
          target,
          dtmf: '',
          agentName: 'AI',
        },
        control,
        call,
      );
      this.#legs.push(leg);
      return leg;
    });
  }

  /** The addon says that something has happened to the call of a room. */
  callChanged({ token }: FakeRoom): void {
    this.calls.callChanged(this.calling, token);
  }

  #take(inbound: InboundCall): AgentCall {
    return new AgentCall(this.engine, `call_${++this.#lastCall}`, (call, control) => {
      const leg = inbound.take(control, call);
      this.#legs.push(leg);
      return leg;
    });
  }

  async stop(): Promise<void> {
    for (const leg of this.#legs) leg.hangUp();
    await Promise.all(this.#legs.map((leg) => leg.released));
    for (const person of this.#persons) person.close();
    this.#people.stop();
    await this.bridges.close(1_000);
    await this.engine.close(1_000);
    await this.relay.stop();
    await this.signaling.stop();
    await this.janus.stop();
    await this.nextcloud.stop();
  }
}

/** A call of the bot's, and an agent with a tone of its own. */
export class AgentCall implements LegObserver {
  readonly id: string;
  readonly leg: PlatformLeg;
  readonly engineCall: EngineCall;
  readonly agent: TestAgent;
  /** What was said of the call, in order: `waiting in the lobby`, `answered`, `ended`. */
  readonly states: string[] = [];
  readonly ends: { readonly by: string; readonly termination: Termination }[] = [];
  readonly chats: InboundChat[] = [];
  readonly offered: (readonly Capability[])[] = [];
  /** The participant of each voice that speaks, by name. */
  readonly speakers = new Map<number, string>();
  people: readonly Participant[] = [];

  constructor(
    engine: Engine,
    id: string,
    begin: (call: AgentCall, control: EngineCall['media']) => PlatformLeg,
  ) {
    this.id = id;
    this.engineCall = engine.place(id, { ended: () => {}, turned: () => {}, heard: () => {} });
    this.leg = begin(this, this.engineCall.media);
    this.engineCall.startAudio();
    this.agent = new TestAgent(this.engineCall);
    this.agent.audio.listen(SAMPLE_RATE_HZ);
  }

  /** The agent says a tone for 30 s. */
  speak(toneHz = AGENT_HZ): void {
    const samples = new Int16Array(30 * SAMPLE_RATE_HZ);
    new Tone(toneHz, SAMPLE_RATE_HZ, 0.2).fill(samples);
    this.agent.audio.write(samples, SAMPLE_RATE_HZ);
  }

  async becomes(state: string, deadlineMs?: number): Promise<void> {
    await waitFor(`the call to be ${state}`, () => this.states.includes(state), deadlineMs).catch(
      (error: Error) => {
        throw new Error(`${error.message}: ${this.states.join(', ')} ${JSON.stringify(this.ends)}`);
      },
    );
  }

  /** What the agent hears from now on. */
  async hears(lengthMs = 1_000): Promise<Int16Array> {
    this.agent.frames.length = 0;
    await waitFor('audio', () => this.agent.frames.length >= lengthMs / 20);
    const bytes = Buffer.concat(this.agent.frames);
    return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
  }

  /** A second of one voice alone. */
  async hearsVoice(voice: number): Promise<Int16Array> {
    // The first half second holds the beginning.
    const frames = await tappedVoice(this.engineCall, voice, SAMPLE_RATE_HZ, 75);
    return frames.subarray(SAMPLE_RATE_HZ / 2);
  }

  get names(): string[] {
    return this.people.map(({ name }) => name).toSorted();
  }

  ringing(): void {}
  earlyMedia(): void {}
  held(): void {}
  dtmf(): void {}
  said(): void {}
  created(): void {}

  waiting(reason: string): void {
    this.states.push(`waiting ${reason}`);
  }

  answered(): void {
    this.states.push('answered');
  }

  capabilities(list: readonly Capability[]): void {
    this.offered.push(list);
  }

  chat(message: InboundChat): void {
    this.chats.push(message);
  }

  participants(list: readonly Participant[]): void {
    this.people = list;
  }

  speaking({ voiceId, participantId }: SpeakingVoice, on: boolean): void {
    const name = this.people.find(({ id }) => id === participantId)?.name ?? '?';
    if (on) this.speakers.set(voiceId, name);
    else this.speakers.delete(voiceId);
  }

  ended(by: string, termination: Termination): void {
    this.states.push('ended');
    this.ends.push({ by, termination });
  }
}

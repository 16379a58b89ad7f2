import { fileURLToPath } from 'node:url';
import type { TerminationResult } from '../../../src/base/termination.ts';
import { systemClock } from '../../../src/base/time.ts';
import type { Connector } from '../../../src/connectors/contract/connector.ts';
import type { Bridges } from '../../../src/media/transport.ts';
import { LoopbackConnector } from '../../loopback/loopback-connector.ts';
import { LoopbackWorld } from '../../loopback/loopback-world.ts';
import { PLATFORM } from '../../loopback/platform.ts';
import type { LoopbackVendor } from '../../loopback/server/loopback-vendor.ts';
import type { Meeting } from '../../loopback/server/meeting.ts';
import type { Gateway, GatewayOptions } from '../../support/gateway.ts';
import { memberOf } from '../../support/member.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  type AccountUnderTest,
  type CallFeature,
  type CallsUnderTest,
  type FarEnd,
  GATEWAY_ENV,
  type OfferedCall,
} from './calls-under-test.ts';

const FAULTS = fileURLToPath(new URL('../../support/thread-faults.mjs', import.meta.url));
const SAMPLE_RATE_HZ = 48_000;

/** A connector to read declarations from. */
export function loopbackConnector(): Connector {
  const nowhere = 'http://127.0.0.1:9';
  const options = { vendorUrl: nowhere, authorizationUrl: nowhere, clientId: '', clientSecret: '' };
  const noBridges = {} as Bridges;
  return new LoopbackConnector({ ...options, webhookRoot: () => nowhere }, noBridges, systemClock);
}

export interface LoopbackTestOptions {
  /** How the vendor carries audio. */
  readonly media: 'pcm' | 'packets';
  readonly patienceMs: number;
  readonly gateway?: GatewayOptions;
}

/** Meetings of the loopback platform, with a bot for each of two accounts. */
export class LoopbackCallsUnderTest implements CallsUnderTest {
  readonly connector = loopbackConnector();
  readonly features = new Set<CallFeature>(['chat', 'typing', 'lobby', 'participants']);
  readonly refused = [
    { meetingUrl: '', detail: 'meeting_url required', code: 'meeting_url_required' },
    {
      meetingUrl: 'https://meeting.example/1',
      detail: 'meeting_url is not a meeting of the loopback vendor',
      code: 'invalid_meeting_url',
    },
  ];
  readonly failures: Readonly<Record<string, TerminationResult>> = { denied: 'refused' };
  readonly gateway: Gateway;
  readonly account: AccountUnderTest;
  readonly otherAccount: AccountUnderTest;
  patienceMs: number;
  readonly #world: LoopbackWorld;
  readonly #meetings: readonly Meetings[];

  private constructor(world: LoopbackWorld, accounts: readonly [Meetings, Meetings], patienceMs: number) {
    this.#world = world;
    this.gateway = world.gateway;
    this.#meetings = accounts;
    [this.account, this.otherAccount] = accounts;
    this.patienceMs = patienceMs;
  }

  static async start({
    media,
    patienceMs,
    gateway: { env, ...others } = {},
  }: LoopbackTestOptions): Promise<LoopbackCallsUnderTest> {
    const world = await LoopbackWorld.start({
      ...others,
      env: { ...GATEWAY_ENV, NODE_OPTIONS: `--import=${FAULTS}`, ...env },
    });
    const { gateway, vendor } = world;
    await world.bot('Attendant');
    const own = new Meetings(gateway, gateway.agentKey, { vendor, media });
    const other = new Meetings(gateway, await secondAccount(world), { vendor, media });
    return new LoopbackCallsUnderTest(world, [own, other], patienceMs);
  }

  killEngineThread(): void {
    process.kill(this.gateway.pid, 'SIGUSR2');
  }

  killBridgeThread(): void {
    process.kill(this.gateway.pid, 'SIGWINCH');
  }

  hangUpAll(): void {
    for (const meetings of this.#meetings) meetings.endAll();
  }

  async stop(): Promise<void> {
    await this.#world.stop();
  }
}

/** Signs somebody up, registers a bot and returns an agent key. */
async function secondAccount({ gateway, vendor }: LoopbackWorld): Promise<string> {
  const person = await memberOf(gateway, 'other@example.com');
  const { token } = vendor.accounts.bot('Other attendant');
  gateway.secrets.add(token);
  const request = { platform: PLATFORM, bot_token: token, discord_app_id: '1' };
  const added = await person.request('POST', '/api/bot-tokens', request);
  if (added.body.status !== 'ok') throw new Error(`POST bot-tokens: ${JSON.stringify(added.body)}`);
  const { body } = await person.request('POST', '/api/api-keys', { name: 'conformance' });
  const key = Object.values<string>(body).find((value) => /^svc_.{30}/.test(value))!;
  gateway.secrets.add(key);
  return key;
}

/** The meetings that one account is invited to. */
class Meetings implements AccountUnderTest {
  readonly api;
  readonly agentKey: string;
  readonly #vendor: LoopbackVendor;
  readonly #media: 'pcm' | 'packets';
  readonly #byUrl = new Map<string, Meeting>();

  constructor(
    gateway: Gateway,
    agentKey: string,
    { vendor, media }: { readonly vendor: LoopbackVendor; readonly media: 'pcm' | 'packets' },
  ) {
    this.api = gateway.api(agentKey);
    this.agentKey = agentKey;
    this.#vendor = vendor;
    this.#media = media;
  }

  get offers(): number {
    return [...this.#byUrl.values()].reduce((sum, { sessions }) => sum + sessions.length, 0);
  }

  /** A meeting with a lobby: being admitted is being answered. */
  newMeeting(): string {
    const meeting = this.#vendor.meeting();
    meeting.hasLobby = true;
    const url = this.#vendor.meetingUrl(meeting, this.#media);
    this.#byUrl.set(url, meeting);
    return url;
  }

  async offered(meetingUrl: string, deadlineMs: number): Promise<OfferedCall> {
    const meeting = this.#byUrl.get(meetingUrl)!;
    await waitFor('somebody in the lobby', () => meeting.sessions.length > 0, deadlineMs);
    return new MeetingCall(meeting);
  }

  endAll(): void {
    for (const meeting of this.#byUrl.values()) meeting.end();
  }
}

/** The people in a meeting that the agent has joined. */
class MeetingCall implements OfferedCall, FarEnd {
  readonly sampleRateHz = SAMPLE_RATE_HZ;
  readonly #meeting: Meeting;

  constructor(meeting: Meeting) {
    this.#meeting = meeting;
  }

  get isWithdrawn(): boolean {
    return this.isOver;
  }

  get isOver(): boolean {
    return this.#meeting.session.state === 'over';
  }

  async answer(): Promise<FarEnd> {
    this.#meeting.enter('Ada', 0);
    this.#meeting.hasLobby = false;
    this.#meeting.admit();
    return this;
  }

  fail(): void {
    this.#meeting.deny();
  }

  speak(toneHz: number): { stop(): void } {
    const speaker = this.#meeting.enter('Ben', toneHz);
    return { stop: () => this.#meeting.leave(speaker) };
  }

  async hears(lengthMs: number): Promise<Int16Array> {
    return await this.#meeting.session.heard.next((lengthMs * SAMPLE_RATE_HZ) / 1_000);
  }

  hangUp(): void {
    this.#meeting.end();
  }

  writes(text: string): void {
    this.#meeting.write('Ada', text);
  }

  read(): readonly string[] {
    return this.#meeting.written.map(({ text }) => text);
  }

  typingShown(): number {
    return this.#meeting.typing.length;
  }

  enters(name: string): () => void {
    const person = this.#meeting.enter(name, 0);
    return () => this.#meeting.leave(person);
  }
}

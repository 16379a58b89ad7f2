import { ReadingTime } from '../../../src/base/reading-time.ts';
import type { TerminationResult } from '../../../src/base/termination.ts';
import { systemClock } from '../../../src/base/time.ts';
import type { Connector } from '../../../src/connectors/contract/connector.ts';
import { DiscordConnector } from '../../../src/connectors/discord/discord-connector.ts';
import type { Bridges } from '../../../src/media/transport.ts';
import { DiscordVoiceWorld } from '../../support/discord-voice-world.ts';
import type { Gateway, GatewayOptions } from '../../support/gateway.ts';
import type { GatewayApi } from '../../support/gateway-api.ts';
import { memberOf } from '../../support/member.ts';
import { MemoryRecords } from '../../support/memory-records.ts';
import {
  type AccountUnderTest,
  type CallFeature,
  type CallsUnderTest,
  GATEWAY_ENV,
} from './calls-under-test.ts';
import { DiscordMeetings } from './discord-meetings.ts';

const NOWHERE = 'http://127.0.0.1:9';

/** A connector to read declarations from. */
export function discordConnector(): Connector {
  const options = { apiUrl: NOWHERE, cdnUrl: NOWHERE, shared: null, hearsBots: false };
  return new DiscordConnector(options, {
    clock: systemClock,
    observer: { count: () => undefined, log: () => undefined },
    records: new MemoryRecords(),
    readingTime: new ReadingTime(systemClock),
    calls: { bridges: {} as Bridges, linkedPeople: async () => [] },
  });
}

export interface DiscordTestOptions {
  /** Whose bot it is: the account's, or shared by all. */
  readonly bot: 'own' | 'shared';
  readonly patienceMs: number;
  readonly gateway?: GatewayOptions;
}

/** Voice channels of Discord, with a bot for each of two accounts. */
export class DiscordCallsUnderTest implements CallsUnderTest {
  readonly connector = discordConnector();
  readonly features = new Set<CallFeature>(['chat', 'typing', 'participants']);
  readonly refused = [
    { meetingUrl: '', detail: 'meeting_url required', code: 'meeting_url_required' },
    {
      meetingUrl: 'https://meeting.example/1',
      detail:
        'meeting_url is not a Discord voice channel, such as https://discord.com/channels/<server>/<channel>',
      code: 'invalid_meeting_url',
    },
  ];
  readonly failures: Readonly<Record<string, TerminationResult>> = {
    'not let in': 'no_answer',
    'refused by the voice server': 'failed',
  };
  readonly gateway: Gateway;
  patienceMs: number;
  readonly account: AccountUnderTest;
  readonly otherAccount: AccountUnderTest;
  readonly #world: DiscordVoiceWorld;
  readonly #meetings: readonly DiscordMeetings[];

  private constructor(
    world: DiscordVoiceWorld,
    accounts: readonly [DiscordMeetings, DiscordMeetings],
    patienceMs: number,
  ) {
    this.#world = world;
    this.gateway = world.gateway;
    this.#meetings = accounts;
    [this.account, this.otherAccount] = accounts;
    this.patienceMs = patienceMs;
  }

  static async start({
    bot,
    patienceMs,
    gateway: options,
  }: DiscordTestOptions): Promise<DiscordCallsUnderTest> {
    const gateway = { ...options, env: { ...GATEWAY_ENV, ...options?.env } };
    const world = await DiscordVoiceWorld.start({ gateway, hasSharedBot: bot === 'shared' });
    const { agentKey, settingsApi } = world.gateway;
    const accounts = [
      await meetingsOf(world, 'attendant', agentKey, settingsApi),
      await secondAccount(world),
    ] as const;
    return new DiscordCallsUnderTest(world, accounts, patienceMs);
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

/** The account's own bot, or the shared one and somebody who is linked to the account. */
async function meetingsOf(
  world: DiscordVoiceWorld,
  name: string,
  agentKey: string,
  settings: Pick<GatewayApi, 'post'>,
): Promise<DiscordMeetings> {
  if (world.sharedBot === null)
    return new DiscordMeetings(world, await world.bot(name, settings), agentKey, null);
  return new DiscordMeetings(world, world.sharedBot, agentKey, await world.link(name, settings));
}

/** Signs somebody up. */
async function secondAccount(world: DiscordVoiceWorld): Promise<DiscordMeetings> {
  const person = await memberOf(world.gateway, 'other@example.com');
  const { body } = await person.request('POST', '/api/api-keys', { name: 'conformance' });
  const key = Object.values<string>(body).find((value) => /^svc_.{30}/.test(value))!;
  world.gateway.secrets.add(key);
  const settings = { post: (path: string, sent?: unknown) => person.request('POST', path, sent as object) };
  return await meetingsOf(world, 'other-attendant', key, settings);
}

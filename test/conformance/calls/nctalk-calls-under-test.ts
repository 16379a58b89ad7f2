import { fileURLToPath } from 'node:url';
import type { TerminationResult } from '../../../src/base/termination.ts';
import type { Connector } from '../../../src/connectors/contract/connector.ts';
import { FakeNextcloud } from '../../fakes/nextcloud/fake-nextcloud.ts';
import { Gateway } from '../../support/gateway.ts';
import type { GatewayApi } from '../../support/gateway-api.ts';
import { Janus } from '../../support/janus.ts';
import { memberOf } from '../../support/member.ts';
import { SignalingServer } from '../../support/signaling-server.ts';
import type { TalkPerson } from '../../support/talk-person.ts';
import { WebRtcPeople } from '../../support/webrtc-people.ts';
import { nextcloudTalkConnector } from '../messenger/nctalk-under-test.ts';
import {
  type AccountUnderTest,
  type CallFeature,
  type CallsUnderTest,
  GATEWAY_ENV,
} from './calls-under-test.ts';
import { TalkMeetings, type TalkWorld } from './nctalk-meetings.ts';

const FAULTS = fileURLToPath(new URL('../../support/thread-faults.mjs', import.meta.url));

interface Servers {
  readonly nextcloud: FakeNextcloud;
  readonly janus: Janus;
  readonly signaling: SignalingServer;
  readonly people: WebRtcPeople;
}

/** Calls of Nextcloud Talk over a real signaling server and Janus, with a bot for each of two accounts. */
export class TalkCallsUnderTest implements CallsUnderTest {
  readonly connector: Connector = nextcloudTalkConnector();
  readonly features = new Set<CallFeature>(['chat', 'typing', 'lobby', 'participants']);
  readonly refused: CallsUnderTest['refused'];
  readonly failures: Readonly<Record<string, TerminationResult>> = { removed: 'refused', deleted: 'refused' };
  readonly gateway: Gateway;
  readonly account: AccountUnderTest;
  readonly otherAccount: AccountUnderTest;
  patienceMs: number;
  readonly #servers: Servers;
  readonly #meetings: readonly TalkMeetings[];

  private constructor(
    gateway: Gateway,
    servers: Servers,
    meetings: readonly [TalkMeetings, TalkMeetings],
    patienceMs: number,
  ) {
    this.gateway = gateway;
    this.#servers = servers;
    this.#meetings = meetings;
    [this.account, this.otherAccount] = meetings;
    this.patienceMs = patienceMs;
    this.refused = [
      { meetingUrl: '', detail: 'meeting_url required', code: 'meeting_url_required' },
      {
        meetingUrl: 'https://meeting.example/1',
        detail: `meeting_url is no conversation of Nextcloud Talk, such as ${servers.nextcloud.url}/call/abcd1234`,
        code: 'invalid_meeting_url',
      },
      {
        meetingUrl: 'https://cloud.example/call/abcd1234',
        detail: `meeting_url is a conversation of another Nextcloud. The agent is connected to ${servers.nextcloud.url}`,
        code: 'invalid_meeting_url',
      },
    ];
  }

  static async start(patienceMs: number): Promise<TalkCallsUnderTest> {
    const nextcloud = await FakeNextcloud.start();
    nextcloud.guard.mostFailures = Infinity;
    const janus = await Janus.start();
    const backends = [{ url: nextcloud.url, secret: nextcloud.hpb.backendSecret }];
    const signaling = await SignalingServer.start({ backends, janusUrl: janus.url });
    nextcloud.hpb.url = signaling.url;
    const gateway = await Gateway.start({
      env: { ...GATEWAY_ENV, SVC_NCTALK_ALLOW: '127.0.0.1', NODE_OPTIONS: `--import=${FAULTS}` },
    });
    const persons: TalkPerson[] = [];
    const people = new WebRtcPeople((name, candidate) => {
      for (const person of persons) person.candidate(name, candidate);
    });
    const world = { nextcloud, signalingUrl: signaling.url, people, persons };
    const meetings = [
      await meetingsOf(world, gateway, 'ada', gateway.agentKey, gateway.settingsApi),
      await secondAccount(world, gateway),
    ] as const;
    return new TalkCallsUnderTest(gateway, { nextcloud, janus, signaling, people }, meetings, patienceMs);
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
    const { nextcloud, janus, signaling, people } = this.#servers;
    await this.gateway.stop();
    people.stop();
    await signaling.stop();
    await janus.stop();
    await nextcloud.stop();
  }
}

/** Pairs a Nextcloud user with an account. */
async function meetingsOf(
  world: TalkWorld,
  gateway: Gateway,
  name: string,
  agentKey: string,
  settings: Pick<GatewayApi, 'post'>,
): Promise<TalkMeetings> {
  const { nextcloud } = world;
  const owner = nextcloud.user(name);
  const { body } = await settings.post('/api/oauth/start/nctalk', { server_url: nextcloud.url });
  const asked = new URL(body.authorize_url).searchParams;
  nextcloud.addon.backendUrl = asked.get('backend_url')!;
  const callbackUrl = asked.get('callback_url')!;
  const bot = await nextcloud.addon.approve({ callbackUrl, state: asked.get('state')!, owner: owner.uid });
  if (bot === null) throw new Error('the gateway refuses the bot');
  for (const secret of [bot.password, nextcloud.addon.apiSecret]) gateway.secrets.add(secret);
  return new TalkMeetings(world, owner, bot.user, [gateway.baseUrl, agentKey]);
}

/** Signs somebody up. */
async function secondAccount(world: TalkWorld, gateway: Gateway): Promise<TalkMeetings> {
  const person = await memberOf(gateway, 'other@example.com');
  const { body } = await person.request('POST', '/api/api-keys', { name: 'conformance' });
  const key = Object.values<string>(body).find((value) => /^svc_.{30}/.test(value))!;
  gateway.secrets.add(key);
  const settings = { post: (path: string, sent?: unknown) => person.request('POST', path, sent as object) };
  return await meetingsOf(world, gateway, 'ben', key, settings);
}

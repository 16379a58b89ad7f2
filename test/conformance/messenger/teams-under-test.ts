import type { Connector } from '../../../src/connectors/contract/connector.ts';
import { teamsConnector } from '../../../src/connectors/teams/teams-connector.ts';
import { envelope, messageActivity } from '../../fakes/teams/delivery/activities.ts';
import type { FakePerson } from '../../fakes/teams/fake-person.ts';
import { FakeTeams } from '../../fakes/teams/fake-teams.ts';
import type { FakeChat } from '../../fakes/teams/world/fake-chat.ts';
import { newGuid } from '../../fakes/teams/world/teams-ids.ts';
import { Gateway, type GatewayOptions } from '../../support/gateway.ts';
import { IDLE_TEAMS } from '../../support/teams-deps.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  type ChannelUnderTest,
  type Delivery,
  GATEWAY_ENV,
  type LoginUnderTest,
  type MessengerUnderTest,
  type PayloadsUnderTest,
  type PersonUnderTest,
  type PlatformFaults,
  type WebhookUnderTest,
} from './messenger-under-test.ts';
import { TEAMS_KINDS } from './payloads/teams-payloads.ts';
import { isNote, TeamsChannel, TeamsPerson } from './teams-person-under-test.ts';

/** Long enough for a gateway that restarts, again and again on a busy machine. */
const RETRY_DELAYS = Array.from({ length: 4_000 }, () => 300);

/** A connector to read declarations from, with the files that have to be switched on. */
export function declaredTeams(hasFiles = true): Connector {
  const none = { openIdUrl: null, serviceUrl: null, filesUrl: null, serviceHosts: [] };
  const bot = { appId: '', secret: '', tenantId: '', hasFiles, ...none };
  return teamsConnector(
    { cloud: 'public', loginUrl: null, graphUrl: null, tenant: 'organizations', application: null, bot },
    IDLE_TEAMS,
  );
}

export interface TeamsTestOptions {
  readonly patienceMs: number;
  readonly gateway?: GatewayOptions;
}

/** Teams, with the bot that all accounts share. Files are off, as they are by default. */
export class TeamsUnderTest implements MessengerUnderTest {
  readonly connector: Connector = declaredTeams(false);
  patienceMs: number;
  /** 20,477 characters as they are sent; with letters, the API's own limit comes first. */
  readonly textLimit = 5_120;
  readonly textOf = '<';
  readonly canEdit = true;
  readonly canBlock = true;
  readonly gateway: Gateway;
  readonly webhook: WebhookUnderTest;
  readonly login: LoginUnderTest;
  readonly teams: FakeTeams;
  readonly #channel: TeamsChannel;
  #people = 0;

  private constructor(
    gateway: Gateway,
    channel: TeamsChannel,
    webhook: MessagingWebhook,
    patienceMs: number,
  ) {
    this.gateway = gateway;
    this.patienceMs = patienceMs;
    this.webhook = webhook;
    this.teams = webhook.teams;
    this.#channel = channel;
    this.login = new BotLogin(webhook.teams);
  }

  static async start({ patienceMs, gateway: options = {} }: TeamsTestOptions): Promise<TeamsUnderTest> {
    const teams = await FakeTeams.start({ retryDelays: RETRY_DELAYS });
    const { env, ...others } = options;
    const gateway = await Gateway.start({ ...others, env: { ...GATEWAY_ENV, ...teams.settings, ...env } });
    gateway.secrets.add(teams.bot.secret);
    teams.delivery.url = `${gateway.baseUrl}/api/messages`;
    const olga = teams.addPerson('Olga');
    const team = teams.world.addTeam('Acme', teams.tenantId);
    const general = teams.world.addChannel(team, 'plans', [olga.user]);
    const webhook = new MessagingWebhook(teams, await teams.token());
    const subject = new TeamsUnderTest(gateway, new TeamsChannel(general, olga), webhook, patienceMs);
    await subject.#connectChannel(olga, general);
    return subject;
  }

  async person(): Promise<PersonUnderTest> {
    this.#people++;
    const person = this.teams.addPerson(`Person ${this.#people}`);
    person.says(await this.#code());
    await waitFor('the connection', () => person.received().some(isNote), this.patienceMs);
    return new TeamsPerson(person);
  }

  channel(): ChannelUnderTest {
    return this.#channel;
  }

  readonly faults: PlatformFaults = {
    refuse: () => {
      const message = 'Activity resulted into multiple skype activities';
      this.teams.fail('send', { kind: 'refuse', status: 400, code: 'ActivityRefused', message });
      return `${message} (ActivityRefused)`;
    },
    throttle: () => {
      this.teams.fail('send', { kind: 'throttle', retryAfterS: null });
      return 1_000;
    },
    loseAnswer: () => this.teams.fail('send', { kind: 'drop', isDone: true }),
    hold: (isDone) => new Promise((reached) => this.teams.fail('send', { kind: 'hang', isDone, reached })),
  };

  readonly payloads: PayloadsUnderTest = {
    kinds: TEAMS_KINDS,
    deliver: (person, payload) => {
      if (!(person instanceof TeamsPerson)) throw new Error('a person of another platform');
      const { chat } = person.fake;
      this.teams.delivery.deliver(chat.id, { ...this.#newMessage(person), ...payload });
    },
    overtakes: {
      tellsDeletions: true,
      deliver: (person, text, change) => {
        if (!(person instanceof TeamsPerson)) throw new Error('a person of another platform');
        const { chat } = person.fake;
        const message = this.#newMessage(person);
        const tell = (more: object) => void this.teams.delivery.deliver(chat.id, { ...message, ...more });
        tell(change === null ? { type: 'messageDelete' } : { type: 'messageUpdate', text: change });
        tell({ text });
        return () => tell({ text });
      },
    },
  };

  #newMessage({ fake: { chat, user } }: TeamsPerson): object {
    return { type: 'message', id: newGuid(), ...envelope(this.teams.source, { chat, user }) };
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.teams.stop();
    const { offences } = this.teams;
    if (offences.length > 0) throw new Error(`refused by the fake: ${offences.join('; ')}`);
  }

  async #connectChannel(olga: FakePerson, channel: FakeChat): Promise<void> {
    olga.mentions(channel, await this.#code());
    await waitFor('the channel', () => channel.messages.some(isNote), this.patienceMs);
    channel.messages.length = 0;
  }

  async #code(): Promise<string> {
    const { status, body } = await this.gateway.settingsApi.post('/api/teams/connect', {});
    if (status !== 200) throw new Error(`POST connect: ${status} ${JSON.stringify(body)}`);
    return body.code;
  }
}

class BotLogin implements LoginUnderTest {
  readonly recheckMs = 5_000;
  readonly #teams: FakeTeams;

  constructor(teams: FakeTeams) {
    this.#teams = teams;
  }

  get isDead(): boolean {
    return this.#teams.bot.isExpired;
  }

  kill(): string {
    this.#teams.bot.isExpired = true;
    return `AADSTS7000215: Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '${this.#teams.bot.appId}'.`;
  }

  revive(): void {
    this.#teams.bot.isExpired = false;
  }
}

/** The Bot Connector's token says nothing of the body. */
class MessagingWebhook implements WebhookUnderTest {
  readonly teams: FakeTeams;
  readonly #token: string;

  constructor(teams: FakeTeams, token: string) {
    this.teams = teams;
    this.#token = token;
  }

  get url(): string {
    return this.teams.delivery.url!;
  }

  delivery(person: PersonUnderTest, text: string): Delivery {
    if (!(person instanceof TeamsPerson)) throw new Error('a person of another platform');
    const { chat, user } = person.fake;
    const message = chat.post({ from: user, text });
    return this.signed(JSON.stringify(messageActivity(this.teams.source, { chat, user }, message, false)));
  }

  signed(body: string): Delivery {
    return { headers: { authorization: `Bearer ${this.#token}` }, body };
  }

  forged(delivery: Delivery): Delivery {
    const [head, payload] = this.#token.split('.');
    return { ...delivery, headers: { authorization: `Bearer ${head}.${payload}.${'A'.repeat(342)}` } };
  }
}

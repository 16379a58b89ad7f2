import type { Clock } from '../../base/time.ts';
import type { Provides } from '../contract/connector.ts';
import type { LinksToBots } from '../contract/login.ts';
import type { PlatformRecords } from '../contract/records.ts';
import { GivenIntake } from '../kit/given-intake.ts';
import { ActivityReceiver } from './activities/activity-receiver.ts';
import { messagingEndpoint } from './activities/messaging-endpoint.ts';
import { TeamsNewcomers } from './activities/newcomers.ts';
import { ActivityTokens } from './auth/activity-token.ts';
import { AllowedHosts } from './auth/allowed-hosts.ts';
import { AppTokens } from './auth/app-tokens.ts';
import { SigningKeys } from './auth/signing-keys.ts';
import { TeamsApi } from './client.ts';
import { CLOUDS, type Cloud } from './clouds.ts';
import { countFiles, type FileHosts, inboundFiles } from './files/inbound-files.ts';
import { OfferedFiles } from './files/offered-files.ts';
import { BotLogin } from './login/bot-login.ts';
import { ConversationReferences } from './messages/conversation-references.ts';
import { Directory } from './messages/directory.ts';
import { ThrottlePauses } from './messages/send-message.ts';
import { teamsMessenger } from './teams-messenger.ts';
import type { TeamsObserver } from './teams-observer.ts';
import { TeamsRecords } from './teams-records.ts';

const UNSUPPORTED = '[attachment not supported]';

/** The bot that all accounts share. */
export interface BotOptions {
  readonly appId: string;
  readonly secret: string;
  /** The tenant of the bot's registration; `botframework.com`: of a multi-tenant bot. */
  readonly tenantId: string;
  /** Whether files are sent and received. */
  readonly hasFiles: boolean;
  /** Addresses in place of those of the cloud; null: those of the cloud. */
  readonly openIdUrl: string | null;
  readonly serviceUrl: string | null;
  readonly filesUrl: string | null;
  /** Hosts of the Bot Connector besides those of the cloud. */
  readonly serviceHosts: readonly string[];
}

/** Endpoints of the cloud, or those in their place, without trailing slashes. */
export interface CloudUrls {
  readonly loginUrl: string;
  readonly graphUrl: string;
}

export interface BotDeps {
  readonly clock: Clock;
  readonly observer: TeamsObserver;
  readonly records: PlatformRecords;
}

/** Puts the parts of the bot together. */
export class TeamsBot {
  readonly provides: Provides;
  readonly #login: BotLogin;
  readonly #receiver: ActivityReceiver;
  readonly #offers: OfferedFiles;
  readonly #ending = new AbortController();

  constructor(cloud: Cloud, { loginUrl, graphUrl }: CloudUrls, options: BotOptions, deps: BotDeps) {
    const { clock, observer } = deps;
    const { appId, secret, tenantId } = options;
    const places = CLOUDS[cloud];
    const records = new TeamsRecords(deps.records);
    const hosts = hostsOf(cloud, options);
    const tokens = new AppTokens({ loginUrl, appId, secret }, clock);
    const botUse = { tenantId, scope: places.botScope };
    const api = new TeamsApi({ clock, tokens, hosts, botUse });
    const references = new ConversationReferences(records);
    const login = new BotLogin({ tokens, botUse, clock, observer }, `28:${appId}`);
    const given = new GivenIntake();
    const intake = given.get;
    const offers = new OfferedFiles({ api, observer, records, intake, hosts: hosts.drives });
    const messenger = teamsMessenger({
      clock,
      sending: {
        api,
        appId,
        references,
        serviceUrl: options.serviceUrl ?? places.serviceUrl,
        graphUrl,
        pauses: new ThrottlePauses(),
        offer: (file, target, call) => offers.offer(file, target, call),
        failed: (failure) => login.failed(failure),
      },
      downloads: options.hasFiles ? api : null,
      onMessages: given.give,
    });
    const directory = new Directory(api, clock, this.#ending.signal);
    const receiver = new ActivityReceiver({
      clock,
      observer,
      references,
      directory,
      intake,
      newcomers: new TeamsNewcomers({ api, clock, directory, observer, intake }),
      filesOf: (attachments) => filesOf(attachments, options.hasFiles ? hosts : null),
    });
    const { tokenIssuer: issuer, openIdUrl } = places;
    const keys = new SigningKeys({ issuer, openIdUrl: options.openIdUrl ?? openIdUrl }, clock);
    const webhooks = messagingEndpoint({
      tokens: new ActivityTokens({ issuer, appId }, keys, clock),
      services: hosts.services,
      observer,
      take: (activity) => receiver.take(activity),
      fileAnswered: (activity) => offers.answered(activity),
      isNamed: (name) => login.become({ name }),
    });
    const sharedLogin = { sharedLogin: () => login.state };
    this.provides = { messenger, webhooks, sharedLogin, deepLinks: linksTo(appId, places.clientUrl) };
    this.#login = login;
    this.#receiver = receiver;
    this.#offers = offers;
  }

  /** Asks Microsoft whether it accepts the bot, in the background. */
  start(): void {
    this.#login.check();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    // What it asks Microsoft for ends by its own deadline.
    void this.#login.close();
    await Promise.all([this.#receiver.settled(), this.#offers.close()]);
  }
}

/** https://learn.microsoft.com/microsoftteams/platform/concepts/build-and-test/deep-link-teams */
function linksTo(appId: string, clientUrl: string): LinksToBots {
  return {
    linkHint: 'Opens the chat with the bot in Teams',
    carriesToken: false,
    botLink: () => `${clientUrl}/l/chat/0/0?users=28:${appId}`,
  };
}

function hostsOf(cloud: Cloud, { serviceHosts, serviceUrl, filesUrl }: BotOptions): FileHosts {
  const places = CLOUDS[cloud];
  return {
    services: new AllowedHosts([...places.serviceHosts, ...serviceHosts], serviceUrl),
    drives: new AllowedHosts(places.fileHosts, filesUrl),
  };
}

/** With files switched off, a line in the text says that there was one. */
function filesOf(attachments: readonly unknown[], hosts: FileHosts | null) {
  if (hosts !== null) return { files: inboundFiles(attachments, hosts), stubs: [] };
  return { files: [], stubs: Array.from({ length: countFiles(attachments) }, () => UNSUPPORTED) };
}

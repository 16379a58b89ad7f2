import type { Clock } from '../../base/time.ts';
import { CodeTries } from '../kit/code-tries.ts';
import { ActivityReceiver } from './activities/activity-receiver.ts';
import { MessagingEndpoint } from './activities/messaging-endpoint.ts';
import { Newcomers } from './activities/newcomers.ts';
import { ActivityTokens } from './auth/activity-token.ts';
import { AllowedHosts } from './auth/allowed-hosts.ts';
import { AppTokens } from './auth/app-tokens.ts';
import { SigningKeys } from './auth/signing-keys.ts';
import { CLOUDS, type Cloud } from './clouds.ts';
import { countFiles, type FileHosts, inboundFiles } from './files/inbound-files.ts';
import { OfferedFiles } from './files/offered-files.ts';
import { BotLogin } from './login/bot-login.ts';
import { ConversationReferences } from './messages/conversation-references.ts';
import { Directory } from './messages/directory.ts';
import { ThrottlePauses } from './messages/send-message.ts';
import { TeamsApi } from './rest/teams-api.ts';
import { TeamsMessenger } from './teams-messenger.ts';
import type { TeamsObserver } from './teams-observer.ts';
import type { TeamsRecords } from './teams-records.ts';

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
  readonly records: TeamsRecords;
}

/** Puts the parts of the bot together. */
export class TeamsBot {
  readonly login: BotLogin;
  readonly messenger: TeamsMessenger;
  readonly endpoint: MessagingEndpoint;
  readonly #deps: BotDeps;
  readonly #receiver: ActivityReceiver;
  readonly #offers: OfferedFiles;
  readonly #ending = new AbortController();

  constructor(cloud: Cloud, { loginUrl, graphUrl }: CloudUrls, options: BotOptions, deps: BotDeps) {
    const { clock, observer, records } = deps;
    const { appId, secret, tenantId } = options;
    const places = CLOUDS[cloud];
    this.#deps = deps;
    const hosts = hostsOf(cloud, options);
    const tokens = new AppTokens({ loginUrl, appId, secret }, clock);
    const botUse = { tenantId, scope: places.botScope };
    const api = new TeamsApi({ clock, tokens, services: hosts.services, botUse });
    const references = new ConversationReferences(records);
    this.login = new BotLogin({ tokens, botUse, clock, observer }, `28:${appId}`);
    const intake = () => this.messenger.intake;
    this.#offers = new OfferedFiles({ api, clock, observer, records, intake, hosts: hosts.drives });
    this.messenger = new TeamsMessenger({
      sending: {
        api,
        appId,
        references,
        serviceUrl: options.serviceUrl ?? places.serviceUrl,
        graphUrl,
        pauses: new ThrottlePauses(),
        offer: (file, target, call) => this.#offers.offer(file, target, call),
        failed: (failure) => this.login.failed(failure),
      },
      downloads: options.hasFiles ? { api, hosts, clock } : null,
    });
    const directory = new Directory(api, clock, this.#ending.signal);
    const tries = new CodeTries(clock);
    this.#receiver = new ActivityReceiver({
      clock,
      observer,
      references,
      directory,
      intake,
      newcomers: new Newcomers({ api, directory, tries, observer, intake }),
      filesOf: (attachments) => filesOf(attachments, options.hasFiles ? hosts : null),
    });
    this.endpoint = this.#newEndpoint(cloud, options, hosts);
  }

  /** Asks Microsoft whether it accepts the bot, in the background. */
  async start(): Promise<void> {
    await this.#deps.records.prune();
    void this.login.check();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.login.close();
    await Promise.all([this.#receiver.settled(), this.#offers.close()]);
  }

  #newEndpoint(cloud: Cloud, options: BotOptions, { services }: FileHosts): MessagingEndpoint {
    const { clock, observer } = this.#deps;
    const { tokenIssuer: issuer } = CLOUDS[cloud];
    const keys = new SigningKeys({ issuer, openIdUrl: options.openIdUrl ?? CLOUDS[cloud].openIdUrl }, clock);
    return new MessagingEndpoint({
      tokens: new ActivityTokens({ issuer, appId: options.appId }, keys, clock),
      services,
      observer,
      take: (activity) => this.#receiver.take(activity),
      fileAnswered: (activity) => this.#offers.answered(activity),
      isNamed: (name) => this.login.isNamed(name),
    });
  }
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

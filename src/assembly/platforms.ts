import { SHARED_LOGIN } from '../base/address.ts';
import { dnsAddresses, trustedHostsOr } from '../base/find-addresses.ts';
import type { Platform } from '../base/platform.ts';
import { addressesIn, publicOr } from '../base/public-address.ts';
import type { BridgedCalls } from '../connectors/contract/bridged-calls.ts';
import type { Connector } from '../connectors/contract/connector.ts';
import type { MessengerObserver } from '../connectors/contract/messenger.ts';
import type { SipDirectory } from '../connectors/contract/sip-accounts.ts';
import type { DialsSip } from '../connectors/contract/sip-dialing.ts';
import { DiscordConnector } from '../connectors/discord/discord-connector.ts';
import { guardedFetch } from '../connectors/kit/guarded-fetch.ts';
import type { LogMeetings } from '../connectors/kit/phone-meetings.ts';
import { meetConnector } from '../connectors/meet/meet-connector.ts';
import { NextcloudTalkConnector } from '../connectors/nctalk/nctalk-connector.ts';
import { BridgeClient } from '../connectors/platform-bridge/bridge-client.ts';
import { BridgedConnector } from '../connectors/platform-bridge/bridged-connector.ts';
import type { PortReserver } from '../connectors/sip/signaling/sdp/port-pool.ts';
import { SipConnector } from '../connectors/sip/sip-connector.ts';
import { slackConnector } from '../connectors/slack/slack-connector.ts';
import { teamsConnector } from '../connectors/teams/teams-connector.ts';
import { telegramConnector } from '../connectors/telegram/telegram-connector.ts';
import { whatsAppConnector } from '../connectors/whatsapp/whatsapp-connector.ts';
import { zoomConnector } from '../connectors/zoom/zoom-connector.ts';
import { WebFiles } from '../files/web-files.ts';
import { loadMediaIo } from '../native/media-io.ts';
import { agentOfConnection } from '../store/logins/agent-logins.ts';
import { linkedPeople } from '../store/logins/connections.ts';
import { PlatformRecords } from '../store/logins/platform-records.ts';
import type { MessagePlatform } from '../store/messages/message-tables.ts';
import type { PartDeps } from './gateway-deps.ts';

/** Creates a platform's connector; null when the operator has not set it up. `sip` dials for it. */
export type MakeConnector = (deps: PartDeps, sip: DialsSip) => Connector | null;

/** The platforms beside SIP, whose connector also keeps the accounts' trunks. A new platform is added to this list. */
export const CONNECTORS: readonly MakeConnector[] = [
  discordConnector,
  (deps) => slackConnector(deps.settings.slack, messengerDeps(deps, 'slack')),
  (deps, sip) =>
    teamsConnector(deps.settings.teams, {
      ...messengerDeps(deps, 'teams'),
      sip,
      log: meetingLog(deps, 'teams'),
    }),
  (deps, sip) => meetConnector(deps.settings.meet, { clock: deps.clock, sip, log: meetingLog(deps, 'meet') }),
  ({ settings, clock, ...deps }, sip) =>
    zoomConnector(settings.zoom, {
      clock,
      sip,
      readingTime: deps.readingTime,
      log: meetingLog(deps, 'zoom'),
    }),
  nextcloudTalkConnector,
  telegram,
  whatsApp,
];

/** All platforms with a connector. */
export interface Platforms {
  readonly connectors: readonly Connector[];
  /** The connector that also keeps the accounts' trunks and numbers. */
  readonly trunks: SipDirectory & Pick<SipConnector, 'port' | 'tlsPort'>;
  /** Calls of the platforms that the platform bridge carries. */
  readonly bridged: ReadonlyMap<Platform, BridgedCalls>;
}

/** What tests put in place of the gateway's own platforms. */
export interface PlatformSubstitutes {
  /** The platforms beside SIP. */
  readonly platforms?: readonly MakeConnector[];
  /** Takes each connector, also that of SIP, and returns the one to run with. */
  readonly wrap?: (connector: Connector) => Connector;
}

export function makePlatforms(
  deps: PartDeps,
  { platforms = CONNECTORS, wrap = (connector) => connector }: PlatformSubstitutes,
): Platforms {
  const sip = sipConnector(deps);
  const own = [sip, ...platforms.flatMap((make) => make(deps, sip.dialing) ?? [])];
  const carried = carriedByBridge(deps, own);
  const connectors = [...own.filter(({ platform }) => !carried.has(platform)), ...carried.values()];
  return {
    connectors: connectors.map(wrap),
    trunks: sip,
    bridged: new Map([...carried].map(([platform, { calls }]) => [platform, calls])),
  };
}

/** Returns the connectors of the platforms that the platform bridge carries, around the gateway's own. */
function carriedByBridge(
  { settings: { bridge, files }, clock }: PartDeps,
  own: readonly Connector[],
): ReadonlyMap<Platform, BridgedConnector> {
  if (bridge.client === null) return new Map();
  const client = new BridgeClient(bridge.client, clock);
  const web = new WebFiles(dnsAddresses(), publicOr(files.fetchAllow));
  const openUrl = async (url: string, signal: AbortSignal) => (await web.open(url, signal)).bytes;
  return new Map(
    bridge.platforms.map((platform) => {
      const inner = own.find((each) => each.platform === platform) ?? null;
      return [platform, new BridgedConnector(platform, inner, { client, clock, openUrl })];
    }),
  );
}

/** Returns the native port reserver; null when the thread that uses a port binds it itself. */
function portReserver(): PortReserver | null {
  const binding = loadMediaIo();
  return typeof binding === 'string' ? null : binding;
}

function sipConnector({ settings, clock, loggers, metrics }: PartDeps): SipConnector {
  const { tlsCa, tlsListen, numbersPerAccount: _numbers, ...others } = settings.sip;
  return new SipConnector(
    {
      ...others,
      tlsTrust: tlsCa === null ? {} : { ca: tlsCa },
      ...(tlsListen === null ? {} : { tlsListen }),
      ...(settings.engine.mediaIo === 'portable' ? {} : { reserving: portReserver }),
    },
    clock,
    {
      count: (counter) => metrics.sipEvent(counter),
      log: (level, text, detail) => loggers.sip[level](detail, text),
    },
  );
}

function discordConnector(deps: PartDeps): DiscordConnector {
  const { settings, bridges, store } = deps;
  const shared = { provider: 'discord', loginKey: SHARED_LOGIN } as const;
  return new DiscordConnector(settings.discord, {
    ...messengerDeps(deps, 'discord'),
    calls: {
      bridges,
      linkedPeople: (accountId) => linkedPeople(store.db, { ...shared, accountId }),
    },
  });
}

function nextcloudTalkConnector(deps: PartDeps): NextcloudTalkConnector {
  const { nctalk, bridge } = deps.settings;
  const { allow, internalSecrets } = nctalk;
  const isTrusted = addressesIn(allow);
  const findAddresses = trustedHostsOr(dnsAddresses(), isTrusted);
  const isOpen = publicOr(allow);
  return new NextcloudTalkConnector(
    {
      internalSecrets: new Map(internalSecrets.map(({ host, secret }) => [host, secret])),
      isBridged: bridge.platforms.includes('nctalk'),
    },
    {
      ...messengerDeps(deps, 'nctalk'),
      bridges: deps.bridges,
      agentOf: (connectionId) => agentOfConnection(deps.store.db, connectionId),
      publicUrl: deps.publicUrl,
      findAddresses,
      isOpen,
      allowsHttp: allow.length > 0,
      fetches: guardedFetch({ findAddresses, isOpen, isTrusted }),
    },
  );
}

function meetingLog({ loggers }: Pick<PartDeps, 'loggers'>, platform: Platform): LogMeetings {
  return (level, text, detail) => loggers.calls[level]({ platform, ...detail }, text);
}

function telegram(deps: PartDeps): Connector {
  const { urls, sharedToken, updates } = deps.settings.telegram;
  const webhookRoot = updates === 'webhook' ? () => `${deps.publicUrl()}/api/telegram/webhook` : null;
  return telegramConnector({ urls, sharedToken, webhookRoot, ...messengerDeps(deps, 'telegram') });
}

/** Returns the WhatsApp connector; null when no number is configured. */
function whatsApp(deps: PartDeps): Connector | null {
  const { clock, observer } = messengerDeps(deps, 'whatsapp');
  const { whatsapp } = deps.settings;
  return whatsapp && whatsAppConnector(whatsapp, clock, observer);
}

function messengerDeps(
  { clock, metrics, loggers, store, readingTime }: PartDeps,
  platform: Platform & MessagePlatform,
) {
  const observer: MessengerObserver<string> = {
    count: (event) => metrics.messengerEvent(platform, event),
    log: (level, text, detail) => loggers.messaging[level]({ platform, ...detail }, text),
  };
  return { clock, observer, readingTime, records: new PlatformRecords(store.db, platform) };
}

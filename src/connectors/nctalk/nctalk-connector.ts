import { FairShare } from '../../base/fair-share.ts';
import type { FindAddresses } from '../../base/find-addresses.ts';
import type { AddressRule } from '../../base/public-address.ts';
import type { ReadingTime } from '../../base/reading-time.ts';
import type { Clock } from '../../base/time.ts';
import type { Bridges } from '../../media/transport.ts';
import type { Connector, Provides } from '../contract/connector.ts';
import type { PlatformRecords } from '../contract/records.ts';
import { GivenIntake } from '../kit/given-intake.ts';
import { PlatformHttp } from '../kit/platform-http.ts';
import { type CallingBot, TalkCalls } from './calls/talk-calls.ts';
import type { BotLogin } from './login/bot-login.ts';
import { ConnectedNextclouds } from './login/connected-nextclouds.ts';
import { NextcloudTalkMessenger } from './nctalk-messenger.ts';
import type { NextcloudTalkObserver } from './nctalk-observer.ts';
import { AddonClient } from './pairing/addon-client.ts';
import { AddonRooms } from './pairing/addon-rooms.ts';
import { ReplayMemory } from './pairing/addon-signature.ts';
import { TalkPairing } from './pairing/talk-pairing.ts';
import { TypingPlaces } from './typing/typing-places.ts';
import { WebhookReceiver } from './webhooks/webhook-receiver.ts';

/** A page of the longest messages has a third of it. */
const MAX_ANSWER_BYTES = 4_194_304;
/** Requests that read rooms at a time: of all connections, and of one. */
const MAX_READING = 64;
const MAX_READING_EACH = 4;
const MAX_READS_WAITING = 10_000;
/** Sessions at signaling servers that show that agents are typing. */
const MAX_TYPING = 200;

export interface NextcloudTalkOptions {
  /** Secrets of signaling servers that calls join as an internal client, by host. */
  readonly internalSecrets: ReadonlyMap<string, string>;
  /** Whether the platform bridge carries the messages. Connections and calls stay here. */
  readonly isBridged: boolean;
}

export interface NextcloudTalkDeps {
  readonly clock: Clock;
  readonly observer: NextcloudTalkObserver;
  readonly records: PlatformRecords;
  /** For requests to Nextclouds, whose URLs people give. */
  readonly fetches: typeof fetch;
  /** For sockets to their signaling servers. */
  readonly findAddresses: FindAddresses;
  readonly isOpen: AddressRule;
  /** In which their answers are read. */
  readonly readingTime: ReadingTime;
  /** Whether the operator has opened addresses that are not public. Only there may a Nextcloud go without TLS. */
  readonly allowsHttp: boolean;
  /** Without a trailing slash. Known once HTTP listens. */
  readonly publicUrl: () => string;
  readonly bridges: Bridges;
  /** Returns the agent that is called by a connection; null: there is none. */
  agentOf(connectionId: string): Promise<string | null>;
}

/** Nextcloud Talk: any number of Nextclouds, each paired with accounts by its addon, or with an installed Talk bot. */
export class NextcloudTalkConnector implements Connector {
  readonly platform = 'nctalk' as const;
  readonly provides: Provides;
  readonly #nextclouds: ConnectedNextclouds;

  constructor({ isBridged, internalSecrets }: NextcloudTalkOptions, deps: NextcloudTalkDeps) {
    const { clock, observer, fetches, isOpen, allowsHttp, findAddresses, readingTime } = deps;
    const reach = { findAddresses, isOpen, readingTime };
    const http = new PlatformHttp('Nextcloud', clock, MAX_ANSWER_BYTES, {
      fetches,
      readerOf: (origin) => readingTime.of(origin),
    });
    const addons = new AddonClient(http);
    const replays = new ReplayMemory();
    const { give, get: intake } = new GivenIntake();
    const messenger = new NextcloudTalkMessenger((key) => nextclouds.get(key), give);
    const botOf = (connectionId: string): BotLogin | null => {
      const login = nextclouds.get(connectionId);
      return login?.kind === 'bot' ? login : null;
    };
    const nextclouds = new ConnectedNextclouds({
      clock,
      observer,
      records: deps.records,
      http,
      reads: new FairShare({
        clock,
        total: MAX_READING,
        each: MAX_READING_EACH,
        mostWaiting: MAX_READS_WAITING,
      }),
      addons,
      addonRooms: new AddonRooms(addons),
      hears: !isBridged,
      reach,
      typingPlaces: new TypingPlaces(MAX_TYPING),
      typeInCall: (...typing) => calls.type(...typing),
      callChanged: (connectionId, token) => {
        const bot = botOf(connectionId);
        if (bot !== null) calls.callChanged(callingBot(bot), token);
      },
      intake,
      report: (id, status) => pairing.pairings?.report(id, status),
    });
    const pairing = new TalkPairing({
      http,
      rules: { isOpen, allowsHttp },
      logins: nextclouds,
      replays,
      onFailure: (what, server, reason) => observer.log('warn', what, { server, reason }),
    });
    const calls = new TalkCalls({
      ...deps,
      http,
      reach,
      internalSecrets,
      checkText: (text) => messenger.checkText(text),
      botOf: (login) => {
        const bot = 'id' in login ? botOf(login.id) : null;
        return bot && callingBot(bot);
      },
      failed: (connectionId, failure) => botOf(connectionId)?.failed(failure),
    });
    this.#nextclouds = nextclouds;
    const webhooks = new WebhookReceiver({
      clock,
      observer,
      nextclouds,
      pairing,
      replays,
      intake,
      callChanged: (bots, token) => {
        for (const bot of bots) bot.callChanged(token);
      },
    });
    this.provides = { messenger, webhooks, pairing, calls, inboundCalls: calls };
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    await this.#nextclouds.close();
  }
}

function callingBot({ key: connectionId, accountId, server, credentials }: BotLogin): CallingBot {
  const { botLogin: userId, botPassword: password } = credentials;
  return { connectionId, accountId, user: { server, userId, password } };
}

import { ReadingTime } from '../../../src/base/reading-time.ts';
import { systemClock } from '../../../src/base/time.ts';
import type { Connector } from '../../../src/connectors/contract/connector.ts';
import { NextcloudTalkConnector } from '../../../src/connectors/nctalk/nctalk-connector.ts';
import { FakeNextcloud } from '../../fakes/nextcloud/fake-nextcloud.ts';
import { newFaults } from '../../fakes/nextcloud/refusal.ts';
import { Gateway, type GatewayOptions } from '../../support/gateway.ts';
import { MemoryRecords } from '../../support/memory-records.ts';
import { ScriptedSignaling } from '../../support/scripted-signaling.ts';
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
import { NextcloudOwner, NextcloudRoom } from './nctalk-person-under-test.ts';
import { NCTALK_KINDS } from './payloads/nctalk-payloads.ts';

const ADDRESS = '127.0.0.1';

/** A connector to read declarations from. */
export function nextcloudTalkConnector(): NextcloudTalkConnector {
  return new NextcloudTalkConnector(
    { internalSecrets: new Map(), isBridged: false },
    {
      clock: systemClock,
      records: new MemoryRecords(),
      observer: { count: () => undefined, log: () => undefined },
      fetches: fetch,
      readingTime: new ReadingTime(systemClock),
      findAddresses: async () => [],
      isOpen: () => false,
      allowsHttp: false,
      publicUrl: () => '',
      bridges: { open: async () => await Promise.reject(new Error('no calls')) } as never,
      agentOf: async () => null,
    },
  );
}

export interface NextcloudTestOptions {
  readonly patienceMs: number;
  /** Whether the addon's posts reach the gateway. Otherwise it polls. */
  readonly hasEvents: boolean;
  readonly gateway?: GatewayOptions;
}

/** Nextcloud Talk. Each person has a Nextcloud of their own, since a bot writes directly with its owner only. */
export class NextcloudUnderTest implements MessengerUnderTest {
  readonly connector: Connector = nextcloudTalkConnector();
  patienceMs: number;
  readonly textLimit = null;
  readonly canEdit = true;
  readonly canBlock = false;
  readonly seesReactionsLate: boolean;
  readonly gateway: Gateway;
  readonly login: LoginUnderTest;
  readonly webhook?: WebhookUnderTest;
  readonly #hasEvents: boolean;
  readonly #owners: NextcloudOwner[] = [];
  readonly #faults = newFaults();
  #room: ChannelUnderTest | null = null;

  private constructor(gateway: Gateway, { patienceMs, hasEvents }: NextcloudTestOptions) {
    this.gateway = gateway;
    this.patienceMs = patienceMs;
    this.#hasEvents = hasEvents;
    this.seesReactionsLate = !hasEvents;
    this.login = new BotLogins(this.#owners);
    if (hasEvents) this.webhook = new ChatPosts(gateway, this.#owners);
  }

  static async start(options: NextcloudTestOptions): Promise<NextcloudUnderTest> {
    const { env, ...others } = options.gateway ?? {};
    const gateway = await Gateway.start({
      ...others,
      env: { ...GATEWAY_ENV, SVC_NCTALK_ALLOW: ADDRESS, ...env },
    });
    const subject = new NextcloudUnderTest(gateway, options);
    await subject.#makeRoom(await subject.person());
    return subject;
  }

  async person(): Promise<NextcloudOwner> {
    const nextcloud = await FakeNextcloud.start({ faults: this.#faults });
    nextcloud.addon.eventsWork = this.#hasEvents;
    // What an agent sends would be the answer of a post, and meet no fault.
    nextcloud.addon.takesAnswers = false;
    nextcloud.guard.mostFailures = Infinity;
    const signaling = await ScriptedSignaling.start();
    nextcloud.hpb.url = signaling.url;
    const user = nextcloud.user(`owner${this.#owners.length + 1}`, `Person ${this.#owners.length + 1}`);
    const { body } = await this.gateway.settingsApi.post('/api/oauth/start/nctalk', {
      server_url: nextcloud.url,
    });
    const asked = new URL(body.authorize_url).searchParams;
    nextcloud.addon.backendUrl = asked.get('backend_url')!;
    const bot = await nextcloud.addon.approve({
      callbackUrl: asked.get('callback_url')!,
      state: asked.get('state')!,
      owner: user.uid,
    });
    if (bot === null) throw new Error('the gateway refuses the bot');
    for (const secret of [bot.password, nextcloud.addon.apiSecret]) this.gateway.secrets.add(secret);
    const room = await waitFor('the conversation with the bot', () =>
      [...nextcloud.world.rooms.values()].find(
        (each) => each.attendees.has(bot.user.uid) && each.writtenBy(bot.user).length > 0,
      ),
    );
    const owner = new NextcloudOwner({ nextcloud, signaling, user, bot: bot.user, room });
    this.#owners.push(owner);
    return owner;
  }

  channel(): ChannelUnderTest {
    return this.#room!;
  }

  readonly faults: PlatformFaults = {
    refuse: () => {
      this.#faults.add('chat.send', [{ kind: 'refuse', status: 400, message: 'Not in this room' }]);
      return 'Not in this room (HTTP status 400)';
    },
    throttle: () => {
      this.#faults.add('chat.send', [{ kind: 'throttle', retryAfterS: 1 }]);
      return 1_000;
    },
    loseAnswer: () => this.#faults.add('chat.send', [{ kind: 'drop', isDone: true }]),
    hold: (isDone) =>
      new Promise((reached) => this.#faults.add('chat.send', [{ kind: 'hang', isDone, reached }])),
  };

  readonly payloads: PayloadsUnderTest = {
    kinds: NCTALK_KINDS,
    deliver: (person, payload) => {
      const owner = this.#owners.find((each) => each === person)!;
      const { room, user } = owner;
      room.chat.addWire(room.attendee(user).actor, payload);
      // Where no event tells of it, it would be looked for seconds later.
      if (!this.#hasEvents) owner.isLookedAt();
    },
  };

  async stop(): Promise<void> {
    await this.gateway.stop();
    for (const { nextcloud, signaling } of this.#owners) {
      await nextcloud.stop();
      await signaling.stop();
    }
    const mistakes = this.#owners.flatMap(({ nextcloud }) => nextcloud.mistakes);
    if (mistakes.length > 0) throw new Error(`refused by the fake: ${mistakes.join('; ')}`);
  }

  /** A group in which the owner has activated the bot. */
  async #makeRoom({ nextcloud, user, bot }: NextcloudOwner): Promise<void> {
    const room = nextcloud.room({ kind: 'group', name: 'Plans', members: [user] });
    room.add(bot, room.attendee(user).actor, 2);
    room.write(user, '/activate');
    await waitFor('the bot to be activated', () => room.writtenBy(bot).length > 0);
    this.#room = new NextcloudRoom(room, user, bot);
  }
}

class BotLogins implements LoginUnderTest {
  readonly recheckMs = 5_000;
  readonly #owners: readonly NextcloudOwner[];
  isDead = false;

  constructor(owners: readonly NextcloudOwner[]) {
    this.#owners = owners;
  }

  kill(): string {
    this.isDead = true;
    for (const owner of this.#owners) {
      owner.bot.isDisabled = true;
      // The account has a login for each person, and each of them notices when it is used.
      owner.isLookedAt();
    }
    return 'Current user is not logged in (HTTP status 401)';
  }

  revive(): void {
    this.isDead = false;
    for (const { bot } of this.#owners) bot.isDisabled = false;
  }
}

/** The addon signs a random only. What is posted is also in the conversation, unless somebody made it up. */
class ChatPosts implements WebhookUnderTest {
  readonly url: string;
  readonly #owners: readonly NextcloudOwner[];

  constructor({ baseUrl }: Gateway, owners: readonly NextcloudOwner[]) {
    this.url = `${baseUrl}/api/nctalk/chat`;
    this.#owners = owners;
  }

  /** A notice, for whose answer the addon does not wait. */
  delivery({ remoteId }: PersonUnderTest, text: string): Delivery {
    const owner = this.#owners.find((each) => each.remoteId === remoteId)!;
    return owner.delivery(text);
  }

  signed(body: string): Delivery {
    return this.#owners.at(-1)!.signed(body);
  }

  forged(delivery: Delivery): Delivery {
    for (const owner of this.#owners) owner.retract(delivery);
    return { ...delivery, headers: { ...delivery.headers, 'X-Maquisard-Signature': '0'.repeat(64) } };
  }
}

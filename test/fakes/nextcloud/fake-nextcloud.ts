import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AddonArea } from './addon/addon-area.ts';
import { AddonEvents } from './addon/addon-events.ts';
import { AddonPages } from './addon/addon-pages.ts';
import { FakeAddon } from './addon/fake-addon.ts';
import { DavArea } from './dav/dav-area.ts';
import { SHARE_ROUTES } from './dav/share-routes.ts';
import { LoginGuard } from './http/login-guard.ts';
import { NcFront } from './http/nc-front.ts';
import { OcsApi } from './http/ocs-api.ts';
import { PhpSessions } from './http/php-sessions.ts';
import { LoginPage } from './pages/login-page.ts';
import { SitePages } from './pages/site-pages.ts';
import type { Fault, NcFaults } from './refusal.ts';
import { HelloTokens } from './signaling/hello-tokens.ts';
import { HpbNotifier } from './signaling/hpb-notifier.ts';
import { HpbSettings } from './signaling/hpb-settings.ts';
import { signalingRoutes } from './signaling/signaling-routes.ts';
import { botRoutes } from './talk/bot-routes.ts';
import { BotWebhooks } from './talk/bot-webhooks.ts';
import { CALL_ROUTES } from './talk/call-routes.ts';
import { CHAT_ROUTES } from './talk/chat-routes.ts';
import { cloudRoutes } from './talk/cloud-routes.ts';
import { wakeUp } from './talk/long-poll.ts';
import { PARTICIPANT_ROUTES } from './talk/participant-routes.ts';
import { REACTION_ROUTES } from './talk/reaction-routes.ts';
import { ROOM_ROUTES } from './talk/room-routes.ts';
import { TalkBots } from './talk/talk-bots.ts';
import { IN_CALL, type TalkSession } from './world/attendee.ts';
import { FakeNcUser, type NewUser } from './world/fake-nc-user.ts';
import type { FakeRoom } from './world/fake-room.ts';
import { type NcPolicy, NcWorld, type NewRoom } from './world/nc-world.ts';

export interface FakeNextcloudOptions {
  /** 0: any free one. */
  readonly port?: number;
  /** Of the addon. */
  readonly appId?: string;
  /** Shared by several, where whichever is asked next meets the fault. */
  readonly faults?: NcFaults;
}

/** A Nextcloud with Talk and the addon on loopback. As strict as the real one or stricter. */
export class FakeNextcloud {
  readonly world = new NcWorld(() => Math.floor(Date.now() / 1_000));
  readonly guard = new LoginGuard(this.world);
  readonly talkBots = new TalkBots();
  /** The signaling server; calls have sound only with a real one. */
  readonly hpb = new HpbSettings();
  readonly notifier: HpbNotifier;
  /** What bots of Talk without the addon are told. */
  readonly webhooks: BotWebhooks;
  readonly addon: FakeAddon;
  readonly pages: AddonPages;
  readonly #server: Server;
  readonly #front: NcFront;

  private constructor(server: Server, { appId, faults }: FakeNextcloudOptions) {
    this.#server = server;
    const { world, talkBots } = this;
    const sessions = new PhpSessions();
    const origin = () => this.url;
    const tokens = new HelloTokens(world.now);
    this.webhooks = new BotWebhooks(talkBots, world, origin);
    this.notifier = new HpbNotifier(this.hpb, origin);
    this.addon = new FakeAddon({ world, talkBots, sessions, origin }, appId);
    this.pages = new AddonPages(this.addon, { origin, now: world.now });
    this.#front = new NcFront(
      [
        new OcsApi(
          [
            ...cloudRoutes(tokens.publicKey),
            ...signalingRoutes(this.hpb, tokens),
            ...CALL_ROUTES,
            ...SHARE_ROUTES,
            ...botRoutes(talkBots, this.webhooks),
            ...ROOM_ROUTES,
            ...PARTICIPANT_ROUTES,
            ...CHAT_ROUTES,
            ...REACTION_ROUTES,
          ],
          this.guard,
        ),
        new AddonArea(this.addon, this.pages, this.hpb),
        new DavArea(this.guard, sessions),
        new SitePages(new LoginPage(world)),
      ],
      sessions,
      () => ({ world, origin: this.url }),
      faults,
    );
    world.watchers.push(
      { wrote: wakeUp },
      new AddonEvents(this.addon, world, origin),
      this.webhooks,
      this.notifier,
    );
    server.on('request', (request, response) => void this.#front.serve(request, response));
  }

  static async start(options: FakeNextcloudOptions = {}): Promise<FakeNextcloud> {
    const server = createServer().listen(options.port ?? 0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeNextcloud(server, options);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What the administrator has set up. */
  get policy(): NcPolicy {
    return this.world.policy;
  }

  /** Mistakes in requests: tests expect none. */
  get mistakes(): string[] {
    return this.#front.mistakes;
  }

  /** Requests so far: the name of the route, method and path. */
  get calls(): string[] {
    return this.#front.calls;
  }

  user(uid: string, name = uid, options: NewUser = {}): FakeNcUser {
    return this.world.addUser(new FakeNcUser(uid, name, options));
  }

  /** The first member owns the conversation. A one-to-one conversation that is there is returned again. */
  room(made: NewRoom): FakeRoom {
    const [one, other] = made.members;
    return made.kind === 'one-to-one' ? this.world.direct(one!, other!).room : this.world.addRoom(made);
  }

  /** A member joins the call, and so starts it when they are the first. They are not heard. */
  startCall(room: FakeRoom, user: FakeNcUser, flags = IN_CALL.inCall | IN_CALL.audio): TalkSession {
    const session = room.attendee(user).join(this.world.now());
    room.call.join(session, flags);
    return session;
  }

  /** What happens to the next requests of a route, one each; null: nothing. */
  fail(route: string, ...faults: readonly (Fault | null)[]): void {
    this.#front.fail(route, faults);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

import {
  OWN,
  TALK_TRANSPORT,
  type TalkCommands,
  type TalkSignal,
} from '../../src/connectors/nctalk/voice/talk-protocol.ts';
import type { IceCandidate, IceServer } from '../../src/media/ice.ts';
import type { PacketRings } from '../../src/media/packet-media.ts';
import type { Bridges, OpenedTransport } from '../../src/media/transport.ts';
import type { NetworkFaults } from '../fakes/discord/voice/udp-faults.ts';
import type { Janus } from './janus.ts';
import { type JanusHandle, JanusSession } from './janus-room.ts';
import { UdpDetour } from './udp-detour.ts';
import { waitFor } from './wait-for.ts';
import { WebRtcPeople } from './webrtc-people.ts';

const AGENT_FEED = 1;

/**
 * A call of Nextcloud Talk as its media sees it: the transport of an agent and people with libwebrtc in one room of a real Janus,
 * with the test in place of the signaling server.
 */
export class TalkRoom {
  readonly people: WebRtcPeople;
  readonly signals: TalkSignal[] = [];
  readonly lost: string[] = [];
  transport: OpenedTransport<TalkCommands> | null = null;
  readonly #session: JanusSession;
  readonly #room: number;
  readonly #network: NetworkFaults | null;
  readonly detours: UdpDetour[] = [];
  readonly #agentPorts: number[] = [];
  /** Janus' ends by the name of the other end. */
  readonly #agentHandles = new Map<string, JanusHandle>();
  readonly #peopleHandles = new Map<string, JanusHandle>();
  readonly #feeds = new Map<string, number>();

  private constructor(session: JanusSession, room: number, network: NetworkFaults | null) {
    this.#network = network;
    this.#session = session;
    this.#room = room;
    this.people = new WebRtcPeople(
      (name, candidate) => void this.#peopleHandles.get(name)?.trickle(told(candidate)),
    );
  }

  /** `network`: what is between the agent and Janus. */
  static async open(janus: Pick<Janus, 'url'>, network: NetworkFaults | null = null): Promise<TalkRoom> {
    const session = await JanusSession.open(janus);
    const handle = await session.attach();
    return new TalkRoom(session, await handle.createRoom(), network);
  }

  /** Somebody enters with a tone. Resolves when Janus has their audio. */
  async enter(name: string, toneHz: number): Promise<void> {
    const handle = await this.#session.attach();
    this.#peopleHandles.set(name, handle);
    const feed = AGENT_FEED + 1 + this.#feeds.size;
    this.#feeds.set(name, feed);
    const offer = await this.people.order('publish', name, toneHz);
    await this.people.order('answered', name, await handle.publish(this.#room, feed, offer));
    await waitFor(`${name} to be connected`, () => this.people.states.get(name) === 'connected');
  }

  /** Somebody enters by an offer with all their candidates. Returns Janus' answer. */
  async enterBySdp(name: string, offer: string): Promise<string> {
    const handle = await this.#session.attach();
    const feed = AGENT_FEED + 1 + this.#feeds.size;
    this.#feeds.set(name, feed);
    return await handle.publish(this.#room, feed, offer);
  }

  /** Somebody listens to the agent, by a connection of this name. */
  async listen(name: string): Promise<void> {
    const handle = await this.#session.attach();
    this.#peopleHandles.set(name, handle);
    // Janus has it a moment after the agent knows.
    const offer = await waitFor('the feed of the agent', () =>
      handle.subscribe(this.#room, AGENT_FEED).catch(() => null),
    );
    await handle.answer(await this.people.order('listen', name, offer));
    await waitFor(`${name} to be connected`, () => this.people.states.get(name) === 'connected');
  }

  /** Opens the agent's transport, in place of a former one. */
  async openTransport(
    bridges: Bridges,
    rings: PacketRings,
    iceServers: readonly IceServer[] = [],
  ): Promise<void> {
    this.signals.length = 0;
    const observer = {
      signal: (signal: TalkSignal) => this.#take(signal),
      lost: (reason: string) => void this.lost.push(reason),
    };
    this.transport = await bridges.open(TALK_TRANSPORT, { rings, iceServers }, observer);
  }

  /** The agent speaks. Resolves when Janus has its audio. */
  async publish(): Promise<void> {
    const handle = await this.#attachAgent(OWN);
    const offer = this.#seenByJanus(await this.transport!.command('publish'));
    await this.transport!.command('answered', await handle.publish(this.#room, AGENT_FEED, offer));
    await this.#connected(OWN);
  }

  /** The agent hears somebody. */
  async subscribe(name: string): Promise<void> {
    await this.transport!.command('unsubscribe', name);
    const handle = await this.#attachAgent(name);
    const offer = await handle.subscribe(this.#room, this.#feeds.get(name)!);
    await handle.answer(this.#seenByJanus(await this.transport!.command('subscribe', name, offer)));
    await this.#connected(name);
  }

  /** UDP ports of the agent's sockets, as it has offered them. */
  get agentPorts(): number[] {
    return this.#agentPorts;
  }

  /** SSRC of a person's stream, as reported. */
  streamOf(personId: string): number | undefined {
    const stream = this.signals.findLast(
      (signal) => signal.type === 'stream' && signal.personId === personId,
    );
    return stream?.type === 'stream' ? stream.ssrc : undefined;
  }

  async close(): Promise<void> {
    await this.transport?.close();
    this.people.stop();
    for (const detour of this.detours) detour.close();
    this.#session.close();
  }

  /** Janus' end of a connection of the agent, in place of a former one. */
  async #attachAgent(name: string): Promise<JanusHandle> {
    await this.#agentHandles.get(name)?.detach();
    const handle = await this.#session.attach(
      (candidate) => void this.#offerCandidate(name, candidate.candidate),
    );
    this.#agentHandles.set(name, handle);
    return handle;
  }

  /** Janus may tell of a candidate before the agent has the connection. */
  async #offerCandidate(name: string, text: string): Promise<void> {
    const candidate = this.#network === null ? text : await this.#detour(text, this.#network);
    const told = { candidate, sdpMid: null, sdpMLineIndex: 0 };
    const isTaken = () =>
      this.transport!.command('candidate', name, told).then(
        () => true,
        () => false,
      );
    await waitFor('the connection of the candidate', isTaken).catch(() => undefined);
  }

  async #detour(candidate: string, network: NetworkFaults): Promise<string> {
    const words = candidate.split(' ');
    const detour = await UdpDetour.open({ address: words[4]!, port: Number(words[5]) }, network);
    this.detours.push(detour);
    return words.with(5, `${detour.port}`).join(' ');
  }

  /** With a detour, Janus must not find a straight way. */
  #seenByJanus(sdp: string): string {
    this.#agentPorts.push(Number(/a=candidate:(?:\S+ ){5}(\d+)/.exec(sdp)?.[1]));
    return this.#network === null ? sdp : sdp.replaceAll(/a=candidate:.*\r\n/g, '');
  }

  #take(signal: TalkSignal): void {
    this.signals.push(signal);
    if (signal.type !== 'candidate' || this.#network !== null) return;
    void this.#agentHandles.get(signal.connection)?.trickle(told(signal.candidate));
  }

  async #connected(connection: string): Promise<void> {
    const lostBefore = this.lost.length;
    await waitFor(`the agent's connection ${connection}`, () => {
      if (this.lost.length > lostBefore) throw new Error(`the transport was lost: ${this.lost.at(-1)}`);
      const failed = this.signals.find(
        (signal) => signal.type === 'failed' && signal.connection === connection,
      );
      if (failed?.type === 'failed') throw new Error(failed.reason);
      return this.signals.some((signal) => signal.type === 'connected' && signal.connection === connection);
    });
  }
}

function told({ candidate, sdpMLineIndex }: IceCandidate) {
  return { candidate, sdpMLineIndex: sdpMLineIndex ?? 0 };
}

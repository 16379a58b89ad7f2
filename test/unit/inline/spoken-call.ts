import { CallActor, type Silencer } from '../../../src/calls/call-actor.ts';
import type { CallDomain } from '../../../src/calls/call-domain.ts';
import type { UtteranceEvent } from '../../../src/calls/call-event.ts';
import { CallRegistry } from '../../../src/calls/call-registry.ts';
import { happen, type World } from '../messaging/messaging-world.ts';

const LONG_MS = 3_600_000;
const DEADLINES = {
  connectingMs: LONG_MS,
  waitingMs: LONG_MS,
  ringingMs: LONG_MS,
  acceptingMs: LONG_MS,
  activeMs: LONG_MS,
};

/** An active call with hosted speech, without media, and the part of the call domain that it needs. */
export class SpokenCall {
  readonly domain: CallDomain;
  readonly callId = 'call_spoken';
  /** What was handed to text-to-speech. */
  readonly said: string[] = [];
  onSaid: () => void = () => {};
  readonly #registry = new CallRegistry();
  #call: CallActor | null = null;

  constructor() {
    const speech = {
      say: (_call: CallActor, text: string) => {
        this.onSaid();
        return `utt_${this.said.push(text)}`;
      },
      stopSpeaking: () => {},
      happened: () => {},
    };
    this.domain = { registry: this.#registry, speech, maxCallsPerAccount: 1 } as unknown as CallDomain;
  }

  /** The call begins and is answered. */
  begin(world: World): void {
    const call = this.#place(world, 'outbound');
    call.begin({ accept() {}, refuse() {}, hangUp() {}, released: Promise.resolve() });
    call.legObserver.answered();
  }

  /** Somebody calls the agent. */
  async ring(world: World): Promise<void> {
    const call = this.#place(world, 'inbound');
    const accept = (): void => call.legObserver.answered();
    call.begin({ accept, refuse() {}, hangUp() {}, released: Promise.resolve() });
    const payload = { call_id: this.callId, platform: 'sip', state: 'ringing', caller: '+33123456789' };
    await happen(world, world.agentId, { type: 'call_invite', payload });
  }

  get state(): string {
    return this.#call!.state.name;
  }

  #place({ clock, accountId, agentId }: World, direction: 'inbound' | 'outbound'): CallActor {
    const identity = {
      callId: this.callId,
      roomId: 'room_1',
      participantId: 'part_1',
      accountId,
      agentId,
      platform: 'sip',
      meetingUrl: 'sip:+33123456789@127.0.0.1',
      agentName: 'AI Agent',
      direction,
      caller: direction === 'inbound' ? '+33123456789' : '',
      createdAt: clock.nowIso(),
      sampleRateHz: 8_000,
    } as const;
    const call = new CallActor(
      identity,
      {
        login: { kind: 'trunk' },
        capabilities: ['audio_in', 'audio_out'],
        presets: { stt: null, tts: { id: 'vc_1' } as never },
      },
      {
        engineCall: { startAudio() {}, close: async () => {} } as never,
        clock,
        deadlines: DEADLINES,
        playout: {} as never,
        askTurn: null,
        chat: {} as never,
        publisher: {
          publish: (actor, event) => {
            this.#registry.happened(actor, event);
            this.#registry.followers.happened(actor, event);
            actor.tell(event);
          },
        },
      },
    );
    this.#call = call;
    call.announce();
    return call;
  }

  get isLive(): boolean {
    return this.#registry.find(this.callId) !== undefined;
  }

  /** A person says something to the agent. */
  async hears(world: World, text: string): Promise<void> {
    const payload = { call_id: this.callId, state: 'active', speaker: '+33123456789', text };
    await happen(world, world.agentId, { type: 'call_transcript', payload });
  }

  /** All that is being said is cut off. */
  silence(by: Silencer): void {
    this.#call!.silenced(by);
  }

  /** What becomes of the nth sentence, counted from 1. */
  utterance(nth: number, state: UtteranceEvent['state'], spokenText: string): void {
    this.#call!.publish({
      type: 'utterance',
      utteranceId: `utt_${nth}`,
      state,
      playedMs: 0,
      spokenText,
      isEstimate: true,
    });
  }
}

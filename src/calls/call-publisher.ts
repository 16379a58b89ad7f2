import type { BusinessEvents } from '../telemetry/business-events.ts';
import type { CallActor } from './call-actor.ts';
import type { CallEvent } from './call-event.ts';
import type { CallRecorder } from './call-recorder.ts';
import type { CallRegistry } from './call-registry.ts';
import { isOver } from './call-state.ts';

/** Is told of everything that happens on calls. Must not throw. */
export interface CallSubscriber {
  happened(call: CallActor, event: CallEvent): void;
}

/** Hosted speech as calls see it. It follows what happens on them. */
export interface HostedSpeech extends CallSubscriber {
  /**
   * Speaks a text after those said before, once the call is active. Returns the id of the utterance, which `utterance`
   * events name.
   * @throws GatewayError `tts_not_configured`, `capability_missing`, `too_much_speech`, `speech_failed`
   */
  say(call: CallActor, text: string): string;
  /** Drops everything said so far, heard or not. Does nothing without. */
  stopSpeaking(call: CallActor): void;
}

/** What the subscribers work with. */
interface Subscribers {
  readonly recorder: CallRecorder;
  readonly registry: CallRegistry;
  readonly room: CallSubscriber;
  readonly minutes: CallSubscriber;
  readonly speech: CallSubscriber;
  readonly events: BusinessEvents;
}

/** The one place to which everything that happens on a call goes, and from which everybody is told, in this order. */
export class CallPublisher {
  readonly #subscribers: readonly CallSubscriber[];

  constructor({ recorder, registry, room, minutes, speech, events }: Subscribers) {
    this.#subscribers = [
      // The call's record, and the feed: inbox, inbox WebSocket, MCP pushes.
      { happened: (call, event) => recorder.happened(call.snapshot(), event) },
      // The list of live calls.
      registry,
      // What accounts share.
      room,
      // Whoever follows an account's calls without taking part: MCP resources.
      registry.followers,
      // Log and metrics.
      { happened: (call, event) => report(events, call, event) },
      // The budgets of minutes.
      minutes,
      // What speaks and listens for the agent.
      speech,
      // The call's WebSockets.
      { happened: (call, event) => call.tell(event) },
    ];
  }

  publish(call: CallActor, event: CallEvent): void {
    for (const subscriber of this.#subscribers) subscriber.happened(call, event);
  }
}

function report(events: BusinessEvents, call: CallActor, event: CallEvent): void {
  if (event.type === 'turn_metrics') return events.turnMeasured(call.identity.platform, event);
  if (event.type !== 'call_state') return;
  const { identity, state } = call;
  if (isOver(state)) events.callEnded(identity, event.state, state.termination, call.ageMs());
  else if (state.name === 'active') events.callAnswered(identity, call.ageMs());
  else events.callStarted(identity);
}

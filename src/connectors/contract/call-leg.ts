import type { Capability } from '../../base/platform.ts';
import type { Termination } from '../../base/termination.ts';
import type { InboundFile, OutboundFile } from './messenger.ts';

/** One party's signaling in a call, as seen by the call actor. Methods never throw; outcomes go to the observer. */
export interface PlatformLeg {
  /** Answers a ringing inbound leg; `answered` or `ended` follows. */
  accept(): void;
  /** Declines a ringing inbound leg; `ended` follows. */
  refuse(): void;
  /** Ends the leg in any state and notifies the platform; `ended` follows. Safe to call twice. */
  hangUp(): void;
  /**
   * Resolves once all of the leg's resources are released and the platform has been notified, or the attempt given up.
   */
  readonly released: Promise<void>;
  readonly dtmf?: SendsDtmf;
  readonly chat?: SendsChat;
  readonly typing?: ShowsCallTyping;
}

/** A leg that can send DTMF. */
export interface SendsDtmf {
  /** Sends the digits (0-9, *, #, A-D) one after another. Rejects with a GatewayError when the leg is not active. */
  sendDtmf(digits: string): Promise<void>;
}

/** A leg that can write in the meeting's chat. It does so only while the call has the capability `write`. */
export interface SendsChat {
  /**
   * Throws GatewayError `send_failed` when the text, or caption, is longer than the platform accepts. Length is counted
   * the platform's way.
   */
  checkText(text: string, isCaption: boolean): void;
  /**
   * Sends one message and settles before `signal` aborts. One message is sent at a time. Rejects with GatewayError
   * `platform_not_connected` while the platform's own gateway connection is down; any other failure is an outcome.
   */
  send(message: OutboundChat, signal: AbortSignal): Promise<ChatOutcome>;
}

export interface OutboundChat {
  /** Empty only with files. With files, it is the caption of the first one. */
  readonly text: string;
  /** Name to show as the sender, where the platform allows one. */
  readonly senderName: string;
  readonly files: readonly OutboundFile[];
}

export type ChatOutcome =
  | { readonly kind: 'sent' }
  /** The platform rejected the message. `reason` is the platform's own text. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Delivery is uncertain. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** A leg that can show a typing indicator in the meeting's chat, while the call has the capability `typing`. */
export interface ShowsCallTyping {
  /** Shows it once, for as long as the platform does. Rejects with GatewayError `platform_not_connected`. */
  showTyping(signal: AbortSignal): Promise<void>;
}

/** A person or program in the meeting, other than the agent. */
export interface Participant {
  /** Identifies the participant within the call. */
  readonly id: string;
  readonly name: string;
}

/** One of the voices that a leg hears. */
export interface SpeakingVoice {
  /** The voice's place in its media leg: 0 to MAX_VOICES - 1. */
  readonly voiceId: number;
  /** The participant it belongs to; null while that is unknown, and for the voice of several. */
  readonly participantId: string | null;
}

/** A message that somebody else wrote in the meeting's chat. */
export interface InboundChat {
  /** The platform's id of the message, unique within the call. */
  readonly id: string;
  /** Name of the sender. */
  readonly sender: string;
  readonly text: string;
  /** ISO 8601. */
  readonly sentAt: string;
  readonly files: readonly InboundFile[];
}

/** Something that was said in the meeting, as the platform transcribes it. */
export interface SaidLine {
  /** Name of the person. */
  readonly speaker: string;
  readonly text: string;
}

/** Events from a leg to its call actor. Nothing follows `ended`. */
export interface LegObserver {
  /** Outbound only: the far end is ringing. */
  ringing(): void;
  /** Outbound only: the far end sends audio before it answers, which agents may hear from now on. It hears nobody. */
  earlyMedia(): void;
  /** Outbound only: somebody must admit the agent first. `reason` says so to people: `in the lobby`. `answered` clears it. */
  waiting(reason: string): void;
  /** Outbound only: the meeting that was created, because the request named none. `url`: where others join it. */
  created(url: string): void;
  /** Media can now flow as far as the call's capabilities allow. */
  answered(): void;
  /** After `answered`: the far end holds the call, or no longer does; repetitions are ignored. */
  held(onHold: boolean): void;
  /** What the call offers, once that differs from what was known before: the complete list. */
  capabilities(list: readonly Capability[]): void;
  /** Everybody who takes part, after each change; repetitions are ignored. */
  participants(list: readonly Participant[]): void;
  /** A voice began or stopped speaking; repetitions are ignored. */
  speaking(voice: SpeakingVoice, on: boolean): void;
  /** A message in the meeting's chat, in the platform's order. Repeated ids are ignored. Never the agent's own messages. */
  chat(message: InboundChat): void;
  /** The platform's own transcript of what others say. Left out while hosted recognition hears the call, which is sooner. */
  said(line: SaidLine): void;
  /** The far end pressed a key. */
  dtmf(digit: string): void;
  /** The leg is over. `by` is the side that caused it; `lost` means the bridge dropped. */
  ended(by: 'local' | 'remote' | 'lost', termination: Termination): void;
}

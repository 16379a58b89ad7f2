import type { Capability, Platform } from '../base/platform.ts';
import type { RecognizedLine, TurnMetrics } from '../base/speech.ts';
import type { Termination } from '../base/termination.ts';
import type { Participant } from '../connectors/contract/call-leg.ts';
import type { CallLogin } from '../connectors/contract/connector.ts';
import type { AnsweredBy } from './answer-words.ts';
import type { CallProgress, CallStateName } from './call-state.ts';
import type { CallPresets } from './choose-presets.ts';
import type { MachineDetection } from './machine-detection.ts';
import type { TurnReason } from './turn-text.ts';

/** Everything that can happen on a call. */
export type CallEvent =
  | StateEvent
  /** An inbound call rings and waits for an agent to accept it. */
  | { readonly type: 'call_invite' }
  | WaitingEvent
  | ProgressEvent
  | HoldEvent
  /** The request named no meeting, and one was created. */
  | { readonly type: 'call_meeting'; readonly meeting_url: string }
  /** The call now offers these. */
  | { readonly type: 'call_capabilities'; readonly capabilities: readonly Capability[] }
  /** These now take part. */
  | { readonly type: 'call_participants'; readonly participants: readonly Participant[] }
  | SpeakingEvent
  | CallError
  | SpeechError
  | TranscriptEvent
  | UtteranceEvent
  /** Somebody has started or stopped speaking, as heard by hosted speech recognition. */
  | { readonly type: 'speech'; readonly speaker: string; readonly state: 'started' | 'ended' }
  | UnheardEvent
  | TurnEvent
  | AnsweredEvent
  | TurnEndEvent
  /** A machine has ended its greeting: it is time to speak. */
  | { readonly type: 'beep' }
  /** Music is played to the agent, or no longer. */
  | { readonly type: 'hold_music'; readonly playing: boolean }
  | ChatEvent
  | { readonly type: 'dtmf'; readonly digit: string };

/** A call begins in this state or has changed to it. `termination` is set once the call is over. */
export interface StateEvent {
  readonly type: 'call_state';
  readonly state: CallStateName;
  readonly termination?: Termination;
}

/** Somebody must admit the agent first. */
export interface WaitingEvent {
  readonly type: 'call_waiting';
  readonly reason: string;
}

/** A call that is not answered yet has come further. */
export interface ProgressEvent {
  readonly type: 'call_progress';
  readonly progress: CallProgress;
}

/** The far end has put the call on hold, or has taken it back. */
export interface HoldEvent {
  readonly type: 'call_hold';
  readonly on_hold: boolean;
}

/** A voice began or stopped speaking. */
export interface SpeakingEvent {
  readonly type: 'call_speaking';
  readonly voiceId: number;
  /** Null while it is unknown whose voice it is, and for the voice of several. */
  readonly participant: Participant | null;
  readonly speaking: boolean;
}

/** Published before the final `call_state` of a call that did not end normally. */
export interface CallError {
  readonly type: 'call_error';
  readonly code: 'bridge_disconnected' | 'call_failed' | 'internal_error';
  readonly message: string;
  readonly termination: Termination;
}

/** Hosted speech has failed. The call goes on. */
export interface SpeechError {
  readonly type: 'call_error';
  readonly code: 'stt_failed' | 'tts_failed';
  readonly message: string;
}

/** Hosted speech recognition, or the platform's own, understood something. The last words of a call come after its final state. */
export interface TranscriptEvent extends RecognizedLine {
  readonly type: 'call_transcript';
}

/** Somebody spoke, and hosted speech recognition understood nothing, or (`failed`) did not listen. */
export interface UnheardEvent {
  readonly type: 'speech_unheard';
  readonly speaker: string;
  readonly reason: 'not_understood' | 'failed';
}

/** Who or what has answered the call. Comes again when it is known better. */
export interface AnsweredEvent {
  readonly type: 'call_answered_by';
  readonly answered_by: AnsweredBy;
  /** 0 to 1. */
  readonly confidence: number;
}

/** Somebody has said all that they wanted to say, as far as can be told. Comes after the words. */
export interface TurnEndEvent {
  readonly type: 'end_of_turn';
  readonly speaker: string;
  readonly reason: TurnReason;
  /** 0 to 1. */
  readonly confidence: number;
}

/** The far end has been answered. */
export interface TurnEvent extends TurnMetrics {
  readonly type: 'turn_metrics';
}

/** What has become of a text that the gateway speaks. `started` is the only state that another one follows. */
export interface UtteranceEvent {
  readonly type: 'utterance';
  readonly utteranceId: string;
  readonly state: 'started' | 'finished' | 'interrupted' | 'failed';
  /** Milliseconds of it that were sent to the platform. */
  readonly playedMs: number;
  /** What was heard of its text. */
  readonly spokenText: string;
  /** Whether `spokenText` is inferred from the time, because the provider does not say when words are spoken. */
  readonly isEstimate: boolean;
}

/** Somebody wrote in the meeting's chat. */
export interface ChatEvent {
  readonly type: 'call_chat';
  readonly sender: string;
  readonly text: string;
  /** ISO 8601. */
  readonly sentAt: string;
  readonly files: readonly ChatFile[];
}

/** A file of a chat message. */
export interface ChatFile {
  readonly fileId: string;
  readonly name: string;
  readonly mime: string;
  /** Null: unknown until the file is fetched. */
  readonly sizeBytes: number | null;
  /** Downloads the file without any other credential. */
  readonly url: string;
}

/** Name of an agent that gives none (specification, "Call endpoints"). */
export const DEFAULT_AGENT_NAME = 'AI Agent';

/** The properties of a call that never change. */
export interface CallIdentity {
  readonly callId: string;
  readonly roomId: string;
  readonly participantId: string;
  readonly accountId: string;
  readonly agentId: string;
  readonly platform: Platform;
  /** Meeting URL or SIP URI. */
  readonly meetingUrl: string;
  readonly agentName: string;
  readonly direction: 'outbound' | 'inbound';
  /** Empty for outbound. */
  readonly caller: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Native rate of the room, in Hz. */
  readonly sampleRateHz: number;
}

/** With what a call begins, beside its identity. */
export interface CallStart {
  readonly login: CallLogin;
  readonly capabilities: readonly Capability[];
  readonly presets: CallPresets;
  /** What to do about machines that answer. None for inbound calls. */
  readonly machineDetection?: MachineDetection;
  readonly sipHeaders?: CallSnapshot['sipHeaders'];
}

/** What is known of a live call only. */
export interface LiveDetails {
  /** Why the call is not connected yet, in words (`in the lobby`); null unless somebody must admit the agent. */
  readonly waitingReason: string | null;
  /** How far an outbound call has come that is not answered yet; null: nothing is known, or it is past that. */
  readonly progress: CallProgress | null;
  /** The far end holds the call. */
  readonly onHold: boolean;
  /** Who takes part besides the agent, as the platform reports it. */
  readonly participants: readonly Participant[];
  /** What the caller's network sent with the call, by names in lower case. Strangers write it. */
  readonly sipHeaders: Readonly<Record<string, string>>;
}

/** These details of a call that is over. */
export const NOT_LIVE: LiveDetails = {
  waitingReason: null,
  progress: null,
  onHold: false,
  participants: [],
  sipHeaders: {},
};

/** A call as a client sees it. */
export interface CallSnapshot extends CallIdentity, LiveDetails {
  readonly state: CallStateName;
  readonly capabilities: readonly Capability[];
  /** ISO 8601; null while the call is live. */
  readonly endedAt: string | null;
  /** Why the call ended; null while it is live. */
  readonly termination: Termination | null;
}

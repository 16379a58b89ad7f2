import type { Capability, Platform } from '../base/platform.ts';
import type { Termination } from '../base/termination.ts';
import type { Participant } from '../connectors/contract/call-leg.ts';
import type { CallLogin } from '../connectors/contract/connector.ts';
import type { CallStateName } from './call-state.ts';
import type { CallPresets } from './choose-presets.ts';

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
}

/** A call as a client sees it. */
export interface CallSnapshot extends CallIdentity {
  readonly state: CallStateName;
  /** Why the call is not connected yet, in words (`in the lobby`); null unless somebody must admit the agent. */
  readonly waitingReason: string | null;
  readonly capabilities: readonly Capability[];
  /** Who takes part besides the agent, as the platform reports it. Empty for a past call. */
  readonly participants: readonly Participant[];
  /** ISO 8601; null while the call is live. */
  readonly endedAt: string | null;
  /** Why the call ended; null while it is live. */
  readonly termination: Termination | null;
}

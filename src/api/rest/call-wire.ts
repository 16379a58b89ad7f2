import { FRAME_MS, frameSamples } from '../../base/frame.ts';
import { type Capability, PLATFORM_TRAITS } from '../../base/platform.ts';
import { type CallSnapshot, NOT_LIVE } from '../../calls/call-event.ts';
import type { PastCall } from '../../calls/call-history.ts';
import { terminationOf } from '../../calls/call-recorder.ts';
import type { TranscriptLine, TranscriptPart } from '../../calls/transcript.ts';
import { WITHHELD_CALLER } from '../../connectors/contract/connector.ts';
import type { CallRow } from '../../store/messages/calls.ts';
import { cachedReplies, type JsonReply, reply } from '../http/answer/reply.ts';
import type { AudioDirection, Call, CallStatus, CreatedCall, PastCallStatus } from '../schema/call.ts';

/** The gateway's public URL: `http(s)://host[:port][/prefix]`, without a trailing slash. */
export type PublicUrl = () => string;

/** A live call, or one from the database. */
type ShownCall = Omit<CallSnapshot, 'agentId' | 'participants'>;

/** The API representation of a new call. */
export function createdCall(call: ShownCall, publicUrl: PublicUrl): CreatedCall {
  const streamUrl = `${publicUrl().replace(/^http/, 'ws')}/api/call/${call.callId}/stream`;
  return {
    call_id: call.callId,
    room_id: call.roomId,
    participant_id: call.participantId,
    text_ws_url: streamUrl,
    state: call.state,
    capabilities: [...call.capabilities],
    platform: call.platform,
    meeting_url: call.meetingUrl,
    agent_name: call.agentName,
    audio: {
      sample_rate: call.sampleRateHz,
      format: 'pcm_s16le',
      channels: 1,
      frame_duration_ms: FRAME_MS,
      frame_bytes: frameSamples(call.sampleRateHz) * Int16Array.BYTES_PER_ELEMENT,
      stream_url: streamUrl,
      direction: audioDirection(call.capabilities),
    },
  };
}

/** The way in which audio flows, from the agent's side. */
export function audioDirection(capabilities: readonly Capability[]): AudioDirection {
  const hears = capabilities.includes('audio_in');
  const speaks = capabilities.includes('audio_out');
  if (hears) return speaks ? 'bidirectional' : 'receive';
  return speaks ? 'send' : 'none';
}

export function callWire(call: ShownCall, publicUrl: PublicUrl): Call {
  return {
    ...createdCall(call, publicUrl),
    direction: call.direction,
    caller: call.caller,
    ...(call.caller === WITHHELD_CALLER && { caller_withheld: true as const }),
    created_at: call.createdAt,
    ended_at: call.endedAt,
    ...(Object.keys(call.sipHeaders).length > 0 && { sip_headers: call.sipHeaders }),
    ...(call.waitingReason !== null && { waiting_reason: call.waitingReason }),
    ...(call.progress !== null && { progress: call.progress }),
    ...(call.onHold && { on_hold: true as const }),
    termination: call.termination,
  };
}

/** Creates the reply with a call's status and transcript. */
type StatusReply = (call: CallSnapshot, transcript: TranscriptPart) => JsonReply<200, CallStatus>;

/**
 * Creates status replies and caches them by snapshot. Snapshots never change and a live call keeps its own until
 * something happens, so polling agents get the same serialized answer as long as there is no transcript.
 */
export function statusReplies(publicUrl: PublicUrl): StatusReply {
  const withoutTranscript = cachedReplies((call: CallSnapshot) => callStatus(call, NO_TRANSCRIPT, publicUrl));
  return (call, transcript) =>
    transcript.length > 0 ? reply(200, callStatus(call, transcript, publicUrl)) : withoutTranscript(call);
}

/** A stored call that is over. */
export function pastCallWire(call: CallRow, publicUrl: PublicUrl) {
  const capabilities = call.capabilities ?? PLATFORM_TRAITS[call.platform].capabilities;
  return {
    ...callWire({ ...call, ...NOT_LIVE, capabilities, termination: terminationOf(call) }, publicUrl),
    answered_at: call.answeredAt,
  };
}

/** A stored call with its transcript. */
export function pastCallStatus(
  { call, lines, nextLine, turns }: PastCall,
  publicUrl: PublicUrl,
): PastCallStatus {
  const transcript = lines.map(({ createdAt, ...line }) => ({ ...line, created_at: createdAt }));
  return {
    ...pastCallWire(call, publicUrl),
    transcript,
    next_line: nextLine,
    turns: turns.map(({ metrics, createdAt }) => ({
      ...metrics,
      created_at: createdAt,
    })),
  };
}

const NO_TRANSCRIPT: TranscriptPart = { lines: [], length: 0 };

function callStatus(call: CallSnapshot, { lines, length }: TranscriptPart, publicUrl: PublicUrl): CallStatus {
  return {
    ...callWire(call, publicUrl),
    ...(call.participants.length > 0 && { participants: [...call.participants] }),
    transcript: lines.map(lineText),
    transcript_length: length,
  };
}

/** A transcript line as text. */
export function lineText({ speaker, text }: TranscriptLine): string {
  return `[${speaker}] ${text}`;
}

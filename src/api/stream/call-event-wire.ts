import { unreachable } from '../../base/assert.ts';
import type { RecognizedLine } from '../../base/speech.ts';
import type { CallEvent, CallSnapshot, ChatEvent, UtteranceEvent } from '../../calls/call-event.ts';
import { audioDirection } from '../rest/call-wire.ts';
import type { StreamEvent } from '../schema/stream.ts';

/** An event of a call as sent on its WebSockets. `isDetailed`: the client has asked for interim results. */
export function callEventWire(event: CallEvent, isDetailed: boolean): StreamEvent {
  switch (event.type) {
    case 'call_state':
    case 'call_invite':
    case 'call_waiting':
    case 'call_progress':
    case 'call_hold':
    case 'call_meeting':
    case 'call_participants':
    case 'call_error':
    case 'speech':
    case 'speech_unheard':
    case 'end_of_turn':
    case 'turn_metrics':
    case 'call_answered_by':
    case 'beep':
    case 'hold_music':
    case 'dtmf':
      return event;
    case 'call_capabilities': {
      const { type, capabilities } = event;
      return { type, capabilities, direction: audioDirection(capabilities) };
    }
    case 'call_speaking': {
      const { type, voiceId: voice_id, participant, speaking } = event;
      return {
        type,
        voice_id,
        participant_id: participant?.id ?? null,
        name: participant?.name ?? null,
        speaking,
      };
    }
    case 'call_transcript': {
      const { type, speaker, text } = event;
      return isDetailed ? transcriptWire(event, true) : { type, speaker, text };
    }
    case 'utterance':
      return utteranceWire(event);
    case 'call_chat':
      return chatWire(event);
    default:
      return unreachable(event);
  }
}

/** A line of a transcript, or what becomes one. */
export function transcriptWire(line: RecognizedLine, isFinal: boolean): StreamEvent {
  return {
    type: 'call_transcript',
    speaker: line.speaker,
    text: line.text,
    is_final: isFinal,
    start_ms: line.startMs,
    end_ms: line.endMs,
    confidence: line.confidence,
    language: line.language,
  };
}

/** What a client learns of a call when it opens a WebSocket on it. */
export function openingEvents(call: CallSnapshot): StreamEvent[] {
  const { state, waitingReason, progress, onHold, participants } = call;
  const events: StreamEvent[] = [{ type: 'call_state', state }];
  if (waitingReason !== null) events.push({ type: 'call_waiting', reason: waitingReason });
  if (progress !== null) events.push({ type: 'call_progress', progress });
  if (onHold) events.push({ type: 'call_hold', on_hold: true });
  if (participants.length > 0) events.push({ type: 'call_participants', participants });
  return events;
}

function utteranceWire(event: UtteranceEvent): StreamEvent {
  const { type, utteranceId, state, playedMs, spokenText, isEstimate } = event;
  return {
    type,
    utterance_id: utteranceId,
    state,
    played_ms: playedMs,
    spoken_text: spokenText,
    estimated: isEstimate,
  };
}

function chatWire({ type, sender, text, sentAt: sent_at, files }: ChatEvent): StreamEvent {
  const attachments = files.map(({ name, mime, sizeBytes: size, url }) => ({ name, mime, size, url }));
  return { type, sender, text, sent_at, ...(attachments.length > 0 && { attachments }) };
}

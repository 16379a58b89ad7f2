import { match } from '../../base/match.ts';
import type { RecognizedLine } from '../../base/speech.ts';
import type { CallEvent, CallSnapshot, ChatEvent, UtteranceEvent } from '../../calls/call-event.ts';
import { audioDirection } from '../rest/call-wire.ts';
import type { StreamEvent } from '../schema/stream.ts';
import { type MessageShape, messageBytes } from './frame-packer.ts';

/** An event of a call as sent on its WebSockets. `isDetailed`: the client has asked for interim results. */
export function callEventWire(event: CallEvent, isDetailed: boolean): StreamEvent {
  return match(event, 'type', {
    call_state: (event) => event,
    call_invite: (event) => event,
    call_waiting: (event) => event,
    call_progress: (event) => event,
    call_hold: (event) => event,
    call_meeting: (event) => event,
    call_participants: (event) => event,
    call_error: (event) => event,
    speech: (event) => event,
    speech_unheard: (event) => event,
    dtmf: (event) => event,
    call_capabilities: ({ type, capabilities }) => ({
      type,
      capabilities,
      direction: audioDirection(capabilities),
    }),
    call_speaking: ({ type, voiceId: voice_id, participant, speaking }) => ({
      type,
      voice_id,
      participant_id: participant?.id ?? null,
      name: participant?.name ?? null,
      speaking,
    }),
    call_transcript: (event) => {
      const { type, speaker, text } = event;
      return isDetailed ? transcriptWire(event, true) : { type, speaker, text };
    },
    utterance: (event) => utteranceWire(event),
    call_chat: (event) => chatWire(event),
  });
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

/** The format of a client's audio on a call. */
export function audioConfigWire(shape: MessageShape, nativeSampleRateHz: number): StreamEvent {
  const { sampleRateHz, format, messageMs } = shape;
  return {
    type: 'audio_config',
    sample_rate: sampleRateHz,
    native_sample_rate: nativeSampleRateHz,
    resampling: sampleRateHz !== nativeSampleRateHz,
    format,
    channels: 1,
    frame_duration_ms: messageMs,
    frame_bytes: messageBytes(shape),
    ready: true,
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

import type { StreamEvent, StreamRequest } from './stream.ts';

/** One message of each type from the gateway on the call WebSocket, as the API reference shows them. */
export const STREAM_EVENTS: {
  readonly [Type in StreamEvent['type']]: StreamEvent & { readonly type: Type };
} = {
  call_state: { type: 'call_state', state: 'active' },
  call_invite: { type: 'call_invite' },
  call_waiting: { type: 'call_waiting', reason: 'in the lobby' },
  call_progress: { type: 'call_progress', progress: 'ringing' },
  call_hold: { type: 'call_hold', on_hold: true },
  call_meeting: { type: 'call_meeting', meeting_url: 'https://example.zoom.us/j/123' },
  call_capabilities: {
    type: 'call_capabilities',
    capabilities: ['audio_in', 'audio_out'],
    direction: 'bidirectional',
  },
  call_participants: { type: 'call_participants', participants: [{ id: 'p1', name: 'Ada' }] },
  call_speaking: { type: 'call_speaking', voice_id: 0, participant_id: 'p1', name: 'Ada', speaking: true },
  call_transcript: { type: 'call_transcript', speaker: 'Ada', text: 'Good morning' },
  speech: { type: 'speech', speaker: 'Ada', state: 'started' },
  speech_unheard: { type: 'speech_unheard', speaker: 'Ada', reason: 'not_understood' },
  utterance: {
    type: 'utterance',
    utterance_id: 'utt_1',
    state: 'interrupted',
    played_ms: 840,
    spoken_text: 'Good morn',
    estimated: true,
  },
  call_chat: { type: 'call_chat', sender: 'Ada', text: 'Hello', sent_at: '2026-01-01T12:00:00.000Z' },
  dtmf: { type: 'dtmf', digit: '5' },
  call_answered_by: { type: 'call_answered_by', answered_by: 'human', confidence: 0.9 },
  beep: { type: 'beep' },
  hold_music: { type: 'hold_music', playing: true },
  end_of_turn: { type: 'end_of_turn', speaker: 'Ada', reason: 'sentence', confidence: 0.8 },
  turn_metrics: {
    type: 'turn_metrics',
    total_ms: 1_240,
    endpointing_ms: 500,
    recognizer_ms: 120,
    model_ms: 380,
    synthesis_ms: 180,
    playout_ms: 60,
    utterance_id: 'utt_1',
  },
  audio_config: {
    type: 'audio_config',
    sample_rate: 16_000,
    native_sample_rate: 48_000,
    resampling: true,
    format: 'pcm_s16le',
    channels: 1,
    frame_duration_ms: 20,
    frame_bytes: 640,
    ready: true,
  },
  transcript_config: { type: 'transcript_config', interim: true },
  mark: { type: 'mark', name: 'end of the greeting' },
  cleared: { type: 'cleared', played_ms: 1_200, dropped_ms: 400 },
  paused: { type: 'paused', played_ms: 1_200 },
  resumed: { type: 'resumed', played_ms: 1_200 },
  call_error: { type: 'call_error', code: 'invalid_message', message: 'text: Required' },
};

/** One message of each type to the gateway. */
export const STREAM_REQUESTS: {
  readonly [Type in StreamRequest['type']]: StreamRequest & { readonly type: Type };
} = {
  audio_config: {
    type: 'audio_config',
    sample_rate: 16_000,
    receive: true,
    format: 'pcm_s16le',
    frame_ms: 20,
  },
  audio: { type: 'audio', audio: 'AAAA', sample_rate: 16_000 },
  clear: { type: 'clear' },
  pause: { type: 'pause' },
  resume: { type: 'resume' },
  mark: { type: 'mark', name: 'end of the greeting' },
  say: { type: 'say', text: 'Good morning' },
  send_chat: { type: 'send_chat', text: 'Hello' },
  transcript_config: { type: 'transcript_config', interim: true },
};

import * as z from 'zod';
import { MAX_SAMPLE_RATE_HZ, MIN_SAMPLE_RATE_HZ } from '../../base/frame.ts';
import type { CallEvent } from '../../calls/call-event.ts';
import { type AudioDirection, SpokenText } from './call.ts';
import { ChatText } from './fields.ts';

/** How samples may be written in binary messages, and in the base64 of `audio`. */
export const SAMPLE_FORMATS = ['pcm_s16le', 'mulaw', 'alaw'] as const;
export type SampleFormat = (typeof SAMPLE_FORMATS)[number];
/** With `opus`, each message is a packet. */
export const AUDIO_FORMATS = [...SAMPLE_FORMATS, 'opus'] as const;
export type AudioFormat = (typeof AUDIO_FORMATS)[number];

/** Lengths of messages of audio, in ms. The shortest halves a frame of the call. */
const MIN_MESSAGE_MS = 10;
const MAX_MESSAGE_MS = 200;

const SampleRate = z.int().min(MIN_SAMPLE_RATE_HZ).max(MAX_SAMPLE_RATE_HZ);

/** Text messages from the client on the call WebSocket (specification, "Call WebSocket, client to server"). */
export const StreamRequest = z.discriminatedUnion('type', [
  z.object({ type: z.literal('audio'), audio: z.string(), sample_rate: SampleRate.optional() }),
  z.object({
    type: z.literal('audio_config'),
    sample_rate: SampleRate.optional(),
    receive: z.boolean().optional(),
    format: z.enum(AUDIO_FORMATS).optional(),
    frame_ms: z.int().min(MIN_MESSAGE_MS).max(MAX_MESSAGE_MS).multipleOf(MIN_MESSAGE_MS).optional(),
  }),
  z.object({ type: z.literal('clear') }),
  z.object({ type: z.literal('pause') }),
  z.object({ type: z.literal('resume') }),
  z.object({ type: z.literal('mark'), name: z.string().min(1).max(256) }),
  z.object({ type: z.literal('say'), text: SpokenText }),
  z.object({ type: z.literal('send_chat'), text: ChatText }),
  z.object({ type: z.literal('transcript_config'), interim: z.boolean().optional() }),
]);
export type StreamRequest = z.output<typeof StreamRequest>;

/** `call_error` codes for invalid client messages. The call continues. */
export type StreamErrorCode =
  | 'invalid_json'
  | 'unknown_type'
  | 'invalid_message'
  | 'invalid_sample_rate'
  | 'invalid_base64'
  | 'invalid_audio'
  | 'too_many_marks'
  | 'too_many_clears'
  | 'too_many_pauses';

interface StreamAttachment {
  readonly name: string;
  readonly mime: string;
  /** Bytes; null if not known yet. */
  readonly size: number | null;
  readonly url: string;
}

/** Events with fields that the API names otherwise. */
type TranslatedType = 'call_capabilities' | 'call_speaking' | 'call_transcript' | 'utterance' | 'call_chat';

/** The rest of a `call_transcript` for a client that has asked for interim results. Null: the provider does not tell. */
interface TranscriptDetails {
  /** Whether the line is part of the transcript. Otherwise the next one of this speaker replaces it. */
  readonly is_final: boolean;
  /** In ms since the gateway began to listen. */
  readonly start_ms: number | null;
  readonly end_ms: number | null;
  readonly confidence: number | null;
  readonly language: string | null;
}

/** Text messages from the gateway. */
export type StreamEvent =
  | Exclude<CallEvent, { readonly type: TranslatedType }>
  | {
      readonly type: 'call_capabilities';
      readonly capabilities: readonly string[];
      readonly direction: AudioDirection;
    }
  | {
      readonly type: 'call_speaking';
      readonly voice_id: number;
      readonly participant_id: string | null;
      readonly name: string | null;
      readonly speaking: boolean;
    }
  | ({ readonly type: 'call_transcript'; readonly speaker: string; readonly text: string } & (
      | TranscriptDetails
      | Readonly<Partial<Record<keyof TranscriptDetails, never>>>
    ))
  | { readonly type: 'transcript_config'; readonly interim: boolean }
  | {
      readonly type: 'utterance';
      readonly utterance_id: string;
      readonly state: 'started' | 'finished' | 'interrupted' | 'failed';
      readonly played_ms: number;
      readonly spoken_text: string;
      readonly estimated: boolean;
    }
  | {
      readonly type: 'call_chat';
      readonly sender: string;
      readonly text: string;
      readonly sent_at: string;
      readonly attachments?: readonly StreamAttachment[];
    }
  | {
      readonly type: 'call_error';
      readonly message: string;
      readonly code: string;
      readonly lost_ms?: number;
    }
  | { readonly type: 'mark'; readonly name: string }
  | { readonly type: 'paused' | 'resumed'; readonly played_ms: number }
  | { readonly type: 'cleared'; readonly played_ms: number; readonly dropped_ms: number }
  | {
      readonly type: 'audio_config';
      readonly sample_rate: number;
      readonly native_sample_rate: number;
      readonly resampling: boolean;
      readonly format: AudioFormat;
      readonly channels: 1;
      readonly frame_duration_ms: number;
      readonly frame_bytes: number;
      readonly ready: true;
    };

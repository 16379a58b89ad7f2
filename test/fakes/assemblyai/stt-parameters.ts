import * as z from 'zod';
import { bytesPerMs, type ToneFormat } from '../tone-speech.ts';

const flag = z.enum(['true', 'false']);
const share = z.coerce.number().min(0).max(1);
const milliseconds = z.coerce.number().int().min(0);
const jsonList = z.string().transform((text) => z.array(z.string()).max(100).parse(JSON.parse(text)));

/** StreamingTranscriberParams of the assemblyai package, 4.41.5, as its connectionUrl() writes them. */
export const Parameters = z.strictObject({
  speech_model: z.enum([
    'universal-streaming-english',
    'universal-streaming-multilingual',
    'whisper-rt',
    'u3-rt-pro',
    'u3-pro',
    'universal-3-5-pro',
    'universal-3-6-pro',
  ]),
  encoding: z.enum(['pcm_s16le', 'pcm_mulaw']).default('pcm_s16le'),
  sample_rate: z.coerce.number().int().min(8_000).max(48_000),
  format_turns: flag.optional(),
  end_of_turn_confidence_threshold: share.optional(),
  min_turn_silence: milliseconds.optional(),
  max_turn_silence: milliseconds.optional(),
  vad_threshold: share.optional(),
  keyterms_prompt: jsonList.optional(),
  prompt: z.string().max(1_500).optional(),
  language_codes: jsonList.optional(),
  language_detection: flag.optional(),
  speaker_labels: flag.optional(),
  max_speakers: z.coerce.number().int().min(1).max(10).optional(),
  inactivity_timeout: z.coerce.number().int().min(5).max(3_600).optional(),
  filter_profanity: flag.optional(),
});

export type AssemblyAiParameters = z.output<typeof Parameters>;

/** Options that only one family of models knows. */
export function mistakeIn({
  speech_model,
  format_turns,
  prompt,
  language_codes,
}: AssemblyAiParameters): string | null {
  const isUniversalStreaming = speech_model.startsWith('universal-streaming');
  if (!isUniversalStreaming && format_turns) return `format_turns is not supported by ${speech_model}`;
  if (isUniversalStreaming && (prompt || language_codes)) return `prompt is not supported by ${speech_model}`;
  return null;
}

export function formatOf({ encoding, sample_rate }: AssemblyAiParameters): ToneFormat {
  return { encoding: encoding === 'pcm_mulaw' ? 'mulaw' : 's16le', sampleRateHz: sample_rate };
}

export function durationMs(audio: Uint8Array, parameters: AssemblyAiParameters): number {
  return audio.length / bytesPerMs(formatOf(parameters));
}

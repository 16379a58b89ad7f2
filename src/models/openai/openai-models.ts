import * as z from 'zod';
import { optionalField } from '../http/optional-field.ts';
import type { ModelChoice } from '../model-client.ts';

/** `GET /models`. */
export const ModelList = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      created: optionalField(z.number()),
      /** `YYYY-MM-DD`. Only OpenAI's. */
      shutdown_date: optionalField(z.string()),
    }),
  ),
});

/** Models for other things than text, by their names: the list does not say what a model is for. */
const NO_TEXT =
  /embedding|whisper|tts|transcribe|audio|realtime|dall-e|image|sora|moderation|babbage|davinci|instruct/;

/** The models of text, the newest first. */
export function choicesOf({ data }: z.output<typeof ModelList>): ModelChoice[] {
  return data
    .filter(({ id }) => !NO_TEXT.test(id))
    .toSorted((one, other) => (other.created ?? 0) - (one.created ?? 0))
    .map(({ id, shutdown_date }) => ({ id, name: id, endsAt: shutdown_date ?? null }));
}

/** The models that think before they answer, except those that do so at full length only. */
const THINKS = /^(?:gpt-(?:[5-9]|\d\d)|o\d)/;
const FIXED = /-(?:chat|pro)\b/;

/** Whether a model can be told to think little. */
export function canHurry(model: string): boolean {
  return THINKS.test(model) && !FIXED.test(model);
}

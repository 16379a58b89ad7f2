import { dayOf } from '../../base/time.ts';
import type { PresetOptions } from '../../store/speech/speech-tables.ts';
import { effectiveOptions } from '../options/options-schema.ts';
import type { ModelEnd, SpeechService } from '../providers/provider.ts';

/** Returns when the model of these options ends, or ended; undefined as far as is known never. */
export function modelEndOf(
  { fields, modelEnds }: SpeechService,
  options: PresetOptions,
): ModelEnd | undefined {
  const { model } = effectiveOptions(fields, options);
  return modelEnds.find((end) => model === end.model || `${model}`.startsWith(`${end.model}-20`));
}

export function hasEnded({ endsOn }: ModelEnd, nowIso: string): boolean {
  return endsOn <= dayOf(nowIso);
}

/** Tells the end of a model, for people. */
export function endText(title: string, { model, endsOn, successor }: ModelEnd, nowIso: string): string {
  const verb = dayOf(nowIso) < endsOn ? 'ends' : 'ended';
  const instead = successor === null ? '' : `; use ${successor}`;
  return `${title} ${verb} ${model} on ${endsOn}${instead}`;
}

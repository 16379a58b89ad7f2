import * as z from 'zod';
import type { SpeechKind, SpeechProviderName } from '../../base/speech.ts';
import { type OptionsChange, optionsSchema } from '../../speech/options/options-schema.ts';
import { needsKey } from '../../speech/presets/check-key.ts';
import { endText, hasEnded, modelEndOf } from '../../speech/presets/model-ends.ts';
import type { SpeechService } from '../../speech/providers/provider.ts';
import { speechProvider } from '../../speech/providers/speech-providers.ts';
import type { PresetOptions } from '../../store/speech/speech-tables.ts';
import { ValidationError, validate } from '../http/request/validation.ts';

/** The provider and kind that the rest of a preset has to suit. */
export interface Served {
  readonly provider: SpeechProviderName;
  readonly kind: SpeechKind;
}

/** Returns what the provider offers of a kind. Throws a ValidationError if it does not. */
export function requireService({ provider, kind }: Served): SpeechService {
  const { kinds, title } = speechProvider(provider);
  const service = kinds[kind];
  if (service === undefined)
    throw fault(['kind'], `${title} offers ${Object.keys(kinds).join(' and ')} only`);
  return service;
}

/** Returns the options of a request. Throws a ValidationError that names each wrong one. */
export function validOptions({ fields }: SpeechService, options: unknown): OptionsChange {
  const body = z.object({ options: optionsSchema(fields) });
  return (validate(body, 'body', { options }) as z.output<typeof body>).options;
}

/** Throws a ValidationError when the options, which may leave it to the default, name a model that has ended. */
export function requireLivingModel(served: Served, options: PresetOptions, nowIso: string): void {
  const end = modelEndOf(requireService(served), options);
  if (end && hasEnded(end, nowIso))
    throw fault(['options', 'model'], endText(speechProvider(served.provider).title, end, nowIso));
}

/** Throws a ValidationError for a region that the provider does not have. Null and nothing stand for its default. */
export function requireRegion(provider: SpeechProviderName, region: string | null | undefined): void {
  const { regions } = speechProvider(provider);
  if (region === null || region === undefined || regions.some(({ name }) => name === region)) return;
  const names = regions.map(({ name }) => JSON.stringify(name)).join(', ');
  throw fault(['region'], names === '' ? 'It has no regions' : `Input should be one of ${names}`);
}

/** Throws a ValidationError for a key where none is needed, and with `isRequired` for a missing one. */
export function requireKey(provider: SpeechProviderName, key: string | undefined, isRequired: boolean): void {
  if (key !== undefined && !needsKey(provider)) throw fault(['api_key'], 'It needs no key');
  if (isRequired && key === undefined && needsKey(provider))
    throw new ValidationError([{ loc: ['body', 'api_key'], type: 'missing', msg: 'Field required' }]);
}

function fault(path: readonly string[], msg: string): ValidationError {
  return new ValidationError([{ loc: ['body', ...path], type: 'value_error', msg }]);
}

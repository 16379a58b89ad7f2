import type { z } from 'zod';
import { match } from '../../base/match.ts';
import type { SpeechKind } from '../../base/speech.ts';
import { MAX_TEXT, type OptionField, type TextOption } from '../../speech/options/option-field.ts';
import { effectiveOptions } from '../../speech/options/options-schema.ts';
import { endText, modelEndOf } from '../../speech/presets/model-ends.ts';
import type { SpeechProvider, SpeechService } from '../../speech/providers/provider.ts';
import { SPEECH_PROVIDERS, speechProvider } from '../../speech/providers/speech-providers.ts';
import type { VoiceList } from '../../speech/providers/voices.ts';
import type { PresetOptions } from '../../store/speech/speech-tables.ts';
import type { StoredVoiceConfig } from '../../store/speech/voice-configs.ts';
import type { VoiceConfig, VoiceConfigSchema, VoiceList as VoiceListSchema } from '../schema/voice-config.ts';

type Catalog = z.output<typeof VoiceConfigSchema>;
type Entry = Catalog['providers'][number];
type Service = NonNullable<Entry['kinds'][SpeechKind]>;
type Property = Service['schema']['properties'][string];

/** The API representation of a preset. Its key is not part of it. */
export function voiceConfigWire(preset: StoredVoiceConfig, nowIso: string): z.output<typeof VoiceConfig> {
  const { title, kinds, regions } = speechProvider(preset.provider);
  const service = kinds[preset.kind];
  const end = service && modelEndOf(service, preset.options);
  return {
    id: preset.id,
    kind: preset.kind,
    provider: preset.provider,
    name: preset.name,
    region: preset.region ?? regions[0]?.name ?? null,
    options: optionsWire(service, preset.options),
    enabled: preset.enabled,
    key_status: preset.keyStatus,
    key_detail: preset.keyDetail,
    checked_at: preset.checkedAt,
    notices: end ? [endText(title, end, nowIso)] : [],
    created_at: preset.createdAt,
    updated_at: preset.updatedAt,
  };
}

function optionsWire(service: SpeechService | undefined, options: PresetOptions) {
  const entries = Object.entries(service ? effectiveOptions(service.fields, options) : options);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'object' ? [...value] : value]),
  );
}

/** The API representation of all providers, with the options of each kind as a JSON Schema. */
export function catalogWire(): Catalog {
  return { providers: SPEECH_PROVIDERS.map(entryWire) };
}

function entryWire({ name, title, regions, kinds }: SpeechProvider): Entry {
  return {
    name,
    title,
    needs_key: regions.length > 0,
    regions: regions.map((region) => ({ name: region.name, title: region.title })),
    kinds: {
      ...(kinds.stt ? { stt: serviceWire(kinds.stt) } : {}),
      ...(kinds.tts ? { tts: serviceWire(kinds.tts) } : {}),
    },
  };
}

function serviceWire({ fields, modelEnds, missing }: SpeechService): Service {
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field.name, propertyWire(field)])),
      additionalProperties: false,
    },
    model_ends: modelEnds.map(({ model, endsOn, successor }) => ({ model, ends_on: endsOn, successor })),
    missing: missing?.() ?? null,
  };
}

function propertyWire(field: OptionField): Property {
  const { title, description } = field;
  const preset = field.type === 'list' || field.default === undefined ? {} : { default: field.default };
  return match(field, 'type', {
    text: (field) => ({ type: 'string', title, description, ...preset, ...textLimits(field) }),
    number: ({ type, minimum, maximum }) => ({ type, title, description, ...preset, minimum, maximum }),
    integer: ({ type, minimum, maximum }) => ({ type, title, description, ...preset, minimum, maximum }),
    flag: () => ({ type: 'boolean', title, description, ...preset }),
    list: ({ maxItems, maxLength }) => ({
      type: 'array',
      title,
      description,
      maxItems,
      items: { type: 'string', maxLength },
    }),
  });
}

function textLimits({ choices, examples, maxLength = MAX_TEXT }: TextOption) {
  if (choices) return { enum: [...choices] };
  return { ...(examples ? { examples: [...examples] } : {}), maxLength };
}

export function voicesWire({ voices, isCut }: VoiceList): z.output<typeof VoiceListSchema> {
  return {
    voices: voices.map(({ previewUrl, languages, ...voice }) => ({
      ...voice,
      languages: [...languages],
      preview_url: previewUrl,
    })),
    truncated: isCut,
  };
}

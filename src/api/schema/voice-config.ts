import * as z from 'zod';
import { SPEECH_KINDS, SPEECH_PROVIDER_NAMES } from '../../base/speech.ts';
import { KEY_STATUSES } from '../../store/speech/speech-tables.ts';
import { Name, named, VoiceConfigId } from './fields.ts';

const Kind = z.enum(SPEECH_KINDS);
const Provider = z.enum(SPEECH_PROVIDER_NAMES);

/** Keys of all providers are printable ASCII without spaces. */
const Key = z
  .string()
  .max(512)
  .regex(/^[!-~]+$/, 'Input should be printable ASCII characters without spaces');

const Region = z.string().max(32).nullish().describe('A region of the provider; null: its default');

const GivenOptions = z
  .record(z.string(), z.unknown())
  .describe(
    'As `GET /api/voice-configs/schema` describes them. Null removes an option, so that its default applies',
  );

export const VoiceConfigParams = z.object({
  id: z.string().toLowerCase().describe('Identifier of the preset'),
});

/** Strict, so that options outside `options` are not ignored. */
export const CreateVoiceConfigBody = z
  .strictObject({
    kind: Kind.describe('Speech recognition (stt) or text-to-speech (tts)'),
    provider: Provider,
    name: Name.optional().describe("Default: the provider's name"),
    region: Region,
    options: GivenOptions.default({}),
    api_key: Key.optional().describe('Required unless the provider is `local`. Never returned'),
    enabled: z.boolean().default(true).describe('Whether calls use it that name no other'),
  })
  .meta({ id: 'CreateVoiceConfig' });

export const ChangeVoiceConfigBody = z
  .strictObject({
    name: Name.optional(),
    region: Region,
    options: GivenOptions.optional(),
    api_key: Key.optional().describe('Default: the stored one. Never returned'),
    enabled: z.boolean().optional().describe('true disables the other preset of the kind'),
  })
  .meta({ id: 'ChangeVoiceConfig' });

const OptionValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

/** A preset, without its key. */
export const VoiceConfig = named('VoiceConfig', {
  id: z.string(),
  kind: Kind,
  provider: Provider,
  name: z.string(),
  region: z.string().nullable().describe('Null: the provider has no regions'),
  options: z.record(z.string(), OptionValue).describe('Includes defaults'),
  enabled: z.boolean(),
  key_status: z
    .enum(KEY_STATUSES)
    .describe(
      'What the provider said when it was last asked: `limited_scope` and `out_of_funds` may fail on calls; `not_needed` for `local`',
    ),
  key_detail: z.string().nullable().describe("The provider's words about the key"),
  checked_at: z.string().describe('When the provider was last asked'),
  notices: z.array(z.string()).describe('What will not work for long, such as a model that ends'),
  created_at: z.string(),
  updated_at: z.string(),
});

export const VoiceConfigList = named('VoiceConfigList', { voice_configs: z.array(VoiceConfig) });

const Text = z.object({ type: z.literal('string'), maxLength: z.int().optional() });

const OptionProperty = z.object({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array']),
  title: z.string(),
  description: z.string(),
  default: OptionValue.optional(),
  enum: z.array(z.string()).optional(),
  examples: z.array(z.string()).optional().describe('Known values, best first; others are valid too'),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.int().optional(),
  maxItems: z.int().optional(),
  items: Text.optional(),
});

const SpeechService = z.object({
  schema: z
    .object({
      type: z.literal('object'),
      properties: z.record(z.string(), OptionProperty),
      additionalProperties: z.literal(false),
    })
    .describe('JSON Schema of `options`'),
  model_ends: z
    .array(
      z.object({
        model: z.string().describe('With its dated versions'),
        ends_on: z.string().describe('YYYY-MM-DD, the first day without it'),
        successor: z.string().nullable(),
      }),
    )
    .describe('Models that the provider ends. A preset with one that has ended is refused'),
  missing: z
    .string()
    .nullable()
    .describe('What the operator has to install first; presets are refused until then. Null: nothing'),
});

export const VoiceConfigSchema = named('VoiceConfigSchema', {
  providers: z.array(
    z.object({
      name: Provider,
      title: z.string(),
      needs_key: z.boolean(),
      regions: z.array(z.object({ name: z.string(), title: z.string() })).describe('The default first'),
      kinds: z
        .object({ stt: SpeechService.optional(), tts: SpeechService.optional() })
        .describe('What the provider offers'),
    }),
  ),
});

export const VoicesParams = z.object({ name: Provider.describe('A speech provider') });

export const VoicesBody = z
  .strictObject({
    api_key: Key.optional().describe('A key, which is not stored'),
    region: Region.describe('The region of `api_key`'),
    voice_config_id: VoiceConfigId.optional().describe('Use the stored key of this preset'),
  })
  .meta({ id: 'ListVoices' });

export const VoiceList = named('VoiceList', {
  voices: z.array(
    z.object({
      id: z.string().describe('Value of the option `voice`'),
      name: z.string(),
      description: z.string().nullable(),
      languages: z.array(z.string()),
      gender: z.string().nullable(),
      preview_url: z.string().nullable(),
    }),
  ),
  truncated: z.boolean().describe('Whether the provider has more'),
});

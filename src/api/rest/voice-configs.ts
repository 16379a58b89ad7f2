import * as z from 'zod';
import type { SpeechKind, SpeechProviderName } from '../../base/speech.ts';
import { mergeOptions, type OptionsChange, optionsSchema } from '../../speech/options/options-schema.ts';
import { changePreset } from '../../speech/presets/change-preset.ts';
import { listVoices, type VoicesOf } from '../../speech/presets/list-voices.ts';
import { endText, hasEnded, modelEndOf } from '../../speech/presets/model-ends.ts';
import { createPreset, deletePreset, needsKey, requirePreset } from '../../speech/presets/presets.ts';
import type { SpeechService } from '../../speech/providers/provider.ts';
import { speechProvider } from '../../speech/providers/speech-providers.ts';
import type { SpeechDomain } from '../../speech/speech-domain.ts';
import type { PresetOptions } from '../../store/speech/speech-tables.ts';
import { listVoiceConfigs } from '../../store/speech/voice-configs.ts';
import { reply } from '../http/answer/reply.ts';
import { ValidationError, validate } from '../http/request/validation.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { Deleted, deleted } from '../schema/acknowledgements.ts';
import {
  ChangeVoiceConfigBody,
  CreateVoiceConfigBody,
  VoiceConfig,
  VoiceConfigList,
  VoiceConfigParams,
  VoiceConfigSchema,
  VoiceList,
  VoicesBody,
  VoicesParams,
} from '../schema/voice-config.ts';
import { catalogWire, voiceConfigWire, voicesWire } from './voice-config-wire.ts';

const PATH = '/api/voice-configs';
const account = resource('account', 'Voice presets');
const config = resource('config', 'Voice presets');
/** All options at their longest need about half of it. */
const BODY_LIMIT_BYTES = 64 * 1024;

/** How the question to a provider about a key fails. */
const KEY_CHECK_FAILS = [
  'voice_key_refused',
  'email_not_verified',
  {
    too_many_attempts: 'Speech providers were asked too often',
    voice_provider_failed: 'The speech provider did not answer as expected; nothing was changed',
  },
] as const;

/** Routes for voice presets, the account's own keys for hosted speech, and for the voices of a provider. */
export function voiceConfigRoutes(speech: SpeechDomain): Route[] {
  const { store, clock } = speech;

  return [
    account.get(`${PATH}/schema`, {
      operationId: 'getVoiceConfigSchema',
      summary: 'List the speech providers and their options',
      responses: { 200: { description: 'The catalog', schema: VoiceConfigSchema } },
      handler: () => reply(200, catalogWire()),
    }),
    account.get(PATH, {
      operationId: 'listVoiceConfigs',
      summary: 'List the voice presets',
      responses: {
        200: { description: 'The presets, oldest first, without their keys', schema: VoiceConfigList },
      },
      handler: async ({ principal }) => {
        const presets = await listVoiceConfigs(store.db, principal.accountId);
        return reply(200, {
          voice_configs: presets.map((preset) => voiceConfigWire(preset, clock.nowIso())),
        });
      },
    }),
    config.post(PATH, {
      operationId: 'createVoiceConfig',
      summary: 'Create a voice preset',
      description:
        'The provider is asked about the key, which is stored encrypted and never shown. A key that lacks permissions or money is accepted, and `key_status` says so. An enabled preset disables the other one of its kind.',
      body: CreateVoiceConfigBody,
      bodyLimitBytes: BODY_LIMIT_BYTES,
      responses: { 200: { description: 'The preset', schema: VoiceConfig } },
      fails: [
        ...KEY_CHECK_FAILS,
        'voice_engine_missing',
        { cap_reached: 'The account has reached its limit of voice presets' },
      ],
      handler: async ({ principal, body }) => {
        const { api_key: apiKey, name = null, region = null, ...wanted } = body;
        const options = mergeOptions({}, validOptions(requireService(body), body.options));
        requireRegion(body.provider, region);
        requireKey(body.provider, apiKey, true);
        requireLivingModel(body, options, speech.clock.nowIso());
        const preset = { ...wanted, name, region, options, apiKey: apiKey ?? null };
        return reply(
          200,
          voiceConfigWire(await createPreset(speech, principal, preset), speech.clock.nowIso()),
        );
      },
    }),
    config.patch(`${PATH}/{id}`, {
      operationId: 'changeVoiceConfig',
      summary: 'Change a voice preset',
      description:
        'Fields and options that are left out stay. A new key, a new region and `enabled: true` have the provider asked about the key again. Live calls keep the preset as it was when they began.',
      params: VoiceConfigParams,
      body: ChangeVoiceConfigBody,
      bodyLimitBytes: BODY_LIMIT_BYTES,
      responses: { 200: { description: 'The preset', schema: VoiceConfig } },
      fails: [...KEY_CHECK_FAILS, 'voice_engine_missing', 'voice_config_not_found', 'voice_config_changed'],
      handler: async ({ principal, params, body }) => {
        const { store, clock } = speech;
        const preset = await requirePreset(store.db, principal.accountId, params.id);
        const { api_key: apiKey, region, enabled, name } = body;
        const options = body.options && validOptions(requireService(preset), body.options);
        requireRegion(preset.provider, region);
        requireKey(preset.provider, apiKey, false);
        const merged = mergeOptions(preset.options, options ?? {});
        if (options || enabled) requireLivingModel(preset, merged, clock.nowIso());
        const next = { name, region, options, apiKey, enabled };
        const changed = await changePreset(speech, principal, params.id, next);
        return reply(200, voiceConfigWire(changed, clock.nowIso()));
      },
    }),
    config.delete(`${PATH}/{id}`, {
      operationId: 'deleteVoiceConfig',
      summary: 'Delete a voice preset',
      description: 'Live calls that have it keep it.',
      params: VoiceConfigParams,
      responses: { 200: { description: 'Deleted', schema: Deleted } },
      fails: ['voice_config_not_found'],
      handler: ({ principal, params }) => deleted(deletePreset(speech, principal, params.id)),
    }),
    config.post('/api/providers/{name}/voices', {
      operationId: 'listVoices',
      summary: 'List the voices of a speech provider',
      description: 'With a key, or with that of a stored preset; `local` needs none. At most 500 voices.',
      params: VoicesParams,
      body: VoicesBody,
      bodyLimitBytes: 16 * 1024,
      idempotency: 'none',
      responses: { 200: { description: 'The voices', schema: VoiceList } },
      fails: [
        ...KEY_CHECK_FAILS,
        'voice_config_not_found',
        { capability_missing: 'The provider only recognizes speech' },
      ],
      handler: async ({ principal, params, body }) => {
        const { api_key, region = null, voice_config_id: presetId } = body;
        const whose = presetId === undefined ? ofKey(params.name, api_key, region) : { presetId };
        if (presetId !== undefined && api_key !== undefined) throw oneOf();
        return reply(200, voicesWire(await listVoices(speech, principal.accountId, params.name, whose)));
      },
    }),
  ];
}

function ofKey(name: SpeechProviderName, apiKey: string | undefined, region: string | null): VoicesOf {
  requireRegion(name, region);
  requireKey(name, apiKey, false);
  if (apiKey !== undefined) return { apiKey, region };
  if (needsKey(name)) throw oneOf();
  return null;
}

function oneOf(): ValidationError {
  const msg = 'Exactly one of api_key and voice_config_id is required';
  return new ValidationError([{ loc: ['body', 'api_key'], type: 'value_error', msg }]);
}

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

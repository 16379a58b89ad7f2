import { mergeOptions } from '../../speech/options/options-schema.ts';
import { changePreset } from '../../speech/presets/change-preset.ts';
import { createPreset } from '../../speech/presets/create-preset.ts';
import { deletePreset, requirePreset } from '../../speech/presets/presets.ts';
import type { SpeechDomain } from '../../speech/speech-domain.ts';
import { listVoiceConfigs } from '../../store/speech/voice-configs.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { Deleted } from '../schema/acknowledgements.ts';
import {
  ChangeVoiceConfigBody,
  CreateVoiceConfigBody,
  VoiceConfig,
  VoiceConfigList,
  VoiceConfigParams,
  VoiceConfigSchema,
} from '../schema/voice-config.ts';
import {
  requireKey,
  requireLivingModel,
  requireRegion,
  requireService,
  validOptions,
} from './voice-config-faults.ts';
import { catalogWire, voiceConfigWire } from './voice-config-wire.ts';

const PATH = '/api/voice-configs';
const account = resource('account', 'Voice presets');
const config = resource('config', 'Voice presets');
/** All options at their longest need about half of it. */
const BODY_LIMIT_BYTES = 64 * 1024;

/** Routes for voice presets: the account's own keys for hosted speech. */
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
        'voice_key_refused',
        'voice_engine_missing',
        'email_not_verified',
        'cap_reached',
        'too_many_attempts',
        'voice_provider_failed',
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
      fails: [
        'voice_key_refused',
        'voice_engine_missing',
        'email_not_verified',
        'voice_config_not_found',
        'voice_config_changed',
        'too_many_attempts',
        'voice_provider_failed',
      ],
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
      handler: async ({ principal, params }) => {
        await deletePreset(speech, principal, params.id);
        return reply(200, { status: 'deleted' as const });
      },
    }),
  ];
}

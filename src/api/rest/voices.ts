import type { SpeechProviderName } from '../../base/speech.ts';
import { needsKey } from '../../speech/presets/check-key.ts';
import { listVoices, type VoicesOf } from '../../speech/presets/list-voices.ts';
import type { SpeechDomain } from '../../speech/speech-domain.ts';
import { reply } from '../http/answer/reply.ts';
import { ValidationError } from '../http/request/validation.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { VoiceList, VoicesBody, VoicesParams } from '../schema/voice-config.ts';
import { requireKey, requireRegion } from './voice-config-faults.ts';
import { voicesWire } from './voice-config-wire.ts';

const config = resource('config', 'Voice presets');

/** The route for the voices of a speech provider. */
export function voicesRoute(speech: SpeechDomain): Route {
  return config.post('/api/providers/{name}/voices', {
    operationId: 'listVoices',
    summary: 'List the voices of a speech provider',
    description: 'With a key, or with that of a stored preset; `local` needs none. At most 500 voices.',
    params: VoicesParams,
    body: VoicesBody,
    bodyLimitBytes: 16 * 1024,
    idempotency: 'none',
    responses: { 200: { description: 'The voices', schema: VoiceList } },
    fails: [
      'voice_key_refused',
      'capability_missing',
      'email_not_verified',
      'voice_config_not_found',
      'too_many_attempts',
      'voice_provider_failed',
    ],
    handler: async ({ principal, params, body }) => {
      const { api_key, region = null, voice_config_id: presetId } = body;
      const whose = presetId === undefined ? ofKey(params.name, api_key, region) : { presetId };
      if (presetId !== undefined && api_key !== undefined) throw oneOf();
      return reply(200, voicesWire(await listVoices(speech, principal.accountId, params.name, whose)));
    },
  });
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

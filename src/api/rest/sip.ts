import type { z } from 'zod';
import type { SipSetup } from '../../accounts/logins/sip-accounts.ts';
import { changeSipDid, createSipDid, deleteSipDid } from '../../accounts/logins/sip-dids.ts';
import {
  deleteSipTrunk,
  getSipTrunk,
  putSipTrunk,
  type ShownTrunk,
} from '../../accounts/logins/sip-trunk.ts';
import { type DidChange, listDids, type StoredDid } from '../../store/logins/sip-dids.ts';
import { reply } from '../http/answer/reply.ts';
import { ValidationError } from '../http/request/validation.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { Deleted, deleted } from '../schema/acknowledgements.ts';
import {
  ChangeSipDidBody,
  CreateSipDidBody,
  SipDid,
  SipDidList,
  SipDidParams,
  SipTrunk,
  SipTrunkBody,
} from '../schema/sip.ts';

const TRUNK = '/api/sip/trunk';
const config = resource('config', 'SIP');

/**
 * Routes for the account's SIP trunk, its line to a telephone provider or PBX, and for its phone numbers (DIDs). Calls
 * to any other number end at the trunk.
 */
export function sipRoutes(sip: SipSetup): Route[] {
  return [
    config.put(TRUNK, {
      operationId: 'putSipTrunk',
      summary: 'Set or replace the SIP trunk',
      description:
        'Registration starts at once and is renewed. Live calls continue. A new host or user name changes the `inbound_uri`.',
      body: SipTrunkBody,
      responses: { 200: { description: 'The trunk', schema: SipTrunk } },
      fails: ['server_blocked', 'email_not_verified', 'too_many_trunk_changes'],
      handler: async ({ principal, body }) => {
        const {
          caller_id,
          caller_id_in,
          caller_from,
          behind_nat,
          media_timeout_s,
          realm,
          password,
          ...same
        } = body;
        const trunk = await putSipTrunk(sip, principal, {
          ...same,
          password: password ?? null,
          realm: realm ?? null,
          callerId: caller_id ?? null,
          callerIdIn: caller_id_in,
          callerFrom: caller_from,
          behindNat: behind_nat,
          mediaTimeoutS: media_timeout_s ?? null,
        });
        if (!trunk) throw passwordMissing();
        return reply(200, trunkWire(trunk));
      },
    }),
    config.get(TRUNK, {
      operationId: 'getSipTrunk',
      summary: 'Get the SIP trunk and the state of its registration',
      responses: { 200: { description: 'The trunk', schema: SipTrunk } },
      fails: ['trunk_not_found'],
      handler: async ({ principal }) => reply(200, trunkWire(await getSipTrunk(sip, principal.accountId))),
    }),
    config.delete(TRUNK, {
      operationId: 'deleteSipTrunk',
      summary: 'Unregister and delete the SIP trunk',
      description: 'Live calls continue, and phone numbers stay in the list.',
      responses: { 200: { description: 'Deleted', schema: Deleted } },
      fails: ['trunk_not_found'],
      handler: ({ principal }) => deleted(deleteSipTrunk(sip, principal)),
    }),
    config.get('/api/sip/dids', {
      operationId: 'listSipDids',
      summary: 'List the phone numbers',
      responses: { 200: { description: 'The numbers, oldest first', schema: SipDidList } },
      handler: async ({ principal }) =>
        reply(200, { dids: (await listDids(sip.store.db, principal.accountId)).map(didWire) }),
    }),
    config.post('/api/sip/dids', {
      operationId: 'createSipDid',
      summary: 'Add a phone number',
      description: 'Its calls go to the default agent. Only calls that arrive on your own trunk ring.',
      body: CreateSipDidBody,
      responses: { 200: { description: 'The number', schema: SipDid } },
      fails: [
        'voice_config_wrong_kind',
        'email_not_verified',
        'voice_config_not_found',
        'number_taken',
        'too_many_numbers',
      ],
      handler: async ({ principal, body }) => {
        const { number, label, auto_answer } = body;
        const presets = { stt: body.stt_voice_config_id ?? null, tts: body.tts_voice_config_id ?? null };
        const wanted = { number, label: label ?? null, autoAnswer: auto_answer, presets };
        return reply(200, didWire(await createSipDid(sip, principal, wanted)));
      },
    }),
    config.patch('/api/sip/dids/{did_id}', {
      operationId: 'changeSipDid',
      summary: 'Change the label, auto-answer or voice presets of a phone number',
      description: 'Omitted fields stay unchanged. A label or preset of null removes it.',
      params: SipDidParams,
      body: ChangeSipDidBody,
      responses: { 200: { description: 'The number', schema: SipDid } },
      fails: ['voice_config_wrong_kind', 'did_not_found', 'voice_config_not_found'],
      handler: async ({ principal, params, body }) => {
        const wanted = {
          ...(body.label === undefined ? {} : { label: body.label }),
          ...(body.auto_answer === undefined ? {} : { autoAnswer: body.auto_answer }),
          ...presetsChange(body),
        };
        return reply(200, didWire(await changeSipDid(sip, principal, params.did_id, wanted)));
      },
    }),
    config.delete('/api/sip/dids/{did_id}', {
      operationId: 'deleteSipDid',
      summary: 'Delete a phone number',
      params: SipDidParams,
      responses: { 200: { description: 'Deleted', schema: Deleted } },
      fails: ['did_not_found'],
      handler: ({ principal, params }) => deleted(deleteSipDid(sip, principal, params.did_id)),
    }),
  ];
}

function trunkWire(trunk: ShownTrunk): z.output<typeof SipTrunk> {
  const { callerId, callerIdIn, callerFrom, behindNat, mediaTimeoutS, inboundUri, registration, ...same } =
    trunk;
  return {
    ...same,
    caller_id: callerId,
    caller_id_in: callerIdIn,
    caller_from: callerFrom,
    behind_nat: behindNat,
    media_timeout_s: mediaTimeoutS,
    inbound_uri: inboundUri,
    registration: {
      state: registration.state,
      last_error: registration.lastError,
      expires_at: registration.expiresAt,
    },
  };
}

/** The password is optional only when changing an existing trunk, which keeps its own. */
function passwordMissing(): ValidationError {
  return new ValidationError([{ loc: ['body', 'password'], msg: 'Field required', type: 'missing' }]);
}

function presetsChange({
  stt_voice_config_id: stt,
  tts_voice_config_id: tts,
}: z.output<typeof ChangeSipDidBody>): Pick<DidChange, 'presets'> {
  if (stt === undefined && tts === undefined) return {};
  return { presets: { ...(stt !== undefined && { stt }), ...(tts !== undefined && { tts }) } };
}

function didWire(did: StoredDid): z.output<typeof SipDid> {
  return {
    did_id: did.id,
    number: did.number,
    label: did.label,
    auto_answer: did.autoAnswer,
    stt_voice_config_id: did.presets.stt,
    tts_voice_config_id: did.presets.tts,
    created_at: did.createdAt,
  };
}

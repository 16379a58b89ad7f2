import type { z } from 'zod';
import type { SipSetup } from '../../accounts/logins/sip-accounts.ts';
import {
  deleteSipTrunk,
  getSipTrunk,
  putSipTrunk,
  type ShownTrunk,
} from '../../accounts/logins/sip-trunk.ts';
import { reply } from '../http/answer/reply.ts';
import { ValidationError } from '../http/request/validation.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { Deleted } from '../schema/acknowledgements.ts';
import { SipTrunk, SipTrunkBody } from '../schema/sip.ts';

const PATH = '/api/sip/trunk';
const config = resource('config', 'SIP');

/** Routes for the account's SIP trunk, its line to a telephone provider or PBX. */
export function sipTrunkRoutes(sip: SipSetup): Route[] {
  return [
    config.put(PATH, {
      operationId: 'putSipTrunk',
      summary: 'Set or replace the SIP trunk',
      description:
        'Registration starts at once and is renewed. Live calls continue. A new host or user name changes the `inbound_uri`.',
      body: SipTrunkBody,
      responses: { 200: { description: 'The trunk', schema: SipTrunk } },
      fails: ['email_not_verified', 'too_many_trunk_changes'],
      handler: async ({ principal, body }) => {
        const { caller_id, behind_nat, realm, password, ...same } = body;
        const trunk = await putSipTrunk(sip, principal, {
          ...same,
          password: password ?? null,
          realm: realm ?? null,
          callerId: caller_id ?? null,
          behindNat: behind_nat,
        });
        if (!trunk) throw passwordMissing();
        return reply(200, wireOf(trunk));
      },
    }),
    config.get(PATH, {
      operationId: 'getSipTrunk',
      summary: 'Get the SIP trunk and the state of its registration',
      responses: { 200: { description: 'The trunk', schema: SipTrunk } },
      fails: ['trunk_not_found'],
      handler: async ({ principal }) => reply(200, wireOf(await getSipTrunk(sip, principal.accountId))),
    }),
    config.delete(PATH, {
      operationId: 'deleteSipTrunk',
      summary: 'Unregister and delete the SIP trunk',
      description: 'Live calls continue, and phone numbers stay in the list.',
      responses: { 200: { description: 'Deleted', schema: Deleted } },
      fails: ['trunk_not_found'],
      handler: async ({ principal }) => {
        await deleteSipTrunk(sip, principal);
        return reply(200, { status: 'deleted' as const });
      },
    }),
  ];
}

function wireOf(trunk: ShownTrunk): z.output<typeof SipTrunk> {
  const { callerId, behindNat, inboundUri, registration, ...same } = trunk;
  return {
    ...same,
    caller_id: callerId,
    behind_nat: behindNat,
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

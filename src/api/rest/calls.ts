import { goOn } from '../../base/now-or-later.ts';
import type { AgentScope } from '../../base/scope.ts';
import { acceptCall, refuseCall } from '../../calls/answer-call.ts';
import type { CallDomain } from '../../calls/call-domain.ts';
import { getCall, listCalls, liveCall, transcriptOf } from '../../calls/find-call.ts';
import { hangUpCall } from '../../calls/hang-up-call.ts';
import { placeCall } from '../../calls/place-call.ts';
import { say, stopSpeaking } from '../../calls/speak.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource, route } from '../http/routing/route.ts';
import { Acknowledged, Said } from '../schema/acknowledgements.ts';
import {
  Call,
  CallList,
  CallParams,
  CallStatus,
  CreatedCall,
  DtmfBody,
  PlaceCallBody,
  SayBody,
  SinceQuery,
} from '../schema/call.ts';
import { callWire, createdCall, type PublicUrl, statusReplies } from './call-wire.ts';

const TAGS = ['Calls'] as const;
const runtime = resource('runtime', 'Calls');

/** Routes for calls, as in the specification, and DTMF. Those of their chat are in `call-chat`, that of their audio in `call-audio`. */
export function callRoutes(calls: CallDomain, publicUrl: PublicUrl): Route[] {
  const answer = statusReplies(publicUrl);
  return [
    runtime.post('/api/call', {
      operationId: 'createCall',
      summary: 'Place a call',
      description:
        'Answers at once with a `connecting` call, which becomes `active` when media can flow both ways. Without a voice preset, you exchange raw audio on the call WebSocket.',
      body: PlaceCallBody,
      responses: { 200: { description: 'The call', schema: CreatedCall } },
      fails: [
        'meeting_url_required',
        'invalid_meeting_url',
        'no_sip_trunk',
        'platform_not_configured',
        'capability_missing',
        'login_ambiguous',
        'voice_config_disabled',
        'voice_config_wrong_kind',
        'platform_not_granted',
        'login_not_found',
        'voice_config_not_found',
        'platform_not_connected',
        'call_limit',
        'not_ready',
      ],
      handler: async ({ principal, body }) => {
        const call = await placeCall(calls, principal, {
          platform: body.platform,
          meetingUrl: body.meeting_url,
          dtmf: body.dtmf,
          agentName: body.agent_name,
          loginId: body.login_id || null,
          presets: { stt: body.stt_voice_config_id ?? null, tts: body.tts_voice_config_id ?? null },
        });
        return reply(200, createdCall(call, publicUrl));
      },
    }),
    runtime.get('/api/call/{call_id}', {
      operationId: 'getCall',
      summary: 'Get a call and its transcript',
      description:
        'Calls that were refused, missed or disconnected stay readable, with their transcript. A call that ended normally answers 404. The transcript has lines only with hosted speech recognition, or where the platform transcribes; of a very long one, only the newest.',
      params: CallParams,
      query: SinceQuery,
      responses: { 200: { description: 'The call', schema: CallStatus } },
      fails: ['call_not_found'],
      handler: ({ principal, params, query }) => {
        const call = getCall(calls, principal, params.call_id);
        return goOn(call, (found) =>
          goOn(transcriptOf(calls, params.call_id, query.since), (transcript) => answer(found, transcript)),
        );
      },
    }),
    runtime.get('/api/calls', {
      operationId: 'listCalls',
      summary: 'List live calls, including ringing ones',
      responses: { 200: { description: 'The calls, oldest first', schema: CallList } },
      handler: ({ principal }) =>
        reply(200, { calls: listCalls(calls, principal).map((call) => callWire(call, publicUrl)) }),
    }),
    runtime.delete('/api/call/{call_id}', {
      operationId: 'hangUpCall',
      summary: 'Hang up',
      description: 'The call is `ended` at once; the gateway hangs up at the platform in the background.',
      params: CallParams,
      responses: { 202: { description: 'The ended call', schema: Call } },
      fails: ['call_not_found'],
      handler: ({ principal, params }) =>
        reply(202, callWire(hangUpCall(calls, principal, params.call_id), publicUrl)),
    }),
    accept(calls, publicUrl, 'accept'),
    accept(calls, publicUrl, 'answer'),
    runtime.post('/api/call/{call_id}/refuse', {
      operationId: 'refuseCall',
      summary: 'Refuse a ringing call',
      params: CallParams,
      responses: { 200: { description: 'The call, refused', schema: Call } },
      fails: ['call_not_found', 'call_not_ringing'],
      handler: ({ principal, params }) =>
        reply(200, callWire(refuseCall(calls, principal, params.call_id), publicUrl)),
    }),
    runtime.post('/api/call/{call_id}/say', {
      operationId: 'say',
      summary: 'Speak with hosted text-to-speech, or press keys',
      description:
        'Answers at once for a text, and for keys when all have been sent. Texts are spoken one after the other; `utterance` events on the call WebSocket tell when each starts and ends, and what was heard of it.',
      params: CallParams,
      body: SayBody,
      responses: {
        200: {
          description: 'The text is spoken once those before it are over; the keys are pressed',
          schema: Said,
        },
      },
      fails: [
        'tts_not_configured',
        'capability_missing',
        'call_not_found',
        'call_not_active',
        'too_much_speech',
        'speech_failed',
        'platform_failed',
      ],
      handler: ({ principal, params, body: { text, dtmf } }) => {
        if (dtmf !== undefined) return press(calls, principal, params.call_id, dtmf);
        const utterance_id = say(calls, principal, params.call_id, text!);
        return reply(200, { status: 'ok' as const, utterance_id });
      },
    }),
    runtime.post('/api/call/{call_id}/stop-speaking', {
      operationId: 'stopSpeaking',
      summary: 'Stop speaking',
      description:
        'Discards the rest of the text, and all texts that wait. Ends the reply of a model that the gateway calls for this agent. Does nothing while idle.',
      params: CallParams,
      responses: { 200: { description: 'Silent', schema: Acknowledged } },
      fails: ['call_not_found'],
      handler: ({ principal, params }) => {
        stopSpeaking(calls, principal, params.call_id);
        return reply(200, { status: 'ok' as const });
      },
    }),
    runtime.post('/api/call/{call_id}/dtmf', {
      operationId: 'sendDtmf',
      summary: 'Send DTMF digits',
      description:
        'Answers when all digits have been sent, as RFC 4733 events or, if the other side does not support them, by SIP INFO.',
      params: CallParams,
      body: DtmfBody,
      responses: { 200: { description: 'Sent', schema: Acknowledged } },
      fails: ['capability_missing', 'call_not_found', 'call_not_active', 'platform_failed'],
      handler: ({ principal, params, body }) => press(calls, principal, params.call_id, body.digits),
    }),
  ];
}

function accept(calls: CallDomain, publicUrl: PublicUrl, verb: 'accept' | 'answer'): Route {
  return route({
    method: 'post',
    path: `/api/call/{call_id}/${verb}`,
    access: 'runtime',
    operationId: `${verb}Call`,
    summary: verb === 'accept' ? 'Accept a ringing call' : 'Accept a ringing call (use accept)',
    description: 'Answers when media can flow both ways.',
    tags: TAGS,
    ...(verb === 'answer' ? { deprecated: true as const } : {}),
    params: CallParams,
    responses: { 200: { description: 'The call, active', schema: Call } },
    fails: ['call_not_found', 'call_not_ringing', 'platform_failed'],
    handler: async ({ principal, params }) =>
      reply(200, callWire(await acceptCall(calls, principal, params.call_id), publicUrl)),
  });
}

async function press(calls: CallDomain, scope: AgentScope, callId: string, digits: string) {
  await liveCall(calls, scope, callId).sendDtmf(digits);
  return reply(200, { status: 'ok' as const });
}

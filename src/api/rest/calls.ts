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
const NOT_FOUND = 'Call not found';

/** Routes for calls, as in the specification, and DTMF. Those of their chat are in `call-chat`, that of their audio in `call-audio`. */
export function callRoutes(calls: CallDomain, publicUrl: PublicUrl): Route[] {
  return [
    create(calls, publicUrl),
    status(calls, publicUrl),
    list(calls, publicUrl),
    hangUp(calls, publicUrl),
    accept(calls, publicUrl, 'accept'),
    accept(calls, publicUrl, 'answer'),
    refuse(calls, publicUrl),
    sayRoute(calls),
    stopSpeakingRoute(calls),
    dtmf(calls),
  ];
}

function create(calls: CallDomain, publicUrl: PublicUrl): Route {
  return runtime.post('/api/call', {
    operationId: 'createCall',
    summary: 'Place a call',
    description:
      'Answers at once with a `connecting` call, which becomes `active` when media can flow both ways. Without a voice preset, you exchange raw audio on the call WebSocket.',
    body: PlaceCallBody,
    responses: {
      200: { description: 'The call', schema: CreatedCall },
      400: 'meeting_url required or not understood, No SIP trunk configured, the platform is not configured or takes no `dtmf`, several logins can place the call, or a voice preset is disabled or of the other kind',
      403: 'The credential is of the wrong kind, or the user did not grant its client the platform',
      404: 'The agent has no login with this `login_id` that can place the call, or the account no such voice preset',
      409: "The platform's own connection is down",
      429: 'Concurrent call limit reached',
      503: 'The gateway is shutting down',
    },
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
  });
}

function status(calls: CallDomain, publicUrl: PublicUrl): Route {
  const answer = statusReplies(publicUrl);
  return runtime.get('/api/call/{call_id}', {
    operationId: 'getCall',
    summary: 'Get a call and its transcript',
    description:
      'Calls that were refused, missed or disconnected stay readable, with their transcript. A call that ended normally answers 404. The transcript has lines only with hosted speech recognition, or where the platform transcribes; of a very long one, only the newest.',
    params: CallParams,
    query: SinceQuery,
    responses: { 200: { description: 'The call', schema: CallStatus }, 404: NOT_FOUND },
    handler: ({ principal, params, query }) => {
      const call = getCall(calls, principal, params.call_id);
      return goOn(call, (found) =>
        goOn(transcriptOf(calls, params.call_id, query.since), (transcript) => answer(found, transcript)),
      );
    },
  });
}

function list(calls: CallDomain, publicUrl: PublicUrl): Route {
  return runtime.get('/api/calls', {
    operationId: 'listCalls',
    summary: 'List live calls, including ringing ones',
    responses: { 200: { description: 'The calls, oldest first', schema: CallList } },
    handler: ({ principal }) =>
      reply(200, { calls: listCalls(calls, principal).map((call) => callWire(call, publicUrl)) }),
  });
}

function hangUp(calls: CallDomain, publicUrl: PublicUrl): Route {
  return runtime.delete('/api/call/{call_id}', {
    operationId: 'hangUpCall',
    summary: 'Hang up',
    description: 'The call is `ended` at once; the gateway hangs up at the platform in the background.',
    params: CallParams,
    responses: { 202: { description: 'The ended call', schema: Call }, 404: NOT_FOUND },
    handler: ({ principal, params }) =>
      reply(202, callWire(hangUpCall(calls, principal, params.call_id), publicUrl)),
  });
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
    responses: {
      200: { description: 'The call, active', schema: Call },
      404: NOT_FOUND,
      409: 'Call is not ringing',
      502: 'The call could not be connected',
    },
    handler: async ({ principal, params }) =>
      reply(200, callWire(await acceptCall(calls, principal, params.call_id), publicUrl)),
  });
}

function refuse(calls: CallDomain, publicUrl: PublicUrl): Route {
  return runtime.post('/api/call/{call_id}/refuse', {
    operationId: 'refuseCall',
    summary: 'Refuse a ringing call',
    params: CallParams,
    responses: {
      200: { description: 'The call, refused', schema: Call },
      404: NOT_FOUND,
      409: 'Call is not ringing',
    },
    handler: ({ principal, params }) =>
      reply(200, callWire(refuseCall(calls, principal, params.call_id), publicUrl)),
  });
}

function sayRoute(calls: CallDomain): Route {
  return runtime.post('/api/call/{call_id}/say', {
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
      400: 'Hosted TTS not configured, or the call takes no audio or no keys',
      404: NOT_FOUND,
      409: 'Call is not active, so no keys can be pressed',
      429: 'Too much speech is queued on this call',
      502: 'Hosted speech has failed on this call',
    },
    handler: ({ principal, params, body: { text, dtmf } }) => {
      if (dtmf !== undefined) return press(calls, principal, params.call_id, dtmf);
      const utterance_id = say(calls, principal, params.call_id, text!);
      return reply(200, { status: 'ok' as const, utterance_id });
    },
  });
}

function stopSpeakingRoute(calls: CallDomain): Route {
  return runtime.post('/api/call/{call_id}/stop-speaking', {
    operationId: 'stopSpeaking',
    summary: 'Stop speaking',
    description:
      'Discards the rest of the text, and all texts that wait. Ends the reply of a model that the gateway calls for this agent. Does nothing while idle.',
    params: CallParams,
    responses: { 200: { description: 'Silent', schema: Acknowledged }, 404: NOT_FOUND },
    handler: ({ principal, params }) => {
      stopSpeaking(calls, principal, params.call_id);
      return reply(200, { status: 'ok' as const });
    },
  });
}

function dtmf(calls: CallDomain): Route {
  return runtime.post('/api/call/{call_id}/dtmf', {
    operationId: 'sendDtmf',
    summary: 'Send DTMF digits',
    description:
      'Answers when all digits have been sent, as RFC 4733 events or, if the other side does not support them, by SIP INFO.',
    params: CallParams,
    body: DtmfBody,
    responses: {
      200: { description: 'Sent', schema: Acknowledged },
      400: 'The platform does not support DTMF',
      404: NOT_FOUND,
      409: 'Call is not active',
      502: 'The platform rejected the digits',
    },
    handler: ({ principal, params, body }) => press(calls, principal, params.call_id, body.digits),
  });
}

async function press(calls: CallDomain, scope: AgentScope, callId: string, digits: string) {
  await liveCall(calls, scope, callId).sendDtmf(digits);
  return reply(200, { status: 'ok' as const });
}

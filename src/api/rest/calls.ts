import type * as z from 'zod';
import { goOn } from '../../base/now-or-later.ts';
import { type AgentScope, scopeOf } from '../../base/scope.ts';
import { acceptCall, refuseCall } from '../../calls/answer-call.ts';
import { type CallDomain, getCall, listCalls, liveCall, transcriptOf } from '../../calls/call-domain.ts';
import { type HistoryQuery, type HistoryReader, listPastCalls, pastCall } from '../../calls/call-history.ts';
import { type ChatDraft, sendChat, showTyping } from '../../calls/chat.ts';
import { hangUpCall } from '../../calls/hang-up-call.ts';
import { placeCall } from '../../calls/place-call.ts';
import { say, stopSpeaking } from '../../calls/speak.ts';
import type { FileDomain } from '../../files/file-domain.ts';
import { resolveAttachments } from '../../files/resolve-attachments.ts';
import type { Db } from '../../store/database/rows.ts';
import type { AudioReport } from '../../threads/engine.ts';
import type { Principal } from '../auth/principal.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { Acknowledged, acknowledged, Said } from '../schema/acknowledgements.ts';
import {
  Call,
  CallAudio,
  CallChatBody,
  CallList,
  CallParams,
  CallStatus,
  CallsQuery,
  CreatedCall,
  DtmfBody,
  PastCallQuery,
  PastCallStatus,
  PlaceCallBody,
  SayBody,
  SinceQuery,
} from '../schema/call.ts';
import {
  callWire,
  createdCall,
  type PublicUrl,
  pastCallStatus,
  pastCallWire,
  statusReplies,
} from './call-wire.ts';
import { ATTACHMENT_FAILS, attachmentSources } from './dms.ts';

const runtime = resource('runtime', 'Calls');

/** Routes for calls and the chat of meetings, as in the specification; for DTMF; and for how the audio of a call is doing. */
export function callRoutes(calls: CallDomain, files: FileDomain, publicUrl: PublicUrl): Route[] {
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
        'budget_spent',
        'meeting_url_required',
        'invalid_meeting_url',
        'no_sip_trunk',
        'platform_not_configured',
        'login_ambiguous',
        'voice_config_disabled',
        'voice_config_wrong_kind',
        'platform_not_granted',
        'login_not_found',
        'voice_config_not_found',
        'platform_not_connected',
        'call_limit',
        { storage_full: 'The account is full' },
        { too_many_attempts: 'The account writes too fast' },
        'overloaded',
        'not_ready',
        { capability_missing: 'The platform takes no `dtmf`' },
      ],
      handler: async ({ principal, body }) => {
        const call = await placeCall(calls, principal, {
          platform: body.platform,
          meetingUrl: body.meeting_url,
          dtmf: body.dtmf,
          agentName: body.agent_name,
          loginId: body.login_id || null,
          presets: { stt: body.stt_voice_config_id ?? null, tts: body.tts_voice_config_id ?? null },
          machineDetection: body.machine_detection,
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
        return goOn(getCall(calls, principal, params.call_id), (found) =>
          goOn(transcriptOf(calls, params.call_id, query.since), (transcript) => answer(found, transcript)),
        );
      },
    }),
    runtime.get('/api/calls', {
      operationId: 'listCalls',
      summary: 'List live calls, including ringing ones, or those that are over',
      query: CallsQuery,
      responses: { 200: { description: 'The calls', schema: CallList } },
      handler: ({ principal, query }) => {
        if (query.state === 'ended') return pastCalls(files.store.db, principal, query, publicUrl);
        return reply(200, { calls: listCalls(calls, principal).map((call) => callWire(call, publicUrl)) });
      },
    }),
    runtime.get('/api/calls/history/{call_id}', {
      operationId: 'getPastCall',
      summary: 'Get a call that is over, with its transcript',
      description: 'For as long as the operator keeps ended calls. Live calls answer 404.',
      params: CallParams,
      query: PastCallQuery,
      responses: { 200: { description: 'The call', schema: PastCallStatus } },
      fails: ['call_not_found'],
      handler: async ({ principal, params, query }) => {
        const { call_id: callId } = params;
        await calls.recorder.written(callId);
        const past = await pastCall(files.store.db, readerOf(principal), callId, query.from_line);
        return reply(200, pastCallStatus(past, publicUrl));
      },
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
    ...(['accept', 'answer'] as const).map((verb) =>
      runtime.post(`/api/call/{call_id}/${verb}`, {
        operationId: `${verb}Call`,
        summary: verb === 'accept' ? 'Accept a ringing call' : 'Accept a ringing call (use accept)',
        description: 'Answers when media can flow both ways.',
        ...(verb === 'answer' ? { deprecated: true as const } : {}),
        params: CallParams,
        responses: { 200: { description: 'The call, active', schema: Call } },
        fails: [
          'call_not_found',
          'call_not_ringing',
          'call_limit',
          { platform_failed: 'The call could not be connected' },
        ],
        handler: async ({ principal, params }) =>
          reply(200, callWire(await acceptCall(calls, principal, params.call_id), publicUrl)),
      }),
    ),
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
        'call_not_found',
        'too_much_speech',
        'speech_failed',
        'platform_failed',
        {
          capability_missing: 'The call takes no audio or no keys',
          call_not_active: 'Call is not active, so no keys can be pressed',
        },
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
      fails: [
        'capability_missing',
        'call_not_found',
        'call_not_active',
        { platform_failed: 'The platform rejected the digits' },
      ],
      handler: ({ principal, params, body }) => press(calls, principal, params.call_id, body.digits),
    }),
    runtime.post('/api/call/{call_id}/chat', {
      operationId: 'sendCallChat',
      summary: 'Write in the meeting chat',
      description:
        'Answers when the platform has accepted or refused the message, after 25 s at the latest. Messages of a call are sent one at a time, in order.',
      params: CallParams,
      body: CallChatBody,
      responses: { 200: { description: 'Sent', schema: Acknowledged } },
      fails: [
        ...ATTACHMENT_FAILS,
        'call_not_found',
        'call_not_active',
        'platform_not_connected',
        'send_failed',
        'disk_full',
        {
          capability_missing: 'The call has no chat, or its chat takes no files',
          too_many_messages: 'Too many messages of the call are waiting to be sent',
          deadline_exceeded: 'The platform did not answer in time; the message may still have arrived',
        },
      ],
      handler: async ({ principal, params, body, signal }) => {
        const { attachments } = body;
        const resolved: ChatDraft['files'] = () =>
          resolveAttachments(files, principal.accountId, attachmentSources(attachments), signal);
        await sendChat(calls, principal, params.call_id, {
          text: body.text ?? '',
          senderName: body.sender_name,
          files: attachments.length === 0 ? null : resolved,
        });
        return reply(200, { status: 'ok' as const });
      },
    }),
    runtime.post('/api/call/{call_id}/typing', {
      operationId: 'showCallTyping',
      summary: 'Show a typing indicator in the meeting chat',
      params: CallParams,
      responses: { 200: { description: 'Shown', schema: Acknowledged } },
      fails: [
        'call_not_found',
        'call_not_active',
        'platform_not_connected',
        'deadline_exceeded',
        { capability_missing: 'The call has no typing indicators' },
      ],
      handler: ({ principal, params }) => acknowledged(showTyping(calls, principal, params.call_id)),
    }),
    runtime.get('/api/call/{call_id}/audio', {
      operationId: 'getCallAudio',
      summary: 'Get the delay and the losses of the audio of a live call',
      description:
        'The delays are those now. All other figures are totals since the media of the call was opened. They start at 0 again if the gateway has to move the call to another engine thread.',
      params: CallParams,
      responses: { 200: { description: 'How the audio is doing', schema: CallAudio } },
      fails: [
        'call_not_found',
        'call_not_active',
        { deadline_exceeded: 'The engine did not answer in time' },
      ],
      handler: async ({ principal, params }) =>
        reply(200, audioWire(await liveCall(calls, principal, params.call_id).audioReport())),
    }),
  ];
}

async function pastCalls(
  db: Db,
  principal: Principal,
  { platform, result, search, limit, cursor }: z.output<typeof CallsQuery>,
  publicUrl: PublicUrl,
) {
  const wanted = { platform: platform ?? null, result: result ?? null };
  const query = { ...wanted, search, limit, after: positionIn(cursor) };
  const { calls, next } = await listPastCalls(db, readerOf(principal), query);
  return reply(200, {
    calls: calls.map((call) => pastCallWire(call, publicUrl)),
    next_cursor: next && `${next.createdAt}|${next.callId}`,
  });
}

/** '': from the newest on. */
function positionIn(cursor: string): HistoryQuery['after'] {
  const [createdAt = '', callId = ''] = cursor.split('|');
  return cursor === '' ? null : { createdAt, callId };
}

function readerOf(principal: Principal): HistoryReader {
  return { ...scopeOf(principal), isPerson: principal.kind === 'session' };
}

async function press(calls: CallDomain, scope: AgentScope, callId: string, digits: string) {
  await liveCall(calls, scope, callId).sendDtmf(digits);
  return reply(200, { status: 'ok' as const });
}

function hundredths(level: number): number {
  return Math.round(level * 100) / 100;
}

function audioWire({ received, sent }: AudioReport): CallAudio {
  return {
    received: {
      level: hundredths(received.level),
      delay_ms: Math.round(received.delayMs),
      lost: received.lost,
      late: received.late,
      concealed: received.concealed,
      dropped: received.droppedForDepth,
      shortened_ms: Math.round(received.shortenedMs),
      lengthened_ms: Math.round(received.lengthenedMs),
    },
    sent: {
      level: hundredths(sent.level),
      delay_ms: Math.round(sent.delayMs),
      underruns: sent.underruns,
      shortened_ms: Math.round(sent.shortenedMs),
      lengthened_ms: Math.round(sent.lengthenedMs),
    },
  };
}

import type { CallDomain } from '../../calls/call-domain.ts';
import { liveCall } from '../../calls/find-call.ts';
import type { AudioReport } from '../../threads/engine.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { CallAudio, CallParams } from '../schema/call.ts';

const runtime = resource('runtime', 'Calls');

/** The route that tells how the audio of a call is doing. */
export function callAudioRoute(calls: CallDomain): Route {
  return runtime.get('/api/call/{call_id}/audio', {
    operationId: 'getCallAudio',
    summary: 'Get the delay and the losses of the audio of a live call',
    description:
      'The delays are those now. All other figures are totals since the media of the call was opened. They start at 0 again if the gateway has to move the call to another engine thread.',
    params: CallParams,
    responses: { 200: { description: 'How the audio is doing', schema: CallAudio } },
    fails: ['call_not_found', 'call_not_active', 'deadline_exceeded'],
    handler: async ({ principal, params }) =>
      reply(200, audioWire(await liveCall(calls, principal, params.call_id).audioReport())),
  });
}

function audioWire({ received, sent }: AudioReport): CallAudio {
  return {
    received: {
      delay_ms: Math.round(received.delayMs),
      lost: received.lost,
      late: received.late,
      concealed: received.concealed,
      dropped: received.droppedForDepth,
      shortened_ms: Math.round(received.shortenedMs),
      lengthened_ms: Math.round(received.lengthenedMs),
    },
    sent: {
      delay_ms: Math.round(sent.delayMs),
      underruns: sent.underruns,
      shortened_ms: Math.round(sent.shortenedMs),
      lengthened_ms: Math.round(sent.lengthenedMs),
    },
  };
}

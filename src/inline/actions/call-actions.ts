import { GatewayError } from '../../base/errors.ts';
import { acceptCall, refuseCall } from '../../calls/answer-call.ts';
import { liveCall } from '../../calls/call-domain.ts';
import { hangUpCall } from '../../calls/hang-up-call.ts';
import { type ActionContext, Refused } from './action-context.ts';

const INTERRUPTED = 'Somebody interrupted the agent';

/** Accepts the call that rings. Resolves when media flows. */
export async function accept(context: ActionContext): Promise<void> {
  const { domain, scope } = context;
  await acceptCall(domain.calls, scope, ringingCall(context));
}

export function refuse(context: ActionContext): void {
  const { domain, scope } = context;
  refuseCall(domain.calls, scope, ringingCall(context));
}

/** Hangs up the call of the turn, once everybody has heard what the turn says. */
export async function leave(context: ActionContext): Promise<void> {
  const { domain, scope } = context;
  const callId = callOf(context);
  // Whoever interrupts a goodbye has something to say.
  await beHeard(context);
  hangUpCall(domain.calls, scope, callId);
}

/** Presses keys, once everybody has heard what the turn says: the tones take the place of speech on the line. */
export async function sendDtmf(context: ActionContext, digits: string): Promise<void> {
  const { domain, scope } = context;
  await beHeard(context);
  await liveCall(domain.calls, scope, callOf(context)).sendDtmf(digits);
}

/** Speaks on the call of the turn. */
export function say(context: ActionContext, text: string): void {
  const voice = context.domain.voices.find(callOf(context));
  if (!voice) throw new GatewayError('call_not_found');
  if (voice.isInterrupted(context.turnId)) throw new Refused(INTERRUPTED);
  voice.say(context.turnId, text);
}

/** Resolves when the turn has been heard. @throws Refused when somebody interrupts it */
async function beHeard(context: ActionContext): Promise<void> {
  const voice = context.domain.voices.find(callOf(context));
  await voice?.silence();
  if (voice?.isInterrupted(context.turnId) === true) throw new Refused(INTERRUPTED);
}

function callOf({ place }: ActionContext): string {
  if (place.kind !== 'call') throw new Refused('This is not a call');
  return place.callId;
}

/** Only the turn about an invite may decide on it. */
function ringingCall(context: ActionContext): string {
  const callId = callOf(context);
  if (context.place.kind !== 'call' || !context.place.isInvite)
    throw new Refused('This event is not the invite of a call');
  return callId;
}

import { GatewayError } from '../../src/base/errors.ts';
import type { LegObserver, PlatformLeg } from '../../src/connectors/contract/call-leg.ts';
import type { DialsSip, SipDial, SipTarget } from '../../src/connectors/contract/sip-dialing.ts';

export interface Dialled extends SipDial {
  readonly events: LegObserver;
}

/** SIP for connectors that dial by it: notes what they dial. Only addresses at `direct` are called without a trunk. */
export class DialledSip implements DialsSip {
  readonly calls: Dialled[] = [];
  hasTrunk = true;
  direct = 'allowed.example';

  check({ target }: SipTarget): void {
    const isDirect = target.endsWith(`@${this.direct}`);
    if (!this.hasTrunk && !isDirect) throw new GatewayError('no_sip_trunk');
    if (/^sips?:/.test(target) && !isDirect) throw new GatewayError('invalid_meeting_url');
  }

  dial(call: SipDial, _media: unknown, events: LegObserver): PlatformLeg {
    this.calls.push({ ...call, events });
    return {
      accept: () => undefined,
      refuse: () => undefined,
      hangUp: () => events.ended('local', { result: 'completed', reason: 'hung up' }),
      released: Promise.resolve(),
    };
  }
}

import type { Termination } from '../../base/termination.ts';
import type { MediaControl } from '../../media/media-control.ts';
import type { LegObserver, PlatformLeg } from './call-leg.ts';

/** Calls by SIP on behalf of another platform, whose meetings have phone numbers or SIP addresses. */
export interface DialsSip {
  /**
   * Validates a target without using the network. Throws a GatewayError (`no_sip_trunk`, `meeting_url_required`,
   * `invalid_meeting_url`).
   */
  check(target: SipTarget): void;
  /** Starts an outbound leg. Everything that follows, failures included, is reported to `observer`. */
  dial(call: SipDial, media: MediaControl, observer: LegObserver): PlatformLeg;
}

/** Whom an account calls. */
export interface SipTarget {
  readonly accountId: string;
  /**
   * A SIP, SIPS or TEL URI, or a number and what to press then. A host that the operator allows without a trunk
   * (`SVC_SIP_DIRECT_HOSTS`) is called directly, any other target over the account's trunk.
   */
  readonly target: string;
  /** Keys to press once the call is answered, as `parsePostDial` reads them; empty: none, or those in the target. */
  readonly dtmf: string;
}

export interface SipDial extends SipTarget {
  readonly displayName: string;
  /** Sample rate of the call's room, in Hz: 8,000, 16,000 or 48,000. */
  readonly sampleRateHz: number;
  /**
   * What final answers to the INVITE of a direct call mean on the platform, by status. All others, and those of a trunk, mean
   * what they mean on the phone.
   */
  readonly outcomes?: ReadonlyMap<number, Termination>;
}

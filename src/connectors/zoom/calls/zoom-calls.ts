import type { Capability } from '../../../base/platform.ts';
import type { LegObserver, PlatformLeg } from '../../contract/call-leg.ts';
import type { CallOffer, DialRequest, PlacesCalls } from '../../contract/connector.ts';
import type { MediaControl } from '../../contract/media-control.ts';
import type { DialsSip } from '../../contract/sip-dialing.ts';
import { joinWay } from './join-ways.ts';
import { ROOM_OUTCOMES } from './zoom-leg.ts';

const CAPABILITIES: readonly Capability[] = ['audio_in', 'audio_out'];
/** Zoom's native rate. */
const SAMPLE_RATE_HZ = 16_000;

/** Joins meetings by SIP, as a room system or a phone: one voice both ways, without names and without the chat. */
export class ZoomCalls implements PlacesCalls {
  readonly loginKinds = ['trunk'] as const;
  readonly takesDtmf = true;
  readonly #sip: DialsSip;

  constructor(sip: DialsSip) {
    this.#sip = sip;
  }

  prepare(request: DialRequest): CallOffer {
    this.#sip.check(joinWay(request));
    return { capabilities: CAPABILITIES, sampleRateHz: SAMPLE_RATE_HZ };
  }

  dial(request: DialRequest, media: MediaControl, observer: LegObserver): PlatformLeg {
    const call = {
      ...joinWay(request),
      displayName: request.agentName,
      sampleRateHz: SAMPLE_RATE_HZ,
      outcomes: ROOM_OUTCOMES,
    };
    return this.#sip.dial(call, media, observer);
  }
}

import { GatewayError } from '../../../src/base/errors.ts';

const PATH = /^\/meet\/([\w-]{1,64})$/;

/** A meeting, and how the vendor carries its media. */
export interface MeetingAddress {
  readonly id: string;
  readonly media: 'pcm' | 'packets';
}

/** Reads `<vendor>/meet/<id>?media=packets`. Throws `invalid_meeting_url`. */
export function readMeetingUrl(text: string, vendorUrl: string): MeetingAddress {
  const url = URL.parse(text);
  const [, id] = PATH.exec(url?.pathname ?? '') ?? [];
  if (url === null || id === undefined || url.origin !== new URL(vendorUrl).origin)
    throw new GatewayError('invalid_meeting_url', 'meeting_url is not a meeting of the loopback vendor');
  return { id, media: url.searchParams.get('media') === 'packets' ? 'packets' : 'pcm' };
}

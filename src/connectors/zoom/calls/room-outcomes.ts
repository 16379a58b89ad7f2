import type { Termination } from '../../../base/termination.ts';

const CLOSED: Termination = {
  result: 'refused',
  reason:
    'Zoom lets no room system in: the host has no Conference Room Connector, all its ports are in use, or the meeting excludes them',
};
const UNKNOWN: Termination = {
  result: 'failed',
  reason: 'Zoom knows no such meeting, it has not begun, or the passcode is wrong',
};

/** What the answers of Zoom's Conference Room Connector mean, by SIP status. */
export const ROOM_OUTCOMES: ReadonlyMap<number, Termination> = new Map([
  [403, CLOSED],
  [603, CLOSED],
  [404, UNKNOWN],
  [480, UNKNOWN],
]);

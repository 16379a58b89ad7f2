import type { Attack } from './attack.ts';
import { pipelining } from './attacks/01-pipelining.ts';
import { sipShapes } from './attacks/02-sip-shapes.ts';
import { emailChange } from './attacks/03-email-change.ts';
import { preHijack } from './attacks/04-pre-hijack.ts';
import { inboundHijack } from './attacks/05-inbound-hijack.ts';
import { trunkSsrf } from './attacks/06-trunk-ssrf.ts';
import { inboxSockets } from './attacks/07-inbox-sockets.ts';
import { unreadBodies } from './attacks/08-unread-bodies.ts';
import { longPolls } from './attacks/09-long-polls.ts';
import { linkScanners } from './attacks/10-link-scanners.ts';
import { malformedFraming } from './attacks/11-malformed-framing.ts';
import { rtpTakeover } from './attacks/12-rtp-takeover.ts';
import { lockOut } from './attacks/13-lock-out.ts';
import { massCreation } from './attacks/14-mass-creation.ts';
import { resourcesSpent } from './attacks/15-resources-spent.ts';
import { theRest } from './attacks/16-the-rest.ts';
import { socketFloods } from './attacks/17-socket-floods.ts';
import { signInFloods } from './attacks/18-sign-in-floods.ts';
import { foreignStreams } from './attacks/19-foreign-streams.ts';
import { databaseFill } from './attacks/20-database-fill.ts';
import { callRooms } from './attacks/21-call-rooms.ts';
import { greedyAccount } from './attacks/22-greedy-account.ts';
import { platformStreams } from './attacks/23-platform-streams.ts';
import { webhookFloods } from './attacks/24-webhook-floods.ts';
import { oauthConnections } from './attacks/25-oauth-connections.ts';
import { speechVendors } from './attacks/26-speech-vendors.ts';
import { sharedBots } from './attacks/27-shared-bots.ts';
import { longReads } from './attacks/28-long-reads.ts';
import { strangers } from './attacks/29-strangers.ts';

/** All attacks, in the order of their numbers. */
export const ATTACKS: readonly Attack[] = [
  pipelining,
  sipShapes,
  emailChange,
  preHijack,
  inboundHijack,
  trunkSsrf,
  inboxSockets,
  unreadBodies,
  longPolls,
  linkScanners,
  malformedFraming,
  rtpTakeover,
  lockOut,
  massCreation,
  resourcesSpent,
  theRest,
  socketFloods,
  signInFloods,
  foreignStreams,
  databaseFill,
  callRooms,
  greedyAccount,
  platformStreams,
  webhookFloods,
  oauthConnections,
  speechVendors,
  sharedBots,
  longReads,
  strangers,
];

export function attackOf(number: number): Attack {
  const attack = ATTACKS.find((each) => each.number === number);
  if (attack === undefined) throw new Error(`there is no attack ${number}`);
  return attack;
}

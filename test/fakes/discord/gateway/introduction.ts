import { GatewayDispatchEvents as E } from 'discord-api-types/v10';
import { guildShown } from '../world/membership.ts';
import { wireUser } from '../world/user.ts';
import type { World } from '../world/world.ts';
import type { GatewaySession } from './session.ts';

/** What a bot is told first: READY, then each of its guilds. */
export function introduce(world: World, session: GatewaySession, resumeUrl: string): void {
  const { user, applicationId, applicationFlags } = session.bot;
  const guilds = [...world.guilds.values()].filter((guild) => guild.has(user));
  session.greet({
    t: E.Ready,
    d: {
      v: 10,
      user: wireUser(user),
      guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: resumeUrl,
      shard: [0, 1],
      application: { id: applicationId, flags: applicationFlags, flags_new: String(applicationFlags) },
    },
  });
  for (const guild of guilds) session.hear(guildShown(world, guild));
}

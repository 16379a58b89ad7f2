/** What a role, or a member, may and may not do in a channel. Bit fields in decimal digits. */
export interface Overwrite {
  /** Of the role or member. */
  readonly id: string;
  readonly allow: string;
  readonly deny: string;
}

export interface PermissionFacts {
  /** Also the id of the role that everybody has. */
  readonly guildId: string;
  readonly ownerId: string;
  readonly roles: readonly { readonly id: string; readonly permissions: string }[];
  readonly member: { readonly userId: string; readonly roleIds: readonly string[] };
  readonly overwrites: readonly Overwrite[];
}

/** https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags */
export const PERMISSION = {
  administrator: 1n << 3n,
  viewChannel: 1n << 10n,
  sendMessages: 1n << 11n,
  attachFiles: 1n << 15n,
  connect: 1n << 20n,
  speak: 1n << 21n,
  moveMembers: 1n << 24n,
} as const;

const ALL = ~0n;

/** What a member may do in a channel (https://docs.discord.com/developers/topics/permissions#permission-overwrites). */
export function permissionsIn({ guildId, ownerId, roles, member, overwrites }: PermissionFacts): bigint {
  if (member.userId === ownerId) return ALL;
  const held = new Set([guildId, ...member.roleIds]);
  const base = union(roles.filter(({ id }) => held.has(id)).map(({ permissions }) => permissions));
  if (base & PERMISSION.administrator) return ALL;
  const ofRoles = overwrites.filter(({ id }) => id !== guildId && id !== member.userId && held.has(id));
  const layers = [
    overwrites.filter(({ id }) => id === guildId),
    ofRoles,
    overwrites.filter(({ id }) => id === member.userId),
  ];
  return layers.reduce(overwritten, base);
}

function overwritten(permissions: bigint, layer: readonly Overwrite[]): bigint {
  return (permissions & ~union(layer.map(({ deny }) => deny))) | union(layer.map(({ allow }) => allow));
}

function union(fields: readonly string[]): bigint {
  return fields.reduce((all, field) => all | BigInt(field), 0n);
}

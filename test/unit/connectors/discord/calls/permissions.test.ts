import { PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { PERMISSION, permissionsIn } from '../../../../../src/connectors/discord/calls/permissions.ts';

const GUILD = '1';
const ROLE = '2';
const OTHER_ROLE = '3';
const USER = '4';
const { connect, speak, viewChannel, administrator } = PERMISSION;

function bits(...permissions: bigint[]): string {
  return `${permissions.reduce((all, each) => all | each, 0n)}`;
}

function facts(
  overwrites: { id: string; allow?: bigint; deny?: bigint }[],
  roles: Record<string, string> = {},
) {
  const held = { [GUILD]: bits(viewChannel, connect), ...roles };
  return {
    guildId: GUILD,
    ownerId: '5',
    roles: Object.entries(held).map(([id, permissions]) => ({ id, permissions })),
    member: { userId: USER, roleIds: [ROLE] },
    overwrites: overwrites.map(({ id, allow = 0n, deny = 0n }) => ({
      id,
      allow: `${allow}`,
      deny: `${deny}`,
    })),
  };
}

it('has the bits of the documentation', () => {
  expect(PERMISSION).toEqual({
    administrator: PermissionFlagsBits.Administrator,
    viewChannel: PermissionFlagsBits.ViewChannel,
    sendMessages: PermissionFlagsBits.SendMessages,
    attachFiles: PermissionFlagsBits.AttachFiles,
    connect: PermissionFlagsBits.Connect,
    speak: PermissionFlagsBits.Speak,
    moveMembers: PermissionFlagsBits.MoveMembers,
  });
});

describe('permissions in a channel', () => {
  it('are those of everybody and of the roles that one holds', () => {
    const all = permissionsIn(facts([], { [ROLE]: bits(speak), [OTHER_ROLE]: bits(administrator) }));
    expect(all).toBe(viewChannel | connect | speak);
  });

  it('are overwritten for everybody, then for roles, then for oneself', () => {
    const denied = { id: GUILD, deny: connect };
    const byRole = { id: ROLE, allow: connect | speak };
    expect(permissionsIn(facts([denied]))).toBe(viewChannel);
    expect(permissionsIn(facts([byRole, denied]))).toBe(viewChannel | connect | speak);
    expect(permissionsIn(facts([{ id: USER, deny: speak }, byRole, denied]))).toBe(viewChannel | connect);
    expect(permissionsIn(facts([{ id: OTHER_ROLE, allow: speak }]))).toBe(viewChannel | connect);
  });

  it('are all for administrators and the owner, whatever is overwritten', () => {
    const denied = [{ id: USER, deny: connect }];
    expect(permissionsIn(facts(denied, { [ROLE]: bits(administrator) })) & connect).toBe(connect);
    expect(permissionsIn({ ...facts(denied), ownerId: USER }) & connect).toBe(connect);
  });
});

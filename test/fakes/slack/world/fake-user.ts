/** A person or a bot of a workspace. */
export interface FakeUser {
  readonly id: string;
  readonly teamId: string;
  /** Handle, as in `@ada`. */
  readonly name: string;
  readonly realName: string;
  readonly isBot: boolean;
  /** Deactivated. */
  isDeleted: boolean;
}

/** As `users.info` answers it. */
export function wireUser({ id, teamId, name, realName, isBot, isDeleted }: FakeUser) {
  return {
    id,
    team_id: teamId,
    name,
    real_name: realName,
    deleted: isDeleted,
    profile: { real_name: realName, display_name: isBot ? '' : realName, team: teamId },
    is_bot: isBot,
    is_admin: false,
    updated: 1_700_000_000,
  };
}

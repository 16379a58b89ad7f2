/**
 * The permanent id of a person: the user's id; with the team, `T1/U1`, for people of other workspaces, since ids are
 * unique only within one (https://docs.slack.dev/apis/slack-connect).
 */
export function personId(userId: string, otherTeamId: string | null): string {
  return otherTeamId === null ? userId : `${otherTeamId}/${userId}`;
}

/** The user's id in a person's id. */
export function userIdOf(person: string): string {
  return person.slice(person.indexOf('/') + 1);
}

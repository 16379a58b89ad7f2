import type { AccountDomain } from '../accounts/account/account-domain.ts';
import type { LeavingDomain } from '../accounts/account/delete-account.ts';
import type { KeyCache } from '../accounts/keys/key-cache.ts';
import { checkPassword } from '../accounts/passwords/check-password.ts';
import type { People } from '../accounts/people/people.ts';
import type { GrantCache } from '../authorization/grant-cache.ts';
import type { FileDomain } from '../files/file-domain.ts';
import type { InlineRunner } from '../inline/runner.ts';

interface LeavingNeeds {
  readonly accounts: AccountDomain;
  readonly people: People;
  readonly keys: KeyCache;
  readonly grants: GrantCache;
  readonly files: FileDomain;
  readonly models: InlineRunner;
}

/** Returns what the deletion of an account needs of all parts. */
export function leavingDomain({
  accounts,
  people,
  keys,
  grants,
  files,
  models,
}: LeavingNeeds): LeavingDomain {
  return {
    ...accounts,
    files,
    leaveModels: (accountId) => models.leave(accountId),
    forgetModels: () => models.forget(),
    checkPassword: (accountId, password, client) => checkPassword(people, accountId, password, client),
    closeAccess: (accountId) => {
      people.sessions.removeAllOf(accountId);
      keys.remove(accountId);
      grants.remove(accountId);
    },
    reopenAccess: async (accountId) => {
      await people.sessions.refresh(accountId);
      await people.roster.reload(accountId);
      await keys.refresh(accountId);
      await grants.refresh(accountId);
    },
  };
}
